"""Gemini API: contents, requests, responses and streams; ``/chat save`` checkpoints, AI Studio, ADK sessions.

Calls mostly have no ids: results are paired by order and name. Facts: formats.md 7.4 of the project's notes,
measured on recorded bodies; files of AI Studio are known from documents only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal

from tape.formats import gemini_write
from tape.formats.arrays import Path, at, documents
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.gemini_parts import (
    answers,
    content_parts,
    joined_parts,
    make_content,
    names_in,
    part_parts,
)
from tape.formats.pairs import NAMES
from tape.formats.parts import Part, below, text_part, thinking_part, word
from tape.formats.parts_dump import Form
from tape.formats.parts_dump import dump as dump_parts
from tape.model import Block, Json, Message, Place, Role, Session, Text, ToolSpec, Usage
from tape.records import Source
from tape.usage_forms import gemini as usage_of

NAME: Final = "gemini"
ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "model": "assistant",
    "function": "user",
    "tool": "user",
    "system": "system",
}
PARAMS: Final = {
    "temperature": "temperature",
    "topP": "top_p",
    "top_p": "top_p",
    "maxOutputTokens": "max_tokens",
}
LISTS: Final = ("contents", "history")


@dataclass(frozen=True, slots=True)
class Found:
    """One conversation: the paths in a record of its request, its contents and the response behind it."""

    record: int = 0
    request: Path | None = None
    contents: Path | None = None
    response: Path | None = None


class Gemini:
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Gemini API"
    written_by = "the Gemini API and its SDKs, Gemini CLI checkpoints, AI Studio, the Agent Development Kit"
    evidence: Literal["files", "documentation"] = "documentation"
    write = staticmethod(gemini_write.write)

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by contents with parts without a type, by candidates, by events with an invocation id."""
        for record in sample.records[:50]:
            if _is_response(record[0] if isinstance(record, list) and record else record):
                return Guess(3, "a response with candidates")
            if next(spots_in(0, record), None) is not None:
                return Guess(3, "contents with parts")
        if sample.records and all(map(is_content, sample.records)):
            return Guess(3, "contents with parts, one a line")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """The conversations of each source in turn."""
        for source in sources:
            yield from _conversations(source)

    def dump(self, session: Session) -> Dumped:
        """The source with only what was edited changed in it."""
        return dump_parts(session, FORM)


def is_content(value: Json) -> bool:
    """Whether this is a content: a role of the API or none, and parts whose keys say what they are."""
    if not isinstance(value, dict) or not isinstance(value.get("parts"), list):
        return False
    role = value.get("role")
    parts = [part for part in value["parts"] if isinstance(part, dict)]
    plain = not any("type" in part or "kind" in part for part in parts)
    return plain and (role is None or (isinstance(role, str) and role in ROLES))


def _are_contents(value: Json) -> bool:
    if not isinstance(value, list) or not value:
        return False
    looked = value[:400]
    return sum(map(is_content, looked)) * 10 >= len(looked) * 6


def _is_response(value: Json) -> bool:
    found = value.get("candidates") if isinstance(value, dict) else None
    return (
        isinstance(found, list)
        and all(isinstance(one, dict) for one in found)
        and bool(found or "usageMetadata" in value or "usage_metadata" in value)
    )


def spots_in(record: int, document: Json, path: Path = ()) -> Iterator[Found]:
    """The conversations of a record, streams left out."""
    if _are_contents(document):
        yield Found(record, None, path)
    elif isinstance(document, list):
        for i, value in enumerate(document[:10_000]):
            if isinstance(value, dict) and not _is_response(value):
                yield from spots_in(record, value, (*path, i))
    elif isinstance(document, dict):
        found = _in_object(record, document, path)
        if found is not None:
            yield found


def _in_object(record: int, value: dict[str, Json], path: Path) -> Found | None:
    if _is_response(value):
        return Found(record, None, None, path)
    for key in LISTS:
        if _are_contents(value.get(key)):
            return Found(record, path, (*path, key))
    chunks = at(value, ("chunkedPrompt", "chunks"))
    if isinstance(chunks, list) and chunks:
        return Found(record, path, (*path, "chunkedPrompt", "chunks"))
    events = value.get("events")
    if isinstance(events, list) and any(isinstance(e, dict) and "invocation_id" in e for e in events):
        return Found(record, path, (*path, "events"))
    for asked, answered in NAMES:
        for inner in ((), ("body",)):
            if _are_contents(at(value, (asked, *inner, "contents"))):
                response = (answered, *inner)
                behind = (*path, *response) if _is_response(at(value, response)) else None
                request = (*path, asked, *inner)
                return Found(record, request, (*request, "contents"), behind)
    return None


