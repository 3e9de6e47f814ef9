"""When a run has had enough: its limits, and what it has used of them. The loop itself is ``tape.agent``."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from tape.assembly import Answer
from tape.estimate import Estimate, estimate
from tape.model import Session, Usage
from tape.pricing import price


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends although the model would go on. ``None`` is no limit.

    ``output_tokens`` and ``usd`` are summed over the calls of the run, ``seconds`` is wall time. A call is
    not made when sending it would go over ``usd`` by its estimate. ``unpriced_tokens`` bounds what is sent
    and answered where no price is known. ``tool_seconds`` is how long one round of tools may take.
    """

    calls: int | None = 20
    output_tokens: int | None = None
    usd: float | None = None
    unpriced_tokens: int | None = None
    seconds: float | None = None
    tool_seconds: float | None = 120.0


NO_LIMITS_BUT_CALLS = Limits()
LIVE_LIMITS = Limits(usd=0.50, unpriced_tokens=200_000)
"""For endpoints that bill, unless somebody says otherwise."""


@dataclass(slots=True)
class Spent:
    """What a run has used of its limits. ``over`` is the limit that it has reached, or empty."""

    limits: Limits
    stop: Callable[[], bool]
    billed: bool
    calls: int = 0
    output: int = 0
    usd: Decimal = Decimal(0)
    unpriced: int = 0
    next: Estimate | None = None
    begun: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> str:
        """Why no further call may be made; empty where one may."""
        limits, ahead = self.limits, self.next
        usd = self.usd + ((ahead and ahead.usd) or 0)
        unpriced = self.unpriced + (ahead.prompt_tokens if ahead and ahead.usd is None else 0)
        checks: tuple[tuple[str, float | None, float | Decimal], ...] = (
            ("calls", limits.calls, self.calls),
            ("output_tokens", limits.output_tokens, self.output),
            ("usd", limits.usd if self.billed else None, usd),
            ("unpriced_tokens", limits.unpriced_tokens if self.billed else None, unpriced),
        )
        reached = (name for name, most, now in checks if most is not None and now >= most)
        return self.broken_off or next(reached, "")

    @property
    def broken_off(self) -> str:
        """What ends a run in the middle of something: a person, or its time."""
        if self.stop():
            return "stopped"
        seconds = self.limits.seconds
        return "seconds" if seconds is not None and time.monotonic() - self.begun >= seconds else ""

    def is_over(self) -> bool:
        """Whether the run has to end at once."""
        return bool(self.broken_off)

    def look_ahead(self, session: Session) -> None:
        """Estimates the next call, where it would be billed."""
        self.next = estimate(session) if self.billed else None

    def add(self, answer: Answer, model: str | None) -> None:
        """Counts an answer, by what the endpoint says of it, else by what was estimated."""
        ahead, self.next = self.next, None
        usage = answer.usage or Usage()
        self.output += usage.output or 0
        if not self.billed or answer.scripted:
            return
        usd = price(usage, answer.model or model)
        if usd is None and usage.prompt is None and ahead is not None:
            usd = ahead.usd
        if usd is None:
            prompt = usage.prompt if usage.prompt is not None else ahead.prompt_tokens if ahead else 0
            self.unpriced += prompt + (usage.output or 0)
        else:
            self.usd += usd
