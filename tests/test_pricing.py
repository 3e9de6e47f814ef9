"""Prices: unknown is not zero, tiers go by one request's prompt, and sums are those of the table."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import genai_prices
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.model import Call, Usage
from tape.pricing import Cost, as_of, bill, cost, price, source, window

MODELS = ("claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-4-5", "gpt-4.1", "gemini-3.1-pro-preview")


@pytest.mark.parametrize("model", MODELS)
@given(
    fresh=st.integers(0, 400_000),
    read=st.integers(0, 400_000),
    write=st.integers(0, 10_000),
    hour=st.integers(0, 10_000),
    output=st.integers(0, 100_000),
)
def test_it_is_what_the_table_makes_of_it(
    model: str, fresh: int, read: int, write: int, hour: int, output: int
) -> None:
    usage = Usage(input=fresh, cache_read=read, cache_write=write + hour, cache_write_1h=hour, output=output)
    theirs = genai_prices.calc_price(
        genai_prices.Usage(
            input_tokens=fresh + read + write + hour,
            cache_read_tokens=read,
            cache_write_tokens=write + hour,
            cache_write_5m_tokens=write,
            cache_write_1h_tokens=hour,
            output_tokens=output,
        ),
        model,
    )
    assert price(usage, model) == theirs.total_price


@pytest.mark.parametrize(
    "name",
    [
        "anthropic/claude-opus-4.5",
        "us.anthropic.claude-opus-4-5-20251101-v1:0",
        "litellm_proxy/anthropic/claude-opus-4-5",
        "claude-opus-4-5-20251101",
    ],
)
def test_a_model_is_found_under_the_names_that_logs_write(name: str) -> None:
    assert price(Usage(input=1_000_000, output=0), name) == Decimal(5)
    assert window(name) == 200_000


@pytest.mark.parametrize("name", [None, "", "house-model-7b", "<synthetic>", "x" * 100_000])
def test_an_unknown_model_has_no_price_and_no_window(name: str | None) -> None:
    assert price(Usage(input=5, output=5), name) is None
    assert window(name) is None


def test_unknown_counts_have_no_price() -> None:
    assert price(Usage(output=5), "claude-opus-5-5") is None
    assert price(Usage(input=5), "claude-opus-5-5") is None


def test_a_batch_costs_half() -> None:
    whole, half = Usage(input=1000, output=10), Usage(input=1000, output=10, service_tier="batch")
    assert price(half, "claude-opus-5-5") * 2 == price(whole, "claude-opus-5-5")  # type: ignore[operator]


def test_a_price_that_changed_goes_by_the_time_of_the_response() -> None:
    big = Usage(input=300_000, output=0)
    assert price(big, "claude-opus-4-6", "2026-02-01T00:00:00Z") == Decimal(3)
    assert price(big, "claude-opus-4-6", "2026-04-01") == Decimal("1.5")
    assert price(big, "claude-opus-4-6", "not a time") == Decimal("1.5")


@pytest.mark.parametrize(
    ("total", "said"),
    [
        (Cost(), "–"),
        (Cost(Decimal(0)), "$0.00"),
        (Cost(Decimal("0.0042")), "$0.0042"),
        (Cost(Decimal("12.346")), "$12.35"),
        (Cost(None, 40_000), "40,000 tokens unpriced"),
        (
            Cost(Decimal("0.12"), 40_000, 2),
            "at least $0.12; 40,000 tokens unpriced, 2 responses without counts",
        ),
    ],
)
def test_what_a_cost_says(total: Cost, said: str) -> None:
    assert str(total) == said
    assert total.whole == ("unpriced" not in said)


def test_a_response_without_counts_leaves_the_sum_open() -> None:
    found = cost([Call("m1", model="claude-opus-5-5"), Call("m2", model="claude-opus-5-5", usage=Usage())])
    assert found == Cost(None, 0, 2)


def test_the_source_names_its_version() -> None:
    assert source() == f"genai-prices {genai_prices.__version__}"


@pytest.mark.parametrize(
    ("words", "usd"),
    [
        ({}, "4"),
        ({"service_tier": "standard"}, "4"),
        ({"speed": "standard"}, "4"),
        ({"speed": "fast"}, "8"),
        ({"service_tier": "batch"}, "2"),
        ({"region": "us"}, "4.4"),
        ({"region": "global"}, "4"),
    ],
)
def test_the_words_of_a_response_choose_its_rate(words: dict[str, str], usd: str) -> None:
    """Opus 5.5: $4 a million tokens, fast mode twice that, batches half, kept in the US 1.1 times."""
    spent = Usage(input=1_000_000, output=0, **words)  # type: ignore[arg-type]
    assert price(spent, "claude-opus-5-5", "2026-11-20T00:00:00Z") == Decimal(usd)


def test_cache_writes_of_an_hour_cost_twice_the_input_and_shorter_ones_a_quarter_more() -> None:
    spent = Usage(input=0, cache_write=2_000_000, cache_write_1h=1_000_000, cache_read=1_000_000, output=0)
    found = bill(spent, "claude-opus-5-5")
    assert found is not None
    assert (found.fresh, found.cache_write, found.cache_read) == (0, Decimal("13"), Decimal("0.2"))


def test_a_tier_of_openai_is_priced_where_the_table_has_it() -> None:
    spent = Usage(input=1_000_000, output=0, service_tier="priority")
    assert price(spent, "gpt-4.1", "2026-11-20") == Decimal("3.5")
    assert price(spent, "gpt-4.1", "2026-01-20") == Decimal("2")


def test_the_table_says_how_new_it_is() -> None:
    day = date.fromisoformat(as_of())
    assert date(2026, 10, 1) < day <= datetime.now(UTC).date()
