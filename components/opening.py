"""Opening transcripts for the page: each is read once for everyone, and a session knows where it came from.

Reading itself is ``tape.read``; the widgets are in ``components.source``. What was read is immutable, shared
by all who have the same bytes open, and let go with the last of them.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from streamlit import config

import tape
from components.sharing import Shared
from tape.containers import open_all
from tape.errors import UserError
from tape.formats.base import Reading
from tape.listing import Counts
from tape.model import Session
from tape.records import Source
from tape.samples import SampleSession

Kind: TypeAlias = Literal["sample", "upload", "paste", "path", "new"]
Key: TypeAlias = tuple[tuple[str, str], ...]
FROZEN_FROM = 2_000
"""Messages from which on a session is worth taking out of the collection of garbage."""


@dataclass(frozen=True)
class Opened:
    """What was handed over, unpacked, and what was read from it.

    ``counts`` are the sizes of its conversations, by their numbers, as far as the list has shown them.
    """

    inputs: tuple[Path | Source, ...]
    reading: Reading
    counts: dict[int, Counts | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the session on the page came from.

    ``opened`` is ``None`` for a session that was started here. ``chosen`` is the format that the user
    insisted on, ``index`` the conversation that is open, ``sample`` the index entry where it is one of ours.
    """

    kind: Kind
    name: str
    opened: Opened | None = None
    key: Key = ()
    index: int = 0
    chosen: str | None = None
    sample: SampleSession | None = None

    @property
    def reading(self) -> Reading | None:
        """What was read; ``None`` for a session that was started here."""
        return None if self.opened is None else self.opened.reading

    @property
    def inputs(self) -> tuple[Path | Source, ...]:
        """What was read from: paths, or what was unpacked from uploaded bytes."""
        return () if self.opened is None else self.opened.inputs

    def load(self) -> Session:
        """The open conversation. Raises ``UserError`` where there is none."""
        reading = self.reading
        if reading is None:
            return Session(messages=(), title=self.name)
        key = (self.key, self.chosen, self.index)
        return _SESSIONS.get(key, lambda: _loaded(reading, self.index))

    def at(self, index: int) -> Origin:
        """The same file with another of its conversations open."""
        return replace(self, index=index)

    def as_format(self, name: str | None) -> Origin:
        """The same file read in another format; ``None`` goes back to the detected one."""
        inputs = self.inputs
        again = _FILES.get((self.key, name), lambda: Opened(inputs, _reading(inputs, self.name, name)))
        return replace(self, opened=again, chosen=name, index=0)


def from_sample(sample: SampleSession) -> Origin:
    """Opens one of our samples."""
    return replace(_open("sample", sample.title, [_stamped(path) for path in sample.files]), sample=sample)


def from_bytes(kind: Literal["upload", "paste"], files: Sequence[tuple[str, bytes]]) -> Origin:
    """Opens what was uploaded or pasted: names and bytes. Raises ``UserError`` where nothing can be shown."""
    named = [((name, hashlib.blake2b(data, digest_size=16).hexdigest()), data, name) for name, data in files]
    return _open(kind, files[0][0], named)


def from_path(text: str) -> Origin:
    """Opens a file of this machine. Raises ``UserError`` where it is not there or paths are not allowed."""
    if not paths_allowed():
        raise UserError(
            "Opening a path is off, because this server may be reached by others.",
            do="Upload the file, or set TAPEDECK_ALLOW_PATHS=1 where the server starts.",
        )
    path = Path(text.strip().strip("'\"")).expanduser()
    if not path.is_file():
        raise UserError("There is no file at this path.", where=path.name, do="Check the path.")
    return _open("path", path.name, [_stamped(path)])


def paths_allowed() -> bool:
    """Whether files of this machine may be opened: only where the server listens to this machine alone.

    ``TAPEDECK_ALLOW_PATHS`` set to ``1`` or ``0`` decides instead.
    """
    decided = os.environ.get("TAPEDECK_ALLOW_PATHS")
    if decided is not None:
        return decided == "1"
    return serves_this_machine()


def serves_this_machine() -> bool:
    """Whether the server listens to this machine alone, so that who uses the page is who started it."""
    return config.get_option("server.address") in ("localhost", "127.0.0.1", "::1")


def _stamped(path: Path) -> tuple[tuple[str, str], Path, str]:
    try:
        stat = path.stat()
    except OSError as fault:
        raise UserError(
            f"The file cannot be read ({fault.strerror}).", where=path.name, do="Check the path."
        ) from None
    return (str(path.resolve()), f"{stat.st_size}-{stat.st_mtime_ns}"), path, path.name


def _open(kind: Kind, name: str, files: Sequence[tuple[tuple[str, str], bytes | Path, str]]) -> Origin:
    key = tuple(stamp for stamp, _, _ in files)

    def read() -> Opened:
        inputs: list[Path | Source] = []
        for _, source, called in files:
            inputs += [source] if isinstance(source, Path) else open_all(source, called)
        return Opened(tuple(inputs), _reading(tuple(inputs), name, None))

    return Origin(kind, name, _FILES.get((key, None), read), key)


def _reading(inputs: tuple[Path | Source, ...], name: str, format: str | None) -> Reading:
    # A lone path is handed over as it is: its format may know files beside it that belong to the session.
    return tape.read(inputs[0] if len(inputs) == 1 else inputs, name=name, format=format)


def _loaded(reading: Reading, index: int) -> Session:
    session = reading.conversations[index].load()
    if len(session.messages) > FROZEN_FROM:
        # What stays for long need not be walked through by every collection of garbage.
        gc.collect()
        gc.freeze()
    return session


_FILES: Shared[Opened] = Shared()
_SESSIONS: Shared[Session] = Shared()
