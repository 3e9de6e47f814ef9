"""Which files, tickets and functions a question names."""

from __future__ import annotations

import re

FILE = re.compile(
    r"(?<![\w/.])((?:[\w-]+/|\./)*[\w-]+(?:\.[\w-]+)*"
    r"\.(?:py|txt|md|json|toml|ya?ml|cfg|ini|csv|log|js|ts|html|css|sh|rs|go|java|c|h))\b"
)
TICKET = re.compile(r"\btickets?\s*(?:no\.?|number)?\s*#?\s*(\d+(?:(?:\s*,\s*|\s*(?:and|&)\s*)#?\d+)*)", re.I)
FUNCTION = (
    re.compile(r"`?\b([A-Za-z_]\w*)`?\s+function\b"),
    re.compile(r"\bfunction\s+`?([A-Za-z_]\w*)`?"),
    re.compile(r"\b([A-Za-z_]\w*)\(\)"),
)
SMALL_WORDS = "the this that a an my your each every which what in is of to and same"


def files(text: str) -> list[str]:
    """The files that a text names, in order and once each; ``ticket 2`` stands for ``ticket-2.txt``."""
    found = {match.start(): [match[1].removeprefix("./")] for match in FILE.finditer(text)}
    for match in TICKET.finditer(text):
        found[match.start()] = [f"ticket-{number}.txt" for number in re.findall(r"\d+", match[1])]
    return list(dict.fromkeys(path for start in sorted(found) for path in found[start]))


def function(text: str) -> str | None:
    """The function that a text asks about (``the add function``, ``add()``), or ``None``."""
    for pattern in FUNCTION:
        for match in pattern.finditer(text):
            if match[1].lower() not in SMALL_WORDS.split():
                return match[1]
    return None


def closest(path: str, listing: tuple[str, ...]) -> str | None:
    """The listed file that ``path`` most likely means: same name elsewhere, or same words and number."""
    name = path.rsplit("/", 1)[-1]
    for listed in listing:
        if listed.rsplit("/", 1)[-1].lower() == name.lower():
            return listed
    wanted = _words(name)
    return next((listed for listed in listing if wanted <= _words(listed)), None)


def _words(path: str) -> set[str]:
    stem = path.rsplit(".", 1)[0].lower()
    return {part.lstrip("0") or "0" for part in re.findall(r"[a-z]+|\d+", stem)}