def _pieces(source: Source) -> list[tuple[Place, dict[str, Json]]]:
    """The partial responses of a stream: events, lines, or the elements of one list."""
    found: list[tuple[Place, dict[str, Json]]] = []
    for record, value in documents(source):
        if _is_response(value):
            found.append((Place(record), value))
        elif isinstance(value, list):
            found += [(Place(record, (i,)), one) for i, one in enumerate(value) if _is_response(one)]
    return found


def _conversations(source: Source) -> Iterator[Conversation]:
    title = source.name or "conversation"
    read = list(documents(source))
    if read and all(is_content(v) for _, v in read):
        yield Conversation("0", title, partial(load_lines, source), size=len(source.data))
        return
    if len(_pieces(source)) > 1:
        yield Conversation("0", title, partial(load_stream, source), size=len(source.data))
        return
    for record, document in read:
        for i, found in enumerate(spots_in(record, document)):
            yield Conversation(f"{record}.{i}", title, partial(load, source, found), size=len(source.data))


def load(source: Source, found: Found) -> Session:
    """The session of contents, a body, or a pair of both. Never raises on data."""
    document = source.held(found.record)
    array = found.contents if found.contents is not None else (*(found.response or ()), "candidates", "")
    g = Gathering(source, NAME, array=Place(found.record, array))
    g.extra["found"] = found
    contents = at(document, found.contents)
    for i, content in enumerate(contents if isinstance(contents, list) else ()):
        _take(g, Place(found.record, (*(found.contents or ()), i)), content)
    response = at(document, found.response)
    if isinstance(response, dict):
        for i, candidate in enumerate(response.get("candidates") or ()):
            where = Place(found.record, (*(found.response or ()), "candidates", i, "content"))
            if i == 0 and isinstance(candidate, dict) and isinstance(candidate.get("content"), dict):
                _say(g, where, candidate["content"], _facts(response, candidate))
                g.spend(_usage(g, response))
            else:
                g.aside(where, "candidate", known=True)
    request = at(document, found.request)
    return _session(g, found, request if isinstance(request, dict) else {}, response)


def load_lines(source: Source) -> Session:
    """The session of a file with one content a line."""
    g = Gathering(source, NAME)
    for i, value in g.lines():
        _take(g, Place(i), value)
    return _session(g, None, {}, None)


def load_stream(source: Source) -> Session:
    """The session of a stream: the words of neighboring pieces joined, a new message behind each end."""
    g = Gathering(source, NAME, array=Place(0, ("",)))
    said: list[tuple[Place, str, bool]] = []
    usage: Usage | None = None
    fresh = True

    def flush() -> None:
        nonlocal fresh
        for place, text, thought in said:
            g.say("assistant", place, partial(_joined, text, thought), joins=not fresh, **facts)
            fresh = False
        said.clear()

    facts: dict[str, Any] = {}
    for place, response in _pieces(source):
        candidate = at(response, ("candidates", 0)) or {}
        facts = _facts(response, candidate)
        usage = _usage(g, response) or usage
        parts = at(candidate, ("content", "parts"))
        for j, part in enumerate(parts if isinstance(parts, list) else ()):
            where = below(place, "candidates", 0, "content", "parts", j)
            text = part.get("text") if isinstance(part, dict) else None
            if isinstance(text, str):
                thought = bool(part.get("thought"))
                if said and said[-1][2] == thought:
                    said[-1] = (said[-1][0], said[-1][1] + text, thought)
                elif text:
                    said.append((where, text, thought))
                continue
            flush()
            g.say("assistant", where, part_parts, joins=not fresh, **facts)
            fresh = False
        if facts["stop_reason"]:
            flush()
            g.spend(usage)
            usage, fresh = None, True
    if said or not fresh:
        flush()
        g.spend(usage)
        g.remark(
            Place(max(0, len(source) - 1)), "cut-stream", "The stream breaks off before the response ended."
        )
    return _session(g, None, {}, None)


def _joined(text: str, thought: bool, value: Json, place: Place) -> Sequence[Part]:
    return joined_parts(text, thought, value, place)


def _take(g: Gathering, place: Place, content: Json) -> None:
    """A content, an event of the ADK or a chunk of AI Studio."""
    if not isinstance(content, dict):
        g.aside(place, "no object", known=False)
    elif "invocation_id" in content or "author" in content:
        _event(g, place, content)
    elif "parts" in content:
        _say(g, place, content, {})
    elif isinstance(content.get("text"), str):
        role: Role = "assistant" if content.get("role") == "model" else "user"
        g.say(role, place, _chunk_parts, joins=role == "assistant")
    else:
        g.aside(place, next(iter(content), "empty"), known=False)


