"""YAML text as values with the spans that they stand in, so that one can be changed and all else stays.

Reads the YAML of recorded cassettes: what JSON has, binary values as bytes, times as the words that they are.
JSON is YAML, so a changed value is written as JSON. Uses PyYAML's C parser, event by event, never recursing.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import yaml

from tape.model import Json

Path: TypeAlias = tuple[str | int, ...]
MOST: Final = 5_000_000
DEEPEST: Final = 5
BINARY: Final = "tag:yaml.org,2002:binary"
WORDS: Final[Mapping[str, Json]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
NUMBER: Final = re.compile(r"[-+]?(0|[1-9][0-9]{0,300})(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?")


class Unreadable(ValueError):
    """Text that is no YAML, or that says more than it holds by naming parts again and again."""


@dataclass(frozen=True, slots=True)
class Document:
    """The value of a document, and the characters of the text in which the values of its first five levels
    stand, by their paths."""

    value: Any
    spans: Mapping[Path, tuple[int, int]]


@dataclass(slots=True)
class _Open:
    value: dict[str, Any] | list[Any]
    path: Path
    start: int
    anchor: str | None
    before: int
    key: str | None = None


def parse(text: str) -> Document:
    """The first document of the text. Raises ``Unreadable`` where there is none."""
    try:
        return _Builder().built(yaml.parse(text, Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, UnicodeError) as fault:
        problem = getattr(fault, "problem", None) or type(fault).__name__
        raise Unreadable(f"the text is no YAML ({problem})") from None


def replaced(text: str, document: Document, values: Mapping[Path, Json]) -> str:
    """The text with the values at some paths written as JSON in place of what stood there."""
    parts: list[str] = []
    done = 0
    for (start, end), value in sorted((document.spans[path], value) for path, value in values.items()):
        tail = text[start:end]
        parts += [text[done:start], json.dumps(value, ensure_ascii=False), tail[len(tail.rstrip()) :]]
        done = end
    return "".join([*parts, text[done:]])


class _Builder:
    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.spans: dict[Path, tuple[int, int]] = {}
        self.weight = self.end = 0

    def built(self, events: Iterable[Any]) -> Document:
        """The document that the events tell of."""
        for event in events:
            start, end = event.start_mark.index, event.end_mark.index
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                made: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
                self.open.append(_Open(made, self._path(), start, event.anchor, self.weight))
                continue
            if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                one = self.open.pop()
                self.end = max(self.end, end if end > start else self.end)
                self._put(one.value, one.path, one.start, one.anchor, one.before)
                if not self.open:
                    return Document(one.value, self.spans)
            elif isinstance(event, yaml.AliasEvent):
                value, weight = self.anchors.get(event.anchor or "", (None, 0))
                self._weigh(weight)
                self._put(value, self._path(), -1, None, self.weight)
            elif isinstance(event, yaml.ScalarEvent):
                self.end = end
                self._put(_scalar(event), self._path(), start, event.anchor, self.weight)
        raise Unreadable("the text holds no mapping and no list")

    def _weigh(self, more: int) -> None:
        self.weight += more
        if self.weight > MOST:
            raise Unreadable("the text names its parts again and again, and would be far too large")

    def _path(self) -> Path:
        if not self.open:
            return ()
        top = self.open[-1]
        step = len(top.value) if isinstance(top.value, list) else top.key
        return (*top.path[:DEEPEST], step if step is not None else "")

    def _put(self, value: Any, path: Path, start: int, anchor: str | None, before: int) -> None:
        self._weigh(1)
        if anchor:
            self.anchors[anchor] = (value, self.weight - before)
        if not self.open:
            return
        top = self.open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            top.key = value if isinstance(value, str) else str(value)
            return
        else:
            top.value[top.key] = value
            top.key = None
        if start >= 0 and len(path) <= DEEPEST and not anchor:
            self.spans[path] = (start, self.end)


def _scalar(event: yaml.ScalarEvent) -> Any:
    text: str = event.value
    if event.tag == BINARY:
        try:
            return base64.b64decode("".join(text.split()), validate=True)
        except (binascii.Error, ValueError):
            return text
    if not event.implicit[0]:
        return text
    if text in WORDS:
        return WORDS[text]
    found = NUMBER.fullmatch(text)
    if found is None:
        return text
    return float(text) if found[2] or found[3] else int(text)
