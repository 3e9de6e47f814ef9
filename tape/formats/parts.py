"""Content blocks with the values of a record that they stand for, so that an edit changes only those values.

A format says how a value of its file becomes parts, and for each part which paths hold its words, its input,
its id. The same function reads a message (blocks parsed when asked for) and tells a writer where to patch it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from tape.formats.arrays import Path, at
from tape.formats.openai_blocks import parsed_arguments, split_data_url
from tape.json_style import restyle
from tape.json_text import Edit, Remove
from tape.model import (
    Block,
    Blocks,
    Document,
    Image,
    Json,
    Other,
    Place,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    json_text,
)
from tape.records import Source

ABSENT: Final[Any] = object()
Getter: TypeAlias = "Callable[[Any], Json]"


@dataclass(frozen=True, slots=True)
class Field:
    """A value of the record that follows a block: ``value`` gives it, ``ABSENT`` where there is none."""

    path: Path
    value: Getter


@dataclass(frozen=True, slots=True)
class Part:
    """A block without uid, the values that follow it, and the edits that take it out while its record stays
    (none: it cannot go alone). ``tool`` is the name of the tool that a result without id answers; ``home``
    the path of a value that holds other parts too, and goes when all of them are gone."""

    block: Block
    fields: tuple[Field, ...] = ()
    gone: tuple[Edit, ...] = ()
    tool: str | None = None
    home: Path | None = None


Parser: TypeAlias = "Callable[[Json, Place], Sequence[Part]]"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A value of the source that holds parts of a message, and how it is read."""

    place: Place
    parse: Parser


@dataclass(frozen=True, slots=True)
class Body:
    """Parses the blocks of a message each time it is called. ``ids`` are those made for blocks without one,
    by number of the block."""

    source: Source
    uid: str
    chunks: tuple[Chunk, ...]
    ids: Mapping[int, str] = field(default_factory=dict)

    def __call__(self) -> Blocks:
        return tuple(part.block for _, part in self.parts())

    def parts(self) -> Iterator[tuple[Chunk, Part]]:
        """The parts with the chunk that each stands in, their blocks with uids."""
        number = 0
        for chunk in self.chunks:
            document = self.source.held(chunk.place.record)
            for part in chunk.parse(at(document, chunk.place.path), chunk.place):
                block = identified(named(part.block, f"{self.uid}.{number}"), self.ids.get(number))
                yield chunk, replace(part, block=block)
                number += 1


def named(block: Block, uid: str) -> Block:
    """The block under this uid, its inner blocks under ``<uid>.<n>``."""
    if isinstance(block, ToolResult) and isinstance(block.content, tuple):
        inner = tuple(replace(one, uid=f"{uid}.{i}") for i, one in enumerate(block.content))
        return replace(block, uid=uid, content=inner)
    return replace(block, uid=uid)


def identified(block: Block, id: str | None) -> Block:
    """The block with an id of ours where one was made for it."""
    if id is None:
        return block
    if isinstance(block, ToolUse):
        return replace(block, id=id)
    return replace(block, tool_use_id=id) if isinstance(block, ToolResult) else block


def words(value: Json) -> str:
    """The value where it is a string, else nothing."""
    return value if isinstance(value, str) else ""


def word(value: Json, key: str) -> str | None:
    """The string at a key of an object, ``None`` where there is none or it is empty."""
    found = value.get(key) if value.__class__ is dict or isinstance(value, Mapping) else None
    return found if isinstance(found, str) and found else None


def counts(value: Json) -> dict[str, int]:
    """The counts of an object: its members that are whole numbers from 0 on."""
    members = value.items() if isinstance(value, Mapping) else ()
    return {k: n for k, n in members if isinstance(n, int) and not isinstance(n, bool) and n >= 0}


def below(place: Place, *steps: str | int) -> Place:
    """The place of a value inside the one at ``place``."""
    return Place(place.record, (*place.path, *steps))


def dropped(place: Place) -> tuple[Edit, ...]:
    """The edit that takes the value at ``place`` out of its record."""
    return (Remove(place.path),) if place.path else ()


def text_part(
    text: str, place: Place, *, home: Place | None = None, raw: Json = None, injected: bool = False
) -> Part:
    """Words that stand at ``place``; ``home`` is the element that goes when they go."""
    block = Text(text=text, place=place, raw=raw, injected=injected)
    return Part(block, (Field(place.path, text_of),), dropped(home or place))


def thinking_part(
    text: str, place: Place, *, home: Place | None = None, raw: Json = None, signature: str | None = None
) -> Part:
    """Thinking that stands at ``place``; ``signature`` is opaque and is not written."""
    block = Thinking(text=text, place=place, raw=raw, signature=signature)
    return Part(block, (Field(place.path, text_of),), dropped(home or place))


def other_part(value: Json, kind: str, place: Place) -> Part:
    """A value that is kept and shown as JSON."""
    return Part(
        Other(type=kind, value=value, raw=value, place=place), (Field(place.path, _value),), dropped(place)
    )


