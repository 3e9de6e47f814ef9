"""The scripted model: a pure function from a request to an answer. It sees the array and nothing else.

It is a list of skills (``tape.endpoint.skills``), tried in order, and a manner of speaking. The same
request always gets the same answer, down to the ids of its tool calls, and nothing is ever executed.
It does not check the request: see ``tape.endpoint.validation``.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tape.endpoint import tokens
from tape.endpoint.manner import manner, say
from tape.endpoint.reply import Reply
from tape.endpoint.seen import Seen, look
from tape.endpoint.skills import SKILLS
from tape.endpoint.skills.anytool import call


@dataclass(frozen=True, slots=True)
class Answer:
    """An assistant message: its content blocks in the wire's own form, and why it stopped."""

    content: tuple[dict[str, Any], ...]
    stop_reason: str
    stop_sequence: str | None = None


def answer(request: Mapping[str, Any]) -> Answer:
    """Answer a ``/v1/messages`` request body. Never raises, whatever the messages hold."""
    seen = look(request)
    reply = _forced(request, seen, think(seen))
    content: list[dict[str, Any]] = []
    if _wants_thinking(request):
        thought = reply.thought or "I look at the messages and take the first skill that fits."
        content.append({"type": "thinking", "thinking": thought, "signature": _signature(request, thought)})
    text, stopped_at = _until_stop(say(reply, manner(seen)), request)
    if text:
        content.append({"type": "text", "text": text})
    if stopped_at is not None:
        return _within_limit(Answer(tuple(content), "stop_sequence", stopped_at), request)
    for number, asked in enumerate(reply.asks):
        identity = tool_use_id(request, number)
        content.append({"type": "tool_use", "id": identity, "name": asked.name, "input": dict(asked.input)})
    return _within_limit(Answer(tuple(content), "tool_use" if reply.asks else "end_turn"), request)


def think(seen: Seen) -> Reply:
    """The reply of the first skill that has one. A ``thought`` it did not give is its own description."""
    for skill in SKILLS:
        reply = skill(seen)
        if reply is not None:
            first = (skill.__doc__ or "").strip().splitlines()[0]
            return reply if reply.thought else replace(reply, thought=first)
    raise AssertionError("the last skill always answers")


def tool_use_id(request: Mapping[str, Any], number: int) -> str:
    """The id of call ``number`` in the answer to ``request``: made from the request, new to its array."""
    return _identity("toolu_", number, request)


def response_id(request: Mapping[str, Any]) -> str:
    """The id of the answer to ``request``, made from it."""
    return _identity("msg_", 0, request)


def _identity(prefix: str, number: int, request: Mapping[str, Any]) -> str:
    text = json.dumps(request.get("messages"), ensure_ascii=True)
    for attempt in range(1000):
        digest = hashlib.sha256(f"{prefix}{attempt}:{number}:{text}".encode()).hexdigest()
        identity = f"{prefix}{digest[:24]}"
        if identity not in text:
            return identity
    raise AssertionError("a thousand hashes were all taken")


def _forced(request: Mapping[str, Any], seen: Seen, reply: Reply) -> Reply:
    """The reply with the call that ``tool_choice`` insists on, where the skill made none."""
    choice = request.get("tool_choice")
    kind = choice.get("type") if isinstance(choice, dict) else None
    if kind not in ("any", "tool") or not seen.tools:
        return reply
    wanted = choice.get("name") if isinstance(choice, dict) and kind == "tool" else None
    if reply.asks and (wanted is None or all(asked.name == wanted for asked in reply.asks)):
        return reply
    tool = next((tool for tool in seen.tools if tool.name == wanted), seen.tools[0])
    return Reply(asks=(call(tool, seen.asked),), thought=f"The request insists on {tool.name}.")


def _wants_thinking(request: Mapping[str, Any]) -> bool:
    thinking = request.get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") in ("enabled", "adaptive")


def _signature(request: Mapping[str, Any], thought: str) -> str:
    text = json.dumps([request.get("messages"), thought], ensure_ascii=True)
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _until_stop(text: str, request: Mapping[str, Any]) -> tuple[str, str | None]:
    """The text up to the first of the request's stop sequences, and that sequence."""
    wanted = request.get("stop_sequences")
    sequences = [s for s in wanted if isinstance(s, str) and s] if isinstance(wanted, list) else []
    found = [(at, s) for s in sequences if (at := text.find(s)) >= 0]
    if not found:
        return text, None
    at, sequence = min(found)
    return text[:at], sequence


def _within_limit(whole: Answer, request: Mapping[str, Any]) -> Answer:
    """The answer, cut where ``max_tokens`` ends it. A call that does not fit is left out, never halved."""
    limit = request.get("max_tokens")
    if not isinstance(limit, int) or isinstance(limit, bool) or tokens.output(whole.content) <= limit:
        return whole
    kept: list[dict[str, Any]] = []
    left = limit
    for block in whole.content:
        size = tokens.output([block])
        if size > left:
            if block["type"] == "text" and (cut := tokens.first(block["text"], left)):
                kept.append({"type": "text", "text": cut})
            break
        left -= size
        kept.append(block)
    return Answer(tuple(kept), "max_tokens")
