"""Arrays of messages inside wrappers that nobody described, found by their look.

Walks the whole document, also through strings that hold JSON, and lists every array in which most items have
a role; the longest comes first. What an array says is read by the format of its dialect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from tape.formats import anthropic_dump, openai_dump
from tape.formats.anthropic_load import load_array as load_anthropic
from tape.formats.anthropic_spots import Found as AnthropicFound
from tape.formats.arrays import Path, Spot, documents
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.dialect import OPENAI, dialect, is_array
from tape.formats.openai_load import load_array as load_openai
from tape.formats.openai_spots import Found as OpenAIFound
from tape.formats.titles import title_of
from tape.model import Json, Session
from tape.notes import Note
from tape.records import Source, loads

NAME: Final = "generic"
LONGEST_STRING: Final = 50_000_000
MOST: Final = 1000
_HOLDERS: Final = frozenset((dict, list))


@dataclass(frozen=True, slots=True)
class Array:
    """An array of messages somewhere in a record."""

    record: int
    path: Path
    inside: Path | None
    entries: list[Json]

    @property
    def where(self) -> str:
        """Its JSON path, with a bar before what stands in a string."""
        outer = f"{_written(self.inside)} | " if self.inside is not None else ""
        return outer + _written(self.path)


class Generic:
    """Opens any JSON that holds messages somewhere."""

    name = NAME
    label = "JSON with messages in it"
    written_by = "programs that wrap a messages array in something of their own"
    evidence: Literal["files", "documentation"] = "files"
    write: None = None

    def sniff(self, sample: Sample) -> Guess | None:
        """A hint where some array of role-bearing objects is found."""
        for record in sample.records[:50]:
            found = next(arrays(0, record), None)
            if found is not None:
                return Guess(1, f"an array of messages at {found.where}")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation for each array, the longest first."""
        for source in sources:
            found = [array for record, value in documents(source) for array in arrays(record, value)][:MOST]
            for number, array in enumerate(sorted(found, key=lambda array: -len(array.entries))):
                yield _conversation(source, array, str(number))

    def dump(self, session: Session) -> Dumped:
        """The source with only what changed written anew."""
        spoken = session.base.extra.get("dialect") if session.base else None
        return openai_dump.dump(session) if spoken == OPENAI else anthropic_dump.dump(session)


def arrays(record: int, value: Json, path: Path = (), inside: Path | None = None) -> Iterator[Array]:
    """Every array of messages at and below a value, in the order of the document; inside an array that is
    one, nothing is looked for."""
    waiting: list[tuple[Path, Json]] = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        steps: Iterable[tuple[str | int, Json]] = ()
        if isinstance(value, str):
            yield from arrays(record, _held(value), (), path)
        elif isinstance(value, dict):
            steps = value.items()
        elif is_array(value):
            yield Array(record, path, inside, value)
        elif isinstance(value, list):
            steps = enumerate(value)
        inner = [
            ((*path, step), one)
            for step, one in steps
            if one.__class__ in _HOLDERS or (one.__class__ is str and inside is None and _may_hold(one))
        ]
        waiting += reversed(inner)


def _may_hold(text: str) -> bool:
    """Whether a string looks like JSON with messages in it."""
    begins = text[0] if text and not text[0].isspace() else text.lstrip()[:1]
    return begins in ("[", "{") and '"role"' in text


def _held(text: str) -> Json:
    if len(text) > LONGEST_STRING:
        return None
    try:
        return loads(text)
    except ValueError:
        return None


def _conversation(source: Source, array: Array, id: str) -> Conversation:
    spoken, guess = dialect(array.entries)

    def load() -> Session:
        spot = Spot(array.record, None, array.path, inside=array.inside)
        if spoken == OPENAI:
            session = load_openai(source, OpenAIFound(spot))
        else:
            session = load_anthropic(source, AnthropicFound(spot))
        text = f"Read the {len(array.entries)} messages at {array.where} as {spoken}: {guess.why}."
        base = session.base
        return replace(
            session,
            notes=(Note("", "found-inside", text), *session.notes),
            base=base and replace(base, format=NAME, extra={**base.extra, "dialect": spoken}),
        )

    title = title_of(array.entries) or source.name or "conversation"
    return Conversation(id, title, load, size=len(array.entries))


def _written(path: Path) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
