"""Items of the Responses API as parts of messages: what Codex writes too, and what only the API has.

A call that the provider answered itself holds its output: it is shown as a result in the same message. Of the
two ids of an item ``call_id`` links call and output, never ``id``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tape.formats import codex_items
from tape.formats.codex_items import answer_parts, call_parts, message_parts, reasoning_parts
from tape.formats.gathering import Gathering
from tape.formats.parts import (
    Parser,
    Part,
    below,
    call_part,
    dropped,
    file_part,
    other_part,
    picture,
    result_part,
    word,
    words,
)
from tape.model import Json, Place, Role, ToolResult, ToolUse

INPUTS: Final = {
    "computer_call": "action",
    "shell_call": "action",
    "apply_patch_call": "operation",
}
"""Calls that the program answers, and the key that holds their input."""
OUTPUTS: Final = tuple(key + "_output" for key in (*INPUTS, "local_shell_call"))
SERVED: Final[Mapping[str, tuple[str, str]]] = {
    "mcp_call": ("arguments", "output"),
    "file_search_call": ("queries", "results"),
    "code_interpreter_call": ("code", "outputs"),
    "web_search_call": ("action", "results"),
    "tool_search_call": ("arguments", "results"),
}
"""Calls that the provider answers: the keys of their input and their output."""
MINE: Final = ("mcp_approval_request", "compaction", "program", "context_compaction")
THEIRS: Final = ("mcp_approval_response",)
CALLS: Final = (*codex_items.CALLS, *INPUTS)
ANSWERS: Final = (*codex_items.ANSWERS, *OUTPUTS, "function_call_result")
TYPES: Final = frozenset(
    (*CALLS, *ANSWERS, *SERVED, *MINE, *THEIRS, "reasoning", "item_reference", "mcp_list_tools")
) | {"image_generation_call"}
ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}


def is_item(value: Json) -> bool:
    """Whether this is an item that only this API has: a call, an output, reasoning, or typed content."""
    if not isinstance(value, dict):
        return False
    if "role" not in value and word(value, "type") in TYPES:
        return True
    content = value.get("content")
    return (
        isinstance(value.get("role"), str)
        and isinstance(content, list)
        and any(isinstance(p, dict) and p.get("type") in ("input_text", "output_text") for p in content)
    )


def gather(g: Gathering, place: Place, item: Json, **facts: Any) -> None:
    """Takes one item in; ``facts`` are what is known of the response that it is part of."""
    if not isinstance(item, dict):
        g.aside(place, "no object", known=False)
        return
    kind = word(item, "type")
    before = g.last.meta.get("response_id") if g.last else None
    joins = before is None or facts.get("response_id") in (None, before)
    if kind == "message" or (kind is None and "role" in item):
        written = word(item, "role") or ""
        role: Role = ROLES.get(written, "user")
        said: dict[str, Any] = {"role": written} if written != role else {}
        said |= {} if written in ROLES else {"unknown_role": written}
        known = facts if role == "assistant" else {}
        parts = said_parts(item, place)
        joins = joins and role == "assistant"
        g.say(role, place, partial(kept_whole, said_parts), joins=joins, parts=parts, **known, **said)
    elif kind in ANSWERS:
        g.answer(place, partial(kept_whole, output_parts), parts=output_parts(item, place))
    elif kind in THEIRS:
        g.say("user", place, partial(kept_whole, whole_parts))
    elif kind == "item_reference":
        g.aside(place, kind, words(item.get("id")))
        g.remark(place, "item-reference", "An item is only named here; what it says is not in this file.")
    elif kind == "mcp_list_tools":
        g.aside(place, kind, words(item.get("server_label")))
    elif kind in TYPES:
        parser = _parser(str(kind))
        parts = parser(item, place)
        g.say("assistant", place, partial(kept_whole, parser), joins=joins, parts=parts, **facts)
    else:
        g.aside(place, kind or "untyped", known=False)


def kept_whole(parse: Parser, item: Json, place: Place) -> Sequence[Part]:
    """The parts of an item that is an element of the list: none of them takes the item out alone."""
    own = dropped(place)
    return [
        Part(part.block, part.fields, (), part.tool, part.home) if part.gone == own else part
        for part in parse(item, place)
    ]


def _parser(kind: str) -> Parser:
    if kind == "reasoning":
        return reasoning_parts
    if kind in codex_items.CALLS:
        return called_parts
    if kind in INPUTS:
        return program_parts
    if kind in SERVED:
        return served_parts
    return image_parts if kind == "image_generation_call" else whole_parts


def said_parts(item: Json, place: Place) -> Sequence[Part]:
    """The content of a message; a string, or parts of which files are documents."""
    parts = list(message_parts(item, place))
    content = item.get("content")
    for i, part in enumerate(content if isinstance(content, list) else ()):
        if isinstance(part, dict) and part.get("type") == "input_file":
            url = part.get("file_data") or part.get("file_url") or part.get("file_id")
            parts[i] = file_part(word(part, "filename"), url, None, below(place, "content", i), part)
    return parts


def called_parts(item: Json, place: Place) -> Sequence[Part]:
    """A call of a function or custom tool; the JavaScript SDK writes ``callId``."""
    if "callId" in item:
        return [call_part(item, place, name=("name",), input=("arguments",), id=("callId",))]
    return call_parts(item, place)


def program_parts(item: Json, place: Place) -> Sequence[Part]:
    """A call of a tool that the API knows: its type is its name."""
    key = INPUTS[str(item.get("type"))]
    return [call_part(item, place, name=("type",), input=(key,), id=("call_id",))]


def output_parts(item: Json, place: Place) -> Sequence[Part]:
    """The output of a call: text, a list of parts, a screenshot, or JSON."""
    output = item.get("output")
    if isinstance(output, dict) and isinstance(output.get("image_url"), str):
        shot = picture(output["image_url"], below(place, "output"), output)
        part = result_part(item, place, content=("nothing",), id=("call_id",))
        return [replace(part, block=_with_content(part, (shot,)), fields=part.fields[1:])]
    if "callId" in item:
        path = ("output", "text") if isinstance(output, dict) and "text" in output else ("output",)
        return [result_part(item, place, content=path, id=("callId",), inner=codex_items.inner)]
    return answer_parts(item, place)


def _with_content(part: Part, content: Any) -> ToolResult:
    assert isinstance(part.block, ToolResult)
    return replace(part.block, content=content)


def served_parts(item: Json, place: Place) -> Sequence[Part]:
    """A call that the provider answered, and its output where the item holds one."""
    kind = str(item.get("type"))
    given, answered = SERVED[kind]
    name = ("name",) if isinstance(item.get("name"), str) else ("type",)
    wrap = "code" if kind == "code_interpreter_call" else None
    call = call_part(item, place, name=name, input=(given,), id=("id",), wrap=wrap, server=True)
    if kind == "mcp_call" and isinstance(call.block, ToolUse):
        call = replace(call, block=replace(call.block, type="mcp_tool_use"))
    error = item.get("error")
    if item.get(answered) is None and error is None:
        return [call]
    path = (answered,) if item.get(answered) is not None else ("error",)
    gone = dropped(below(place, *path))
    said = result_part(item, place, content=path, id=("id",), error=error is not None or None, gone=gone)
    assert isinstance(said.block, ToolResult)
    family = "mcp_tool_result" if kind == "mcp_call" else f"{kind.removesuffix('_call')}_tool_result"
    return [call, replace(said, block=replace(said.block, server=True, type=family))]


def image_parts(item: Json, place: Place) -> Sequence[Part]:
    """A picture that the provider made."""
    return [Part(picture(item.get("result"), below(place, "result"), item, "image/png"))]


def whole_parts(item: Json, place: Place) -> Sequence[Part]:
    """An item that is kept and shown as JSON."""
    return [other_part(item, word(item, "type") or "item", place)]
