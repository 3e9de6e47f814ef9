"""Messages of LangChain in each of their forms: which one it is, and its blocks.

A call stands in ``tool_calls`` and often again in ``content``, in ``additional_kwargs`` and in chunks: it is
shown once, and an edit of it is written to all. Facts: formats.md 9.1 of the project's notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tape.formats.arrays import Path, at
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    file_part,
    other_part,
    picture,
    result_part,
    text_part,
    thinking_part,
    word,
)
from tape.model import Block, Json, Place, Text

TYPES: Final = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
    "chat": "chat",
    "remove": "remove",
}
ROLES: Final = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
FUNCTION: Final = (("function", "name"), ("function", "arguments"), ("id",))
IN_CONTENT: Final[dict[str, tuple[Path, Path, Path]]] = {
    "tool_use": (("name",), ("input",), ("id",)),
    "tool_call": (("name",), ("args",), ("id",)),
    "function_call": (("name",), ("arguments",), ("call_id",)),
}


@dataclass(frozen=True, slots=True)
class Said:
    """A message: what it is (``user``, ``assistant``, ``system``, ``tool``, ``remove``, or ``None`` for a
    role that is not known), where its fields stand in it, and the fields."""

    kind: str | None
    path: Path
    body: dict[str, Any]
    chunk: bool = False


def said_of(value: Json, *, roles: bool = True) -> Said | None:
    """The message that a value is; ``None`` for anything else. With ``roles`` those of OpenAI's form too."""
    if not isinstance(value, dict):
        return None
    name, path = value.get("type"), Path()
    if name == "constructor" and "lc" in value:
        id = value.get("id")
        name, path = (id[-1] if isinstance(id, list) and id else None), ("kwargs",)
    elif isinstance(value.get("data"), dict):
        path = ("data",)
    body = at(value, path)
    if not isinstance(body, dict):
        return None
    if isinstance(name, str):
        short = name.removesuffix("Chunk").removesuffix("Message").lower()
        if short in TYPES and ("content" in body or short == "remove"):
            kind: str | None = TYPES[short]
            if kind == "chat":
                kind = ROLES.get(str(body.get("role")).lower())
            return Said(kind, path, body, name.endswith("Chunk"))
    if roles and isinstance(value.get("role"), str) and ("content" in value or "tool_calls" in value):
        return Said(ROLES.get(value["role"]), (), value)
    return None


def is_marked(value: Json) -> bool:
    """Whether a value is a message in a form that only LangChain has."""
    said = said_of(value, roles=False)
    if said is None:
        return False
    return said.path != () or value["type"] in ("human", "ai") or said.chunk


def message_parts(message: Json, place: Place) -> Sequence[Part]:
    """The blocks of a message: thoughts and words, then calls; or a result."""
    said = said_of(message)
    if said is None:
        return [other_part(message, "message", place)]
    here = below(place, *said.path)
    if said.kind == "tool":
        return [_result(said.body, here, ("tool_call_id",))]
    found: list[Part] = []
    thought = at(said.body, ("additional_kwargs", "reasoning_content"))
    if isinstance(thought, str) and thought:
        found.append(thinking_part(thought, below(here, "additional_kwargs", "reasoning_content")))
    return [*found, *_content(said.body.get("content"), below(here, "content")), *_calls(said.body, here)]


def _result(body: dict[str, Any], place: Place, id: Path) -> Part:
    status, flag = body.get("status"), body.get("is_error")
    flags: tuple[Field, ...] = ()
    failed: bool | None = None
    if isinstance(status, str):
        failed = status == "error"
        flags = (Field((*place.path, "status"), lambda new: "error" if new.is_error else "success"),)
    elif isinstance(flag, bool):
        failed = flag
        flags = (Field((*place.path, "is_error"), lambda new: new.is_error is True),)
    tool = word(body, "name")
    return result_part(
        body, place, content=("content",), id=id, error=failed, flags=flags, tool=tool, inner=_inner
    )


def _inner(value: Json, place: Place) -> Block:
    if isinstance(value, str):
        return Text(text=value, place=place, raw=value)
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return Text(text=value["text"], place=place, raw=value)
    return _item(value, place).block


