"""LangChain: lists of its messages, dumped in any of its forms, and the states of LangGraph that hold some.

How a message is read is in ``langchain_parts``; the runs of LangSmith are another format. Facts: formats.md
9.1 of the project's notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import ClassVar, Final, Literal

from tape.formats.arrays import Path, at, documents
from tape.formats.base import Conversation, Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.langchain_parts import is_marked
from tape.formats.langchain_take import make, take, take_all
from tape.formats.log_format import LogFormat
from tape.formats.parts import below
from tape.formats.parts_dump import Form
from tape.model import Json, Place, Session
from tape.records import Source

NAME: Final = "langchain"
DEPTH: Final = 5
_HOLDERS: Final = frozenset((dict, list))


class LangChain(LogFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "LangChain messages"
    written_by = "applications that dump messages of LangChain or states of LangGraph"
    evidence: Literal["files", "documentation"] = "documentation"
    form: ClassVar[Form]

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by messages of type human or ai, or dumped with their class."""
        if any(map(is_marked, sample.records)) or any(map(_holds_messages, sample.records[:20])):
            return Guess(3, "messages of type human or ai, or dumped with their class")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a list of messages, the longest first; or the lines of a file."""
        for source in sources:
            found = [
                (len(at(value, path)), Place(record, path))
                for record, value in documents(source)
                for path in arrays(value)
            ]
            for _, place in sorted(found, key=lambda one: -one[0]):
                id = "/".join(map(str, (place.record, *place.path)))
                yield Conversation(id, source.name, partial(load, source, place))
            if not found:
                yield Conversation("0", source.name, partial(load, source, None))


def _holds_messages(value: Json) -> bool:
    """Whether a document has any list of messages."""
    level: list[Json] = [value] if value.__class__ in _HOLDERS else []
    for _ in range(DEPTH + 1):
        inner: list[Json] = []
        for one in level:
            if one.__class__ is dict:
                inner += one.values()
            elif any(map(is_marked, one[:400])):
                return True
            else:
                inner += one[:50]
        level = [one for one in inner if one.__class__ in _HOLDERS]
    return False


def arrays(value: Json) -> Iterator[Path]:
    """The paths of the lists of messages in a document, in its order."""
    waiting: list[tuple[Path, Json]] = [((), value)]
    while waiting:
        path, value = waiting.pop()
        steps: Iterable[tuple[str | int, Json]] = ()
        if isinstance(value, dict):
            steps = value.items()
        elif isinstance(value, list):
            if any(map(is_marked, value[:400])):
                yield path
                continue
            steps = enumerate(value[:400])
        if len(path) < DEPTH:
            inner = [((*path, step), one) for step, one in steps if one.__class__ in _HOLDERS]
            waiting += reversed(inner)


def load(source: Source, array: Place | None) -> Session:
    """The session of a list of messages (``None``: the lines of the file). Never raises on data."""
    g = Gathering(source, NAME, array=array)
    if array is None and source.container != "json":
        for i, value in g.lines():
            take(g, Place(i), value)
    elif array is None:
        take(g, Place(0), source.document)
    else:
        entries = at(source.held(array.record), array.path)
        several = entries if isinstance(entries, list) else []
        take_all(g, ((below(array, i), value) for i, value in enumerate(several)))
    return g.session()


def _again(source: Source, session: Session) -> Session | None:
    return load(source, session.base.extra["array"] if session.base else None)


LangChain.form = Form("A list of LangChain messages", _again, make)
