"""Puts the files of a Claude Code session together: the session and its sub-agents.

A sub-agent has a file of its own (``<session>/subagents/agent-<id>.jsonl`` with ``.meta.json`` beside it, in
older versions ``agent-<id>.jsonl`` beside the session). Sessions that begin with a copy of another are the
business of ``claude_code_copies``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tape.formats.claude_code_scan import Spawn, is_message
from tape.formats.claude_code_session import File, Part, clip, read_file
from tape.formats.claude_lines import Lines
from tape.model import Lane, Message, Session
from tape.notes import Note
from tape.records import Broken, Source

PEEK = 20


@dataclass
class Group:
    """The sources of one session: its own file, those of its sub-agents, and what describes these."""

    session: Source
    agents: list[Source] = field(default_factory=list)
    described: dict[str, Mapping[str, object]] = field(default_factory=dict)


def companions(path: Path) -> tuple[Path, ...]:
    """The files of sub-agents that belong to the session file at ``path``, looked for in two places only:
    its own folder ``<session>/subagents`` and, for older versions, the folder it stands in."""
    if path.name.startswith("agent-"):
        return ()
    inside = path.parent / path.stem / "subagents"
    found = sorted(inside.glob("agent-*.jsonl")) + sorted(inside.glob("agent-*.meta.json"))
    if not found:
        found = [p for p in sorted(path.parent.glob("agent-*.jsonl")) if _mentions(p, path.stem)]
    root = path.parent.resolve()
    return tuple(p for p in found if p.is_file() and p.stat().st_size and p.resolve().is_relative_to(root))


def _mentions(path: Path, session: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return f'"{session}"'.encode() in file.read(4096)


def lines_of(source: Source) -> Lines:
    """The lines of a source: a JSONL file, a document with ``loglines``, or an array of lines."""
    document = source.document
    if isinstance(document, Mapping) and isinstance(document.get("loglines"), list):
        return Lines(source, ("loglines",))
    return Lines(source, ()) if isinstance(document, list) else Lines(source)


def grouped(sources: Sequence[Source]) -> list[Group]:
    """The sessions among some sources, each with the agent files that name it.

    Where there are only files of agents each is a session.
    """
    metas = {_stem(s): s.document for s in sources if _is_meta(s)}
    files = [s for s in sources if not _is_meta(s)]
    agents = [s for s in files if _is_agent(s)]
    sessions = [s for s in files if s not in agents]
    if not sessions:
        return [Group(s) for s in files]
    groups = [Group(s, described=metas) for s in sessions]
    ids = [set(_ids(s)) | {_stem(s)} for s in sessions]
    for agent in agents:
        named = set(_ids(agent))
        home = next((n for n, own in enumerate(ids) if own & named), 0)
        groups[home].agents.append(agent)
    return groups


def _is_meta(source: Source) -> bool:
    document = source.document
    return isinstance(document, Mapping) and "message" not in document and source.name.endswith(".meta.json")


def _is_agent(source: Source) -> bool:
    messages = [value for value in _peek(source) if is_message(value)]
    return bool(messages) and all(value.get("isSidechain") is True for value in messages)


def _ids(source: Source) -> Iterator[str]:
    for value in _peek(source):
        if isinstance(id := value.get("sessionId"), str):
            yield id


def session_id(source: Source) -> str | None:
    """The id of the session that a source says it holds."""
    return next(_ids(source), None)


def _peek(source: Source) -> Iterator[Mapping[str, object]]:
    lines = lines_of(source)
    for i in range(min(len(lines), PEEK)):
        try:
            value = lines.value(i)
        except Broken:
            continue
        if isinstance(value, Mapping):
            yield value


def _stem(source: Source) -> str:
    """The agent's id in the name of its file."""
    return source.name.removesuffix(".meta.json").removesuffix(".jsonl").removeprefix("agent-")


def read_group(group: Group) -> Session:
    """The session of a file with the lanes of its sub-agents, each linked to the call that started it."""
    file = read_file(lines_of(group.session))
    parts, files, next_uid = list(file.lanes), [file], file.next
    for source in group.agents:
        other = read_file(lines_of(source), next_uid)
        next_uid = other.next
        other.main.agent = other.main.agent or _stem(source)
        other.main.session = replace(other.main.session, id=other.main.agent)
        parts += [other.main, *other.lanes]
        files.append(other)
    return linked(file.main.session, parts, files, group.described)


def linked(
    session: Session, parts: list[Part], files: list[File], described: Mapping[str, Mapping[str, object]]
) -> Session:
    """The session with the arrays of sub-agents as lanes, each linked to the call that started it.

    ``files`` are those that may hold the calls, ``described`` what is said of an agent by its id.
    """
    if not parts:
        return session
    started = {agent: call for one in files for agent, call in one.started.items()}
    spawns = {spawn.call: spawn for one in files for spawn in one.spawns}
    wanted = spawns.keys() | set(started.values())
    blocks = {
        head.id: head.uid
        for one in [*(part.session for part in parts), session]
        for entry in _every_message(one)
        for head in entry.heads
        if head.kind == "tool_use" and head.id in wanted
    }
    lanes: list[Lane] = []
    notes = list(session.notes)
    taken = {started[part.agent] for part in parts if part.agent in started}
    for part in parts:
        call = started.get(part.agent or "") or _by_prompt(part, spawns.values(), taken)
        if call is None or call not in blocks:
            agent = part.agent or part.key
            notes.append(
                Note("", "unlinked-agent", f"No call in these files started the sub-agent {agent!r}.")
            )
        else:
            taken.add(call)
        lanes.append(_lane(part, spawns.get(call or ""), blocks.get(call or ""), described))
    return replace(session, lanes=tuple(lanes), notes=tuple(notes))


def _every_message(session: Session) -> Iterable[Message]:
    yield from session.messages
    for branch in session.branches:
        yield from branch.messages


def _by_prompt(part: Part, spawns: Iterable[Spawn], taken: set[str]) -> str | None:
    """The first call not yet taken whose prompt is what the sub-agent was told."""
    told = part.prompt.strip()
    return next(
        (s.call for s in spawns if told and s.call not in taken and (s.prompt or "").strip() == told), None
    )


def _lane(
    part: Part, spawn: Spawn | None, block: str | None, described: Mapping[str, Mapping[str, object]]
) -> Lane:
    said = described.get(part.agent or "", {})
    kind = said.get("agentType") or (spawn.agent if spawn else None) or part.agent
    title = (spawn.description if spawn else "") or str(said.get("description") or "") or part.session.title
    return Lane(replace(part.session, title=clip(title)), block, str(kind) if kind else None)
