"""Spans of a trace, in whichever of their forms a file has them: who they are, and their attributes by name.

OTLP keeps attributes as a list of typed values, consoles and Phoenix as an object (flat or nested), Jaeger as
tags. What an attribute means is the business of the formats. Facts: formats.md 9.2 of the project's notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tape.formats.arrays import Path, at
from tape.formats.parts import below, word
from tape.model import Json, Place
from tape.records import loads

IDS: Final = ("spanId", "span_id", "spanID")
TRACES: Final = ("traceId", "trace_id", "traceID")
PARENTS: Final = ("parentSpanId", "parent_span_id", "parent_id", "parentId")
STARTS: Final = ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")
SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
HOLDERS: Final = ("attributes", "tags")
TYPED: Final = ("stringValue", "boolValue", "doubleValue", "string_value")
LISTS: Final = ("resourceSpans", "resource_spans", *SCOPES, "spans", "data")
DEPTH: Final = 6


@dataclass(slots=True)
class Span:
    """A span: its ids as written, its start as written (nanoseconds or a text), its attributes by their
    dotted names; ``raw`` is the object at ``place``."""

    id: str
    trace: str
    parent: str | None
    name: str
    start: str
    place: Place
    raw: Mapping[str, Json]
    attributes: dict[str, Json] = field(default_factory=dict)
    events: list[tuple[str, dict[str, Json]]] = field(default_factory=list)
    _parsed: dict[str, Json] = field(default_factory=dict)
    _paths: dict[str, Path] = field(default_factory=dict)

    def parsed(self, name: str) -> Json:
        """An attribute's value; JSON where it is a string that holds JSON (a cut one stays a string)."""
        if name not in self._parsed:
            self._parsed[name] = _loaded(self.attributes.get(name))
        return self._parsed[name]

    def place_of(self, name: str) -> Place | None:
        """Where an attribute stands in the file as the value it is; ``None`` where it is put together."""
        if not self._paths:
            for key in HOLDERS:
                for attribute, _, path in _attributes(self.raw.get(key), (key,)):
                    if path is not None:
                        self._paths[attribute] = path
        path = self._paths.get(name)
        return None if path is None else below(self.place, *path)

    def first(self, *names: str) -> Json:
        """The value of the first of these attributes that there is."""
        return next((self.attributes[name] for name in names if name in self.attributes), None)


def _loaded(value: Json) -> Json:
    if isinstance(value, str) and value[:64].lstrip()[:1] in ("{", "[", '"'):
        try:
            return loads(value)
        except ValueError:
            return value
    return value


def looks_like_spans(document: Json) -> bool:
    """Whether a value is a document of spans, a list of them or one."""
    if isinstance(document, list):
        return any(map(_is_span, document[:20]))
    if not isinstance(document, dict):
        return False
    if any(isinstance(document.get(key), list) for key in ("resourceSpans", "resource_spans")):
        return True
    jaeger = at(document, ("data", 0, "spans"))
    listed = document.get("spans")
    return _is_span(document) or isinstance(jaeger, list) or (isinstance(listed, list) and _any_span(listed))


def _any_span(values: list[Json]) -> bool:
    return any(map(_is_span, values[:20]))


def _is_span(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("attributes"), dict | list):
        return False
    return any(key in value for key in ("context", "spanContext", *IDS, *TRACES))


def names(records: Iterable[Json]) -> Iterator[str]:
    """The names of the attributes and events of every span, each once, without reading what they hold."""
    seen: set[str] = set()
    for span in (span for record in records for span, _ in _found(record)):
        events: Any = span.get("events")
        here = {word(event, "name") or "" for event in (events if isinstance(events, list) else ())}
        for key in HOLDERS:
            if key in span:
                here |= _keys(span[key])
        if not here <= seen:
            yield from here - seen
            seen |= here


def _keys(value: Json) -> set[str]:
    if isinstance(value, list):
        return {key for one in value if (key := word(one, "key")) is not None}
    found = set(value) if isinstance(value, dict) else set()
    for key, held in value.items() if isinstance(value, dict) else ():
        if isinstance(held, dict):
            found |= {f"{key}.{inner}" for inner in _keys(held)}
    return found


def spans(records: Iterable[tuple[int, Json]]) -> list[Span]:
    """Every span of a file, in order. Never raises on data."""
    return [_span(span, Place(record, path)) for record, value in records for span, path in _found(value)]


