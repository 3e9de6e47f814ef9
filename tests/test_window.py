"""What fills the window: every token has a kind; a message has cost its weight times its calls."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given

from tape.model import Session
from tape.sizes import sizes
from tape.usage import usage
from tape.window import KINDS, Part, heaviest, window_parts
from tests.strategies import PIXEL, answer, assistant, call, session, sessions, text, user
from tests.test_what_if import grown

MIXED = session(
    user(text("look at these"), PIXEL),
    assistant(
        {"type": "thinking", "thinking": "hm " * 20, "signature": "c2ln"},
        text("Let me read them."),
        call("a", "read_file", {"path": "a.py"}),
        call("b", "read_file", {"file_path": "b.py"}),
        call("c", "run_tests"),
    ),
    user(answer("a", "x" * 900), answer("b", "y" * 90), answer("c", "ok"), answer("lost", "z")),
    assistant("done"),
    system="Be careful.",
    tools=[{"name": "read_file", "input_schema": {"type": "object"}}],
)


def by_name(parts: tuple[Part, ...]) -> dict[tuple[str, str, str], Part]:
    return {(part.kind, part.name, part.detail): part for part in parts}


def test_parts_go_by_kind_and_results_by_tool_and_file() -> None:
    found = by_name(window_parts(MIXED))
    assert set(found) == {
        ("system prompt", "", ""),
        ("tool definitions", "", ""),
        ("user text", "", ""),
        ("images", "", ""),
        ("thinking kept", "", ""),
        ("assistant text", "", ""),
        ("tool inputs", "read_file", ""),
        ("tool inputs", "run_tests", ""),
        ("tool results", "read_file", "a.py"),
        ("tool results", "read_file", "b.py"),
        ("tool results", "run_tests", ""),
        ("tool results", "", ""),
    }
    assert (
        found["tool results", "read_file", "a.py"].tokens > found["tool results", "read_file", "b.py"].tokens
    )
    assert found["assistant text", "", ""].uids == ("m1", "m3")
    assert found["tool results", "read_file", "a.py"].uids == ("m2",)


@given(sessions())
def test_the_parts_are_the_context_of_the_next_call(made: Session) -> None:
    parts = window_parts(made)
    assert sum(part.tokens for part in parts) == usage(made).context_now
    assert [KINDS.index(part.kind) for part in parts] == sorted(KINDS.index(part.kind) for part in parts)


def test_what_a_recorded_call_sent_beyond_the_file_is_a_part_of_its_own() -> None:
    made = grown(10_000, 12_000)
    hidden = by_name(window_parts(made))["not in this file", "", ""]
    assert hidden.tokens == sizes(made).hidden > 9_000
    assert hidden.uids == ()
    assert sum(part.tokens for part in window_parts(made)) == usage(made).context_now == 12_050


def test_after_a_compaction_only_its_summary_and_what_follows_are_there() -> None:
    summary = replace(MIXED.messages[2], meta={"compact_summary": True})
    made = replace(MIXED, messages=(*MIXED.messages[:2], summary, MIXED.messages[3]))
    assert {uid for part in window_parts(made) for uid in part.uids} == {"m2", "m3"}


def test_the_heaviest_messages_and_what_they_cost_since() -> None:
    made = grown(1_000, 3_000, 9_000)
    heavy = heaviest(made, usage(made).turns, most=2)
    assert [one.position for one in heavy] == [4, 3]
    weights = sizes(made)
    assert [one.calls for one in heavy] == [1, 1]
    assert heavy[0].resent == heavy[0].tokens == weights.messages[4]
    assert heavy[0].usd == Decimal(4) / 1_000_000 * heavy[0].tokens
    first = next(one for one in heaviest(made, usage(made).turns) if one.position == 0)
    assert (first.calls, first.resent) == (3, 3 * first.tokens)


def test_without_a_price_what_would_be_saved_is_not_known() -> None:
    made = replace(grown(10, 20), params={"model": "house-model-7b"})
    made = replace(made, calls=tuple(replace(one, model=None) for one in made.calls))
    assert {one.usd for one in heaviest(made, usage(made).turns) if one.calls} == {None}


@pytest.mark.parametrize("made", [Session(()), session(user(""))])
def test_where_there_is_nothing_there_is_no_part_of_it(made: Session) -> None:
    assert sum(part.tokens for part in window_parts(made)) == usage(made).context_now
