"""The index of a session: everything the view knows without bodies, as lists that an edit splices.

``rows`` has one entry a message, ``links`` and ``broken`` the threads, ``turns`` the model calls with their
tokens, ``asides`` how many records stand behind a message that are no messages, ``gone`` the messages of
the original that are no longer there, ``lanes`` the sub-agents and ``branches`` the ways that were left.
Places inside lists are uids, so that a splice in one list never touches another. What a message says is in
``payload.py``.

The browser reads the whole index once (``packed``, see there) and follows it by patches: ``[version,
{list: [[at, removed, [entry…]], …]}]``, the splices of a list carried out one after the other, and ``head``
whole where it changed. What follows from the places of rows is not sent but worked out by who needs it: how
many messages a turn sent is how many stand before it, up to a summary of a compaction.

``follow`` makes the index of the next version from that of the last one, in time of what was edited;
``index`` starts from nothing. A law tests that both give the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tape.derived import change
from tape.differences import differences, shared
from tape.model import Call, Message, Session, Usage
from tape.threads import Link, Threads, threads
from tape.turns import is_answer
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
    """The lists of one version of a session. ``messages`` are what ``rows`` are made from, on demand;
    ``threads`` and ``session`` what the others were made from; ``first`` has the places in the original.
    ``guessed`` says that a turn stands with an estimate, which any edit may change."""

    session: Session
    threads: Threads
    first: Mapping[str, int]
    links: list[Entry]
    broken: list[Entry]
    turns: list[Entry]
    asides: list[Entry]
    gone: list[Entry]
    lanes: list[Entry]
    branches: list[Entry]
    head: dict[str, Any]
    guessed: bool

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of this version."""
        return self.session.messages

    @property
    def rows(self) -> list[Entry]:
        """One entry a message, made now."""
        return [row(entry) for entry in self.messages]


