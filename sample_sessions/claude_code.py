"""Writes the sample in the form Claude Code keeps its sessions in; all of its content is invented.

It has what makes that form hard to read: one response over several lines with its results between them, a
prompt that was asked again in other words, a sub-agent in a file of its own, a compaction, and lines that are
no messages. The shape follows sessions of version 2.1; see ``docs/`` for the formats that are read.
"""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

SESSION = "5d0c7a52-8f1e-5b1c-9a44-6f1f2c0de001"
AGENT = "a51c0de"
MODEL = "claude-sonnet-4-5"
STARTED = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

README = "# Teapot\n\nA small web server that answers 418 to everything.\n"
SETTINGS = "[server]\nport = 8080\ntimeout = 10\n"
SERVER = 'import os\n\nPORT = int(os.environ.get("PORT", settings["server"]["port"]))\n'
FOUND = "timeout is used twice: server.py line 41 (accept) and client.py line 12 (connect)."
SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. Summary: Teapot "
    "is a small web server. settings.toml sets port 8080, the environment variable PORT wins over it. The "
    "timeout is 10 seconds, read in server.py line 41 and client.py line 12."
)


class Log:
    """The lines of one session file, each child of the line before it unless told otherwise."""

    def __init__(self, label: str, **common: Any) -> None:
        self.lines: list[dict[str, Any]] = []
        self._label, self._common, self._parent = label, common, None

    def add(self, kind: str, *, parent: str | None = None, root: bool = False, **fields: Any) -> str:
        """Adds a line of the tree and gives its uuid."""
        number = len(self.lines)
        own = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self._label}/{number}"))
        above = None if root else parent or self._parent
        head = {"parentUuid": above, "isSidechain": False, "userType": "external", "cwd": "/srv/teapot"}
        fixed = {
            "sessionId": SESSION,
            "version": "2.1.144",
            "gitBranch": "main",
            **self._common,
            "type": kind,
        }
        self.lines.append({**head, **fixed, **fields, "uuid": own, "timestamp": self._now()})
        self._parent = own
        return own

    def user(self, content: Any, **fields: Any) -> str:
        """A user line."""
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def result(self, call: str, text: str, **fields: Any) -> str:
        """A user line that only answers a call."""
        return self.user([{"tool_use_id": call, "type": "tool_result", "content": text}], **fields)

    def assistant(self, response: str, block: dict[str, Any], sent: int, cached: int, output: int) -> str:
        """One line of a response. ``sent`` and ``cached`` are its fresh and cached prompt tokens."""
        usage = {
            "input_tokens": sent,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": cached,
            "output_tokens": output,
            "service_tier": "standard",
        }
        head = {"model": MODEL, "id": response, "type": "message", "role": "assistant", "content": [block]}
        message = {**head, "stop_reason": None, "stop_sequence": None, "usage": usage}
        return self.add("assistant", message=message, requestId=response.replace("msg", "req"))

    def aside(self, kind: str, **fields: Any) -> None:
        """A line outside the tree: bookkeeping that no model saw."""
        self.lines.append({"type": kind, **fields, "sessionId": SESSION})

    def _now(self) -> str:
        moment = STARTED + timedelta(seconds=7 * len(self.lines))
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def text(self) -> str:
        """The file."""
        return "".join(
            json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in self.lines
        )


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words}


