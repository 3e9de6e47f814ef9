"""How two sequences that share most of their entries differ. Entries are told apart by what they are, not by
what they say, so that this is fast: mostly one comparison of addresses an entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any, NamedTuple

STRIDE = 1_024


class Difference(NamedTuple):
    """``removed`` entries at ``at`` become ``new[start:stop]``; ``at`` counts in the sequence as it stands
    once the differences before this one were carried out."""

    at: int
    removed: int
    start: int
    stop: int


def identical(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two pieces of one length hold the same objects."""
    return all(map(is_, one, other))


def differences(old: Sequence[Any], new: Sequence[Any]) -> list[Difference]:
    """What turns one sequence into the other, to be carried out in order; none where both hold the same.

    Where entries were put into another order, everything between the first and the last of them counts.
    """
    if old is new:
        return []
    start, end = shared(old, new)
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    known, wanted = set(map(id, before)), set(map(id, after))
    found: list[Difference] = []
    a = b = 0
    while a < len(before) or b < len(after):
        gone, come = a, b
        while a < len(before) and id(before[a]) not in wanted:
            a += 1
        while b < len(after) and id(after[b]) not in known:
            b += 1
        if a > gone or b > come:
            found.append(Difference(start + come, a - gone, start + come, start + b))
        elif a < len(before) and b < len(after) and before[a] is after[b]:
            a, b = a + 1, b + 1
        else:
            return [Difference(start, len(before), start, start + len(after))]
    return found


def shared(
    old: Sequence[Any],
    new: Sequence[Any],
    alike: Callable[[Sequence[Any], Sequence[Any]], bool] = identical,
) -> tuple[int, int]:
    """How many entries two sequences share at the start and, beyond those, at the end. ``alike`` compares two
    pieces of one length; for entries that equal nothing but themselves ``operator.eq`` is the fastest."""
    most = min(len(old), len(new))
    start = 0
    while start + STRIDE <= most and alike(old[start : start + STRIDE], new[start : start + STRIDE]):
        start += STRIDE
    while start < most and old[start] is new[start]:
        start += 1
    end, most = 0, most - start
    while end + STRIDE <= most and alike(_tail(old, end), _tail(new, end)):
        end += STRIDE
    while end < most and old[-1 - end] is new[-1 - end]:
        end += 1
    return start, end


def _tail(entries: Sequence[Any], end: int) -> Sequence[Any]:
    return entries[len(entries) - end - STRIDE : len(entries) - end]
