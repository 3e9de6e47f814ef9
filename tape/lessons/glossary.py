"""The ten words of the field, one sentence each, and where each is to be seen in a session.

Only finds things; showing them is the page's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from tape.model import Session
from tape.threads import threads
from tape.turns import turns

Finder: TypeAlias = Callable[[Session], str | None]


@dataclass(frozen=True, slots=True)
class Term:
    """A word, its one sentence, and how to find the first real thing: the uid of a message or block, or
    ``None`` where the session has no such. ``chart`` says that it is to be seen in the chart of tokens."""

    word: str
    sentence: str
    find: Finder
    chart: bool = False


def _first_message(session: Session) -> str | None:
    return session.messages[0].uid if session.messages else None


def _kind(kind: str) -> Finder:
    def find(session: Session) -> str | None:
        heads = (head for entry in session.messages for head in entry.heads)
        return next((head.uid for head in heads if head.kind == kind), None)

    return find


def _assistant(session: Session) -> str | None:
    return next((entry.uid for entry in session.messages if entry.role == "assistant"), None)


def _block(session: Session) -> str | None:
    several = (entry for entry in session.messages if len(entry.heads) > 1)
    return next((entry.heads[0].uid for entry in several), None)


def _turn(session: Session) -> str | None:
    return next((turn.message_uid for turn in turns(session)), None)


def _thread(session: Session) -> str | None:
    return next((link.call_uid for link in threads(session).links), None)


def _cached(session: Session) -> str | None:
    here = {entry.uid for entry in session.messages}
    read = (call for call in session.calls if call.usage is not None and call.usage.cache_read)
    return next((call.message_uid for call in read if call.message_uid in here), None)


def _compacted(session: Session) -> str | None:
    return next(
        (
            entry.uid
            for entry in session.messages
            if entry.restarts or entry.provenance.note.startswith("summary of ")
        ),
        None,
    )


TERMS: Final = (
    Term("role", "Who speaks in a message: the system, the user or the assistant.", _assistant),
    Term("message", "One entry of the array: a role and what it says.", _first_message),
    Term("block", "A piece of a message: text, a call, a result, a picture, thinking.", _block),
    Term("turn", "One call to the model, and the tool round trip that its answer starts.", _turn),
    Term("tool_use", "A block in which the model asks for a tool; it executes nothing.", _kind("tool_use")),
    Term("tool_result", "A block, in the user role, with what the tool gave back.", _kind("tool_result")),
    Term("id thread", "The id that a result shares with its call: all that links the two.", _thread),
    Term(
        "context window",
        "How many tokens one call may send and get back; the array has to fit into it.",
        _turn,
        chart=True,
    ),
    Term("cache", "The beginning of the array that was sent before, read again at a lower price.", _cached),
    Term("compaction", "A long stretch of the array, replaced by one short summary.", _compacted),
)
"""In the order in which they are met."""
