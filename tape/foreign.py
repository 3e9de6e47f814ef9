"""Any session as a request body that the Claude API takes, and what that costs.

A session of another provider's form has its system prompt inside the array, ids of another shape, reasoning
without a signature. Here it becomes what it would have been on this API; what cannot be carried is said. A
session that is in the Anthropic form already is not touched: what is wrong in it is for the rules to say.
The log of an agent that speaks this API is sent as that agent sends it, without what it leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

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
    ToolUse,
)
from tape.notes import Note
from tape.threads import threads
from tape.wire import block_json, native_request, tool_json

LOGS: Final = frozenset(("claude-code", "claude-stream-json", "cline"))
NATIVE: Final = LOGS | {"anthropic-messages"}
LEGAL_ID: Final = re.compile(r"[A-Za-z0-9_-]+")
CHOICES: Final = {"auto": "auto", "required": "any", "any": "any", "none": "none"}
NO_FORM: Final = "Content that this API has no form for was left out."
KEPT: Final = ("model", "temperature", "top_p", "max_tokens", "stop_sequences")
SILENT: Final = ("stream", "stream_options", "tools", "functions", "messages", "parallel_tool_calls")


def anthropic_body(session: Session) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """The request body for the whole array, and one note for each kind of loss. Never raises on data."""
    if session.format in LOGS:
        return native_request(_as_its_agent_sends(session)), ()
    if session.format in NATIVE:
        return native_request(session), ()
    return _Carrier(session).body()


def _as_its_agent_sends(session: Session) -> Session:
    """The log without what agents leave out when they send: blank texts and thinking that ends a message
    behind other content, and messages with nothing left. What a person changed is sent as it is."""
    sent = []
    for entry in session.messages:
        heads = entry.heads
        last = max((j for j, head in enumerate(heads) if head.kind != "thinking"), default=len(heads))
        left_out = {
            j
            for j, head in enumerate(heads)
            if j > last or (head.kind == "text" and ("blank" in head.flags or "empty" in head.flags))
        }
        if entry.provenance.origin != "recorded" or not left_out:
            sent.append(entry)
        elif len(left_out) < len(heads):
            kept = tuple(block for j, block in enumerate(entry.blocks) if j not in left_out)
            sent.append(entry.with_blocks(kept))
    return replace(session, messages=tuple(sent))


class _Carrier:
    """Carries one session over, and counts what is lost."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.losses = Losses()
        self.lose = self.losses.lose
        self.ids = unique_ids(session)

    def body(self) -> tuple[dict[str, Any], tuple[Note, ...]]:
        session = self.session
        lead = 0
        while lead < len(session.messages) and session.messages[lead].role == "system":
            lead += 1
        body = self._params()
        system = self._system(session.messages[:lead])
        if system is not None:
            body["system"] = system
        if session.tools is not None:
            body["tools"] = [tool_json(tool) for tool in session.tools]
        body["messages"] = [
            made
            for i, entry in enumerate(session.messages[lead:], lead)
            if (made := self._message(entry, f"messages[{i}]")) is not None
        ]
        return body, self.losses.notes()

    def _system(self, lead: tuple[Message, ...]) -> Json:
        own = self.session.system
        if not lead:
            return own
        blocks = [{"type": "text", "text": own}] if isinstance(own, str) else list(own or [])
        blocks += [
            self._text(block)
            for entry in lead
            for block in entry.blocks
            if isinstance(block, Text) and block.text
        ]
        if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
            return blocks[0]["text"]
        return blocks or None

    def _params(self) -> dict[str, Any]:
        params = self.session.params
        body: dict[str, Any] = {key: params[key] for key in KEPT if params.get(key) is not None}
        body.setdefault("model", self.session.model or "claude-opus-5-5")
        body.setdefault("max_tokens", params.get("max_completion_tokens") or 1024)
        stop = params.get("stop")
        if stop:
            body["stop_sequences"] = [stop] if isinstance(stop, str) else stop
        choice = _choice(params.get("tool_choice"))
        if choice is not None and params.get("parallel_tool_calls") is False:
            choice["disable_parallel_tool_use"] = True
        if choice is not None and self.session.tools:
            body["tool_choice"] = choice
        known = {*KEPT, *SILENT, "max_completion_tokens", "stop", "tool_choice"}
        dropped = [key for key, value in params.items() if key not in known and value is not None]
        if dropped:
            self.lose(f"Parameters that this API does not have were left out: {', '.join(sorted(dropped))}.")
        return body

    def _message(self, entry: Message, where: str) -> dict[str, Any] | None:
        role: str = entry.meta.get("unknown_role", entry.role)
        if entry.role == "system":
            self.lose("A system message in the middle became a user message.", where)
            role = "user"
        blocks = [
            made
            for j, block in enumerate(entry.blocks)
            if (made := self._block(self._said_by(role, block), f"{where}.content[{j}]")) is not None
        ]
        blocks.sort(key=lambda block: block.get("type") != "tool_result")
        words = [block for block in blocks if not (block.get("type") == "text" and not block["text"].strip())]
        if not words:
            self.lose("A message without content was left out.", where)
            return None
        bare = len(words) == 1 and words[0].keys() == {"type", "text"}
        if bare and entry.meta.get("content_form") == "string":
            return {"role": role, "content": words[0]["text"]}
        return {"role": role, "content": words}

    def _said_by(self, role: str, block: Block) -> Block:
        """The block; a document of the assistant, which this API does not take there, as its text."""
        if role != "assistant" or not isinstance(block, Document):
            return block
        if block.text:
            return Text(uid=block.uid, text=block.text)
        return Other(uid=block.uid, type="document", value=block_json(block))

    def _text(self, block: Text) -> dict[str, Any]:
        marked = {k: v for k, v in block.extra.items() if k == "cache_control"}
        return {"type": "text", "text": block.text, **marked}

    def _block(self, block: Block, where: str) -> dict[str, Any] | None:
        match block:
            case Text():
                return self._text(block)
            case Thinking(signature=None, data=None):
                self.lose("Reasoning without a signature was left out: the API would refuse it.", where)
                return None
            case ToolUse(server=True) | ToolResult(server=True):
                self.lose("A tool that ran on the provider's side was left out.", where)
                return None
            case ToolUse():
                return {
                    "type": "tool_use",
                    "id": self.ids[block.uid],
                    "name": block.name,
                    "input": object_input(block),
                }
            case ToolResult():
                return self._result(block, where)
            case Image(source="missing") | Other():
                self.lose(NO_FORM, where)
                return None
            case Image() | Document() | Thinking():
                made: dict[str, Any] = block_json(block)
                return made
        return None

    def _result(self, block: ToolResult, where: str) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "tool_result", "tool_use_id": self.ids[block.uid]}
        if isinstance(block.content, tuple):
            held = [b for b in block.content if isinstance(b, Text | Image | Document)]
            if len(held) < len(block.content):
                self.lose(NO_FORM, where)
            inner = (self._block(b, where) for b in held)
            made["content"] = [b for b in inner if b is not None]
        elif block.content is not None:
            made["content"] = block.content
        if block.is_error is not None:
            made["is_error"] = block.is_error
        return made


