"""The line of numbers: each with its certainty, and never an estimate added to what was recorded."""

from __future__ import annotations

from dataclasses import replace

from components.session_header import NOT, context, money, processed
from tape.model import Call, Session, Usage
from tape.usage import usage
from tests.strategies import assistant, session, user

CHAT = session(user("go"), assistant("a"), user("and"), assistant("b"), model="claude-opus-5-5")


def recorded(*models: str | None, prompt: int = 20_000) -> Session:
    """The chat with a recorded response for each model; ``None`` is one without counts."""
    calls = tuple(
        Call(uid, id=uid, model=model, usage=Usage(input=prompt, output=0) if model else None)
        for uid, model in zip(("m1", "m3"), models, strict=True)
    )
    return replace(CHAT, calls=calls)


def test_all_is_recorded() -> None:
    used = usage(recorded("claude-opus-5-5", "claude-opus-5-5"))
    assert context(used) == ("20k", "context now", "2% of 1M")
    assert processed(used) == ("40k", "processed", "all calls")
    assert money(used)[:2] == ("$0.16", "cost")
    assert money(used)[2].startswith("prices of 20")


def test_a_model_without_a_price_and_a_call_without_counts_leave_the_total_open() -> None:
    assert money(usage(recorded("claude-opus-5-5", "house-model-7b"))) == (
        "at least $0.08",
        "cost",
        "20,000 tokens unpriced",
    )
    used = usage(recorded("claude-opus-5-5", None))
    assert processed(used) == ("20k", "processed", "all calls, 1 call not counted")
    assert context(used)[0].startswith("≈ ")


def test_nothing_is_recorded() -> None:
    used = usage(replace(CHAT, params={}))
    assert context(used)[2] == "window not known"
    assert processed(used)[0].startswith("≈ ")
    assert processed(used)[2] == "all calls, estimated"
    assert money(used)[0] == "–"
    assert processed(usage(Session(()))) == ("–", "processed", "no call yet")


def test_every_number_says_what_it_is_not() -> None:
    assert all(" not " in f" {said} " or " no " in said for said in NOT.values())
