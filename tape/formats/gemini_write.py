"""Any session as a ``generateContent`` request of the Gemini API, and what that costs.

Neighbors of one role become one content, so that all answers of a round stand together. Calls that another
model made get the signature that Google's documentation names for such a history: without one Gemini 3
refuses the turn in progress. Facts: formats.md 7.4 and rules.md A4 of the project's notes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from tape.foreign import object_input
from tape.formats.base import Dumped
from tape.formats.carrying import NO_FORM, Carried, Target, Turn, carried, said
from tape.formats.settings import leave_out, settings_of
from tape.model import Block, Document, Image, Json, Session, Text, Thinking, ToolResult, ToolSpec, ToolUse

TARGET: Final = Target(
    own=("gemini",),
    name=re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"),
    longest_name=128,
    longest_id=128,
    mid_system=False,
    alternates=True,
    served=True,
)
FOREIGN: Final = "skip_thought_signature_validator"
"""What stands for the signature of a call that Gemini did not make (ai.google.dev, thought signatures)."""
MODES: Final = {"auto": "AUTO", "any": "ANY", "none": "NONE"}
CONFIG: Final = {"temperature": "temperature", "top_p": "topP", "top_k": "topK", "seed": "seed"}


def write(session: Session) -> Dumped:
    """A request body; what the API has no place for is in the losses."""
    body, done = _body(session)
    return Dumped(json.dumps(body, ensure_ascii=False, indent=2).encode() + b"\n", done.losses.notes())


def _body(session: Session) -> tuple[dict[str, Any], Carried]:
    done = carried(session, TARGET)
    body: dict[str, Any] = {}
    if session.model:
        body["model"] = f"models/{session.model.removeprefix('models/')}"
    if done.system:
        body["systemInstruction"] = {"parts": [{"text": text} for text in done.system]}
    names = {block.id: block.name for block in said(done.turns, ToolUse) if isinstance(block, ToolUse)}
    contents = [_content(done, turn, names) for turn in done.turns]
    body["contents"] = [content for content in contents if content["parts"]]
    if session.tools is not None:
        body["tools"] = _tools(done.tools)
    return body | _params(done), done


def _params(done: Carried) -> dict[str, Any]:
    given = settings_of(done.session)
    config: dict[str, Any] = {CONFIG[name]: n for name, n in (given.sampling or {}).items()}
    if given.max_tokens is not None:
        config["maxOutputTokens"] = given.max_tokens
    if given.stop:
        config["stopSequences"] = list(given.stop)
    made: dict[str, Any] = {"generationConfig": config} if config else {}
    if done.tools and given.choice is not None:
        calling: dict[str, Any] = {"mode": MODES.get(given.choice, "ANY")}
        if given.tool is not None:
            calling["allowedFunctionNames"] = [done.names.get(given.tool, given.tool)]
        made["toolConfig"] = {"functionCallingConfig": calling}
    lost = [*given.rest, *["thinking"] * (given.thinking is not None), *["effort"] * bool(given.effort)]
    leave_out(done.losses, *lost, *["parallel_tool_calls"] * (given.parallel is False))
    return made


def _tools(tools: list[ToolSpec]) -> list[dict[str, Any]]:
    """One list of functions, and beside it the tools that the provider runs."""
    functions: list[dict[str, Any]] = []
    served: list[dict[str, Any]] = []
    for tool in tools:
        raw = tool.raw
        if isinstance(raw, dict) and len(raw) == 1 and "name" not in raw and tool.name in raw:
            served.append(raw)
            continue
        one: dict[str, Any] = {"name": tool.name, "description": tool.description}
        if isinstance(raw, dict) and "parameters" in raw and "type" not in raw:
            one["parameters"] = raw["parameters"]
        elif isinstance(tool.input_schema, dict):
            one["parametersJsonSchema"] = tool.input_schema
        functions.append(one)
    return [*([{"functionDeclarations": functions}] if functions else []), *served]


def _content(done: Carried, turn: Turn, names: dict[str, str]) -> dict[str, Any]:
    signed = done.native
    parts: list[Json] = []
    for block, where in turn.blocks:
        for part in _parts(done, block, where, names):
            if not signed and "functionCall" in part:
                part["thoughtSignature"], signed = FOREIGN, True
            parts.append(part)
    return {"role": "model" if turn.role == "assistant" else "user", "parts": parts}


def _parts(done: Carried, block: Block, where: str, names: dict[str, str]) -> Iterator[dict[str, Any]]:
    if done.native and isinstance(block.raw, dict) and not isinstance(block, ToolResult):
        yield block.raw
        return
    match block:
        case Text():
            yield {"text": block.text}
        case ToolUse():
            call = {"id": block.id, "name": block.name, "args": object_input(block)}
            if block.generated_id:
                del call["id"]
            yield {"functionCall": call}
        case ToolResult():
            yield {"functionResponse": _response(done, block, where, names)}
        case Image() | Document():
            yield _media(done, block, where)
        case Thinking():
            done.losses.lose("Thinking was left out: another provider's means nothing here.", where)
        case _:
            done.losses.lose(NO_FORM, where)


def _response(done: Carried, block: ToolResult, where: str, names: dict[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {} if block.generated_id else {"id": block.tool_use_id}
    made["name"] = names.get(block.tool_use_id, "unknown_function")
    made["response"] = {"error" if block.is_error else "output": block.text}
    media: list[Json] = []
    for inner in block.content if isinstance(block.content, tuple) else ():
        if isinstance(inner, Image | Document) and inner.data is not None:
            media.append(_media(done, inner, where))
        elif not isinstance(inner, Text):
            done.losses.lose(NO_FORM, where)
    return {**made, "parts": media} if media else made


def _media(done: Carried, block: Image | Document, where: str) -> dict[str, Any]:
    default = "image/png" if isinstance(block, Image) else "application/pdf"
    if isinstance(block, Document) and block.text is not None:
        done.losses.lose("A document of text became plain text.", where)
        return {"text": block.text}
    if block.data is not None:
        return {"inlineData": {"mimeType": block.media_type or default, "data": block.data}}
    return {"fileData": {"mimeType": block.media_type or default, "fileUri": block.ref or ""}}
