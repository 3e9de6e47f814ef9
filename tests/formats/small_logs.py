"""Small logs of agents with fewer users, one a situation; all of it invented."""

from __future__ import annotations

from typing import Any

from tests.formats.editor_logs import text, use
from tests.formats.log_lines import Line, document, lines


def qwen(number: int, kind: str, *parts: Line, **fields: Any) -> Line:
    """A line of Qwen Code."""
    own = {"uuid": f"q{number}", "parentUuid": f"q{number - 1}" if number > 1 else None, "sessionId": "qw-1"}
    message = (
        {"message": {"role": "model" if kind == "assistant" else "user", "parts": list(parts)}}
        if parts
        else {}
    )
    return {**own, "timestamp": "2026-02-03T04:05:06Z", "type": kind, **message, **fields}


def said(role: str, *blocks: Line) -> Line:
    """A message in the Anthropic form."""
    return {"role": role, "content": list(blocks)}


def result(id: str, content: Any) -> Line:
    """A result in the Anthropic form."""
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def droid(number: int, message: Line) -> Line:
    """A message line of Factory Droid."""
    parent = f"d{number - 1}" if number > 1 else None
    return {"type": "message", "id": f"d{number}", "parentId": parent, "timestamp": "t", "message": message}


def goose_call(id: str, name: str, **arguments: Any) -> Line:
    """A call of Goose."""
    value = {"name": name, "arguments": arguments}
    return {"type": "toolRequest", "id": id, "toolCall": {"status": "success", "value": value}}


def goose_saw(id: str, words: str) -> Line:
    """A result of Goose."""
    value = {"content": [text(words)], "isError": False}
    return {"type": "toolResponse", "id": id, "toolResult": {"status": "success", "value": value}}


