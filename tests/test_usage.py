"""What a session used: per turn, per lane, and what its next call would send."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from tape.model import Base, Branch, Call, Lane, Session, Text, Usage, message
from tape.usage import lanes, usage
from tests.strategies import answer, assistant, call, session, user

OPUS = "claude-opus-5-5"
ARRAY = session(user("go"), assistant(call("a")), user(answer("a")), assistant("done"))


def used(prompt: int, output: int, **more: int) -> Usage:
    return Usage(input=prompt, output=output, **more)


def recorded(**calls: Usage) -> Session:
    """The array above with these responses recorded, by message uid."""
    return replace(
        ARRAY, calls=tuple(Call(uid, id=f"r-{uid}", model=OPUS, usage=u) for uid, u in calls.items())
    )


def test_turns_add_up() -> None:
    found = usage(recorded(m1=used(100, 20), m3=used(50, 5, cache_read=100)))
    assert [(t.usage.prompt, t.usage.output, t.cumulative, t.mixed) for t in found.turns] == [
        (100, 20, 120, False),
        (150, 5, 275, False),
    ]
    assert (found.source, found.prompt_last) == ("recorded", 150)
    assert (found.context_now, found.context_source) == (155, "recorded")
    assert (found.total.fresh_input, found.total.cache_read, found.total.output) == (150, 100, 25)
    assert found.total.spent == 275
    assert found.total.cost.whole
    assert found.window == 1_000_000
    assert found.filled == 155 / 1_000_000


def test_what_is_not_recorded_is_estimated_and_says_so() -> None:
    found = usage(recorded(m1=used(100, 20)))
    assert [t.usage.source for t in found.turns] == ["recorded", "estimated"]
    assert [t.mixed for t in found.turns] == [False, True]
    assert (found.source, found.prompt_last) == ("estimated", None)
    assert found.total.fresh_input == 100
    bare = usage(ARRAY)
    assert (bare.total.fresh_input, bare.total.output, bare.prompt_last) == (None, None, None)
    assert bare.context_source == "estimated"
    assert bare.context_now > 0


def test_zeros_are_no_count_of_a_call_that_sent_something() -> None:
    found = usage(recorded(m1=used(0, 0), m3=used(50, 5)))
    assert [t.usage.source for t in found.turns] == ["estimated", "recorded"]


def test_the_recorded_part_of_a_response_is_kept() -> None:
    (first, _) = usage(recorded(m1=Usage(output=33), m3=used(50, 5))).turns
    assert (first.usage.output, first.usage.source) == (33, "estimated")
    assert first.usage.prompt


def test_what_came_after_the_last_call_is_estimated_on_top() -> None:
    made = recorded(m1=used(100, 20), m3=used(150, 5))
    later = message("n1", "user", (Text(uid="n1.0", text="x" * 2500),))
    found = usage(replace(made, messages=(*made.messages, later)))
    assert (found.context_now, found.context_source) == (155 + 1000 + 4, "estimated")


def test_an_edit_changes_the_context_by_what_it_added_and_removed() -> None:
    made = recorded(m1=used(100, 20), m3=used(150, 5))
    made = replace(made, base=Base("anthropic-messages", (), made.messages))
    longer = made.messages[0].with_blocks((Text(uid="m0.0", text="x" * 2500),))
    found = usage(replace(made, messages=(longer, *made.messages[1:])))
    assert (found.context_now, found.context_source) == (155 + 1000 - 1, "estimated")
    assert usage(made).context_source == "recorded"


def test_a_model_that_is_not_known_has_no_window() -> None:
    found = usage(replace(ARRAY, params={"model": "house-model-7b"}))
    assert (found.window, found.filled) == (None, None)


def test_branches_and_agents_add_to_spend_only() -> None:
    made = recorded(m1=used(100, 20), m3=used(150, 5))
    left = message("b1", "assistant", (Text(uid="b1.0", text="no"),))
    agent = Session(
        (left,), calls=(Call("b1", id="r-agent", model=OPUS, usage=used(1000, 1)),), title="helper"
    )
    made = replace(
        made,
        calls=(*made.calls, Call("b1", id="r-b", model=OPUS, usage=used(400, 40))),
        branches=(Branch("first try", "m2", (left,)),),
        lanes=(Lane(agent, "m1.0", "explore"), Lane(agent, None, "explore")),
    )
    found = usage(made)
    assert {n: t.fresh_input for n, t in found.by_lane.items()} == {
        "main": 250,
        "branch first try": 400,
        "explore": 1000,
        "explore (2)": None,
    }
    assert found.total.fresh_input == 1650
    assert (found.prompt_last, found.context_now) == (150, 155)


def test_one_response_counts_once_and_the_largest_figures_win() -> None:
    twice = (Call("m1", id="r", usage=used(100, 4)), Call("m1", id="r", usage=used(100, 88)))
    ((name, calls),) = lanes(replace(ARRAY, calls=twice))
    assert name == "main"
    assert [c.usage for c in calls] == [used(100, 88)]


def test_the_same_id_with_other_content_is_another_response() -> None:
    calls = (Call("m1", id="r", usage=used(100, 4)), Call("m3", id="r", usage=used(7, 7)))
    assert usage(replace(ARRAY, calls=calls)).total.fresh_input == 107


def test_an_empty_session_used_nothing() -> None:
    found = usage(Session(()))
    assert (found.turns, found.source, found.context_now, found.prompt_last) == ((), None, 0, None)
    assert found.total.fresh_input is None
    assert found.total.cost.usd is None


def test_costs_add_up_over_lanes() -> None:
    found = usage(recorded(m1=used(1_000_000, 0), m3=used(0, 1_000_000)))
    assert found.total.cost.usd == Decimal(24)