def _content(content: Json, place: Place) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield text_part(content, place)
    elif isinstance(content, list):
        for i, item in enumerate(content):
            if word(item, "type") not in (*IN_CONTENT, "input_json_delta"):
                yield _item(item, below(place, i))
    elif content is not None:
        yield other_part(content, "content", place)


def _item(item: Json, place: Place) -> Part:
    if isinstance(item, str):
        return text_part(item, place)
    kind = word(item, "type") or "content"
    if not isinstance(item, dict):
        return other_part(item, kind, place)
    if kind in ("text", "thinking", "reasoning") and isinstance(item.get(kind), str):
        if kind == "text":
            return text_part(item["text"], below(place, "text"), home=place, raw=item)
        sign = word(item, "signature")
        return thinking_part(item[kind], below(place, kind), home=place, raw=item, signature=sign)
    if kind == "tool_result":
        return _result(item, place, ("tool_use_id",))
    if kind in ("image", "image_url", "file"):
        return _picture(item, kind, place)
    return other_part(item, kind, place)


def _picture(item: dict[str, Any], kind: str, place: Place) -> Part:
    held = item.get("image_url", item.get("source", item))
    if isinstance(held, str):
        held = {"url": held}
    media = word(held, "mime_type") or word(held, "media_type")
    if kind == "file":
        data, url = word(held, "base64") or word(held, "data"), word(held, "url")
        kept = media or "application/octet-stream"
        return file_part(
            word(item, "filename"), f"data:{kept};base64,{data}" if data else url, media, place, item
        )
    data = word(held, "base64") or word(held, "data")
    block = picture(data or word(held, "url"), place, item, (media or "image/png") if data else None)
    return replace(text_part("", place), block=block, fields=())


def _calls(body: dict[str, Any], place: Place) -> list[Part]:
    """The calls of a reply. One that stands at several places is written to each."""
    if not any(body.get(key) for key in CALLING) and not isinstance(body.get("content"), list):
        return []
    shown: list[Part] = []
    known: dict[str, int] = {}
    for spots, only_again in _listed(body, place):
        fresh: dict[str, int] = {}
        for value, where, (name, input, id) in spots:
            part = call_part(value, where, name=name, input=input, id=id)
            own = at(value, id)
            if isinstance(own, str) and own in known:
                first = shown[known[own]]
                fields, gone = (*first.fields, *part.fields), (*first.gone, *part.gone)
                shown[known[own]] = replace(first, fields=fields, gone=gone)
            elif not only_again and (not known or (isinstance(own, str) and own)):
                fresh.setdefault(own if isinstance(own, str) else "", len(shown))
                shown.append(part)
        known |= fresh
    return shown


CALLING: Final = ("tool_calls", "additional_kwargs", "invalid_tool_calls", "tool_call_chunks")
CALLS: Final[tuple[Path, ...]] = (
    ("tool_calls",),
    ("content",),
    ("additional_kwargs", "tool_calls"),
    ("invalid_tool_calls",),
    ("tool_call_chunks",),
)


def _listed(body: dict[str, Any], place: Place) -> Iterator[tuple[list[tuple[Any, Place, Any]], bool]]:
    """The lists that calls stand in, and whether one holds only what stands elsewhere too."""
    plain = (("name",), ("args",), ("id",))
    for path in CALLS:
        several = at(body, path)
        spots = []
        for i, one in enumerate(several if isinstance(several, list) else ()):
            if not isinstance(one, dict):
                continue
            keys: Any = FUNCTION if isinstance(one.get("function"), dict) else plain
            if path == ("content",):
                keys = IN_CONTENT.get(str(one.get("type")))
            if keys is not None:
                spots.append((one, below(place, *path, i), keys))
        yield spots, path == ("tool_call_chunks",)
    old = at(body, ("additional_kwargs", "function_call"))
    if isinstance(old, dict):
        where = below(place, "additional_kwargs", "function_call")
        yield [(old, where, (("name",), ("arguments",), ("id",)))], False
