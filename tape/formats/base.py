"""What a transcript format is: the protocol that every file in this folder fulfils, and what reading is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from tape.model import Json, Session
from tape.notes import Note
from tape.records import Source

Container = Literal["json", "jsonl", "sse", "zip", "text"]


@dataclass(frozen=True, slots=True)
class Sample:
    """What detection may look at: never more than the first 400 records, or the one parsed document.

    ``document`` is the value for ``json``, of a list 400 of its items; ``records`` are parsed lines or
    events for ``jsonl`` and ``sse``; ``text`` is the first 64,000 characters; ``name`` the file's name, for
    hints and messages only.
    """

    container: Container
    name: str
    text: str
    document: Json = None
    records: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Guess:
    """How sure a format is: 1 a hint, 2 the structure fits, 3 a marker only this format has; and why."""

    score: int
    why: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """One of the conversations of a file, not loaded yet. ``date`` is ISO text, ``size`` the bytes that it
    takes in the file, both only where they are known without loading it."""

    id: str
    title: str
    load: Callable[[], Session]
    date: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading a source gave: the format with its reasons, and one or more conversations to load."""

    format: str
    confidence: int
    why: str
    conversations: Sequence[Conversation]
    notes: tuple[Note, ...] = ()
    runners_up: tuple[tuple[str, Guess], ...] = ()


@dataclass(frozen=True, slots=True)
class Dumped:
    """Bytes in a format, and what that format could not carry."""

    data: bytes
    losses: tuple[Note, ...] = ()


class Format(Protocol):
    """A transcript format. Stateless; one file each; registered in ``tape.formats.FORMATS`` in order of
    detection. ``evidence`` says whether it was proven on real files or built from documentation only.

    ``read`` never raises on data. ``dump`` is only called for a session that was read in this format and then
    changed, and patches its source; ``write`` builds a document from any session, or is ``None`` where the
    format cannot be written.
    """

    name: str
    label: str
    written_by: str
    evidence: Literal["files", "documentation"]

    def sniff(self, sample: Sample) -> Guess | None: ...

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]: ...

    def dump(self, session: Session) -> Dumped: ...

    @property
    def write(self) -> Callable[[Session], Dumped] | None: ...


@runtime_checkable
class BringsFiles(Protocol):
    """A format whose transcripts may lie in several files: opening one by its path opens the others too."""

    def companions(self, path: Path) -> tuple[Path, ...]: ...
