"""Small traces for tests, one a situation: OpenTelemetry, OpenInference, Langfuse; all of it is invented."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.log_lines import Line, document, lines

QUESTION: Line = {"role": "user", "parts": [{"type": "text", "content": "When is high tide?"}]}
CALLING: Line = {
    "role": "assistant",
    "parts": [
        {"type": "reasoning", "content": "I look it up."},
        {"type": "tool_call", "id": "c1", "name": "tide", "arguments": {"day": 1}},
        {"type": "tool_call", "id": "c2", "name": "tide", "arguments": {"day": 2}},
    ],
    "finish_reason": "tool_call",
}
RESULTS: Line = {
    "role": "tool",
    "parts": [
        {"type": "tool_call_response", "id": "c1", "response": "at noon"},
        {"type": "tool_call_response", "id": "c2", "response": {"hour": 13}},
    ],
}
ANSWER: Line = {
    "role": "assistant",
    "parts": [{"type": "text", "content": "At noon, then at one."}],
    "finish_reason": "stop",
}
SYSTEM = [{"type": "text", "content": "Know the sea."}]
TOOLS = [{"type": "function", "name": "tide", "parameters": {"type": "object"}}]


def typed(value: Any) -> Line:
    """A value as OTLP writes it."""
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def span(id: str, name: str, attributes: dict[str, Any], *, parent: str = "", start: int = 0) -> Line:
    """A span of OTLP."""
    listed = [{"key": key, "value": typed(value)} for key, value in attributes.items()]
    return {
        "traceId": "a1",
        "spanId": id,
        **({"parentSpanId": parent} if parent else {}),
        "name": name,
        "startTimeUnixNano": str(start),
        "attributes": listed,
    }


def chat(asked: list[Line], answered: Line, prompt: int, output: int) -> dict[str, Any]:
    """The attributes of a call of a model."""
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "made-up-2",
        "gen_ai.system_instructions": json.dumps(SYSTEM),
        "gen_ai.tool.definitions": json.dumps(TOOLS),
        "gen_ai.input.messages": json.dumps(asked),
        "gen_ai.output.messages": json.dumps([answered]),
        "gen_ai.usage.input_tokens": prompt,
        "gen_ai.usage.output_tokens": output,
        "gen_ai.usage.cache_read.input_tokens": 10,
    }


def otlp(*spans: Line) -> Line:
    """A document of OTLP."""
    return {
        "resourceSpans": [
            {"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}
        ]
    }


AGENT = span("1", "invoke_agent", {"gen_ai.usage.input_tokens": 90, "gen_ai.usage.output_tokens": 30})
FIRST = span("2", "chat", chat([QUESTION], CALLING, 40, 20), parent="1", start=1)
SECOND = span("3", "chat", chat([QUESTION, CALLING, RESULTS], ANSWER, 50, 10), parent="1", start=9)
TIDE = span(
    "4",
    "execute_tool tide",
    {"gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "at noon"},
    parent="1",
    start=5,
)
CONSOLE = [
    {
        "name": one["name"],
        "context": {"trace_id": "0xa1", "span_id": one["spanId"]},
        "parent_id": one.get("parentSpanId"),
        "start_time": f"2026-11-30T10:00:0{i}Z",
        "attributes": {a["key"]: a["value"].get("stringValue", 7) for a in one["attributes"]},
    }
    for i, one in enumerate((FIRST, SECOND))
]
EVENTS = {
    **span("5", "chat", {"gen_ai.request.model": "made-up-1", "gen_ai.usage.input_tokens": 9}),
    "events": [
        {"name": name, "attributes": [{"key": k, "value": typed(v)} for k, v in told.items()]}
        for name, told in (
            ("gen_ai.system.message", {"content": "Know the sea."}),
            ("gen_ai.user.message", {"content": "When is high tide?"}),
            ("gen_ai.choice", {"message": '{"content": "At noon."}', "finish_reason": "stop"}),
        )
    ],
}
FLAT = {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "When is high tide?",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.tool_calls.0.id": "c1",
    "gen_ai.completion.0.tool_calls.0.name": "tide",
    "gen_ai.completion.0.tool_calls.0.arguments": '{"day": 1}',
}
VERCEL = {
    "ai.model.id": "made-up-3",
    "ai.prompt.messages": json.dumps(
        [
            {"role": "user", "content": [{"type": "text", "text": "When is high tide?"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool-call", "toolCallId": "c1", "toolName": "tide", "input": {"day": 1}}
                ],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c1",
                        "toolName": "tide",
                        "output": {"type": "text", "value": "at noon"},
                    }
                ],
            },
        ]
    ),
    "ai.response.text": "At noon.",
    "ai.usage.promptTokens": 11,
    "ai.usage.completionTokens": 3,
}
INFERENCE: dict[str, Any] = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "made-up-2",
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "Know the sea.",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.contents.0.message_content.type": "text",
    "llm.input_messages.1.message.contents.0.message_content.text": "When is high tide?",
    "llm.input_messages.2.message.role": "assistant",
    "llm.input_messages.2.message.tool_calls.0.tool_call.id": "c1",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "tide",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": '{"day": 1}',
    "llm.input_messages.3.message.role": "tool",
    "llm.input_messages.3.message.tool_call_id": "c1",
    "llm.input_messages.3.message.content": "at noon",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "At noon.",
    "llm.tools.0.tool.json_schema": json.dumps({"type": "function", "function": {"name": "tide"}}),
    "llm.token_count.prompt": 60,
    "llm.token_count.completion": 4,
    "llm.token_count.prompt_details.cache_read": 20,
}
LATER = {
    f"llm.input_messages.{n}.message.{key}": value
    for n in range(12)
    for key, value in (("role", "assistant" if n % 2 else "user"), ("content", f"said {n}"))
}
GENERATION: Line = {
    "id": "g2",
    "type": "GENERATION",
    "traceId": "t",
    "parentObservationId": "root",
    "startTime": "2026-11-30T10:00:02Z",
    "model": "made-up-2",
    "input": [
        {"role": "tool", "content": {"type": "function", "function": {"name": "tide", "parameters": {}}}},
        {"role": "system", "content": "Know the sea."},
        {"role": "user", "content": "When is high tide?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "tide", "arguments": "{}"}}],
        },
        {"role": "tide", "tool_call_id": "c1", "content": "at noon"},
    ],
    "output": {"role": "assistant", "content": "At noon."},
    "usageDetails": {"input": 40, "output": 4, "total": 64, "input_cached_tokens": 20},
}
TRACE: Line = {
    "trace": {"id": "t", "name": "tides"},
    "observations": [
        {"id": "root", "type": "AGENT", "parentObservationId": None, "input": "tide?", "output": "noon"},
        GENERATION,
        {"id": "tool", "type": "TOOL", "parentObservationId": "root", "input": {}, "output": "at noon"},
    ],
}
WRAPPED = {
    **GENERATION,
    "input": json.dumps({"messages": GENERATION["input"][1:]}),
    "output": '{"content": "At noon."}',
}
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "otel-agent-of-two-calls": ("otel-genai", document(otlp(AGENT, SECOND, TIDE, FIRST))),
    "otel-result-in-the-span-of-the-tool": ("otel-genai", document(otlp(AGENT, FIRST, TIDE))),
    "otel-lines": ("otel-genai", lines(otlp(AGENT, FIRST), otlp(SECOND))),
    "otel-console": ("otel-genai", json.dumps(CONSOLE).encode()),
    "otel-messages": ("otel-genai", document([QUESTION, CALLING, RESULTS, ANSWER])),
    "otel-events": ("otel-genai", document(otlp(EVENTS))),
    "otel-flat-attributes": ("otel-genai", document(otlp(span("6", "chat", FLAT)))),
    "otel-vercel": ("otel-genai", document(otlp(span("7", "ai.generateText.doGenerate", VERCEL)))),
    "otel-without-content": ("otel-genai", document(otlp(AGENT))),
    "openinference-flat": ("openinference", document(otlp(span("8", "LLM", INFERENCE)))),
    "openinference-objects": (
        "openinference",
        lines({"span_id": "9", "name": "LLM", "attributes": INFERENCE}),
    ),
    "langfuse-trace": ("langfuse", document(TRACE)),
    "langfuse-strings": ("langfuse", document([WRAPPED])),
}
