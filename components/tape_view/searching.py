"""Searching everything that an open session holds, shown or not: words, whole words, patterns.

What comes back is plain data for the view. ``hits`` are blocks of the array in its order: ``[uid of the
message, uid of the block, character the first one starts at in the block's words, how many, before, hit,
after]``; ``times`` counts occurrences, ``next`` is the message to go on from where there were too many or it
took too long (``searched`` of ``of`` messages were looked at). ``beside`` are hits outside of the array:
``[place, name, before, hit, after]``, the place being ``system``, ``tools``, ``aside`` (its name is the uid
it stands behind, or null) or ``lane`` (the number of the sub-agent). ``fault`` says why a pattern is none.

Where the file is lines, its raw bytes are searched first, so that only messages that may have a hit are
parsed. What is looked for there is the longest run of the query that JSON writes in one way only; so a line
break, a quotation mark or an ``é`` is found whether the file escapes it or not.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import regex

from components.tape_view.lookup import words
from tape.model import Message, Session, json_text
from tape.records import Source
from tape.secrets import revealed, veil
from tape.visible import one_line

HITS = 2_000
BESIDE = 200
SECONDS = 2.5
MOST = 1_000
MANY = 5_000
PIECE = 4_000_000
AROUND = 48
LONGEST_SECRET = 400
PLAIN = re.compile(
    r"[A-Za-z0-9_.!?;()*#@$%^~|-](?:[A-Za-z0-9_.!?;()*#@$%^~| -]*[A-Za-z0-9_.!?;()*#@$%^~|-])?"
)
"""Runs that JSON writes in one way only, whoever writes it: without quotes, escapes and structure."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. ``start`` is the index of the message to begin at."""

    text: str
    case: bool = False
    word: bool = False
    regex: bool = False
    start: int = 0


class Pattern(Protocol):
    """What of the two libraries for patterns is used here."""

    def finditer(self, text: str) -> Iterator[Any]: ...


@dataclass
class Found:
    """What a search gives, as it grows; see the head of this file."""

    query: Query
    of: int
    hits: list[list[Any]] = field(default_factory=list)
    beside: list[list[Any]] = field(default_factory=list)
    times: int = 0
    searched: int = 0
    next: int | None = None
    fault: str = ""

    def json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "q": self.query.text,
            "hits": self.hits,
            "times": self.times,
            "beside": self.beside,
            "searched": self.searched,
            "of": self.of,
            "next": self.next,
            "fault": self.fault,
        }


def search(session: Session, query: Query, seconds: float = SECONDS) -> Found:
    """Everything that was found within a time (seconds); never more than 2,000 blocks at once."""
    found = Found(query, len(session.messages))
    if not query.text.strip():
        return found
    deadline = time.monotonic() + seconds
    try:
        pattern = _pattern(query, deadline)
    except regex.error as fault:
        found.fault = f"This is not a pattern: {fault}."
        return found
    try:
        if not query.start:
            found.beside += list(_beside(session, pattern, query))[:BESIDE]
        _array(session, pattern, query, found, deadline)
    except TimeoutError:
        found.fault = "The pattern took too long; a simpler one may be faster."
        found.next = None if found.searched >= found.of else query.start + found.searched
    return found


class _Timed:
    """A pattern of a person, which is stopped when it takes too long."""

    def __init__(self, pattern: Any, deadline: float) -> None:
        self.pattern, self.deadline = pattern, deadline

    def finditer(self, text: str) -> Iterator[Any]:
        left = max(0.01, self.deadline - time.monotonic())
        return self.pattern.finditer(text, timeout=left)


def _pattern(query: Query, deadline: float) -> Pattern:
    """Raises ``regex.error`` for a pattern that is none."""
    if query.regex:
        flags = regex.MULTILINE | (0 if query.case else regex.IGNORECASE)
        text = rf"\b(?:{query.text})\b" if query.word else query.text
        return _Timed(regex.compile(text, flags), deadline)
    text = re.escape(query.text)
    if query.word:
        text = rf"(?<!\w){text}(?!\w)"
    return re.compile(text, 0 if query.case else re.IGNORECASE)


def _array(session: Session, pattern: Pattern, query: Query, found: Found, deadline: float) -> None:
    may = _Raw.of(session, query)
    for i in range(query.start, len(session.messages)):
        entry = session.messages[i]
        if may is None or may.have(entry):
            if len(found.hits) >= HITS or time.monotonic() > deadline:
                found.next = i
                return
            for uid, text in _texts(entry):
                first, times = _first(pattern, text)
                if first is not None:
                    found.hits.append([entry.uid, uid, first.start(), times, *_excerpt(text, first)])
                    found.times += times
        found.searched += 1


