"""Lesson files that are wrong: every fault is found at once, with its line and a plain sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.errors import UserError
from tape.lessons import check, read
from tape.lessons.library import files
from tape.lessons.model import Do, Predict, Run, Show

SMALL = """\
title: One call
minutes: 3
question: What is sent?
session: two-tickets
steps:
  - say: Look.
    minutes: 1
  - show: {thread: "messages[1].content[1]", chart: sum, turn: 1}
  - predict: How many?
    number: tool_uses
    within: 10
    unit: calls
  - do: {op: delete, targets: [3]}
  - run: {mode: once, endpoint: strict}
  - reveal: "{tool_uses} calls"
    answer: Two.
"""


def faults(text: str) -> list[str]:
    lesson, found = check(text)
    assert lesson is None
    return [str(fault) for fault in found]


def test_a_small_lesson_is_read() -> None:
    lesson = read(SMALL, "small")
    kinds = [step.kind for step in lesson.steps]
    assert kinds == ["say", "show", "predict", "do", "run", "reveal"]
    details = [step.detail for step in lesson.steps]
    assert details[1] == Show(thread="messages[1].content[1]", chart="sum", turn=1)
    assert details[2] == Predict(number="tool_uses", within=10.0, unit="calls")
    assert details[3] == Do(({"op": "delete", "targets": [3]},))
    assert details[4] == Run("once", endpoint="strict")
    assert [step.line for step in lesson.steps] == [6, 8, 9, 13, 14, 15]
    assert lesson.left(0) == 1.0


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("minutes: 3", "minuts: 3", 'line 2: A lesson has no key "minuts". Did you mean "minutes"?'),
        ("minutes: 3", "minutes: many", 'line 2: "minutes" must be a number that is not negative.'),
        ("minutes: 3", "minutes: 0.5", "line 2: The steps take 1 minutes, the lesson has 0.5."),
        ("session: two-tickets", "session: nine-tickets", 'line 4: "session" must be one of add-function'),
        ("- say: Look.", "- say:", 'line 6: "say" must be a text.'),
        (
            "- say: Look.",
            "- says: Look.",
            'line 6: A step of kind "say" has no key "says". Did you mean "say"?',
        ),
        ("turn: 1", "turn: 0", "line 8: Turns are counted from 1."),
        ("chart: sum", "chart: pie", 'line 8: "chart" must be one of calls, sum.'),
        ("number: tool_uses", "number: tool_usage", 'line 10: "tool_usage" is no value.'),
        ("    number: tool_uses\n", "", 'line 9: A prediction has either "choices" or a "number".'),
        ("number: tool_uses", "choices: [a, a]", "line 10: Two choices say the same."),
        ("number: tool_uses", "choices: [a, b]", "line 10: No choice can be right"),
        (
            "number: tool_uses",
            "choices: [a, {text: b, when: perhaps}]",
            'line 10: "perhaps" is no condition.',
        ),
        ("{op: delete, targets: [3]}", "{op: remove}", 'line 13: op: The operation "remove" is not known.'),
        (
            "{op: delete, targets: [3]}",
            "{op: delete}",
            'line 13: targets: The operation "delete" needs the key',
        ),
        ("mode: once", "mode: twice", 'line 14: "mode" must be one of once, loop, resume.'),
        ("endpoint: strict", "workspace: ../..", 'line 14: "workspace" must be one of calculator'),
        ('"{tool_uses} calls"', '"{tool_usage} calls"', 'line 15: "tool_usage" is no value.'),
        ('"{tool_uses} calls"', '"{tool_uses calls"', "line 15: A brace is open or alone."),
        (
            "  - run:",
            "  - do: {op: fit}\n    run:",
            "line 14: A step is of one kind; this one has do and run.",
        ),
        ("question:", "title:", 'line 3: The key "title" stands here twice.'),
        ("title: One call", "title: &a One call", "line 1: Anchors and references"),
        ("title: One call", "title: !!python/name:os.system x", "line 1: Tags"),
        ("title: One call", "title: [One call", "line 2: This is no YAML"),
        ("    answer: Two.\n", "    then: a\n", 'line 15: "then", "now" and "since" stand together'),
        (
            "    answer: Two.\n",
            "    then: a\n    now: b\n    since: today\n",
            'line 18: "since" must be a date',
        ),
    ],
)
def test_a_fault_names_its_line(old: str, new: str, expected: str) -> None:
    assert SMALL.count(old) >= 1
    found = faults(SMALL.replace(old, new, 1))
    assert any(fault.startswith(expected) for fault in found), found


def test_all_faults_are_found_at_once() -> None:
    broken = SMALL.replace("minutes: 3", "minutes: x").replace("turn: 1", "turn: 0").replace("once", "twice")
    assert [fault.partition(":")[0] for fault in faults(broken)] == ["line 2", "line 8", "line 14"]
    with pytest.raises(UserError, match=r"line 2.*line 8.*line 14"):
        read(broken)


@pytest.mark.parametrize("text", ["", "[]", "title", "- 1", "steps: 3", "{}", "\x00", "a: *b", "? [a]\n: b"])
def test_what_is_no_lesson_is_said_to_be_none(text: str) -> None:
    assert faults(text)


def test_an_answer_needs_a_question_before_it() -> None:
    early = SMALL.replace("  - say: Look.\n    minutes: 1\n", "  - reveal: x\n    answer: y\n")
    assert 'line 6: There is no question before this "answer".' in faults(early)


@given(st.data())
def test_a_damaged_file_never_raises(data: st.DataObject) -> None:
    text = files()[3].read_text("utf-8")
    at = data.draw(st.integers(0, len(text) - 1))
    put = data.draw(st.text(max_size=4))
    lesson, found = check(text[:at] + put + text[at + data.draw(st.integers(0, 6)) :])
    assert (lesson is None) == bool(found)