def row(entry: Message) -> Entry:
    """``[uid, role, kinds, chars, lines]`` and, where there is something to say, names of its calls, marks
    and origin.

    ``role`` is a letter (u, a, s), ``kinds`` a letter a block (``KINDS``), ``lines`` a rough number of
    lines. Marks are letters: e an error result, j injected text, k where the array begins anew after a
    compaction (its summary, if not also c), m a summary further on, c carried over by it, x a role as no
    format knows it, b broken off.
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
    marks = _marks(flags, entry) if flags or entry.meta else ""
    origin = "" if entry.provenance.origin == "recorded" else entry.provenance.origin
    found: Entry = [entry.uid, entry.role[0], kinds, chars, lines]
    if origin:
        return [*found, names, marks, origin]
    if marks:
        return [*found, names, marks]
    return [*found, names] if names else found


def _marks(flags: set[str], entry: Message) -> str:
    meta = entry.meta
    signs = (
        ("e", "error" in flags),
        ("j", "injected" in flags),
        ("k", entry.restarts),
        ("m", meta.get("compact_summary") and not entry.restarts),
        ("c", meta.get("carried")),
        ("x", "unknown_role" in meta),
        ("b", meta.get("interrupted")),
    )
    return "".join(letter for letter, on in signs if on)


def index(session: Session, opened: Session) -> Index:
    """The index of a session that was opened as ``opened``, from nothing."""
    found = threads(session)
    first = found.at if session is opened else {entry.uid: i for i, entry in enumerate(opened.messages)}
    used = _usages(session)
    turns = [_turn(entry, used) for entry in session.messages if is_answer(entry)]
    return Index(
        session=session,
        threads=found,
        first=first,
        links=_links(found, found.links),
        broken=_broken(found),
        turns=_estimated(session, turns),
        asides=_asides(session),
        gone=_gone(session, opened, found, first),
        lanes=_lanes(session, found),
        branches=_branches(session),
        head=_head(session),
        guessed=any(map(_is_open, turns)),
    )


def follow(old: Index, session: Session, opened: Session) -> Index:
    """The index of ``session``, from that of the version before it. Lists that stay as they were are the same
    objects; so are entries."""
    found = threads(session)
    first = found.at if session is opened else old.first
    turns, guessed = _turns_after(old, session, found)
    return Index(
        session=session,
        threads=found,
        first=first,
        links=_links_after(old, found),
        broken=_same(old.broken, _broken(found)),
        turns=turns,
        asides=_asides_after(old, session),
        gone=_same(old.gone, _gone(session, opened, found, first)),
        lanes=_same(old.lanes, _lanes(session, found)),
        branches=old.branches if session.branches is old.session.branches else _branches(session),
        head=_head(session),
        guessed=guessed,
    )


def _same(old: list[Entry], new: list[Entry]) -> list[Entry]:
    """The new list; what it has in common with the old one are the same objects."""
    if old == new:
        return old
    known = {tuple(entry): entry for entry in old}
    return [known.get(tuple(entry), entry) for entry in new]


def _links(found: Threads, links: Iterable[Link]) -> list[Entry]:
    """``[call's message, block, result's message, block, state]`` in the order of the calls. A state is
    that of ``tape.threads``, or ``reused`` where another call has the same id."""
    messages, places = found.messages, found.positions
    again = _used_again(found)
    entries: list[Entry] = []
    for link in links:
        (i, j), (m, n) = places[link.call_uid], places[link.result_uid]
        state = "reused" if link.state == "ok" and link.id in again else link.state
        entries.append([messages[i].uid, j, messages[m].uid, n, state])
    return entries


def _links_after(old: Index, found: Threads) -> list[Entry]:
    """Only links that were made again have new entries."""
    if found is old.threads or found.links is old.threads.links:
        return old.links
    entries: list[Entry] = []
    done = 0
    for at, removed, start, stop in differences(old.threads.links, found.links):
        kept = at - len(entries)
        entries += old.links[done : done + kept]
        entries += _links(found, found.links[start:stop])
        done += kept + removed
    return entries + old.links[done:]


def _used_again(found: Threads) -> set[str]:
    """The ids that more than one call bears."""
    ids = [link[2] for link in found.links if link[4] != "duplicate"]
    ids += [one.id for one in found.unlinked if one.state != "orphan"]
    if len(set(ids)) == len(ids):
        return set()
    return {id for id, count in Counter(ids).items() if count > 1}


def _broken(found: Threads) -> list[Entry]:
    """``[message, block, state]`` of every call or result that is tied to nothing, in order."""
    places = ((*found.positions[one.uid], one.state) for one in found.unlinked)
    return [[found.messages[i].uid, j, state] for i, j, state in places]


def _usages(session: Session, uids: set[str] | None = None) -> dict[str, Usage]:
    return {
        call.message_uid: call.usage
        for call in session.calls
        if call.usage is not None and (uids is None or call.message_uid in uids)
    }


def _turn(entry: Message, used: Mapping[str, Usage]) -> Entry:
    """``[uid of the answer, prompt, output, source]``; tokens may be null."""
    spent = used.get(entry.uid)
    return [entry.uid, spent.prompt, spent.output, spent.source] if spent else [entry.uid, None, None, ""]


def _is_open(entry: Entry) -> bool:
    """Whether tokens of a turn are not recorded, so that an estimate stands in."""
    return entry[1] is None or entry[2] is None or entry[3] == "estimated"


def _estimated(session: Session, entries: list[Entry]) -> list[Entry]:
    """The entries with an estimate wherever tokens are not recorded."""
    if not any(map(_is_open, entries)):
        return entries
    spent = {one.message_uid: one.usage for one in usage(session).turns}
    return [_with_estimate(one, spent) if _is_open(one) else one for one in entries]


def _with_estimate(entry: Entry, spent: Mapping[str, Usage]) -> Entry:
    used = spent.get(entry[0])
    new = [entry[0], used.prompt, used.output, used.source] if used else entry
    return entry if new == entry else new


def _turns_after(old: Index, session: Session, found: Threads) -> tuple[list[Entry], bool]:
    """The turns, and whether one stands with an estimate. Outside of what changed they keep their entries,
    save estimates."""
    before = old.session
    start, old_stop, new_stop = change(before.messages, session.messages)
    called = {call.message_uid for call in _changed(before.calls, session.calls)}
    if start == old_stop == new_stop and not called:
        turns = _same(old.turns, _estimated(session, old.turns)) if old.guessed else old.turns
        return turns, old.guessed
    place = old.threads.at
    low, high = (bisect_left(old.turns, at, key=lambda one: place[one[0]]) for at in (start, old_stop))
    fresh = [entry for entry in session.messages[start:new_stop] if is_answer(entry)]
    used = _usages(session, called | {entry.uid for entry in fresh})
    new = [_turn(entry, used) for entry in fresh]
    entries = [*old.turns[:low], *new, *old.turns[high:]]
    if called - {one[0] for one in new}:
        entries = [
            _turn(session.messages[found.at[one[0]]], used) if one[0] in called else one for one in entries
        ]
    if not old.guessed and not any(map(_is_open, new)) and not called:
        return entries, False
    guessed = any(map(_is_open, entries))
    return _estimated(session, entries) if guessed else entries, guessed


def _changed(old: Sequence[Call], new: Sequence[Call]) -> Iterator[Call]:
    """The calls that only one of two sessions has."""
    if old is new:
        return
    start, end = shared(old, new)
    before, now = old[start : len(old) - end], new[start : len(new) - end]
    known, wanted = set(map(id, before)), set(map(id, now))
    yield from (call for call in before if id(call) not in wanted)
    yield from (call for call in now if id(call) not in known)


def _asides(session: Session) -> list[Entry]:
    """``[uid or null, how many]`` in the order of the array; null is before the first message."""
    counts = Counter(aside.after for aside in session.asides)
    if not counts:
        return []
    found: list[Entry] = [[None, counts[None]]] if counts[None] else []
    return found + [[entry.uid, counts[entry.uid]] for entry in session.messages if entry.uid in counts]


def _asides_after(old: Index, session: Session) -> list[Entry]:
    """The same list, unless asides or the order of what they stand behind changed."""
    if session.asides is old.session.asides:
        start, old_stop, new_stop = change(old.messages, session.messages)
        before, now = old.messages[start:old_stop], session.messages[start:new_stop]
        bear = {one[0] for one in old.asides}
        if [m.uid for m in before if m.uid in bear] == [m.uid for m in now if m.uid in bear]:
            return old.asides
    return _same(old.asides, _asides(session))


def _gone(session: Session, opened: Session, found: Threads, first: Mapping[str, int]) -> list[Entry]:
    """``[uid it stood behind or null, uid, role, position]`` of what was deleted, in original order.
    What lives on in a branch is shown there."""
    if session.messages is opened.messages:
        return []
    lost = sorted(first[uid] for uid in first.keys() - found.at.keys())
    aside = {entry.uid for branch in session.branches for entry in branch.messages} if lost else set()
    entries: list[Entry] = []
    last, after = -2, None
    for i in lost:
        if i != last + 1:
            after = opened.messages[i - 1].uid if i else None
        last = i
        entry = opened.messages[i]
        if entry.uid not in aside:
            entries.append([after, entry.uid, entry.role[0], i])
    return entries


def _lanes(session: Session, found: Threads) -> list[Entry]:
    """``[message, block, number of the lane, how many messages, agent]`` of every sub-agent; message ``None``
    and block -1 where no call of the array started it."""
    lanes: list[Entry] = []
    for number, lane in enumerate(session.lanes):
        place = found.positions.get(lane.spawned_by or "")
        at = [found.messages[place[0]].uid, place[1]] if place else [None, -1]
        lanes.append([*at, number, len(lane.session.messages), one_line(lane.agent or "")[:80]])
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


def splices(old: Index, new: Index) -> dict[str, list[Splice]]:
    """What turns each list of one index into that of the other, one splice after the other; lists that are
    the same are left out."""
    found: dict[str, list[Splice]] = {}
    for name in LISTS[1:]:
        before, after = getattr(old, name), getattr(new, name)
        if before is not after:
            found[name] = [
                Splice(at, removed, after[start:stop])
                for at, removed, start, stop in differences(before, after)
            ]
    rows = [
        Splice(at, removed, [row(entry) for entry in new.messages[start:stop]])
        for at, removed, start, stop in differences(old.messages, new.messages)
    ]
    return {name: changed for name, changed in {"rows": rows, **found}.items() if changed}
