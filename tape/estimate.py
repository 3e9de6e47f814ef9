"""What the next call would send and cost, before it is made: tokens and USD, both estimated.

Counting is ``tape.counting``'s, prices are ``tape.pricing``'s; where there is no price, there is none here.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tape.counting import Counter
from tape.model import Session, Usage
from tape.pricing import price


@dataclass(frozen=True, slots=True)
class Estimate:
    """``prompt_tokens`` of the next call; ``usd`` for sending them without any cache, ``most_usd`` with an
    answer of ``max_tokens`` too; both ``None`` where the model's price is not known."""

    prompt_tokens: int
    usd: Decimal | None
    most_usd: Decimal | None
    model: str | None

    @property
    def sentence(self) -> str:
        """``About 12,300 tokens, $0.06 to send and at most $0.37 with the answer (estimated).``"""
        said = f"About {self.prompt_tokens:,} tokens"
        if self.usd is None or self.most_usd is None:
            who = f"the price of {self.model[:100]}" if self.model else "which model answers"
            return f"{said}; what they cost is unknown, for {who} is not known (estimated)."
        most = f"at most ${_usd(self.most_usd)} with the answer"
        return f"{said}, ${_usd(self.usd)} to send and {most} (estimated)."


def estimate(session: Session) -> Estimate:
    """What the session's next call would send and cost. Good to about 25 % (see ``tape.counting``)."""
    model = session.model
    tokens = Counter(model).session(session).total
    limit = session.params.get("max_tokens")
    most = limit if isinstance(limit, int) and limit > 0 else 0
    return Estimate(tokens, _price(tokens, 0, model), _price(tokens, most, model), model)


def _price(prompt: int, output: int, model: str | None) -> Decimal | None:
    return price(Usage(input=prompt, output=output, source="estimated"), model)


def _usd(amount: Decimal) -> str:
    return f"{amount:.2f}" if amount >= Decimal("0.10") else f"{amount:.4f}"
