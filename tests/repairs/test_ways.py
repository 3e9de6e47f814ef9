"""Every rule's own example is mended in every way that is offered for it, and the wanted thing comes out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tape.edits import Repair, apply
from tape.errors import UserError
from tape.model import Base, Session
from tape.repairs import WAYS, mend, repairs, sentence
from tape.rules import RULES, Rule, lint
from tape.wire import message_json, native_request, session_of
from tests.strategies import PIXEL, answer, assistant, call, session, text, user

BY_HAND = {"request-too-large", "context-overflow"}
EXAMPLES = [rule for rule in RULES if rule.example.lstrip().startswith("{")]


def entries(after: Session) -> list[Any]:
    return [message_json(entry) for entry in after.messages]


def mended(start: Session, code: str, endpoint: str = "anthropic", way: str = "") -> Session:
    """The session after the repair of its first finding of a code: the first offered, or that way."""
    finding = next(f for f in lint(start, endpoint) if f.code == code)
    offered = repairs(start, finding)
    return apply(start, next(r for r in offered if r.way == (way or r.way)))


def test_ways_are_for_rules_and_only_a_person_can_cut_what_is_too_long() -> None:
    codes = {rule.code for rule in RULES}
    assert WAYS.keys() <= codes
    assert codes - WAYS.keys() == BY_HAND


@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
def test_ways_of_a_rule_have_names_of_their_own(ways: Any) -> None:
    assert len({way.name for way in ways}) == len(ways)
    assert all(way.safe == (not way.loses) for way in ways)


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.code)
def test_the_example_of_a_rule_is_mended(rule: Rule) -> None:
    endpoint = next(iter(rule.on))
    form = "openai-chat" if "arguments" in rule.code or "openai" in endpoint else "anthropic-messages"
    start = _read(rule.example, form)
    (finding, *_) = [f for f in lint(start, endpoint) if f.code == rule.code]
    offered = repairs(start, finding)
    assert offered
    for repair in offered:
        after = apply(start, repair)
        assert sentence(start, repair)
        left = {(f.code, f.uids, f.where) for f in lint(after, endpoint)}
        assert (finding.code, finding.uids, finding.where) not in left, repair
        assert apply(after, repair) is after


def _read(example: str, form: str) -> Session:
    import tape

    return tape.load(example.encode(), format=form)


def test_an_answer_stands_in_call_order_among_the_others() -> None:
    start = session(
        user("go"), assistant(call("a"), call("b"), call("c")), user(answer("a"), answer("c"), text("so?"))
    )
    after = mended(start, "unanswered-tool-use")
    ids = [block.get("tool_use_id") for block in entries(after)[2]["content"]]
    assert ids == ["a", "b", "c", None]
    assert entries(after)[2]["content"][1]["is_error"] is True


def test_a_call_with_nothing_behind_it_is_answered_in_a_message_of_its_own() -> None:
    start = session(user("go"), assistant(call("a")), assistant("and then"), user("so?"))
    after = mended(start, "unanswered-tool-use")
    assert [entry["role"] for entry in entries(after)] == ["user", "assistant", "user", "assistant", "user"]


def test_an_orphan_keeps_its_words_and_pictures_as_text() -> None:
    start = session(user(answer("a", [text("see"), PIXEL]), answer("b", "", is_error=True)), assistant("ok"))
    after = mended(mended(start, "orphan-tool-result"), "orphan-tool-result")
    assert entries(after)[0] == user(
        text("Result of tool call b, kept as text:\n(empty)"),
        text("Result of tool call a, kept as text:\nsee"),
        PIXEL,
    )


def test_results_that_are_split_come_together_in_call_order() -> None:
    start = session(
        user("go"),
        assistant(call("a"), call("b"), call("c")),
        user(answer("b")),
        user(answer("c"), text("so")),
        user(answer("a")),
    )
    after = start
    for _ in range(3):
        found = [f for f in lint(after, "strict") if f.code in ("split-tool-results", "late-tool-result")]
        if found:
            after = apply(after, repairs(after, found[0])[0])
    assert entries(after)[2] == user(answer("a"), answer("b"), answer("c"))
    assert entries(after)[3] == user(text("so"))


def test_two_answers_to_one_call_are_joined_or_the_second_is_dropped() -> None:
    start = session(user("go"), assistant(call("a")), user(answer("a", "1"), answer("a", [PIXEL])))
    assert entries(mended(start, "duplicate-tool-result"))[2] == user(answer("a", [text("1"), PIXEL]))
    assert entries(mended(start, "duplicate-tool-result", way="drop"))[2] == user(answer("a", "1"))


def test_an_answer_far_behind_is_quoted_and_not_joined() -> None:
    start = session(
        user("go"),
        assistant(call("a")),
        user(answer("a", "1")),
        assistant("x"),
        user(answer("a", "2")),
        assistant("y"),
    )
    after = mended(start, "duplicate-tool-result")
    assert entries(after)[4] == user(text("Result of tool call a, kept as text:\n2"))


def test_an_assistant_message_that_answers_itself_is_cut_into_turns() -> None:
    start = session(user("go"), assistant(text("I look."), call("a"), answer("a"), text("Found.")))
    after = mended(start, "wrong-role-block")
    assert entries(after) == [
        user("go"),
        assistant(text("I look."), call("a")),
        user(answer("a")),
        assistant(text("Found.")),
    ]
    assert after.messages[1].uid == "m1"


def test_a_leading_system_message_joins_the_prompt() -> None:
    start = session({"role": "system", "content": "Be kind."}, user("hi"), system="Be terse.")
    after = mended(start, "system-first-in-messages")
    assert after.system == "Be terse.\n\nBe kind."
    assert entries(after) == [user("hi")]


def test_a_system_message_in_a_round_moves_behind_it() -> None:
    start = session(
        user("go"),
        assistant(call("a")),
        {"role": "system", "content": "Hurry."},
        user(answer("a")),
        assistant("ok"),
        model="claude-opus-5-5",
    )
    after = mended(start, "misplaced-system")
    assert [entry["role"] for entry in entries(after)] == ["user", "assistant", "user", "system", "assistant"]


def test_neighbors_are_merged_or_a_line_is_put_between() -> None:
    start = session(user("one"), user("two"), assistant("ok"))
    assert entries(mended(start, "consecutive-roles", "strict"))[0] == user(text("one"), text("two"))
    between = mended(start, "consecutive-roles", "strict", "between")
    assert entries(between)[:3] == [user("one"), assistant("Understood."), user("two")]


def test_a_tool_message_of_another_form_becomes_a_result() -> None:
    start = session(
        user("go"),
        assistant(call("a")),
        {"role": "tool", "tool_call_id": "a", "content": "x"},
        assistant("ok"),
    )
    assert entries(mended(start, "unknown-role"))[2] == user(answer("a", "x"))


def test_input_that_is_json_is_parsed_and_other_input_wrapped() -> None:
    start = session(
        user("go"),
        assistant(call("a", input='{"q": 1}'), call("b", input=[1])),
        user(answer("a"), answer("b")),
    )
    after = mended(mended(start, "input-not-object"), "input-not-object")
    assert [block["input"] for block in entries(after)[1]["content"]] == [{"q": 1}, {"arguments": [1]}]


def test_a_tool_name_is_cleaned_in_the_list_and_in_every_call() -> None:
    tool = {"name": "read file", "description": "", "input_schema": {"type": "object"}}
    start = session(user("go"), assistant(call("a", "read file")), user(answer("a")), tools=[tool])
    after = mended(start, "bad-tool-name")
    assert after.tools is not None
    assert after.tools[0].name == "read_file"
    assert native_request(after)["tools"] == [{**tool, "name": "read_file"}]
    assert entries(after)[1]["content"][0]["name"] == "read_file"


def test_thinking_is_given_back_as_it_was_read() -> None:
    thinking = {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"}
    read = session(user("go"), assistant(thinking, call("a")), user(answer("a")), model="claude-opus-5-5")
    read = replace(read, base=Base("anthropic-messages", (), read.messages))
    from tape.edits import Replace

    changed = apply(read, Replace("m1.0", "Run first.", force=True))
    assert entries(mended(changed, "thinking-modified")) == entries(read)
    dropped = mended(changed, "thinking-modified", way="drop")
    assert entries(dropped)[1] == assistant(call("a"))


def test_a_repair_that_nobody_knows_is_refused_with_what_is_known() -> None:
    start = session_of(json.loads('{"messages": []}'))
    with pytest.raises(UserError, match="There is no repair for"):
        mend(start, Repair("no-such-code"))
    with pytest.raises(UserError, match="Known: quote, delete"):
        mend(start, Repair("orphan-tool-result", ("m0",), "burn"))