def _chunk_parts(chunk: Json, place: Place) -> Sequence[Part]:
    """A chunk of AI Studio: words, or a thought."""
    part = replace(text_part(chunk["text"], below(place, "text"), home=place, raw=chunk), gone=())
    if not chunk.get("isThought"):
        return [part]
    return [replace(thinking_part(chunk["text"], below(place, "text"), raw=chunk), gone=())]


def _event(g: Gathering, place: Place, event: dict[str, Json]) -> None:
    content = event.get("content")
    if event.get("partial") is True or not isinstance(content, dict):
        g.aside(place, "partial" if event.get("partial") else "event", word(event, "author") or "")
        return
    facts = {"timestamp": word(event, "timestamp"), "name": word(event, "author")}
    _say(g, below(place, "content"), content, facts)
    if content.get("role") == "model":
        g.spend(_usage(g, event))


def _say(g: Gathering, place: Place, content: dict[str, Json], facts: dict[str, Any]) -> None:
    parts = content_parts(content, place)
    if not parts:
        g.aside(place, "empty content")
        return
    written = content.get("role", "user" if not facts else "model")
    role = ROLES.get(written, "user") if isinstance(written, str) else "user"
    if answers(content) and role != "assistant":
        g.answer(place, content_parts, parts=parts, **facts)
        return
    unknown = {} if isinstance(written, str) and written in ROLES else {"unknown_role": written}
    g.say(role, place, content_parts, parts=parts, **facts, **unknown)


def _facts(response: Mapping[str, Json], candidate: Json) -> dict[str, Any]:
    return {
        "response_id": word(response, "responseId") or word(response, "response_id"),
        "model": word(response, "modelVersion") or word(response, "model_version"),
        "stop_reason": word(candidate, "finishReason") or word(candidate, "finish_reason"),
    }


def _usage(g: Gathering, response: Mapping[str, Json]) -> Usage | None:
    given = response.get("usageMetadata", response.get("usage_metadata"))
    return usage_of(given, lambda text: g.remark(Place(0), "odd-usage", text))


def _session(g: Gathering, found: Found | None, request: Mapping[str, Json], response: Json) -> Session:
    system, path = _system(request)
    if isinstance(system, str) and found is not None:
        g.extra["system_place"] = Place(found.record, (*(found.request or ()), *path))
    config = request.get("generationConfig", request.get("generation_config"))
    params: dict[str, Json] = {
        name: config[key] for key, name in PARAMS.items() if isinstance(config, dict) and key in config
    }
    model = word(request, "model") or word(at(request, ("runSettings",)), "model")
    if model:
        params["model"] = model.removeprefix("models/")
    tools = request.get("tools")
    return g.session(
        id=word(request, "id"),
        system=system,
        tools=tuple(_tools(tools)) if isinstance(tools, list) else None,
        params=params,
    )


def _system(request: Mapping[str, Json]) -> tuple[Json, Path]:
    """The system prompt, and where its words stand if they are one text."""
    key = next((k for k in ("systemInstruction", "system_instruction") if k in request), "")
    given = request.get(key)
    if isinstance(given, str):
        return given, (key,)
    parts = given.get("parts") if isinstance(given, dict) else None
    several = parts if isinstance(parts, list) else []
    texts = [p["text"] for p in several if isinstance(p, dict) and isinstance(p.get("text"), str)]
    if len(several) == len(texts) == 1:
        return texts[0], (key, "parts", 0, "text")
    return [{"type": "text", "text": text} for text in texts] or None, ()


def _tools(tools: list[Json]) -> Iterator[ToolSpec]:
    """The functions that are declared; a tool of the provider is named by its key."""
    for tool in tools:
        declared = next(
            (
                tool[k]
                for k in ("functionDeclarations", "function_declarations")
                if isinstance(tool, dict) and k in tool
            ),
            None,
        )
        if not isinstance(declared, list):
            yield ToolSpec(next(iter(tool), "") if isinstance(tool, dict) else "", raw=tool)
            continue
        for one in declared:
            schema = next(
                (
                    one[k]
                    for k in ("parameters", "parametersJsonSchema")
                    if isinstance(one, dict) and k in one
                ),
                None,
            )
            yield ToolSpec(word(one, "name") or "", word(one, "description") or "", schema, raw=one)


def _again(source: Source, session: Session) -> Session | None:
    found = session.base.extra.get("found") if session.base else None
    if isinstance(found, Found):
        return load(source, found)
    return load_stream(source) if len(_pieces(source)) > 1 else load_lines(source)


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """A content of a message; among events and chunks there is no place for one."""
    if not like or not is_content(like[-1]):
        return None
    content = make_content(entry.role, entry.blocks, names_in(like))
    return None if content is None else [content]


def _element(block: Block) -> Json | None:
    return {"text": block.text} if isinstance(block, Text) else None


FORM: Final = Form("A Gemini body", _again, _make, _element)
