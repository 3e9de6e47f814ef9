"""What responses cost and how large models' windows are, from the tables of ``genai-prices``, offline.

Unknown stays unknown: a response whose model has no price adds to the tokens that are not priced, never zero
dollars. Where a model costs more above a prompt size, the size of one request's prompt (fresh and cached
together) decides for all of its tokens: Anthropic's, Google's and OpenAI's pricing pages say so of their long
prompts (as of 2026-11), and the package computes it so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeAlias

from tape.model import Call, Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

    Rate: TypeAlias = Decimal | TieredPrices

MILLION = Decimal(1_000_000)
US_ONLY = Decimal("1.1")
NO_RATE = Decimal(0)


@dataclass(frozen=True, slots=True)
class Cost:
    """USD for what could be priced, and the tokens (prompt and output) that could not.

    ``usd`` is ``None`` where nothing could be. ``uncounted`` is how many responses have no token counts at
    all, so that even the unpriced tokens are more than is said here.
    """

    usd: Decimal | None = None
    unpriced_tokens: int = 0
    uncounted: int = 0

    @property
    def whole(self) -> bool:
        """True where every response was counted and priced."""
        return not (self.unpriced_tokens or self.uncounted)

    def __add__(self, other: Cost) -> Cost:
        known = [c.usd for c in (self, other) if c.usd is not None]
        usd = sum(known, Decimal(0)) if known else None
        return Cost(usd, self.unpriced_tokens + other.unpriced_tokens, self.uncounted + other.uncounted)

    def __str__(self) -> str:
        """``$0.12``, ``at least $0.12; 40,000 tokens unpriced``, or what is missing alone."""
        missing = [f"{self.unpriced_tokens:,} tokens unpriced"] if self.unpriced_tokens else []
        if self.uncounted:
            missing.append(f"{self.uncounted:,} responses without counts")
        if self.usd is None:
            return ", ".join(missing) or "–"
        said = f"${self.usd:.2f}" if self.usd >= Decimal("0.01") or self.usd == 0 else f"${self.usd:.4f}"
        return f"at least {said}; {', '.join(missing)}" if missing else said


@dataclass(frozen=True, slots=True)
class Bill:
    """USD of one response by what was paid for: fresh input, cache writes, cache reads, output."""

    fresh: Decimal
    cache_write: Decimal
    cache_read: Decimal
    output: Decimal

    @property
    def usd(self) -> Decimal:
        """All four together."""
        return self.fresh + self.cache_write + self.cache_read + self.output


NOTHING = Bill(Decimal(0), Decimal(0), Decimal(0), Decimal(0))


def source() -> str:
    """Where prices and windows come from, with the version that dates them."""
    return f"genai-prices {version('genai-prices')}"


@cache
def as_of() -> str:
    """The day (ISO) of the newest price in the installed table that has begun to hold."""
    from genai_prices.data_snapshot import get_snapshot

    rows = [
        dated.constraint
        for provider in get_snapshot().providers
        for model in provider.models
        for dated in (
            *(model.prices if isinstance(model.prices, list) else ()),
            *(model.price_variants or ()),
        )
    ]
    days = [day for row in rows if (day := getattr(row, "start_date", None)) is not None]
    return max((str(day) for day in days if day <= datetime.now(UTC).date()), default="")


def price(usage: Usage, model: str | None, at: str | None = None) -> Decimal | None:
    """USD of one response; ``None`` where the model, its price or the counts are not known. See ``bill``."""
    found = bill(usage, model, at)
    return None if found is None else found.usd


def bill(usage: Usage, model: str | None, at: str | None = None) -> Bill | None:
    """USD of one response by its parts; ``None`` where the model, its price or the counts are not known.

    ``at`` is the ISO time of the response, for models whose price has changed; without it today's applies.
    A model id that ends in ``:free``, as OpenRouter writes them, costs nothing.
    """
    if model and model.endswith(":free"):
        return NOTHING
    rates = rates_of(usage, model, at)
    if rates is None or usage.prompt is None or usage.output is None:
        return None
    write, read = usage.cache_write or 0, usage.cache_read or 0
    hour = min(usage.cache_write_1h or 0, write)
    by_rate = rates.for_prompt(usage.prompt)
    return Bill(
        fresh=(usage.prompt - write - read) * by_rate.fresh / MILLION,
        cache_write=((write - hour) * by_rate.cache_write + hour * by_rate.cache_write_1h) / MILLION,
        cache_read=read * by_rate.cache_read / MILLION,
        output=usage.output * by_rate.output / MILLION,
    )


@dataclass(frozen=True, slots=True)
class Flat:
    """USD for a million tokens of one request, by what is paid for."""

    fresh: Decimal
    cache_write: Decimal
    cache_write_1h: Decimal
    cache_read: Decimal
    output: Decimal


class Rates:
    """A model's prices as the table has them, tiers and all, times the factor of the region."""

    def __init__(self, prices: ModelPrice, factor: Decimal) -> None:
        fresh, said = prices.input_mtok or NO_RATE, prices.output_mtok or NO_RATE
        write = fresh if prices.cache_write_mtok is None else prices.cache_write_mtok
        hour = write if prices.cache_write_1h_mtok is None else prices.cache_write_1h_mtok
        read = fresh if prices.cache_read_mtok is None else prices.cache_read_mtok
        rates: tuple[Rate, ...] = (fresh, write, hour, read, said)
        starts = {tier.start for r in rates if not isinstance(r, Decimal) for tier in r.tiers}
        self._starts = sorted(starts)
        self._flat = [
            Flat(*(_rate(rate, size) * factor for rate in rates))
            for size in (0, *(start + 1 for start in self._starts))
        ]

    def for_prompt(self, tokens: int) -> Flat:
        """The rates of a request whose whole prompt has this many tokens. A rate that is not in the table is
        that of ordinary input."""
        return self._flat[bisect_left(self._starts, tokens)]


