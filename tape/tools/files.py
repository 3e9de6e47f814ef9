"""The file tools over a workspace in memory: ``read_file``, ``list_files``, ``write_file``, ``edit_file``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tape.model import Session, ToolResult, ToolUse
from tape.tools.base import Outcome, ToolOutput
from tape.tools.memory import MemoryWorkspace, Refused, listing

PATH = {"type": "string", "description": "Path of a file, relative to the workspace."}


@dataclass(frozen=True, slots=True)
class FileTool:
    """A tool that is one function over a workspace; a refusal becomes an error result."""

    name: str
    description: str
    input_schema: dict[str, Any]
    work: Callable[[Mapping[str, Any]], str]

    def run(self, input: Mapping[str, Any]) -> ToolOutput:
        """The output for one input; an error output where the input or its path will not do."""
        for name, shape in self.input_schema["properties"].items():
            if name in input and not isinstance(input[name], str):
                return ToolOutput(f"The input {name!r} must be a {shape['type']}.", is_error=True)
            if name not in input and name in self.input_schema["required"]:
                return ToolOutput(f"The input {name!r} is missing.", is_error=True)
        try:
            return ToolOutput(self.work(input))
        except Refused as refusal:
            return ToolOutput(str(refusal), is_error=True)


def reading_tools(workspace: MemoryWorkspace) -> tuple[FileTool, ...]:
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


def file_tools(workspace: MemoryWorkspace) -> tuple[FileTool, ...]:
    """All four tools. What they change is the workspace in memory, never a file on disk."""
    text = {"type": "string", "description": "The whole new text of the file."}
    old = {"type": "string", "description": "Text that stands exactly once in the file."}
    new = {"type": "string", "description": "What to put in its place."}
    return (
        *reading_tools(workspace),
        FileTool(
            "write_file",
            "Write a text file of the workspace, replacing what it held.",
            _schema({"path": PATH, "content": text}),
            lambda given: f"Wrote {workspace.write(given['path'], given['content'])}.",
        ),
        FileTool(
            "edit_file",
            "Replace one piece of text in a file of the workspace.",
            _schema({"path": PATH, "old_text": old, "new_text": new}),
            lambda given: _edit(workspace, given["path"], given["old_text"], given["new_text"]),
        ),
    )


class WorkspaceTools:
    """Results from running tools: the source that a run asks when its calls are to be carried out."""

    def __init__(self, tools: tuple[FileTool, ...], workspace: str) -> None:
        self.tools = tools
        self.workspace = workspace

    def take(self, call: ToolUse) -> Outcome | None:
        """The result of the tool that the call names, or ``None`` when there is no such tool here."""
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        if tool is None:
            return None
        note = f"workspace {self.workspace}"
        if not isinstance(call.input, dict):
            return Outcome("The tool's input must be a JSON object.", True, "live", note)
        output = tool.run(call.input)
        return Outcome(output.text, output.is_error, "live", note)


def caught_up(workspace: MemoryWorkspace, session: Session) -> MemoryWorkspace:
    """A copy of the workspace as it stands after the writes and edits that the session already holds.

    Only calls of these tools with a result that is no error count; anything they cannot redo is left.
    """
    copy = workspace.copy()
    changing = {tool.name: tool for tool in file_tools(copy)[2:]}
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
    return copy


def _edit(workspace: MemoryWorkspace, path: str, old: str, new: str) -> str:
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
