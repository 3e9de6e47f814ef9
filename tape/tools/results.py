"""Where the results of a run come from: the recording, a workspace, a person; and in which order, by mode.

A ``Results`` is what was chosen, as a value; opening it makes the sources for one run, with a workspace of
their own. Tools of an opened transcript are never carried out unless ``mapping`` says by which of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from tape.model import EMPTY, Session, ToolUse
from tape.tools.base import Outcome, Source, Tool, Work
from tape.tools.bash import BashTool
from tape.tools.files import WorkspaceTools, catch_up, file_tools
from tape.tools.folder import FolderWorkspace, Snapshot
from tape.tools.mapping import OUR_TOOLS, our_input
from tape.tools.recorded import RecordedTools
from tape.tools.sandbox import Sandbox, available

Mode: TypeAlias = Literal["replay", "hybrid", "live"]
MODES: Final[Mapping[Mode, str]] = {
    "replay": "Recorded results only: a call with the same name and input gets its result again, once; "
    "for any other the run stops and asks you.",
    "hybrid": "Recorded results where they fit, then the workspace if there is one, else you are asked.",
    "live": "Tools run in the workspace; a tool that is not there gets an honest error.",
}


@dataclass(frozen=True, slots=True)
class Results:
    """What a run may answer its calls with.

    ``original`` is the session whose recorded results are used again, ``snapshot`` what the workspace is a
    copy of, ``mapping`` the name of one of our tools by the name of theirs, ``sandbox`` how commands run
    (``None``: as they can on a computer that serves one person).
    """

    mode: Mode = "replay"
    original: Session | None = None
    snapshot: Snapshot | None = None
    mapping: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    sandbox: Sandbox | None = None

    def open(self, start: Session, sandbox: Sandbox | None = None) -> OpenResults:
        """The sources for a run from ``start``; close them when it has ended.

        The workspace has caught up with the writes and edits that ``start`` holds.
        """
        return OpenResults(self, start, sandbox or self.sandbox or available())


class OpenResults:
    """The sources of one run. Close it, or use it in a ``with``; that removes the copied workspace.

    ``by_hand`` says whether a person is asked when none has a result, ``tools`` are the workspace's own.
    """

    def __init__(self, chosen: Results, start: Session, sandbox: Sandbox) -> None:
        self.by_hand = chosen.mode != "live"
        self.tools: tuple[Tool, ...] = ()
        self.workspace: FolderWorkspace | None = None
        sources: list[Source] = []
        if chosen.mode != "live" and chosen.original is not None:
            sources.append(RecordedTools(chosen.original, start))
        if chosen.mode != "replay" and chosen.snapshot is not None:
            self.workspace = FolderWorkspace(chosen.snapshot, sandbox.user)
            catch_up(self.workspace, start)
            self.tools = workspace_tools(self.workspace, sandbox)
            own = WorkspaceTools(self.tools, chosen.snapshot.name)
            sources += [own, *([Mapped(own, self.workspace, chosen.mapping)] if chosen.mapping else [])]
        self.sources = tuple(sources)

    def __enter__(self) -> OpenResults:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends what tools are doing and removes the workspace."""
        for source in self.sources:
            if isinstance(source, WorkspaceTools):
                source.cancel()
        if self.workspace is not None:
            self.workspace.close()


class Mapped:
    """Results of our tools for calls of another agent's, by a mapping that a person chose."""

    def __init__(self, tools: WorkspaceTools, workspace: FolderWorkspace, mapping: Mapping[str, str]) -> None:
        self._tools, self._workspace = tools, workspace
        self._mapping = {theirs: ours for theirs, ours in mapping.items() if ours in OUR_TOOLS}

    def take(self, call: ToolUse) -> Outcome | Work | None:
        """The work of our tool for this call, or ``None`` when theirs is not mapped."""
        ours = self._mapping.get(call.name)
        if ours is None:
            return None
        given = our_input(ours, call.input, self._workspace.paths())
        return self._tools.carry_out(ours, given, f", by {ours}")


def workspace_tools(workspace: FolderWorkspace, sandbox: Sandbox) -> tuple[Tool, ...]:
    """The five tools over a workspace; ``run_bash`` is left out where commands are switched off."""
    files: tuple[Tool, ...] = file_tools(workspace)
    return files if sandbox.kind == "off" else (*files, BashTool(workspace, sandbox))
