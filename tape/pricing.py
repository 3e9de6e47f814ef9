"""What responses cost and how large models' windows are, from the tables of ``genai-prices``, offline.

Unknown stays unknown: a response whose model has no price adds to the tokens that are not priced, never zero
dollars. Where a model costs more above a prompt size, the size of one request's prompt (fresh and cached
together) decides for all of its tokens, as Anthropic, Google and OpenAI bill it; so the package does too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, TypeAlias

from tape.model import Call, Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, TieredPrices

    Rate: TypeAlias = Decimal | TieredPrices

MILLION = Decimal(1_000_000)


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


def source() -> str:
    """Where prices and windows come from, with the version that dates them."""
    return f"genai-prices {version('genai-prices')}"


def price(usage: Usage, model: str | None, at: str | None = None) -> Decimal | None:
    """USD of one response; ``None`` where the model, its price or the counts are not known.

    ``at`` is the ISO time of the response, for models whose price has changed; without it today's applies.
    A model id that ends in ``:free``, as OpenRouter writes them, costs nothing.
    """
    if model and model.endswith(":free"):
        return Decimal(0)
    found = _find(model)
    if found is None or usage.prompt is None or usage.output is None:
        return None
    context = {"processing": "batch"} if usage.service_tier == "batch" else None
    prices = found.get_prices(_time(at), context)
    write, read = usage.cache_write or 0, usage.cache_read or 0
    hour = min(usage.cache_write_1h or 0, write)
    fresh, said = prices.input_mtok, prices.output_mtok
    if fresh is None or said is None:
        return None
    sums = (
        (usage.prompt - write - read, fresh),
        (read, _or(prices.cache_read_mtok, fresh)),
        (write - hour, _or(prices.cache_write_mtok, fresh)),
        (hour, _or(prices.cache_write_1h_mtok, _or(prices.cache_write_mtok, fresh))),
        (usage.output, said),
    )
    return sum((n * _rate(rate, usage.prompt) for n, rate in sums if n), Decimal(0)) / MILLION


def _or(rate: Rate | None, other: Rate) -> Rate:
    """A rate that is not in the table is that of ordinary input."""
    return other if rate is None else rate


def _rate(rate: Rate, prompt: int) -> Decimal:
    """USD for a million tokens of a request whose prompt has this size."""
    if isinstance(rate, Decimal):
        return rate
    return next((tier.price for tier in reversed(rate.tiers) if prompt > tier.start), rate.base)


def cost(calls: Iterable[Call]) -> Cost:
    """What these responses cost together; one of zero tokens, written by the harness itself, is free."""
    total = Cost()
    for call in calls:
        if call.usage is None or (call.usage.prompt is None and call.usage.output is None):
            total += Cost(uncounted=1)
            continue
        tokens = (call.usage.prompt or 0) + (call.usage.output or 0)
        if not tokens:
            continue
        usd = price(call.usage, call.model, call.at)
        total += Cost(unpriced_tokens=tokens) if usd is None else Cost(usd)
    return total


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
