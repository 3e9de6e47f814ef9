"""Compaction, fitting, memory, forks and sub-agents: all of them edits to one list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tape.counting import Counter
from tape.edits import (
    Compact,
    FewShot,
    Fit,
    FoldSubagent,
    Fork,
    Operation,
    PrependMemory,
    Spawn,
    Switch,
    apply,
    from_json,
    sentence,
    to_json,
)
from tape.edits.compact import stretch
from tape.edits.cuts import cuts, openings
from tape.edits.extract import lost
from tape.edits.few_shot import examples
from tape.edits.fit import fitted
from tape.edits.history import History
from tape.edits.preview import ACTS
from tape.edits.spawn import with_lane
from tape.errors import UserError
from tape.model import Lane, Session
from tape.rules import lint
from tape.threads import threads
from tape.wire import message_json
from tests.strategies import answer, assistant, call, session, sessions, text, user

PLAIN = session(*(m for n in range(40) for m in (user(f"question {n} " + "x" * 300), assistant("y" * 100))))
WORK = session(
    user("Read a.py, Ada asked on 2026-11-30."),
    assistant(text("I look."), call("a"), call("b", "list_files")),
    user(answer("a", "def add(): 42"), answer("b", "a.py b.py")),
    assistant("It is fine."),
    user("thanks"),
    system="Be terse.",
)


def entries(after: Session) -> list[Any]:
    return [message_json(entry) for entry in after.messages]


@pytest.mark.parametrize(
    "value",
    [
        {"op": "prepend_memory", "text": "We use tabs.", "as": "user"},
        {"op": "compact", "from": "m0", "to": 3, "summary": "Read a.py."},
        {"op": "compact", "keep_last": 2},
        {"op": "fit", "budget": 4000, "strategy": "clear_results"},
        {"op": "fit", "strategy": "window", "keep": 3},
        {"op": "fork", "at": "m2", "name": "polite"},
        {"op": "switch", "branch": "polite", "leave_as": "main"},
        {"op": "fold_subagent", "call": "m1.1"},
        {"op": "fold_subagent", "call": "m1.1", "answer": "42"},
        {"op": "fold_subagent", "lane": 0},
        {"op": "spawn", "call": "m1.1", "tools": True},
        {"op": "spawn", "task": "Count the files.", "system": "You count."},
        {"op": "few_shot", "examples": [{"input": "a", "answer": "b"}]},
        {"op": "few_shot", "examples": []},
    ],
)
def test_operation_survives_json(value: dict[str, Any]) -> None:
    assert to_json(from_json(value)) == value


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"op": "prepend_memory", "text": "x", "as": "robot"}, "as"),
        ({"op": "compact", "keep_last": 2, "from": 1}, "keep_last"),
        ({"op": "fit", "strategy": "magic"}, "strategy"),
        ({"op": "fit", "budget": "4k"}, "budget"),
        ({"op": "fork", "at": 1}, "name"),
        ({"op": "fold_subagent", "call": "m1.1", "lane": 0}, "call"),
        ({"op": "few_shot", "examples": ["a"]}, "examples"),
    ],
)
def test_mistake_is_named(value: dict[str, Any], where: str) -> None:
    with pytest.raises(UserError) as caught:
        from_json(value)
    assert caught.value.where == where


def test_memory_goes_into_the_system_prompt_or_in_front() -> None:
    assert apply(WORK, PrependMemory("We use tabs.")).system == "We use tabs.\n\nBe terse."
    in_front = apply(WORK, PrependMemory("We use tabs.", "user"))
    assert entries(in_front)[:2] == [user("We use tabs."), entries(WORK)[0]]
    inside = session({"role": "system", "content": "Be kind."}, user("hi"))
    assert entries(apply(inside, PrependMemory("x")))[0]["content"] == [text("x"), text("Be kind.")]
    with pytest.raises(UserError, match="nothing to remember"):
        apply(WORK, PrependMemory(" "))


def test_a_stretch_becomes_one_message() -> None:
    operation = Compact(0, 3, summary="Ada's file is fine.")
    assert entries(apply(WORK, operation)) == [user("Ada's file is fine."), user("thanks")]
    assert sentence(WORK, operation) == "Compacted messages 0–3 into a summary"


@pytest.mark.parametrize("keep", [2, 3])
def test_a_cut_inside_a_round_moves_to_its_edge(keep: int) -> None:
    operation = Compact(keep_last=keep, summary="s")
    assert stretch(WORK, operation) == ((0, 3) if keep == 2 else (0, 1))
    assert [link.state for link in threads(apply(WORK, operation)).links] == (
        [] if keep == 2 else ["ok", "ok"]
    )


def test_a_summary_is_put_together_and_what_it_lost_is_listed() -> None:
    after = apply(WORK, Compact(0, 3))
    assert after.messages[0].text == (
        "Summary of 4 earlier messages.\n"
        "The user said: Read a.py, Ada asked on 2026-11-30.\n"
        "Tools were called: read_file (1 time) and list_files (1 time).\n"
        "The last answer was: It is fine."
    )
    assert lost(WORK.messages, after.messages[0].text) == ("42", "b.py")


def test_nothing_to_compact_is_said() -> None:
    with pytest.raises(UserError, match="no stretch of whole pairs"):
        apply(WORK, Compact(1, 1, summary="s"))
    with pytest.raises(UserError, match="ends before it begins"):
        apply(WORK, Compact(3, 1, summary="s"))


def test_the_oldest_exchanges_go_until_it_fits() -> None:
    size = Counter().session(PLAIN).total
    after = apply(PLAIN, Fit(4_000))
    left = Counter().session(after).total
    assert left <= 4_000 < size
    assert after.messages[0].role == "user"
    assert after.messages == PLAIN.messages[-len(after.messages) :]
    one_more = replace(PLAIN, messages=PLAIN.messages[-len(after.messages) - 2 :])
    assert Counter().session(one_more).total > 4_000
    gone = len(PLAIN.messages) - len(after.messages)
    assert sentence(PLAIN, Fit(4_000)) == (
        f"Dropped the {gone} oldest messages: about {left:,} of {size:,} tokens are left"
    )
    assert apply(after, Fit(4_000)) is after


def test_a_window_keeps_the_last_exchanges() -> None:
    after = apply(PLAIN, Fit(strategy="window", keep=3))
    assert after.messages == PLAIN.messages[-6:]
    assert apply(after, Fit(strategy="window", keep=9)) is after


def test_old_results_are_cleared_and_their_calls_stay() -> None:
    long = session(
        user("go"),
        assistant(call("a"), call("b")),
        user(answer("a", "x" * 4_000), answer("b", "y" * 4_000)),
        assistant("ok"),
    )
    after = apply(long, Fit(1_500, "clear_results"))
    first, second = entries(after)[2]["content"]
    assert first["content"].startswith("(Cleared: about ")
    assert second == answer("b", "y" * 4_000)
    assert after.messages[1] is long.messages[1]
    assert fitted(long, Fit(1_500, "clear_results")).cleared == 1


def test_a_summary_takes_the_place_of_as_few_of_the_oldest_as_will_do() -> None:
    size = Counter().session(PLAIN).total
    after = apply(PLAIN, Fit(4_000, "summarize"))
    left = Counter().session(after).total
    assert left <= 4_000 < size
    assert after.messages[0].text.startswith("Summary of ")
    kept = len(after.messages) - 1
    assert after.messages[1:] == PLAIN.messages[-kept:]
    one_less = apply(PLAIN, Compact(keep_last=kept + 2))
    assert Counter().session(one_less).total > 4_000
    assert apply(after, Fit(4_000, "summarize")) is after


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (Fit(50), "last exchange alone needs about"),
        (Fit(50, "summarize"), "With all but the last exchange summarized"),
        (Fit(50, "clear_results"), "With all tool results cleared"),
        (Fit(50, "window", keep=2), "The last 2 exchanges alone need about"),
        (Fit(), "needs a budget"),
        (Fit(strategy="window"), "needs the number of exchanges"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused(operation: Fit, words: str) -> None:
    with pytest.raises(UserError, match=words):
        apply(PLAIN, operation)


def test_a_fork_can_be_gone_on_with_and_come_back_from() -> None:
    forked = apply(WORK, Fork("m1", "polite"))
    assert forked.messages == WORK.messages
    assert forked.branches[0].messages == WORK.messages[2:]
    edited = replace(forked, messages=forked.messages[:4])
    away = apply(edited, Switch("polite", "main"))
    assert away.messages == WORK.messages
    assert [(b.name, b.messages) for b in away.branches] == [("main", WORK.messages[2:4])]
    assert apply(away, Switch("main", "polite")).messages == edited.messages
    with pytest.raises(UserError, match='no branch "rude"'):
        apply(forked, Switch("rude", "main"))
    with pytest.raises(UserError, match='a branch "polite" already'):
        apply(forked, Fork("m2", "polite"))


def test_a_sub_agents_last_words_answer_the_call_that_started_it() -> None:
    child = session(user("find the bug"), assistant(text("Found:"), text("line 3.")))
    start = session(user("go"), assistant(call("a", "task"), call("b")), user(answer("b")))
    with_lane = replace(start, lanes=(Lane(child, spawned_by="m1.0", agent="finder"),))
    after = apply(with_lane, FoldSubagent("m1.0"))
    assert entries(after)[2] == user(answer("a", "Found:\nline 3."), answer("b"))
    assert after.lanes == with_lane.lanes
    assert [(b.name, b.at, b.messages, b.reason) for b in after.branches] == [
        ("before the fold", "m1", start.messages[2:], "fold")
    ]
    assert [f for f in lint(after) if f.severity == "refused"] == []
    for operation, words in (
        (FoldSubagent("m1.1"), "has a result already"),
        (FoldSubagent("m0"), "the call that started it"),
    ):
        with pytest.raises(UserError, match=words):
            apply(with_lane, operation)
    with pytest.raises(UserError, match="No sub-agent was started"):
        apply(start, FoldSubagent("m1.0"))
    silent = replace(start, lanes=(Lane(session(user("find")), spawned_by="m1.0"),))
    with pytest.raises(UserError, match="not answered yet"):
        apply(silent, FoldSubagent("m1.0"))


def test_a_sub_agent_knows_its_task_and_nothing_else() -> None:
    start = session(
        user("Mend my shop."),
        assistant(call("a", "task", {"prompt": "Find the bug."})),
        system="You are the boss.",
        tools=[{"name": "task", "input_schema": {}}, {"name": "read_file", "input_schema": {}}],
    )
    after = apply(start, Spawn("m1.0", tools=True))
    assert after.messages is start.messages
    (lane,) = after.lanes
    assert (lane.spawned_by, lane.agent) == ("m1.0", "task")
    assert entries(lane.session) == [user("Find the bug.")]
    assert lane.session.system is None
    assert [tool.name for tool in lane.session.tools or ()] == ["read_file"]
    with pytest.raises(UserError, match="has a sub-agent already"):
        apply(after, Spawn("m1.0"))
    free = apply(start, Spawn(task="Say hello.", system="You greet."))
    assert (free.lanes[0].spawned_by, free.lanes[0].session.system) == (None, "You greet.")
    for operation in (Spawn(), Spawn(task=" ")):
        with pytest.raises(UserError, match="needs a task"):
            apply(start, operation)
    with pytest.raises(UserError, match="belongs to the call"):
        apply(start, Spawn("m0"))


def test_a_sub_agent_that_was_run_folds_into_its_call_or_into_a_message() -> None:
    start = session(user("Mend my shop."), assistant(call("a", "task", {"prompt": "Find the bug."})))
    spawned = apply(apply(start, Spawn("m1.0")), Spawn(task="Count."))
    child = spawned.lanes[0].session
    said = from_json({"op": "append", "messages": [assistant("Line 3.")]})
    ran = with_lane(spawned, 0, apply(child, said))
    with pytest.raises(UserError, match="waits for its result"):
        apply(ran, FoldSubagent(lane=0))
    folded = apply(ran, FoldSubagent("m1.0"))
    assert entries(folded)[2:] == [user(answer("a", "Line 3."))]
    assert folded.lanes == ran.lanes
    told = apply(folded, FoldSubagent(lane=0))
    assert entries(told)[3:] == [user("Line 3.")]
    for number in (2, -1):
        with pytest.raises(UserError, match="no such sub-agent"):
            apply(folded, FoldSubagent(lane=number))


def test_examples_stand_in_front_can_be_exchanged_and_taken_out() -> None:
    start = session({"role": "system", "content": "Sort tickets."}, user("Printer on fire."))
    pairs = [{"input": "No mail.", "answer": "MAIL"}, {"input": "No ink.", "answer": "PRINTER"}]
    with_examples = apply(start, FewShot(tuple(pairs)))
    assert entries(with_examples)[1:5] == [
        user("No mail."), assistant("MAIL"), user("No ink."), assistant("PRINTER")
    ]  # fmt: skip
    assert examples(with_examples) == (("No mail.", "MAIL"), ("No ink.", "PRINTER"))
    other = apply(with_examples, FewShot((pairs[1],)))
    assert examples(other) == (("No ink.", "PRINTER"),)
    assert sentence(with_examples, FewShot((pairs[1],))) == "Put 1 example in front, in place of 2 earlier"
    assert apply(other, FewShot(())).messages == start.messages
    with pytest.raises(UserError, match="no examples to take out"):
        apply(start, FewShot(()))
    with pytest.raises(UserError, match="Write the question first"):
        apply(session(), FewShot((pairs[0],)))
    with pytest.raises(UserError, match='needs "answer"') as caught:
        apply(start, FewShot(({"input": "a", "answer": " "},)))
    assert caught.value.where == "examples[0].answer"


@st.composite
def context_operations(draw: Any, start: Session) -> Operation:
    """Any of these operations, with places that the session has."""
    count = len(start.messages)
    at = draw(st.integers(0, max(count - 1, 0)))
    to = draw(st.integers(at, max(count - 1, 0)))
    budget = draw(st.integers(10, 600))
    return draw(  # type: ignore[no-any-return]
        st.sampled_from(
            [
                PrependMemory("We use tabs.", "user"),
                PrependMemory("We use tabs."),
                Compact(at, to, summary="It went well."),
                Compact(keep_last=count - at),
                Fit(budget),
                Fit(budget, "clear_results"),
                Fit(budget, "summarize"),
                Fit(strategy="window", keep=1 + at),
                Fork(at, "other"),
                Spawn(task="Count the files."),
                FewShot(({"input": "one", "answer": "1"},)),
            ]
        )
    )


@settings(max_examples=250, deadline=None)
@given(data=st.data(), start=sessions())
def test_no_operation_adds_a_refusal_and_each_can_be_undone(data: st.DataObject, start: Session) -> None:
    operation = data.draw(context_operations(start))
    before = {(f.code, uid) for f in lint(start) for uid in (f.uids or (f.where,))}
    history = History(start)
    try:
        after = history.apply(operation)
    except UserError:
        assert history.session is start
        return
    for finding in lint(after):
        if finding.severity == "refused":
            assert any((finding.code, uid) in before for uid in (finding.uids or (finding.where,))), finding
    assert history.log[-1].sentence.split()[0] in ACTS
    assert history.undo() is start
    if isinstance(operation, Fit) and operation.budget is not None:
        assert Counter(after.model).session(after).total <= operation.budget


@settings(max_examples=100, deadline=None)
@given(start=sessions())
def test_every_cut_that_is_called_fine_tears_no_pair(start: Session) -> None:
    found = threads(start)
    whole = cuts(start)
    assert len(whole) == len(start.messages) + 1
    for i, fine in enumerate(whole):
        torn = any(
            found.positions[k.call_uid][0] < i <= found.positions[k.result_uid][0] for k in found.links
        )
        assert not (fine and torn)
    assert all(start.messages[i].role == "user" for i in openings(start))
