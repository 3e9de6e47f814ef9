"""Reading any source into sessions, and writing sessions as bytes again.

Decides which format reads, never how: that is in one file a format. Data never raises here; ``UserError`` is
for a source with nothing to show, an unknown format name, or a format that cannot be written.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from tape.archives import Archive
from tape.containers import KEPT, open_all
from tape.errors import UserError
from tape.formats.base import BringsFiles, Conversation, Dumped, Format, Guess, Reading
from tape.formats.detect import rank, sample_of
from tape.formats.registry import format_named, writable
from tape.model import Session
from tape.notes import Note
from tape.records import Source

One: TypeAlias = "bytes | str | Path | BinaryIO | Source"
Input: TypeAlias = "One | Sequence[One]"
SURE = 2
MANY = 50_000


def read(source: Input, *, name: str = "", format: str | None = None) -> Reading:
    """The conversations of a file, of its bytes, or of several files that belong together.

    ``name`` is a file name for messages where the source has none; ``format`` overrides detection. Raises
    ``UserError`` where there is nothing to show, or no format has that name.
    """
    with _undisturbed():
        return _read(source, name, format)


def _read(source: Input, name: str, format: str | None) -> Reading:
    wanted = format_named(format) if format else None
    sources = open_all(source, name)
    if wanted is None and (kept := _kept(sources)) is not None:
        return kept
    groups = _grouped(sources, wanted)
    best = max(guesses[0][1].score for _, guesses in groups)
    used = [g for g in groups if g[1][0][1].score == best or g[1][0][1].score >= SURE]
    left = [s.name for sources, _ in groups if (sources, _) not in used for s in sources]
    notes = [
        Note(file, "no-transcript", "This file holds no conversation and was left out.") for file in left
    ]
    conversations: list[Conversation] = []
    for members, guesses in used:
        chosen = guesses[0][0]
        if isinstance(source, (str, Path)) and isinstance(chosen, BringsFiles):
            members += [one for path in chosen.companions(Path(source)) for one in open_all(path)]
        found = list(chosen.read(members, sample_of(members[0])))
        if not found:
            found, chosen = list(guesses[-1][0].read(members, sample_of(members[0]))), guesses[-1][0]
            notes.append(Note(members[0].name, "nothing-found", _nothing(wanted, guesses)))
        conversations += [
            Conversation(one.id, one.title, _loading(one.load), one.date, one.size) for one in found
        ]
    chosen, guess = used[0][1][0]
    runners = tuple((one.name, other) for one, other in used[0][1][1:])
    notes += [note for group in used for one in group[0] for note in one.notes()]
    notes += _packing(s for members, _ in groups for s in members)
    return Reading(chosen.name, guess.score, guess.why, conversations, tuple(notes), runners)


def _nothing(wanted: Format | None, guesses: Sequence[tuple[Format, Guess]]) -> str:
    """What is said of a file in which the format that leads the ranking found no conversation."""
    if wanted is None:
        return "No conversation was found; shown as text."
    said = f"No conversation was found when read as {wanted.label} ({wanted.name}), as chosen; shown as text."
    likely = next((one for one, _ in guesses[:-1] if one is not wanted), None)
    if likely is None:
        return f"{said} Nothing in it looks like another format either."
    return f"{said} It looks like {likely.label}: choose {likely.name}, or no format at all."


def _kept(sources: Sequence[Source]) -> Reading | None:
    """The state of a session that Tapedeck kept, ``None`` where the source is no such file."""
    outer = sources[0].outer
    if len(sources) != 1 or sources[0].member != KEPT or not isinstance(outer, Archive):
        return None
    from tape.kept_session import unpack

    found = unpack(bytes(outer.data))
    one = Conversation(found.id or "kept", found.title, lambda: found)
    return Reading(found.format, SURE + 1, "Tapedeck kept this state of a session", [one])


Group: TypeAlias = "tuple[list[Source], list[tuple[Format, Guess]]]"


def _grouped(sources: Iterable[Source], wanted: Format | None) -> list[Group]:
    """The sources by the format that reads them, in order; each group with the ranking of its first."""
    groups: dict[str, Group] = {}
    for source in sources:
        guesses = rank(sample_of(source))
        if wanted is not None:
            said = next((guess for one, guess in guesses if one is wanted), Guess(0, ""))
            why = f"chosen by you; {said.why}" if said.why else "chosen by you; nothing in the file says so"
            guesses = [(wanted, Guess(said.score, why)), *(g for g in guesses if g[0] is not wanted)]
        groups.setdefault(guesses[0][0].name, ([], guesses))[0].append(source)
    return list(groups.values())


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Reading without the garbage collector: it makes many values at once and no garbage, and the collector
    would walk through all of them again and again. Many at once go straight to those that are old."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if gc.get_count()[0] > MANY:
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _loading(load: Callable[[], Session]) -> Callable[[], Session]:
    def loaded() -> Session:
        with _undisturbed():
            return load()

    return loaded


def _packing(sources: Iterable[Source]) -> list[Note]:
    """What was remarked on when the sources were unpacked, once for each archive."""
    found: dict[int, list[Note]] = {}
    for source in sources:
        outer = source.outer
        while outer is not None:
            found[id(outer)] = outer.notes
            outer = outer.outer
    return [note for notes in found.values() for note in notes]


def load(source: Input, *, name: str = "", format: str | None = None) -> Session:
    """The first conversation of ``read``."""
    return read(source, name=name, format=format).conversations[0].load()


def dump(session: Session) -> Dumped:
    """The session in the format it came in: byte-equal if untouched, else changed only where it was edited.

    A session that no file holds is written in the format it names. What could not be carried is in
    ``losses``. Raises ``UserError`` for a format that cannot be written.
    """
    if session.base is None:
        return convert(session, session.format)
    if session.untouched:
        return Dumped(bytes(session.base.sources[0].file.data))
    return format_named(session.base.format).dump(session)


def convert(session: Session, to: str) -> Dumped:
    """The session as a document of the format ``to``, or as ``dump`` gives it for ``"source"``.

    What the format cannot carry is in ``losses``. Raises ``UserError`` for a format that cannot be written.
    """
    if to == "source":
        return dump(session)
    wanted = format_named(to)
    if wanted.write is None:
        names = ", ".join(one.name for one in writable())
        raise UserError(f"{wanted.label} cannot be written.", do=f"Choose source or one of {names}.")
    return wanted.write(session)
