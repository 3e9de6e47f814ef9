"""Compares one message with another, block by block and line by line, as data that a page can draw.

Takes the words a person reads: a call's input and an unknown block as indented JSON. Long texts are compared
inside their common head and tail only, and not word by word above a size that would take noticeable time.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tape.edits.targets import NOUNS
from tape.model import Block, Json, Message, Text, Thinking, ToolResult, ToolUse, head_of
from tape.wire import block_json

Sign: TypeAlias = Literal[" ", "-", "+"]
MAX_LINES = 2_000
MAX_WORDS = 400
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is in both (`` ``), only before (``-``) or only after (``+``).

    ``words`` splits a line that has a counterpart into pieces, each with whether it is on this side only.
    """

    sign: Sign
    text: str
    words: tuple[tuple[bool, str], ...] = ()


@dataclass(frozen=True, slots=True)
class BlockChange:
    """One block before and after: what happened to it, and its lines. ``name`` is the word for its kind."""

    uid: str
    name: str
    state: Literal["same", "edited", "inserted", "deleted"]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class MessageChange:
    """A message before and after: its roles (``None`` where it does not exist) and its blocks in order."""

    role_before: str | None
    role_after: str | None
    blocks: tuple[BlockChange, ...]


def compare(before: Message | None, after: Message | None) -> MessageChange:
    """How one message differs from another. Blocks that share a uid are compared with each other; ``None``
    stands for a message that does not exist on that side."""
    old = before.blocks if before else ()
    new = after.blocks if after else ()
    known = {block.uid: block for block in old}
    kept = {block.uid for block in new}
    gone: dict[str | None, list[BlockChange]] = {}
    last: str | None = None
    for block in old:
        if block.uid in kept:
            last = block.uid
        else:
            gone.setdefault(last, []).append(_change(block, None))
    blocks = gone.get(None, [])
    for block in new:
        blocks += [_change(known.get(block.uid), block), *gone.get(block.uid, [])]
    return MessageChange(before.role if before else None, after.role if after else None, tuple(blocks))


def _change(before: Block | None, after: Block | None) -> BlockChange:
    there = after or before
    assert there is not None
    name = NOUNS[head_of(there).kind]
    if before is None:
        return BlockChange(there.uid, name, "inserted", _signed("+", words_of(there)))
    if after is None:
        return BlockChange(there.uid, name, "deleted", _signed("-", words_of(there)))
    if after is before or block_json(after) == block_json(before):
        return BlockChange(there.uid, name, "same", _signed(" ", words_of(there)))
    return BlockChange(there.uid, name, "edited", lines(words_of(before), words_of(after)))


def _signed(sign: Sign, text: str) -> tuple[Line, ...]:
    return tuple(Line(sign, line) for line in text.split("\n"))


def words_of(block: Block) -> str:
    """What a person compares: the text of a block, else its JSON, indented."""
    match block:
        case Text(text=text) | Thinking(text=text, data=None):
            return text
        case ToolUse():
            return f"{block.name} {_indented(block.input)}"
        case ToolResult(content=str() | None):
            return block.text
    return _indented(block_json(block))


def _indented(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def lines(before: str, after: str) -> tuple[Line, ...]:
    """The lines of two texts side by side: shared ones once, others with the side they are on."""
    old, new = before.split("\n"), after.split("\n")
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    found = [Line(" ", line) for line in old[:head]]
    found += _middle(old[head : len(old) - tail], new[head : len(new) - tail])
    found += [Line(" ", line) for line in old[len(old) - tail :]]
    return tuple(found)


def _shared(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines are the same from the start on."""
    pairs = zip(old, new, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))


def _middle(old: list[str], new: list[str]) -> Iterator[Line]:
    if len(old) + len(new) > MAX_LINES:
        yield from (Line("-", line) for line in old)
        yield from (Line("+", line) for line in new)
        return
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (Line(" ", line) for line in old[a:b])
        elif b - a == d - c:
            pairs = [_words(x, y) for x, y in zip(old[a:b], new[c:d], strict=True)]
            yield from (Line("-", line, w[0]) for line, w in zip(old[a:b], pairs, strict=True))
            yield from (Line("+", line, w[1]) for line, w in zip(new[c:d], pairs, strict=True))
        else:
            yield from (Line("-", line) for line in old[a:b])
            yield from (Line("+", line) for line in new[c:d])


_Pieces: TypeAlias = tuple[tuple[bool, str], ...]


def _words(before: str, after: str) -> tuple[_Pieces, _Pieces]:
    """The pieces of two lines, each with whether only its side has it; nothing for long lines."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) + len(new) > MAX_WORDS:
        return (), ()
    left: list[tuple[bool, str]] = []
    right: list[tuple[bool, str]] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        differs = tag != "equal"
        if b > a:
            left.append((differs, "".join(old[a:b])))
        if d > c:
            right.append((differs, "".join(new[c:d])))
    return tuple(left), tuple(right)
