"""Changes values inside raw JSON text and nothing else.

What an edit does not name keeps its bytes: spacing, escapes, number forms, key order, line ends. What is new
is written in the style of its neighbors. All paths speak of the text as it was before the first edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from tape.json_spans import Member, find, members, skip, value_at
from tape.json_style import Escapes, Layout, dumps, escapes_of, layout_of, restyle
from tape.model import Json

__all__ = [
    "Arrange",
    "Change",
    "Edit",
    "InsertAt",
    "Keep",
    "New",
    "Remove",
    "Set",
    "find",
    "patch",
    "restyle",
    "same",
]

Path: TypeAlias = Sequence[str | int]
_LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_NOTHING: Any = object()


@dataclass(frozen=True, slots=True)
class Set:
    """The value at ``path`` becomes ``value``: only what differs is written. A new key is added last."""

    path: Path
    value: Json


@dataclass(frozen=True, slots=True)
class Remove:
    """The member or element at ``path`` goes, with one separator."""

    path: Path


@dataclass(frozen=True, slots=True)
class InsertAt:
    """A new element of the array at ``path``, before the element ``index`` (its length: at the end)."""

    path: Path
    index: int
    value: Json


@dataclass(frozen=True, slots=True)
class Keep:
    """Element ``index`` of the array as it stands, byte for byte."""

    index: int


@dataclass(frozen=True, slots=True)
class Change:
    """Element ``index`` of the array, changed to ``value`` (only what differs) or by edits of its inside."""

    index: int
    value: Json = field(default_factory=lambda: _NOTHING)
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class New:
    """An element that the array did not have."""

    value: Json


@dataclass(frozen=True, slots=True)
class Arrange:
    """The array at ``path`` becomes these elements in this order; an element may move and is not doubled."""

    path: Path
    items: tuple[Keep | Change | New, ...]


Edit: TypeAlias = Set | Remove | InsertAt | Arrange


def patch(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits done. Edits must not overlap.

    Raises ``KeyError`` for a path that is not there and ``ValueError`` where the text is no JSON on the way
    to it, or edits overlap.
    """
    root = _Node()
    for edit in edits:
        node = root
        parts = edit.path[:-1] if isinstance(edit, Remove) else edit.path
        for step in parts:
            node = node.children.setdefault(step, _Node())
        match edit:
            case Set():
                node.set_to(edit.value)
            case Remove():
                node.children.setdefault(edit.path[-1], _Node()).removed = True
            case InsertAt():
                node.inserts.append((edit.index, edit.value))
            case Arrange():
                node.arranged = edit.items
    start = skip(text, 0)
    writer = _Writer(text)
    if root.value is not _NOTHING:
        end = value_at(text, start)[1]
        return text[:start] + writer.value(start, end, root, Layout(), "") + text[end:]
    # A document that breaks off has no end; what stands before the break can still be changed.
    region, written = writer.container(start, root, Layout(), "")
    return text[: region[0]] + written + text[region[1] :]


class _Node:
    """All edits at and below one value."""

    __slots__ = ("arranged", "children", "inserts", "removed", "value")

    def __init__(self) -> None:
        self.children: dict[str | int, _Node] = {}
        self.inserts: list[tuple[int, Json]] = []
        self.arranged: tuple[Keep | Change | New, ...] | None = None
        self.value: Json = _NOTHING
        self.removed = False

    def set_to(self, value: Json) -> None:
        self.value = value

    def check(self) -> None:
        """Raises ``ValueError`` where two edits would write the same text."""
        inside = bool(self.children or self.inserts)
        if (self.value is not _NOTHING or self.removed) and (inside or self.arranged is not None):
            raise ValueError("edits overlap")
        if self.arranged is not None and inside:
            raise ValueError("edits overlap")


