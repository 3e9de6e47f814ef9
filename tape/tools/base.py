"""What a tool is, what it gives back, and what a source of results is. Running a loop is ``tape.agent``'s."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from tape.model import Block, Origin, ToolSpec, ToolUse


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool returned: text for the model, and whether it is an error."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result for one call, and where it comes from; ``note`` names the source for people."""

    content: str | tuple[Block, ...]
    is_error: bool
    origin: Origin
    note: str


Work: TypeAlias = Callable[[], Outcome]
"""A result that takes time to make; the loop makes those of one answer at the same time."""


class Tool(Protocol):
    """A tool with its declaration. ``run`` may raise: the loop makes an honest error result of it."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def input_schema(self) -> dict[str, Any]: ...
    def run(self, input: Mapping[str, Any]) -> ToolOutput: ...


class Source(Protocol):
    """Where results come from. ``take`` gives one for a call, the work that makes one, or ``None``.

    It is asked in call order and answers at once; ``None`` says that it has none for this call.
    """

    def take(self, call: ToolUse) -> Outcome | Work | None: ...


@runtime_checkable
class Cancellable(Protocol):
    """A tool or source whose work can be ended before it is done; the work then returns soon."""

    def cancel(self) -> None: ...


class Workspace(Protocol):
    """Text files by relative path, jailed. Each method raises ``tape.tools.memory.Refused``."""

    @property
    def name(self) -> str: ...
    def paths(self, folder: str = "") -> list[str]: ...
    def read(self, path: str) -> str: ...
    def write(self, path: str, text: str) -> str: ...


def spec(tool: Tool) -> ToolSpec:
    """The declaration of a tool, as a session carries it."""
    return ToolSpec(tool.name, tool.description, tool.input_schema)


def specs(tools: Iterable[Tool]) -> tuple[ToolSpec, ...]:
    """The declarations of several tools, in their order."""
    return tuple(spec(tool) for tool in tools)