GOOSE: list[Line] = [
    {"role": "user", "created": 1, "content": [text("count")]},
    {
        "role": "assistant",
        "created": 2,
        "content": [text("I look."), goose_call("c1", "shell", command="ls")],
    },
    {"role": "user", "created": 3, "content": [goose_saw("c1", "a.txt")]},
    {"role": "assistant", "created": 4, "content": [text("One file.")]},
]
VSCODE_ROUND: Line = {
    "id": "r1",
    "response": "I look.",
    "thinking": {"text": "Where?"},
    "toolCalls": [{"id": "c1", "name": "list_dir", "arguments": '{"path": "/srv"}'}],
}
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "cursor-calls-without-ids": (
        "cursor-transcript",
        lines(
            {"role": "user", "message": {"content": [text("<user_query>count</user_query>")]}},
            {"role": "assistant", "message": {"content": [text("I look."), use(None, "Glob", pattern="*")]}},
            {"role": "assistant", "message": {"content": [text("One file.")]}},
        ),
    ),
    "droid-call": (
        "factory-droid",
        lines(
            {"type": "session_start", "id": "dr-1", "title": "Files", "cwd": "/srv"},
            droid(1, said("user", text("<system-reminder>be nice</system-reminder>"), text("count"))),
            droid(2, said("assistant", text("I look."), use("t1", "LS", path="/srv"))),
            droid(3, said("user", result("t1", "a.txt"))),
            {"type": "todo_state", "id": "x", "todos": []},
            droid(4, said("assistant", text("One file."))),
        ),
    ),
    "goose-export": ("goose", document({"id": "go-1", "description": "Files", "conversation": GOOSE})),
    "goose-lines": ("goose", lines({"description": "Files", "working_dir": "/srv"}, *GOOSE)),
    "amp-run-results": (
        "amp",
        document(
            {
                "v": 7,
                "id": "T-1",
                "title": "Files",
                "messages": [
                    {"messageId": 0, **said("user", text("count"))},
                    {
                        "messageId": 1,
                        **said("assistant", text("I look."), use("t1", "Bash", cmd="ls"), use("t2", "Read")),
                        "state": {"type": "complete", "stopReason": "tool_use"},
                        "usage": {
                            "model": "test-1",
                            "inputTokens": 4,
                            "outputTokens": 9,
                            "cacheReadInputTokens": 80,
                        },
                    },
                    {
                        "messageId": 2,
                        **said(
                            "user",
                            {
                                "type": "tool_result",
                                "toolUseID": "t1",
                                "run": {"status": "done", "result": "a.txt"},
                            },
                            {
                                "type": "tool_result",
                                "toolUseID": "t2",
                                "run": {"status": "error", "error": {"message": "no such file"}},
                            },
                        ),
                    },
                ],
            }
        ),
    ),
    "kiro-empty-ids": (
        "kiro",
        document(
            {
                "conversation_id": "ki-1",
                "history": [
                    {
                        "user": {"content": {"Prompt": {"prompt": "count"}}},
                        "assistant": {
                            "ToolUse": {
                                "message_id": "k1",
                                "content": "I look.",
                                "tool_uses": [{"id": "", "name": "ls", "args": {"path": "/srv"}}],
                            }
                        },
                    },
                    {
                        "user": {
                            "content": {
                                "ToolUseResults": {
                                    "tool_use_results": [
                                        {
                                            "tool_use_id": "",
                                            "content": [{"Text": "a.txt"}],
                                            "status": "Success",
                                        }
                                    ]
                                }
                            }
                        },
                        "assistant": {"Response": {"message_id": "k2", "content": "One file."}},
                    },
                ],
            }
        ),
    ),
    "qwen-parts": (
        "qwen-code",
        lines(
            qwen(1, "user", {"text": "count"}),
            qwen(
                2,
                "assistant",
                {"text": "Where?", "thought": True},
                {"functionCall": {"id": "c1", "name": "ls", "args": {"path": "/srv"}}},
                model="test-1",
                usageMetadata={
                    "promptTokenCount": 100,
                    "cachedContentTokenCount": 70,
                    "candidatesTokenCount": 8,
                },
            ),
            qwen(
                3,
                "tool_result",
                {"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "a.txt"}}},
                toolCallResult={"callId": "c1"},
            ),
            qwen(4, "system", subtype="ui_telemetry", systemPayload={}),
            qwen(5, "assistant", {"text": "One file."}, model="test-1"),
        ),
    ),
    "hermes-session": (
        "hermes",
        document(
            {
                "session_id": "he-1",
                "model": "test-1",
                "platform": "cli",
                "system_prompt": "Be terse.",
                "tools": [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}],
                "messages": [
                    {"role": "user", "content": "count"},
                    {
                        "role": "assistant",
                        "content": "",
                        "tool_calls": [
                            {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
                        ],
                    },
                    {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
                ],
            }
        ),
    ),
    "vscode-rounds": (
        "vscode-chat",
        document(
            {
                "version": 3,
                "sessionId": "vs-1",
                "requests": [
                    {
                        "requestId": "q1",
                        "message": {"text": "count", "parts": []},
                        "variableData": {"variables": [{"name": "file:a.ts"}]},
                        "response": [{"value": "I look."}, {"value": "One file."}],
                        "result": {
                            "metadata": {
                                "toolCallRounds": [
                                    VSCODE_ROUND,
                                    {"id": "r2", "response": "One file.", "toolCalls": []},
                                ],
                                "toolCallResults": {"c1": {"content": [{"value": "a.txt"}]}},
                            }
                        },
                        "modelId": "test-1",
                    },
                    {
                        "requestId": "q2",
                        "message": {"text": "thanks", "parts": []},
                        "response": [
                            {"kind": "thinking", "value": "Polite."},
                            {"value": "You are "},
                            {"value": "welcome."},
                        ],
                        "modelId": "test-1",
                    },
                ],
            }
        ),
    ),
}


def kimi(kind: str, **fields: Any) -> Line:
    """An event of a step of Kimi."""
    return {"type": "context.append_loop_event", "time": 1, "event": {"type": kind, **fields}}


SITUATIONS["kimi-steps"] = (
    "kimi",
    lines(
        {"type": "metadata", "protocol_version": "1.4"},
        {"type": "config.update", "systemPrompt": "Be terse.", "model": "test-1"},
        {
            "type": "context.append_message",
            "message": {"role": "user", "content": [text("count")], "toolCalls": []},
        },
        kimi("step.begin", uuid="s1"),
        kimi("content.part", stepUuid="s1", part={"type": "think", "think": "Where?"}),
        kimi("tool.call", stepUuid="s1", toolCallId="c1", name="ls", args={"path": "/srv"}),
        kimi("tool.call", stepUuid="s1", toolCallId="c2", name="cat", args={}),
        kimi("tool.result", toolCallId="c2", result={"output": "no such file", "isError": True}),
        kimi("tool.result", toolCallId="c1", result={"output": "a.txt", "isError": False}),
        {
            "type": "usage.record",
            "usage": {"inputOther": 9, "output": 5, "inputCacheRead": 80},
            "model": "test-1",
        },
        kimi("step.end", uuid="s1", finishReason="tool_calls"),
        kimi("step.begin", uuid="s2"),
        kimi("content.part", stepUuid="s2", part=text("One file.")),
    ),
)
SITUATIONS["antigravity-steps"] = (
    "antigravity",
    lines(
        {"step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": "count"},
        {"step_index": 1, "source": "SYSTEM", "type": "CONVERSATION_HISTORY", "content": ""},
        {
            "step_index": 2,
            "source": "MODEL",
            "type": "PLANNER_RESPONSE",
            "content": "I look.",
            "tool_calls": [{"name": "list_dir", "args": {"path": "/srv"}}],
        },
        {"step_index": 3, "source": "MODEL", "type": "LIST_DIRECTORY", "content": "a.txt"},
        {"step_index": 4, "source": "MODEL", "type": "PLANNER_RESPONSE", "content": "One file."},
    ),
)
