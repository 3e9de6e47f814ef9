"""Small logs of coding agents in editors and terminals, one a situation; all of it invented."""

from __future__ import annotations

from typing import Any

from tests.formats.log_lines import Line, document, lines


def use(id: str | None, name: str, **input: Any) -> Line:
    """A call in the Anthropic form."""
    return {"type": "tool_use", **({"id": id} if id else {}), "name": name, "input": input}


def text(words: str) -> Line:
    """A text block."""
    return {"type": "text", "text": words}


def copilot(number: int, kind: str, **data: Any) -> Line:
    """An event of Copilot CLI; each hangs on the one before."""
    parent = f"e{number - 1}" if number > 1 else None
    return {
        "type": kind,
        "data": data,
        "id": f"e{number}",
        "timestamp": "2026-02-03T04:05:06Z",
        "parentId": parent,
    }


def pi(number: int, parent: int | None, kind: str, **fields: Any) -> Line:
    """An entry of Pi."""
    own = {"id": f"p{number}", "parentId": None if parent is None else f"p{parent}"}
    return {"type": kind, **own, "timestamp": "2026-02-03T04:05:06Z", **fields}


def pi_said(number: int, parent: int | None, role: str, words: str, **fields: Any) -> Line:
    """A message entry of Pi."""
    return pi(number, parent, "message", message={"role": role, "content": [text(words)], **fields})


PI_HEAD = {"type": "session", "version": 3, "id": "pi-1", "timestamp": "2026-02-03T04:05:06Z", "cwd": "/srv"}
PI_REPLY = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "Look first", "thinkingSignature": "c2ln"},
        {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}},
    ],
    "api": "anthropic-messages",
    "model": "test-1",
    "usage": {"input": 5, "output": 20, "cacheRead": 90, "cacheWrite": 7, "cost": {"total": 0.0000031}},
    "stopReason": "toolUse",
}
PI_RESULT = {
    "role": "toolResult",
    "toolCallId": "c1",
    "toolName": "bash",
    "content": [text("a.txt"), {"type": "image", "data": "AA==", "mimeType": "image/png"}],
    "isError": False,
}
METRICS = {
    "inputTokens": 100,
    "outputTokens": 9,
    "cacheReadTokens": 60,
    "cacheWriteTokens": 10,
    "cost": 0.0001,
}
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "cline-sdk-session": (
        "cline",
        document(
            {
                "version": 1,
                "sessionId": "cl-1",
                "messages": [
                    {
                        "id": "u1",
                        "role": "user",
                        "content": [
                            text("move it"),
                            {"type": "file", "path": "/srv/a.ts", "content": "let a"},
                        ],
                        "ts": 1,
                    },
                    {
                        "id": "a1",
                        "role": "assistant",
                        "content": [text("I look."), use("t1", "read", path="a.ts")],
                        "ts": 2,
                        "modelInfo": {"id": "test-1"},
                        "metrics": METRICS,
                    },
                    {
                        "id": "r1",
                        "role": "user",
                        "content": [
                            {
                                "type": "tool_result",
                                "tool_use_id": "t1",
                                "name": "read",
                                "content": [{"query": "a.ts", "result": "let a = 1", "success": True}],
                            }
                        ],
                        "ts": 3,
                    },
                ],
                "system_prompt": "You move things.",
            }
        ),
    ),
    "cline-textual-results": (
        "cline",
        document(
            [
                {"role": "user", "content": [text("<task>\nmove it\n</task>")]},
                {"role": "assistant", "content": [use("t1", "read_file", path="a"), use("t2", "list_files")]},
                {
                    "role": "user",
                    "content": [
                        text("[read_file for 'a'] Result:"),
                        text("let a = 1"),
                        text("[list_files] Result:\na.ts"),
                        text("<environment_details>\n# VSCode Visible Files\n</environment_details>"),
                    ],
                },
            ]
        ),
    ),
    "copilot-cli-parallel-calls": (
        "copilot-cli",
        lines(
            copilot(1, "session.start", sessionId="co-1", copilotVersion="1.0", selectedModel="test-1"),
            copilot(2, "system.message", role="system", content="Be terse."),
            copilot(
                3,
                "user.message",
                content="count",
                transformedContent="<now>noon</now>\ncount",
                attachments=[],
            ),
            copilot(4, "assistant.turn_start", turnId="0"),
            copilot(
                5,
                "assistant.message",
                messageId="r1",
                content="",
                toolRequests=[
                    {"toolCallId": "c1", "name": "bash", "arguments": {"command": "ls"}},
                    {"toolCallId": "c2", "name": "view", "arguments": {"path": "x"}},
                ],
                reasoningText="Look first",
                reasoningOpaque="b3BhcXVl",
                outputTokens=33,
            ),
            copilot(6, "tool.execution_start", toolCallId="c1", toolName="bash", arguments={"command": "ls"}),
            copilot(
                7,
                "tool.execution_complete",
                toolCallId="c2",
                success=False,
                error={"message": "no such file"},
            ),
            copilot(8, "tool.execution_complete", toolCallId="c1", success=True, result={"content": "a.txt"}),
            copilot(9, "assistant.turn_end", turnId="0"),
            copilot(
                10, "assistant.message", messageId="r2", content="One file.", toolRequests=[], outputTokens=4
            ),
            copilot(11, "session.shutdown", modelMetrics={}),
        ),
    ),
    "pi-calls-and-image": (
        "pi",
        lines(
            PI_HEAD,
            pi(1, None, "model_change", provider="anthropic", modelId="test-1"),
            pi_said(2, 1, "user", "count"),
            pi(3, 2, "message", message=PI_REPLY),
            pi(4, 3, "message", message=PI_RESULT),
            pi_said(5, 4, "assistant", "One file.", model="test-1", stopReason="stop"),
            pi(6, 5, "custom_message", customType="hint", content="Hint: be kind.", display=True),
        ),
    ),
    "pi-branch-left": (
        "pi",
        lines(
            PI_HEAD,
            pi_said(1, None, "user", "one"),
            pi_said(2, 1, "assistant", "first answer"),
            pi_said(3, 2, "user", "wrong way"),
            pi_said(4, 3, "assistant", "lost"),
            pi(5, 2, "branch_summary", fromId="p4", summary="They went wrong."),
            pi_said(6, 5, "user", "right way"),
        ),
    ),
}
