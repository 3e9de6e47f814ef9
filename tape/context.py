"""What each call sent and the next one would send: as recorded, and estimated where nothing was.

A recorded call also shows what its file does not hold (a harness's system prompt, its tools): what it sent
beyond the estimate of what can be seen. Estimates of other calls include that. Sums over calls, lanes and
costs are in ``tape.usage``; the estimates themselves are ``tape.counting``'s.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import Literal, TypeAlias

from tape.capabilities import model_named
from tape.counting import Counter, Estimate
from tape.model import Message, Session, Usage
from tape.turns import Turn, turns

Source: TypeAlias = Literal["recorded", "counted", "estimated"]


def context_now(session: Session) -> tuple[int, Source]:
    """How many tokens the next call of the main array would send, and how that is known."""
    return Counts(session).context_now()


def is_whole(usage: Usage | None) -> bool:
    """Whether prompt and output are known. Zeros are no count: a call that sent something sent tokens."""
    return usage is not None and bool(usage.prompt) and usage.output is not None


class Counts:
    """The tokens of a session's calls, recorded or estimated; an estimate is made only when it is needed.

    ``estimate`` is one of this session that is already there, such as ``tape.claude_counting.count`` gives.
    """

    def __init__(self, session: Session, estimate: Estimate | None = None) -> None:
        self.session = session
        self._given = estimate
        self.counter = Counter(session.model)
        self.turns = turns(session)

    @cached_property
    def _sums(self) -> list[int]:
        """Estimated tokens of everything before each message, the system prompt and tools included."""
        return list(accumulate(self.estimate.messages, initial=self._fixed))

    @cached_property
    def estimate(self) -> Estimate:
        """Estimated tokens of each part of the session: the one that was given, else by characters."""
        return self._given or self.counter.session(self.session)

    @cached_property
    def _fixed(self) -> int:
        if self._given is not None:
            return self._given.system + self._given.tools
        return self.counter.system(self.session) + self.counter.tools(self.session)

    @cached_property
    def _recorded(self) -> list[int]:
        """The indexes of the turns whose counts are recorded."""
        return [n for n, turn in enumerate(self.turns) if is_whole(turn.usage)]

    def _estimate(self, sent_from: int, at: int, near: int) -> int:
        """Estimated tokens of a call that sends these messages, as its nearest recorded call shows them."""
        sums = self._sums
        seen = self._fixed + sums[at] - sums[sent_from]
        known = self._recorded
        if not known:
            return seen
        other = self.turns[known[max(bisect_left(known, near) - 1, 0)]]
        prompt = other.usage.prompt if other.usage else None
        hidden = (prompt or 0) - (self._fixed + sums[other.at] - sums[other.sent_from])
        return max(seen + hidden, 0)

    def of_turn(self, turn: Turn) -> Usage:
        """The usage of a turn: as recorded, with what is missing estimated."""
        known = turn.usage
        if known is not None and is_whole(known):
            return known
        prompt = self._estimate(turn.sent_from, turn.at, turn.index - 1)
        output = self._sums[turn.at + 1] - self._sums[turn.at]
        if known is None or not (known.prompt or known.output):
            return Usage(input=prompt, output=output, source="estimated")
        if not known.prompt:
            return replace(known, input=prompt, source="estimated")
        return replace(known, output=output, source="estimated")

    def context_now(self) -> tuple[int, Source]:
        """What the next call would send, and whether that is known or estimated.

        The last recorded call said what it sent and got; what came later is estimated on top, and so is what
        edits put into the array it had sent, or took out of it. After a compaction only its summary is sent.
        """
        messages = self.session.messages
        summaries = (i for i, entry in enumerate(messages) if entry.restarts)
        start, last = max(summaries, default=0), self.turns[-1] if self.turns else None
        spent = last.usage if last else None
        if last is None or spent is None or not is_whole(spent) or start > last.at:
            return self._estimate(start, len(messages), len(self.turns)), "estimated"
        now = (spent.prompt or 0) + (spent.output or 0) - self._forgotten(last, spent)
        later = messages[last.at + 1 :]
        changed = self._changed(last)
        estimated = self._later(last.at + 1, later) + changed
        return now + estimated, "estimated" if later or changed else "recorded"

    def _later(self, start: int, later: Sequence[Message]) -> int:
        if self._given is not None:
            return sum(self._given.messages[start:])
        return sum(self.counter.messages(later).tokens)

    def _forgotten(self, last: Turn, spent: Usage) -> int:
        """Thinking that the next request does not keep: older models drop it once the user has spoken."""
        row = model_named(self.session.model)
        drops = row is not None and row.keeps_thinking is False and not last.open and not last.result_uids
        return (spent.thinking or 0) if drops else 0

    def _changed(self, last: Turn) -> int:
        """Estimated tokens that edits added to what the last recorded call had sent, less those removed."""
        base, messages = self.session.base, self.session.messages
        if base is None or self.session.untouched:
            return 0
        end = next((i for i, entry in enumerate(base.messages) if entry.uid == last.message_uid), None)
        if end is None:
            return 0
        before = base.messages[: end + 1]
        kept, was = set(messages), set(before)
        gone = [entry for entry in before if entry not in kept]
        new = [entry for entry in messages[: last.at + 1] if entry not in was]
        count = sum(self.counter.messages(new).tokens) - sum(self.counter.messages(gone).tokens)
        if self.session.system != base.system or self.session.tools != base.tools:
            original = replace(self.session, system=base.system, tools=base.tools)
            count += self._fixed - self.counter.system(original) - self.counter.tools(original)
        return count
