"""Older ways in which spans say what was sent: events a message, flat attributes, and Vercel's own names.

``gen_ai.user.message`` and its kin were events until 2025, ``gen_ai.prompt.N`` are OpenLLMetry's attributes,
``ai.prompt.messages`` those of the Vercel AI SDK. Facts: formats.md 9.2 of the project's notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tape.formats.arrays import at
from tape.formats.exchanges import Exchange, Held
from tape.formats.parts import word
from tape.formats.span_log import number
from tape.formats.span_messages import listed, openai_messages
from tape.formats.spans import Span
from tape.model import Json, json_text
from tape.records import loads

EVENTS: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
CHOICE: Final = "gen_ai.choice"
FLAT: Final = "gen_ai.prompt"
VERCEL: Final = "ai.prompt.messages"


def has_events(span: Span) -> bool:
    """Whether a span says in an older way what was sent."""
    if any(name in EVENTS for name, _ in span.events) or VERCEL in span.attributes:
        return True
    return any(name.startswith(f"{FLAT}.") for name in span.attributes)


def older(span: Span) -> Exchange:
    """The call of such a span as a request in the form of OpenAI with its response."""
    if VERCEL in span.attributes:
        return Exchange(
            "/chat/completions", Held(_body(span, list(_vercel(span)))), Held(_vercel_reply(span))
        )
    if any(name in EVENTS for name, _ in span.events):
        asked = [_event(EVENTS[name], told) for name, told in span.events if name in EVENTS]
        return Exchange("/chat/completions", Held(_body(span, asked)), Held(_choice(span)))
    told = openai_messages(listed(span, FLAT))
    request = told.held(_body(span, told.value), ("messages",))
    return Exchange("/chat/completions", request, _completion(span))


def _body(span: Span, messages: Json) -> dict[str, Json]:
    model = span.first("gen_ai.request.model", "ai.model.id")
    return {**({"model": model} if isinstance(model, str) else {}), "messages": messages}


def _event(role: str, told: dict[str, Json]) -> dict[str, Any]:
    content = told.get("content", told.get("gen_ai.event.content"))
    made: dict[str, Any] = {"role": word(told, "role") or role}
    made["content"] = content if isinstance(content, str | list) or content is None else json_text(content)
    calls = _json(told.get("tool_calls"))
    if isinstance(calls, list) and calls:
        made["tool_calls"] = calls
    if role == "tool" and word(told, "id"):
        made["tool_call_id"] = told["id"]
    return made


def _choice(span: Span) -> Json:
    told = next((told for name, told in span.events if name == CHOICE), None)
    if told is None:
        return None
    message = _json(told.get("message"))
    inner = message if isinstance(message, dict) else {"content": told.get("content")}
    made = _event("assistant", inner)
    reason = told.get("finish_reason")
    return _reply(span, made, reason if isinstance(reason, str) else None)


def _completion(span: Span) -> Held:
    told = openai_messages(listed(span, "gen_ai.completion"))
    messages: Any = told.value
    if not messages:
        return Held(None)
    body: Any = _reply(span, messages[0], None)
    return told.first().held(body, ("choices", 0, "message"))


def _reply(span: Span, message: dict[str, Any], reason: str | None) -> dict[str, Json]:
    usage: dict[str, Json] = {}
    names = {
        "prompt_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "ai.usage.promptTokens"),
        "completion_tokens": (
            "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "ai.usage.completionTokens"
        ),
    }  # fmt: skip
    for key, several in names.items():
        count = number(span.first(*several))
        if count is not None:
            usage[key] = count
    model = span.first("gen_ai.response.model", "ai.response.model", "gen_ai.request.model", "ai.model.id")
    ends = "tool_calls" if message.get("tool_calls") else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason or ends}
    body: dict[str, Json] = {"object": "chat.completion", "model": model, "choices": [choice]}
    return {**body, **({"usage": usage} if usage else {})}


def _json(value: Json) -> Json:
    if isinstance(value, str):
        try:
            return loads(value)
        except ValueError:
            return value
    return value


def _vercel(span: Span) -> Iterator[dict[str, Any]]:
    """The messages that the AI SDK was given, each result as a message of its own."""
    given: Any = span.parsed(VERCEL)
    for message in given if isinstance(given, list) else ():
        role, content = word(message, "role") or "user", at(message, ("content",))
        if not isinstance(content, list):
            yield {"role": role, "content": content if isinstance(content, str) else ""}
            continue
        results = [part for part in content if word(part, "type") == "tool-result"]
        for part in results:
            said = part.get("output", part.get("result"))
            said = said.get("value", said) if isinstance(said, dict) else said
            text = said if isinstance(said, str) else json_text(said)
            yield {"role": "tool", "tool_call_id": part.get("toolCallId"), "content": text}
        texts = [part["text"] for part in content if word(part, "type") == "text" and word(part, "text")]
        calls = [_vercel_call(part) for part in content if word(part, "type") == "tool-call"]
        if texts or calls or not results:
            made: dict[str, Any] = {"role": role, "content": "\n".join(texts) if texts else None}
            yield {**made, **({"tool_calls": calls} if calls else {})}


def _vercel_call(part: dict[str, Json]) -> dict[str, Json]:
    given = part.get("input", part.get("args"))
    arguments = given if isinstance(given, str) else json_text({} if given is None else given)
    function = {"name": part.get("toolName"), "arguments": arguments}
    return {"id": part.get("toolCallId"), "type": "function", "function": function}


def _vercel_reply(span: Span) -> Json:
    text = span.first("ai.response.text")
    calls: Any = span.parsed("ai.response.toolCalls")
    made = [_vercel_call(one) for one in calls if isinstance(one, dict)] if isinstance(calls, list) else []
    if not made and not isinstance(text, str):
        return None
    message: dict[str, Any] = {"role": "assistant", "content": text if isinstance(text, str) else None}
    return _reply(span, {**message, **({"tool_calls": made} if made else {})}, None)
