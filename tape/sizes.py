"""How many tokens each message of a session weighs in its calls, fitted to what the calls recorded.

Between two recorded calls the prompt grew by a known number of tokens: the messages in between share it, in
proportion to their estimates. Without recorded calls a weight is an estimate. What stands before the messages
in every call (system prompt, tools, what a harness adds that the file does not hold) is ``fixed``.
"""

from __future__ import annotations

from dataclasses import dataclass

from tape.context import Counts, is_whole
from tape.counting import Estimate
from tape.derived import once
from tape.model import Session, Usage


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens of each message, and of what stands before them; ``system`` and ``tools`` are the estimated
    parts of ``fixed`` that are in the file. ``fitted`` says for each message whether recorded calls fix its
    weight (together with its neighbors)."""

    fixed: int
    system: int
    tools: int
    messages: tuple[int, ...]
    fitted: tuple[bool, ...]

    @property
    def hidden(self) -> int:
        """What calls sent beyond what the file holds."""
        return max(self.fixed - self.system - self.tools, 0)


@once
def sizes(session: Session, estimate: Estimate | None = None) -> Sizes:
    """The weights of a session's messages; ``estimate`` takes the place of characters per token."""
    counts = Counts(session, estimate)
    rough = counts.estimate
    tokens, fitted = list(rough.messages), [False] * len(rough.messages)
    fixed = None
    before: tuple[int, int, Usage] | None = None
    for turn in counts.turns:
        spent = turn.usage
        if spent is None or not is_whole(spent):
            continue
        prompt = spent.prompt or 0
        if fixed is None:
            fixed = max(prompt - sum(tokens[turn.sent_from : turn.at]), 0)
            _fit(tokens, fitted, turn.sent_from, turn.at, prompt - fixed)
        elif before is not None and before[0] == turn.sent_from:
            grown = prompt - (before[2].prompt or 0)
            if grown > 0:
                _fit(tokens, fitted, before[1], turn.at, grown)
        before = turn.sent_from, turn.at, spent
    if before is not None:
        tokens[before[1]], fitted[before[1]] = before[2].output or 0, True
    if fixed is None:
        fixed = rough.system + rough.tools
    return Sizes(fixed, rough.system, rough.tools, tuple(tokens), tuple(fitted))


def _fit(tokens: list[int], fitted: list[bool], start: int, end: int, whole: int) -> None:
    """Scales the weights of some messages so that together they are ``whole`` tokens."""
    rough = sum(tokens[start:end])
    if not rough or end <= start:
        return
    left = whole
    for i in range(start, end):
        share = round(tokens[i] * whole / rough)
        tokens[i], fitted[i] = min(share, left), True
        left -= tokens[i]
    tokens[end - 1] += left
