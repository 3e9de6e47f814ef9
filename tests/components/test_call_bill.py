"""The bill of a call: what it re-sent, what it added, and that both together are what it sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tape
from components.call_bill import Bill, bill_of
from tape.sizes import sizes
from tape.usage import usage
from tests.test_what_if import grown

MADE = grown(10_000, 12_000, 15_000)


def bill(number: int) -> Bill:
    return bill_of(tape.turns(MADE), usage(MADE), sizes(MADE), len(MADE.messages), number)


@pytest.mark.parametrize(("number", "prompt"), [(1, 10_000), (2, 12_000), (3, 15_000), (4, 15_050)])
def test_old_new_and_what_stands_before_add_up_to_the_prompt(number: int, prompt: int) -> None:
    found = bill(number)
    assert found.fixed + found.old + found.new == prompt
    assert (found.coming, found.estimated) == (number == 4, False)


def test_the_sentence_says_what_is_sent_again_to_add_how_little() -> None:
    assert bill(2).sentence == "Call 2 re-sends 1 message, 10,000 tokens, to add 2,000. It cost $0.0490."
    assert bill(3).sentence == "Call 3 re-sends 3 messages, 12,000 tokens, to add 3,000. It cost $0.0610."
    assert bill(4).sentence == "Call 4 re-sends 5 messages, 15,000 tokens, to add 50."
    first = bill(1)
    assert first.sentence.startswith("Call 1 sends 1 message for the first time: 10,000 tokens, ")


def test_an_estimate_says_so() -> None:
    bare = replace(MADE, calls=())
    found = bill_of(tape.turns(bare), usage(bare), sizes(bare), len(bare.messages), 2)
    assert "≈ " in found.sentence
    assert found.fixed + found.old + found.new == usage(bare).turns[1].usage.prompt
