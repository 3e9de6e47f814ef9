"""What the formats of traces share: calls of models among spans become exchanges, one array an agent.

A span of an agent or a root repeats what the calls below it said and used, so only the innermost count.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from tape.containers import repack
from tape.formats.arrays import documents
from tape.formats.base import Conversation, Dumped, Sample
from tape.formats.exchanges import Exchange, Exchanges, ProxyLog
from tape.formats.gathering import Gathering
from tape.formats.spans import Span, innermost, looks_like_spans, names, spans
from tape.model import Json, Session
from tape.notes import Note
from tape.records import Source

LOOKED_AT: Final = 50
SILENT: Final = (
    "{count} spans, and none says what was sent or answered: instrumentations leave content out unless they "
    "are told to capture it."
)
NO_PLACE: Final = "These spans hold no messages, so there is no place for new ones: take another format."


class SpanLog(ProxyLog):
    """A format of spans. A subclass says which are calls and what each sent and got."""

    @abstractmethod
    def calls(self, found: Sequence[Span]) -> list[Span]:
        """The spans that hold messages."""

    @abstractmethod
    def exchange(self, span: Span, found: Sequence[Span]) -> Exchange:
        """What a call sent and got; ``found`` are all spans of the file."""

    def names(self, sample: Sample) -> Iterator[str]:
        """The names of attributes and events that detection may look at."""
        records = (sample.document,) if sample.container == "json" else sample.records[:LOOKED_AT]
        return names(filter(looks_like_spans, records))

    def opened(self, source: Source) -> Exchanges:
        """The innermost calls, by their time."""
        found = spans(documents(source))
        chosen = innermost(found, self.calls(found))
        return Exchanges(source, [self.exchange(span, found) for span in chosen])

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """The conversations of each source; one without messages that says why, where there are none."""
        for source in sources:
            some = False
            for one in super().read([source], sample):
                some = True
                yield one
            if not some:
                yield Conversation("0", source.name or self.label, partial(self._silent, source))

    def _silent(self, source: Source) -> Session:
        g = Gathering(source, self.name)
        count = len(spans(documents(source)))
        g.notes.append(Note("", "no-messages", SILENT.format(count=f"{count:,}")))
        return g.session()

    def dump(self, session: Session) -> Dumped:
        """The file with what was edited changed in it; as it was, where it held no messages."""
        source = session.base.sources[0] if session.base is not None else None
        if source is not None and not isinstance(source.outer, Exchanges):
            return Dumped(repack(source, bytes(source.data)), (Note("", "no-place", NO_PLACE),))
        return super().dump(session)


def number(value: Json) -> int | None:
    """A count, which some write as a text or as a fraction; ``None`` where it is none."""
    if isinstance(value, str) and value.isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value < 0:
        return None
    return int(value)