def call_part(
    value: Mapping[str, Json],
    place: Place,
    *,
    name: Path,
    input: Path,
    id: Path | None = None,
    wrap: str | None = None,
    server: bool = False,
    gone: tuple[Edit, ...] | None = None,
) -> Part:
    """A call whose name, input and id stand at these paths below ``place``. A string as input is JSON with
    the arguments, or with ``wrap`` the one argument of that name. Without id one is made."""
    given = at(value, input)
    arguments = given if isinstance(given, str) and wrap is None else None
    parsed = {wrap: given} if wrap else {} if given is None else given
    if arguments is not None:
        parsed = parsed_arguments(arguments)
    quoted = at(value, id)
    own = isinstance(quoted, str) and bool(quoted)
    block = ToolUse(
        id=quoted if own else "",
        name=words(at(value, name)),
        input=parsed,
        arguments=arguments,
        generated_id=not own,
        server=server,
        type="server_tool_use" if server else "tool_use",
        place=place,
        raw=value,
    )

    def shown(new: ToolUse) -> Json:
        if wrap:
            return new.input.get(wrap, ABSENT) if isinstance(new.input, dict) else new.input
        return new.input if given is not None or new.input else ABSENT

    fields = [Field((*place.path, *name), lambda new: new.name)]
    fields.append(Field((*place.path, *input), shown if arguments is None else _arguments(arguments)))
    if own and id is not None:
        fields.append(Field((*place.path, *id), lambda new: new.id))
    return Part(block, tuple(fields), dropped(place) if gone is None else gone)


def _arguments(before: str) -> Getter:
    def value(new: ToolUse) -> Json:
        if new.arguments is not None and new.input == parsed_arguments(new.arguments):
            return new.arguments
        if new.input == parsed_arguments(before):
            return before
        if not isinstance(new.input, (dict, list)):
            return json_text(new.input)
        try:
            return restyle(before, new.input)
        except ValueError:
            return json_text(new.input)

    return value


def result_part(
    value: Json,
    place: Place,
    *,
    content: Path,
    id: Path | None = None,
    error: bool | None = None,
    flags: tuple[Field, ...] = (),
    tool: str | None = None,
    inner: Callable[[Json, Place], Block] | None = None,
    gone: tuple[Edit, ...] | None = None,
) -> Part:
    """A result whose content and id stand at these paths below ``place``: a string, or a list of which
    ``inner`` reads the items. Anything else is shown as JSON. ``error`` is what ``flags`` write."""
    held, quoted = at(value, content), at(value, id)
    own = isinstance(quoted, str) and bool(quoted)
    here = (*place.path, *content)
    shown: str | Blocks | None
    if isinstance(held, str) or held is None:
        shown = held
    elif isinstance(held, list) and inner is not None:
        shown = tuple(inner(item, Place(place.record, (*here, i))) for i, item in enumerate(held))
    else:
        shown = json_text(held)
    block = ToolResult(
        tool_use_id=quoted if own else "",
        content=shown,
        is_error=error,
        generated_id=not own,
        place=place,
        raw=value,
    )
    fields = [Field(here, _content(held, shown)), *flags]
    if own and id is not None:
        fields.append(Field((*place.path, *id), lambda new: new.tool_use_id))
    return Part(block, tuple(fields), dropped(place) if gone is None else gone, tool)


def _content(held: Json, before: str | Blocks | None) -> Getter:
    """The content as the file has it: a list keeps the items that an edit did not touch."""

    def value(new: ToolResult) -> Json:
        if new.content == before:
            return ABSENT if held is None else held
        if not isinstance(before, tuple) or not isinstance(held, list):
            return new.text if isinstance(new.content, tuple) else new.content
        old = {one.place: (one, item) for one, item in zip(before, held, strict=True)}
        blocks = new.content if isinstance(new.content, tuple) else (Text(text=new.content or ""),)
        return [_item(one, old, held) for one in blocks]

    return value


def _item(one: Block, old: Mapping[Place | None, tuple[Block, Json]], held: list[Json]) -> Json:
    known = old.get(one.place) if one.place else None
    if known is not None and known[0] == one:
        return known[1]
    if not isinstance(one, Text):
        return one.raw if one.raw is not None else json_text({"type": "unknown"})
    like = known[1] if known else next((i for i in held if isinstance(i, dict) and "text" in i), None)
    if known and not isinstance(like, dict):
        return one.text
    before = known[0].text if known and isinstance(known[0], Text) else None
    like = like if isinstance(like, dict) else {"type": "text"}
    key = next((k for k, v in like.items() if v == before and before is not None), "text")
    return {**like, key: one.text}


def picture(url: Json, place: Place, raw: Json, media: str | None = None) -> Block:
    """An image from an address, a ``data:`` one included, or from base64 where ``media`` says what it is."""
    kind, data = split_data_url(url)
    if data is not None:
        return Image(source="base64", media_type=kind, data=data, place=place, raw=raw)
    if isinstance(url, str) and url and media is not None:
        return Image(source="base64", media_type=media, data=url, place=place, raw=raw)
    if isinstance(url, str) and url:
        return Image(source="url", ref=url, place=place, raw=raw)
    return Image(source="missing", media_type=media, place=place, raw=raw)


def text_or_picture(item: Json, place: Place) -> Block:
    """One item of a result as MCP has it: text, or an image in base64 with its ``mimeType``."""
    if word(item, "type") == "text" and isinstance(item.get("text"), str):
        return Text(text=item["text"], place=place, raw=item)
    if word(item, "type") == "image":
        return picture(item.get("data"), place, item, word(item, "mimeType") or "image/png")
    return other_part(item, word(item, "type") or "content", place).block


def file_part(title: str | None, url: Json, media: str | None, place: Place, raw: Json) -> Part:
    """An image or a document from its address and media type."""
    block: Block
    if (media or "").startswith("image/"):
        block = picture(url, place, raw)
    else:
        kind, data = split_data_url(url)
        ref = url if isinstance(url, str) and data is None else None
        block = Document(media_type=kind or media, title=title, data=data, ref=ref, place=place, raw=raw)
    return Part(block, (), dropped(place))


def text_of(block: Text | Thinking) -> Json:
    """The words of a block, as the value of a ``Field``."""
    return block.text


def _value(block: Other) -> Json:
    return block.value
