"""A title for a conversation that has none: the first words that a person wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from tape.model import Json, Message, Text

LONGEST: Final = 80
LOOKED_AT: Final = 200
BEGINNING: Final = 4_000
SHORT: Final = 400
"""Characters that are enough for a title as a rule."""
_TAGGED = re.compile(r"<([a-z][\w-]*)>.*?</\1>", re.DOTALL)


def title_of(entries: Iterable[Json]) -> str:
    """The beginning of the first user text among entries with role and content, else of any text."""
    fallback = ""
    for entry in islice(entries if isinstance(entries, Iterable) else (), LOOKED_AT):
        if not isinstance(entry, dict):
            continue
        words = shortened(_words(entry.get("content")))
        if entry.get("role") == "user" and words:
            return words
        if entry.get("role") != "system":
            fallback = fallback or words
    return fallback


def title_of_messages(messages: Iterable[Message]) -> str:
    """The beginning of the first user text among messages, else of any text but the system's."""
    fallback = ""
    for entry in islice(messages, LOOKED_AT):
        if entry.role == "system" or not any(head.kind == "text" for head in entry.heads):
            continue
        words = shortened("\n".join(b.text for b in entry.blocks if isinstance(b, Text) and not b.injected))
        if entry.role == "user" and words:
            return words
        fallback = fallback or words
    return fallback


def shortened(text: str) -> str:
    """One line of at most 80 characters, without what programs wrap in tags."""
    begin = text[:BEGINNING]
    if "<" in begin:
        clean = " ".join(_TAGGED.sub(" ", begin).split()) or " ".join(begin.split())
    elif len(clean := " ".join(begin[:SHORT].split())) <= LONGEST:
        clean = " ".join(begin.split())
    return clean if len(clean) <= LONGEST else clean[: LONGEST - 1].rstrip() + "…"


def _words(content: Json) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
