"""Removes messages and blocks, with the other half of each pair unless a pair is broken on purpose."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tape.derived import once
from tape.edits.build import rewrite
from tape.edits.operations import Delete
from tape.edits.settle import settle
from tape.edits.targets import Spot, find_all, listed, numbers, plural, words_for
from tape.model import Session
from tape.threads import Link, Threads, threads

MANY = 400


@dataclass(frozen=True, slots=True)
class Along:
    """A block that goes because another one goes; ``reason`` completes "it goes because …"."""

    uid: str
    spot: Spot
    reason: str


@dataclass(frozen=True, slots=True)
class Cut:
    """What a deletion removes: the blocks, the messages that vanish, and which blocks nobody named.

    ``broken_calls`` and ``broken_results`` count pair halves that stay behind alone; ``thinking`` are the
    messages that keep signed thinking although a call of theirs goes.
    """

    named: tuple[Spot, ...]
    blocks: frozenset[Spot]
    messages: frozenset[int]
    along: tuple[Along, ...]
    broken_calls: int
    broken_results: int
    thinking: tuple[int, ...]


@once
def plan(session: Session, operation: Delete) -> Cut:
    """What the deletion takes. Raises ``UserError`` for targets that are not there."""
    named = find_all(session, operation.targets)
    whole = {spot.message for spot in named if spot.block is None}
    blocks = {spot for spot in named if spot.block is not None}
    blocks |= {Spot(i, j) for i in whole for j in range(len(session.messages[i].heads))}
    pairs = threads(session)
    along = list(_partners(session, pairs, blocks)) if operation.partners else []
    blocks |= {one.spot for one in along}
    bereft = _bereft_of_a_call(session, blocks, whole)
    if operation.thinking:
        more = [
            Along(session.messages[s.message].heads[s.block or 0].uid, s, "its call goes")
            for i in bereft
            for s in _thinking(session, i)
            if s not in blocks
        ]
        along += more
        blocks |= {one.spot for one in more}
    if operation.partners:
        cut_off = _cut_off(session, blocks)
        while cut_off:
            along += cut_off
            blocks |= {one.spot for one in cut_off}
            cut_off = _cut_off(session, blocks)
    counts = Counter(spot.message for spot in blocks)
    emptied = {i for i, count in counts.items() if count == len(session.messages[i].heads)}
    calls, results = _widows(session, pairs, blocks)
    signed = tuple(
        i for i in bereft if not operation.thinking and i not in emptied and _signed(session, i, blocks)
    )
    return Cut(named, frozenset(blocks), frozenset(whole | emptied), tuple(along), calls, results, signed)


def delete(session: Session, operation: Delete) -> Session:
    """The session without them. A message that loses its last block goes too."""
    return cut(session, plan(session, operation))


def cut(session: Session, planned: Cut) -> Session:
    """The session without what was planned to go."""
    touched: dict[int, set[int]] = {}
    for spot in planned.blocks:
        touched.setdefault(spot.message, set()).add(spot.block or 0)
    messages = list(session.messages)
    for i in sorted(touched.keys() | planned.messages, reverse=True):
        if i in planned.messages:
            del messages[i]
        else:
            kept = (block for j, block in enumerate(messages[i].blocks) if j not in touched[i])
            messages[i] = rewrite(messages[i], tuple(kept))
    return settle(session, tuple(messages))


def _partners(session: Session, pairs: Threads, blocks: set[Spot]) -> Iterable[Along]:
    """The other halves of what goes, and theirs in turn: a call takes all its results, a result its call.

    A result that only repeats an answer takes nothing along: without it the pair is whole.
    """
    links_of = _links_of(pairs, blocks)
    gone = set(blocks)
    queue = deque(sorted(gone))
    while queue:
        spot = queue.popleft()
        head = session.messages[spot.message].heads[spot.block or 0]
        for link in links_of(head.uid):
            is_call = link.call_uid == head.uid
            if not is_call and link.state == "duplicate":
                continue
            other = link.result_uid if is_call else link.call_uid
            place = Spot(*pairs.positions[other])
            if place not in gone:
                gone.add(place)
                queue.append(place)
                yield Along(other, place, "it answers a call that goes" if is_call else "its result goes")


def _links_of(pairs: Threads, blocks: set[Spot]) -> Callable[[str], tuple[Link, ...]]:
    """How to find the links of a block: for many blocks from a table of all."""
    if len(blocks) < MANY:
        return pairs.of
    table = pairs.by_uid
    return lambda uid: table.get(uid, ())


def _widows(session: Session, pairs: Threads, blocks: set[Spot]) -> tuple[int, int]:
    """How many calls lose their last result, and how many results lose their call."""
    links_of = _links_of(pairs, blocks)
    calls: set[str] = set()
    results = 0
    for spot in blocks:
        uid = session.messages[spot.message].heads[spot.block or 0].uid
        for link in links_of(uid):
            if link.call_uid == uid:
                results += Spot(*pairs.positions[link.result_uid]) not in blocks
            elif Spot(*pairs.positions[link.call_uid]) not in blocks:
                others = pairs.partners(link.call_uid)
                if all(Spot(*pairs.positions[other]) in blocks for other in others):
                    calls.add(link.call_uid)
    return len(calls), results


def _bereft_of_a_call(session: Session, blocks: set[Spot], whole: set[int]) -> list[int]:
    """Assistant messages that stay, lose a call and hold thinking."""
    return [
        i
        for i in sorted({s.message for s in blocks} - whole)
        if any(h.kind == "tool_use" and Spot(i, j) in blocks for j, h in enumerate(session.messages[i].heads))
        and _thinking(session, i)
    ]


def _cut_off(session: Session, blocks: set[Spot]) -> list[Along]:
    """All thinking of messages that would come to end a turn with it, as what it led to goes.

    The API refuses thinking as the end of a turn unless it is the last, and takes that of a message whole.
    """
    messages = session.messages
    gone: dict[int, set[int]] = {}
    for spot in blocks:
        gone.setdefault(spot.message, set()).add(spot.block or 0)

    def stays(i: int) -> bool:
        return len(gone.get(i, ())) < len(messages[i].heads) or not messages[i].heads

    # Only a message that loses blocks, or the one behind it, can come to end a turn otherwise than before.
    ending: set[int] = set()
    for i in sorted(gone):
        if stays(i):
            ending.add(i)
        if i and stays(i - 1):
            ending.add(i - 1)
    found: list[Along] = []
    for i in sorted(ending):
        after = next((k for k in range(i + 1, len(messages)) if stays(k)), None)
        if after is None:
            continue
        heads = [h for j, h in enumerate(messages[i].heads) if j not in gone.get(i, ())]
        if not heads or heads[-1].kind != "thinking" or session.messages[i].role != "assistant":
            continue
        ends = session.messages[after].role != "assistant"
        ended = i + 1 < len(session.messages) and session.messages[i + 1].role != "assistant"
        if ends and not (ended and session.messages[i].heads[-1] is heads[-1]):
            left = [spot for spot in _thinking(session, i) if spot not in blocks]
            found += [
                Along(session.messages[i].heads[s.block or 0].uid, s, "what it led to goes") for s in left
            ]
    return found


def _thinking(session: Session, i: int) -> list[Spot]:
    return [Spot(i, j) for j, head in enumerate(session.messages[i].heads) if head.kind == "thinking"]


def _signed(session: Session, i: int, blocks: set[Spot]) -> bool:
    heads = session.messages[i].heads
    return any(
        s not in blocks and {"signed", "redacted"} & set(heads[s.block or 0].flags)
        for s in _thinking(session, i)
    )


def sentence(session: Session, operation: Delete) -> str:
    """``Deleted message 4 and the 2 results that answered it``."""
    return said(session, plan(session, operation))


def said(session: Session, planned: Cut) -> str:
    """The sentence for a deletion that was planned."""
    whole = [spot.message for spot in planned.named if spot.block is None]
    single = [spot for spot in planned.named if spot.block is not None and spot.message not in whole]
    parts = [numbers(whole)] if whole else []
    parts += (
        [words_for(session, spot) for spot in single] if len(single) <= 3 else [plural(len(single), "block")]
    )
    kinds = [session.messages[one.spot.message].heads[one.spot.block or 0] for one in planned.along]
    many = len(planned.named) > 1
    results = sum(1 for head in kinds if head.kind == "tool_result")
    calls = sum(1 for head in kinds if head.kind == "tool_use")
    if results:
        count = "the result" if results == 1 else f"the {results:,} results"
        parts.append(f"{count} that answered {'them' if many or calls else 'it'}")
    if calls:
        count = "the call" if calls == 1 else f"the {calls:,} calls"
        parts.append(f"{count} {'they' if many else 'it'} answered")
    if any(head.kind == "thinking" for head in kinds):
        parts.append("the thinking that led there")
    return f"Deleted {listed(parts)}{_left_alone(planned)}"


def _left_alone(planned: Cut) -> str:
    left = []
    if planned.broken_results:
        left.append(f"{plural(planned.broken_results, 'result')} without a call")
    if planned.broken_calls:
        left.append(f"{plural(planned.broken_calls, 'call')} without a result")
    return f", leaving {listed(left)}" if left else ""


def offer(planned: Cut) -> str | None:
    """What dropping the thinking as well would mean, where it would stay without its call; else ``None``."""
    if not planned.thinking:
        return None
    return (
        f"{numbers(planned.thinking).capitalize()} would keep signed thinking whose call is gone. "
        "Dropping that thinking as well loses its words; the API takes all of a message's thinking or none."
    )
