"""The chunks of a Chat Completions stream, put together to the responses they tell of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tape.formats.openai_blocks import REASONING
from tape.model import Json


@dataclass(slots=True)
class Response:
    """One response of a stream: the message as it would have come at once, its id, model, usage and why it
    stopped, the records that told it and, by field, those that told the field; the error that ended it."""

    message: dict[str, Any] = field(default_factory=lambda: {"role": "assistant"})
    head: dict[str, Any] = field(default_factory=dict)
    records: list[int] = field(default_factory=list)
    told_by: dict[tuple[str | int, ...], list[int]] = field(default_factory=dict)
    error: Json = None
    whole: bool = False


def is_chunk(value: Json) -> bool:
    """Whether this is a chunk of a stream."""
    if not isinstance(value, dict):
        return False
    choices = value.get("choices")
    if value.get("object") == "chat.completion.chunk":
        return True
    return (
        isinstance(choices, list) and bool(choices) and isinstance(choices[0], dict) and "delta" in choices[0]
    )


def responses(chunks: Iterable[tuple[int, Json]]) -> list[Response]:
    """The responses of the chunks, told apart by their id, the first choice of each. Never raises on data."""
    found: list[Response] = []
    by_id: dict[str, Response] = {}
    for record, chunk in chunks:
        if not isinstance(chunk, dict):
            continue
        error, choices = chunk.get("error"), chunk.get("choices")
        if not is_chunk(chunk) and error is None and "usage" not in chunk:
            continue
        id = chunk["id"] if isinstance(chunk.get("id"), str) else ""
        now = by_id.get(id) or (found[-1] if found and not choices else None)
        if now is None or (now.whole and choices and not id):
            now = by_id[id] = Response()
            found.append(now)
        now.records.append(record)
        now.head |= {k: chunk[k] for k in ("id", "model", "created", "usage") if chunk.get(k) is not None}
        if error is not None:
            now.error = error
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index", 0) == 0:
                _take(now, choice, record)
    return found


def _take(now: Response, choice: dict[str, Json], record: int) -> None:
    if isinstance(choice.get("finish_reason"), str):
        now.head["finish_reason"], now.whole = choice["finish_reason"], True
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return
    for key, value in delta.items():
        if key == "role":
            now.message["role"] = value if isinstance(value, str) else "assistant"
        elif key in ("content", "refusal", *REASONING) and isinstance(value, str):
            now.message[key] = f"{now.message.get(key) or ''}{value}"
            now.told_by.setdefault((key,), []).append(record)
        elif key == "content" and value is None:
            now.message.setdefault("content", None)
        elif key == "tool_calls" and isinstance(value, list):
            for piece in value:
                if isinstance(piece, dict):
                    _call(now, piece, record)
        elif key == "function_call" and isinstance(value, dict):
            _joined(now.message.setdefault("function_call", {}), value)
            now.told_by.setdefault((key,), []).append(record)
        elif key == "reasoning_details" and isinstance(value, list):
            now.message.setdefault(key, []).extend(value)


def _call(now: Response, piece: dict[str, Json], record: int) -> None:
    """A piece of a call: joined by index, but a new id under the same index is a new call, since some servers
    number every call 0."""
    calls: list[dict[str, Any]] = now.message.setdefault("tool_calls", [])
    index = piece.get("index")
    fits = [i for i, call in enumerate(calls) if call.get("index") == index]
    at = fits[-1] if fits else None
    id = piece.get("id")
    if at is not None and id and calls[at].get("id") and calls[at]["id"] != id:
        at = None
    if at is None:
        calls.append({k: v for k, v in piece.items() if k != "function"})
        at = len(calls) - 1
    else:
        calls[at] |= {k: v for k, v in piece.items() if k != "function" and v is not None and v != ""}
    function = piece.get("function")
    if isinstance(function, dict):
        _joined(calls[at].setdefault("function", {}), function)
    now.told_by.setdefault(("tool_calls", at), []).append(record)


def _joined(whole: dict[str, Json], piece: dict[str, Json]) -> None:
    for key, value in piece.items():
        if key == "arguments" and isinstance(value, str):
            whole[key] = f"{whole.get(key) or ''}{value}"
        elif value is not None and (key != "name" or value):
            whole[key] = value
