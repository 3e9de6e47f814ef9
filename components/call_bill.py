"""The bill of one call: what it re-sent and what it added, message by message, with sizes, and in words.

Old messages are grey, new ones bright. Tokens are those the call recorded, shared out among its messages
(``tape.sizes``), or estimates; nothing is sent from here. What the request looks like on the wire is
``components.request_panel``'s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import streamlit as st

from components.state import Page
from components.token_chart import dollars
from components.token_rows import named
from components.used import turns_of, usage_of
from tape.model import Session
from tape.sizes import Sizes, sizes
from tape.turns import Turn
from tape.usage import SessionUsage

ROWS = 40


@dataclass(frozen=True, slots=True)
class Bill:
    """One call: positions of what it sent, tokens of the old and the new part and of what stood before the
    messages, its cost in USD, and whether the tokens are an estimate."""

    number: int
    start: int
    new_from: int
    end: int
    old: int
    new: int
    fixed: int
    usd: float | None
    estimated: bool
    coming: bool

    @property
    def sentence(self) -> str:
        """``call 7 re-sends 14 messages, 9,120 tokens, to add 310``."""
        again, guess = self.new_from - self.start, "≈ " if self.estimated else ""
        paid = "" if self.usd is None else f" It cost {guess}{dollars(self.usd)}."
        if not again:
            return (
                f"Call {self.number} sends {_messages(self.end - self.start)} for the first time: "
                f"{guess}{self.fixed + self.new:,} tokens, {self.fixed:,} of them before the messages.{paid}"
            )
        return (
            f"Call {self.number} re-sends {_messages(again)}, {guess}{self.fixed + self.old:,} tokens, "
            f"to add {guess}{self.new:,}.{paid}"
        )


def bill_of(turns: tuple[Turn, ...], used: SessionUsage, weights: Sizes, messages: int, number: int) -> Bill:
    """The bill of call ``number`` (from 1); one more than there are is the call that comes next."""
    coming = number > len(turns)
    if coming:
        start = turns[-1].sent_from if turns else 0
        new_from, end = turns[-1].at if turns else 0, messages
        prompt, usd, estimated = used.context_now, None, used.context_source == "estimated"
    else:
        turn, spent = turns[number - 1], used.turns[number - 1]
        start, new_from, end = turn.sent_from, turn.new_from, turn.at
        prompt, estimated = spent.usage.prompt or 0, spent.usage.source != "recorded"
        usd = None if spent.bill is None else float(spent.bill.usd)
    new = min(sum(weights.messages[new_from:end]), prompt)
    old = min(sum(weights.messages[start:new_from]), prompt - new)
    return Bill(number, start, new_from, end, old, new, prompt - new - old, usd, estimated, coming)


def draw_call_bill(page: Page, number: int) -> None:
    """Draws the sentence and the list of what the call sent."""
    weights = sizes(page.session, page.counted.of(page.session))
    found = bill_of(turns_of(page), usage_of(page), weights, len(page.session.messages), number)
    st.text(found.sentence)
    st.html(f'<ol class="bill">{"".join(_rows(page.session, weights, found))}</ol>')


def _rows(session: Session, weights: Sizes, found: Bill) -> Iterator[str]:
    guess = "≈ " if found.estimated else ""
    if found.fixed:
        word = "old" if found.new_from > found.start else "new"
        yield _row(word, "system prompt, tools, what the file does not hold", f"{guess}{found.fixed:,}")
    places = list(range(found.start, found.end))
    left_out = max(len(places) - ROWS, 0)
    for i in places[left_out:]:
        if left_out and i == places[left_out]:
            sent = sum(weights.messages[found.start : i])
            yield _row("old", f"{_messages(left_out)} before", f"≈ {sent:,}")
        mark = "" if weights.fitted[i] and not found.estimated else "≈ "
        word = "old" if i < found.new_from else "new"
        yield _row(word, f"#{i} {named(session.messages[i])}", f"{mark}{weights.messages[i]:,}")


def _row(word: str, what: str, tokens: str) -> str:
    return f'<li class="{word}"><span>{escape(what)}</span><b>{tokens}</b></li>'


def _messages(count: int) -> str:
    return f"{count:,} message{'' if count == 1 else 's'}"
