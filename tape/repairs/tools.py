"""Mends tool declarations, the names and inputs of calls, and how a tool is to be chosen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace

from tape.model import Block, Json, Session, ToolSpec, ToolUse, json_text
from tape.repairs.blocks import change_blocks
from tape.repairs.ways import Uids, Way
from tape.wire import tool_json

REFUSED_SIGN = re.compile(r"[^a-zA-Z0-9_-]")
LONGEST = 64
PLACE = re.compile(r"tools\[(\d+)\]")


def clean_name(name: str) -> str:
    """A name that every endpoint takes: up to 64 letters, digits, ``_`` and ``-``, no digit or dash first."""
    clean = REFUSED_SIGN.sub("_", name) or "tool"
    return (clean if clean[0].isalpha() or clean[0] == "_" else f"_{clean}")[:LONGEST]


def _indexes(session: Session, uids: Uids) -> list[int]:
    """The tools that are named by their place (``tools[0].name``)."""
    places = [PLACE.match(uid) for uid in uids]
    return [int(p[1]) for p in places if p and int(p[1]) < len(session.tools or ())]


def _calls(session: Session, names: Iterable[str]) -> list[str]:
    wanted = set(names)
    heads = (head for entry in session.messages for head in entry.heads)
    return [
        h.uid for h in heads if h.kind == "tool_use" and (h.name or "") in wanted and "server" not in h.flags
    ]


def _clean_names(session: Session, uids: Uids) -> Session:
    """Cleans a tool's name where it is declared and in every call of it."""
    tools = session.tools or ()
    heads = [head for entry in session.messages for head in entry.heads if head.uid in uids]
    names = {tools[n].name for n in _indexes(session, uids)} | {head.name or "" for head in heads}
    new: dict[str, str] = {}
    taken = {tool.name for tool in tools}
    for name in sorted(names):
        clean = clean_name(name)
        if clean != name:
            new[name] = clean if clean not in taken else _free(clean, taken)
            taken.add(new[name])
    if not new:
        return session
    declared = tuple(_renamed(tool, new.get(tool.name, tool.name)) for tool in tools)
    after = replace(session, tools=declared if session.tools is not None else None)

    def named(block: Block) -> Block:
        return replace(block, name=new[block.name], raw=None) if isinstance(block, ToolUse) else block

    return change_blocks(after, _calls(session, new), named)


def _renamed(tool: ToolSpec, name: str) -> ToolSpec:
    if tool.name == name:
        return tool
    return replace(tool, name=name, raw={**tool_json(tool), "name": name})


def _free(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name[: LONGEST - 3]}_{number}" in taken:
        number += 1
    return f"{name[: LONGEST - 3]}_{number}"


def _twins(session: Session, uids: Uids) -> list[int]:
    """The tools whose name an earlier one has, of those names that are meant."""
    tools = session.tools or ()
    names = {tools[n].name for n in _indexes(session, uids)}
    return [n for n, t in enumerate(tools) if t.name in names and t.name in {u.name for u in tools[:n]}]


def _identical(session: Session, uids: Uids) -> bool:
    tools = session.tools or ()
    return all(tool_json(tools[n]) in [tool_json(t) for t in tools[:n]] for n in _twins(session, uids))


def _different(session: Session, uids: Uids) -> bool:
    return not _identical(session, uids)


def _drop_twin(session: Session, uids: Uids) -> Session:
    gone = _twins(session, uids)
    if not gone:
        return session
    return replace(session, tools=tuple(t for n, t in enumerate(session.tools or ()) if n not in gone))


def _rename_twin(session: Session, uids: Uids) -> Session:
    gone = _twins(session, uids)
    if not gone:
        return session
    tools = list(session.tools or ())
    for n in gone:
        tools[n] = _renamed(tools[n], _free(tools[n].name, {tool.name for tool in tools}))
    return replace(session, tools=tuple(tools))


def _object_input(session: Session, uids: Uids) -> Session:
    """Makes the input of calls an object: parsed where it is one as text, else wrapped."""

    def change(block: Block) -> Block:
        if not isinstance(block, ToolUse) or isinstance(block.input, dict):
            return block
        value = _as_object(block.input if block.arguments is None else block.arguments)
        written = None if block.arguments is None else json_text(value)
        return replace(block, input=value, arguments=written, raw=None)

    return change_blocks(session, uids, change)


def _as_object(value: Json) -> dict[str, Json]:
    if isinstance(value, str):
        try:
            parsed = json.loads(value or "{}")
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, dict):
            return parsed
    return {} if value is None else {"arguments": value}


def _arguments_as_text(session: Session, uids: Uids) -> Session:
    def change(block: Block) -> Block:
        if not isinstance(block, ToolUse) or block.raw is None:
            return block
        return replace(block, arguments=json_text(block.input), raw=None)

    return change_blocks(session, uids, change)


def _declare(session: Session, uids: Uids) -> Session:
    """Declares the tools that calls name and no declaration has: all of them, or those of these calls."""
    heads = [head for entry in session.messages for head in entry.heads]
    calls = [h for h in heads if h.kind == "tool_use" and "server" not in h.flags and h.name]
    named = [h for h in calls if h.uid in uids]
    known = {tool.name for tool in session.tools or ()}
    names = dict.fromkeys(h.name for h in named or calls if h.name and h.name not in known)
    if not names:
        return session
    specs = tuple(ToolSpec(name, "", {"type": "object"}) for name in names)
    return replace(session, tools=(*(session.tools or ()), *specs))


def _calls_something(session: Session, uids: Uids) -> bool:
    """Whether there are tools to declare, under names that may be declared."""
    after = _declare(session, uids)
    added = (after.tools or ())[len(session.tools or ()) :]
    return bool(added) and all(clean_name(tool.name) == tool.name for tool in added)


def _without(session: Session, *names: str) -> Session:
    if not any(name in session.params for name in names):
        return session
    return replace(session, params={k: v for k, v in session.params.items() if k not in names})


def _drop_choice(session: Session, uids: Uids) -> Session:
    return session if session.tools else _without(session, "tool_choice")


def _free_choice(session: Session, uids: Uids) -> Session:
    choice = session.params.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") not in ("any", "tool"):
        return session
    kept = {k: v for k, v in choice.items() if k not in ("type", "name")}
    return replace(session, params={**session.params, "tool_choice": {"type": "auto", **kept}})


DECLARE = Way(
    "declare", "Declare the tools", "Declared the tools that are called", _declare, fits=_calls_something
)
WAYS: dict[str, tuple[Way, ...]] = {
    "bad-tool-name": (Way("clean", "Clean the name", "Cleaned the tool name at {place}", _clean_names),),
    "duplicate-tool-name": (
        Way("drop", "Remove the copy", "Removed the copy at {place}", _drop_twin, fits=_identical),
        Way("rename", "Rename the second", "Renamed the tool at {place}", _rename_twin, fits=_different),
    ),
    "input-not-object": (
        Way("wrap", "Make it an object", "Made the input at {place} an object", _object_input),
    ),
    "invalid-arguments-json": (
        Way("wrap", "Make it an object", "Made the arguments at {place} an object", _object_input),
    ),
    "arguments-not-string": (
        Way("text", "Write them as text", "Wrote the arguments at {place} as text", _arguments_as_text),
    ),
    "undeclared-tool": (DECLARE,),
    "tools-required": (DECLARE,),
    "tool-choice-without-tools": (
        Way("drop", "Remove the choice", "Removed the tool choice of a request without tools", _drop_choice),
    ),
    "forced-tool-choice": (
        Way("auto", "Let the model choose", "Left the choice of a tool to the model", _free_choice),
    ),
}
