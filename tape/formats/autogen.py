"""AutoGen: the messages of a model's context, and the events of a chat of agents.

A saved state holds the context of each agent, and each is a conversation. Facts: formats.md 9.6 of the
project's notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Final, Literal

from tape.formats.arrays import Path, at, documents
from tape.formats.autogen_parts import (
    content_parts,
    element,
    failure_parts,
    make,
    result_parts,
    thought_parts,
)
from tape.formats.base import Conversation, Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import LogFormat
from tape.formats.parts import below, counts, word
from tape.formats.parts_dump import Form
from tape.model import Json, Place, Role, Session
from tape.records import Source
from tape.usage_forms import inclusive

NAME: Final = "autogen"
ROLES: Final[dict[str, Role]] = {
    "SystemMessage": "system",
    "UserMessage": "user",
    "AssistantMessage": "assistant",
}
RESULTS: Final = ("FunctionExecutionResultMessage", "ToolCallExecutionEvent")
SAID: Final = ("TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage")
SUMMARY: Final = "ToolCallSummaryMessage"
MARKS: Final = (*ROLES, *RESULTS, *SAID, SUMMARY, "ToolCallRequestEvent", "ThoughtEvent")
BESIDE: Final = (
    "MemoryQueryEvent",
    "UserInputRequestedEvent",
    "ModelClientStreamingChunkEvent",
    "CodeGenerationEvent",
    "CodeExecutionEvent",
    "SelectSpeakerEvent",
    "SelectorEvent",
)
DEPTH: Final = 8


class AutoGen(LogFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "AutoGen messages"
    written_by = "applications that keep the messages or the state of AutoGen agents"
    evidence: Literal["files", "documentation"] = "documentation"
    form: ClassVar[Form]

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by messages whose type is a class of AutoGen."""
        if _are_messages(list(sample.records)) or any(
            next(arrays(record), None) is not None for record in sample.records[:20]
        ):
            return Guess(3, "messages whose type is a class of AutoGen")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a list of messages; a file of lines is one where its lines are the messages."""
        for source in sources:
            found = False
            for record, value in documents(source):
                for path, title in arrays(value):
                    found = True
                    place = Place(record, path)
                    id = "/".join(map(str, (record, *path)))
                    yield Conversation(id, title or source.name, partial(load, source, place))
            if not found:
                yield Conversation("0", source.name, partial(load, source, None))


def _is_message(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") in MARKS and "content" in value


def _are_messages(value: Json) -> bool:
    return isinstance(value, list) and any(map(_is_message, value[:400]))


def arrays(value: Json, path: Path = (), title: str | None = None) -> Iterator[tuple[Path, str | None]]:
    """The lists of messages in a document with the name of the agent whose context each is."""
    if _are_messages(value):
        yield path, title
    elif isinstance(value, dict) and len(path) < DEPTH:
        for key, inner in value.items():
            named = str(key) if path[-1:] == ("agent_states",) else title
            yield from arrays(inner, (*path, key), named)


def load(source: Source, array: Place | None) -> Session:
    """The session of a list of messages (``None``: the lines of the file). Never raises on data."""
    g = Gathering(source, NAME, array=array)
    thinking = False
    for place, message in _entries(g, source, array):
        thinking = _message(g, place, message, thinking)
    return g.session()


def _entries(g: Gathering, source: Source, array: Place | None) -> Iterator[tuple[Place, dict[str, Any]]]:
    if array is None:
        yield from ((Place(i), value) for i, value in g.lines())
        return
    entries = at(source.held(array.record), array.path)
    for i, value in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(value, dict):
            yield below(array, i), value
        else:
            g.aside(below(array, i), "no object", known=False)


def _message(g: Gathering, place: Place, message: dict[str, Any], thinking: bool) -> bool:
    """Takes one message in. Gives whether it was a thought, which the reply behind it joins."""
    kind = word(message, "type") or ""
    speaker = word(message, "source")
    facts: dict[str, Any] = {"timestamp": word(message, "created_at"), "source": speaker}
    if kind in RESULTS:
        results = message.get("content")
        if isinstance(results, list) and results:
            for i, _ in enumerate(results):
                g.answer(below(place, "content", i), result_parts, timestamp=facts["timestamp"])
        else:
            g.answer(place, failure_parts, timestamp=facts["timestamp"])
    elif kind in ROLES:
        if word(message, "thought"):
            g.say("assistant", place, thought_parts, **facts)
            thinking = True
        if message.get("content") or not thinking:
            g.say(ROLES[kind], place, content_parts, joins=thinking, **facts)
        return False
    elif kind == "ThoughtEvent":
        g.say("assistant", place, thought_parts, **facts)
        return True
    elif kind == "ToolCallRequestEvent" or kind in SAID:
        role: Role = "user" if speaker == "user" and kind in SAID else "assistant"
        g.say(role, place, content_parts, joins=thinking, **facts)
        _spend(g, message, role)
    elif kind == SUMMARY:
        g.aside(place, kind, str(message.get("content")))
    else:
        g.aside(place, kind or "no message", known=kind in BESIDE)
    return False


def _spend(g: Gathering, message: dict[str, Any], role: Role) -> None:
    found = counts(message.get("models_usage"))
    if role == "assistant" and (found.get("prompt_tokens") or found.get("completion_tokens")):
        used = inclusive(found.get("prompt_tokens"), output=found.get("completion_tokens"))
        g.spend(used, word(message, "created_at"))


def _again(source: Source, session: Session) -> Session | None:
    return load(source, session.base.extra["array"] if session.base else None)


AutoGen.form = Form("A list of AutoGen messages", _again, make, element)
