"""Mux: a chat log with one message of the Vercel AI SDK a line, numbered in its metadata.

The unfinished message, which stands alone in a file of its own, is such a line too. Facts: formats.md 6.11 of
the project's notes.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from tape.formats.arrays import at
from tape.formats.base import Guess, Sample
from tape.formats.conversations import moment
from tape.formats.gathering import Gathering
from tape.formats.log_format import FileFormat
from tape.formats.parts import counts, word
from tape.formats.parts_dump import Form
from tape.formats.vercel import element, make, ui_message
from tape.model import Json, Place, Session, Usage
from tape.records import Source
from tape.usage_forms import inclusive

NAME: Final = "mux"
SUMMED: Final = "What {count} replies used is one sum here; it is counted with the last of them."


class Mux(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Mux chat log"
    written_by = "mux"
    evidence: Literal["files", "documentation"] = "documentation"
    form: ClassVar[Form]

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by messages with parts and a ``historySequence``."""
        if any(_is_message(record) for record in sample.records[:50]):
            return Guess(3, "messages with parts and a historySequence")
        return None

    @staticmethod
    def load(source: Source) -> Session:
        """The session of a file. Never raises on data."""
        return load(source)


def _is_message(value: Json) -> bool:
    number = at(value, ("metadata", "historySequence"))
    return isinstance(number, int) and isinstance(at(value, ("parts",)), list) and "role" in value


def load(source: Source) -> Session:
    """The session of a file. Never raises on data."""
    g = Gathering(source, NAME)
    for i, message in g.lines():
        if not isinstance(message.get("parts"), list):
            g.aside(Place(i), "message without parts", known=False)
            continue
        _message(g, Place(i), message)
    return g.session(id=_workspace(source))


def _workspace(source: Source) -> str | None:
    first = source.json(0) if len(source) and source.broken(0) is None else None
    return word(first, "workspaceId")


def _message(g: Gathering, place: Place, message: dict[str, Json]) -> None:
    metadata = message.get("metadata")
    written = at(metadata, ("timestamp",))
    seconds = written / 1000 if isinstance(written, int) and not isinstance(written, bool) else None
    facts: dict[str, Any] = {"timestamp": moment(seconds)}
    if message.get("role") == "assistant":
        facts["model"] = word(metadata, "model")
    before = len(g.drafts)
    ui_message(g, place, message, **facts)
    replies = sum(1 for draft in g.drafts[before:] if draft.role == "assistant")
    usage = usage_of(at(metadata, ("usage",)))
    if replies and usage is not None:
        g.spend(usage, facts["timestamp"])
        if replies > 1:
            g.remark(place, "usage-summed", SUMMED.format(count=replies))


def usage_of(value: Json) -> Usage | None:
    """The counts of a message (tokens). Whether its input includes what was read from the cache differs by
    provider: where some was, the fresh input is not known."""
    found = counts(value)
    cached, thinking = found.get("cachedInputTokens"), found.get("reasoningTokens")
    if not found.get("inputTokens") and not found.get("outputTokens"):
        return None
    if cached:
        return Usage(cache_read=cached, output=found.get("outputTokens"), thinking=thinking)
    return inclusive(
        found.get("inputTokens"), cache_read=cached, output=found.get("outputTokens"), thinking=thinking
    )


Mux.form = Form("A mux chat log", lambda source, _: load(source), make, element)
