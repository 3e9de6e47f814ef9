"""The repair job run to its end with real tools in a real workspace, and again after a result was deleted.

Where commands cannot be walled off, the same run shows what is left: it edits and says that nothing was run.
"""

from __future__ import annotations

from dataclasses import replace

import tape
from tape.agent import Ended, MessageComplete, run
from tape.branches import line, tree
from tape.client import Client, embedded
from tape.edits import Delete
from tape.edits.rewind import rewind
from tape.edits.side_by_side import side_by_side
from tape.model import Session
from tape.samples import sample
from tape.threads import threads
from tape.tools.folder import sample_snapshot
from tape.tools.results import Results
from tape.tools.sandbox import Sandbox
from tape.turns import turns
from tests.sandboxed import HERE, WALLED

RESULTS = Results("live", None, sample_snapshot("calculator"))
SAMPLE = sample("fix-the-test").load()


def ran(start: Session, sandbox: Sandbox = HERE) -> Session:
    """The session at the end of a run with the workspace's tools."""
    with RESULTS.open(start, sandbox) as opened, Client(embedded(pace=0)) as client:
        *_, end = run(start, client, opened.sources, by_hand=opened.by_hand)
    assert isinstance(end, Ended)
    assert end.reason == "end_turn"
    return end.session


def steps(session: Session) -> list[list[str | None]]:
    """The tools that each assistant message asks for."""
    return [
        [head.name for head in entry.heads if head.kind == "tool_use"]
        for entry in session.messages
        if entry.role == "assistant"
    ]


SIX = [["list_files"], ["run_bash"], ["read_file", "read_file"], ["edit_file"], ["run_bash"], []]

if WALLED:

    def test_the_repair_takes_six_turns_and_its_tests_really_run_and_pass() -> None:
        whole = ran(rewind(SAMPLE, "m0", "recorded"))
        assert steps(whole) == SIX
        assert len(turns(whole)) == 6
        first, second = (whole.messages[number].blocks[0] for number in (4, 10))
        assert "1 failed, 1 passed" in first.text
        assert first.is_error
        assert "2 passed" in second.text
        assert not second.is_error
        assert whole.messages[-1].text.startswith("Fixed: I changed calc.py and the tests pass.")
        results = [entry for entry in whole.messages[1:] if entry.role == "user"]
        assert {entry.provenance.origin for entry in results} == {"workspace"}
        assert {link.state for link in threads(whole).links} == {"ok"}
        assert not any(finding.severity == "refused" for finding in tape.lint(whole))

    def test_without_the_result_that_showed_the_file_it_goes_on_otherwise() -> None:
        whole = ran(rewind(SAMPLE, "m0", "recorded"))
        shown = whole.messages[6]
        of_calc = next(b.uid for b in shown.blocks if "def add" in b.text and "return" in b.text)
        cut = rewind(tape.apply(whole, Delete((of_calc,))), shown.uid, "before the re-run")
        again = ran(cut)
        assert steps(again)[2:] == [["read_file"], ["read_file"], ["edit_file"], ["run_bash"], []]
        assert again.messages[-1].text.startswith("Fixed:")
        before = line(again, "before the re-run")
        compared = side_by_side(before, again)
        assert compared.first is not None
        assert [row.state for row in compared.rows[compared.first :]][:1] == ["changed"]
        assert [(one.name, one.current) for one in tree(again)] == [
            ("main", True), ("recorded", False), ("before the re-run", False)
        ]  # fmt: skip

    def test_a_run_from_behind_the_edit_finds_the_file_edited() -> None:
        whole = ran(rewind(SAMPLE, "m0", "recorded"))
        again = ran(rewind(whole, whole.messages[8].uid, "before"))
        assert steps(again) == SIX
        assert "2 passed" in again.messages[10].blocks[0].text


def test_the_recorded_sample_is_what_such_a_run_gives() -> None:
    assert steps(SAMPLE) == SIX


def test_where_commands_are_switched_off_it_says_that_nothing_was_run() -> None:
    off = Sandbox("off", "Commands are switched off.")
    tools = tuple(tool for tool in SAMPLE.tools or () if tool.name != "run_bash")
    whole = ran(replace(rewind(SAMPLE, "m0", "recorded"), tools=tools), off)
    assert whole.messages[-1].text.startswith("I changed calc.py. I could not run its tests here.")
    declared = ran(rewind(SAMPLE, "m0", "recorded"), off)
    assert "There is no tool named 'run_bash' here." in declared.messages[4].blocks[0].text


def test_a_completed_answer_is_told_before_its_tools_run() -> None:
    start = rewind(SAMPLE, "m0", "recorded")
    with RESULTS.open(start, HERE) as opened, Client(embedded(pace=0)) as client:
        kinds = [type(event).__name__ for event in run(start, client, opened.sources)]
    assert kinds.index("MessageComplete") < kinds.index("ToolStarted")
    assert kinds.count(MessageComplete.__name__) == 6
