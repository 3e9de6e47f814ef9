"""Carries threads over to an array that differs in a few messages: only what these touch is paired again.

Gives what ``tape.thread_scan`` would give for the new array, which a law tests. A pair depends on the calls
and results that share its id and on the messages between its ends; so what must be paired anew are the ids
that stand in the changed messages, those of pairs that span the change, and the calls made together with
one of these. Everything else is taken over as it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from tape.derived import Change
from tape.model import Head, Message
from tape.thread_scan import Waiting
from tape.thread_values import ENDS, NEAR, Link, LinkState, Threads, Unlinked, UnlinkedState

MOST = 2_000


class End(NamedTuple):
    """A call or result by its place and head."""

    i: int
    j: int
    head: Head


def carried(
    known: Threads, messages: tuple[Message, ...], changed: Change, merge: bool = True
) -> Threads | None:
    """The threads of ``messages``, from those of the array it was; ``None`` where too much changed for that
    to be worth it."""
    if changed.old_stop + changed.new_stop - 2 * changed.start > MOST:
        return None
    if messages is known.messages:
        return known
    return _Carrying(known, messages, changed, merge).done()


class Fresh(NamedTuple):
    """A link that was made again: the index of its call's message, and how many messages it spans."""

    i: int
    link: Link
    span: int


