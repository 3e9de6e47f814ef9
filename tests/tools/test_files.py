"""The file tools: what they give back, and how a workspace catches up with a session."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tape.model import ToolUse
from tape.samples import workspace, workspaces
from tape.tools.base import Outcome, ToolOutput, specs
from tape.tools.files import WorkspaceTools, caught_up, file_tools, reading_tools
from tape.tools.memory import MemoryWorkspace
from tape.wire import tool_json
from tests.strategies import answer, assistant, call, session, user


@pytest.fixture
def files() -> MemoryWorkspace:
    """Two files."""
    return MemoryWorkspace({"a.txt": "one two two", "b.txt": ""}, "small")


def run(files: MemoryWorkspace, name: str, **input: Any) -> ToolOutput:
    """The output of one tool."""
    return next(tool for tool in file_tools(files) if tool.name == name).run(input)


def test_reading_and_listing(files: MemoryWorkspace) -> None:
    assert run(files, "read_file", path="a.txt") == ToolOutput("one two two")
    assert run(files, "list_files") == ToolOutput("a.txt\nb.txt")


def test_writing_and_editing_change_the_workspace_only(files: MemoryWorkspace) -> None:
    assert run(files, "write_file", path="c.txt", content="new") == ToolOutput("Wrote c.txt.")
    assert run(files, "edit_file", path="a.txt", old_text="one", new_text="1") == ToolOutput("Edited a.txt.")
    assert files.files == {"a.txt": "1 two two", "b.txt": "", "c.txt": "new"}


@pytest.mark.parametrize(
    ("name", "input", "said"),
    [
        ("read_file", {"path": "z.txt"}, "There is no file 'z.txt' in this workspace."),
        ("read_file", {}, "The input 'path' is missing."),
        ("read_file", {"path": 3}, "The input 'path' must be a string."),
        ("read_file", {"path": "../a.txt"}, "Refused: the path leads out of the workspace."),
        ("list_files", {"path": "/etc"}, "Refused: the path leads out of the workspace."),
        ("edit_file", {"path": "a.txt", "old_text": "two", "new_text": ""}, "The old text stands 2 times"),
        ("edit_file", {"path": "a.txt", "old_text": "", "new_text": ""}, "The old text stands 0 times"),
        ("write_file", {"path": "a.txt/b", "content": ""}, "'a.txt/b' would be a file and a folder at once."),
    ],
)
def test_what_cannot_be_done_is_an_error_result(
    files: MemoryWorkspace, name: str, input: dict[str, Any], said: str
) -> None:
    output = run(files, name, **input)
    assert output.is_error
    assert output.text.startswith(said)


def test_a_source_answers_the_calls_of_its_tools_only(files: MemoryWorkspace) -> None:
    source = WorkspaceTools(reading_tools(files), "small")
    work = source.take(ToolUse(id="t", name="read_file", input={"path": "a.txt"}))
    assert callable(work)
    outcome = work()
    assert (outcome.content, outcome.is_error, outcome.note) == ("one two two", False, "workspace small")
    assert source.take(ToolUse(id="t", name="write_file", input={})) is None
    odd = source.take(ToolUse(id="t", name="read_file", input="a.txt"))
    assert isinstance(odd, Outcome)
    assert odd.is_error


def test_declarations_are_what_a_request_carries(files: MemoryWorkspace) -> None:
    declared = [tool_json(spec) for spec in specs(file_tools(files))]
    assert [tool["name"] for tool in declared] == ["read_file", "list_files", "write_file", "edit_file"]
    assert declared[0]["input_schema"]["required"] == ["path"]


def test_a_workspace_catches_up_with_what_a_session_did(files: MemoryWorkspace) -> None:
    done = session(
        user("go"),
        assistant(
            call("1", "edit_file", {"path": "a.txt", "old_text": "one", "new_text": "1"}),
            call("2", "write_file", {"path": "c.txt", "content": "new"}),
            call("3", "write_file", {"path": "d.txt", "content": "failed"}),
            call("4", "write_file", {"path": "e.txt", "content": "unanswered"}),
            call("5", "write_file", "no object"),
        ),
        user(answer("1"), answer("2"), answer("3", is_error=True), answer("5")),
    )
    assert caught_up(files, done).files == {"a.txt": "1 two two", "b.txt": "", "c.txt": "new"}
    assert files.files == {"a.txt": "one two two", "b.txt": ""}


@pytest.mark.parametrize("name", workspaces())
def test_every_sample_workspace_can_be_listed_and_read(name: str) -> None:
    sample = MemoryWorkspace(workspace(name), name)
    listed = run(sample, "list_files").text.splitlines()
    assert listed
    assert all(not run(sample, "read_file", path=path).is_error for path in listed)


def test_edits_of_one_file_side_by_side_lose_nothing() -> None:
    lines = [f"line {number}\n" for number in range(40)]
    workspace = MemoryWorkspace({"a.txt": "".join(lines)}, "small")
    tools = WorkspaceTools(file_tools(workspace), "small")

    def change(number: int) -> None:
        edit = {"path": "a.txt", "old_text": f"line {number}\n", "new_text": f"changed {number}\n"}
        work = tools.take(ToolUse(id="t", name="edit_file", input=edit))
        assert callable(work)
        assert not work().is_error

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(change, range(40)))
    assert workspace.read("a.txt") == "".join(lines).replace("line", "changed")
