"""How an answer is said: its language, its length and its tone, as the array asks for them.

The system prompt sets the manner, and a later message may change it. A skill decides what to say;
this file never adds to it or changes it, it only says it otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tape.endpoint.phrases import PHRASES
from tape.endpoint.reply import Line, Reply
from tape.endpoint.seen import Seen

Language = Literal["en", "de", "fr", "es"]

LANGUAGES: dict[str, Language] = {
    "english": "en",
    "german": "de",
    "deutsch": "de",
    "french": "fr",
    "français": "fr",
    "spanish": "es",
    "español": "es",
}
NAMED = "|".join(LANGUAGES)
SPEAK = re.compile(
    rf"\b(?:answer|reply|respond|speak|write|talk|antworte|sprich|réponds|responde)\b"
    rf"[^.\n]{{0,40}}?\b({NAMED})\b",
    re.I,
)
BRIEF = re.compile(
    r"\b(brief(?:ly)?|concise(?:ly)?|short(?:ly)?|terse(?:ly)?|(?:one|a single) sentence)\b", re.I
)
BARE = re.compile(
    r"\b((?:one|a single) word|only the (?:answer|number|result|name)|just the (?:answer|number|result))\b",
    re.I,
)
SHOUT = re.compile(r"\b(all caps|capital letters|upper ?case|shout)\b", re.I)
PIRATE = re.compile(r"\bpirate\b", re.I)
OWN_NAME = re.compile(
    r"\b[Yy]our name is ([A-Z][\w'’-]{0,30})"
    r"|\b[Yy]ou are (?:called |named )?([A-Z][\w'’-]{0,30}(?: [A-Z]\w+)?)"
    r"|\bcall yourself ([A-Z][\w'’-]{0,30})"
)


@dataclass(frozen=True, slots=True)
class Manner:
    """The chosen way of speaking."""

    language: Language = "en"
    length: Literal["full", "brief", "bare"] = "full"
    shout: bool = False
    pirate: bool = False


def manner(seen: Seen) -> Manner:
    """The manner that the system prompt asks for, or that a later user message changed."""
    system = seen.system
    named = re.findall(rf"\b({NAMED})\b", system, re.I)
    for said in seen.by("user"):
        named += SPEAK.findall(said.text)
    return Manner(
        language=LANGUAGES[named[-1].lower()] if named else "en",
        length="bare" if BARE.search(system) else "brief" if BRIEF.search(system) else "full",
        shout=bool(SHOUT.search(system)),
        pirate=bool(PIRATE.search(system)),
    )


def own_name(seen: Seen) -> str | None:
    """The name that the system prompt gives the model, or ``None``."""
    match = OWN_NAME.search(seen.system)
    return None if match is None else next(group for group in match.groups() if group)


def say(reply: Reply, how: Manner) -> str:
    """The words of a reply in a manner. A tool call keeps at most one line before it."""
    if how.length == "bare" and (reply.bare is not None or reply.asks):
        bare = reply.bare or ""
        text = "" if reply.asks else PHRASES.get(how.language, {}).get(bare, bare)
    else:
        items = tuple(one for one in reply.lines if one.item)
        first = tuple(one for one in reply.lines if not one.polite)[:1]
        lines = reply.lines if how.length == "full" else items or first or reply.lines[:1]
        dash = "- " if len(items) > 1 else ""
        text = _joined([f"{dash if one.item else ''}{_line(one, how.language)}" for one in lines])
    if how.pirate and text and not reply.asks:
        text = f"Arr!\n{text}" if text.startswith("- ") else f"Arr! {text}"
    return text.upper() if how.shout else text


def _line(one: Line, language: Language) -> str:
    table = PHRASES.get(language, {})
    values = {key: table.get(v, v) if isinstance(v, str) else v for key, v in one.values.items()}
    return table.get(one.template, one.template).format(**values)


def _joined(lines: list[str]) -> str:
    """Lines as one paragraph; items of a list stand on lines of their own."""
    text = ""
    for one in lines:
        between = "\n" if one.startswith("- ") or "\n" in one else " "
        text = f"{text}{between}{one}" if text else one
    return text
