"""The file tools over a workspace: ``read_file``, ``list_files``, ``write_file``, ``edit_file``.

The workspace is held in memory (``tape.tools.memory``) or a folder of its own (``tape.tools.folder``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from tape.model import Json, Session, ToolResult, ToolUse
from tape.tools.base import Cancellable, Outcome, Tool, ToolOutput, Work, Workspace
from tape.tools.memory import MemoryWorkspace, Refused, listing

PATH = {"type": "string", "description": "Path of a file, relative to the workspace."}


@dataclass(frozen=True, slots=True)
class FileTool:
    """A tool that is one function over a workspace; a refusal becomes an error result.

    Tools with the same ``lock`` work one at a time.
    """

    name: str
    description: str
    input_schema: dict[str, Any]
    work: Callable[[Mapping[str, Any]], str]
    lock: Lock = field(default_factory=Lock, compare=False, repr=False)

    def run(self, input: Mapping[str, Any]) -> ToolOutput:
        """The output for one input; an error output where the input or its path will not do."""
        for name, shape in self.input_schema["properties"].items():
            if name in input and not isinstance(input[name], str):
                return ToolOutput(f"The input {name!r} must be a {shape['type']}.", is_error=True)
            if name not in input and name in self.input_schema["required"]:
                return ToolOutput(f"The input {name!r} is missing.", is_error=True)
        try:
            with self.lock:
                return ToolOutput(self.work(input))
        except Refused as refusal:
            return ToolOutput(str(refusal), is_error=True)


def reading_tools(workspace: Workspace) -> tuple[FileTool, ...]:
    """The two safe tools: they look and change nothing."""
    return (
        FileTool(
            "read_file",
            "Read a text file of the workspace and return its text.",
            _schema({"path": PATH}),
            lambda given: workspace.read(given["path"]),
        ),
        FileTool(
            "list_files",
            "List the files of the workspace, one path a line.",
            _schema(
                {"path": {"type": "string", "description": "A folder to list; all files without it."}}, ()
            ),
            lambda given: listing(workspace.paths(given.get("path", ""))),
        ),
    )


def file_tools(workspace: Workspace) -> tuple[FileTool, ...]:
    """All four tools. What they change is the workspace, which is a copy; never the files it was made of."""
    text = {"type": "string", "description": "The whole new text of the file."}
    old = {"type": "string", "description": "Text that stands exactly once in the file."}
    new = {"type": "string", "description": "What to put in its place."}
    # Calls of one answer run side by side: what changes a file is one at a time.
    changing = Lock()
    return (
        *reading_tools(workspace),
        FileTool(
            "write_file",
            "Write a text file of the workspace, replacing what it held.",
            _schema({"path": PATH, "content": text}),
            lambda given: f"Wrote {workspace.write(given['path'], given['content'])}.",
            changing,
        ),
        FileTool(
            "edit_file",
            "Replace one piece of text in a file of the workspace.",
            _schema({"path": PATH, "old_text": old, "new_text": new}),
            lambda given: _edit(workspace, given["path"], given["old_text"], given["new_text"]),
            changing,
        ),
    )


class WorkspaceTools:
    """Results from running tools: the source that a run asks when its calls are to be carried out."""

    def __init__(self, tools: Sequence[Tool], workspace: str) -> None:
        self.tools = tuple(tools)
        self.workspace = workspace

    def take(self, call: ToolUse) -> Outcome | Work | None:
        """The work of the tool that the call names, or ``None`` when there is no such tool here."""
        return self.carry_out(call.name, call.input)

    def carry_out(self, name: str, input: Json, note: str = "") -> Outcome | Work | None:
        """The work of the tool ``name``; ``note`` is added to where the result says it comes from."""
        tool = next((tool for tool in self.tools if tool.name == name), None)
        if tool is None:
            return None
        said = f"workspace {self.workspace}{note}"
        if not isinstance(input, dict):
            return Outcome("The tool's input must be a JSON object.", True, "workspace", said)

        def work() -> Outcome:
            output = tool.run(input)
            return Outcome(output.text, output.is_error, "workspace", said)

        return work

    def cancel(self) -> None:
        """Ends what its tools are doing."""
        for tool in self.tools:
            if isinstance(tool, Cancellable):
                tool.cancel()


def caught_up(workspace: MemoryWorkspace, session: Session) -> MemoryWorkspace:
    """A copy of the workspace as it stands after the writes and edits that the session already holds."""
    copy = workspace.copy()
    catch_up(copy, session)
    return copy


def catch_up(workspace: Workspace, session: Session) -> None:
    """Makes the writes and edits that the session already holds, for a run that goes on from there.

    Only calls of these tools with a result that is no error count; anything they cannot redo is left.
    """
    changing = {tool.name: tool for tool in file_tools(workspace)[2:]}
    waiting: dict[str, ToolUse] = {}
    for message in session.messages:
        if not any(head.kind in ("tool_use", "tool_result") for head in message.heads):
            continue
        for block in message.blocks:
            if isinstance(block, ToolUse) and block.name in changing and isinstance(block.input, dict):
                waiting[block.id] = block
            elif isinstance(block, ToolResult):
                call = waiting.pop(block.tool_use_id, None)
                if call is not None and not block.is_error:
                    changing[call.name].run(call.input)


def _edit(workspace: Workspace, path: str, old: str, new: str) -> str:
    text = workspace.read(path)
    found = text.count(old) if old else 0
    if found != 1:
        raise Refused(f"The old text stands {found} times in {path!r}; it has to stand there exactly once.")
    return f"Edited {workspace.write(path, text.replace(old, new))}."


def _schema(properties: dict[str, Any], required: tuple[str, ...] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }
