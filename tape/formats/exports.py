"""What formats share whose files hold many conversations, each an object that is told by its look."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.conversations import Spot, spots
from tape.formats.parts_dump import Form
from tape.formats.parts_dump import dump as dump_parts
from tape.model import Json, Session
from tape.records import Source

LOOKED_AT = 20


class Exports(ABC):
    """A format of many conversations: lists them, loads one when it is asked for, patches it in its place.

    ``why`` is what detection says.
    """

    evidence: Literal["files", "documentation"] = "files"
    why: str

    @property
    def write(self) -> Callable[[Session], Dumped] | None:
        """What an application exports is not made of other sessions."""
        return None

    @property
    @abstractmethod
    def form(self) -> Form:
        """How an edited conversation is written."""

    @abstractmethod
    def holds(self, value: Json) -> bool:
        """Whether an object is a conversation."""

    @abstractmethod
    def conversation(self, spot: Spot, value: Json) -> Conversation:
        """The entry of the list for the conversation at a spot."""

    def sniff(self, sample: Sample) -> Guess | None:
        """Sure where one of the first objects is a conversation."""
        document = sample.document if sample.container == "json" else list(sample.records)
        values = document if isinstance(document, list) else [document]
        return Guess(3, self.why) if any(map(self.holds, values[:LOOKED_AT])) else None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """Every conversation, in the order of the files."""
        for source in sources:
            for spot, value in spots(source):
                if self.holds(value):
                    yield self.conversation(spot, value)

    def dump(self, session: Session) -> Dumped:
        """The file with only what was edited changed in it."""
        return dump_parts(session, self.form)
