"""The tool ``run_bash``: a shell command in the workspace's sandbox, as a model sees it.

The sandbox itself and its bounds are in ``tape.tools.sandbox``.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from tape.tools.base import ToolOutput
from tape.tools.folder import FolderWorkspace
from tape.tools.sandbox import BOUNDS, Bounds, Sandbox, run_command

NAME = "run_bash"
DESCRIPTION = "Run a shell command in the workspace and return what it prints. There is no network."
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"command": {"type": "string", "description": "A command for bash."}},
    "required": ["command"],
    "additionalProperties": False,
}


class BashTool:
    """Runs commands in one workspace; where they are switched off, every call says so."""

    name = NAME
    description = DESCRIPTION
    input_schema = SCHEMA

    def __init__(self, workspace: FolderWorkspace, sandbox: Sandbox, bounds: Bounds = BOUNDS) -> None:
        self._workspace, self._sandbox, self._bounds = workspace, sandbox, bounds
        self._running: set[threading.Event] = set()

    def run(self, input: Mapping[str, Any]) -> ToolOutput:
        """What the command printed; an error where its exit code is not 0, or it was ended."""
        command = input.get("command")
        if not isinstance(command, str) or not command.strip() or "\0" in command:
            return ToolOutput("The input 'command' must be a string that holds a command.", is_error=True)
        if len(command.encode("utf-8", "replace")) > 100_000:
            return ToolOutput("The command is longer than 100,000 bytes.", is_error=True)
        if self._sandbox.kind == "off":
            return ToolOutput(self._sandbox.sentence, is_error=True)
        cancelled = threading.Event()
        self._running.add(cancelled)
        try:
            ran = run_command(
                self._workspace,
                command.encode("utf-8", "replace").decode("utf-8"),
                self._sandbox,
                self._bounds,
                cancelled.is_set,
            )
        except OSError as error:
            return ToolOutput(f"The command could not be started: {error.strerror}.", is_error=True)
        finally:
            self._running.discard(cancelled)
        if ran.ended:
            return ToolOutput(f"{ran.output}\n[the command was ended: {ran.ended}]".lstrip(), is_error=True)
        text = ran.output or "(it printed nothing)"
        if ran.code:
            return ToolOutput(f"{text.rstrip()}\n[exit code {ran.code}]", is_error=True)
        return ToolOutput(text)

    def cancel(self) -> None:
        """Ends the commands that are running now."""
        for cancelled in tuple(self._running):
            cancelled.set()
