"""A sample stands for the whole: exact where everything is measured, and off by no more than it says."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.sampling import judged


@given(st.lists(st.integers(1, 10_000), max_size=50), st.integers(1, 9))
def test_all_that_are_measured_are_exact(true: list[int], kinds: int) -> None:
    found = judged([1.0] * len(true), [n % kinds for n in true], lambda i: true[i], most=10_000)
    assert found.measured == len(true)
    assert found.values == tuple(true)
    assert found.error == 0


@given(st.lists(st.tuples(st.integers(1, 9_999), st.sampled_from("abc")), min_size=1, max_size=300))
def test_kinds_that_are_off_by_a_constant_factor_are_judged_rightly(things: list[tuple[int, str]]) -> None:
    factor = {"a": 2, "b": 3, "c": 1}
    rough = [float(n) for n, _ in things]
    found = judged(rough, [k for _, k in things], lambda i: things[i][0] * factor[things[i][1]], most=20)
    assert found.values == tuple(n * factor[k] for n, k in things)
    assert found.error < 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_the_sum_is_within_three_times_the_error_that_is_said(seed: int) -> None:
    chance = random.Random(seed)
    rough = [chance.lognormvariate(6, 1) for _ in range(3_000)]
    true = [n * chance.uniform(0.6, 1.6) for n in rough]
    found = judged(rough, [int(n).bit_length() for n in rough], true.__getitem__, most=200)
    assert 150 < found.measured < 260
    assert 0 < found.error < 0.2
    assert abs(sum(found.values) - sum(true)) <= 3 * found.error * sum(true)