def rates_of(usage: Usage, model: str | None, at: str | None = None) -> Rates | None:
    """The rates that hold for a response, by its model, time, tier, speed and region; ``None`` where unknown.

    The words of a response that choose a rate are compared with those of the table: ``batch``, ``flex``,
    ``priority`` and ``fast`` tiers, fast mode. Inference kept in the US costs 1.1 times as much on Claude
    models (Anthropic's pricing page, as of 2026-11).
    """
    if not model:
        return None
    day = None if at is None else at if _by_the_hour(model) else at[:10]
    return _rates(model, usage.service_tier, usage.speed, usage.region, day)


@lru_cache(maxsize=1000)
def _by_the_hour(model: str) -> bool:
    """Whether prices of this model depend on the time of day."""
    found = _find(model)
    dated = found.prices if found is not None and isinstance(found.prices, list) else []
    return any(one.constraint is not None and not hasattr(one.constraint, "start_date") for one in dated)


@lru_cache(maxsize=2000)
def _rates(
    model: str, tier: str | None, speed: str | None, region: str | None, at: str | None
) -> Rates | None:
    found = _find(model)
    if found is None:
        return None
    context: dict[str, str] = {}
    if tier == "batch":
        context["processing"] = "batch"
    elif tier:
        context["service_tier"] = tier
    if speed:
        context["speed"] = speed
    prices = found.get_prices(_time(at), context or None)
    if prices.input_mtok is None or prices.output_mtok is None:
        return None
    local = region == "us" and found.id.startswith("claude")
    return Rates(prices, US_ONLY if local else Decimal(1))


def _rate(rate: Rate, prompt: int) -> Decimal:
    """USD for a million tokens of a request whose prompt has this size."""
    if isinstance(rate, Decimal):
        return rate
    return next((tier.price for tier in reversed(rate.tiers) if prompt > tier.start), rate.base)


def cost(calls: Iterable[Call]) -> Cost:
    """What these responses cost together; one of zero tokens, written by the harness itself, is free."""
    usd, priced, unpriced, uncounted = Decimal(0), False, 0, 0
    for call in calls:
        if call.usage is None or (call.usage.prompt is None and call.usage.output is None):
            uncounted += 1
            continue
        tokens = (call.usage.prompt or 0) + (call.usage.output or 0)
        if not tokens:
            continue
        paid = price(call.usage, call.model, call.at)
        if paid is None:
            unpriced += tokens
        else:
            usd, priced = usd + paid, True
    return Cost(usd if priced else None, unpriced, uncounted)


def window(model: str | None) -> int | None:
    """How many tokens a prompt of this model may have; ``None`` where that is not known."""
    found = _find(model)
    return found.context_window if found else None


@lru_cache(maxsize=1000)
def _find(model: str | None) -> ModelInfo | None:
    if not model:
        return None
    from genai_prices.data_snapshot import get_snapshot

    for name in (model, model.rpartition("/")[2].rpartition("anthropic.")[2]):
        try:
            return get_snapshot().find_provider_model(name[:200], None, None, None)[1]
        except LookupError:
            continue
    return None


def _time(at: str | None) -> datetime:
    """The ISO time as a moment; now where it is none."""
    try:
        found = datetime.fromisoformat(at or "")
    except ValueError:
        return datetime.now(UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
