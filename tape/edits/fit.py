"""Makes the array fit a budget: drop or summarize whole exchanges from the oldest on, or clear old results.

Tokens are estimates for the session's model (``tape.counting``), of everything that the next call would send.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tape.counting import Counter
from tape.edits.build import rewrite
from tape.edits.compact import compact
from tape.edits.cuts import openings, pinned
from tape.edits.operations import Compact, Fit
from tape.edits.settle import settle
from tape.edits.targets import plural
from tape.errors import UserError
from tape.model import Block, Message, Session, ToolResult


@dataclass(frozen=True, slots=True)
class Fitted:
    """What fitting did: the array, and the tokens that the next call would send before and after.

    ``dropped`` are the messages that went, from the first up to, not including, the second number;
    ``cleared`` counts results that are stubs now; ``session`` is the outcome where more than messages went.
    """

    messages: tuple[Message, ...]
    before: int
    after: int
    dropped: tuple[int, int] = (0, 0)
    cleared: int = 0
    session: Session | None = None


def fit(session: Session, operation: Fit) -> Session:
    """The session made to fit; the very same one when it does already.

    Raises ``UserError`` when even the least that could be sent is over the budget.
    """
    found = fitted(session, operation)
    if found.session is not None:
        return found.session
    return session if found.messages is session.messages else settle(session, found.messages)


def fitted(session: Session, operation: Fit) -> Fitted:
    """What fitting would do, with tokens before and after. Raises ``UserError`` as ``fit`` does."""
    if operation.strategy == "clear_results":
        return _clear_results(session, _budget(operation))
    if operation.strategy == "window":
        return _window(session, operation)
    if operation.strategy == "summarize":
        return _summarize(session, _budget(operation))
    return _drop_oldest(session, _budget(operation))


def _budget(operation: Fit) -> int:
    if operation.budget is None or operation.budget <= 0:
        raise UserError("Fitting needs a budget of tokens above zero.", where="budget")
    return operation.budget


def _sizes(session: Session) -> tuple[int, tuple[int, ...]]:
    """Tokens of what always goes along, and of each message."""
    counted = Counter(session.model).session(session)
    return counted.system + counted.tools, counted.messages


def _cut_to(session: Session, start: int, sizes: tuple[int, ...], fixed: int) -> Fitted:
    """The array without the messages between the pinned ones and ``start``."""
    head = pinned(session)
    before = fixed + sum(sizes)
    if start <= head:
        return Fitted(session.messages, before, before)
    messages = (*session.messages[:head], *session.messages[start:])
    return Fitted(messages, before, before - sum(sizes[head:start]), dropped=(head, start))


def _drop_oldest(session: Session, budget: int) -> Fitted:
    fixed, sizes = _sizes(session)
    fixed_head = fixed + sum(sizes[: pinned(session)])
    if fixed + sum(sizes) <= budget:
        return Fitted(session.messages, fixed + sum(sizes), fixed + sum(sizes))
    for start in openings(session):
        if fixed_head + sum(sizes[start:]) <= budget:
            return _cut_to(session, start, sizes, fixed)
    last = max(openings(session), default=0)
    least = fixed_head + sum(sizes[last:])
    raise UserError(
        f"The last exchange alone needs about {least:,} tokens, with what always goes along.",
        where="budget",
        do="Raise the budget, or clear tool results.",
    )


def _window(session: Session, operation: Fit) -> Fitted:
    """Keeps the last exchanges."""
    if operation.keep is None or operation.keep < 1:
        raise UserError("A window needs the number of exchanges to keep, one or more.", where="keep")
    fixed, sizes = _sizes(session)
    found = openings(session)
    start = found[-operation.keep] if operation.keep <= len(found) else 0
    after = _cut_to(session, start, sizes, fixed)
    if operation.budget is not None and after.after > operation.budget:
        raise UserError(
            f"The last {plural(operation.keep, 'exchange')} alone need about {after.after:,} tokens.",
            where="budget",
            do="Raise the budget, or keep fewer.",
        )
    return after


def _clear_results(session: Session, budget: int) -> Fitted:
    """Puts a stub in place of what tools answered, the oldest first, until it fits."""
    counter = Counter(session.model)
    fixed, sizes = _sizes(session)
    before = total = fixed + sum(sizes)
    places = [
        (i, head.uid)
        for i, entry in enumerate(session.messages)
        for head in entry.heads
        if head.kind == "tool_result" and "server" not in head.flags and "empty" not in head.flags
    ]
    messages = list(session.messages)
    cleared = 0
    for i, uid in places:
        if total <= budget:
            break
        entry = messages[i]
        blocks = tuple(_stub(b, counter) if b.uid == uid else b for b in entry.blocks)
        saved = counter.message(entry) - counter.message(rewrite(entry, blocks))
        if saved > 0:
            messages[i] = rewrite(entry, blocks)
            total -= saved
            cleared += 1
    if total > budget:
        raise UserError(
            f"With all tool results cleared it would still be about {total:,} tokens.",
            where="budget",
            do="Raise the budget, or drop the oldest exchanges.",
        )
    return Fitted(tuple(messages) if cleared else session.messages, before, total, cleared=cleared)


def _summarize(session: Session, budget: int) -> Fitted:
    """Puts a summary in place of as few of the oldest exchanges as will do; all but the last may go."""
    before = Counter(session.model).session(session).total
    if before <= budget:
        return Fitted(session.messages, before, before)
    head = pinned(session)
    places = [start for start in openings(session) if start > head]
    tried = [0, len(places)]
    best: Fitted | None = None
    least = before
    while tried[0] < tried[1]:
        middle = sum(tried) // 2
        found = _summarized(session, head, places[middle], before)
        least = min(least, found.after)
        if found.after <= budget:
            best, tried[1] = found, middle
        else:
            tried[0] = middle + 1
    if best is None:
        raise UserError(
            f"With all but the last exchange summarized it would still be about {least:,} tokens.",
            where="budget",
            do="Raise the budget, or clear tool results.",
        )
    return best


def _summarized(session: Session, head: int, end: int, before: int) -> Fitted:
    after = compact(session, Compact(head, end - 1))
    total = Counter(session.model).session(after).total
    return Fitted(after.messages, before, total, dropped=(head, end), session=after)


def _stub(block: Block, counter: Counter) -> Block:
    assert isinstance(block, ToolResult)
    return replace(block, content=f"(Cleared: about {counter.block(block):,} tokens.)", raw=None)


def sentence(session: Session, operation: Fit) -> str:
    """``Dropped the 12 oldest messages: about 3,900 of 8,200 tokens are left``."""
    found = fitted(session, operation)
    start, end = found.dropped
    left = f"about {found.after:,} of {found.before:,} tokens are left"
    if found.cleared:
        return f"Cleared {plural(found.cleared, 'old tool result')}: {left}"
    if found.session is not None:
        return f"Compacted the {plural(end - start, 'oldest message')} into a summary: {left}"
    if end > start:
        return f"Dropped the {plural(end - start, 'oldest message')}: {left}"
    return f"Left the array as it is: it has about {found.after:,} tokens"
