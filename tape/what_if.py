"""What the same session would have sent and cost otherwise: without a cache, with a perfect one, cut short.

Everything is computed from the real array: the same calls, the same answers, the weights of ``tape.sizes``.
What the model would have said to a shorter array nobody knows; that is the limit of each of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import Literal, TypeAlias, assert_never

from tape.model import Session, Usage
from tape.pricing import bill
from tape.sizes import Sizes
from tape.turns import Turn
from tape.usage import TurnUsage

Supposition: TypeAlias = Literal["no cache", "perfect cache", "drop oldest", "compact"]
SUMMARY = 2_000
LABELS: dict[Supposition, str] = {
    "no cache": "no cache",
    "perfect cache": "perfect caching",
    "drop oldest": "drop the oldest",
    "compact": "compact",
}


@dataclass(frozen=True, slots=True)
class Supposed:
    """What each turn would have sent (tokens, every call of it) and cost (USD, ``None`` where its price is
    not known), and how that was computed, in a sentence."""

    label: str
    formula: str
    sent: tuple[int, ...]
    usd: tuple[Decimal | None, ...]


def formula(what: Supposition, limit: int) -> str:
    """How a supposition is computed; ``limit`` in tokens, where it has one."""
    match what:
        case "no cache":
            return "each call: whole prompt × input price + output × output price"
        case "perfect cache":
            return (
                "each call reads from the cache what the one before sent, and writes the rest to it, "
                "unless no later call reads it again"
            )
        case "drop oldest":
            return (
                f"whole messages are dropped from the front until a call sends at most {limit:,} tokens; "
                "a result never stays without its call; a dropped message ends the cached prefix, as a rule"
            )
        case "compact":
            return (
                f"a call over {limit:,} tokens is preceded by one that sends the same array and answers with "
                f"a summary of {SUMMARY:,} tokens; from then on calls send the summary and what came after it"
            )
        case _:
            assert_never(what)


def suppose(
    what: Supposition,
    session: Session,
    turns: tuple[Turn, ...],
    used: tuple[TurnUsage, ...],
    weights: Sizes,
    limit: int = 0,
) -> Supposed:
    """The turns of a session under a supposition; ``limit`` is N, in tokens, for dropping and compacting."""
    if what in ("no cache", "perfect cache"):
        arrays = [[(one.usage.prompt or 0, 0, _same(turns, n))] for n, one in enumerate(used)]
    elif what == "drop oldest":
        arrays = [[sent] for sent in _dropping(session, turns, used, weights, limit)]
    else:
        arrays = list(_compacting(turns, used, weights, limit))
    sent, usd = [], []
    before = 0
    for n, (one, calls) in enumerate(zip(used, arrays, strict=True)):
        cost: Decimal | None = Decimal(0)
        for k, (prompt, summary, kept) in enumerate(calls):
            read = 0 if what == "no cache" else min(before if kept < 0 else kept, prompt)
            written = what != "no cache" and _read_again(arrays, n, k)
            spent = Usage(
                input=0 if written else prompt - read,
                cache_read=read,
                cache_write=prompt - read if written else 0,
                output=summary or one.usage.output,
                source="estimated",
            )
            paid = bill(spent, one.model, one.at)
            cost = None if cost is None or paid is None else cost + paid.usd
            before = prompt
        sent.append(sum(prompt for prompt, _, _ in calls))
        usd.append(cost)
    label = LABELS[what] + (f" at {limit:,} tokens" if what in ("drop oldest", "compact") else "")
    return Supposed(label, formula(what, limit), tuple(sent), tuple(usd))


Sent: TypeAlias = tuple[int, int, int]
"""A call: tokens it sends; tokens of the summary it is answered with (0: the answer that was); tokens of its
prefix that the call before had sent too (-1: all that it sent)."""


def _read_again(arrays: list[list[Sent]], n: int, k: int) -> bool:
    """Whether the call after the k-th of turn n reads more of it than a prefix that was there before."""
    later = arrays[n][k + 1 :] or (arrays[n + 1] if n + 1 < len(arrays) else [])
    return bool(later) and later[0][2] < 0


def _same(turns: tuple[Turn, ...], n: int) -> int:
    return -1 if n and turns[n].sent_from == turns[n - 1].sent_from else 0


def _dropping(
    session: Session, turns: tuple[Turn, ...], used: tuple[TurnUsage, ...], weights: Sizes, limit: int
) -> Iterator[Sent]:
    sums = list(accumulate(weights.messages, initial=0))
    start, was = 0, -1
    for turn, one in zip(turns, used, strict=True):
        start = max(start, turn.sent_from)
        fixed = max((one.usage.prompt or 0) - (sums[turn.at] - sums[turn.sent_from]), 0)
        while start < turn.at - 1 and fixed + sums[turn.at] - sums[start] > limit:
            start += 1
        while start < turn.at - 1 and any(h.kind == "tool_result" for h in session.messages[start].heads):
            start += 1
        prompt = fixed + sums[turn.at] - sums[start]
        yield prompt, 0, -1 if start == was else (0 if was < 0 else fixed)
        was = start


def _compacting(
    turns: tuple[Turn, ...], used: tuple[TurnUsage, ...], weights: Sizes, limit: int
) -> Iterator[list[Sent]]:
    sums = list(accumulate(weights.messages, initial=0))
    start, summary = 0, 0
    for n, (turn, one) in enumerate(zip(turns, used, strict=True)):
        if turn.sent_from > start:
            start, summary = turn.sent_from, 0
        fixed = max((one.usage.prompt or 0) - (sums[turn.at] - sums[turn.sent_from]), 0)
        prompt = fixed + summary + sums[turn.at] - sums[start]
        if prompt > limit and start < turn.new_from:
            old = fixed + summary + sums[turn.new_from] - sums[start]
            start, summary = turn.new_from, SUMMARY
            shorter = fixed + summary + sums[turn.at] - sums[start]
            yield [(old, SUMMARY, -1 if n else 0), (shorter, 0, fixed)]
        else:
            yield [(prompt, 0, -1 if n else 0)]
