"""Cursor: agent transcripts, one message a line, without times and without ids of calls.

Results are mostly not in the file at all: calls then stay open, and one note says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from tape.formats.anthropic_parts import content_parts
from tape.formats.arrays import at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import FileFormat
from tape.formats.parts import word
from tape.formats.parts_dump import Form
from tape.model import Block, Json, Message, Place, Role, Session
from tape.records import Source
from tape.wire import block_json

NAME: Final = "cursor-transcript"
ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
OPEN: Final = "Cursor's transcripts mostly hold no results: the calls of this one look unanswered."


def load(source: Source) -> Session:
    """The session of a transcript. Never raises on data."""
    gathering = Gathering(source, NAME)
    for i, value in gathering.lines():
        content = at(value, ("message", "content"))
        if not isinstance(content, (str, list)):
            gathering.aside(Place(i), word(value, "role") or "untyped", known=False)
            continue
        written = word(value, "role") or ""
        place = Place(i, ("message", "content"))
        if written == "user" and isinstance(content, list) and content and all(map(_is_result, content)):
            gathering.answer(place, content_parts)
            continue
        unknown: dict[str, Any] = {} if written in ROLES else {"unknown_role": written}
        gathering.say(ROLES.get(written, "user"), place, content_parts, **unknown)
    kinds = {head.kind for draft in gathering.drafts for head in draft.heads}
    if "tool_use" in kinds and "tool_result" not in kinds:
        gathering.remark(Place(0), "no-results", OPEN)
    return gathering.session()


def _is_result(block: Json) -> bool:
    return word(block, "type") == "tool_result"


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    return [{"role": entry.role, "message": {"content": [block_json(block) for block in entry.blocks]}}]


def _element(block: Block) -> Json | None:
    made: Json = block_json(block)
    return made


FORM: Final = Form("A Cursor transcript", lambda source, _: load(source), _make, _element)


class CursorTranscript(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Cursor agent transcript"
    written_by = "Cursor, in agent-transcripts"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines with ``role`` and ``message.content`` and nothing that names them."""
        if sample.container == "jsonl" and sample.records and all(map(_is_line, sample.records[:50])):
            return Guess(3, "lines of role and message without ids")
        return None


def _is_line(record: Json) -> bool:
    content = at(record, ("message", "content"))
    return (
        isinstance(content, (str, list))
        and word(record, "role") in ROLES
        and not {"type", "id"} & record.keys()
    )
