"""Judges many by measuring a few: a stratified sample, carried over to the rest, with the error that leaves.

Knows numbers only. What is counted and what makes two things alike is the caller's to say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

CERTAIN = 1.96


class Judged(NamedTuple):
    """A value for each thing; how many were measured; and by how much the sum may be off, as a share of it:
    in 19 of 20 samples it is not off by more."""

    values: tuple[int, ...]
    measured: int
    error: float


def judged(
    rough: Sequence[float], kinds: Sequence[Hashable], measure: Callable[[int], float], most: int
) -> Judged:
    """Measures about ``most`` of the things and judges the others by their kind.

    ``rough`` is a cheap value of each, above 0, and ``kinds`` says which are alike. Of every kind as many are
    measured as its part of the rough sum asks for, at least two, spread evenly from the smallest to the
    largest; the others are their rough value times what the measured ones of their kind were off by.
    """
    strata: dict[Hashable, list[int]] = {}
    for i, kind in enumerate(kinds):
        strata.setdefault(kind, []).append(i)
    whole = sum(rough) or 1.0
    values = [0.0] * len(rough)
    measured, variance = 0, 0.0
    for members in strata.values():
        members.sort(key=rough.__getitem__)
        share = sum(rough[i] for i in members) / whole
        wanted = min(len(members), max(2, round(most * share)))
        picked = [members[k * len(members) // wanted + len(members) // (2 * wanted)] for k in range(wanted)]
        found = {i: measure(i) for i in picked}
        factor = sum(found.values()) / (sum(rough[i] for i in picked) or 1.0)
        for i in members:
            values[i] = found.get(i, rough[i] * factor)
        measured += wanted
        variance += _variance([found[i] - rough[i] * factor for i in picked], len(members))
    total = sum(values)
    return Judged(
        tuple(round(n) for n in values), measured, CERTAIN * math.sqrt(variance) / total if total else 0.0
    )


def _variance(residuals: list[float], members: int) -> float:
    """The variance of a stratum's sum, for a sample without replacement."""
    n = len(residuals)
    if n == members or n < 2:
        return 0.0
    spread = sum(r * r for r in residuals) / (n - 1)
    return members * members * (1 - n / members) * spread / n
