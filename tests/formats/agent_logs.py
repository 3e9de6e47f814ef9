"""Small agent logs for tests, one a situation, each in the form its tool writes; all of it invented."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

Line = dict[str, Any]


def lines(*values: Any) -> bytes:
    """A JSONL file as JavaScript writes it."""
    return b"".join(json.dumps(v, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for v in values)


def document(value: Any) -> bytes:
    """A JSON document with an indent of two."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def codex(kind: str, **payload: Any) -> Line:
    """A line of a Codex rollout."""
    return {"timestamp": "2026-02-03T04:05:06.000Z", "type": kind, "payload": payload}


def item(kind: str, **fields: Any) -> Line:
    """A line with an item of the conversation."""
    return codex("response_item", type=kind, **fields)


def event(kind: str, **fields: Any) -> Line:
    """A line with an event that mirrors the conversation."""
    return codex("event_msg", type=kind, **fields)


def codex_said(role: str, text: str) -> Line:
    """A message item."""
    part = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": part, "text": text}])


def codex_counted(input: int, cached: int, output: int, reasoning: int) -> Line:
    """A token counter that runs on over the thread."""
    total = {
        "input_tokens": input,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": reasoning,
        "total_tokens": input + output,
    }
    return event("token_count", info={"total_token_usage": total, "model_context_window": 200000})


def codex_call(id: str, **arguments: Any) -> Line:
    """A call of the shell."""
    return item("function_call", name="shell", arguments=json.dumps(arguments), call_id=id)


def codex_output(id: str, output: Any, kind: str = "function_call_output") -> Line:
    """The output of a call."""
    return item(kind, call_id=id, output=output)


CODEX_META = codex(
    "session_meta",
    id="0c0d-ex",
    cwd="/srv/kiosk",
    cli_version="0.90.0",
    base_instructions={"text": "Be terse."},
)
CODEX_TURN = codex("turn_context", cwd="/srv/kiosk", model="gpt-test-1")
THOUGHT = item(
    "reasoning", summary=[{"type": "summary_text", "text": "Look first"}], encrypted_content="ZW5jcnlwdGVk"
)
PATCH = "*** Begin Patch\n*** Add File: a.txt\n+ü\n*** End Patch"


def codex_round() -> Iterable[Line]:
    """A prompt, a reply with two parallel calls and their outputs, the end."""
    yield from (
        CODEX_META,
        codex_said("developer", "<permissions instructions>ask</permissions instructions>"),
    )
    yield from (codex_said("user", "<environment_context>cwd</environment_context>"), CODEX_TURN)
    yield from (codex_said("user", "list the files"), event("user_message", message="list the files"))
    yield from (event("agent_reasoning", text="Look first"), THOUGHT)
    yield from (
        codex_call("c1", command=["ls"]),
        item("custom_tool_call", name="apply_patch", input=PATCH, call_id="c2"),
    )
    yield codex_counted(1000, 800, 50, 30)
    yield codex_output("c2", '{"output":"no\\n","metadata":{"exit_code":1}}', "custom_tool_call_output")
    yield codex_output("c1", "Chunk ID: 7\nWall time: 1 s\nProcess exited with code 0\nOutput:\na.txt")
    yield from (codex_counted(1000, 800, 50, 30), event("agent_message", message="One file."))
    yield from (codex_said("assistant", "One file."), codex_counted(2500, 2000, 120, 60))


SITUATIONS: dict[str, tuple[str, bytes]] = {
    "codex-parallel-calls": ("codex-rollout", lines(*codex_round())),
    "codex-old-form": (
        "codex-rollout",
        lines(
            {"id": "old-1", "timestamp": "2025-07-01T00:00:00Z", "instructions": "Be kind.", "git": {}},
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
            {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"},
            {"record_type": "state"},
            {"type": "function_call_output", "call_id": "c1", "output": {"content": "a", "success": False}},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
        ).replace(b"\n", b"\r\n"),
    ),
}

THREAD = {"type": "thread.started", "thread_id": "t-1"}
COMMAND = {
    "id": "item_1",
    "type": "command_execution",
    "command": "ls",
    "aggregated_output": "",
    "status": "in_progress",
}
SITUATIONS["codex-exec"] = (
    "codex-exec",
    lines(
        THREAD,
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "Look first"}},
        {"type": "item.started", "item": COMMAND},
        {
            "type": "item.completed",
            "item": {**COMMAND, "aggregated_output": "no such file", "exit_code": 2, "status": "failed"},
        },
        {
            "type": "item.completed",
            "item": {"id": "item_2", "type": "agent_message", "text": "Nothing here."},
        },
        {
            "type": "turn.completed",
            "usage": {"input_tokens": 900, "cached_input_tokens": 700, "output_tokens": 40},
        },
    ),
)


def swe_call(id: str, name: str, arguments: str) -> Line:
    """A call in the Chat Completions dialect."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def swe_round(id: str, command: str, answer: str) -> list[Line]:
    """A reply of SWE-agent and the observation behind it."""
    said = {
        "role": "assistant",
        "content": f"I run {command}",
        "thought": f"I run {command}",
        "agent": "main",
    }
    calls = [swe_call(id, "bash", json.dumps({"command": command}))]
    seen = {"role": "tool", "content": answer, "agent": "main", "message_type": "observation"}
    return [{**said, "message_type": "action", "tool_calls": calls}, {**seen, "tool_call_ids": [id]}]


SITUATIONS["swe-agent-same-id-twice"] = (
    "swe-agent",
    document(
        {
            "environment": "main",
            "trajectory": [{"action": "ls", "observation": "setup.py", "state": '{"cwd": "/srv"}'}],
            "history": [
                {
                    "role": "system",
                    "content": "You fix bugs.",
                    "agent": "main",
                    "message_type": "system_prompt",
                },
                {"role": "user", "content": "Fix the sum.", "agent": "main", "message_type": "observation"},
                *swe_round("call_1", "ls", "a.py"),
                *swe_round("call_1", "cat a.py", "x = 1 + 1"),
            ],
            "info": {"exit_status": "submitted", "model_stats": {"api_calls": 2, "tokens_sent": 30}},
        }
    ),
)
SITUATIONS["mini-swe-agent-tool-calls"] = (
    "mini-swe-agent",
    document(
        {
            "trajectory_format": "mini-swe-agent-1.1",
            "info": {"exit_status": "Submitted", "model_stats": {"instance_cost": 0.000005}},
            "messages": [
                {"role": "system", "content": "You fix bugs."},
                {"role": "user", "content": "Fix the sum."},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [swe_call("c1", "bash", '{"command":  "ls"}')],
                    "extra": {
                        "actions": [{"command": "ls", "tool_call_id": "c1"}],
                        "response": {
                            "id": "r1",
                            "model": "test-1",
                            "choices": [{"finish_reason": "tool_calls"}],
                            "usage": {
                                "prompt_tokens": 50,
                                "completion_tokens": 5,
                                "prompt_tokens_details": {"cached_tokens": 40},
                            },
                        },
                    },
                },
                {"role": "tool", "tool_call_id": "c1", "content": "<returncode>0</returncode>\na.py"},
                {"role": "exit", "content": "Submitted", "extra": {"exit_status": "Submitted"}},
            ],
        }
    ),
)
