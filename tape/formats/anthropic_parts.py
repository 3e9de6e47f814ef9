"""Content in the Anthropic form inside the records of agents: blocks with the values that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tape.formats.parts import (
    ABSENT,
    Field,
    Part,
    below,
    call_part,
    dropped,
    result_part,
    text_part,
    thinking_part,
    word,
)
from tape.model import Block, Json, Place, ToolResult
from tape.wire import block_json, parse_block

NAME: Final = ("name",)
Injected = Callable[[str], bool]


def content_parts(content: Json, place: Place, injected: Injected = lambda text: False) -> Sequence[Part]:
    """The parts of a message's content, string or list; ``injected`` says which texts a program wrote."""
    if isinstance(content, str):
        return [text_part(content, place, injected=injected(content))]
    if content is None:
        return []
    if not isinstance(content, list):
        return [block_part(content, place, injected)]
    return [block_part(item, below(place, i), injected) for i, item in enumerate(content)]


def block_part(value: Json, place: Place, injected: Injected = lambda text: False) -> Part:
    """One content block."""
    kind = word(value, "type")
    if kind == "text" and isinstance(value.get("text"), str):
        text = value["text"]
        return text_part(text, below(place, "text"), home=place, raw=value, injected=injected(text))
    if kind == "thinking" and isinstance(value.get("thinking"), str):
        where, sign = below(place, "thinking"), word(value, "signature")
        return thinking_part(value["thinking"], where, home=place, raw=value, signature=sign)
    if kind == "tool_use":
        return call_part(value, place, name=NAME, input=("input",), id=("id",))
    if kind == "tool_result":
        key = "tool_use_id" if "tool_use_id" in value else "toolUseID"
        said = value.get("is_error")
        flag = Field((*place.path, "is_error"), _flag if "is_error" in value else _new_flag)
        return result_part(
            value,
            place,
            content=("content",),
            id=(key,),
            error=said if isinstance(said, bool) else None,
            flags=(flag,),
            tool=word(value, "name"),
            inner=inner,
        )
    block = parse_block(value, "", place)
    return Part(block, (Field(place.path, block_json),), dropped(place))


def _flag(block: ToolResult) -> Json:
    return block.is_error is True


def _new_flag(block: ToolResult) -> Json:
    return ABSENT if block.is_error is None else block.is_error


def inner(value: Json, place: Place) -> Block:
    """One item of a result; those of Cline's tools hold their words under ``result``."""
    if isinstance(value, dict) and "type" not in value and isinstance(value.get("result"), str):
        return text_part(value["result"], place, raw=value).block
    return parse_block(value, "", place)
