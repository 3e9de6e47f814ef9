"""The index of a session: everything the view knows without bodies, as lists that an edit splices.

``rows`` has one entry a message, ``links`` and ``broken`` the threads, ``turns`` the model calls with their
tokens, ``asides`` how many records stand behind a message that are no messages, ``gone`` the messages of
the original that are no longer there, ``lanes`` the sub-agents and ``branches`` the ways that were left.
Places inside lists are uids, so that a splice in one list never touches another. What a message says is in
``payload.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tape.edits.changes import changes
from tape.model import Message, Session
from tape.threads import Threads, threads
from tape.turns import turns
from tape.usage import usage
from tape.visible import one_line

Entry = list[Any]
KINDS = {
    **{"text": "t", "thinking": "h", "tool_use": "c", "tool_result": "r"},
    **{"image": "i", "document": "d", "other": "o"},
}
LISTS = ("rows", "links", "broken", "turns", "asides", "gone", "lanes", "branches")


class Splice(NamedTuple):
    """``removed`` entries at ``at`` become ``added``."""

    at: int
    removed: int
    added: list[Entry]


@dataclass(frozen=True, eq=False)
class Index:
    """The lists of one version of a session. ``messages`` are what ``rows`` are made from, on demand."""

    messages: tuple[Message, ...]
    links: list[Entry]
    broken: list[Entry]
    turns: list[Entry]
    asides: list[Entry]
    gone: list[Entry]
    lanes: list[Entry]
    branches: list[Entry]
    head: dict[str, Any]

    @property
    def rows(self) -> list[Entry]:
        """One entry a message, made now."""
        return [row(entry) for entry in self.messages]


def row(entry: Message) -> Entry:
    """``[uid, role, kinds, chars, lines]`` and, where there is something to say, names of its calls, marks
    and origin.

    ``role`` is a letter (u, a, s), ``kinds`` a letter a block (``KINDS``), ``lines`` a rough number of
    lines. Marks are letters: e an error result, j injected text, k a summary of a compaction, x a role as
    no format knows it, b broken off.
    """
    kinds, chars, lines = "", 0, 0
    names: list[str] = []
    flags: set[str] = set()
    for head in entry.heads:
        kinds += KINDS[head.kind]
        chars += head.chars
        lines += head.lines
        if head.flags:
            flags.update(head.flags)
        if head.kind == "tool_use":
            names.append(one_line(head.name or ""))
    marks = _marks(flags, entry.meta) if flags or entry.meta else ""
    origin = "" if entry.provenance.origin == "recorded" else entry.provenance.origin
    found: Entry = [entry.uid, entry.role[0], kinds, chars, lines]
    if origin:
        return [*found, names, marks, origin]
    if marks:
        return [*found, names, marks]
    return [*found, names] if names else found


def _marks(flags: set[str], meta: Mapping[str, Any]) -> str:
    signs = (
        ("e", "error" in flags),
        ("j", "injected" in flags),
        ("k", meta.get("compact_summary")),
        ("x", "unknown_role" in meta),
        ("b", meta.get("interrupted")),
    )
    return "".join(letter for letter, on in signs if on)


def index(session: Session, opened: Session) -> Index:
    """The index of a session that was opened as ``opened``."""
    found = threads(session)
    return Index(
        messages=session.messages,
        links=_links(found),
        broken=_broken(found),
        turns=_turns(session),
        asides=_asides(session),
        gone=_gone(session, opened),
        lanes=_lanes(session, found),
        branches=_branches(session),
        head=_head(session),
    )


def _links(found: Threads) -> list[Entry]:
    """``[call's message, block, result's message, block, state]`` in the order of the calls. A state is
    that of ``tape.threads``, or ``reused`` where another call has the same id."""
    uids = [entry.uid for entry in found.messages]
    places = found.positions
    again = _used_again(found)
    links: list[Entry] = []
    for link in found.links:
        (i, j), (m, n) = places[link.call_uid], places[link.result_uid]
        state = "reused" if link.state == "ok" and link.id in again else link.state
        links.append([uids[i], j, uids[m], n, state])
    return links


def _used_again(found: Threads) -> set[str]:
    """The ids that more than one call bears."""
    calls = {(link.call_uid, link.id) for link in found.links}
    calls |= {(one.uid, one.id) for one in found.unlinked if one.state != "orphan"}
    return {id for id, count in Counter(id for _, id in calls).items() if count > 1}


def _broken(found: Threads) -> list[Entry]:
    """``[message, block, state]`` of every call or result that is tied to nothing, in order."""
    uids = [entry.uid for entry in found.messages]
    places = found.positions
    return [[uids[places[one.uid][0]], places[one.uid][1], one.state] for one in found.unlinked]


def _turns(session: Session) -> list[Entry]:
    """``[uid of the answer, messages sent, of these new, prompt, output, source]`` in order; tokens may be
    null."""
    found: list[Entry] = []
    cut = turns(session)
    spent = {turn.message_uid: turn.usage for turn in cut}
    if any(used is None or used.prompt is None or used.output is None for used in spent.values()):
        spent = {one.message_uid: one.usage for one in usage(session).turns}
    for turn in cut:
        used = spent.get(turn.message_uid)
        tokens = [used.prompt, used.output, used.source] if used else [None, None, ""]
        found.append([turn.message_uid, turn.sent, turn.at - turn.new_from, *tokens])
    return found


def _asides(session: Session) -> list[Entry]:
    """``[uid or null, how many]`` in the order of the array; null is before the first message."""
    counts = Counter(aside.after for aside in session.asides)
    if not counts:
        return []
    found: list[Entry] = [[None, counts[None]]] if counts[None] else []
    return found + [[entry.uid, counts[entry.uid]] for entry in session.messages if entry.uid in counts]


def _gone(session: Session, opened: Session) -> list[Entry]:
    """``[uid it stood behind or null, uid, role, position]`` of what was deleted, in original order.
    What lives on in a branch is shown there."""
    return [
        [gone.after, gone.uid, gone.role[0], gone.index]
        for gone in changes(session, opened).deleted
        if gone.branch is None
    ]


def _lanes(session: Session, found: Threads) -> list[Entry]:
    """``[message, block, number of the lane, how many messages, agent]`` of every sub-agent that a call
    started."""
    lanes: list[Entry] = []
    for number, lane in enumerate(session.lanes):
        place = found.positions.get(lane.spawned_by or "")
        if place:
            uid = found.messages[place[0]].uid
            lanes.append([uid, place[1], number, len(lane.session.messages), one_line(lane.agent or "")[:80]])
    return lanes


def _branches(session: Session) -> list[Entry]:
    """``[uid of the last shared message or null, number of the branch, how many messages, name, reason]``."""
    return [
        [branch.at, number, len(branch.messages), one_line(branch.name)[:120], one_line(branch.reason)[:200]]
        for number, branch in enumerate(session.branches)
    ]


def _head(session: Session) -> dict[str, Any]:
    system = session.system
    return {
        "title": one_line(session.title)[:200],
        "format": session.format,
        "model": one_line(session.model or "")[:80],
        "system": system is not None,
        "tools": None if session.tools is None else len(session.tools),
    }


def splices(old: Index, new: Index) -> dict[str, Splice]:
    """What turns each list of one index into that of the other; lists that are the same are left out."""
    found: dict[str, Splice] = {}
    for name in LISTS[1:]:
        change = _change(getattr(old, name), getattr(new, name))
        if change is not None:
            found[name] = change
    if old.messages is not new.messages:
        at, removed, added = _messages(old.messages, new.messages)
        if removed or added:
            found["rows"] = Splice(at, removed, [row(entry) for entry in added])
    return found


def _change(old: list[Entry], new: list[Entry]) -> Splice | None:
    if old == new:
        return None
    start, end = _common(old, new, lambda a, b: bool(a == b))
    return Splice(start, len(old) - start - end, new[start : len(new) - end])


def _messages(old: Sequence[Message], new: Sequence[Message]) -> tuple[int, int, Sequence[Message]]:
    start, end = _common(old, new, lambda a, b: a is b)
    return start, len(old) - start - end, new[start : len(new) - end]


def _common(old: Sequence[Any], new: Sequence[Any], same: Any) -> tuple[int, int]:
    """How many entries two lists share at the start and, beyond those, at the end."""
    most = min(len(old), len(new))
    start = 0
    while start < most and same(old[start], new[start]):
        start += 1
    end = 0
    while end < most - start and same(old[-1 - end], new[-1 - end]):
        end += 1
    return start, end