class _Writer:
    """Renders values of one text with edits applied."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._escapes: Escapes | None = None

    @property
    def escapes(self) -> Escapes:
        if self._escapes is None:
            self._escapes = escapes_of(self.text)
        return self._escapes

    def value(self, start: int, end: int, node: _Node, above: Layout, indent: str) -> str:
        """The value at ``text[start:end]`` after the edits of ``node``."""
        node.check()
        if node.value is not _NOTHING:
            return self.changed(start, end, node.value, above, indent)
        if not (node.children or node.inserts or node.arranged is not None):
            return self.text[start:end]
        (left, right), written = self.container(start, node, above, indent)
        return self.text[start:left] + written + self.text[right:end]

    def container(self, start: int, node: _Node, above: Layout, indent: str) -> tuple[tuple[int, int], str]:
        """The span between the brackets that is written anew, and the text for it."""
        node.check()
        found = members(self.text, start)
        end = found[-1].end if found else skip(self.text, start + 1)
        closing = skip(self.text, end)
        layout = layout_of(self.text, start, closing + 1, above)
        place = _Container(self, start, found, layout, indent)
        if self.text[start] == "{":
            if node.arranged is not None or node.inserts:
                raise KeyError("an object has no elements")
            return place.object(node)
        if self.text[start] != "[":
            raise KeyError("a scalar has no members")
        return place.array(node)

    def changed(self, start: int, end: int, new: Json, above: Layout, indent: str) -> str:
        """The value at ``text[start:end]`` as ``new``, writing only what differs."""
        raw = self.text[start:end]
        old = value_at(raw, 0)[0]
        if same(old, new):
            return raw
        node = _Node()
        if isinstance(old, dict) and isinstance(new, dict):
            for key in old.keys() - new.keys():
                node.children[key] = _Node()
                node.children[key].removed = True
            for key, value in new.items():
                if key not in old or not same(old[key], value):
                    node.children[key] = _Node()
                    node.children[key].set_to(value)
        elif isinstance(old, list) and isinstance(new, list):
            node.arranged = align(old, new)
        else:
            layout = layout_of(self.text, start, end, above) if raw[0] in "{[" else above
            return dumps(new, layout, self.escapes, indent)
        (left, right), written = self.container(start, node, above, indent)
        return self.text[start:left] + written + self.text[right:end]


@dataclass(slots=True)
class _Container:
    """One object or array of the text, and how to write it with members taken out, changed or added."""

    writer: _Writer
    start: int
    members: list[Member]
    layout: Layout
    indent: str

    @property
    def inner(self) -> str:
        """What stands before a member's line."""
        if self.layout.unit is None:
            return self.indent
        if self.members:
            line = self.writer.text.rfind("\n", self.start, self.members[0].start)
            if line >= 0:
                return self.writer.text[line + 1 : self.members[0].start]
        return self.indent + self.layout.unit

    def fresh(self, value: Json) -> str:
        """A new value in the style of the first sibling of its kind."""
        text = self.writer.text
        opening = "{" if isinstance(value, dict) else "[" if isinstance(value, (list, tuple)) else ""
        layout = self.layout
        like = next((m for m in self.members if opening and text[m.value] == opening), None)
        if like is not None:
            layout = layout_of(text, like.value, like.end, self.layout)
        return dumps(value, layout, self.writer.escapes, self.inner)

    def object(self, node: _Node) -> tuple[tuple[int, int], str]:
        last = {m.key: m for m in self.members}
        parts: list[tuple[Member | None, str]] = []
        for member in self.members:
            child = node.children.get(member.key)
            if child is None or (member is not last[member.key] and not child.removed):
                parts.append((member, self.writer.text[member.start : member.end]))
            elif not child.removed:
                written = self.writer.value(member.value, member.end, child, self.layout, self.inner)
                parts.append((member, self.writer.text[member.start : member.value] + written))
        for key, child in node.children.items():
            if key not in last and not child.removed:
                if child.value is _NOTHING or not isinstance(key, str):
                    raise KeyError(key)
                name = self.writer.escapes.string(key)
                parts.append((None, f"{name}{self.layout.colon}{self.fresh(child.value)}"))
            elif key not in last:
                raise KeyError(key)
        return self.join(parts)

    def array(self, node: _Node) -> tuple[tuple[int, int], str]:
        items = node.arranged
        if items is not None:
            return self.join([self.element(item) for item in items])
        count = len(self.members)
        for key in node.children:
            if not isinstance(key, int) or not 0 <= key < count:
                raise KeyError(key)
        if any(not 0 <= index <= count for index, _ in node.inserts):
            raise KeyError("no such place in the array")
        parts: list[tuple[Member | None, str]] = []
        for i in range(count + 1):
            parts += [(None, self.fresh(value)) for index, value in node.inserts if index == i]
            if i == count:
                break
            child, member = node.children.get(i), self.members[i]
            if child is None or not child.removed:
                written = self.writer.value(
                    member.value, member.end, child or _Node(), self.layout, self.inner
                )
                parts.append((member, written))
        return self.join(parts)

    def element(self, item: Keep | Change | New) -> tuple[Member | None, str]:
        if isinstance(item, New):
            return None, self.fresh(item.value)
        if not 0 <= item.index < len(self.members):
            raise KeyError(item.index)
        member = self.members[item.index]
        raw = self.writer.text[member.value : member.end]
        if isinstance(item, Keep):
            return member, raw
        if item.value is _NOTHING:
            return member, patch(raw, item.edits)
        return member, self.writer.changed(member.value, member.end, item.value, self.layout, self.inner)

    def join(self, parts: list[tuple[Member | None, str]]) -> tuple[tuple[int, int], str]:
        """The span between the brackets and its new text: gaps between old neighbors stay as they are."""
        text, found = self.writer.text, self.members
        left = found[0].start if found else self.start + 1
        right = found[-1].end if found else skip(text, self.start + 1)
        if not parts:
            return (self.start + 1, skip(text, right)), ""
        order = {member: i for i, member in enumerate(found)}
        written = [parts[0][1]]
        for (before, _), (after, piece) in pairwise(parts):
            i = order[before] if before is not None else -2
            old = after is not None and order[after] == i + 1
            written += [text[found[i].end : found[i + 1].start] if old else self.separator(), piece]
        if found:
            return (left, right), "".join(written)
        opening = closing = ""
        if self.layout.unit is not None:
            opening = self.layout.newline + self.inner
            closing = self.layout.newline + self.indent
        return (left, right), opening + "".join(written) + closing

    def separator(self) -> str:
        """What stands between two members that were no neighbors before."""
        text, found = self.writer.text, self.members
        if len(found) > 1:
            return text[found[0].end : found[1].start]
        return self.layout.comma if self.layout.unit is None else f",{self.layout.newline}{self.inner}"


