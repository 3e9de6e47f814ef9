"""What fills the context of the next call, by kind, tool and file; and what single messages cost from now on.

Weights are those of ``tape.sizes``: fitted to recorded calls where there are any. Which messages light up on
the tape is the page's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from tape.counting import Counter, Estimate
from tape.derived import once
from tape.model import Head, Message, Session, ToolUse
from tape.pricing import bill
from tape.sizes import Sizes, sizes
from tape.touched import path_of
from tape.turns import turns
from tape.usage import TurnUsage

FILES_READ = 4_000
KINDS = (
    "system prompt",
    "tool definitions",
    "not in this file",
    "user text",
    "assistant text",
    "thinking kept",
    "tool inputs",
    "tool results",
    "images",
    "other",
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the context: its ``kind``, within it a ``name`` (a tool) and a ``detail`` (a file), tokens,
    and the uids of the messages it stands in. Names and details are the transcript's own words."""

    kind: str
    name: str
    detail: str
    tokens: int
    uids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Heavy:
    """A message and its weight in tokens; ``calls`` is how many calls sent it, ``resent`` the tokens of that,
    ``usd`` their price at the rate that most of each of those prompts had."""

    uid: str
    position: int
    tokens: int
    calls: int
    resent: int
    usd: Decimal | None


@once
def window_parts(session: Session, estimate: Estimate | None = None) -> tuple[Part, ...]:
    """The parts of what the next call would send, in the order of ``KINDS``, in each the largest first."""
    weights = sizes(session, estimate)
    start = max((i for i, m in enumerate(session.messages) if m.restarts), default=0)
    sums: dict[tuple[str, str, str], int] = {}
    owners: dict[tuple[str, str, str], list[str]] = {}
    calls = _calls(session, start)
    counter = Counter(session.model)
    for kind, tokens in (
        ("system prompt", weights.system),
        ("tool definitions", weights.tools),
        ("not in this file", weights.hidden),
    ):
        if tokens:
            sums[kind, "", ""] = min(tokens, weights.fixed)
    for i in range(start, len(session.messages)):
        entry = session.messages[i]
        for key, tokens in _shares(entry, weights.messages[i], counter, calls):
            sums[key] = sums.get(key, 0) + tokens
            uids = owners.setdefault(key, [])
            if not uids or uids[-1] != entry.uid:
                uids.append(entry.uid)
    parts = [Part(*key, tokens, tuple(owners.get(key, ()))) for key, tokens in sums.items() if tokens]
    return tuple(sorted(parts, key=lambda one: (KINDS.index(one.kind), -one.tokens)))


def _calls(session: Session, start: int) -> Mapping[str, tuple[str, str]]:
    """Tool and file of each call by its id; files only where there are few enough calls to read."""
    makes = [m for m in session.messages[start:] if any(h.kind == "tool_use" for h in m.heads)]
    found: dict[str, tuple[str, str]] = {}
    for entry in makes:
        if len(makes) > FILES_READ:
            found.update((h.id or "", (h.name or "", "")) for h in entry.heads if h.kind == "tool_use")
            continue
        for block in entry.blocks:
            if isinstance(block, ToolUse):
                found[block.id] = (block.name, path_of(block.input))
    return found


def _shares(
    entry: Message, weight: int, counter: Counter, calls: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[tuple[str, str, str], int]]:
    """The weight of a message divided among its blocks, in proportion to their rough sizes."""
    if not entry.heads:
        yield ("other", "", ""), weight
        return
    rough = [counter.head(head) + 1 for head in entry.heads]
    whole, left = sum(rough), weight
    for n, head in enumerate(entry.heads):
        share = left if n == len(rough) - 1 else round(weight * rough[n] / whole)
        left -= share
        yield _key(entry, head, calls), share


def _key(entry: Message, head: Head, calls: Mapping[str, tuple[str, str]]) -> tuple[str, str, str]:
    match head.kind:
        case "tool_use":
            return "tool inputs", head.name or "", ""
        case "tool_result":
            name, detail = calls.get(head.id or "", ("", ""))
            return "tool results", name, detail
        case "thinking":
            return "thinking kept", "", ""
        case "image":
            return "images", "", ""
        case "text" | "document":
            if entry.role == "system":
                return "system prompt", "in the array", ""
            return f"{entry.role} text", "", ""
    return "other", "", ""


def heaviest(
    session: Session, used: tuple[TurnUsage, ...], estimate: Estimate | None = None, most: int = 10
) -> tuple[Heavy, ...]:
    """The messages with the largest weight that the next call would send, and what each has cost since.

    Without a message every later call would have sent its tokens less; they are priced as cache reads in
    calls that read more from a cache than they sent afresh, else as fresh input.
    """
    weights = sizes(session, estimate)
    start = max((i for i, m in enumerate(session.messages) if m.restarts), default=0)
    order = sorted(range(start, len(session.messages)), key=lambda i: -weights.messages[i])[:most]
    return tuple(_heavy(session, used, weights, i) for i in order if weights.messages[i])


def _heavy(session: Session, used: tuple[TurnUsage, ...], weights: Sizes, i: int) -> Heavy:
    tokens = weights.messages[i]
    later = [one for turn, one in zip(turns(session), used, strict=True) if turn.sent_from <= i < turn.at]
    usd: Decimal | None = Decimal(0)
    for one in later:
        rate = _rate(one)
        usd = None if usd is None or rate is None else usd + rate * tokens
    return Heavy(session.messages[i].uid, i, tokens, len(later), tokens * len(later), usd)


def _rate(one: TurnUsage) -> Decimal | None:
    """USD that a token of this call's repeated prefix cost."""
    paid = bill(one.usage, one.model, one.at)
    if paid is None:
        return None
    read, fresh = one.usage.cache_read or 0, one.usage.input or 0
    if read >= fresh and read:
        return paid.cache_read / read
    return paid.fresh / fresh if fresh else Decimal(0)
