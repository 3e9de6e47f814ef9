"""Claude Code: the session files under ``~/.claude/projects``, their sub-agents, and sessions of the web.

Lines are read by ``claude_code_scan``, put together by ``claude_code_session`` and ``claude_code_files``,
patched by ``claude_code_dump`` and written by ``claude_code_write``. Shape and counts as measured over 818
files of versions 2.0.64 to 2.1.185.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.claude_code_copies import copied, marked
from tape.formats.claude_code_dump import dump
from tape.formats.claude_code_files import Group, companions, grouped, lines_of, read_group, session_id
from tape.formats.claude_code_session import NAME
from tape.formats.claude_code_write import write
from tape.model import Json, Session
from tape.records import Source

BOOKKEEPING = frozenset({"summary", "file-history-snapshot", "queue-operation", "last-prompt"})


class ClaudeCode:
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Claude Code session"
    written_by = "Claude Code, in ~/.claude/projects"
    evidence: Literal["files", "documentation"] = "files"

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines with ``message`` and Claude Code's ids are a marker; without ids the shape is a structure."""
        document = sample.document
        if isinstance(document, Mapping) and isinstance(document.get("loglines"), list):
            inner = _judge(document["loglines"][:400])
            return Guess(inner.score, "a document whose loglines are Claude Code's lines") if inner else None
        if isinstance(document, list):
            return _judge(document[:400])
        return _judge([document] if isinstance(document, Mapping) else sample.records)

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a session file; files of sub-agents become lanes of their session."""
        groups = grouped(sources)
        for number, group in enumerate(groups):
            others = [g.session for g in groups if g is not group]
            load = partial(_load, group, others)
            name = group.session.name.removesuffix(".jsonl") or f"session {number + 1}"
            yield Conversation(name, name, load, size=len(group.session.data))

    def companions(self, path: Path) -> tuple[Path, ...]:
        """The files beside a session file that belong to it: those of its sub-agents."""
        return companions(path)

    def dump(self, session: Session) -> Dumped:
        """The file with only what was edited changed in it."""
        return dump(session)

    @property
    def write(self) -> Callable[[Session], Dumped]:
        """Makes a Claude Code session file of any session."""
        return write


def _load(group: Group, others: list[Source]) -> Session:
    session = read_group(group)
    if not others:
        return session
    named = [(session_id(other) or other.name or "another", lines_of(other)) for other in others]
    return marked(session, *copied(lines_of(group.session), named))


def _judge(records: Sequence[Json]) -> Guess | None:
    lines = [r for r in records if isinstance(r, Mapping)]
    if any(_is_other_tool(r) for r in lines):
        return None
    messages = [
        r for r in lines if r.get("type") in ("user", "assistant") and isinstance(r.get("message"), Mapping)
    ]
    marked_lines = [r for r in messages if "parentUuid" in r or ("uuid" in r and "sessionId" in r)]
    if marked_lines:
        return Guess(3, "lines with message, uuid and parentUuid")
    if any("uuid" in r or "sessionId" in r for r in messages):
        return Guess(2, "lines of type user and assistant with a message and an id")
    if messages and all("content" in r["message"] for r in messages):
        return Guess(2, "lines of type user and assistant with a message")
    if lines and all(str(r.get("type")) in BOOKKEEPING for r in lines):
        return Guess(2, "only bookkeeping lines of Claude Code: a session without a conversation")
    return None


def _is_other_tool(record: Mapping[str, object]) -> bool:
    """Qwen Code has the same ids but ``message.parts``; the SDK's stream writes ``session_id``."""
    message = record.get("message")
    if isinstance(message, Mapping) and "parts" in message:
        return True
    return "session_id" in record and record.get("type") in ("system", "user", "assistant", "result")
