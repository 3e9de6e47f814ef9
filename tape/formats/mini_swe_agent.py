"""mini-swe-agent: trajectories with ``messages`` in the Chat Completions dialect and a summary in ``info``.

In its text mode a call is a code block in the reply and its result the next user text: the array holds
text, and text is shown. The whole API response is kept with each reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal

from tape.formats import openai_inside
from tape.formats.arrays import at, documents
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.parts import words
from tape.formats.titles import title_of
from tape.model import Json, Session
from tape.records import Source

NAME: Final = "mini-swe-agent"


class MiniSweAgent:
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "mini-swe-agent trajectory"
    written_by = "mini-swe-agent, as .traj.json files"
    evidence: Literal["files", "documentation"] = "documentation"

    def sniff(self, sample: Sample) -> Guess | None:
        """``trajectory_format`` that begins ``mini-swe``, or ``messages`` with the summary in ``info``."""
        for record in sample.records[:20]:
            if words(at(record, ("trajectory_format",))).startswith("mini-swe"):
                return Guess(3, "a trajectory_format of mini-swe-agent")
            if _is_one(record):
                return Guess(3, "messages with exit status and model statistics in info")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a document or line."""
        for source in sources:
            for record, value in documents(source):
                if _is_one(value):
                    title = title_of(value["messages"]) or source.name
                    yield Conversation(str(record), title, partial(_load, source, record))

    def dump(self, session: Session) -> Dumped:
        """The document with only what was edited changed in its messages."""
        return openai_inside.dump(session)

    @property
    def write(self) -> Callable[[Session], Dumped] | None:
        """A trajectory tells of a run; it is not made of other sessions."""
        return None


def _is_one(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    info = value.get("info")
    named = words(value.get("trajectory_format")).startswith("mini-swe")
    return named or (isinstance(info, dict) and bool({"exit_status", "model_stats"} & info.keys()))


def _load(source: Source, record: int) -> Session:
    session = openai_inside.load(source, record, ("messages",), NAME, response=_response, roles=("exit",))
    document = source.held(record)
    status = words(at(document, ("info", "exit_status")))
    return openai_inside.with_aside(session, "exit_status", status) if status else session


def _response(entry: Mapping[str, Any]) -> Json:
    return at(entry, ("extra", "response"))
