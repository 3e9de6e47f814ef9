"""Anthropic arrays, requests, responses, pairs and streams as sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tape.formats.anthropic_spots import Found
from tape.formats.anthropic_stream import Response, events, reply_of, responses
from tape.formats.arrays import Piece, Spot, at, based, line_pieces, pieces
from tape.formats.pairs import Chain, key
from tape.formats.titles import title_of_messages
from tape.model import Aside, Blocks, Call, Json, Message, Place, Session
from tape.notes import Note
from tape.records import Broken, Source
from tape.usage_forms import anthropic as usage_of
from tape.wire import parse_blocks, parse_message, parse_tool

FORMAT = "anthropic-messages"
KNOWN_BLOCKS = frozenset(
    (
        "compaction",
        "container_upload",
        "search_result",
        "tool_reference",
        "fallback",
        "mid_conversation_system",
    )
)
RESPONSE_KEYS = {"id": "response_id", "model": "model", "stop_reason": "stop_reason"}


def load_array(source: Source, found: Found) -> Session:
    """The session of an array, a request, a response or a chain of pairs."""
    spot = found.spot
    document = _record(source, spot.record)
    several = pieces(source, spot, document)
    if spot.reply is not None and len(several) > 1 and key(several[-1].value) == key(several[-2].value):
        several.pop()
        spot = replace(spot, reply=None)
    messages = [_message(i, piece) for i, piece in enumerate(several)]
    asides: list[Aside] = []
    if found.chain is not None and spot.reply is None:
        _streamed(found.chain, document, messages, asides)
    calls = [*_chain_calls(source, found.chain, messages), *_calls(messages, several)]
    merged = len({pair.record for pair in found.chain.pairs}) - 1 if found.chain else 0
    session = _session(messages, at(document, spot.request), calls, asides)
    if found.chain is not None and (remarks := found.chain.remarks()):
        session = replace(session, notes=(*remarks, *session.notes))
    loaded = based(session, source, spot, merged=merged)
    if any(piece.again for piece in several):
        source.forget()
    return loaded


def load_lines(source: Source) -> Session:
    """The session of a file with one message a record."""
    several = line_pieces(source)
    messages = [_message(i, piece) for i, piece in enumerate(several)]
    session = _session(messages, None, _calls(messages, several), [])
    return based(session, source, Spot(lines=True))


def load_stream(source: Source) -> Session:
    """The session of a stream: the responses that its events tell of, each one assistant message."""
    messages: list[Message] = []
    asides: list[Aside] = []
    notes: list[Note] = []
    calls: list[Call] = []
    for told in responses(events(source)):
        if told.message.get("content"):
            entry = _told(f"m{len(messages)}", told)
            messages.append(entry)
            calls.append(_call(entry.uid, told.message))
        if told.error is not None:
            asides.append(_error(messages, told.records[-1], told.error))
        elif not told.whole:
            where = source.where(told.records[-1])
            notes.append(Note(where, "cut-stream", "The stream breaks off here, before the response ended."))
    session = _session(messages, None, calls, asides)
    return based(replace(session, notes=(*session.notes, *notes)), source, Spot())


def _told(uid: str, told: Response) -> Message:
    """The message of a streamed response; each block knows the records that told it."""
    message = {k: v for k, v in told.message.items() if k in ("role", "content")}
    entry = parse_message({"role": "assistant", **message}, uid)
    blocks = tuple(
        replace(block, place=Place(records[0])) if records else block
        for block, records in zip(entry.blocks, told.by_block, strict=False)
    )
    meta = {**_response_meta(told.message), "content_form": "list", "interrupted": not told.whole}
    made = replace(entry.with_blocks(blocks), records=tuple(told.records), place=Place(told.records[0]))
    return replace(made, meta={k: v for k, v in meta.items() if v})


def _record(source: Source, record: int) -> Json:
    try:
        return source.document if source.container == "json" else source.json(record)
    except Broken:
        return None


def _message(number: int, piece: Piece) -> Message:
    """The message of an entry, without its blocks where they can be parsed again."""
    uid, place, again = f"m{number}", piece.place, piece.again
    entry = parse_message(piece.value, uid, place)
    meta, body = entry.meta, entry.body
    if "extra" in meta and isinstance(piece.value, dict):
        extra = {k: v for k, v in meta["extra"].items() if k not in RESPONSE_KEYS}
        kept = {k: v for k, v in meta.items() if k != "extra"}
        meta = {**kept, **_response_meta(piece.value), **({"extra": extra} if extra else {})}
    if again is not None:
        body = partial(_again, again, uid, place)
    if meta is entry.meta and body is entry.body:
        return entry
    return Message(uid, entry.role, entry.heads, body, entry.records, place, meta=meta)


def _again(value: Callable[[], Json], uid: str, place: Place) -> Blocks:
    return parse_blocks(value(), uid, place)


def _response_meta(value: dict[str, Json]) -> dict[str, Json]:
    return {name: value[k] for k, name in RESPONSE_KEYS.items() if isinstance(value.get(k), str)}


def _calls(messages: Sequence[Message], several: Iterable[Piece]) -> Iterator[Call]:
    """The responses that stand in the array with their usage."""
    for entry, piece in zip(messages, several, strict=False):
        value = piece.value
        if isinstance(value, dict) and entry.role == "assistant" and isinstance(value.get("usage"), dict):
            yield _call(entry.uid, value)


def _call(uid: str, response: dict[str, Any]) -> Call:
    id, model, stop = (
        response.get(k) if isinstance(response.get(k), str) else None for k in ("id", "model", "stop_reason")
    )
    return Call(uid, id, model, usage_of(response.get("usage")), stop)


def _chain_calls(source: Source, chain: Chain | None, messages: Sequence[Message]) -> Iterator[Call]:
    """What the earlier calls of a chain cost: the answer to a request of n messages is message n."""
    for pair in chain.pairs[:-1] if chain else ():
        number = pair.count
        response = at(_record(source, pair.record), pair.response)
        if isinstance(response, dict) and number < len(messages) and messages[number].role == "assistant":
            told = reply_of(response["body_raw"]) if isinstance(response.get("body_raw"), str) else response
            if told and isinstance(told.get("usage"), dict):
                yield _call(messages[number].uid, told)


def _streamed(chain: Chain, document: Json, messages: list[Message], asides: list[Aside]) -> None:
    """Adds the response of the last pair where it is kept as a stream, or says why there is none."""
    pair = chain.last
    response = at(document, pair.response)
    raw = response.get("body_raw") if isinstance(response, dict) else response
    told = reply_of(raw) if isinstance(raw, str) else None
    if told and told.get("content"):
        place = Place(pair.record, (*(pair.response or ()), "body_raw"))
        entry = parse_message({"role": "assistant", "content": told["content"]}, f"m{len(messages)}", None)
        meta = {**entry.meta, **_response_meta(told)}
        messages.append(replace(entry, place=place, records=(pair.record,), meta=meta))
    error = response.get("error") if isinstance(response, dict) else None
    if error is not None:
        asides.append(_error(messages, pair.record, error))


def _error(messages: Sequence[Message], record: int, error: Json) -> Aside:
    kind = error.get("type") if isinstance(error, dict) else None
    text = error.get("message") if isinstance(error, dict) else error
    words = ": ".join(str(part) for part in (kind, text) if part)
    return Aside(messages[-1].uid if messages else None, record, "api-error", words or "error")


def _session(
    messages: Sequence[Message], request: Json, calls: Iterable[Call], asides: Sequence[Aside]
) -> Session:
    body = request if isinstance(request, dict) else {}
    tools = body.get("tools")
    array = tuple(messages)
    params = {k: v for k, v in body.items() if k not in ("messages", "system", "tools", "response")}
    notes = [*unknown_blocks(array)]
    notes += [
        Note(
            f"messages[{i}]",
            "unknown-role",
            f"The role {m.meta['unknown_role']!r} is unknown; shown as user.",
        )
        for i, m in enumerate(array)
        if "unknown_role" in m.meta
    ]
    notes += [Note(f"line {a.record + 1}", a.kind, f"The API reported an error: {a.text}") for a in asides]
    return Session(
        messages=array,
        system=body.get("system") if isinstance(body.get("system"), (str, list)) else None,
        tools=tuple(parse_tool(t) for t in tools) if isinstance(tools, list) else None,
        params=params,
        title=title_of_messages(array[:20]),
        format=FORMAT,
        calls=tuple(calls),
        asides=tuple(asides),
        notes=tuple(notes),
    )


def unknown_blocks(messages: Iterable[Message]) -> Iterator[Note]:
    """A note for each block of a type that is not known."""
    for i, entry in enumerate(messages):
        for j, head in enumerate(entry.heads):
            if head.kind == "other" and head.name not in KNOWN_BLOCKS:
                where = f"messages[{i}].content[{j}]"
                text = f"A block of type {head.name!r} is not known; it is kept and shown as JSON."
                yield Note(where, "unknown-block", text)
