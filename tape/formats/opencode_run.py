"""``opencode run --format json``: one line a part of the replies, without the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering, no_prompt
from tape.formats.log_format import FileFormat
from tape.formats.opencode_parts import Step, take
from tape.formats.parts import word, words
from tape.formats.parts_dump import Form
from tape.model import Json, Message, Place, Session, Text
from tape.records import Source

NAME: Final = "opencode-run"


def _is_line(record: Json) -> bool:
    return word(record, "sessionID") is not None and isinstance(record.get("part"), dict)


def load(source: Source) -> Session:
    """The session of a run. Never raises on data."""
    gathering = Gathering(source, NAME)
    step, id = Step(), None
    for i, value in gathering.lines():
        id = id or word(value, "sessionID")
        part = value.get("part")
        if not isinstance(part, dict):
            kind = word(value, "type") or "untyped"
            gathering.aside(Place(i), kind, words(value.get("error")), known=kind == "error")
            continue
        message = word(part, "messageID") or step.message
        if message != step.message:
            step = Step(message)
        take(gathering, Place(i, ("part",)), part, "assistant", step, {"response_id": message or None})
    return no_prompt(gathering.session(id=id))


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """The lines of a reply of texts; the stream has no others of its own."""
    if entry.role != "assistant" or not all(isinstance(block, Text) for block in entry.blocks):
        return None
    head = {k: v for k, v in like[-1].items() if k in ("timestamp", "sessionID")} if like else {}
    own = {"sessionID": head.get("sessionID"), "messageID": f"msg_{entry.uid}", "type": "text"}
    return [
        {"type": "text", **head, "part": {**own, "text": block.text}}
        for block in entry.blocks
        if isinstance(block, Text)
    ]


FORM: Final = Form("An opencode run", lambda source, _: load(source), _make)


class OpencodeRun(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "opencode run JSON"
    written_by = "opencode run --format json"
    evidence: Literal["files", "documentation"] = "files"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines with ``sessionID`` and ``part``."""
        if any(_is_line(record) for record in sample.records):
            return Guess(3, "lines with sessionID and part")
        return None
