"""The stream of Claude Code's SDK: ``claude -p --output-format stream-json``, as lines or as one array.

The lines carry the same messages as a session file and are put together in the same way; they have no tree,
and mostly not the prompt that began the run. What each line is says ``stream_json_scan``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.claude_code_dump import Form
from tape.formats.claude_code_dump import dump as dump_lines
from tape.formats.claude_code_files import linked
from tape.formats.claude_code_session import File, read_file
from tape.formats.claude_lines import Lines
from tape.formats.stream_json_scan import scan
from tape.model import Json, Session
from tape.notes import Note
from tape.records import Source

NAME = "claude-stream-json"
TYPES = frozenset({"system", "assistant", "user", "result", "stream_event"})


class StreamJson:
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Claude Code stream-json"
    written_by = "claude -p --output-format stream-json, the Claude Agent SDK, claude-code-action"
    evidence: Literal["files", "documentation"] = "files"

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines with ``session_id`` and one of the stream's types; no other format writes both."""
        document = sample.document
        records = document[:400] if isinstance(document, list) else sample.records
        if any(_is_line(record) for record in records):
            return Guess(3, "lines with a type and session_id")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a stream; the lines of sub-agents become its lanes."""
        for number, source in enumerate(sources):
            name = source.name.removesuffix(".jsonl") or f"stream {number + 1}"
            yield Conversation(name, name, partial(_load, source), size=len(source.data))

    def dump(self, session: Session) -> Dumped:
        """The stream with only what was edited changed in it."""
        return dump_lines(session, FORM)

    @property
    def write(self) -> Callable[[Session], Dumped] | None:
        """A stream tells of a run that was; it is not made of other sessions."""
        return None


def _is_line(record: Json) -> bool:
    return (
        isinstance(record, Mapping)
        and isinstance(record.get("session_id"), str)
        and str(record.get("type")) in TYPES
    )


def _read(lines: Lines) -> File:
    return read_file(lines, name=NAME, scan=scan)


FORM = Form("A stream-json file", scan, _read)


def _load(source: Source) -> Session:
    file = _read(Lines(source, ()) if isinstance(source.document, list) else Lines(source))
    session = linked(file.main.session, file.lanes, [file], {})
    if session.messages and session.messages[0].role == "assistant":
        text = "The prompt is not in this stream: it begins with what the model answered."
        session = replace(session, notes=(*session.notes, Note("messages[0]", "no-prompt", text)))
    return session