class _Carrying:
    """One change. Places are those in the new array unless they are said to be old."""

    def __init__(self, known: Threads, messages: tuple[Message, ...], changed: Change, merge: bool) -> None:
        self.known, self.messages, self.merge = known, messages, merge
        self.start, self.old_stop, self.new_stop = changed
        self.shift = self.new_stop - self.old_stop
        self.before = known.messages[self.start : self.old_stop]
        self.fresh = messages[self.start : self.new_stop]

    def done(self) -> Threads | None:
        """The threads of the new array; ``None`` where too many pairs would have to be made again."""
        ids = {h.id or "" for entry in (*self.before, *self.fresh) for h in entry.heads if h.kind in ENDS}
        ids |= {link.id for link in self._spanning()}
        numbers = self._numbers(ids)
        rounds = self._rounds(ids, numbers)
        mates = {h.id or "" for i in rounds for h in self.messages[i].heads if h.kind == "tool_use"}
        if mates - ids:
            ids |= mates
            numbers = self._numbers(ids)
        ends = self._ends(ids, numbers)
        if len(ends) > MOST:
            return None
        pairs = _Pairs(ends)
        new = list(self._links(pairs, rounds))
        gone = [n for n in numbers if self._goes(self.known.links[n], rounds)]
        went = {id(self.known.links[n]) for n in gone}
        far = [link for link in self.known.far if id(link) not in went]
        found = Threads(
            self._merged(gone, new),
            self._unlinked(ids, pairs),
            self.messages,
            (*far, *(one.link for one in new if one.span > NEAR)),
            self._strays(),
        )
        if [entry.uid for entry in self.before] == [entry.uid for entry in self.fresh]:
            found.__dict__["at"] = self.known.at
        return found

    def _old(self, uid: str) -> int:
        return self.known.positions[uid][0]

    def _now(self, old: int) -> int | None:
        """Where a message of the old array stands; ``None`` for one of those that changed."""
        return old if old < self.start else old + self.shift if old >= self.old_stop else None

    def _spanning(self) -> Iterable[Link]:
        """The pairs with a call before the change and a result behind it."""
        links, old = self.known.links, self._old
        low = bisect_left(links, self.start - NEAR, key=lambda link: old(link.call_uid))
        high = bisect_left(links, self.start, key=lambda link: old(link.call_uid))
        for link in (*self.known.far, *links[low:high]):
            if old(link.call_uid) < self.start and old(link.result_uid) >= self.old_stop:
                yield link

    def _numbers(self, ids: set[str]) -> list[int]:
        """Which of the old links bear one of these ids, in order."""
        return [n for n, link in enumerate(self.known.links) if link[2] in ids]

    def _rounds(self, ids: set[str], numbers: list[int]) -> set[int]:
        """The messages with a call of one of these ids."""
        found = {self._now(self._old(self.known.links[n].call_uid)) for n in numbers}
        found |= {
            self._now(self._old(one.uid))
            for one in self.known.unlinked
            if one.id in ids and one.state != "orphan"
        }
        fresh = enumerate(self.fresh, self.start)
        found |= {i for i, entry in fresh if any(h.kind == "tool_use" for h in entry.heads)}
        return {i for i in found if i is not None}

    def _goes(self, link: Link, rounds: set[int]) -> bool:
        """Whether an old link is one of the messages that changed, or of the rounds."""
        now = self._now(self._old(link.call_uid))
        return now is None or now in rounds

    def _ends(self, ids: set[str], numbers: list[int]) -> list[End]:
        """Every call and result of these ids, in order."""
        uids = {uid for n in numbers for uid in self.known.links[n][:2]}
        uids |= {one.uid for one in self.known.unlinked if one.id in ids}
        found = []
        for uid in uids:
            old, j = self.known.positions[uid]
            i = self._now(old)
            if i is not None:
                found.append(End(i, j, self.messages[i].heads[j]))
        for i, entry in enumerate(self.fresh, self.start):
            found += [
                End(i, j, h) for j, h in enumerate(entry.heads) if h.kind in ENDS and (h.id or "") in ids
            ]
        return sorted(found, key=lambda end: end[:2])

    def _links(self, pairs: _Pairs, rounds: set[int]) -> Iterator[Fresh]:
        """The links of the rounds, in order."""
        states: dict[int, LinkState] = {
            n: _state(self.messages, call, pairs.results[n], self.merge)
            for n, call in enumerate(pairs.calls)
            if n in pairs.results and call.i in rounds
        }
        spread: dict[int, set[int]] = {}
        for n, state in states.items():
            if state in ("ok", "given-up"):
                spread.setdefault(pairs.calls[n].i, set()).add(pairs.results[n].i)
        for n, state in states.items():
            call = pairs.calls[n]
            if state in ("ok", "given-up") and len(spread[call.i]) > 1:
                state = "split"
            yield _link(call, pairs.results[n], state)
            for more in pairs.again.get(n, ()):
                yield _link(call, more, "duplicate")

    def _merged(self, gone: list[int], new: list[Fresh]) -> tuple[Link, ...]:
        """The old links without those that go, and the new ones between them."""
        links: list[Link] = []
        last = 0
        for n in gone:
            links += self.known.links[last:n]
            last = n + 1
        links += self.known.links[last:]

        def place(link: Link) -> int:
            return self._now(self._old(link.call_uid)) or 0

        groups = [
            (bisect_left(links, i, key=place), [one.link for one in group])
            for i, group in groupby(new, key=lambda one: one.i)
        ]
        for at, group in reversed(groups):
            links[at:at] = group
        return tuple(links)

    def _strays(self) -> Mapping[str, str]:
        strays = self.known.strays
        fresh = {
            h.uid: entry.uid
            for entry in self.fresh
            for h in entry.heads
            if h.kind in ENDS and not h.uid.startswith(f"{entry.uid}.")
        }
        if not strays and not fresh:
            return strays
        gone = {h.uid for entry in self.before for h in entry.heads}
        return {uid: home for uid, home in strays.items() if uid not in gone} | fresh

    def _unlinked(self, ids: set[str], pairs: _Pairs) -> tuple[Unlinked, ...]:
        """The ends without a partner, in order."""
        waits = _Waits(self.messages, self.merge)
        found = [((i, j), Unlinked(h.uid, h.id or "", "orphan")) for i, j, h in pairs.orphans]
        found += [
            ((i, j), Unlinked(h.uid, h.id or "", waits.state(i, h)))
            for n, (i, j, h) in enumerate(pairs.calls)
            if n not in pairs.results
        ]
        for one in self.known.unlinked:
            if one.id not in ids:
                old, j = self.known.positions[one.uid]
                i = self._now(old) or 0
                state = one.state if one.state == "orphan" else waits.state(i, self.messages[i].heads[j])
                found.append(((i, j), one if one.state == state else one._replace(state=state)))
        return tuple([one for _, one in sorted(found, key=itemgetter(0))])


