"""Logs of requests with their responses: each repeats the history, so a conversation is a chain of them.

A request belongs to the chain whose last request it begins with; the largest request of a chain and its
response are the conversation, the others say what each call cost. A request that begins with no whole earlier
one starts a chain of its own, which says what it shares with those before: a history rewritten from some
message on, the same prompt before a summary, or neither. Owns no dialect: what a request or response body
looks like inside is the business of the format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tape.blocks import json_text
from tape.formats.arrays import Path, at
from tape.model import Json
from tape.notes import Note

NAMES: Final = (("request", "response"), ("input", "output"), ("req", "resp"), ("req", "res"))
SYSTEM: Final = ("system", "developer")
CALLING: Final = ("role", "tool_calls", "tool_call_id", "function_call")
SIDE: Final = 2
# How the programs that compact a history begin what they put in its place.
SUMMARY: Final = ("continued from a previous conversation", "<summary>", "conversation summary")
LOOKED_AT: Final = 20_000
SAID: Final = {
    "edit": "It begins like conversation {of} and differs from messages[{shared}] on: the history was "
    "rewritten, or went another way.",
    "compaction": "It has the system prompt of conversation {of} and begins with a summary in place of its "
    "messages: the history was compacted.",
    "agent": "It has another system prompt or other tools than conversation {of}: another agent.",
}
REMINDER: Final = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pair:
    """One request with its response: the record, the paths of both bodies in it, how many messages the
    request has, and the key of its array."""

    record: int
    request: Path
    response: Path | None
    count: int
    array: str = "messages"


@dataclass(frozen=True, slots=True)
class Kin:
    """What a chain has in common with chain ``of`` before it: its first ``shared`` messages."""

    kind: Literal["edit", "compaction", "agent"]
    of: int
    shared: int = 0


@dataclass(slots=True)
class Chain:
    """Requests of which each begins with the one before. ``side`` is one question beside a conversation, such
    as one for a title."""

    pairs: list[Pair] = field(default_factory=list)
    kin: Kin | None = None
    side: bool = False

    @property
    def last(self) -> Pair:
        """The largest request."""
        return self.pairs[-1]

    def titled(self, title: str) -> str:
        """A title that says what the chain is beside the first."""
        if self.side:
            return f"side request: {title}"
        return f"{self.kin.kind}: {title}" if self.kin and self.kin.kind != "agent" else title

    def remarks(self) -> list[Note]:
        """What is to be said of where the chain comes from."""
        if self.side:
            return [Note("", "side-request", "One request beside the conversations of this log.")]
        if self.kin is None:
            return []
        kind, kin = self.kin.kind, self.kin
        text = SAID[kind].format(of=kin.of, shared=kin.shared)
        where = f"messages[{kin.shared}]" if kind == "edit" else ""
        return [Note(where, {"edit": "rewritten-prefix"}.get(kind, kind), text)]


def pair_in(value: Json, record: int, prefix: Path = ()) -> Pair | None:
    """The pair that an object holds, ``None`` where it holds none."""
    if not isinstance(value, dict):
        return None
    for asked, answered in NAMES:
        if asked not in value or answered not in value:
            continue
        request: Path = (asked,) if isinstance(at(value, (asked, "messages")), list) else (asked, "body")
        messages = at(value, (*request, "messages"))
        if not isinstance(messages, list):
            continue
        response: Path = (
            (answered, "body") if isinstance(at(value, (answered, "body")), dict) else (answered,)
        )
        return Pair(record, (*prefix, *request), (*prefix, *response), len(messages))
    return None


def pairs_in(record: int, document: Json) -> list[Pair]:
    """The pairs of a document: a list of pair objects, or one of them."""
    if isinstance(document, list):
        found = (pair_in(value, record, (i,)) for i, value in enumerate(document))
        return [pair for pair in found if pair is not None]
    one = pair_in(document, record)
    return [one] if one else []


def chains(pairs: Iterable[Pair], document: Callable[[int], Json]) -> list[Chain]:
    """The pairs as chains, in the order in which these begin; ``document`` gives a record by its number."""
    several = list(pairs)
    if len(several) == 1:
        return [Chain(several)]
    found: list[Chain] = []
    beginnings = _Beginnings()
    ends: dict[int, int] = {}
    seen: dict[int, int] = {}
    prompts: dict[Hashable, int] = {}
    tools: list[bool] = []
    for pair in several:
        body = at(document(pair.record), pair.request)
        entries = body[pair.array]
        begins = beginnings.of(entries)
        number = next((ends.pop(begin) for begin in reversed(begins) if begin in ends), len(found))
        if number == len(found):
            prompt = _prompt(body, entries)
            found.append(Chain(kin=_kin(entries, begins, seen, prompts, prompt)))
            prompts[prompt] = number
            tools.append(bool(body.get("tools")))
        for begin in begins:
            seen.setdefault(begin, number)
        found[number].pairs.append(pair)
        ends[begins[-1] if begins else 0] = number
    longest = max((chain.last.count for chain in found), default=0)
    for chain, equipped in zip(found, tools, strict=True):
        alone = len(chain.pairs) == 1 and chain.last.count <= SIDE < longest
        chain.side = alone and not equipped and (chain.kin is None or chain.kin.kind != "compaction")
    main = next((i for i, chain in enumerate(found) if not chain.side), 0)
    for i, chain in enumerate(found):
        if chain.kin is not None and chain.kin.kind == "agent":
            chain.kin = Kin("agent", main) if main < i else None
    return found


class _Beginnings:
    """Numbers for what arrays begin with, from 1 on: the same for the same messages."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Hashable], int] = {}
        self._last: Sequence[Json] = ()
        self._of_last: list[int] = []

    def of(self, entries: Sequence[Json]) -> list[int]:
        """The number of the first message, of the first two, and so on."""
        same = 0
        for ours, theirs in zip(entries, self._last, strict=False):
            if ours != theirs:
                break
            same += 1
        begins = self._of_last[:same]
        number = begins[-1] if begins else 0
        for message in entries[same:]:
            number = self._numbers.setdefault((number, key(message)), len(self._numbers) + 1)
            begins.append(number)
        self._last, self._of_last = entries, begins
        return begins


