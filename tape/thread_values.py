"""What pairing calls with results gives: links, ends without a link, and how to find them.

How they are found is in ``tape.thread_scan``, how they change with an edit in ``tape.thread_changes``;
everybody else imports ``tape.threads``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

from tape.model import Message, empty

LinkState: TypeAlias = Literal["ok", "late", "split", "misplaced", "duplicate", "server", "given-up"]
UnlinkedState: TypeAlias = Literal["pending", "unanswered", "orphan"]
ENDS = ("tool_use", "tool_result")
NEAR = 16
"""Messages that most pairs stand within."""


class Link(NamedTuple):
    """A call and a result that answers it, by the uids of their blocks.

    ``state`` is ``ok``; ``split`` (the answers of its round are spread over several user messages);
    ``misplaced`` (the next user turn has it, behind other content of its message); ``late`` (a message
    stands between); ``duplicate`` (the call was answered before); ``server`` (both inside the assistant's
    turn); or ``given-up`` (answered by a note that the call was interrupted).
    """

    call_uid: str
    result_uid: str
    id: str
    name: str
    state: LinkState


class Unlinked(NamedTuple):
    """A call without a result (``pending`` when nothing follows its turn, else ``unanswered``), or a result
    without a call before it (``orphan``)."""

    uid: str
    id: str
    state: UnlinkedState


class Round(NamedTuple):
    """The calls of one message that want an answer from outside, in order, each with its first result."""

    message_uid: str
    call_uids: tuple[str, ...]
    result_uids: tuple[str | None, ...]


class Positions(Mapping[str, tuple[int, int]]):
    """The message index and block index of every call and result, by its block uid.

    Found by name: a block is called after its message, save the ``strays``, which say theirs.
    """

    def __init__(self, messages: tuple[Message, ...], at: Mapping[str, int], strays: Mapping[str, str]):
        self._messages, self._at, self._strays = messages, at, strays

    def __getitem__(self, uid: str) -> tuple[int, int]:
        name, _, number = uid.rpartition(".")
        i = self._at[self._strays.get(uid, name)]
        heads = self._messages[i].heads
        j = int(number) if number.isdecimal() and len(number) < 8 else 0
        if not (j < len(heads) and heads[j].uid == uid):
            j = next((k for k, head in enumerate(heads) if head.uid == uid), -1)
        if j < 0 or heads[j].kind not in ENDS:
            raise KeyError(uid)
        return i, j

    def __iter__(self) -> Iterator[str]:
        return (head.uid for entry in self._messages for head in entry.heads if head.kind in ENDS)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, eq=False)
class Threads:
    """What ``threads`` found. ``links`` stand in the order of their calls, a duplicate behind the answer it
    repeats; ``unlinked`` in the order of the array. ``far`` are the links that span more than ``NEAR``
    messages, ``strays`` the calls and results that are not named after their message, with its uid.
    """

    links: tuple[Link, ...]
    unlinked: tuple[Unlinked, ...]
    messages: tuple[Message, ...] = field(repr=False)
    far: tuple[Link, ...] = field(default=(), repr=False)
    strays: Mapping[str, str] = field(default_factory=empty, repr=False)

    @cached_property
    def by_uid(self) -> dict[str, tuple[Link, ...]]:
        """The links that a call or result takes part in, by its block uid."""
        found: dict[str, tuple[Link, ...]] = {link.result_uid: (link,) for link in self.links}
        for link in self.links:
            uid = link.call_uid
            found[uid] = (*found[uid], link) if uid in found else (link,)
        return found

    def of(self, uid: str) -> tuple[Link, ...]:
        """What ``by_uid`` has for a block, or nothing; for a few blocks of a long array this is faster."""
        if uid not in self.positions:
            return ()
        i, j = self.positions[uid]
        if self.messages[i].heads[j].kind == "tool_use":
            low, high = self._calls_from(i), self._calls_from(i + 1)
            return tuple([link for link in self.links[low:high] if link.call_uid == uid])
        low, high = self._calls_from(i - NEAR), self._calls_from(i + 1)
        near = (link for link in (*self.links[low:high], *self.far) if link.result_uid == uid)
        return tuple(islice(near, 1))

    def _calls_from(self, i: int) -> int:
        """The number of the first link whose call stands in message ``i`` or behind it."""
        return bisect_left(self.links, i, key=lambda link: self.positions[link.call_uid][0])

    @cached_property
    def at(self) -> dict[str, int]:
        """The index of every message by its uid."""
        return {entry.uid: i for i, entry in enumerate(self.messages)}

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The calls of each message that want an answer from outside, with their first results."""
        result = {link.call_uid: link.result_uid for link in self.links if link.state != "duplicate"}
        found = []
        for entry in self.messages:
            uids = [h.uid for h in entry.heads if h.kind == "tool_use" and "server" not in h.flags]
            if uids:
                found.append(Round(entry.uid, tuple(uids), tuple(map(result.get, uids))))
        return tuple(found)

    @cached_property
    def states(self) -> dict[str, UnlinkedState]:
        """The state of every unlinked call or result, by its block uid."""
        return {one.uid: one.state for one in self.unlinked}

    @cached_property
    def positions(self) -> Positions:
        """The message index and block index of every call and result, by its block uid."""
        return Positions(self.messages, self.at, self.strays)

    def partners(self, uid: str) -> tuple[str, ...]:
        """The other ends of a call's or result's links, as block uids; none for any other block."""
        links = self.of(uid)
        return tuple(link.result_uid if link.call_uid == uid else link.call_uid for link in links)

    def place(self, uid: str) -> str:
        """Where a call or result stands: ``messages[3].content[1]``. Raises ``KeyError`` for other uids."""
        i, j = self.positions[uid]
        return f"messages[{i}].content[{j}]"
