"""Gemini CLI: its session documents, the lines of newer versions, and ``--output-format stream-json``.

One object of a session holds what the model said, its calls and their results: it becomes a reply and a
message of results. Notices of the screen are asides. Facts: formats.md 6.4 of the project's notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal

from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.gathering import Gathering, no_prompt
from tape.formats.gemini_parts import content_parts, joined_parts
from tape.formats.parts import Part, below, call_part, result_part, text_part, thinking_part, word
from tape.formats.parts_dump import Form
from tape.formats.parts_dump import dump as dump_parts
from tape.json_text import Set
from tape.model import Json, Place, Session, Usage
from tape.records import Source
from tape.usage_forms import added, inclusive

NAME: Final = "gemini-cli"
NOTICES: Final = ("info", "warning", "error")
STREAM: Final = ("init", "message", "tool_use", "tool_result", "error", "result")


class GeminiCLI:
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Gemini CLI session"
    written_by = "Gemini CLI, in ~/.gemini/tmp/…/chats, and gemini --output-format stream-json"
    evidence: Literal["files", "documentation"] = "files"
    write: None = None

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by ``sessionId`` with ``projectHash``; a stream by its ``init`` and ``tool_id``."""
        for record in sample.records:
            if not isinstance(record, dict):
                continue
            if "sessionId" in record and "projectHash" in record:
                return Guess(3, "sessionId and projectHash, as Gemini CLI writes")
            if "$rewindTo" in record or (record.get("type") == "gemini" and "id" in record):
                return Guess(3, "messages of type gemini, or a rewind")
            if "tool_id" in record or (record.get("type") == "init" and "session_id" in record):
                return Guess(3, "the stream of Gemini CLI: init, tool_id")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation a file."""
        for source in sources:
            yield Conversation(source.name, source.name, partial(load, source), size=len(source.data))

    def dump(self, session: Session) -> Dumped:
        """The file with only what was edited changed in it."""
        return dump_parts(session, FORM)


def load(source: Source) -> Session:
    """The session of a file in any of the three forms. Never raises on data."""
    if source.container == "json":
        return _document(source)
    g = Gathering(source, NAME)
    values = dict(g.lines())
    if any(value.get("type") in STREAM and "id" not in value for value in values.values()):
        return _stream(source, g, values)
    return _lines(g, values)


def _document(source: Source) -> Session:
    document = source.document if isinstance(source.document, dict) else {}
    g = Gathering(source, NAME, array=Place(0, ("messages",)))
    messages = document.get("messages")
    for i, message in enumerate(messages if isinstance(messages, list) else ()):
        _take(g, Place(0, ("messages", i)), message)
    return _session(g, document)


def _lines(g: Gathering, values: Mapping[int, dict[str, Any]]) -> Session:
    """Lines of which later ones replace, rewind or rebuild what stood before."""
    head: dict[str, Any] = {}
    shown: dict[str, tuple[Place, Json]] = {}
    for i, value in values.items():
        if "$set" in value:
            shown = _set(g, i, value["$set"], head, shown)
        elif "$rewindTo" in value:
            ids = list(shown)
            keep = ids.index(value["$rewindTo"]) if value["$rewindTo"] in ids else 0
            for id in ids[keep:]:
                g.aside(shown.pop(id)[0], "rewound")
            g.aside(Place(i), "$rewindTo")
        elif "projectHash" in value:
            head |= value
            g.aside(Place(i), "session")
        else:
            id = word(value, "id") or f"#{i}"
            if id in shown:
                g.aside(shown[id][0], "replaced")
            shown[id] = (Place(i), value)
    for place, value in shown.values():
        _take(g, place, value)
    return _session(g, head)


def _set(
    g: Gathering, i: int, new: Json, head: dict[str, Any], shown: dict[str, tuple[Place, Json]]
) -> dict[str, tuple[Place, Json]]:
    """Metadata that changes; with ``messages`` all of them are given anew."""
    g.aside(Place(i), "$set")
    if not isinstance(new, dict):
        return shown
    head |= {key: value for key, value in new.items() if key != "messages"}
    messages = new.get("messages")
    if not isinstance(messages, list):
        return shown
    for place, _ in shown.values():
        g.aside(place, "replaced")
    return {
        word(one, "id") or f"#{i}.{j}": (Place(i, ("$set", "messages", j)), one)
        for j, one in enumerate(messages)
    }


def _session(g: Gathering, head: Mapping[str, Any]) -> Session:
    return g.session(id=word(head, "sessionId"), title=word(head, "summary"))


def _take(g: Gathering, place: Place, message: Json) -> None:
    kind = word(message, "type")
    if not isinstance(message, dict) or kind is None:
        g.aside(place, kind or "no object", known=False)
        return
    facts: dict[str, Any] = {"timestamp": word(message, "timestamp")}
    if kind == "user":
        parts = user_parts(message, place)
        if parts:
            g.say("user", place, user_parts, parts=parts, **facts)
        else:
            g.aside(place, "empty user")
    elif kind == "gemini":
        facts["model"] = word(message, "model")
        parts = reply_parts(message, place)
        if parts:
            g.say("assistant", place, reply_parts, parts=parts, **facts)
            g.spend(usage_of(message.get("tokens")), facts["timestamp"])
        else:
            g.aside(place, "empty gemini")
        calls = message.get("toolCalls")
        for i, call in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(call, dict) and isinstance(call.get("result"), list) and call["result"]:
                g.answer(below(place, "toolCalls", i), answer_parts, timestamp=word(call, "timestamp"))
    else:
        text = message.get("content")
        g.aside(place, kind, text if isinstance(text, str) else "", known=kind in NOTICES)


def user_parts(message: Json, place: Place) -> Sequence[Part]:
    """What the user wrote: words or parts."""
    return _inside(message, place)


def _inside(message: Json, place: Place) -> list[Part]:
    content, here = message.get("content"), below(place, "content")
    if isinstance(content, str):
        return [text_part(content, here)] if content else []
    return list(content_parts(content, here)) if isinstance(content, list) else []


def reply_parts(message: Json, place: Place) -> Sequence[Part]:
    """Thoughts, words and calls of one reply."""
    found: list[Part] = []
    thoughts = message.get("thoughts")
    for i, thought in enumerate(thoughts if isinstance(thoughts, list) else ()):
        if isinstance(thought, dict) and isinstance(thought.get("description"), str):
            found.append(_thought(thought, below(place, "thoughts", i)))
    found += _inside(message, place)
    calls = message.get("toolCalls")
    for i, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            where = below(place, "toolCalls", i)
            made = call_part(call, where, name=("name",), input=("args",), id=("id",), gone=())
            found.append(replace(made, home=where.path))
    return found


def _thought(thought: dict[str, Json], place: Place) -> Part:
    """A thought under its subject; a change of it is written without the subject before it."""
    subject = word(thought, "subject")
    head = f"{subject}\n" if subject else ""
    made = thinking_part(
        head + str(thought["description"]), below(place, "description"), home=place, raw=thought
    )
    field = replace(made.fields[0], value=lambda new: new.text.removeprefix(head))
    return replace(made, fields=(field,))


def answer_parts(call: Json, place: Place) -> Sequence[Part]:
    """The result that stands in a call: its words, or its response as JSON."""
    path: tuple[str | int, ...] = ("result", 0)
    first = call["result"][0]
    answer = first.get("functionResponse") if isinstance(first, dict) else None
    if isinstance(answer, dict):
        path = (*path, "functionResponse", "response")
        response = answer.get("response")
        if isinstance(response, dict):
            key = next((k for k in ("output", "error") if isinstance(response.get(k), str)), None)
            path = path if key is None else (*path, key)
    failed = word(call, "status") in ("error", "cancelled")
    made = result_part(call, place, content=path, id=("id",), error=failed or None, tool=word(call, "name"))
    return [replace(made, gone=(Set((*place.path, "result"), None),), home=place.path)]


def usage_of(value: Json) -> Usage | None:
    """The counts of a reply (tokens): input includes cached ones. All zeros: nothing was counted."""
    if not isinstance(value, dict):
        return None
    counts = {k: n for k, n in value.items() if isinstance(n, int) and not isinstance(n, bool) and n >= 0}
    if not any(counts.values()):
        return None
    return inclusive(
        added(counts.get("input"), counts.get("tool")),
        cache_read=counts.get("cached"),
        output=added(counts.get("output"), counts.get("thoughts")),
        thinking=counts.get("thoughts"),
    )


def _stream(source: Source, g: Gathering, values: Mapping[int, dict[str, Any]]) -> Session:
    """Events of a run: pieces of a message joined, calls, results."""
    head: dict[str, Any] = {}
    pieces: list[tuple[int, str, str]] = []
    ended = False

    def flush() -> None:
        if pieces:
            record, role, _ = pieces[0]
            text = "".join(piece for _, _, piece in pieces)
            parse = partial(joined_parts, text, False) if len(pieces) > 1 else _piece_parts
            said: Any = "assistant" if role == "assistant" else "user"
            g.say(said, Place(record), parse, joins=said == "assistant", model=word(head, "model"))
            pieces.clear()

    steps: dict[str, Callable[[int, dict[str, Any]], object]] = {
        "tool_use": lambda i, v: g.say(
            "assistant", Place(i), _use_parts, joins=True, model=word(head, "model")
        ),
        "tool_result": lambda i, v: g.answer(Place(i), _gave_parts),
    }
    for i, value in values.items():
        kind, text = word(value, "type") or "untyped", value.get("content")
        if kind == "message" and isinstance(text, str):
            if pieces and (pieces[0][1] != value.get("role") or not value.get("delta")):
                flush()
            pieces.append((i, word(value, "role") or "", text))
            continue
        flush()
        if kind in steps:
            steps[kind](i, value)
            continue
        head |= value if kind == "init" else {}
        ended = ended or kind == "result"
        message = value.get("message")
        g.aside(Place(i), kind, message if isinstance(message, str) else "", known=kind in STREAM)
    flush()
    if not ended:
        g.remark(Place(max(0, len(source) - 1)), "cut-stream", "The run ends here without a result.")
    params = {"model": head["model"]} if word(head, "model") else {}
    return no_prompt(g.session(id=word(head, "session_id"), params=params))


def _piece_parts(value: Json, place: Place) -> Sequence[Part]:
    return [text_part(value["content"], below(place, "content"))]


def _use_parts(value: Json, place: Place) -> Sequence[Part]:
    return [call_part(value, place, name=("tool_name",), input=("parameters",), id=("tool_id",))]


def _gave_parts(value: Json, place: Place) -> Sequence[Part]:
    key: tuple[str, ...] = ("output",)
    if "output" not in value and isinstance(value.get("error"), dict):
        key = ("error", "message")
    failed = word(value, "status") == "error"
    return [result_part(value, place, content=key, id=("tool_id",), error=failed or None)]


FORM: Final = Form("A Gemini CLI session", lambda source, _: load(source))
