"""ATIF: the agent trajectory interchange format of Harbor, one document of steps.

An agent's step holds the reply and what its calls gave back; results often do not say which call they answer.
Steps copied from an earlier trajectory are marked so. Read from the specification, 1.4 to 1.7, and a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from tape.formats import atif_write
from tape.formats.arrays import Path, at
from tape.formats.base import Dumped, Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import DocumentFormat, again
from tape.formats.openai_load import tools_of
from tape.formats.parts import (
    Part,
    below,
    call_part,
    counts,
    other_part,
    result_part,
    text_part,
    thinking_part,
    word,
)
from tape.formats.parts_dump import Form
from tape.model import Block, Image, Json, Message, Place, Role, Session, Text, ToolResult, ToolUse, Usage
from tape.records import Source
from tape.usage_forms import inclusive

NAME: Final = "atif"
ROLES: Final[Mapping[str, Role]] = {"system": "system", "user": "user", "agent": "assistant"}


def _is_one(value: Json) -> bool:
    return (word(value, "schema_version") or "").startswith("ATIF") and isinstance(
        at(value, ("steps",)), list
    )


def load(source: Source, array: Place) -> Session:
    """The session of a trajectory. Never raises on data."""
    document, record = source.held(array.record), array.record
    gathering = Gathering(source, NAME, array=array, blocks=("image",))
    model = word(at(document, ("agent",)), "model_name")
    before: float = 0
    for i, step in enumerate(at(document, array.path) or []):
        place = Place(record, ("steps", i))
        if not isinstance(step, dict):
            gathering.aside(place, "no object", known=False)
            continue
        _step(gathering, place, step, model)
        number = step.get("step_id")
        if isinstance(number, (int, float)) and (number != before + 1 or isinstance(number, float)):
            gathering.remark(place, "step-id", f"Step {i + 1} says that it is number {number}.")
        before = number if isinstance(number, (int, float)) else before
    definitions = at(document, ("agent", "tool_definitions"))
    return gathering.session(
        id=word(document, "session_id") or word(document, "trajectory_id"),
        tools=tools_of(definitions) if definitions is not None else None,
        params={"model": model} if model else {},
    )


def _step(g: Gathering, place: Place, step: dict[str, Any], model: str | None) -> None:
    written = word(step, "source") or ""
    role = ROLES.get(written, "user")
    facts: dict[str, Any] = {"timestamp": word(step, "timestamp")}
    if written not in ROLES:
        facts["unknown_role"] = written
    if step.get("is_copied_context") is True:
        facts["inherited"] = True
    if role == "assistant":
        facts["model"] = word(step, "model_name") or model
        if step.get("llm_call_count") == 0:
            facts["synthetic"] = True
    g.say(role, place, step_parts, **facts)
    if role == "assistant" and not facts.get("synthetic"):
        g.spend(usage_of(step.get("metrics")))
    results = at(step, ("observation", "results"))
    for i in range(len(results) if isinstance(results, list) else 0):
        g.answer(below(place, "observation", "results", i), answer_parts, timestamp=facts["timestamp"])


def step_parts(step: Json, place: Place) -> Sequence[Part]:
    """What a step says: reasoning, message, calls."""
    found: list[Part] = []
    reasoning, said = step.get("reasoning_content"), step.get("message")
    if isinstance(reasoning, str) and reasoning:
        found.append(thinking_part(reasoning, below(place, "reasoning_content")))
    if isinstance(said, str):
        calls = step.get("tool_calls")
        if said or not (found or calls):
            found.append(text_part(said, below(place, "message")))
    elif isinstance(said, list):
        found += [_content(part, below(place, "message", i)) for i, part in enumerate(said)]
    elif said is not None:
        found.append(other_part(said, "message", below(place, "message")))
    calls = step.get("tool_calls")
    for i, call in enumerate(calls if isinstance(calls, list) else []):
        where = below(place, "tool_calls", i)
        if isinstance(call, dict):
            key, id = ("function_name",), ("tool_call_id",)
            found.append(call_part(call, where, name=key, input=("arguments",), id=id))
        else:
            found.append(other_part(call, "tool_call", where))
    return found


def _content(part: Json, place: Place) -> Part:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return text_part(part["text"], below(place, "text"), home=place, raw=part)
    return Part(inner(part, place))


def inner(part: Json, place: Place) -> Block:
    """One item of a list of content: an image is a path beside the file."""
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return Text(text=part["text"], place=place, raw=part)
    path = at(part, ("source", "path"))
    if isinstance(path, str):
        media = word(at(part, ("source",)), "media_type")
        return Image(source="file", media_type=media, ref=path, place=place, raw=part)
    return other_part(part, word(part, "type") or "content", place).block


def answer_parts(result: Json, place: Place) -> Sequence[Part]:
    """What a call gave back; without ``source_call_id`` it is paired by its order."""
    if not isinstance(result, dict):
        return [other_part(result, "result", place)]
    return [result_part(result, place, content=("content",), id=("source_call_id",), inner=inner)]


def usage_of(value: Json) -> Usage | None:
    """ATIF's counts (tokens): the prompt includes what was cached."""
    if not isinstance(value, dict):
        return None
    found = counts(value)
    return inclusive(
        found.get("prompt_tokens"),
        cache_read=found.get("cached_tokens"),
        output=found.get("completion_tokens"),
    )


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """A step. A message with results can only be one that stands behind calls, and is not made."""
    if any(isinstance(block, ToolResult) for block in entry.blocks):
        return None
    sources = {"system": "system", "user": "user", "assistant": "agent"}
    texts = [block.text for block in entry.blocks if isinstance(block, Text)]
    last = max(
        (s["step_id"] for s in like if isinstance(s, dict) and isinstance(s.get("step_id"), int)), default=0
    )
    step: dict[str, Any] = {"step_id": last + 1, "source": sources[entry.role], "message": "\n".join(texts)}
    calls = [
        {"tool_call_id": block.id, "function_name": block.name, "arguments": block.input}
        for block in entry.blocks
        if isinstance(block, ToolUse)
    ]
    return [{**step, "tool_calls": calls} if calls else step]


FORM: Final = Form("An ATIF trajectory", again(load), _make)


def _find(value: Json) -> tuple[Path, str | None] | None:
    return (("steps",), word(value, "session_id")) if _is_one(value) else None


class Atif(DocumentFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "ATIF trajectory"
    written_by = "Harbor and the agents it runs"
    evidence: Literal["files", "documentation"] = "files"
    form = FORM
    find = staticmethod(_find)
    load = staticmethod(load)

    @property
    def write(self) -> Callable[[Session], Dumped]:
        """Makes a file of this format of any session."""
        return atif_write.write

    def sniff(self, sample: Sample) -> Guess | None:
        """A ``schema_version`` that begins with ATIF, and steps."""
        if any(_is_one(record) for record in sample.records[:20]):
            return Guess(3, "a schema_version of ATIF")
        return None