def align(old: list[Json], new: list[Json]) -> tuple[Keep | Change | New, ...]:
    """How one list becomes another: what is equal at both ends stays, what is between is changed in order."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if not same(old[i], new[i])), shorter)
    rest = shorter - head
    tail = next((i for i in range(rest) if not same(old[-1 - i], new[-1 - i])), rest)
    items: list[Keep | Change | New] = [Keep(i) for i in range(head)]
    for i in range(head, len(new) - tail):
        fits = i < len(old) - tail and type(old[i]) is type(new[i])
        items.append(Change(i, new[i]) if fits else New(new[i]))
    return (*items, *(Keep(i) for i in range(len(old) - tail, len(old))))


def same(old: Json, new: Json) -> bool:
    """Whether two parsed values are the same JSON: ``1``, ``1.0`` and ``true`` differ, key order is nothing.

    ``old`` may hold lone surrogates where ``new`` has U+FFFD.
    """
    if isinstance(old, str) and isinstance(new, str):
        return old == new or shown(old) == new
    if type(old) is not type(new):
        return False
    if isinstance(old, dict):
        return old.keys() == new.keys() and all(same(value, new[key]) for key, value in old.items())
    if isinstance(old, list):
        return len(old) == len(new) and all(map(same, old, new))
    return bool(old == new) or (isinstance(old, float) and old != old and new != new)


def shown(text: str) -> str:
    """A string as people see it: lone surrogates and bytes that are no UTF-8 are U+FFFD."""
    if text.isascii():
        return text
    return _LONE.sub("\ufffd", text).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
