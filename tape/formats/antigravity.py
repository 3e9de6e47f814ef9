"""Antigravity: transcripts with one step a line, its type saying what it is.

A planner's response holds words and calls without ids; what a tool gave back is a step of the tool's own
type, paired by order while calls are open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

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

NAME: Final = "antigravity"
REPLIES: Final = ("PLANNER_RESPONSE", "GENERATE_RESPONSE")
BESIDE: Final = frozenset(
    (
        *("CHECKPOINT", "CONVERSATION_HISTORY", "EPHEMERAL_MESSAGE", "KNOWLEDGE_ARTIFACTS", "SYSTEM_MESSAGE"),
        *("ERROR_MESSAGE", "TASK_BOUNDARY"),
    )
)


def load(source: Source) -> Session:
    """The session of a transcript. Never raises on data."""
    gathering = Gathering(source, NAME)
    for i, value in gathering.lines():
        kind, place, at_time = word(value, "type") or "untyped", Place(i), word(value, "created_at")
        if kind == "USER_INPUT" and isinstance(value.get("content"), str):
            gathering.say("user", place, said_parts, timestamp=at_time)
        elif kind in REPLIES:
            gathering.say("assistant", place, said_parts, timestamp=at_time)
        elif kind not in BESIDE and gathering.waiting and isinstance(value.get("content"), str):
            gathering.answer(place, answer_parts, timestamp=at_time)
        else:
            gathering.aside(place, kind, words(value.get("content")), known=kind in BESIDE)
    return gathering.session()


def said_parts(step: Json, place: Place) -> Sequence[Part]:
    """What a step says: thinking, words, calls."""
    found: list[Part] = []
    thought, said, calls = step.get("thinking"), step.get("content"), step.get("tool_calls")
    if isinstance(thought, str) and thought:
        found.append(thinking_part(thought, below(place, "thinking")))
    if isinstance(said, str) and (said or not calls):
        found.append(text_part(said, below(place, "content")))
    for i, call in enumerate(calls if isinstance(calls, list) else []):
        where = below(place, "tool_calls", i)
        if isinstance(call, dict):
            found.append(call_part(call, where, name=("name",), input=("args",), id=("id",)))
        else:
            found.append(other_part(call, "tool call", where))
    return found


def answer_parts(step: Json, place: Place) -> Sequence[Part]:
    """What a tool gave back."""
    return [result_part(step, place, content=("content",), gone=())]


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """The step of a message of words."""
    texts = [block.text for block in entry.blocks if isinstance(block, Text)]
    if entry.role == "system" or len(texts) < len(entry.blocks):
        return None
    numbers = [value.get("step_index") for value in like if isinstance(value, dict)]
    number = max((n for n in numbers if isinstance(n, int)), default=-1) + 1
    source, kind = ("MODEL", REPLIES[0]) if entry.role == "assistant" else ("USER_EXPLICIT", "USER_INPUT")
    return [{"step_index": number, "source": source, "type": kind, "content": "\n".join(texts)}]


FORM: Final = Form("An Antigravity transcript", lambda source, _: load(source), _make)


class Antigravity(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Antigravity transcript"
    written_by = "Google Antigravity"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines with step_index, source and type."""
        for record in sample.records:
            if isinstance(record, dict) and {"step_index", "source", "type"} <= record.keys():
                return Guess(3, "lines with step_index, source and type")
        return None
