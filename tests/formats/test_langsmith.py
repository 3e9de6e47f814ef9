"""LangSmith runs: nested, listed and in batches; a trace is its fullest call of a model."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session, ToolResult
from tests.formats.langsmith_files import BATCH, FIRST, GRAPH, NESTED, SECOND, SITUATIONS, run
from tests.formats.log_lines import lines

WHOLE = [
    ("system", ["text"]),
    ("user", ["text", "image"]),
    ("assistant", ["thinking", "tool_use", "tool_use"]),
    ("user", ["tool_result", "tool_result"]),
    ("assistant", ["text"]),
]


def kinds(session: Session) -> list[tuple[str, list[str]]]:
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


@pytest.mark.parametrize("name", ["langsmith-nested", "langsmith-lines", "langsmith-graph"])
def test_the_fullest_run_is_the_transcript(name: str) -> None:
    session = tape.load(SITUATIONS[name][1])
    assert kinds(session) == WHOLE
    assert [link.state for link in tape.threads(session).links] == ["ok", "ok"]


def test_other_runs_stand_beside_it() -> None:
    session = tape.load(SITUATIONS["langsmith-nested"][1])
    assert [aside.kind for aside in session.asides] == ["chain run", "llm run", "tool run"]
    assert session.title == "chain root"
    assert session.tools is not None
    assert [tool.name for tool in session.tools] == ["tide"]
    assert [call.model for call in session.calls] == ["made-up-1", "made-up-2"]


def test_results_come_from_runs_of_tools_where_no_prompt_has_them() -> None:
    """Of two calls one was answered by a run."""
    session = tape.load(SITUATIONS["langsmith-results-in-tool-runs"][1])
    assert kinds(session) == [*WHOLE[:3], ("user", ["tool_result"])]
    (result,) = session.messages[3].blocks
    assert isinstance(result, ToolResult)
    assert (result.tool_use_id, result.text) == ("c1", "at noon")


@pytest.mark.parametrize("data", [SITUATIONS["langsmith-batch"][1], lines(*BATCH["post"], *BATCH["patch"])])
def test_a_batch_is_merged_by_id(data: bytes) -> None:
    session = tape.load(data)
    assert kinds(session) == [("system", ["text"]), ("user", ["text"]), ("assistant", ["tool_use"])]
    (call,) = session.calls
    assert call.usage is not None
    assert (call.usage.input, call.usage.output) == (30, 5)


def test_each_trace_is_a_conversation() -> None:
    data = json.dumps([NESTED, {**SECOND, "id": "z"}, GRAPH]).encode()
    reading = tape.read(data)
    assert [one.title for one in reading.conversations] == ["chain root", "llm c", "chain g"]
    assert [len(one.load().messages) for one in reading.conversations] == [5, 5, 5]


def test_a_prompt_beside_the_messages_is_the_system_prompt() -> None:
    given = {"system": "Be brief.", "messages": [{"role": "user", "content": "The tide?"}]}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "At noon."}]}
    data = json.dumps(run("a", "llm", given, answer)).encode()
    session = tape.load(data)
    assert session.system == "Be brief."
    assert kinds(session) == [("user", ["text"]), ("assistant", ["text"])]
    changed = tape.apply(session, from_json({"op": "set_system", "system": "Be kind."}))
    assert tape.dump(changed).data == data.replace(b"Be brief.", b"Be kind.")


def test_an_edit_changes_the_transcript_and_says_that_copies_stay() -> None:
    data = SITUATIONS["langsmith-nested"][1]
    op = {"op": "replace", "target": "messages[4].content[0]", "value": "At one."}
    done = tape.dump(tape.apply(tape.load(data), from_json(op)))
    assert [note.kind for note in done.losses] == ["copies-left"]
    assert done.data == data.replace(b"High tide is at noon.", b"At one.")


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {**FIRST, "outputs": None},
        {**FIRST, "inputs": {"messages": [[None, 3]]}},
        {**FIRST, "id": 3, "child_runs": 5, "extra": []},
        {**FIRST, "outputs": {"generations": [[]]}},
        {"id": "q", "run_type": "tool", "inputs": None},
    ],
)
def test_odd_runs_are_read_and_come_back(odd: Any) -> None:
    data = json.dumps([SECOND, odd]).encode()
    reading = tape.read(data)
    assert reading.format == "langsmith"
    for one in reading.conversations:
        session = one.load()
        assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
        assert tape.dump(session).data == data