class _Pairs:
    """Calls and results of some ids, paired as ``tape.thread_scan`` pairs them. ``results`` and ``again`` map
    the number of a call to its first result and to those that repeat it."""

    def __init__(self, ends: list[End]) -> None:
        self.calls: list[End] = []
        self.results: dict[int, End] = {}
        self.again: dict[int, list[End]] = {}
        self.orphans: list[End] = []
        client, server = Waiting(), Waiting()
        for end in ends:
            waiting = server if "server" in end.head.flags else client
            if end.head.kind == "tool_use":
                waiting.ask(end.head.id or "", len(self.calls), end.i)
                self.calls.append(end)
                continue
            call = waiting.answer(end.head.id or "")
            if call is None:
                self.orphans.append(end)
            elif call in self.results:
                self.again.setdefault(call, []).append(end)
            else:
                self.results[call] = end


def _link(call: End, result: End, state: LinkState) -> Fresh:
    head = call.head
    link = Link(head.uid, result.head.uid, head.id or "", head.name or "", state)
    return Fresh(call.i, link, result.i - call.i)


def _state(messages: tuple[Message, ...], call: End, result: End, merge: bool) -> LinkState:
    """What is to be said of a pair, from the messages between its ends; ``split`` is for its round to say."""
    after = 0
    for i in range(call.i + 1, result.i + 1):
        after += _turns(messages, i, merge)
        if after > 2:
            break
    if "server" in result.head.flags:
        resumed = after == 0 or (after == 2 and _only_results_between(messages, call.i, merge))
        return "server" if resumed else "late"
    entry = messages[result.i]
    if after > 1 or (after == 1 and _blocked(messages, result.i, merge)):
        return "late"
    if after < 1 or _behind(entry.heads[: result.j]) or entry.role != "user":
        return "misplaced"
    given_up = "interrupted" in result.head.flags or entry.meta.get("interrupted")
    return "given-up" if given_up else "ok"


def _turns(messages: tuple[Message, ...], i: int, merge: bool) -> bool:
    """Whether a turn begins at a message."""
    role = messages[i].role
    return i == 0 or role != messages[i - 1].role or (role == "assistant" and not merge)


def _behind(heads: Iterable[Head]) -> bool:
    """Whether there is something among blocks that results of the harness must not stand behind."""
    return any(head.kind != "tool_result" or "server" in head.flags for head in heads)


def _blocked(messages: tuple[Message, ...], i: int, merge: bool) -> bool:
    """Whether the turn of a message held something else than results before that message."""
    while not _turns(messages, i, merge):
        i -= 1
        if _behind(messages[i].heads):
            return True
    return False


def _only_results_between(messages: tuple[Message, ...], i: int, merge: bool) -> bool:
    """Whether the turn after that of a message is a user's and holds results only."""
    i += 1
    while not _turns(messages, i, merge):
        i += 1
    return _only_results(messages, i, merge)


def _only_results(messages: tuple[Message, ...], first: int, merge: bool) -> bool:
    if messages[first].role != "user":
        return False
    i = first
    while i < len(messages) and (i == first or not _turns(messages, i, merge)):
        if _behind(messages[i].heads):
            return False
        i += 1
    return True


class _Waits:
    """Whether calls without a result wait at the end of an array, or were never answered."""

    def __init__(self, messages: tuple[Message, ...], merge: bool) -> None:
        starts: list[int] = []
        i = len(messages)
        while i > 0 and len(starts) < 3:
            i -= 1
            if _turns(messages, i, merge):
                starts.append(i)
        starts += [0] * (3 - len(starts))
        self.last, self.one, self.two = starts
        self.ends_on_results = bool(messages) and _only_results(messages, self.last, merge)
        self.results_before = self.one < self.last and _only_results(messages, self.one, merge)

    def state(self, i: int, head: Head) -> UnlinkedState:
        """``pending`` or ``unanswered`` for a call in message ``i``."""
        if "server" not in head.flags:
            waits = i >= self.last
        elif self.ends_on_results:
            waits = self.one <= i < self.last
        else:
            waits = i >= self.last or (self.results_before and self.two <= i < self.one)
        return "pending" if waits else "unanswered"
