"""Small agent logs for tests, one a situation, each in the form its tool writes; all of it invented."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.codex_files import SITUATIONS as CODEX
from tests.formats.editor_logs import SITUATIONS as OTHERS
from tests.formats.log_lines import Line, document, lines
from tests.formats.small_logs import SITUATIONS as SMALL

SITUATIONS: dict[str, tuple[str, bytes]] = {**OTHERS, **SMALL, **CODEX}

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

SITUATIONS["atif-result-without-id"] = (
    "atif",
    document(
        {
            "schema_version": "ATIF-v1.6",
            "session_id": "s-1",
            "agent": {"name": "a", "version": "1", "model_name": "test-1", "tool_definitions": []},
            "steps": [
                {"step_id": 1, "source": "system", "message": "Be brief."},
                {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "Sum it."}]},
                {
                    "step_id": 3,
                    "source": "agent",
                    "message": "I look.",
                    "reasoning_content": "Where?",
                    "tool_calls": [
                        {"tool_call_id": "c1", "function_name": "ls", "arguments": {"path": "/"}},
                        {"tool_call_id": "c2", "function_name": "cat", "arguments": {}},
                    ],
                    "observation": {
                        "results": [{"content": "a.py"}, {"source_call_id": "c2", "content": "1+1"}]
                    },
                    "metrics": {"prompt_tokens": 100, "completion_tokens": 9, "cached_tokens": 60},
                },
                {"step_id": 4, "source": "agent", "message": "Two.", "metrics": {"prompt_tokens": 130}},
            ],
        }
    ),
)


def hands(id: int, kind: str, **fields: Any) -> Line:
    """An event of OpenHands, version 1."""
    return {"id": f"e{id}", "timestamp": "2026-02-03T04:05:06", "kind": kind, **fields}


def hands_call(id: int, call: str, response: str, **arguments: Any) -> Line:
    """An action of OpenHands, version 1."""
    called = {"id": call, "name": "terminal", "arguments": json.dumps(arguments)}
    thought = [{"type": "text", "text": f"I run {call}"}] if call == "c1" else []
    fields = {"thought": thought, "tool_name": "terminal", "tool_call_id": call, "tool_call": called}
    return hands(id, "ActionEvent", source="agent", llm_response_id=response, **fields)


def hands_saw(id: int, call: str, text: str, *, is_error: bool = False) -> Line:
    """An observation of OpenHands, version 1."""
    held = {"kind": "TerminalObservation", "content": [{"type": "text", "text": text}], "is_error": is_error}
    return hands(
        id, "ObservationEvent", observation=held, action_id="e3", tool_name="terminal", tool_call_id=call
    )


SITUATIONS["openhands-v1-parallel-calls"] = (
    "openhands",
    lines(
        hands(1, "SystemPromptEvent", system_prompt={"type": "text", "text": "Help."}, tools=[]),
        hands(
            2,
            "MessageEvent",
            source="user",
            llm_message={"role": "user", "content": [{"type": "text", "text": "count files"}]},
        ),
        hands_call(3, "c1", "r1", command="ls"),
        hands_call(4, "c2", "r1", command="false"),
        hands_saw(5, "c1", "a.txt"),
        hands_saw(6, "c2", "exit 1", is_error=True),
        hands(7, "ConversationStateUpdateEvent", key="status", value="running"),
        hands(8, "MessageEvent", source="agent", llm_message={"role": "assistant", "content": "One file."}),
    ),
)


def v0_metadata(response: str, call: str, command: str) -> Line:
    """What ties an event of OpenHands, version 0, to a call."""
    calls = [swe_call(call, "execute_bash", json.dumps({"command": command}))]
    message = {"role": "assistant", "content": "I look.", "tool_calls": calls}
    choices = [{"finish_reason": "tool_calls", "message": message}]
    usage = {"prompt_tokens": 70, "completion_tokens": 6}
    held = {"id": response, "model": "test-1", "choices": choices, "usage": usage}
    return {"function_name": "execute_bash", "tool_call_id": call, "model_response": held}


SITUATIONS["openhands-v0-events"] = (
    "openhands",
    document(
        [
            {"id": 0, "source": "agent", "action": "system", "args": {"content": "Help.", "tools": None}},
            {
                "id": 1,
                "source": "user",
                "action": "message",
                "args": {"content": "count", "image_urls": None},
            },
            {
                "id": 2,
                "source": "user",
                "action": "recall",
                "args": {"query": "count"},
                "message": "Recalled",
            },
            {
                "id": 3,
                "source": "agent",
                "action": "run",
                "args": {"command": "ls", "thought": ""},
                "tool_call_metadata": v0_metadata("r1", "c1", "ls"),
            },
            {
                "id": 4,
                "source": "agent",
                "observation": "run",
                "cause": 3,
                "content": "a.txt",
                "extras": {"metadata": {"exit_code": 0}},
                "tool_call_metadata": v0_metadata("r1", "c1", "ls"),
            },
            {"id": 5, "source": "environment", "observation": "agent_state_changed", "content": ""},
            {"id": 6, "source": "agent", "action": "message", "args": {"content": "One file."}},
        ]
    ),
)


def tool_part(id: str, status: str, **state: Any) -> Line:
    """A tool part of opencode."""
    state = {"status": status, "input": {"command": id}, **state}
    return {"id": f"prt_{id}", "type": "tool", "callID": id, "tool": "bash", "state": state}


def step_finish(reason: str, *, output: int, reasoning: int) -> Line:
    """The end of a reply of opencode."""
    tokens = {"input": 3, "output": output, "reasoning": reasoning, "cache": {"read": 90, "write": 7}}
    return {"type": "step-finish", "reason": reason, "cost": 0.0000025, "tokens": tokens}


OPENCODE_PARTS: list[Line] = [
    {"type": "step-start"},
    {"type": "reasoning", "text": "Look first"},
    tool_part("c1", "completed", output="a.txt", title="ls"),
    tool_part("c2", "error", error="not allowed"),
    step_finish("tool-calls", output=20, reasoning=5),
    {"type": "step-start"},
    {"type": "text", "text": "One file."},
    step_finish("stop", output=4, reasoning=0),
]
SITUATIONS["opencode-several-replies-in-a-record"] = (
    "opencode",
    document(
        {
            "info": {"id": "ses_1", "title": "Files", "time": {"created": 1}},
            "messages": [
                {
                    "info": {"id": "msg_1", "role": "user", "time": {"created": 1}},
                    "parts": [
                        {"type": "text", "text": "count the files"},
                        {"type": "text", "text": "Called the Read tool", "synthetic": True},
                        {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AA=="},
                    ],
                },
                {
                    "info": {"id": "msg_2", "role": "assistant", "modelID": "test-1", "finish": "stop"},
                    "parts": OPENCODE_PARTS,
                },
            ],
        }
    ),
)
SITUATIONS["opencode-run"] = (
    "opencode-run",
    lines(
        *(
            {
                "type": part["type"].replace("-", "_"),
                "timestamp": i,
                "sessionID": "ses_1",
                "part": {"messageID": f"msg_{i // 5}", "id": f"prt_{i}", **part},
            }
            for i, part in enumerate(OPENCODE_PARTS)
        )
    ),
)
