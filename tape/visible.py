"""Making characters visible that would otherwise act: on a terminal, on the direction of text, or by hiding.

For text that is shown to a person; secrets in it are masked (``tape.secrets``). What is stored, sent or
written to a file keeps the original characters.
"""

from __future__ import annotations

import re

from tape.secrets import shown

# C0 and C1 controls, DEL, soft hyphen, zero-width and direction characters, line and paragraph separators,
# the byte order mark, tag characters (Unicode 15.1, chapter 23).
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_BREAKS = re.compile(r"[\t\n]+")


def visible(text: str) -> str:
    """The text with every acting character written as ``<U+202E>`` and every secret masked; tabs and line
    ends stay."""
    return _ACTING.sub(lambda found: f"<U+{ord(found[0]):04X}>", shown(text))


def one_line(text: str) -> str:
    """The text as a single visible line: runs of tabs and line ends become one space."""
    return visible(_BREAKS.sub(" ", text))


def json_escaped(document: str) -> str:
    """A JSON document with every acting character inside its strings as a ``\\u`` escape: the same values."""

    def escape(found: re.Match[str]) -> str:
        units = found[0].encode("utf-16-be")
        return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))

    return _ACTING.sub(escape, document)
