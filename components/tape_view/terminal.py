"""Terminal output as people saw it: colors as named runs of text, every other control sequence gone.

Color and weight come from SGR sequences (ECMA-48, section 8.3.117); cursor movement, titles, hyperlinks and
the like are left out, and a carriage return inside a line starts a new one, so that nothing is overwritten.
"""

from __future__ import annotations

import re

from tape.visible import visible

Run = list[str]
_COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
# ECMA-48, section 5.4 (control sequences) and 5.6 (strings); then the two-character escapes.
_SEQUENCE = re.compile(
    r"\x1b\[(?P<sgr>[0-9;:]{0,80})m|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)|\x1b[ -/]*[0-~]"
)
_BACKSPACED = re.compile(r"[^\x08\n]\x08")


def plain(text: str) -> str:
    """The text without control sequences, one kind of line end, acting characters visible."""
    return visible(_SEQUENCE.sub("", _lines(text)))


def runs(text: str) -> list[Run]:
    """The text as runs ``[style]``-less or styled: ``[text]`` or ``[text, "red bold"]``, in order.

    Styles are the eight color names, ``bold``, ``faint``, ``italic`` and ``underline``.
    """
    text = _lines(text)
    found: list[Run] = []
    style: dict[str, str] = {}
    at = 0
    for sequence in _SEQUENCE.finditer(text):
        _add(found, text[at : sequence.start()], style)
        at = sequence.end()
        if (codes := sequence["sgr"]) is not None:
            _restyle(style, codes)
    _add(found, text[at:], style)
    return found


def _lines(text: str) -> str:
    if "\x08" in text:
        text = _BACKSPACED.sub("", text)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _add(found: list[Run], text: str, style: dict[str, str]) -> None:
    if text:
        name = " ".join(sorted(style.values()))
        found.append([visible(text), name] if name else [visible(text)])


def _restyle(style: dict[str, str], codes: str) -> None:
    numbers = [int(code) if code else 0 for code in re.split("[;:]", codes)]
    while numbers:
        code = numbers.pop(0)
        if code in (38, 48):
            # An extended color: its parts are no codes of their own; shown uncolored.
            del numbers[: 4 if numbers[:1] == [2] else 2]
        elif code == 0:
            style.clear()
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style["color"] = _COLORS[code % 10]
        elif code == 39:
            style.pop("color", None)
        elif code in (1, 2):
            style["weight"] = "bold" if code == 1 else "faint"
        elif code == 22:
            style.pop("weight", None)
        elif code in (3, 23):
            style["slant"] = "italic"
            if code == 23:
                del style["slant"]
        elif code in (4, 24):
            style["line"] = "underline"
            if code == 24:
                del style["line"]