def call(id: str, name: str, **input: Any) -> dict[str, Any]:
    """A tool_use block."""
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def files() -> dict[str, str]:
    """The session file and its sub-agent's file, by their paths inside ``sample_sessions/``."""
    log = Log("main")
    log.aside("ai-title", aiTitle="Where the teapot's port and timeout are set")
    log.user("What is this project, in one line?", root=True)
    log.assistant(
        "msg_sample01", call("toolu_sample01", "Read", file_path="/srv/teapot/README.md"), 2210, 0, 61
    )
    log.result("toolu_sample01", README, toolUseResult={"type": "text", "file": {"numLines": 3}})
    first = log.assistant(
        "msg_sample02", text("A small web server that answers 418 to everything."), 84, 2210, 15
    )

    log.user("Which file sets the port?")
    log.assistant(
        "msg_sample03",
        text("Two files mention a port. Do you mean settings.toml or server.py?"),
        38,
        2294,
        18,
    )

    log.user(
        "Read settings.toml and server.py together: which one sets the port, and which wins?", parent=first
    )
    thought = {"type": "thinking", "thinking": "Two files, no order between them: read both at once."}
    log.assistant("msg_sample04", {**thought, "signature": "c2FtcGxlIHNpZ25hdHVyZQ=="}, 52, 2294, 4)
    log.assistant(
        "msg_sample04", call("toolu_sample02", "Read", file_path="/srv/teapot/settings.toml"), 52, 2294, 4
    )
    log.result("toolu_sample02", SETTINGS, toolUseResult={"type": "text", "file": {"numLines": 3}})
    log.assistant(
        "msg_sample04", call("toolu_sample03", "Read", file_path="/srv/teapot/server.py"), 52, 2294, 139
    )
    log.result("toolu_sample03", SERVER, toolUseResult={"type": "text", "file": {"numLines": 3}})
    log.assistant(
        "msg_sample05",
        text("settings.toml sets port 8080; server.py lets the environment variable PORT win over it."),
        196,
        2346,
        27,
    )
    log.add("system", subtype="turn_duration", durationMs=21400, isMeta=False)

    question = "Find every place where the timeout is used."
    log.user(question)
    task = {"description": "Find uses of timeout", "prompt": question, "subagent_type": "Explore"}
    log.assistant("msg_sample06", call("toolu_sample04", "Agent", **task), 31, 2542, 88)
    log.result(
        "toolu_sample04",
        FOUND,
        toolUseResult={
            "status": "completed",
            "prompt": question,
            "agentId": AGENT,
            "content": [text(FOUND)],
            "totalDurationMs": 9100,
            "totalTokens": 1395,
            "totalToolUseCount": 1,
        },
    )
    last = log.assistant("msg_sample07", text(FOUND[0].upper() + FOUND[1:]), 142, 2573, 31)

    log.add(
        "system",
        root=True,
        subtype="compact_boundary",
        content="Conversation compacted",
        isMeta=False,
        logicalParentUuid=last,
        compactMetadata={"trigger": "manual", "preTokens": 2746},
    )
    log.user(SUMMARY, isCompactSummary=True, isVisibleInTranscriptOnly=True)
    log.user("Set the timeout to 30 seconds.")
    edit = {
        "file_path": "/srv/teapot/settings.toml",
        "old_string": "timeout = 10",
        "new_string": "timeout = 30",
    }
    log.assistant("msg_sample08", call("toolu_sample05", "Edit", **edit), 2395, 0, 97)
    log.result("toolu_sample05", "The file /srv/teapot/settings.toml has been updated.")
    log.assistant(
        "msg_sample09",
        text("The timeout is now 30 seconds, for accepting and for connecting."),
        121,
        2395,
        19,
    )
    log.aside("last-prompt", lastPrompt="Set the timeout to 30 seconds.")

    agent = Log("agent", isSidechain=True, agentId=AGENT)
    agent.user(question, root=True)
    agent.assistant(
        "msg_sample10", call("toolu_sample06", "Grep", pattern="timeout", path="/srv/teapot"), 1180, 0, 58
    )
    agent.result("toolu_sample06", "server.py:41: accept(timeout)\nclient.py:12: connect(timeout)")
    agent.assistant("msg_sample11", text(FOUND), 96, 1180, 31)

    session = "claude-code/teapot"
    return {f"{session}.jsonl": log.text(), f"{session}/subagents/agent-{AGENT}.jsonl": agent.text()}