def _prompt(body: dict[str, Json], entries: list[Json]) -> Hashable:
    """What an agent is told by: its system prompt, wherever it stands, and the names of its tools."""
    system = [key({"content": body.get(name)}) for name in ("system", "instructions")]
    system += [key(one) for one in _lead(entries)]
    tools = body.get("tools")
    several = [one for one in tools if isinstance(one, dict)] if isinstance(tools, list) else []
    names = [one.get("name") or at(one, ("function", "name")) for one in several]
    return (*system, frozen(names))


def _lead(entries: list[Json]) -> list[Json]:
    """The system messages that an array begins with."""
    first = (i for i, one in enumerate(entries) if not isinstance(one, dict) or one.get("role") not in SYSTEM)
    return entries[: next(first, len(entries))]


def _kin(
    entries: list[Json],
    begins: Sequence[int],
    seen: Mapping[int, int],
    prompts: Mapping[Hashable, int],
    prompt: Hashable,
) -> Kin | None:
    shared = next((n for n in range(len(begins), 0, -1) if begins[n - 1] in seen), 0)
    lead = len(_lead(entries))
    if shared > lead:
        return Kin("edit", seen[begins[shared - 1]], shared)
    if prompt in prompts:
        opening = _opening(entries[lead : lead + 1])
        return Kin("compaction", prompts[prompt]) if any(words in opening for words in SUMMARY) else None
    return Kin("agent", 0) if prompts else None


def _opening(entries: Sequence[Json]) -> str:
    """How the first of some messages begins, in small letters."""
    said = at(entries[0], ("content",)) if entries else ""
    return (said if isinstance(said, str) else json_text(entries[0]))[:LOOKED_AT].lower()


def key(message: Json) -> Hashable:
    """What must be equal for two messages of different requests to be the same one: role, content and calls,
    without cache marks (they move) and without reminders (they change)."""
    if not isinstance(message, dict):
        return frozen(message)
    if "role" not in message and "content" not in message:
        return frozen({k: v for k, v in message.items() if k not in ("id", "status")})
    content = message.get("content")
    if isinstance(content, str):
        content = ({"type": "text", "text": content},)
    if isinstance(content, list | tuple):
        content = tuple(plain for block in content if (plain := _plain(block)) is not None)
    else:
        content = frozen(content)
    return (content, *((k, frozen(message[k])) for k in CALLING if k in message))


def frozen(value: Json) -> Hashable:
    """A value that is equal for equal values, and can be a key."""
    if value.__class__ is dict:
        return frozenset([(k, v if v.__class__ is str else frozen(v)) for k, v in value.items()])
    return tuple(map(frozen, value)) if value.__class__ is list else value


def _plain(block: Json) -> Hashable:
    if not isinstance(block, dict):
        return frozen(block)
    text = block.get("text")
    if "cache_control" not in block and not (isinstance(text, str) and "<system-reminder>" in text):
        return frozen(block)
    rest = {k: v for k, v in block.items() if k != "cache_control"}
    if isinstance(text, str) and "<system-reminder>" in text:
        rest["text"] = REMINDER.sub("", text)
        if not rest["text"]:
            return None
    return frozen(rest)
