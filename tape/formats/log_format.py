"""What the formats have in common whose records are patched: one conversation a file, and one way back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import ClassVar, Literal

from tape.formats.arrays import Path, documents
from tape.formats.base import Conversation, Dumped, Sample
from tape.formats.parts_dump import Form, dump
from tape.model import Json, Place, Session
from tape.records import Source


class LogFormat(ABC):
    """A format that a program writes while it runs and that is not made of other sessions."""

    name: str
    label: str
    written_by: str
    evidence: Literal["files", "documentation"]
    form: ClassVar[Form]

    def dump(self, session: Session) -> Dumped:
        """The file with only what was edited changed in it."""
        return dump(session, self.form)

    @property
    def write(self) -> Callable[[Session], Dumped] | None:
        """The file tells of what a program did; it is not made of other sessions."""
        return None


class FileFormat(LogFormat):
    """Such a format with one conversation a file."""

    @staticmethod
    @abstractmethod
    def load(source: Source) -> Session:
        """The session of a file. Never raises on data."""

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a file."""
        for source in sources:
            title = source.name.removesuffix(".jsonl")
            yield Conversation(title, title, partial(self.load, source), size=len(source.data))


class DocumentFormat(LogFormat):
    """Such a format that holds a list in a document; a file of lines may hold many."""

    @staticmethod
    @abstractmethod
    def find(value: Json) -> tuple[Path, str | None] | None:
        """Where the list of a document stands, and a title where it has one; ``None`` where there is none."""

    @staticmethod
    @abstractmethod
    def load(source: Source, array: Place) -> Session:
        """The session of the list at a place. Never raises on data."""

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a document or line."""
        for source in sources:
            for record, value in documents(source):
                found = self.find(value)
                if found is not None:
                    make = partial(self.load, source, Place(record, found[0]))
                    yield Conversation(str(record), found[1] or source.name, make)


def again(load: Callable[[Source, Place], Session]) -> Callable[[Source, Session], Session | None]:
    """How a changed document is read again: the same list of it as before."""

    def read(source: Source, session: Session) -> Session | None:
        return None if session.base is None else load(source, session.base.extra["array"])

    return read
