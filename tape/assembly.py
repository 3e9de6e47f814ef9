"""Puts the events of a stream together into the answer they build; keeps what came when one breaks off.

Works on plain event objects of the Messages API, from whatever server: what is missing or odd in an event
is passed over, and blocks are ordered by their index, however their events arrived.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tape import usage_forms
from tape.model import Json, Usage


@dataclass(frozen=True, slots=True)
class Opened:
    """The answer has begun. ``scripted`` is true when the endpoint says that a script gives it."""

    id: str | None
    model: str | None
    scripted: bool


@dataclass(frozen=True, slots=True)
class TextPiece:
    """More of the text of block ``index``."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPiece:
    """More of the thinking of block ``index``."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class InputPiece:
    """More of the JSON of a tool's input in block ``index``; ``name`` is the tool's."""

    index: int
    name: str
    text: str


KEYS = ("type", "id", "name", "input", "text", "thinking", "signature", "data", "tool_use_id", "content")
"""The order in which a block's keys are written, as the API's documentation has them; others follow."""
Piece: TypeAlias = "Opened | TextPiece | ThinkingPiece | InputPiece"


@dataclass(frozen=True, slots=True)
class Answer:
    """An assistant message as far as it came.

    ``content`` holds blocks in the wire's form. When it is not ``complete``, text stands as far as it had
    come, and blocks that are no use in part (a tool's input, unsigned thinking) are left out.
    """

    content: tuple[dict[str, Any], ...]
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None
    scripted: bool = False
    complete: bool = True


@dataclass(slots=True)
class Assembly:
    """Takes events one by one with ``feed``; ``answer`` is what they have built so far."""

    scripted: bool = False
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    ended: bool = False
    _usage: dict[str, Any] = field(default_factory=dict)
    _blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    _inputs: dict[int, str] = field(default_factory=dict)
    _closed: set[int] = field(default_factory=set)

    def feed(self, event: Mapping[str, Any]) -> Piece | None:
        """Take the next event in; gives what a watcher would want to see of it, if anything."""
        index = event.get("index")
        match event.get("type"):
            case "message_start":
                return self._start(_object(event.get("message")))
            case "content_block_start" if isinstance(index, int):
                self._blocks[index] = dict(_object(event.get("content_block")))
            case "content_block_delta" if isinstance(index, int):
                return self._grow(index, _object(event.get("delta")))
            case "content_block_stop" if isinstance(index, int):
                self._close(index)
            case "message_delta":
                self._usage |= {k: v for k, v in _object(event.get("usage")).items() if v is not None}
                self.stop_reason = _text(_object(event.get("delta")).get("stop_reason")) or self.stop_reason
            case "message_stop":
                self.ended = True
        return None

    def answer(self) -> Answer:
        """The answer as far as its events have come."""
        kept = (self._kept(index, block) for index, block in sorted(self._blocks.items()))
        return Answer(
            content=tuple(block for block in kept if block is not None),
            id=self.id,
            model=self.model,
            stop_reason=self.stop_reason,
            usage=usage_forms.anthropic(self._usage) if self._usage else None,
            scripted=self.scripted,
            complete=self.ended,
        )

    def _start(self, message: Mapping[str, Any]) -> Opened:
        self.id, self.model = _text(message.get("id")), _text(message.get("model"))
        self._usage |= _object(message.get("usage"))
        return Opened(self.id, self.model, self.scripted)

    def _grow(self, index: int, delta: Mapping[str, Any]) -> Piece | None:
        match delta.get("type"), delta:
            case "text_delta", {"text": str() as text}:
                self._append(index, "text", text)
                return TextPiece(index, text)
            case "thinking_delta", {"thinking": str() as text}:
                self._append(index, "thinking", text)
                return ThinkingPiece(index, text)
            case "signature_delta", {"signature": str() as text}:
                self._blocks.setdefault(index, {"type": "thinking", "thinking": ""})["signature"] = text
            case "input_json_delta", {"partial_json": str() as text}:
                self._inputs[index] = self._inputs.get(index, "") + text
                return InputPiece(index, _text(self._blocks.get(index, {}).get("name")) or "", text)
            case "citations_delta", {"citation": citation}:
                block = self._blocks.setdefault(index, {"type": "text", "text": ""})
                block["citations"] = [*(block.get("citations") or []), citation]
        return None

    def _append(self, index: int, field_name: str, text: str) -> None:
        block = self._blocks.setdefault(index, {"type": field_name, field_name: ""})
        block[field_name] = f"{block.get(field_name) or ''}{text}"

    def _close(self, index: int) -> None:
        text = self._inputs.get(index, "")
        if text.strip() and index in self._blocks:
            try:
                self._blocks[index]["input"] = json.loads(text)
            except (ValueError, RecursionError):
                # Half a JSON: the block stays unfinished and never reaches a tool or the session.
                return
        self._closed.add(index)

    def _kept(self, index: int, block: dict[str, Any]) -> dict[str, Any] | None:
        block = {key: block[key] for key in (*KEYS, *block) if key in block}
        if index in self._closed:
            return block
        is_text = block.get("type") == "text" and isinstance(block.get("text"), str)
        return block if is_text and block["text"].strip() else None


def _object(value: Json) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
