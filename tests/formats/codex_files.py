"""Small rollouts of Codex for tests, one a situation, in the form that it writes; all of it invented."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.formats.log_lines import Line, lines


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


def codex_compacted() -> Iterable[Line]:
    """A round, a compaction that kept the prompt and put a summary behind it, and another round."""
    summary = "Another language model started to solve this problem.\nThe list is written."
    kept = [codex_said("user", text)["payload"] for text in ("write a list", summary)]
    yield from (CODEX_META, codex_said("user", "write a list"), event("user_message", message="write a list"))
    yield from (codex_call("c1", command=["tee"]), codex_counted(1000, 0, 50, 0), codex_output("c1", "ok"))
    yield from (codex_said("assistant", "Done."), codex_counted(2100, 900, 70, 0))
    yield codex("compacted", message="The list is written.", replacement_history=kept)
    yield from (event("context_compacted"), codex_said("user", "sort it"))
    yield from (codex_said("assistant", "Sorted."), codex_counted(2400, 900, 80, 0))


SITUATIONS: dict[str, tuple[str, bytes]] = {
    "codex-compacted": ("codex-rollout", lines(*codex_compacted())),
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
