"""Messages that spans keep as flat attributes (``llm.input_messages.0.message.role``), in the form of OpenAI.

OpenInference and older OpenTelemetry instrumentations write them so. A value that was changed goes back to
the one attribute that holds it; what has no attribute of its own cannot be changed there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from tape.formats.arrays import Path
from tape.formats.exchanges import Held
from tape.formats.parts import below, word
from tape.formats.spans import Span
from tape.json_text import Edit, Set, same
from tape.model import Json, Place
from tape.records import loads

LONGEST_LIST: Final = 200_000
MOST: Final = 100_000
ROLES: Final = {"human": "user", "ai": "assistant", "model": "assistant", "function": "tool"}


def nowhere() -> dict[Path, Place]:
    """The places of leaves where none is known."""
    return {}


@dataclass(frozen=True, slots=True)
class Told:
    """A value put together from attributes; ``homes`` finds the place of each of its leaves that has one,
    which only an edit asks for."""

    value: Json
    homes: Callable[[], dict[Path, Place]] = nowhere

    def held(self, above: Mapping[str, Json], under: Path) -> Held:
        """A body that holds the value under this path, and what is to change in the file for another."""
        body = dict(above)

        def edits(new: Json) -> Sequence[tuple[int, Edit]] | None:
            homes = {(*under, *path): place for path, place in self.homes().items()}
            return leaf_edits(body, new, homes)

        return Held(body, edits=edits)

    def first(self) -> Told:
        """The first item of a list."""

        def homes() -> dict[Path, Place]:
            return {path[1:]: place for path, place in self.homes().items() if path[0] == 0}

        return Told(self.value[0], homes)


def leaf_edits(old: Json, new: Json, homes: Mapping[Path, Place]) -> Sequence[tuple[int, Edit]] | None:
    """What to change where only leaves differ that have a place; ``None`` where anything else does."""
    before, after = dict(_leaves(old, ())), dict(_leaves(new, ()))
    if before.keys() != after.keys():
        return None
    differ = [path for path, value in before.items() if not same(value, after[path])]
    if any(path not in homes for path in differ):
        return None
    return [(homes[path].record, Set(homes[path].path, after[path])) for path in differ]


def _leaves(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from _leaves(one, (*path, key))
    elif isinstance(value, list) and value:
        for i, one in enumerate(value):
            yield from _leaves(one, (*path, i))
    else:
        yield path, value


def listed(span: Span, prefix: str) -> Told:
    """The list that the attributes under a prefix spell, its numbers sorted as numbers."""
    tree: dict[str, Any] = {}
    for steps, value, _, _ in _spelled_out(span, prefix):
        _plant(tree, steps, value)

    def homes() -> dict[Path, Place]:
        known: dict[int, dict[str, int]] = {}
        return {
            _path(tree, steps, known): below(place, *path)
            for steps, _, name, path in _spelled_out(span, prefix)
            if (place := span.place_of(name)) is not None
        }

    return Told(_grown(tree), homes)


def _spelled_out(span: Span, prefix: str) -> Iterator[tuple[Sequence[str], Json, str, Path]]:
    """The leaves under a prefix: their steps, their value, the attribute that holds it and the path in it."""
    own = span.attributes.get(prefix)
    if isinstance(own, list):
        for path, value in islice(_leaves(own, ()), MOST):
            yield [part for step in path for part in str(step).split(".")], value, prefix, path
        return
    start = f"{prefix}."
    for name, value in span.attributes.items():
        if name.startswith(start) and not isinstance(value, dict):
            yield name[len(start) :].split("."), value, name, ()


def _plant(tree: dict[str, Any], steps: Sequence[str], value: Json) -> None:
    for step in steps[:-1]:
        inner = tree.get(step)
        if not isinstance(inner, dict):
            inner = tree[step] = {}
        tree = inner
    tree[steps[-1]] = value


def _is_list(tree: Mapping[str, Any]) -> bool:
    return bool(tree) and all(map(str.isdigit, tree))


def _grown(tree: Json) -> Json:
    """A tree with the lists that its numbers are."""
    if tree.__class__ is not dict:
        return tree
    if _is_list(tree):
        keys = tree if len(tree) == 1 else sorted(tree, key=int)
        return [_grown(tree[key]) for key in keys]
    return {key: _grown(value) if value.__class__ is dict else value for key, value in tree.items()}


def _path(tree: Json, steps: Sequence[str], known: dict[int, dict[str, int]]) -> Path:
    """The path of a leaf once numbers have become places in lists; ``known`` keeps those of each list."""
    path: list[str | int] = []
    for step in steps:
        if id(tree) not in known:
            listed = isinstance(tree, dict) and _is_list(tree)
            known[id(tree)] = {one: i for i, one in enumerate(sorted(tree, key=int))} if listed else {}
        path.append(known[id(tree)].get(step, step))
        tree = tree.get(step) if isinstance(tree, dict) else None
    return tuple(path)


def openai_messages(told: Told) -> Told:
    """The messages in the form of OpenAI, with the places of their leaves."""

    def homes() -> dict[Path, Place]:
        made: dict[Path, Place] = {}
        _messages(told.value, told.homes(), made)
        return made

    return Told(_messages(told.value, {}, {}), homes)


def _messages(value: Json, old: Mapping[Path, Place], new: dict[Path, Place]) -> list[Json]:
    """The messages; where their leaves stand is taken from ``old`` to ``new``."""
    made: list[Json] = []
    for i, item in enumerate(value if isinstance(value, list) else ()):
        outer: Path = ("message",) if isinstance(item, dict) and isinstance(item.get("message"), dict) else ()
        message = item.get("message") if outer else item
        if isinstance(message, dict):
            made.append(_message(message, _Homes(old, new, (i, *outer), (len(made),))))
    return made


@dataclass(slots=True)
class _Homes:
    """Takes the places of leaves along from one form to the other."""

    told: Mapping[Path, Place]
    made: dict[Path, Place]
    old: Path
    new: Path

    def move(self, old: Path, new: Path) -> None:
        place = self.told.get((*self.old, *old)) if self.told else None
        if place is not None:
            self.made[(*self.new, *new)] = place


def _message(given: Mapping[str, Json], homes: _Homes) -> dict[str, Any]:
    role = word(given, "role") or "user"
    made: dict[str, Any] = {"role": ROLES.get(role, role)}
    content = given.get("content")
    contents: Any = given.get("contents")
    if isinstance(contents, list):
        made["content"] = [_content(one, i, homes) for i, one in enumerate(contents)]
    elif isinstance(content, str):
        parts = _spelled(content)
        made["content"] = content if parts is None else parts
        if parts is None:
            homes.move(("content",), ("content",))
    else:
        made["content"] = content
    calls: Any = given.get("tool_calls")
    if isinstance(calls, list) and calls:
        made["tool_calls"] = [_call(one, i, homes) for i, one in enumerate(calls)]
    for key in ("tool_call_id", "name"):
        if word(given, key):
            made[key] = given[key]
            homes.move((key,), (key,))
    return made


def _spelled(content: str) -> list[dict[str, Any]] | None:
    """The parts of a content that some agents write as a list in a string, ``None`` for plain text."""
    text = content.strip()
    if not (text.startswith("[{") and text.endswith("}]")) or len(text) > LONGEST_LIST:
        return None
    try:
        value = loads(text)
    except ValueError:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    typed = isinstance(value, list) and all(isinstance(one, dict) and word(one, "type") for one in value)
    return value if typed else None


def _content(item: Json, i: int, homes: _Homes) -> dict[str, Any]:
    inner = item.get("message_content") if isinstance(item, dict) else None
    outer: Path = ("message_content",) if isinstance(inner, dict) else ()
    part: Any = inner if outer else item
    if not isinstance(part, dict):
        return {"type": "text", "text": part if isinstance(part, str) else ""}
    url = _deep(part, ("image", "image", "url"), ("image", "url"))
    if isinstance(url, str):
        return {"type": "image_url", "image_url": {"url": url}}
    homes.move(("contents", i, *outer, "text"), ("content", i, "text"))
    return {"type": word(part, "type") or "text", **({"text": part["text"]} if "text" in part else {})}


def _deep(value: Any, *paths: tuple[str, ...]) -> Json:
    for path in paths:
        found = value
        for step in path:
            found = found.get(step) if isinstance(found, dict) else None
        if found is not None:
            return found
    return None


def _call(item: Json, i: int, homes: _Homes) -> dict[str, Any]:
    outer: Path = ("tool_call",) if isinstance(item, dict) and isinstance(item.get("tool_call"), dict) else ()
    call: Any = item.get("tool_call") if outer else item
    inside: Path = ("function",) if isinstance(call, dict) and isinstance(call.get("function"), dict) else ()
    function: Any = call.get("function") if inside else call
    made: dict[str, Any] = {"type": "function", "function": {}}
    if word(call, "id"):
        made = {"id": call["id"], **made}
        homes.move(("tool_calls", i, *outer, "id"), ("tool_calls", i, "id"))
    for key in ("name", "arguments"):
        value = function.get(key) if isinstance(function, dict) else None
        made["function"][key] = value if value is not None else ""
        homes.move(("tool_calls", i, *outer, *inside, key), ("tool_calls", i, "function", key))
    return made
