"""The session that one Claude Code file holds: its array, the branches it left, its sub-agents, its asides.

The parts come from ``claude_code_scan`` (what each line is), ``claude_code_branches`` (forks) and
``claude_assembly`` (messages). Putting several files together is the business of ``claude_code_files``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tape.formats.claude_assembly import Assembly, Draft, calls, messages
from tape.formats.claude_code_branches import Item, circle, split
from tape.formats.claude_code_scan import Scan, Spawn, notes, scan
from tape.formats.claude_lines import Line, Lines
from tape.model import Aside, Base, Branch, Call, Message, Session
from tape.notes import Note

NAME = "claude-code"
LONGEST_TITLE = 80


@dataclass
class Part:
    """One array of a file, its own or that of a sub-agent: ``key`` names the agent, ``prompt`` opened it."""

    session: Session
    key: str = ""
    agent: str | None = None
    prompt: str = ""


@dataclass
class File:
    """What one file holds: its main array, the arrays of sub-agents in it, and what ties them together.

    ``next`` is the first number that no uid of this file has.
    """

    main: Part
    lanes: list[Part]
    spawns: list[Spawn]
    started: dict[str, str]
    session_id: str | None
    next: int


def read_file(lines: Lines, first: int = 0, name: str = NAME, scan: Callable[[Lines], Scan] = scan) -> File:
    """Reads one file; uids are numbered from ``first``. Never raises on data.

    ``scan`` tells what the lines are; the SDK's stream has another one.
    """
    found = scan(lines)
    own, lanes = _by_lane(found.items)
    builder = _Builder(lines, first, name, found.extra)
    session = builder.main(own)
    parts = [
        Part(builder.array(items), key, found.lane_agents.get(key), found.lane_prompts.get(key, ""))
        for key, items in lanes.items()
    ]
    for part in parts:
        part.session = replace(part.session, id=part.agent or "", title=clip(part.prompt))
    report = found.report(builder.lines_used, builder.lines_used - (builder.next - first))
    agent = next(iter(found.lane_agents.values()), None) if not lanes else None
    prompt = found.first_prompt or (None if lanes else next(iter(found.lane_prompts.values()), None))
    session = replace(
        session,
        id=found.last_session or "",
        title=title(found, prompt),
        report=report,
        notes=(*lines.source.notes(), *notes(found, lines), *_circle(found.items, lines), *session.notes),
    )
    main = Part(session, agent or "", agent, prompt or "")
    return File(main, parts, found.spawns, found.started, found.last_session, builder.next)


def _circle(items: list[Item], lines: Lines) -> list[Note]:
    """One note where lines name each other as parents in a circle, which decides nothing here."""
    around = circle(items)
    if not around:
        return []
    named = ", ".join(str(lines.source.line(item.record)) for item in around[:10])
    text = f"These lines name each other as parents in a circle: {named}. The order of the file was kept."
    return [Note(lines.source.where(around[0].record), "parent-cycle", text)]


class _Builder:
    """Makes sessions of lines and hands out uids that nothing else in the same file has."""

    def __init__(self, lines: Lines, first: int, name: str, extra: Mapping[str, Any]) -> None:
        self.lines, self.next, self.name = lines, first, name
        self.extra = {"lines": lines, **extra}
        self.lines_used = 0

    def main(self, items: list[Item]) -> Session:
        """The session as it went on, with the branches it left. A branch's calls count as spent."""
        shown, left = split(items)
        session, drafts, asides = self._build(shown)
        if not left:
            return session
        homes: dict[str | None, Draft] = {
            line.uuid: draft for draft in drafts for line in draft.lines if line.uuid
        }
        branches: list[Branch] = []
        spent: list[Call] = []
        for branch in left:
            other, its_drafts, its_asides = self._build(branch.items)
            homes.update({line.uuid: draft for draft in its_drafts for line in draft.lines if line.uuid})
            asides += its_asides
            spent += other.calls
            at = _above(branch.parent, homes, items)
            name = clip(other.messages[0].text)
            branches.append(Branch(name, at, other.messages, "asked again in other words"))
        return replace(
            session,
            branches=tuple(branches),
            calls=(*spent, *session.calls),
            asides=tuple(sorted(asides, key=lambda aside: aside.record)),
        )

    def array(self, items: list[Item]) -> Session:
        """One array without branches: that of a sub-agent."""
        return self._build(items)[0]

    def _build(self, items: list[Item]) -> tuple[Session, list[Draft], list[Aside]]:
        assembly = Assembly().take(items)
        drafts = list(assembly.drafts())
        entries = messages(drafts, self.lines, self.next)
        self.next += len(entries)
        self.lines_used += sum(len(draft.lines) for draft in drafts)
        asides = list(assembly.asides())
        session = Session(
            messages=entries,
            format=self.name,
            calls=tuple(calls(drafts)),
            asides=tuple(asides),
            notes=tuple(unknown_blocks(entries)),
            base=Base(self.name, (self.lines.source,), entries, extra=self.extra),
        )
        return session, drafts, asides


def _by_lane(items: list[Item]) -> tuple[list[Item], dict[str, list[Item]]]:
    """The lines of the main array and of each sub-agent; where all are of one sub-agent it is the main."""
    lanes: dict[str, list[Item]] = {}
    own: list[Item] = []
    for item in items:
        (own if item.lane is None else lanes.setdefault(item.lane, [])).append(item)
    if lanes and not any(isinstance(item, Line) for item in own):
        first = next((key for key, its in lanes.items() if any(isinstance(i, Line) for i in its)), None)
        if first is not None:
            own = [item for item in items if item.lane in (None, first)]
            del lanes[first]
    return own, lanes


def _above(parent: str, homes: dict[str | None, Draft], items: Iterable[Item]) -> str | None:
    """The uid of the message that a line belongs to, or of the nearest one above it."""
    parents = {item.uuid: item.parent for item in items if item.uuid}
    at: str | None = parent
    passed: set[str] = set()
    while at is not None and at not in passed:
        if at in homes:
            return homes[at].uid
        passed.add(at)
        at = parents.get(at)
    return None


def title(found: Scan, prompt: str | None) -> str:
    """What a session is called: the name it was given, else what was asked first."""
    named = next(
        (found.titles[k] for k in ("custom-title", "ai-title", "summary") if k in found.titles), None
    )
    return clip(named or prompt or "")


def clip(text: str) -> str:
    """The first eighty characters of a text on one line."""
    line = " ".join(text[: 20 * LONGEST_TITLE].split())
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1] + "…"


def unknown_blocks(entries: tuple[Message, ...]) -> Iterator[Note]:
    """One note for each type of content block that nobody knows, at the first place where it stands."""
    places: dict[str, list[str]] = {}
    for i, entry in enumerate(entries):
        for j, head in enumerate(entry.heads):
            if head.kind == "other":
                places.setdefault(head.name or "", []).append(f"messages[{i}].content[{j}]")
    for kind, found in sorted(places.items()):
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        yield Note(
            found[0],
            "unknown-block",
            f"A content block of unknown type {kind!r} is kept and shown as JSON{more}.",
        )
