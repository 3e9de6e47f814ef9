"""What an operation saves or costs on every later call."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from tape.counting import Counter
from tape.edits import Compact, PrependMemory, apply
from tape.edits.effect import effect
from tests.strategies import assistant, session, user

LONG = session(user("Tell me all."), assistant("word " * 4_000), user("Thanks."))
PRICED = replace(LONG, params={"model": "claude-sonnet-4-5"})


def test_a_compaction_saves_tokens_and_money_on_every_later_call() -> None:
    operation = Compact(0, 1, summary="All was told.")
    found = effect(PRICED, operation)
    after = apply(PRICED, operation)
    counter = Counter("claude-sonnet-4-5")
    assert (found.before, found.after) == (counter.session(PRICED).total, counter.session(after).total)
    assert found.usd == Decimal(3) * found.saved / 1_000_000
    assert found.preview.sentence.startswith("Compact messages 0–1")
    assert f"about {found.saved:,} tokens less, which saves about ${found.usd:.4f}" in found.sentence


def test_a_memory_costs_and_an_unknown_price_is_said_to_be_unknown() -> None:
    found = effect(LONG, PrependMemory("We indent with tabs."))
    assert found.saved < 0
    assert found.usd is None
    assert "tokens more. What that is in money is unknown: the model and so its price" in found.sentence
