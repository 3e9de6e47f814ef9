"""Which declared tool reads, lists, runs, writes or edits, going by its name and its parameters.

Agents name the same tool differently (``read_file``, ``Read``, ``view``). Skills ask for a verb; this file
finds the declared tool that does it, and reads the calls that the array already holds the same way.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Literal

from tape.endpoint.reply import Ask
from tape.endpoint.seen import Call, Declared, Seen

Verb = Literal["read", "list", "run", "write", "edit"]

NAMES: dict[Verb, tuple[str, ...]] = {
    "read": ("read_file", "read", "view_file", "view", "open_file", "cat"),
    "list": ("list_files", "list_directory", "list_dir", "ls", "glob"),
    "run": ("run_bash", "bash", "shell", "run_command", "execute_command"),
    "write": ("write_file", "write", "create_file"),
    "edit": ("edit_file", "edit", "str_replace"),
}
PARAMETERS: dict[str, tuple[str, ...]] = {
    "path": ("path", "file_path", "filename", "file", "target_file"),
    "command": ("command", "cmd"),
    "text": ("content", "text", "contents", "file_text"),
    "old": ("old_text", "old_string", "old_str", "old"),
    "new": ("new_text", "new_string", "new_str", "new"),
    "pattern": ("pattern",),
}


@dataclass(frozen=True, slots=True)
class Act:
    """What a call of the array did: its verb and the parts of its input that the script understands."""

    verb: Verb
    path: str = ""
    command: str = ""
    text: str = ""
    old: str = ""
    new: str = ""


def ask(seen: Seen, verb: Verb, **values: str) -> Ask | None:
    """The call that does ``verb``, or ``None`` when no declared tool does it.

    Without a reading or listing tool a shell will do (``cat``, ``ls``); nothing replaces the others.
    """
    tool = _tool(seen, verb)
    if tool is not None:
        if verb == "list" and "pattern" in tool.required:
            values = {"pattern": "**/*", **values}
        return Ask(tool.name, {_parameter(tool, role): value for role, value in values.items()})
    if verb == "read" and _tool(seen, "run"):
        return ask(seen, "run", command=f"cat {shlex.quote(values['path'])}")
    if verb == "list" and _tool(seen, "run"):
        return ask(seen, "run", command="ls")
    return None


def act(call: Call) -> Act | None:
    """What a call of the array did, or ``None`` for a tool the script knows nothing about."""
    name = call.name.lower()
    verb = next((v for v, names in NAMES.items() if name in names), None)
    if verb is None:
        return None
    parts = {role: _value(call, names) for role, names in PARAMETERS.items() if role != "pattern"}
    if verb == "run":
        shown = re.fullmatch(r"\s*cat\s+(\S+)\s*", parts["command"])
        if shown:
            return Act("read", path=tidy(shown[1].strip("'\"")))
        if re.fullmatch(r"\s*ls(\s+(-\w+|\.))*\s*", parts["command"]):
            return Act("list")
    return Act(verb, **{**parts, "path": tidy(parts["path"])})


def tidy(path: str) -> str:
    """A path without a leading ``./``, so that two spellings of one file are one."""
    return path.removeprefix("./")


def _tool(seen: Seen, verb: Verb) -> Declared | None:
    by_name = {tool.name.lower(): tool for tool in seen.tools}
    return next((by_name[name] for name in NAMES[verb] if name in by_name), None)


def _parameter(tool: Declared, role: str) -> str:
    names = PARAMETERS[role]
    return next((name for name in names if name in tool.properties), names[0])


def _value(call: Call, names: tuple[str, ...]) -> str:
    return next((v for name in names if isinstance(v := call.input.get(name), str)), "")
