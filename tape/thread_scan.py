"""Finds every call and result of an array and pairs them, in one walk over the heads from first to last."""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter

from tape.model import Head, Message
from tape.thread_values import ENDS, NEAR, Link, LinkState, Threads, Unlinked, UnlinkedState


def scan(messages: tuple[Message, ...], merge: bool) -> Threads:
    """The threads of an array, from nothing but the array."""
    walk = Scan(messages)
    walk.walk(merge)
    walk.mark_split()
    links = walk.links()
    return Threads(links, walk.unlinked(), messages, walk.far(links), walk.strays)


class Scan:
    """One walk over the heads. What is known of call number n stands at index n of the parallel lists."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self.messages = messages
        self.calls: list[Head] = []
        self.at: list[tuple[int, int]] = []
        self.turn: list[int] = []
        self.result: list[str | None] = []
        self.answered_in: dict[int, int] = {}
        self.state: list[LinkState] = []
        self.duplicates: list[tuple[int, str, int]] = []
        self.strays: dict[str, str] = {}
        self.orphans: list[tuple[tuple[int, int], Unlinked]] = []
        self.only_results: list[bool] = []

    def walk(self, merge: bool) -> None:
        """Finds every call and result, pairs them and judges each pair where its first result stands."""
        client, server = Waiting(), Waiting()
        calls, turns, results, state = self.calls, self.turn, self.result, self.state
        turn, last_role, blocked = -1, "", False
        for i, entry in enumerate(self.messages):
            role = entry.role
            if role != last_role or (role == "assistant" and not merge):
                turn, last_role, blocked = turn + 1, role, False
                self.only_results.append(role == "user")
            behind = False
            for j, head in enumerate(entry.heads):
                kind = head.kind
                if kind in ENDS and not head.uid.startswith(f"{entry.uid}."):
                    self.strays[head.uid] = entry.uid
                if kind == "tool_use":
                    (server if "server" in head.flags else client).ask(head.id or "", len(calls), i)
                    calls.append(head)
                    self.at.append((i, j))
                    turns.append(turn)
                    results.append(None)
                    state.append("ok")
                    behind = True
                elif kind != "tool_result":
                    behind = True
                elif "server" in head.flags:
                    behind = True
                    call = self._answer(server, head, i, j)
                    if call is not None:
                        state[call] = "server" if self._resumed(turns[call], turn) else "late"
                else:
                    call = self._answer(client, head, i, j)
                    if call is None:
                        continue
                    after = turn - turns[call]
                    if after > 1 or (after == 1 and blocked):
                        state[call] = "late"
                    elif after < 1 or behind or role != "user":
                        state[call] = "misplaced"
                    elif "interrupted" in head.flags or entry.meta.get("interrupted"):
                        state[call] = "given-up"
            if behind:
                blocked, self.only_results[turn] = True, False

    def _answer(self, waiting: Waiting, head: Head, i: int, j: int) -> int | None:
        """The number of the call that a result is the first to answer, if there is one."""
        call = waiting.answer(head.id or "")
        if call is None:
            self.orphans.append(((i, j), Unlinked(head.uid, head.id or "", "orphan")))
        elif self.result[call] is not None:
            self.duplicates.append((call, head.uid, i))
        else:
            self.result[call] = head.uid
            self.answered_in[call] = i
            return call
        return None

    def _resumed(self, call_turn: int, turn: int) -> bool:
        """Whether an assistant turn continues another: the same, or only results of client tools between."""
        return turn == call_turn or (turn == call_turn + 2 and self.only_results[call_turn + 1])

    def mark_split(self) -> None:
        """Marks the answers of a round that are otherwise fine where they stand in several messages."""
        spread, last = set(), (-1, -1)
        for n in sorted(self.answered_in):
            here = (self.at[n][0], self.answered_in[n])
            if here[0] == last[0] and here != last:
                spread.add(here[0])
            last = here
        for asked_in in spread:
            self._mark_round(asked_in)

    def _mark_round(self, message: int) -> None:
        """Marks the answers of one message's calls, save those that are late or misplaced."""
        first = bisect_left(self.at, (message,))
        last = bisect_left(self.at, (message + 1,))
        fine = [n for n in range(first, last) if self.state[n] in ("ok", "given-up") and self.result[n]]
        if len({self.answered_in[n] for n in fine}) > 1:
            for n in fine:
                self.state[n] = "split"

    def links(self) -> tuple[Link, ...]:
        """Every pair, in the order of the calls."""
        found = [
            Link(head.uid, result, head.id or "", head.name or "", state)
            for head, result, state in zip(self.calls, self.result, self.state, strict=True)
            if result is not None
        ]
        if not self.duplicates:
            return tuple(found)
        order = [n for n, result in enumerate(self.result) if result is not None]
        for n, uid, _ in self.duplicates:
            head = self.calls[n]
            order.append(n)
            found.append(Link(head.uid, uid, head.id or "", head.name or "", "duplicate"))
        return tuple([found[k] for k in sorted(range(len(order)), key=order.__getitem__)])

    def far(self, links: tuple[Link, ...]) -> tuple[Link, ...]:
        """Those of the links that span more than ``NEAR`` messages."""
        long = {self.result[n] for n, i in self.answered_in.items() if i - self.at[n][0] > NEAR}
        long |= {uid for n, uid, i in self.duplicates if i - self.at[n][0] > NEAR}
        return tuple(link for link in links if link.result_uid in long) if long else ()

    def unlinked(self) -> tuple[Unlinked, ...]:
        """Every call without a result and every result without a call, in the order of the array."""
        found = list(self.orphans)
        for n, result in enumerate(self.result):
            if result is None:
                head = self.calls[n]
                state: UnlinkedState = "pending" if self._waits(n) else "unanswered"
                found.append((self.at[n], Unlinked(head.uid, head.id or "", state)))
        return tuple([one for _, one in sorted(found, key=itemgetter(0))])

    def _waits(self, n: int) -> bool:
        """Whether nothing follows the turn of a call; for a server's call client results may."""
        last = len(self.only_results) - 1
        if "server" not in self.calls[n].flags:
            return self.turn[n] == last
        return self._resumed(self.turn[n], last + 1 if self.only_results[last] else last)


class Waiting:
    """The calls of one kind that wait for an answer, by id."""

    def __init__(self) -> None:
        self._open: dict[str, list[tuple[int, int]]] = {}
        self._answered: dict[str, int] = {}

    def ask(self, id: str, call: int, message: int) -> None:
        """A call with this id was made in this message."""
        stack = self._open.get(id)
        if stack is None:
            self._open[id] = [(message, call)]
        else:
            stack.append((message, call))

    def answer(self, id: str) -> int | None:
        """The nearest open call, the first of its message; else the one this id answered last; else none."""
        stack = self._open.get(id)
        if not stack:
            return self._answered.get(id)
        message, call = stack.pop()
        if stack and stack[-1][0] == message:
            first = bisect_left(stack, (message,))
            stack.append((message, call))
            _, call = stack.pop(first)
        self._answered[id] = call
        return call
