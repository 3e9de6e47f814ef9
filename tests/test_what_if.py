"""What would have been: the same calls, other prompts, computed from the weights of the real messages."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tape
from tape.model import Call, Session, Usage
from tape.sizes import sizes
from tape.usage import usage
from tape.what_if import SUMMARY, Supposition, suppose
from tests.strategies import answer, assistant, call, session, user

OPUS = "claude-opus-5-5"


def grown(*prompts: int, output: int = 50) -> Session:
    """A session of one exchange whose calls sent these prompts, each with a result before the next."""
    entries = [user("go" * 40)]
    for n in range(len(prompts) - 1):
        entries += [assistant(call(f"c{n}", "ls", {"q": "x" * 60})), user(answer(f"c{n}", "y" * 200))]
    made = session(*entries, assistant("done"), model=OPUS)
    cut = tape.turns(made)
    calls = tuple(
        Call(turn.message_uid, id=f"r{n}", model=OPUS, usage=Usage(input=prompt, output=output))
        for n, (turn, prompt) in enumerate(zip(cut, prompts, strict=True))
    )
    return replace(made, calls=calls)


def supposed(made: Session, what: Supposition, limit: int = 0) -> tuple[tuple[int, ...], list[Decimal]]:
    found = suppose(what, made, tape.turns(made), usage(made).turns, sizes(made), limit)
    assert found.formula
    return found.sent, [paid for paid in found.usd if paid is not None]


def test_weights_add_up_to_what_the_calls_recorded() -> None:
    made = grown(10_000, 12_000, 15_000)
    weights = sizes(made)
    for turn, prompt in zip(tape.turns(made), (10_000, 12_000, 15_000), strict=True):
        assert weights.fixed + sum(weights.messages[: turn.at]) == prompt
    assert weights.messages[-1] == 50
    assert all(weights.fitted)
    assert weights.hidden > 9_000


def test_without_recorded_calls_weights_are_estimates() -> None:
    weights = sizes(replace(grown(1, 2), calls=()))
    assert not any(weights.fitted)
    assert (weights.fixed, weights.hidden) == (0, 0)


def test_a_cache_changes_the_price_and_not_what_is_sent() -> None:
    made = grown(10_000, 12_000, 15_000)
    sent, none = supposed(made, "no cache")
    again, perfect = supposed(made, "perfect cache")
    assert sent == again == (10_000, 12_000, 15_000)
    million = Decimal(1_000_000)
    assert none == [
        n * 4 / million + 50 * 20 / million for n in (Decimal(10_000), Decimal(12_000), Decimal(15_000))
    ]
    reads, new, rates = (0, 10_000, 12_000), (10_000, 2_000, 3_000), (5, 5, 4)
    assert perfect == [
        (Decimal(r) * Decimal("0.2") + Decimal(w) * rate + 50 * 20) / million
        for r, w, rate in zip(reads, new, rates, strict=True)
    ]


def test_dropping_the_oldest_keeps_under_the_limit_and_never_parts_a_pair() -> None:
    made = grown(1_000, 3_000, 5_000, 7_000, 9_000)
    fixed = sizes(made).fixed
    sent, _ = supposed(made, "drop oldest", 6_000)
    assert sent[:3] == (1_000, 3_000, 5_000)
    assert all(fixed < n <= 6_000 for n in sent)
    assert supposed(made, "drop oldest", 100_000)[0] == (1_000, 3_000, 5_000, 7_000, 9_000)


def test_compaction_costs_a_call_and_starts_again_from_a_summary() -> None:
    made = grown(1_000, 30_000, 60_000, 62_000)
    weights = sizes(made)
    sent, _ = supposed(made, "compact", 50_000)
    assert sent[:2] == (1_000, 30_000)
    new = sum(weights.messages[tape.turns(made)[2].new_from : tape.turns(made)[2].at])
    assert sent[2] == 30_000 + (weights.fixed + SUMMARY + new)
    assert sent[3] == sent[2] - 30_000 + 2_000


@given(st.lists(st.integers(1, 20_000), min_size=1, max_size=8), st.integers(0, 100_000))
def test_nothing_supposed_sends_more_than_was_sent_save_for_summaries(steps: list[int], limit: int) -> None:
    prompts = [sum(steps[: n + 1]) for n in range(len(steps))]
    made = grown(*prompts)
    dropped, _ = supposed(made, "drop oldest", limit)
    assert all(n <= prompt for n, prompt in zip(dropped, prompts, strict=True))
    assert all(n > 0 for n in dropped)
    _, none = supposed(made, "no cache")
    _, perfect = supposed(made, "perfect cache")
    assert sum(perfect) <= sum(none) * Decimal("1.25")


@pytest.mark.parametrize("what", ["no cache", "perfect cache", "drop oldest", "compact"])
def test_a_model_without_a_price_has_no_supposed_price(what: Supposition) -> None:
    made = grown(10, 20)
    made = replace(
        made, params={"model": "house-model-7b"}, calls=tuple(replace(c, model=None) for c in made.calls)
    )
    found = suppose(what, made, tape.turns(made), usage(made).turns, sizes(made), 1_000)
    assert found.usd == (None, None)


def test_an_empty_session_supposes_nothing() -> None:
    empty = Session(())
    assert suppose("compact", empty, (), (), sizes(empty), 10).sent == ()
