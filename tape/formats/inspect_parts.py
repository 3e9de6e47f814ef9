"""Messages of Inspect logs as parts: words that are kept elsewhere in the log, calls, results, reasoning.

``attachment://…`` anywhere in a text stands for a text of the sample's attachments: shown resolved, and
written back as it was while nobody changes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tape.formats.parts import Field, Part, below, call_part, dropped, other_part, picture, result_part, word
from tape.model import Block, Document, Json, Place, Text, Thinking, ToolResult, json_text

_ATTACHED: Final = re.compile(r"attachment://([0-9a-zA-Z]+)")


class Attached:
    """The texts of a sample's attachments by their name, put in the place of what names them."""

    def __init__(self, texts: Mapping[str, Json]) -> None:
        self._texts = texts

    def text(self, value: str) -> str:
        """The text with every attachment that is known put in."""
        return _ATTACHED.sub(self._one, value) if "attachment://" in value else value

    def _one(self, found: re.Match[str]) -> str:
        held = self._texts.get(found[1])
        return held if isinstance(held, str) else found[0]

    def value(self, value: Json) -> Json:
        """A JSON value with its texts resolved."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(one) for one in value]
        return {k: self.value(v) for k, v in value.items()} if isinstance(value, dict) else value


def said_parts(attached: Attached, message: Json, place: Place) -> Sequence[Part]:
    """What a system, user or assistant message says and calls."""
    content, here = message.get("content"), below(place, "content")
    found: list[Part] = []
    if isinstance(content, str):
        if content:
            found.append(_words(attached, content, here, here))
    else:
        for i, one in enumerate(content if isinstance(content, list) else ()):
            found += _content(attached, one, below(here, i))
    calls = message.get("tool_calls")
    for i, call in enumerate(calls if isinstance(calls, list) else ()):
        found.append(_call(attached, call, below(place, "tool_calls", i)))
    return found


def _words(attached: Attached, text: str, place: Place, home: Place, raw: Json = None) -> Part:
    shown = attached.text(text)
    block = Text(text=shown, place=place, raw=raw)
    return Part(
        block, (Field(place.path, lambda new: text if new.text == shown else new.text),), dropped(home)
    )


def _content(attached: Attached, value: Json, place: Place) -> Iterator[Part]:
    kind = word(value, "type") or "content"
    if isinstance(value, dict) and isinstance(value.get("text"), str) and kind == "text":
        yield _words(attached, value["text"], below(place, "text"), place, value)
    elif isinstance(value, dict) and kind == "reasoning":
        yield _reasoning(attached, value, place)
    elif isinstance(value, dict) and kind == "tool_use":
        call = call_part(value, place, name=("name",), input=("arguments",), id=("id",), server=True)
        yield call
        error = value.get("error")
        if value.get("result") is not None or error:
            key = "error" if error else "result"
            where = dropped(below(place, key))
            yield _server(
                result_part(value, place, content=(key,), id=("id",), error=bool(error), gone=where)
            )
    else:
        yield Part(inner(attached, value, place), (), dropped(place))


def _server(part: Part) -> Part:
    assert isinstance(part.block, ToolResult)
    return replace(part, block=replace(part.block, server=True, type="server_tool_result"))


def _reasoning(attached: Attached, value: dict[str, Json], place: Place) -> Part:
    key = "summary" if value.get("redacted") and isinstance(value.get("summary"), str) else "reasoning"
    text = value.get(key)
    held = text if isinstance(text, str) else ""
    if value.get("redacted") is True and key == "reasoning":
        return Part(Thinking(data=held, place=place, raw=value), (), dropped(place))
    shown = attached.text(held)
    block = Thinking(text=shown, signature=word(value, "signature"), place=place, raw=value)
    path = (*place.path, key)
    return Part(block, (Field(path, lambda new: held if new.text == shown else new.text),), dropped(place))


def _call(attached: Attached, call: Json, place: Place) -> Part:
    if not isinstance(call, dict):
        return other_part(call, "tool_call", place)
    given = call.get("arguments")
    shown = attached.value(given)
    part = call_part(
        {**call, "arguments": shown}, place, name=("function",), input=("arguments",), id=("id",)
    )
    path = (*place.path, "arguments")
    fields = tuple(
        Field(path, lambda new: given if new.input == shown else new.input) if one.path == path else one
        for one in part.fields
    )
    return Part(part.block, fields, part.gone)


def result_parts(attached: Attached, message: Json, place: Place) -> Sequence[Part]:
    """The result of a call; what went wrong stands in ``error``, beside or instead of the content."""
    error = message.get("error")
    content = message.get("content")
    name = word(message, "function")
    failed = True if error else None
    if error and not content and isinstance(error, dict) and isinstance(error.get("message"), str):
        return [
            result_part(
                message,
                place,
                content=("error", "message"),
                id=("tool_call_id",),
                error=True,
                tool=name,
                gone=(),
            )
        ]
    shown = attached.value(content) if not isinstance(content, list) else content
    part = result_part(
        {**message, "content": shown},
        place,
        content=("content",),
        id=("tool_call_id",),
        error=failed,
        tool=name,
        inner=lambda value, where: inner(attached, value, where),
        gone=(),
    )
    if not isinstance(content, str):
        return [part]
    path = (*place.path, "content")
    field = Field(path, lambda new: content if new.content == shown else new.text)
    return [Part(part.block, (field, *part.fields[1:]), part.gone, part.tool)]


def inner(attached: Attached, value: Json, place: Place) -> Block:
    """One part of a content."""
    kind = word(value, "type") or "content"
    if isinstance(value, str):
        return Text(text=attached.text(value), place=place, raw=value)
    if isinstance(value, dict) and kind == "text" and isinstance(value.get("text"), str):
        return Text(text=attached.text(value["text"]), place=place, raw=value)
    if isinstance(value, dict) and kind == "image":
        return picture(attached.value(value.get("image")), place, value)
    if isinstance(value, dict) and kind == "document":
        url = attached.value(value.get("document"))
        title, media = word(value, "filename"), word(value, "mime_type")
        return Document(title=title, media_type=media, ref=_short(url), place=place, raw=value)
    return other_part(value, kind, place).block


def _short(value: Json) -> str:
    return value[:2000] if isinstance(value, str) else json_text(value)[:2000]
