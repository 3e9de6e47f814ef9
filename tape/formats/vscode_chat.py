"""VS Code Copilot Chat: exported chats and the session files of the editor, one document of requests.

What the model said stands in the rounds of a request's metadata; what was drawn on the screen beside it is
only read where there are none, and mostly holds no results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal

from tape.formats.arrays import Path, at, documents
from tape.formats.base import Conversation, Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import DocumentFormat, again
from tape.formats.parts import Part, below, call_part, other_part, result_part, text_part, thinking_part, word
from tape.formats.parts_dump import Form
from tape.formats.vscode_log import ChangeLog, is_change
from tape.model import Block, Json, Place, Session, Text
from tape.records import Source

NAME: Final = "vscode-chat"
ROUNDS: Final[Path] = ("result", "metadata", "toolCallRounds")
RESULTS: Final[Path] = ("result", "metadata", "toolCallResults")
DOUBLES: Final = "What was drawn on the screen (response) was left as it was."


def load(source: Source, array: Place) -> Session:
    """The session of a document. Never raises on data."""
    document = source.held(array.record)
    gathering = Gathering(source, NAME, array=array)
    for i, request in enumerate(at(document, array.path) or []):
        place = Place(array.record, (*array.path, i))
        if isinstance(request, dict):
            _request(gathering, place, request)
        else:
            gathering.aside(place, "no request", known=False)
    title = word(document, "customTitle")
    return gathering.session(id=word(document, "sessionId"), title=title)


def _request(g: Gathering, place: Place, request: dict[str, Any]) -> None:
    if isinstance(at(request, ("message", "text")), str):
        g.say("user", below(place, "message"), prompt_parts)
    elif isinstance(request.get("message"), str):
        g.say("user", place, prompt_parts)
    variables = at(request, ("variableData", "variables"))
    for variable in variables if isinstance(variables, list) else []:
        g.aside(place, "variable", word(variable, "name") or "", injected=True)
    facts: dict[str, Any] = {"model": word(request, "modelId")}
    if request.get("isCanceled") is True:
        facts["interrupted"] = True
    rounds, results = at(request, ROUNDS), at(request, RESULTS)
    if not isinstance(rounds, list) or not rounds:
        if isinstance(request.get("response"), list):
            drawn = below(place, "response")
            key = word(request, "requestId")
            g.say("assistant", drawn, drawn_parts, key=key, response_id=word(request, "responseId"), **facts)
        return
    for i, one in enumerate(rounds):
        if not isinstance(one, dict):
            continue
        g.say("assistant", below(place, *ROUNDS, i), round_parts, response_id=word(one, "id"), **facts)
        calls = one.get("toolCalls")
        for call in calls if isinstance(calls, list) else []:
            id = word(call, "id")
            if id and isinstance(at(results, (id,)), dict):
                g.answer(below(place, *RESULTS, id), answer_parts)


def prompt_parts(value: Json, place: Place) -> Sequence[Part]:
    """What the person asked."""
    key = "text" if isinstance(value.get("text"), str) else "message"
    return [text_part(value[key], below(place, key))]


def round_parts(value: Json, place: Place) -> Sequence[Part]:
    """One reply of the model: thinking, words, calls."""
    found: list[Part] = []
    thought = at(value, ("thinking", "text"))
    if isinstance(thought, str) and thought:
        found.append(thinking_part(thought, below(place, "thinking", "text")))
    said = value.get("response")
    if isinstance(said, str) and said:
        found.append(text_part(said, below(place, "response")))
    calls = value.get("toolCalls")
    for i, call in enumerate(calls if isinstance(calls, list) else []):
        where = below(place, "toolCalls", i)
        if isinstance(call, dict):
            found.append(call_part(call, where, name=("name",), input=("arguments",), id=("id",)))
        else:
            found.append(other_part(call, "tool call", where))
    return found


def answer_parts(value: Json, place: Place) -> Sequence[Part]:
    """What a call gave back; its id is the key that it stands under."""
    id = str(place.path[-1])
    made = result_part({**value, "id": id}, place, content=("content",), id=("id",), inner=inner)
    return [Part(made.block, made.fields[:1], made.gone)]


def inner(value: Json, place: Place) -> Block:
    """One item of a result: words under ``value``, else a rendered tree that is kept as JSON."""
    text = at(value, ("value",))
    if isinstance(text, str):
        return Text(text=text, place=place, raw=value)
    return other_part(value, "rendered", place).block


def drawn_parts(value: Json, place: Place) -> Sequence[Part]:
    """What was drawn on the screen: Markdown, thinking, tools that were run."""
    found: list[Part] = []
    for i, part in enumerate(value):
        where, kind = below(place, i), word(part, "kind")
        text = at(part, ("value",))
        if kind in (None, "markdownContent", "thinking"):
            path: Path = ("value",) if isinstance(text, str) else ("content", "value")
            text = at(part, path)
            if isinstance(text, str) and text:
                make = thinking_part if kind == "thinking" else text_part
                found.append(make(text, below(where, *path), home=where, raw=part))
        elif kind == "toolInvocationSerialized":
            given = ("toolSpecificData",)
            found.append(call_part(part, where, name=("toolId",), input=given, id=("toolCallId",)))
    return found


def _find(value: Json) -> tuple[Path, str | None] | None:
    requests = at(value, ("requests",))
    if not isinstance(requests, list):
        return None
    marked = any(
        isinstance(r, dict) and "message" in r and ("response" in r or "result" in r) for r in requests[:20]
    )
    return (("requests",), word(value, "customTitle")) if marked else None


def _load_log(source: Source) -> Session:
    log = ChangeLog(source)
    session = load(log.chat(), Place(0, ("requests",)))
    return replace(session, notes=(*source.notes(), *log.notes, *session.notes))


FORM: Final = Form("A VS Code chat", again(load), doubles=DOUBLES)


class VsCodeChat(DocumentFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "VS Code Copilot chat"
    written_by = "VS Code: Export chat, and its chatSessions folder"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    find = staticmethod(_find)
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Requests with message and response."""
        if any(_find(record) for record in sample.records[:20]):
            return Guess(3, "requests with message and response")
        first = sample.records[0] if sample.records else None
        if sample.container == "jsonl" and is_change(first) and _find(at(first, ("v",))):
            return Guess(3, "a log of changes that begins with a chat")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a document; a log of changes gives the one it leads to."""
        for source in sources:
            if source.container == "jsonl" and is_change(next((v for _, v in documents(source)), None)):
                yield Conversation("0", source.name, partial(_load_log, source))
            else:
                yield from super().read([source], sample)
