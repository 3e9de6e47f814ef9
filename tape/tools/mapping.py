"""Another agent's tools carried out by ours: which of ours does what theirs did, and its input in our words.

Nothing is mapped by itself: ``suggested_mapping`` proposes, a person decides. What ours cannot do with an
input is not guessed; the tool then says what is missing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from tape.model import Json, Session, ToolSpec, ToolUse

OUR_TOOLS: Final = ("read_file", "list_files", "write_file", "edit_file", "run_bash")
THEIRS: Final[Mapping[str, tuple[str, ...]]] = {
    "read_file": ("read", "read_file", "view", "view_file", "open_file", "cat", "fs_read"),
    "list_files": ("ls", "list", "list_files", "list_directory", "list_dir"),
    "write_file": ("write", "write_file", "create_file", "create", "write_to_file"),
    "edit_file": ("edit", "edit_file", "str_replace", "replace", "replace_in_file", "search_replace"),
    "run_bash": (
        *("bash", "run_bash", "shell", "local_shell", "run_command", "execute_command", "execute_bash"),
        *("run_shell_command", "exec_command", "terminal", "run_in_terminal", "container_exec"),
    ),
}
"""Names that agents give to such tools, in small letters with underscores."""
INPUTS: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("path", "file_path", "filepath", "filename", "file", "target_file", "absolute_path"),
    "command": ("command", "cmd", "script"),
    "content": ("content", "contents", "text", "file_text"),
    "old_text": ("old_text", "old_string", "old_str", "oldString", "oldText", "old"),
    "new_text": ("new_text", "new_string", "new_str", "newString", "newText", "new"),
}
NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "read_file": ("path",),
    "list_files": ("path",),
    "write_file": ("path", "content"),
    "edit_file": ("path", "old_text", "new_text"),
    "run_bash": ("command",),
}


INFERRED: Final = "Not in the transcript; inferred from its calls."
NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
"""The names that the Claude API takes."""


def tool_names(session: Session) -> tuple[str, ...]:
    """The names of the tools that the session declares or calls, in that order."""
    declared = [tool.name for tool in session.tools or ()]
    called = [h.name for m in session.messages for h in m.heads if h.kind == "tool_use" and h.name]
    return tuple(dict.fromkeys([*declared, *called]))


def suggested_mapping(session: Session) -> dict[str, str]:
    """For tools of the session that do what one of ours does: its name, by theirs. Ours are left out."""
    plain = {name: re.sub(r"[^a-z]+", "_", name.rsplit(".", 1)[-1].lower()) for name in tool_names(session)}
    return {
        name: ours
        for name, word in plain.items()
        for ours, known in THEIRS.items()
        if word in known and name not in OUR_TOOLS
    }


def our_input(ours: str, theirs: Json, files: Collection[str]) -> Json:
    """Their input as our tool takes it; what our tool has no use for is left out.

    An absolute path becomes the longest end of it that is one of ``files``. Anything but an object is given
    back as it is.
    """
    if not isinstance(theirs, dict):
        return theirs
    found: dict[str, Json] = {}
    for name in NEEDS[ours]:
        value = next((theirs[key] for key in INPUTS[name] if key in theirs), None)
        if name == "path" and isinstance(value, str):
            value = _path(value, files)
        elif name == "command" and isinstance(value, list) and all(isinstance(v, str) for v in value):
            value = value[2] if len(value) == 3 and value[1] in ("-c", "-lc") else shlex.join(value)
        if value is not None:
            found[name] = value
    if ours == "list_files" and found.get("path") == "":
        del found["path"]
    return found


def _path(path: str, files: Collection[str]) -> str:
    if not path.startswith("/"):
        return path
    parts = [part for part in path.split("/") if part not in ("", ".")]
    ends = ("/".join(parts[at:]) for at in range(len(parts)))
    folders = {file[:at] for file in files for at, sign in enumerate(file) if sign == "/"}
    return next((end for end in ends if end in files or end in folders), path)


def inferred_tools(session: Session) -> tuple[ToolSpec, ...]:
    """Declarations for the tools that a session calls and does not declare, made from its calls' inputs.

    Logs of agents do not hold the tools that the model was given; without any, a model cannot ask for one. A
    parameter is required when every call has it. Tools of a server are left out, for those run elsewhere.
    """
    declared = {tool.name for tool in session.tools or ()}
    inputs: dict[str, list[Mapping[str, Json]]] = {}
    for entry in session.messages:
        if any(head.kind == "tool_use" for head in entry.heads):
            for block in entry.blocks:
                if isinstance(block, ToolUse) and not block.server and block.name not in declared:
                    given = block.input if isinstance(block.input, dict) else {}
                    inputs.setdefault(block.name, []).append(given)
    named = ((name, given) for name, given in inputs.items() if NAME.fullmatch(name))
    return tuple(ToolSpec(name, INFERRED, _schema(given)) for name, given in named)


def _schema(inputs: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    kinds: dict[str, set[str]] = {}
    for given in inputs:
        for key, value in given.items():
            kinds.setdefault(key, set()).add(_kind(value))
    properties = {key: {"type": found.pop()} if len(found) == 1 else {} for key, found in kinds.items()}
    required = [key for key in properties if all(key in given for given in inputs)]
    return {"type": "object", "properties": properties, "required": required}


def _kind(value: Json) -> str:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
    return "null"
