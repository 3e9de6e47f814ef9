"""Any session as a request of Amazon Bedrock's Converse operation, and what that costs.

Roles alternate strictly and the user begins, so neighbors are joined. A history with calls needs a tool list:
where the session has none, the names that were called are declared. Signed thinking of a Claude model goes
along, since its signatures hold on Bedrock too. Facts: formats.md 7.5 and rules.md A6 of the project's notes.
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

TARGET: Final = Target(own=("bedrock-converse",), mid_system=False, alternates=True, opens=True, blank=False)
PICTURES: Final = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
FILES: Final = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
    "text/plain": "txt",
}
CLAUDE: Final = ("anthropic-messages", "claude-code", "claude-stream-json", "cline", "bedrock-converse")
MODEL: Final = "anthropic.claude-opus-5-5"


def write(session: Session) -> Dumped:
    """A request body; what the operation has no place for is in the losses."""
    body, done = _body(session)
    return Dumped(json.dumps(body, ensure_ascii=False, indent=2).encode() + b"\n", done.losses.notes())


def _body(session: Session) -> tuple[dict[str, Any], Carried]:
    done = carried(session, TARGET)
    body: dict[str, Any] = {"modelId": session.model or MODEL}
    if any(text.strip() for text in done.system):
        body["system"] = [{"text": text} for text in done.system if text.strip()]
    body["messages"] = [
        {"role": turn.role, "content": content}
        for turn in done.turns
        if (content := [part for block, where in turn.blocks for part in _parts(done, turn, block, where)])
    ]
    return body | _params(done), done


def _params(done: Carried) -> dict[str, Any]:
    given = settings_of(done.session)
    sampling = dict(given.sampling or {})
    config: dict[str, Any] = {}
    if given.max_tokens is not None:
        config["maxTokens"] = given.max_tokens
    for name, key in (("temperature", "temperature"), ("top_p", "topP")):
        if name in sampling:
            config[key] = sampling.pop(name)
    if given.stop:
        config["stopSequences"] = list(given.stop)
    made: dict[str, Any] = {"inferenceConfig": config} if config else {}
    tools = _tools(done)
    if tools:
        made["toolConfig"] = {"tools": tools}
        if given.tool is not None:
            name = done.names.get(given.tool, given.tool)
            made["toolConfig"]["toolChoice"] = {"tool": {"name": name}}
        elif given.choice in ("auto", "any"):
            made["toolConfig"]["toolChoice"] = {given.choice: {}}
    if given.thinking is not None and _claude(done.session):
        made["additionalModelRequestFields"] = {"thinking": given.thinking}
    lost = [*given.rest, *sampling, *["effort"] * bool(given.effort)]
    lost += ["thinking"] * (given.thinking is not None and not _claude(done.session))
    leave_out(done.losses, *lost, *["tool_choice"] * (given.choice == "none"))
    return made


def _claude(session: Session) -> bool:
    return session.format in CLAUDE and "claude" in (session.model or "claude")


def _tools(done: Carried) -> list[dict[str, Any]]:
    tools = list(done.tools)
    called = dict.fromkeys(block.name for block in said(done.turns, ToolUse) if isinstance(block, ToolUse))
    if not tools and (called or any(said(done.turns, ToolResult))):
        tools = [ToolSpec(name) for name in called or ("unknown_tool",)]
        text = (
            "The session has no tool list, which a history with calls needs: the names called were declared."
        )
        done.losses.lose(text, "tools")
    return [{"toolSpec": _declared(tool)} for tool in tools]


def _declared(tool: ToolSpec) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    schema = tool.input_schema if isinstance(tool.input_schema, dict) else {"type": "object"}
    return {"name": tool.name, **described, "inputSchema": {"json": schema}}


def _parts(done: Carried, turn: Turn, block: Block, where: str) -> Iterator[dict[str, Any]]:
    match block:
        case Text():
            yield {"text": block.text}
        case ToolUse():
            yield {"toolUse": {"toolUseId": block.id, "name": block.name, "input": object_input(block)}}
        case ToolResult():
            yield {"toolResult": _result(done, block, where)}
        case Image() | Document():
            made = _media(done, block, where)
            if made is not None:
                yield made
        case Thinking(data=str() as data) if _claude(done.session) and turn.role == "assistant":
            yield {"reasoningContent": {"redactedContent": data}}
        case Thinking(signature=str() as signature) if _claude(done.session) and turn.role == "assistant":
            text = {"text": block.text, "signature": signature}
            yield {"reasoningContent": {"reasoningText": text}}
        case Thinking():
            done.losses.lose("Thinking without a signature of a Claude model was left out.", where)
        case _:
            done.losses.lose(NO_FORM, where)


def _result(done: Carried, block: ToolResult, where: str) -> dict[str, Any]:
    content: list[Json] = []
    for inner in block.content if isinstance(block.content, tuple) else (Text(text=block.content or ""),):
        if isinstance(inner, Text):
            content += [{"text": inner.text}] if inner.text else []
        elif isinstance(inner, Image | Document) and (made := _media(done, inner, where)) is not None:
            content.append(made)
        elif not isinstance(inner, Image | Document):
            done.losses.lose(NO_FORM, where)
    made_result: dict[str, Any] = {"toolUseId": block.tool_use_id, "content": content}
    if block.is_error is not None:
        made_result["status"] = "error" if block.is_error else "success"
    return made_result


def _media(done: Carried, block: Image | Document, where: str) -> dict[str, Any] | None:
    if isinstance(block, Image):
        form = PICTURES.get(block.media_type or "image/png")
        if form is None or block.data is None:
            done.losses.lose("An image that is not in the file, or of another type, was left out.", where)
            return None
        return {"image": {"format": form, "source": {"bytes": block.data}}}
    source = {"text": block.text} if block.text is not None else {"bytes": block.data}
    if block.text is None and block.data is None:
        done.losses.lose("A document that is not in the file was left out.", where)
        return None
    # The service takes no other signs in a name, and never two blanks in a row.
    name = re.sub(r"[^A-Za-z0-9\-()\[\]]+", " ", block.title or "").strip()[:200] or "document"
    default = "text/plain" if block.text is not None else "application/pdf"
    form = FILES.get(block.media_type or default, "txt" if block.text is not None else "pdf")
    return {"document": {"format": form, "name": name, "source": source}}
