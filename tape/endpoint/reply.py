"""What a skill answers: lines of text and requests for tools. It holds no wording of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to say: an English template and the values that fill it.

    The template is kept apart from its values so that the manner of speaking
    (another language, only the first line) can be chosen after the skill has decided what to say.
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    item: bool = False
    """One of several things of the same kind, such as one file of those that were read."""
    polite: bool = False
    """Said around the answer: the first to go where an answer has to be brief."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A tool call the model wants made: the tool's declared name and its input object."""

    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer. ``asks`` makes it a tool turn; without them it ends the turn.

    ``bare`` is the answer in as few characters as possible ("12"), used when the system prompt wants
    nothing else. ``thought`` is what a thinking block says when the request asks for thinking.
    """

    lines: tuple[Line, ...] = ()
    asks: tuple[Ask, ...] = ()
    bare: str | None = None
    thought: str = ""


def line(template: str, **values: object) -> Line:
    """A ``Line`` from its template and the values that fill it."""
    return Line(template, values)


def item(one: Line) -> Line:
    """The same line as one of a list."""
    return replace(one, item=True)


def polite(one: Line) -> Line:
    """The same line as one that a brief answer does without."""
    return replace(one, polite=True)


def verbatim(text: str) -> Line:
    """A ``Line`` that says ``text`` as it stands, in every language."""
    return Line("{text}", {"text": text})
