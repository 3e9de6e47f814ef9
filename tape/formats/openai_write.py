"""Any session as a Chat Completions request, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from tape.foreign import unique_ids
from tape.formats.openai_fields import call_json, content_json, role_of
from tape.losses import Losses
from tape.model import (
    Block,
    Document,
    Image,
    Json,
    Message,
    Other,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolSpec,
    ToolUse,
)
from tape.notes import Note

CHOICES: Final = {"auto": "auto", "any": "required", "required": "required", "none": "none"}
KEPT: Final = (
    *("model", "temperature", "top_p", "n", "stop", "max_tokens", "max_completion_tokens", "seed", "user"),
    *("parallel_tool_calls", "response_format", "reasoning_effort", "presence_penalty", "frequency_penalty"),
    *("service_tier", "metadata"),
)
NO_FORM: Final = "Content that this API has no form for was left out."
SILENT: Final = frozenset(("stream", "stream_options", "tool_choice", "stop_sequences", "messages"))


def chat_body(session: Session) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """The request body for the whole array, and one note for each kind of loss. Never raises on data."""
    return _Carrier(session).body()


class _Carrier:
    def __init__(self, session: Session) -> None:
        self.session = session
        self.native = session.format == "openai-chat"
        self.ids = unique_ids(session) if not self.native else {}
        self.losses = Losses()
        self.lose = self.losses.lose

    def body(self) -> tuple[dict[str, Any], tuple[Note, ...]]:
        session = self.session
        body: dict[str, Any] = {"model": session.model or "gpt-5.5", "messages": []}
        if session.system is not None:
            body["messages"].append({"role": "system", "content": _system(session.system)})
        for i, entry in enumerate(session.messages):
            body["messages"] += self._entries(entry, f"messages[{i}]")
        if session.tools is not None:
            body["tools"] = [declared(tool) for tool in session.tools]
        self._params(body)
        return body, self.losses.notes()

    def _params(self, body: dict[str, Any]) -> None:
        params = self.session.params
        body |= {key: params[key] for key in KEPT if params.get(key) is not None}
        if params.get("stop_sequences"):
            body["stop"] = params["stop_sequences"]
        choice = params.get("tool_choice")
        if isinstance(choice, str) and self.session.tools:
            body["tool_choice"] = choice
        elif isinstance(choice, dict) and self.session.tools:
            if choice.get("type") == "tool":
                body["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
            elif choice.get("type") in CHOICES:
                body["tool_choice"] = CHOICES[choice["type"]]
            else:
                body["tool_choice"] = choice
            if choice.get("disable_parallel_tool_use"):
                body["parallel_tool_calls"] = False
        dropped = [k for k, v in params.items() if k not in KEPT and k not in SILENT and v is not None]
        if dropped:
            self.lose(f"Parameters that this API does not have were left out: {', '.join(sorted(dropped))}.")

    def _entries(self, entry: Message, where: str) -> Iterator[dict[str, Any]]:
        rest: list[Block] = []
        shown: list[Block] = []
        for j, block in enumerate(entry.blocks):
            place = f"{where}.content[{j}]"
            if isinstance(block, ToolResult) and not block.server and entry.role == "user":
                made, pictures = self._result(block, place)
                shown += pictures
                yield made
            elif (kept := self._block(block, entry, place)) is not None:
                rest.append(kept)
        answered = any(h.kind == "tool_result" for h in entry.heads)
        if entry.role == "user" and answered and not rest and not shown:
            return
        yield self._entry(entry, [*shown, *rest])

    def _entry(self, entry: Message, blocks: list[Block]) -> dict[str, Any]:
        calls = [
            call_json(block if self.native and not block.generated_id else self._renamed(block))
            for block in blocks
            if isinstance(block, ToolUse)
        ]
        content = [block for block in blocks if not isinstance(block, ToolUse)]
        form = entry.meta.get("content_form", "string")
        if not self.native:
            form = "list" if len(content) > 1 or (form == "list" and entry.role != "assistant") else "string"
            if not content:
                form = "null" if calls else "string"
        made: dict[str, Any] = {"role": role_of(entry)}
        written = content_json(content, form)
        if written is not None or form != "absent":
            made["content"] = written
        if calls:
            made["tool_calls"] = calls
        if entry.meta.get("name"):
            made["name"] = entry.meta["name"]
        return made

    def _renamed(self, block: ToolUse) -> ToolUse:
        id = block.id if self.native else self.ids[block.uid]
        return replace(block, id=id, generated_id=False, raw=None)

    def _block(self, block: Block, entry: Message, where: str) -> Block | None:
        match block:
            case Thinking():
                self.lose("Thinking was left out: this API has no place for it.", where)
                return None
            case ToolUse(server=True) | ToolResult():
                self.lose("A tool that ran on the provider's side was left out.", where)
                return None
            case Text() if not self.native:
                return Text(uid=block.uid, text=block.text)
            case Image(source="missing"):
                self.lose("An image that is not in the file was left out.", where)
                return None
            case Image() | Document() if entry.role == "assistant":
                self.lose("An image or document of an assistant message was left out.", where)
                return None
            case Image() | Document() if not self.native:
                return replace(block, raw=None)
            case Other() if not self.native:
                self.lose(NO_FORM, where)
                return None
        return block

    def _result(self, block: ToolResult, where: str) -> tuple[dict[str, Any], list[Block]]:
        """The tool message of a result, and the images that must stand in a user message behind it."""
        id = block.tool_use_id if self.native else self.ids[block.uid]
        made: dict[str, Any] = {"role": "tool", "tool_call_id": id}
        pictures: list[Block] = []
        if isinstance(block.content, tuple):
            texts = [b for b in block.content if isinstance(b, Text)]
            pictures = [
                replace(b, raw=None) for b in block.content if isinstance(b, Image) and b.source != "missing"
            ]
            if pictures:
                self.lose("Images of a result stand in a user message behind it.", where)
            if len(texts) + len(pictures) < len(block.content):
                self.lose(NO_FORM, where)
            plain: list[Block] = [Text(text=b.text) for b in texts]
            made["content"] = content_json(plain, "list") if plain else ""
        elif block.content is None and self.native and isinstance(block.raw, Mapping):
            made |= {"content": None} if "content" in block.raw else {}
        else:
            made["content"] = block.content or ""
        if block.is_error:
            self.lose("A tool message cannot say that its result is an error; the mark was left out.", where)
        return made, pictures


def _system(system: Json) -> Json:
    if not isinstance(system, list):
        return system
    texts = [
        block["text"] for block in system if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]
    return texts[0] if len(texts) == 1 else [{"type": "text", "text": text} for text in texts]


def declared(tool: ToolSpec) -> dict[str, Any]:
    """The declaration of a tool in this dialect: as it was written where it is one."""
    raw = tool.raw
    if isinstance(raw, dict) and (
        isinstance(raw.get("function"), dict) or "parameters" in raw or "custom" in raw
    ):
        return raw
    function: dict[str, Any] = {"name": tool.name}
    if tool.description:
        function["description"] = tool.description
    schema = tool.input_schema
    function["parameters"] = schema if isinstance(schema, dict) else {"type": "object", "properties": {}}
    return {"type": "function", "function": function}