def object_input(block: ToolUse) -> dict[str, Any]:
    """The input of a call as an object: arguments that are none are wrapped, so that nothing is lost."""
    if isinstance(block.input, dict):
        return block.input
    return {"arguments": block.arguments if block.arguments is not None else block.input}


def unique_ids(session: Session, longest: int | None = None) -> dict[str, str]:
    """An id for every call and result (by block uid) that any API takes: made of letters, digits, ``_`` and
    ``-``, none twice, the same for both ends of a pair. Ids that are so already stay, if they have no more
    than ``longest`` characters."""
    ids: dict[str, str] = {}
    used: dict[str, int] = {}
    pairs = threads(session)
    for entry in session.messages:
        for head in entry.heads:
            if head.kind == "tool_use":
                ids[head.uid] = _free(head.id, used, longest)
    for link in pairs.links:
        if link.call_uid in ids:
            ids.setdefault(link.result_uid, ids[link.call_uid])
    for entry in session.messages:
        for head in entry.heads:
            if head.kind == "tool_result" and head.uid not in ids:
                ids[head.uid] = _free(head.id, used, longest)
    return ids


def _free(id: str | None, used: dict[str, int], longest: int | None) -> str:
    wanted = "_".join(LEGAL_ID.findall(id or "")) or "call"
    if longest is not None and len(wanted) > longest:
        wanted = wanted[: longest - 6]
    free, number = wanted, used.get(wanted, 1)
    while free in used:
        number += 1
        free = f"{wanted}_{number}"
    used[wanted] = number
    used.setdefault(free, 1)
    return free


def _choice(value: Json) -> dict[str, Any] | None:
    if isinstance(value, str) and value in CHOICES:
        return {"type": CHOICES[value]}
    if isinstance(value, Mapping):
        function = value.get("function")
        if isinstance(function, Mapping) and isinstance(function.get("name"), str):
            return {"type": "tool", "name": function["name"]}
        if value.get("type") in ("auto", "any", "none", "tool"):
            return dict(value)
    return None
