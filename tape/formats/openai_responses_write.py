"""Any session as a request of the Responses API, and what that costs.

Reasoning goes along only where it is this API's own: another provider's would be refused. Order of items is
free, so that nothing has to change its place. Facts: formats.md 7.3 and rules.md A3 of the project's notes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tape.formats.base import Dumped
from tape.formats.carrying import NO_FORM, Carried, Target, Turn, carried, data_url
from tape.formats.openai_fields import arguments_of
from tape.formats.responses_items import TYPES
from tape.formats.settings import leave_out, settings_of
from tape.model import Block, Document, Image, Json, Session, Text, Thinking, ToolResult, ToolSpec, ToolUse

TARGET: Final = Target(own=("openai-responses", "codex-rollout"), served=True)
KEPT: Final = ("text", "truncation", "store", "include", "metadata", "service_tier", "previous_response_id")
CHOICES: Final = {"auto": "auto", "any": "required", "none": "none"}


def write(session: Session) -> Dumped:
    """A request body with input items; what the API has no place for is in the losses."""
    body, done = _body(session)
    return Dumped(json.dumps(body, ensure_ascii=False, indent=2).encode() + b"\n", done.losses.notes())


def _body(session: Session) -> tuple[dict[str, Any], Carried]:
    done = carried(session, TARGET)
    body: dict[str, Any] = {"model": session.model or "gpt-5.5"}
    if done.system:
        body["instructions"] = "\n\n".join(done.system)
    body["input"] = [item for turn in done.turns for item in _items(done, turn)]
    if session.tools is not None:
        body["tools"] = [_declared(tool) for tool in done.tools]
    return body | _params(done), done


def _params(done: Carried) -> dict[str, Any]:
    given = settings_of(done.session)
    params = {name: n for name, n in (given.sampling or {}).items() if name in ("temperature", "top_p")}
    if given.max_tokens is not None:
        params["max_output_tokens"] = given.max_tokens
    if given.effort is not None:
        params["reasoning"] = {"effort": given.effort}
    if done.tools and given.tool is not None:
        params["tool_choice"] = {"type": "function", "name": done.names.get(given.tool, given.tool)}
    elif done.tools and given.choice is not None:
        params["tool_choice"] = CHOICES[given.choice]
    if done.tools and given.parallel is not None:
        params["parallel_tool_calls"] = given.parallel
    kept = (*KEPT, "reasoning", "conversation") if done.native else ("metadata", "service_tier")
    params |= {key: done.session.params[key] for key in kept if key in given.rest}
    lost = {*given.rest} - params.keys() | {*(given.sampling or ())} - params.keys()
    leave_out(done.losses, *lost, *["stop"] * bool(given.stop), *["thinking"] * (given.thinking is not None))
    return params


def _declared(tool: ToolSpec) -> dict[str, Any]:
    raw = tool.raw
    if isinstance(raw, dict) and "type" in raw and not {"input_schema", "function"} & raw.keys():
        return {**raw, "name": tool.name} if "name" in raw else raw
    made: dict[str, Any] = {"type": "function", "name": tool.name}
    if tool.description:
        made["description"] = tool.description
    schema = tool.input_schema
    made["parameters"] = schema if isinstance(schema, dict) else {"type": "object", "properties": {}}
    return {**made, "strict": False}


def _items(done: Carried, turn: Turn) -> Iterator[dict[str, Any]]:
    """The items of a message in the order of its blocks; what was read from an item of this API is it."""
    said: list[dict[str, Any]] = []
    last: Json = None
    for block, where in turn.blocks:
        if done.native and isinstance(block.raw, dict) and block.raw.get("type") in TYPES:
            item = None if block.raw == last else block.raw
            last = block.raw
        elif isinstance(block, Text | Image | Document):
            said += _content(done, turn, block, where)
            continue
        else:
            item = _item(done, block, where)
        if item is not None:
            if said:
                yield _message(turn, said)
                said = []
            yield item
    if said:
        yield _message(turn, said)


def _message(turn: Turn, content: list[dict[str, Any]]) -> dict[str, Any]:
    written = turn.entry.meta.get("role")
    role = "developer" if turn.role == "system" and written == "developer" else turn.role
    return {"type": "message", "role": role, "content": content}


def _content(done: Carried, turn: Turn, block: Block, where: str) -> list[dict[str, Any]]:
    if isinstance(block, Text):
        kind = "output_text" if turn.role == "assistant" else "input_text"
        return [{"type": kind, "text": block.text}]
    if turn.role == "assistant":
        done.losses.lose("An image or document of an assistant message was left out.", where)
        return []
    return [_part(done, block, where)]


def _part(done: Carried, block: Block, where: str) -> dict[str, Any]:
    match block:
        case Image(source="base64"):
            return {"type": "input_image", "image_url": data_url(block, "image/png")}
        case Image(source="file"):
            return {"type": "input_image", "file_id": block.ref or ""}
        case Image():
            return {"type": "input_image", "image_url": block.ref or ""}
        case Document(text=str() as text):
            done.losses.lose("A document of text became plain text.", where)
            return {"type": "input_text", "text": text}
        case Document(data=str()):
            url = data_url(block, "application/pdf")
            return {"type": "input_file", "filename": block.title or "document.pdf", "file_data": url}
        case Document():
            key = "file_url" if "://" in (block.ref or "") else "file_id"
            return {"type": "input_file", key: block.ref or ""}
    return {"type": "input_text", "text": block.text if isinstance(block, Text) else ""}


def _item(done: Carried, block: Block, where: str) -> dict[str, Any] | None:
    match block:
        case ToolUse():
            call = {"type": "function_call", "call_id": block.id, "name": block.name}
            return {**call, "arguments": arguments_of(block)}
        case ToolResult():
            return _output(done, block, where)
        case Thinking():
            done.losses.lose("Thinking was left out: another provider's is refused here.", where)
        case _:
            done.losses.lose(NO_FORM, where)
    return None


def _output(done: Carried, block: ToolResult, where: str) -> dict[str, Any]:
    output: Json = block.content if isinstance(block.content, str) else ""
    if isinstance(block.content, tuple):
        held = [b for b in block.content if isinstance(b, Text | Document | Image) and not _missing(b)]
        if len(held) < len(block.content):
            done.losses.lose(NO_FORM, where)
        output = [_part(done, b, where) for b in held]
    if block.is_error:
        done.losses.lose("An output cannot say that it is an error; the mark was left out.", where)
    return {"type": "function_call_output", "call_id": block.tool_use_id, "output": output}


def _missing(block: Block) -> bool:
    return isinstance(block, Image) and block.source == "missing"
