"""The format of earlier answers: finds it, and writes a new answer in the same one.

A format is a JSON object, ``Key: value`` lines, fields between bars, or a bare label. Which word goes
where is learned from the examples themselves: a slot whose values follow the topic of the example
tickets gets the word that the examples use for the new ticket's topic.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tape.endpoint.triage import LEVELS, Triage, triage

KEYED = re.compile(r"^\s*([A-Za-z][\w /-]{0,30}?)(\s*[:=]\s*)(.+?)\s*$")
ROLES = {
    "level": "priority urgency severity level impact",
    "topic": "category type topic team queue area label kind department",
    "gist": "summary subject title issue problem gist description",
    "action": "action next reply response answer step todo fix",
    "number": "id number ticket no",
    "sender": "from sender customer user name",
    "mood": "sentiment mood tone feeling",
}
SCALES = (
    ("low", "medium", "high"),
    ("low", "normal", "high"),
    ("low", "normal", "urgent"),
    ("low", "medium", "critical"),
    ("minor", "normal", "major"),
    ("p3", "p2", "p1"),
    ("3", "2", "1"),
)
"""Words for low, medium and high urgency, as examples may use them."""
MOODS = frozenset({"positive", "negative", "neutral", "happy", "unhappy", "mixed"})


@dataclass(frozen=True, slots=True)
class Example:
    """A question and the answer it got."""

    asked: str
    answered: str


@dataclass(frozen=True, slots=True)
class Format:
    """The shape of an answer: its kind, its keys (or a count of fields), and what stands between them."""

    kind: str
    keys: tuple[str, ...]
    between: str
    joint: str = ": "


def format_of(answer: str) -> Format | None:
    """The format of an answer, or ``None`` for prose."""
    text = answer.strip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and value:
        return Format("json", tuple(value), "\n" if "\n" in text else " ")
    for between in ("\n", " | ", "; ", ", ", ""):
        parts = [part for part in text.split(between) if part.strip()] if between else [text]
        found = [match for part in parts if (match := KEYED.match(part))]
        if len(found) == len(parts) and (len(parts) > 1 or (not between and len(text) < 60)):
            return Format("keyed", tuple(match[1] for match in found), between, found[0][2])
    for between in (" | ", "|", " / ", "; "):
        count = len(text.split(between))
        if count > 1 and "\n" not in text:
            return Format("fields", tuple(str(n) for n in range(count)), between)
    if "\n" not in text and 0 < len(text.split()) <= 3 and not text.endswith((".", "!", "?")):
        return Format("label", ("0",), "")
    return None


def imitate(examples: Sequence[Example], asked: str) -> str | None:
    """An answer to ``asked`` in the format of the last example, or ``None`` when that one is prose
    (or a bare label for something the script has no words about)."""
    shape = format_of(examples[-1].answered) if examples else None
    if shape is None:
        return None
    alike = [e for e in examples if (other := format_of(e.answered)) and other.keys == shape.keys]
    rows = [(triage(e.asked), _values(e.answered, shape)) for e in alike]
    new = triage(asked)
    if (
        shape.kind == "label"
        and _role("0", [(t, v[0]) for t, v in rows]) == "topic"
        and new.topic == "general"
    ):
        return None
    values = [_value(n, key, rows, new) for n, key in enumerate(shape.keys)]
    if shape.kind == "json":
        pairs = dict(zip(shape.keys, values, strict=True))
        return json.dumps(pairs, ensure_ascii=False, indent=2 if shape.between == "\n" else None)
    if shape.kind == "keyed":
        return shape.between.join(f"{k}{shape.joint}{v}" for k, v in zip(shape.keys, values, strict=True))
    return shape.between.join(values)


def _values(answer: str, shape: Format) -> list[str]:
    text = answer.strip()
    if shape.kind == "json":
        return [v if isinstance(v, str) else json.dumps(v) for v in json.loads(text).values()]
    parts = [part for part in text.split(shape.between) if part.strip()] if shape.between else [text]
    if shape.kind == "keyed":
        return [match[3] for part in parts if (match := KEYED.match(part))]
    return [part.strip() for part in parts]


def _value(slot: int, key: str, rows: Sequence[tuple[Triage, list[str]]], new: Triage) -> str:
    column = [(example, values[slot]) for example, values in rows if slot < len(values)]
    examples = [value for _, value in column]
    role = _role(key, column)
    wanted: str = getattr(new, role)
    if role == "number":
        return wanted or str(len(rows) + 1)
    if role in ("gist", "action", "sender"):
        return _cased(wanted or "unknown", examples, words=False)
    for example, value in reversed(column):
        if getattr(example, role) == wanted:
            return value
    return _cased(_level(wanted, examples) if role == "level" else wanted, examples, words=True)


def _role(key: str, column: Sequence[tuple[Triage, str]]) -> str:
    """What a slot holds, as the field of ``Triage`` that fills it: by its key, else by its values."""
    named = next((role for role, words in ROLES.items() if key.lower() in words.split()), None)
    if named is not None:
        return named
    values = [_bare(value) for _, value in column]
    if any(set(values) <= set(scale) for scale in SCALES):
        return "level"
    if set(values) <= MOODS:
        return "mood"
    if all(value.lstrip("#").isdigit() for value in values):
        return "number"
    quoted = all(
        " " in value and value in example.gist.lower()
        for value, (example, _) in zip(values, column, strict=True)
    )
    return "gist" if quoted or any(len(value.split()) > 2 for value in values) else "topic"


def _level(level: str, examples: Sequence[str]) -> str:
    """The level in the words that the examples use: ``P1``, ``urgent``."""
    used = {_bare(value) for value in examples}
    scale = next((scale for scale in SCALES if used <= set(scale)), LEVELS)
    return scale[LEVELS.index(level)]


def _bare(value: str) -> str:
    return value.lower().strip("[]() ")


def _cased(word: str, examples: Sequence[str], *, words: bool) -> str:
    letters = [example for example in examples if any(c.isalpha() for c in example)]
    if words and letters and all(example.isupper() for example in letters):
        return word.upper()
    if letters and all(example[:1].isupper() for example in letters):
        return word[:1].upper() + word[1:]
    if words and letters and all(example.islower() for example in letters):
        return word.lower()
    return word
