"""The events of an Anthropic stream, put together to the responses they tell of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tape.errors import UserError
from tape.model import Json
from tape.records import Broken, Source, loads

EVENTS = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
)
GROWS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "compaction_delta": ("content", "content"),
}


@dataclass(slots=True)
class Response:
    """One response of a stream: the message as it would have come at once, the records that told it, those of
    each block, the calls whose input breaks off, and the error that ended it."""

    message: dict[str, Any] = field(default_factory=dict)
    records: list[int] = field(default_factory=list)
    by_block: list[list[int]] = field(default_factory=list)
    open: set[int] = field(default_factory=set)
    error: Json = None
    whole: bool = False


def events(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The events of a source with their record numbers; what is no object is left out."""
    for i in range(len(source)):
        try:
            value = source.json(i)
        except Broken:
            continue
        if isinstance(value, dict):
            name = source.event(i)
            yield i, value if "type" in value or not name else {"type": name, **value}


def responses(told: Iterable[tuple[int, dict[str, Any]]]) -> list[Response]:
    """The responses of the events, each up to where its stream was cut. Never raises on data."""
    found: list[Response] = []
    inputs: dict[int, list[str]] = {}
    indexes: dict[Any, int] = {}
    for record, event in told:
        kind = event.get("type")
        if kind == "message_start" or not found:
            if kind not in (*EVENTS, "error"):
                continue
            if found:
                _close(found[-1], inputs)
            found.append(Response())
            inputs, indexes = {}, {}
        now = found[-1]
        now.records.append(record)
        if kind == "message_start":
            start = event.get("message")
            now.message = {**start} if isinstance(start, dict) else {}
            now.message["content"] = []
        elif kind == "content_block_start":
            block = event.get("content_block")
            indexes[str(event.get("index"))] = len(now.by_block)
            now.message.setdefault("content", []).append({**block} if isinstance(block, dict) else {})
            now.open.add(len(now.by_block))
            now.by_block.append([record])
        elif kind == "content_block_delta":
            at = indexes.get(str(event.get("index")))
            if at is None:
                at = indexes[str(event.get("index"))] = len(now.by_block)
                now.message.setdefault("content", []).append(_begun(event.get("delta")))
                now.open.add(at)
                now.by_block.append([])
            now.by_block[at].append(record)
            _grow(now.message["content"][at], event.get("delta"), inputs.setdefault(at, []))
        elif kind == "content_block_stop":
            at = indexes.get(str(event.get("index")))
            if at is not None:
                now.by_block[at].append(record)
                now.open.discard(at)
        elif kind == "message_delta":
            _finish(now.message, event)
        elif kind == "message_stop":
            now.whole = True
        elif kind == "error":
            now.error = event.get("error") or event
    if found:
        _close(found[-1], inputs)
    return found


def _begun(delta: Json) -> dict[str, Any]:
    """A block whose start is missing, from its first delta."""
    kind = delta.get("type") if isinstance(delta, dict) else None
    if kind in ("thinking_delta", "signature_delta"):
        return {"type": "thinking", "thinking": ""}
    if kind == "input_json_delta":
        return {"type": "tool_use", "id": "", "name": "", "input": {}}
    return {"type": "text", "text": ""}


def _grow(block: dict[str, Any], delta: Json, pieces: list[str]) -> None:
    if not isinstance(delta, dict):
        return
    kind = delta.get("type")
    if kind == "input_json_delta":
        pieces.append(str(delta.get("partial_json") or ""))
    elif kind == "citations_delta":
        block["citations"] = [*(block.get("citations") or []), delta.get("citation")]
    elif kind in GROWS:
        target, key = GROWS[kind]
        before, more = block.get(target), delta.get(key)
        if isinstance(more, str):
            block[target] = f"{before}{more}" if isinstance(before, str) else more


def _finish(message: dict[str, Any], event: dict[str, Any]) -> None:
    delta, usage = event.get("delta"), event.get("usage")
    if isinstance(delta, dict):
        message.update(delta)
    if isinstance(usage, dict):
        before = message.get("usage")
        known = {key: value for key, value in usage.items() if value is not None}
        message["usage"] = {**before, **known} if isinstance(before, dict) else usage


def _close(response: Response, inputs: dict[int, list[str]]) -> None:
    """Puts the input of calls together; one that breaks off stays the string that it is."""
    for at, pieces in inputs.items():
        block, text = response.message["content"][at], "".join(pieces)
        if not pieces:
            continue
        try:
            block["input"] = loads(text) if text.strip() else {}
        except ValueError:
            block["input"] = text


def reply_of(text: str) -> dict[str, Any] | None:
    """The response that a stream kept as one text tells of, ``None`` where it tells of none."""
    try:
        source = Source(text.encode("utf-8", "replace"))
    except UserError:
        return None
    found = responses(events(source))
    return next((one.message for one in found if one.message.get("content") is not None), None)
