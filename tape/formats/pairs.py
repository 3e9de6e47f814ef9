"""Logs of requests with their responses: each repeats the history, so a conversation is a chain of them.

A request belongs to the chain whose last request it begins with; the largest request of a chain and its
response are the conversation, the others say what each call cost. Owns no dialect: what a request or response
body looks like inside is the business of the format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

import orjson

from tape.formats.arrays import Path, at
from tape.model import Json

NAMES: Final = (("request", "response"), ("input", "output"), ("req", "resp"), ("req", "res"))
REMINDER: Final = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pair:
    """One request with its response: the record, the paths of both bodies in it, and how many messages the
    request has."""

    record: int
    request: Path
    response: Path | None
    count: int


@dataclass(slots=True)
class Chain:
    """Requests of which each begins with the one before."""

    pairs: list[Pair] = field(default_factory=list)

    @property
    def last(self) -> Pair:
        """The largest request."""
        return self.pairs[-1]


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
    found: list[Chain] = []
    ends: dict[bytes, Chain] = {}
    for pair in pairs:
        begins = [b""]
        for message in at(document(pair.record), (*pair.request, "messages")):
            begins.append(blake2b(begins[-1] + key(message), digest_size=16).digest())
        chain = next((ends.pop(begin) for begin in reversed(begins[1:]) if begin in ends), None)
        if chain is None:
            chain = Chain()
            found.append(chain)
        chain.pairs.append(pair)
        ends[begins[-1]] = chain
    return found


def key(message: Json) -> bytes:
    """What must be equal for two messages of different requests to be the same one: role, content and calls,
    without cache marks (they move) and without reminders (they change)."""
    if not isinstance(message, dict):
        return written(message)
    parts = {k: v for k, v in message.items() if k in ("role", "tool_calls", "tool_call_id", "function_call")}
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if isinstance(content, list):
        content = [_plain(block) for block in content]
        content = [block for block in content if block is not None]
    return written([parts, content])


def written(value: Json) -> bytes:
    """A value as JSON that is the same for equal values."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(value, sort_keys=True).encode("utf-8", "replace")


def _plain(block: Json) -> Json:
    if not isinstance(block, dict):
        return block
    rest = {k: v for k, v in block.items() if k != "cache_control"}
    text = rest.get("text")
    if isinstance(text, str) and "<system-reminder>" in text:
        rest["text"] = REMINDER.sub("", text)
        return rest if rest["text"] else None
    return rest