def _found(value: Json) -> Iterator[tuple[dict[str, Json], Path]]:
    """The objects at and below a value that are spans, and their paths, in the order of the document."""
    waiting: list[tuple[Json, Path]] = [(value, ())]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, list):
            inner = [(one, (*path, i)) for i, one in enumerate(value)] if len(path) < DEPTH else []
        elif not isinstance(value, dict):
            continue
        elif _is_span(value) or "tags" in value or ("name" in value and any(key in value for key in IDS)):
            yield value, path
            continue
        else:
            inner = [(value[key], (*path, key)) for key in LISTS if key in value] if len(path) < DEPTH else []
        waiting += reversed(inner)


def _span(value: Mapping[str, Json], place: Place) -> Span:
    context = next((value[k] for k in ("context", "spanContext") if isinstance(value.get(k), dict)), value)
    parent = _named(value, PARENTS) or _named(at(value, ("parent",)), IDS) or _reference(value)
    name = word(value, "name") or word(value, "operationName") or ""
    start = next((value[key] for key in STARTS if value.get(key) is not None), "")
    ids = _named(context, IDS) or "", _named(context, TRACES) or ""
    span = Span(*ids, parent, name, str(start), place, value)
    for key in HOLDERS:
        span.attributes |= _held(value.get(key))
    events: Any = value.get("events")
    for event in events if isinstance(events, list) else ():
        span.events.append((word(event, "name") or "", _held(at(event, ("attributes",)))))
    return span


def _named(value: Json, keys: Iterable[str]) -> str | None:
    for key in keys:
        if found := word(value, key):
            return found
    return None


def _reference(value: Mapping[str, Json]) -> str | None:
    """The parent as Jaeger tells it."""
    references: Any = value.get("references")
    for one in references if isinstance(references, list) else ():
        if word(one, "refType") == "CHILD_OF":
            return word(one, "spanID")
    return None


def _held(value: Json) -> dict[str, Json]:
    """The attributes that a value spells, by their names."""
    if not isinstance(value, list):
        return {name: held for name, held, _ in _attributes(value, ())}
    return {key: _typed(one.get("value"))[0] for one in value if (key := word(one, "key")) is not None}


def _attributes(value: Json, path: Path) -> Iterator[tuple[str, Json, Path | None]]:
    """The attributes that a value at a path spells: name, value, and the path where it stands as it is."""
    if isinstance(value, list):
        for i, one in enumerate(value):
            key = word(one, "key")
            if key is not None:
                held, inner = _typed(one.get("value"))
                yield key, held, None if inner is None else (*path, i, "value", *inner)
    elif isinstance(value, dict):
        yield from _flat(value, path, "", 0)


def _typed(value: Json) -> tuple[Json, tuple[str, ...] | None]:
    """The value of an OTLP attribute and the steps to where it stands; ``None`` where it is put together."""
    if not isinstance(value, dict):
        return value, ()
    for key in TYPED:
        if key in value:
            return value[key], (key,)
    number = value.get("intValue")
    if number is not None:
        return (int(number) if isinstance(number, str) and number.lstrip("-").isdigit() else number), None
    listed = at(value, ("arrayValue", "values"))
    if isinstance(listed, list):
        return [_typed(one)[0] for one in listed], None
    pairs = at(value, ("kvlistValue", "values"))
    if isinstance(pairs, list):
        named = ((word(one, "key"), one) for one in pairs)
        return {key: _typed(one.get("value"))[0] for key, one in named if key}, None
    return None, None


def _flat(
    value: Mapping[str, Json], path: Path, prefix: str, depth: int
) -> Iterator[tuple[str, Json, Path | None]]:
    """The attributes of an object; those that are nested get dotted names too."""
    for key, held in value.items():
        name = f"{prefix}{key}"
        yield name, held, (*path, key)
        if isinstance(held, dict) and depth < DEPTH:
            yield from _flat(held, (*path, key), f"{name}.", depth + 1)


def innermost(found: Iterable[Span], chosen: Iterable[Span]) -> list[Span]:
    """The chosen spans that have no chosen one below them, by their start: what an outer one says of its
    tokens, an inner one says again."""
    parents = {(span.trace, span.id): span.parent for span in found if span.id}
    picked = list(chosen)
    above: set[tuple[str, str]] = set()
    for span in picked:
        parent, steps = span.parent, 0
        while parent and (span.trace, parent) not in above and steps < 1_000:
            above.add((span.trace, parent))
            parent, steps = parents.get((span.trace, parent)), steps + 1
    inner = [span for span in picked if (span.trace, span.id) not in above]
    return sorted(inner, key=lambda span: _moment(span.start))


def _moment(start: str) -> tuple[int, str]:
    """Nanoseconds by their number, other times by their text."""
    return (int(start), "") if start.isdigit() else (0, start)
