"""What an operation means for every later call: tokens before and after, and what that saves or costs.

Tokens are estimates of everything the next call would send (``tape.counting``); money is what sending that
costs without any cache, at today's price of the session's model (``tape.pricing``).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tape.counting import Counter
from tape.edits.carry_out import apply
from tape.edits.operations import Operation
from tape.edits.preview import Preview, preview
from tape.model import Session, Usage
from tape.pricing import price


@dataclass(frozen=True, slots=True)
class Effect:
    """``before`` and ``after`` are tokens of the next call. ``usd`` is what each later call saves (above 0)
    or costs more (below); ``None`` where the model's price is not known. ``model`` is whose price it is."""

    session: Session
    preview: Preview
    before: int
    after: int
    usd: Decimal | None
    model: str | None

    @property
    def saved(self) -> int:
        """Tokens that every later call sends less; below zero it sends more."""
        return self.before - self.after

    @property
    def sentence(self) -> str:
        """``Every later call sends about 3,100 tokens less, which saves about $0.0093 each time.``"""
        if not self.saved:
            return "The next call is as large as before."
        tokens = (
            f"Every later call sends about {abs(self.saved):,} tokens {'less' if self.saved > 0 else 'more'}"
        )
        if self.usd is None:
            who = f"the price of {self.model[:100]}" if self.model else "the model and so its price"
            return f"{tokens}. What that is in money is unknown: {who} is not known."
        verb = "saves" if self.usd > 0 else "costs"
        return f"{tokens}, which {verb} about ${abs(self.usd):.4f} each time (without cache)."


def effect(session: Session, operation: Operation, endpoint: str = "anthropic") -> Effect:
    """What the operation would do, without doing it. Raises ``UserError`` where ``apply`` would."""
    model = session.model
    said = preview(session, operation, endpoint, model)
    after = apply(session, operation)
    counter = Counter(model)
    before, now = counter.session(session).total, counter.session(after).total
    prices = [price(Usage(input=count, output=0), model) for count in (before, now)]
    usd = prices[0] - prices[1] if prices[0] is not None and prices[1] is not None else None
    return Effect(after, said, before, now, usd, model)
