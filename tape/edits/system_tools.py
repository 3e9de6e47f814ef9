"""Sets what stands beside the array: the system prompt and the tool list."""

from __future__ import annotations

from dataclasses import replace

from tape.edits.build import Fresh, check_block, rewrite
from tape.edits.operations import SetSystem, SetTools
from tape.edits.replace import with_content
from tape.edits.settle import settle
from tape.edits.targets import plural
from tape.errors import UserError
from tape.model import Json, Session, ToolSpec
from tape.wire import parse_tool, tool_json


def set_system(session: Session, operation: SetSystem) -> Session:
    """The session with that system prompt: where its format keeps one, which may be the first message."""
    system = operation.system
    for i, block in enumerate(system if isinstance(system, list) else ()):
        check_block(block, f"system[{i}]")
    if not _inside(session):
        return replace(session, system=system)
    if system is None:
        return settle(session, session.messages[1:])
    first = session.messages[0]
    fresh = Fresh(session.serial)
    blocks, form = with_content(first, system, fresh)
    changed = rewrite(first, blocks, meta={"content_form": form})
    return settle(session, (changed, *session.messages[1:]), serial=fresh.serial)


def _inside(session: Session) -> bool:
    """Whether the system prompt is the first message of the array."""
    return session.system is None and bool(session.messages) and session.messages[0].role == "system"


def set_tools(session: Session, operation: SetTools) -> Session:
    """The session with those tools; declarations that did not change are kept as they were written."""
    if operation.tools is None:
        return replace(session, tools=None)
    old = list(session.tools or ())
    return replace(session, tools=tuple(_tool(v, old, f"tools[{i}]") for i, v in enumerate(operation.tools)))


def _tool(value: Json, old: list[ToolSpec], where: str) -> ToolSpec:
    kept = next((spec for spec in old if value in (spec.raw, tool_json(spec))), None)
    if kept is not None:
        return kept
    function = value.get("function")
    if value.get("type") == "function" and isinstance(function, dict):
        value = {
            "name": function.get("name"),
            "description": function.get("description", ""),
            "input_schema": function.get("parameters", {"type": "object"}),
        }
    if not isinstance(value.get("name"), str) or not value["name"]:
        raise UserError("A tool needs a name.", where=f"{where}.name")
    return parse_tool(value)


def system_sentence(session: Session, operation: SetSystem) -> str:
    """``Changed the system prompt``."""
    had = session.system is not None or _inside(session)
    if operation.system is None:
        return "Removed the system prompt" if had else "Left the system prompt out"
    return "Changed the system prompt" if had else "Added a system prompt"


def tools_sentence(operation: SetTools) -> str:
    """``Set the tool list to 2 tools``."""
    if operation.tools is None:
        return "Removed the tool list"
    return f"Set the tool list to {plural(len(operation.tools), 'tool')}"
