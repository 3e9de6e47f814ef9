"""Hermes: one document a session, a Chat Completions array with system prompt and tools beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, Literal

from tape.formats import openai_inside
from tape.formats.arrays import documents
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.titles import title_of
from tape.model import Json, Session
from tape.records import Source

NAME: Final = "hermes"


class Hermes:
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Hermes session"
    written_by = "Hermes agent"
    evidence: Literal["files", "documentation"] = "documentation"

    def sniff(self, sample: Sample) -> Guess | None:
        """A document with session_id, system_prompt, platform and messages."""
        if any(_is_one(record) for record in sample.records[:20]):
            return Guess(3, "messages beside session_id, platform and system_prompt")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a document or line."""
        for source in sources:
            for record, value in documents(source):
                if _is_one(value):
                    load = partial(_load, source, record)
                    yield Conversation(str(record), title_of(value["messages"]) or source.name, load)

    def dump(self, session: Session) -> Dumped:
        """The document with only what was edited changed in its messages."""
        return openai_inside.dump(session)

    @property
    def write(self) -> Callable[[Session], Dumped] | None:
        """A session of Hermes; it is not made of others."""
        return None


def _is_one(value: Json) -> bool:
    marks = {"session_id", "system_prompt", "platform", "messages"}
    return isinstance(value, dict) and marks <= value.keys() and isinstance(value["messages"], list)


def _load(source: Source, record: int) -> Session:
    return openai_inside.load(source, record, ("messages",), NAME, system=("system_prompt",))
