"""SWE-agent: ``.traj`` files of benchmark runs, whose ``history`` is the array and ``trajectory`` its steps.

The history is in the Chat Completions dialect, but a result names its calls in a list, and demonstrations
use an id again and again. What the steps hold a second time (observations, prompts) is not patched along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, Literal

from tape.formats import openai_inside
from tape.formats.arrays import Path, at, documents
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.parts import words
from tape.formats.titles import title_of
from tape.model import Json, Session
from tape.records import Source

NAME: Final = "swe-agent"
COPIES: Final = "The copies of this in the steps of the trajectory were left as they were."


class SweAgent:
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "SWE-agent trajectory"
    written_by = "SWE-agent, as .traj files"
    evidence: Literal["files", "documentation"] = "files"

    def sniff(self, sample: Sample) -> Guess | None:
        """A document with ``history`` and ``trajectory``, or entries with ``message_type`` or ``agent``."""
        for record in sample.records[:20]:
            if (
                isinstance(record, dict)
                and {"trajectory", "history"} <= record.keys()
                and _array(record) is not None
            ):
                return Guess(3, "a document with trajectory and history")
            if _array(record) is not None:
                return Guess(3, "entries with message_type, as SWE-agent writes its history")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a document or line."""
        for source in sources:
            for record, value in documents(source):
                path = _array(value)
                if path is not None:
                    title = title_of(at(value, path)) or source.name
                    yield Conversation(str(record), title, partial(_load, source, record, path))

    def dump(self, session: Session) -> Dumped:
        """The document with only what was edited changed in its history."""
        return openai_inside.dump(session, COPIES)

    @property
    def write(self) -> Callable[[Session], Dumped] | None:
        """A trajectory tells of a run; it is not made of other sessions."""
        return None


def _array(value: Json) -> Path | None:
    """Where the history stands: in a document, or the value itself."""
    for path in (("history",), ()):
        found = at(value, path)
        if isinstance(found, list) and any(isinstance(e, dict) and "role" in e for e in found[:20]):
            marked = any(
                isinstance(e, dict) and {"message_type", "tool_call_ids"} & e.keys() for e in found[:20]
            )
            agent = any(isinstance(e, dict) and {"agent", "role", "content"} <= e.keys() for e in found[:20])
            if marked or agent:
                return path
    return None


def _load(source: Source, record: int, path: Path) -> Session:
    session = openai_inside.load(source, record, path, NAME)
    document = source.held(record)
    for key in ("exit_status", "model_stats"):
        held = at(document, ("info", key))
        if held:
            text = ", ".join(f"{k} {v}" for k, v in held.items()) if isinstance(held, dict) else words(held)
            session = openai_inside.with_aside(session, key, text[:300])
    return session
