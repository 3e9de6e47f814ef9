"""Where results come from, by mode; and another agent's tools carried out by ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.agent import Ended, NeedsResult, run
from tape.client import Client, embedded
from tape.edits import Append, Delete, Replace, SetSystem
from tape.edits.rewind import rewind
from tape.model import Session, ToolUse
from tape.tools.base import Outcome, ToolOutput, specs
from tape.tools.folder import sample_snapshot
from tape.tools.mapping import OUR_TOOLS, THEIRS, inferred_tools, our_input, suggested_mapping, tool_names
from tape.tools.recorded import BEFORE_EDIT, ORIGINAL, RecordedTools
from tape.tools.results import MODES, Mode, Results
from tape.tools.sandbox import Sandbox
from tests.sandboxed import HERE, WALLED
from tests.strategies import answer, assistant, call, session, user

CALCULATOR = sample_snapshot("calculator")
OFF = Sandbox("off", "Commands are switched off.")
READ = call("r", "Read", {"file_path": "/home/me/project/calc.py"})
ORIGINAL_RUN = session(
    user("Is it right?"),
    assistant(call("1", "Read", {"file_path": "a"}), call("2", "Bash", {"command": "ls"})),
    user(answer("1", "text of a"), answer("2", "listing")),
    assistant(call("3", "Read", {"file_path": "a"})),
    user(answer("3", "text of a, later")),
    assistant("Yes."),
)


def use(name: str, input: Any) -> ToolUse:
    """A call with an id of its own."""
    return ToolUse(id="new", name=name, input=input)


def taken(results: Results, start: Session, name: str, input: Any, sandbox: Sandbox = OFF) -> Outcome | None:
    """What the sources of a run give for one call, carried out; ``None`` where a person would be asked."""
    with results.open(start, sandbox) as opened:
        for source in opened.sources:
            found = source.take(use(name, input))
            if found is not None:
                return found if isinstance(found, Outcome) else found()
        assert opened.by_hand is (results.mode != "live")
    return None


@pytest.mark.parametrize(
    ("mode", "recorded", "workspace", "mapped"),
    [("replay", True, False, False), ("hybrid", True, True, True), ("live", False, True, True)],
)
def test_each_mode_has_its_sources(mode: Mode, recorded: bool, workspace: bool, mapped: bool) -> None:
    results = Results(mode, ORIGINAL_RUN, CALCULATOR, {"Read": "read_file"})
    start = rewind(ORIGINAL_RUN, "m0", "before")
    found = taken(results, start, "Bash", {"command": "ls"})
    assert (found is not None and found.origin == "replayed") is recorded
    assert (taken(results, start, "read_file", {"path": "calc.py"}) is not None) is workspace
    theirs = taken(results, start, "Read", {"file_path": "calc.py"})
    assert (theirs is not None and "def add" in str(theirs.content)) is mapped
    assert mode in MODES


def test_recorded_results_come_first_and_each_once() -> None:
    results = Results("hybrid", ORIGINAL_RUN, CALCULATOR, {"Read": "read_file"})
    with results.open(rewind(ORIGINAL_RUN, "m0", "before"), OFF) as opened:
        recorded = opened.sources[0]
        given = [recorded.take(use("Read", {"file_path": "a"})) for _ in range(3)]
    assert [g and isinstance(g, Outcome) and g.content for g in given] == [
        "text of a",
        "text of a, later",
        None,
    ]


def test_what_the_array_holds_is_not_given_again() -> None:
    start = rewind(ORIGINAL_RUN, "m2", "before")
    found = RecordedTools(ORIGINAL_RUN, start).take(use("Read", {"file_path": "a"}))
    assert found is not None
    assert (found.content, found.note) == ("text of a, later", ORIGINAL)
    assert RecordedTools(ORIGINAL_RUN, start).take(use("Bash", {"command": "ls"})) is None


def test_what_stands_past_the_edit_says_so() -> None:
    edited = tape.apply(ORIGINAL_RUN, Replace("m2.0", {**answer("1", "changed")}))
    start = rewind(edited, "m2", "before")
    found = RecordedTools(ORIGINAL_RUN, start).take(use("Read", {"file_path": "a"}))
    assert found is not None
    assert (found.content, found.note) == ("text of a, later", BEFORE_EDIT)
    deleted = tape.apply(ORIGINAL_RUN, Delete(("m2.1",)))
    again = RecordedTools(ORIGINAL_RUN, rewind(deleted, "m2", "b")).take(use("Bash", {"command": "ls"}))
    assert again is not None
    assert again.note == BEFORE_EDIT
    system = tape.apply(ORIGINAL_RUN, SetSystem("Be brief."))
    first = RecordedTools(ORIGINAL_RUN, rewind(system, "m0", "b")).take(use("Read", {"file_path": "a"}))
    assert first is not None
    assert first.note == BEFORE_EDIT


def test_an_added_question_is_an_edit_for_what_was_recorded_behind_it() -> None:
    start = tape.apply(rewind(ORIGINAL_RUN, "m2", "b"), Append(({"role": "user", "content": "Go on."},)))
    found = RecordedTools(ORIGINAL_RUN, start).take(use("Read", {"file_path": "a"}))
    assert found is not None
    assert found.note == BEFORE_EDIT


def test_the_tools_of_a_transcript_are_not_carried_out_without_a_mapping() -> None:
    start = session(user("go"))
    for mode in MODES:
        assert taken(Results(mode, None, CALCULATOR), start, "Bash", {"command": "touch ran"}, HERE) is None


def test_a_mapping_is_only_proposed_for_tools_that_ours_can_replace() -> None:
    names = [
        "Bash",
        "Read",
        "Write",
        "Edit",
        "mcp__fs.read_file",
        "functions.shell",
        "WebSearch",
        "read_file",
    ]
    calls = assistant(*(call(f"c{n}", name) for n, name in enumerate(names)))
    agent = session(user("go"), calls)
    assert tool_names(agent) == tuple(names)
    assert suggested_mapping(agent) == {
        "Bash": "run_bash",
        "Read": "read_file",
        "Write": "write_file",
        "Edit": "edit_file",
        "mcp__fs.read_file": "read_file",
        "functions.shell": "run_bash",
    }
    assert set(THEIRS) == set(OUR_TOOLS)


FILES = ("calc.py", "src/deep/a.py")


@pytest.mark.parametrize(
    ("ours", "theirs", "given"),
    [
        ("read_file", {"file_path": "/home/me/project/calc.py", "limit": 5}, {"path": "calc.py"}),
        ("read_file", {"path": "/x/src/deep/a.py"}, {"path": "src/deep/a.py"}),
        ("read_file", {"path": "/x/other.py"}, {"path": "/x/other.py"}),
        ("list_files", {"path": "/home/me/src"}, {"path": "src"}),
        ("list_files", {}, {}),
        ("write_file", {"file_path": "n.py", "content": "x"}, {"path": "n.py", "content": "x"}),
        (
            "edit_file",
            {"file_path": "calc.py", "old_string": "a", "new_string": "b", "replace_all": False},
            {"path": "calc.py", "old_text": "a", "new_text": "b"},
        ),
        ("run_bash", {"command": ["bash", "-lc", "ls -a"]}, {"command": "ls -a"}),
        ("run_bash", {"command": ["ls", "a b"]}, {"command": "ls 'a b'"}),
        ("run_bash", {"cmd": "ls", "timeout": 5}, {"command": "ls"}),
        ("run_bash", {"nothing": 1}, {}),
        ("run_bash", "no object", "no object"),
        ("read_file", {"file_path": 3}, {"path": 3}),
    ],
)
def test_inputs_are_put_into_our_words(ours: str, theirs: Any, given: Any) -> None:
    assert our_input(ours, theirs, FILES) == given


def test_a_mapped_result_names_both_tools() -> None:
    results = Results("live", None, CALCULATOR, {"Read": "read_file", "Evil": "no_such_tool"})
    found = taken(results, session(user("go")), "Read", {"file_path": "/repo/calc.py"})
    assert found is not None
    assert (found.origin, found.note) == ("workspace", "workspace calculator, by read_file")
    assert taken(results, session(user("go")), "Evil", {}) is None
    odd = taken(results, session(user("go")), "Read", {"file_path": "/etc/passwd"})
    assert odd is not None
    assert odd.is_error


def test_the_workspace_has_caught_up_with_the_array_and_goes_with_the_run() -> None:
    edit = {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}
    done = session(user("fix"), assistant(call("1", "edit_file", edit)), user(answer("1", "Edited calc.py.")))
    with Results("live", None, CALCULATOR).open(done, OFF) as opened:
        assert opened.workspace is not None
        assert "a + b" in opened.workspace.read("calc.py")
        root = opened.workspace.root
    assert not root.exists()
    assert b"a - b" in CALCULATOR.files["calc.py"]


def test_commands_are_declared_only_where_they_can_run() -> None:
    with Results("live", None, CALCULATOR).open(session(user("go")), OFF) as opened:
        assert [tool.name for tool in opened.tools] == list(OUR_TOOLS[:4])
    with Results("live", None, CALCULATOR).open(session(user("go")), HERE) as opened:
        assert ("run_bash" in [tool.name for tool in opened.tools]) is (HERE.kind != "off")


def test_a_replay_stops_and_asks_when_none_fits() -> None:
    with Results("live", None, CALCULATOR).open(session(user("go")), OFF) as opened:
        declared = specs(opened.tools)
    start = replace(session(user("Is the add function in calc.py correct?")), tools=declared)
    with (
        Client(embedded(pace=0)) as client,
        Results("replay", ORIGINAL_RUN).open(start) as opened,
    ):
        loop = run(start, client, opened.sources, by_hand=opened.by_hand)
        event = next(e for e in loop if isinstance(e, NeedsResult | Ended))
        assert isinstance(event, NeedsResult)
        assert (event.call.input, event.done, event.of) == ({"path": "calc.py"}, 0, 1)
        after = loop.send(ToolOutput("def add(a, b): return a + b\n"))
        while not isinstance(after, NeedsResult | Ended):
            after = next(loop)
        assert isinstance(after, NeedsResult)
        loop.close()


if WALLED:

    def test_their_shell_runs_in_our_sandbox_once_it_is_mapped() -> None:
        results = Results("live", None, CALCULATOR, {"Bash": "run_bash"})
        found = taken(results, session(user("go")), "Bash", {"command": "wc -l < calc.py"}, HERE)
        assert found is not None
        assert (found.content, found.note) == ("9\n", "workspace calculator, by run_bash")


def test_tools_that_a_log_does_not_declare_are_inferred_from_its_calls() -> None:
    log = session(
        user("go"),
        assistant(call("1", "Read", {"file_path": "a", "limit": 5}), call("2", "Read", {"file_path": "b"})),
        user(answer("1"), answer("2")),
        assistant(call("3", "Bash", {"command": ["ls"], "background": True}), call("4", "bad name", {})),
        user(answer("3"), answer("4")),
    )
    found = {tool.name: tool.input_schema for tool in inferred_tools(log)}
    assert found == {
        "Read": {
            "type": "object",
            "properties": {"file_path": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["file_path"],
        },
        "Bash": {
            "type": "object",
            "properties": {"command": {"type": "array"}, "background": {"type": "boolean"}},
            "required": ["command", "background"],
        },
    }
    declared = replace(log, tools=inferred_tools(log))
    assert inferred_tools(declared) == ()
    assert not any(f.code == "undeclared-tool" and "Read" in f.text for f in tape.lint(declared))


def test_a_log_of_claude_code_is_replayed_until_nothing_fits(corpus: Callable[[str], Path]) -> None:
    before = tape.load(corpus("claude-code/parallel-tools.jsonl"))
    opening = before.messages[0].uid
    said = {"role": "user", "content": "Read README.md and tell me what it says."}
    edited = tape.apply(before, Replace(opening, said, force=True))
    start = replace(
        rewind(edited, opening, "before"), tools=inferred_tools(before), params={"max_tokens": 1000}
    )
    with Client(embedded(pace=0)) as client, Results("replay", before).open(start) as opened:
        events = run(start, client, opened.sources, by_hand=opened.by_hand)
        event = next(e for e in events if isinstance(e, NeedsResult | Ended))
        events.close()
    assert isinstance(event, NeedsResult)
    assert event.call.input == {"file_path": "README.md"}
    assert tape.dump(before).data == corpus("claude-code/parallel-tools.jsonl").read_bytes()
