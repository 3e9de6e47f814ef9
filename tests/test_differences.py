"""Differences of sequences lead from one to the other, and name no more than they must."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.differences import differences, shared


class One:
    """Something that is told apart by what it is, whatever it says."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, One)

    def __hash__(self) -> int:
        return 1


POOL = [One() for _ in range(8)]
lists = st.lists(st.sampled_from(POOL), max_size=12)


@given(lists, lists)
def test_carried_out_in_order_they_give_the_new_sequence(old: list[One], new: list[One]) -> None:
    found = list(old)
    for at, removed, start, stop in differences(old, new):
        found[at : at + removed] = new[start:stop]
    assert list(map(id, found)) == list(map(id, new))


@given(st.permutations(POOL), st.sets(st.integers(0, 7)), st.sets(st.integers(0, 8)))
def test_only_what_came_or_went_is_named(old: list[One], gone: set[int], come: set[int]) -> None:
    kept = [one for i, one in enumerate(old) if i not in gone]
    new = kept.copy()
    for at in sorted(come, reverse=True):
        new.insert(at, One())
    found = differences(old, new)
    assert sum(one.removed for one in found) == len(gone)
    assert sum(one.stop - one.start for one in found) == len(come)


@pytest.mark.parametrize("size", [0, 1_023, 1_024, 1_025, 5_000])
def test_long_sequences_are_compared_whole(size: int) -> None:
    old = [One() for _ in range(size)]
    assert shared(old, list(old)) == (size, 0)
    assert differences(old, list(old)) == []
    new = [*old[: size // 3], One(), *old[size // 3 :]]
    assert differences(old, new) == [(size // 3, 0, size // 3, size // 3 + 1)]
