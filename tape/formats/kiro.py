"""Kiro CLI and Amazon Q: one document whose history holds a user and an assistant half a turn.

Ids may be empty: calls and results are then paired by order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from tape.formats.arrays import Path, at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import DocumentFormat, again
from tape.formats.parts import Field, Part, below, call_part, other_part, result_part, text_part, word
from tape.formats.parts_dump import Form
from tape.model import Block, Json, Place, Session, Text
from tape.records import Source

NAME: Final = "kiro"


def load(source: Source, array: Place) -> Session:
    """The session of a document. Never raises on data."""
    document = source.held(array.record)
    gathering = Gathering(source, NAME, array=array)
    for i, turn in enumerate(at(document, array.path) or []):
        place = Place(array.record, (*array.path, i))
        if not isinstance(turn, dict):
            gathering.aside(place, "no turn", known=False)
            continue
        _asked(gathering, below(place, "user", "content"), at(turn, ("user", "content")))
        answer = turn.get("assistant")
        for kind in ("Response", "ToolUse"):
            said = at(answer, (kind,))
            if isinstance(said, dict):
                facts: dict[str, Any] = {"response_id": word(said, "message_id")}
                gathering.say("assistant", below(place, "assistant", kind), reply_parts, **facts)
    model = word(at(document, ("model_info",)), "model_id") or word(document, "model")
    return gathering.session(id=word(document, "conversation_id"), params={"model": model} if model else {})


def _asked(g: Gathering, place: Place, content: Json) -> None:
    for kind in ("ToolUseResults", "CancelledToolUses"):
        if isinstance(at(content, (kind, "tool_use_results")), list):
            g.answer(below(place, kind, "tool_use_results"), answer_parts)
    for kind in ("Prompt", "CancelledToolUses"):
        if isinstance(at(content, (kind, "prompt")), str):
            g.say("user", below(place, kind), prompt_parts)
    if isinstance(content, dict) and not {"Prompt", "ToolUseResults", "CancelledToolUses"} & content.keys():
        g.aside(place, next(iter(content), "empty"), known=False)


def prompt_parts(value: Json, place: Place) -> Sequence[Part]:
    """What the person asked."""
    return [text_part(value["prompt"], below(place, "prompt"))]


def reply_parts(value: Json, place: Place) -> Sequence[Part]:
    """What the model answered: words and calls."""
    said = value.get("content")
    found = [text_part(said, below(place, "content"))] if isinstance(said, str) and said else []
    calls = value.get("tool_uses")
    for i, call in enumerate(calls if isinstance(calls, list) else []):
        where = below(place, "tool_uses", i)
        if isinstance(call, dict):
            found.append(call_part(call, where, name=("name",), input=("args",), id=("id",)))
        else:
            found.append(other_part(call, "tool use", where))
    return found


def answer_parts(values: Json, place: Place) -> Sequence[Part]:
    """What the calls of a turn gave back."""
    found = []
    for i, value in enumerate(values):
        where = below(place, i)
        if not isinstance(value, dict):
            found.append(other_part(value, "result", where))
            continue
        status = word(value, "status")
        flags = (Field((*where.path, "status"), lambda new: "Error" if new.is_error else "Success"),)
        error = None if status is None else status.lower() != "success"
        id = ("tool_use_id",)
        kept = flags if status in ("Error", "Success") else ()
        found.append(
            result_part(value, where, content=("content",), id=id, error=error, flags=kept, inner=inner)
        )
    return found


def inner(value: Json, place: Place) -> Block:
    """One item of a result: an object with the key ``Text`` or ``Json``."""
    text = at(value, ("Text",))
    if isinstance(text, str):
        return Text(text=text, place=place, raw=value)
    return other_part(value, "Json", place).block


def _find(value: Json) -> tuple[Path, str | None] | None:
    history = at(value, ("history",))
    if word(value, "conversation_id") is None or not isinstance(history, list):
        return None
    halves = any(isinstance(turn, dict) and {"user", "assistant"} <= turn.keys() for turn in history[:20])
    return (("history",), None) if halves else None


FORM: Final = Form("A Kiro conversation", again(load))


class Kiro(DocumentFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Kiro conversation"
    written_by = "Kiro CLI, Amazon Q CLI"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    find = staticmethod(_find)
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """A conversation_id and a history of user and assistant halves."""
        if any(_find(record) for record in sample.records[:20]):
            return Guess(3, "a conversation_id with a history of user and assistant halves")
        return None
