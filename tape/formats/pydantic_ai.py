"""Message histories of Pydantic AI: a list of requests and responses, each with parts.

A request may hold results and a prompt: the results are a message of their own before it. Arguments are a
JSON string or an object. Facts: formats.md 9.4 of the project's notes, read in the library's source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

from tape.formats.arrays import Path, at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import DocumentFormat, again
from tape.formats.parts import (
    Part,
    below,
    call_part,
    file_part,
    other_part,
    result_part,
    text_part,
    thinking_part,
    word,
)
from tape.formats.parts_dump import Form
from tape.model import Json, Place, Session, ToolResult, Usage
from tape.records import Source
from tape.usage_forms import inclusive

NAME: Final = "pydantic-ai"
RESULTS: Final = ("tool-return", "retry-prompt")
LISTS: Final = ("messages", "message_history", "all_messages", "new_messages")


class PydanticAI(DocumentFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Pydantic AI messages"
    written_by = "applications that keep all_messages_json() of Pydantic AI"
    evidence: Literal["files", "documentation"] = "documentation"
    form: ClassVar[Form]

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by messages with ``kind`` and parts with ``part_kind``."""
        if any(self.find(record) is not None for record in sample.records[:50]):
            return Guess(3, "requests and responses with parts that have a part_kind")
        return None

    @staticmethod
    def find(value: Json) -> tuple[Path, str | None] | None:
        """A list of messages, or an object that holds one."""
        if _are_messages(value):
            return (), None
        for key in LISTS:
            if isinstance(value, dict) and _are_messages(value.get(key)):
                return (key,), None
        return None

    @staticmethod
    def load(source: Source, array: Place) -> Session:
        """The session of the messages at a place. Never raises on data."""
        return load(source, array)


def _are_messages(value: Json) -> bool:
    return isinstance(value, list) and any(
        isinstance(m, dict)
        and m.get("kind") in ("request", "response")
        and isinstance(m.get("parts"), list)
        and all(isinstance(p, dict) and "part_kind" in p for p in m["parts"])
        for m in value[:400]
    )


def load(source: Source, array: Place) -> Session:
    """The session of the messages at a place. Never raises on data."""
    g = Gathering(source, NAME, array=array)
    messages = at(source.held(array.record), array.path)
    system: str | None = None
    for i, message in enumerate(messages if isinstance(messages, list) else ()):
        place = below(array, i)
        parts = message.get("parts") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(parts, list):
            g.aside(place, "no message", known=False)
        elif message.get("kind") == "response":
            _response(g, place, message, parts)
        else:
            _request(g, place, message, parts)
            if system is None and word(message, "instructions"):
                system = message["instructions"]
                g.extra["system_place"] = below(place, "instructions")
    return g.session(system=system)


def _request(g: Gathering, place: Place, message: dict[str, Json], parts: list[Json]) -> None:
    """Results first, then what is said; a system prompt stands where it is written."""
    facts: dict[str, Any] = {"timestamp": word(message, "timestamp")}
    places = [(below(place, "parts", j), part) for j, part in enumerate(parts)]
    for where, part in places:
        if _is_result(part):
            g.answer(where, result_parts, **facts)
    for where, part in places:
        kind = word(part, "part_kind") or "part"
        if _is_result(part):
            continue
        if kind == "tool-availability-delta":
            g.aside(where, kind)
        elif kind in ("system-prompt", "instruction"):
            g.say("system", where, said_parts, key=f"{place.path} system", **facts)
        else:
            g.say("user", where, said_parts, key=str(place.path), **facts)


def _is_result(part: Json) -> bool:
    kind = word(part, "part_kind")
    return kind == "tool-return" or (kind == "retry-prompt" and word(part, "tool_name") is not None)