def _texts(entry: Message) -> Iterator[tuple[str, str]]:
    return ((block.uid, words(block)) for block in entry.blocks)


def _first(pattern: Pattern, text: str) -> tuple[Any, int]:
    """The first match that is not empty, and how many there are, at most a thousand."""
    first, times = None, 0
    for match in pattern.finditer(text):
        if match.end() > match.start():
            first = first or match
            times += 1
            if times == MOST:
                break
    return first, times


def _excerpt(text: str, match: Any) -> tuple[str, str, str]:
    low = max(0, match.start() - LONGEST_SECRET)
    near = text[low : match.end() + LONGEST_SECRET]
    # Whoever searches for the start of a secret is not shown the rest of it.
    near = near if revealed() else veil(near)
    start, end = match.start() - low, match.end() - low
    return (
        one_line(near[max(0, start - AROUND) : start]),
        one_line(near[start : min(end, start + 200)]),
        one_line(near[end : end + AROUND]),
    )


def _beside(session: Session, pattern: Pattern, query: Query) -> Iterator[list[Any]]:
    """What is found outside of the array."""
    texts: list[tuple[str, Any, str]] = []
    if session.system is not None:
        system = session.system
        texts.append(("system", None, system if isinstance(system, str) else json_text(system)))
    texts += [("tools", tool.name, f"{tool.name}\n{tool.description}") for tool in session.tools or ()]
    texts += [("aside", aside.after, aside.text) for aside in session.asides if aside.text]
    for place, name, text in texts:
        first, _ = _first(pattern, text)
        if first is not None:
            yield [place, name, *_excerpt(text, first)]
    for number, lane in enumerate(session.lanes):
        may = _Raw.of(lane.session, query)
        for entry in lane.session.messages:
            for _, text in _texts(entry) if may is None or may.have(entry) else ():
                first, _ = _first(pattern, text)
                if first is not None:
                    yield ["lane", number, *_excerpt(text, first)]


class _Raw:
    """Which messages may have a hit, by the bytes of their records. Where very many have one, only the
    records before ``known`` were looked at, and those behind it may have one."""

    def __init__(self, source: Source, anchors: list[bytes], case: bool) -> None:
        self.records: set[int] = set()
        self.known = len(source)
        self._starts = [source.span(i)[0] for i in range(len(source))]
        self._look(source, anchors, case)

    @classmethod
    def of(cls, session: Session, query: Query) -> _Raw | None:
        """``None`` where bytes say nothing: the file is no lines, or the query has nothing to look for."""
        base = session.base
        if query.regex or base is None or len(base.sources) != 1:
            return None
        source = base.sources[0]
        anchors = _anchors(query.text, query.case)
        if source.container not in ("jsonl", "sse") or not anchors:
            return None
        return cls(source, anchors, query.case)

    def have(self, entry: Message) -> bool:
        """Whether a message may have a hit: it is not as the file has it, or a record of it matched."""
        if isinstance(entry.body, tuple) or not entry.records:
            return True
        return not self.records.isdisjoint(entry.records) or max(entry.records) >= self.known

    def _look(self, source: Source, anchors: list[bytes], case: bool) -> None:
        body, overlap = source.body, max(map(len, anchors)) - 1
        for start in range(0, len(body), PIECE):
            piece = body[start : start + PIECE + overlap]
            if not case:
                piece = piece.lower()
            for anchor in anchors:
                at = piece.find(anchor)
                while at >= 0:
                    record = bisect_right(self._starts, start + at) - 1
                    self.records.add(record)
                    if len(self.records) > MANY:
                        self.known = bisect_right(self._starts, start)
                        return
                    after = self._starts[record + 1] if record + 1 < len(self._starts) else len(body)
                    at = piece.find(anchor, max(after - start, at + 1))


def _anchors(text: str, case: bool) -> list[bytes]:
    """Bytes of which one stands in every record with a hit; none where that cannot be said."""
    runs = PLAIN.findall(text)
    if runs:
        longest = max(runs, key=len).encode()
        return [longest if case else longest.lower()]
    for sign in text:
        if not sign.isascii() and not sign.isspace():
            return sorted(_written(sign, case))
    return []


def _written(sign: str, case: bool) -> set[bytes]:
    """Every way in which JSON writes a sign that is not ASCII, as it or in the other case."""
    cases = (sign,) if case else (sign, sign.lower(), sign.upper(), sign.casefold())
    found: set[bytes] = set()
    for one in cases:
        if len(one) > 1:
            continue
        if one.isascii():
            return set()
        units = one.encode("utf-16-be", "surrogatepass").hex()
        for digits in (units, units.upper()):
            found.add("".join(f"\\u{digits[i : i + 4]}" for i in range(0, len(digits), 4)).encode())
        found.add(one.encode("utf-8", "surrogatepass"))
    return found
