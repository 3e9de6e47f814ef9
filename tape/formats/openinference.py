"""OpenInference: spans whose attributes spell the messages of each call, as Phoenix and its kin keep them.

Each call of a model repeats the history; an agent's conversation is its longest. Facts: formats.md 9.2 of the
project's notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from tape.formats.base import Guess, Sample
from tape.formats.exchanges import Exchange
from tape.formats.span_log import SpanLog, number
from tape.formats.span_messages import Told, listed, openai_messages
from tape.formats.spans import Span
from tape.model import Json
from tape.records import loads

MARKS: Final = ("openinference.", "llm.input_messages", "llm.output_messages")


class OpenInference(SpanLog):
    """The format; see ``tape.formats.base.Format``."""

    name = "openinference"
    label = "OpenInference spans"
    written_by = "Phoenix, OpenInference instrumentations"
    evidence: Literal["files", "documentation"] = "documentation"

    def sniff(self, sample: Sample) -> Guess | None:
        """Spans with attributes of OpenInference."""
        if any(name.startswith(MARKS) for name in self.names(sample)):
            return Guess(3, "spans with attributes of OpenInference")
        return None

    def calls(self, found: Sequence[Span]) -> list[Span]:
        """The calls of models that say what was sent."""
        return [span for span in found if _has(span, "llm.input_messages")]

    def exchange(self, span: Span, found: Sequence[Span]) -> Exchange:
        """The call of a span as a request in the form of OpenAI with its response."""
        asked = openai_messages(listed(span, "llm.input_messages"))
        model = span.first("llm.model_name")
        request: dict[str, Any] = {**({"model": model} if isinstance(model, str) else {}), **_settings(span)}
        tools = _tools(span)
        request |= {"messages": asked.value, **({"tools": tools} if tools else {})}
        return Exchange("", asked.held(request, ("messages",)), _response(span).held_response(model))


def _has(span: Span, prefix: str) -> bool:
    return prefix in span.attributes or any(name.startswith(f"{prefix}.") for name in span.attributes)


def _settings(span: Span) -> dict[str, Any]:
    value = span.parsed("llm.invocation_parameters")
    return (
        {k: v for k, v in value.items() if k not in ("messages", "tools")} if isinstance(value, dict) else {}
    )


def _tools(span: Span) -> list[Json]:
    """The declared tools, each with its schema as JSON or as JSON in a string."""
    told: Any = listed(span, "llm.tools").value
    found = []
    for item in told if isinstance(told, list) else ():
        inner = item.get("tool") if isinstance(item, dict) and isinstance(item.get("tool"), dict) else item
        schema = inner.get("json_schema") if isinstance(inner, dict) else None
        if isinstance(schema, str):
            try:
                schema = loads(schema)
            except ValueError:
                continue
        if isinstance(schema, dict):
            found.append(schema)
    return found


class _Reply:
    """The message that came back, and what it used."""

    def __init__(self, told: Told, usage: dict[str, Any]) -> None:
        self.told, self.usage = told, usage

    def held_response(self, model: Json) -> Any:
        """The response as a body."""
        messages: Any = self.told.value
        if not messages:
            return self.told.held({}, ())
        choice = {"index": 0, "message": messages[0], "finish_reason": _reason(messages[0])}
        body: dict[str, Any] = {"object": "chat.completion", "model": model, "choices": [choice]}
        whole = {**body, **({"usage": self.usage} if self.usage else {})}
        return self.told.first().held(whole, ("choices", 0, "message"))


def _response(span: Span) -> _Reply:
    usage: dict[str, Any] = {}
    for key, name in (("prompt_tokens", "prompt"), ("completion_tokens", "completion")):
        count = number(span.first(f"llm.token_count.{name}"))
        if count is not None:
            usage[key] = count
    cached = number(span.first("llm.token_count.prompt_details.cache_read"))
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    return _Reply(openai_messages(listed(span, "llm.output_messages")), usage)


def _reason(message: Json) -> str:
    return "tool_calls" if isinstance(message, dict) and message.get("tool_calls") else "stop"
