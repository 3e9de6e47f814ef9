"""Puts results where their calls want them: first in the user turn right behind the call, in call order.

What every repair of pairs is made of. Whether something is wrong is decided in ``tape.rules``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import Any

from tape.edits.build import INSERTED, Fresh, rewrite
from tape.edits.settle import with_messages
from tape.edits.targets import Spot
from tape.model import Block, Message, Session, Text, ToolResult, message
from tape.threads import Threads

FINE = ("ok", "split", "given-up")


def separate(session: Session) -> bool:
    """Whether the session's format gives every result a message of role ``tool``, away from user texts."""
    return session.format.startswith("openai-chat") or any(
        m.meta.get("role") == "tool" for m in session.messages
    )


def put_behind_calls(session: Session, wanted: Sequence[tuple[Spot, ToolResult]], pairs: Threads) -> Session:
    """The session with results, new ones or some of its own, first in the turn behind the call of each.

    They go into the user message that is there already; where none is, or where the format keeps results
    apart from texts, into a message of their own. Other results of the call's turn come along when that one
    would come between them and their calls. ``pairs`` are the session's threads.
    """
    placing = _Placing(session, pairs)
    for call, result in wanted:
        placing.want(call, result)
    return placing.placed()


class _Placing:
    """One rearrangement of an array: which blocks its messages will have, and what is put between them."""

    def __init__(self, session: Session, pairs: Threads) -> None:
        self.session, self.pairs = session, pairs
        self.separate = separate(session)
        self.ranks = {link.result_uid: pairs.positions[link.call_uid] for link in pairs.links}
        self.rounds = {one.message_uid: one for one in pairs.rounds}
        self.wanted: dict[int, dict[str, ToolResult]] = {}
        self.blocks: dict[int, list[Block]] = {}
        self.apart: dict[int, list[ToolResult]] = {}

    def want(self, call: Spot, result: ToolResult) -> None:
        """Notes that a result is to stand behind its call."""
        self.ranks.setdefault(result.uid, (call.message, call.block or 0))
        self.wanted.setdefault(call.message, {})[result.uid] = result

    def placed(self) -> Session:
        """The session after all that was wanted."""
        for at in sorted(self.wanted):
            self._place(at, self.wanted[at])
        return self._rebuilt()

    def _place(self, at: int, results: dict[str, ToolResult]) -> None:
        home = self._home(at)
        if home is None:
            results = {**results, **self._siblings(at, results)}
        moving = sorted(results.values(), key=lambda r: self.ranks[r.uid])
        for result in moving:
            self._take(result.uid)
        if home is None:
            self.apart[at + 1] = moving
            return
        start = self.blocks.setdefault(home, list(self.session.messages[home].blocks))
        if all(isinstance(block, Text) and not block.text for block in start):
            # A message that said nothing holds the results now; beside them an empty text would be refused.
            start.clear()
        for result in moving:
            known = takewhile(lambda rank: rank is not None, (self.ranks.get(b.uid) for b in start))
            before = sum(1 for rank in known if rank and rank < self.ranks[result.uid])
            start.insert(before, result)

    def _take(self, uid: str) -> None:
        """Takes a result that is in the array out of its message."""
        if uid in self.pairs.positions:
            i = self.pairs.positions[uid][0]
            left = self.blocks.setdefault(i, list(self.session.messages[i].blocks))
            left[:] = [block for block in left if block.uid != uid]

    def _home(self, at: int) -> int | None:
        """The user message that is to hold the results of the message ``at``."""
        messages, pairs = self.session.messages, self.pairs
        start = end = at + 1
        while end < len(messages) and messages[end].role == "user":
            end += 1
        for i in range(start, end):
            for head in messages[i].heads:
                links = pairs.by_uid.get(head.uid, ())
                if any(k.state in FINE and pairs.positions[k.call_uid][0] == at for k in links):
                    return i
        if end == start:
            return None
        apart = self.separate and messages[start].meta.get("role") != "tool"
        return None if apart else start

    def _siblings(self, at: int, known: Collection[str]) -> dict[str, ToolResult]:
        """The first results of the other calls of an assistant's turn up to the message ``at``."""
        found: dict[str, ToolResult] = {}
        moved = {result.uid for results in self.apart.values() for result in results}
        messages = self.session.messages
        while at >= 0 and messages[at].role == "assistant":
            one = self.rounds.get(messages[at].uid)
            for uid in one.result_uids if one else ():
                if uid is not None and uid not in known and uid not in moved:
                    i, j = self.pairs.positions[uid]
                    block = messages[i].blocks[j]
                    assert isinstance(block, ToolResult)
                    found[uid] = block
            at -= 1
        return found

    def _rebuilt(self) -> Session:
        """The array with its new blocks. A message that lost its last block goes; one that is to stand
        elsewhere with all it holds is moved as it is."""
        fresh = Fresh(self.session.serial)
        messages: list[Message] = []
        for i, entry in enumerate((*self.session.messages, None)):
            if i in self.apart:
                messages.append(self._own(self.apart[i], fresh))
            if entry is None:
                break
            blocks = self.blocks.get(i)
            if blocks is None or [b.uid for b in blocks] == _uids(entry):
                messages.append(entry)
            elif blocks:
                messages.append(rewrite(entry, tuple(blocks)))
        return with_messages(self.session, messages, fresh.serial)

    def _own(self, results: list[ToolResult], fresh: Fresh) -> Message:
        """A user message that holds just these results."""
        uids = [result.uid for result in results]
        for i, left in self.blocks.items():
            entry = self.session.messages[i]
            if not left and _uids(entry) == uids:
                same = entry.role == "user"
                return (
                    entry
                    if same
                    else rewrite(entry, entry.blocks, role="user", drop=("role", "unknown_role"))
                )
        meta: dict[str, Any] = {"role": "tool"} if self.separate else {}
        return message(fresh.message(), "user", tuple(results), provenance=INSERTED, meta=meta)


def _uids(entry: Message) -> list[str]:
    return [head.uid for head in entry.heads]


def quoted(result: ToolResult) -> tuple[Block, ...]:
    """A result as plain content that keeps its words and pictures."""
    inner = result.content if isinstance(result.content, tuple) else ()
    words = result.text or ("" if inner else "(empty)")
    start = f"Result of tool call {result.tool_use_id}, kept as text:"
    text = Text(uid=result.uid, place=result.place, text=f"{start}\n{words}" if words else start)
    return (text, *(b for b in inner if not isinstance(b, Text)))
