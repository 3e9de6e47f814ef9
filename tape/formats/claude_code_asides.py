"""Lines of a Claude Code session that are no messages: what they are called and what they say in one line.

Counted over 818 files of versions 2.0.64 to 2.1.185. A type or subtype that is not listed here is kept in
the same way and reported as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tape.model import Json

LONGEST: Final = 300
KNOWN_TYPES: Final = frozenset(
    {
        "agent-name",
        "agent-setting",
        "ai-title",
        "bridge-session",
        "custom-title",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "summary",
        "worktree-state",
    }
)
SYSTEM_SUBTYPES: Final = frozenset(
    {
        "api_error",
        "away_summary",
        "bridge_status",
        "compact_boundary",
        "informational",
        "local_command",
        "microcompact_boundary",
        "scheduled_task_fire",
        "stop_hook_summary",
        "turn_duration",
    }
)
SEEN_BY_THE_MODEL: Final = frozenset(
    {
        "agent_listing_delta",
        "auto_mode",
        "compact_file_reference",
        "date_change",
        "deferred_tools_delta",
        "directory",
        "dynamic_skill",
        "edited_text_file",
        "file",
        "hook_additional_context",
        "invoked_skills",
        "mcp_instructions_delta",
        "nested_memory",
        "read_truncation_notice",
        "relevant_memories",
        "skill_listing",
        "task_reminder",
        "todo_reminder",
        "total_tokens_reminder",
    }
)
NOT_SEEN: Final = frozenset(
    {
        "budget_usd",
        "command_permissions",
        "goal_status",
        "hook_success",
        "hook_system_message",
        "max_turns_reached",
        "structured_output",
        "task_status",
    }
)


@dataclass(frozen=True, slots=True)
class Remark:
    """What a line that is no message is.

    ``kind`` is for the aside, ``group`` for the import report (its type, with the subtype behind a slash),
    ``text`` one line; ``injected`` where the model saw it, ``known`` where its type is listed here.
    """

    kind: str
    group: str
    text: str
    injected: bool = False
    known: bool = True


def remark(record: Mapping[str, Any]) -> Remark:
    """Describes one line that is no message. Never raises on data."""
    kind = record.get("type")
    if not isinstance(kind, str):
        return Remark("untyped", "(no type)", "", known=False)
    if kind == "system":
        return _system(record)
    if kind == "attachment":
        return _attachment(record)
    if kind == "progress":
        return _progress(record)
    known = kind in KNOWN_TYPES
    return Remark(kind, kind, _text_of(record, kind), known=known)


def _system(record: Mapping[str, Any]) -> Remark:
    subtype = record.get("subtype")
    if not isinstance(subtype, str):
        return Remark("system", "system", one_line(record.get("content")))
    text = one_line(record.get("content"))
    data = record.get("compactMetadata") or record.get("microcompactMetadata")
    if isinstance(data, dict):
        facts = ", ".join(
            f"{k} {data[k]}" for k in ("trigger", "preTokens", "postTokens", "tokensSaved") if k in data
        )
        text = f"{text} ({facts})" if text and facts else text or facts
    return Remark(subtype, f"system/{subtype}", text, known=subtype in SYSTEM_SUBTYPES)


def _attachment(record: Mapping[str, Any]) -> Remark:
    value = record.get("attachment")
    attachment = value if isinstance(value, dict) else {}
    subtype = attachment.get("type")
    if not isinstance(subtype, str):
        return Remark("attachment", "attachment", "", known=False)
    text = next(
        (
            line
            for key in ("content", "prompt", "text", "message", "filename", "displayPath", "path", "command")
            if (line := one_line(attachment.get(key)))
        ),
        "",
    )
    return Remark(
        subtype,
        f"attachment/{subtype}",
        text,
        injected=subtype in SEEN_BY_THE_MODEL or subtype.startswith("plan_mode"),
        known=subtype in SEEN_BY_THE_MODEL or subtype in NOT_SEEN or subtype.startswith("plan_mode"),
    )


def _progress(record: Mapping[str, Any]) -> Remark:
    value = record.get("data")
    data = value if isinstance(value, dict) else {}
    kind = data.get("type")
    text = one_line(data.get("hookName")) or one_line(data.get("query")) or one_line(data.get("output"))
    return Remark(kind if isinstance(kind, str) else "progress", "progress", text)


def _text_of(record: Mapping[str, Any], kind: str) -> str:
    if kind == "queue-operation":
        return " ".join(filter(None, (one_line(record.get("operation")), one_line(record.get("content")))))
    for key in (
        "summary",
        "customTitle",
        "aiTitle",
        "title",
        "lastPrompt",
        "agentName",
        "permissionMode",
        "mode",
    ):
        if line := one_line(record.get(key)):
            return line
    return one_line(record.get("content"))


def one_line(value: Json) -> str:
    """The first three hundred characters of a text or of the texts in a list; nothing for other values."""
    if isinstance(value, list):
        value = " ".join(v["text"] for v in value if isinstance(v, dict) and isinstance(v.get("text"), str))
    if not isinstance(value, str):
        return ""
    line = " ".join(value[: 2 * LONGEST].split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