def _response(g: Gathering, place: Place, message: dict[str, Json], parts: list[Json]) -> None:
    facts: dict[str, Any] = {
        "timestamp": word(message, "timestamp"),
        "model": word(message, "model_name"),
        "response_id": word(message, "provider_response_id") or word(message, "vendor_id"),
        "stop_reason": word(message, "finish_reason"),
    }
    for j, _ in enumerate(parts):
        g.say("assistant", below(place, "parts", j), response_parts, joins=j > 0, **facts)
    if parts:
        g.spend(usage_of(message.get("usage")), facts["timestamp"])


def said_parts(part: Json, place: Place) -> Sequence[Part]:
    """A prompt: words, or a list of words, addresses and binary content."""
    content, here = part.get("content") if isinstance(part, dict) else None, below(place, "content")
    if isinstance(content, str):
        return [text_part(content, here, home=place, raw=part)]
    if not isinstance(content, list):
        return [other_part(part, word(part, "part_kind") or "part", place)]
    return [_item(one, below(here, i)) for i, one in enumerate(content)]


def _item(one: Json, place: Place) -> Part:
    if isinstance(one, str):
        return text_part(one, place)
    kind = word(one, "kind") or "item"
    if isinstance(one, dict) and kind == "binary":
        kept = word(one, "media_type") or "application/octet-stream"
        return file_part(word(one, "identifier"), f"data:{kept};base64,{one.get('data')}", kept, place, one)
    if isinstance(one, dict) and kind.endswith("-url"):
        media = word(one, "media_type") or ("image/*" if kind == "image-url" else None)
        return file_part(None, one.get("url"), media, place, one)
    return other_part(one, kind, place)


def result_parts(part: Json, place: Place) -> Sequence[Part]:
    """What a tool gave back, or why it should be called again."""
    failed = word(part, "part_kind") == "retry-prompt" or word(part, "outcome") in ("failed", "denied")
    return [
        result_part(
            part,
            place,
            content=("content",),
            id=("tool_call_id",),
            error=failed or None,
            tool=word(part, "tool_name"),
        )
    ]


def response_parts(part: Json, place: Place) -> Sequence[Part]:
    """A part of a response; a tool of the provider is called and answered there."""
    kind = word(part, "part_kind") or "part"
    content = part.get("content") if isinstance(part, dict) else None
    here = below(place, "content")
    if kind == "text" and isinstance(content, str):
        return [text_part(content, here, home=place, raw=part)]
    if kind == "thinking" and isinstance(content, str):
        return [thinking_part(content, here, home=place, raw=part, signature=word(part, "signature"))]
    if kind in ("tool-call", "builtin-tool-call"):
        server = kind == "builtin-tool-call"
        return [
            call_part(part, place, name=("tool_name",), input=("args",), id=("tool_call_id",), server=server)
        ]
    if kind == "builtin-tool-return":
        (made,) = result_parts(part, place)
        assert isinstance(made.block, ToolResult)
        return [replace(made, block=replace(made.block, server=True, type="server_tool_result"))]
    if kind == "file" and isinstance(content, dict):
        return [_item({"kind": "binary", **content}, here)]
    return [other_part(part, kind, place)]


def usage_of(value: Json) -> Usage | None:
    """The counts of a response (tokens): input includes what was read from and written to the cache. Older
    versions say ``request_tokens`` and ``response_tokens``."""
    if not isinstance(value, dict):
        return None
    counts = {k: n for k, n in value.items() if isinstance(n, int) and not isinstance(n, bool) and n >= 0}
    details = value.get("details")
    thinking = details.get("reasoning_tokens") if isinstance(details, dict) else None
    prompt = counts.get("input_tokens", counts.get("request_tokens"))
    output = counts.get("output_tokens", counts.get("response_tokens"))
    if not prompt and not output:
        return None
    return inclusive(
        prompt,
        cache_read=counts.get("cache_read_tokens"),
        cache_write=counts.get("cache_write_tokens"),
        output=output,
        thinking=thinking if isinstance(thinking, int) else None,
    )


PydanticAI.form = Form("A Pydantic AI history", again(load))
