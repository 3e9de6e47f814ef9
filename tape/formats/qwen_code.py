"""Qwen Code: session files with Claude Code's envelope around messages of the Gemini form.

Parts have no type, their key says what they are; the prompt figure includes cached tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Literal

from tape.formats.arrays import Path, at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import FileFormat
from tape.formats.parts import (
    Part,
    below,
    call_part,
    other_part,
    result_part,
    text_part,
    thinking_part,
    word,
    words,
)
from tape.formats.parts_dump import Form
from tape.model import Json, Message, Place, Session, Text
from tape.records import Source
from tape.usage_forms import gemini

NAME: Final = "qwen-code"


def load(source: Source) -> Session:
    """The session of a file. Never raises on data."""
    gathering = Gathering(source, NAME)
    id: str | None = None
    title: str | None = None
    for i, value in gathering.lines():
        id = id or word(value, "sessionId")
        kind = word(value, "type") or "untyped"
        place, at_time = Place(i, ("message",)), word(value, "timestamp")
        parts = at(value, ("message", "parts"))
        if not isinstance(parts, list) or kind not in ("user", "assistant", "tool_result"):
            name = word(value, "subtype") or kind
            title = word(value.get("systemPayload"), "customTitle") or title
            gathering.aside(
                Place(i), name, words(at(value, ("systemPayload", "summary"))), known=kind == "system"
            )
        elif kind == "assistant":
            facts: dict[str, Any] = {"model": word(value, "model"), "timestamp": at_time}
            gathering.say("assistant", place, message_parts, **facts)
            gathering.spend(gemini(value.get("usageMetadata"), partial(gathering.remark, place, "odd-usage")))
        elif kind == "tool_result":
            gathering.answer(place, message_parts, timestamp=at_time)
        else:
            gathering.say("user", place, message_parts, timestamp=at_time)
    return gathering.session(id=id, title=title)


def message_parts(message: Json, place: Place) -> Sequence[Part]:
    """The parts of a message."""
    return [_part(part, below(place, "parts", i)) for i, part in enumerate(message["parts"])]


def _part(part: Json, place: Place) -> Part:
    value = part if isinstance(part, dict) else {}
    if isinstance(value.get("text"), str):
        make = thinking_part if value.get("thought") is True else text_part
        return make(value["text"], below(place, "text"), home=place, raw=part)
    if isinstance(value.get("functionCall"), dict):
        name, given, id = ("functionCall", "name"), ("functionCall", "args"), ("functionCall", "id")
        return call_part(part, place, name=name, input=given, id=id)
    answer = value.get("functionResponse")
    if isinstance(answer, dict):
        response = answer.get("response")
        keys = [key for key in ("output", "error") if isinstance(at(response, (key,)), str)]
        path: Path = ("functionResponse", "response", *keys[:1])
        failed = True if keys[:1] == ["error"] else None
        tool = word(answer, "name")
        return result_part(part, place, content=path, id=("functionResponse", "id"), error=failed, tool=tool)
    return other_part(part, next(iter(value), "part"), place)


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """The line of a message of words."""
    if entry.role == "system" or not all(isinstance(block, Text) for block in entry.blocks):
        return None
    keys = ("sessionId", "timestamp", "cwd", "version", "gitBranch")
    head = {k: v for k, v in like[-1].items() if k in keys} if like else {}
    role = "model" if entry.role == "assistant" else "user"
    parts = [{"text": block.text} for block in entry.blocks if isinstance(block, Text)]
    own = {"uuid": f"tapedeck-{entry.uid}", "parentUuid": None, **head, "type": entry.role}
    return [{**own, "message": {"role": role, "parts": parts}}]


FORM: Final = Form("A Qwen Code session", lambda source, _: load(source), _make, chain=("uuid", "parentUuid"))


class QwenCode(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Qwen Code session"
    written_by = "Qwen Code, in ~/.qwen"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines with ``uuid``, ``parentUuid`` and ``message.parts``."""
        for record in sample.records:
            marked = isinstance(record, dict) and {"uuid", "parentUuid"} <= record.keys()
            if marked and isinstance(at(record, ("message", "parts")), list):
                return Guess(3, "lines with uuid whose messages are made of parts")
        return None
