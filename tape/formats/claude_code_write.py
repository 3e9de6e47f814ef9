"""Makes a Claude Code session file of any session: one line a block for replies, one line for the rest.

What the form has no place for is said, not hidden: it holds no system prompt, no tool definitions and no
parameters, and every line needs a time.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from tape.formats.base import Dumped
from tape.formats.claude_code_make import Maker
from tape.json_style import Escapes, Layout, dumps
from tape.model import Session, json_text
from tape.notes import Note

COMPACT = Layout(comma=",", colon=":")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def write(session: Session) -> Dumped:
    """The session as the bytes of a Claude Code session file, and what that file cannot say."""
    maker = Maker(_session_id(session), session.model)
    template: dict[str, Any] = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/",
        "sessionId": maker.session_id,
        "version": "2.1.0",
        "gitBranch": "",
        "type": "user",
        "message": {},
        "uuid": "",
        "timestamp": "",
    }
    calls = {call.message_uid: call for call in session.calls}
    lines: list[str] = []
    parent: str | None = None
    unknown_times = 0
    at = ""
    for number, entry in enumerate(session.messages):
        call = calls.get(entry.uid)
        said = entry.meta.get("timestamp") or entry.provenance.at or (call.at if call else None)
        unknown_times += not said
        at = said or at or _moment(number)
        for line in maker.lines(entry, template, parent, at, call):
            for key, flag in (("is_meta", "isMeta"), ("compact_summary", "isCompactSummary")):
                if entry.meta.get(key):
                    line[flag] = True
            lines.append(dumps(line, COMPACT, Escapes()) + "\n")
            parent = line["uuid"]
    return Dumped("".join(lines).encode(), tuple(_losses(session, unknown_times)))


def _session_id(session: Session) -> str:
    try:
        return str(UUID(session.id))
    except ValueError:
        first = json_text([[head.chars for head in entry.heads] for entry in session.messages[:20]])
        return str(uuid5(NAMESPACE_URL, f"tapedeck/{session.format}/{session.id}/{session.title}/{first}"))


def _moment(number: int) -> str:
    moment = EPOCH + timedelta(milliseconds=number)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _losses(session: Session, unknown_times: int) -> list[Note]:
    losses: list[Note] = []
    if session.system is not None:
        losses.append(Note("system", "system-left-out", "A Claude Code file holds no system prompt."))
    if session.tools is not None:
        losses.append(Note("tools", "tools-left-out", "A Claude Code file holds no tool definitions."))
    for key in session.params.keys() - {"model"}:
        losses.append(Note(key, "parameter-left-out", f"A Claude Code file holds no {key}."))
    for i, entry in enumerate(session.messages):
        if entry.role == "system":
            text = "A Claude Code file holds no system message; it was written as a user message."
            losses.append(Note(f"messages[{i}]", "role-changed", text))
    if session.lanes:
        text = f"{len(session.lanes)} sub-agents have files of their own, which were not written."
        losses.append(Note("", "lanes-left-out", text))
    if session.branches:
        losses.append(Note("", "branches-left-out", f"{len(session.branches)} branches were not written."))
    if unknown_times:
        text = f"{unknown_times} messages have no known time; their lines repeat the time before them."
        losses.append(Note("", "times-made-up", text))
    return losses
