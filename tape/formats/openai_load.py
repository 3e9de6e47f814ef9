"""Chat Completions arrays, requests, responses, rows, logs and streams as sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from tape.formats.arrays import Piece, Spot, at, based, documents, line_pieces, pieces
from tape.formats.openai_blocks import Ids, Parsed, is_result, made, parse_entry
from tape.formats.openai_spots import Found
from tape.formats.openai_stream import Response, responses
from tape.formats.pairs import Chain, key
from tape.formats.titles import title_of_messages
from tape.model import (
    EMPTY,
    Aside,
    Block,
    Blocks,
    Call,
    Json,
    Message,
    Place,
    Session,
    ToolResult,
    ToolSpec,
    ToolUse,
    message,
)
from tape.notes import Note
from tape.records import Broken, Source, loads
from tape.usage_forms import openai as usage_of

FORMAT: Final = "openai-chat"
PARAMS: Final = frozenset(
    (
        *("model", "temperature", "top_p", "top_k", "n", "stop", "max_tokens", "max_completion_tokens"),
        *("tool_choice", "parallel_tool_calls", "function_call", "response_format", "seed", "stream"),
        *("stream_options", "reasoning_effort", "presence_penalty", "frequency_penalty", "logprobs"),
        *("top_logprobs", "logit_bias", "user", "service_tier", "store", "metadata", "verbosity", "options"),
    )
)
KNOWN_OTHERS: Final = frozenset(("refusal", "input_audio", "audio", "tool_call", "reasoning"))
DOUBLED: Final = "A call stands here twice, as content part and in tool_calls; it is shown once."
CUT: Final = "The stream breaks off here, before the response ended."
DIFFERS: Final = "A call stands here twice with different inputs; the one of tool_calls is shown."


def load_array(source: Source, found: Found) -> Session:
    """The session of an array, a request with or without its response, a row, or a chain of pairs."""
    spot = found.spot
    document = _record(source, spot.record)
    several = pieces(source, spot, document)
    if spot.reply is not None and len(several) > 1 and key(several[-1].value) == key(several[-2].value):
        several.pop()
        spot = replace(spot, reply=None)
    remarks: list[Note] = found.chain.remarks() if found.chain else []
    response = at(document, found.response)
    answer = several[-1].place if spot.reply is not None and several else None
    places: dict[str, tuple[Place, ...]] = {}
    messages = assembled(several, remarks, places)
    calls = list(_chain_calls(source, found.chain, messages, remarks))
    if answer is not None and isinstance(response, dict) and messages:
        last = messages[-1]
        calls.append(call_of(last.uid, response, remarks))
        messages[-1] = replace(last, meta={**last.meta, **_head(response)})
    asides = []
    error = at(document, (*(found.response or ()), "error")) if found.response else None
    if error:
        asides.append(_error(messages, spot.record, error))
    calls = [*_own_calls(several, messages, remarks), *calls]
    session = _session(messages, at(document, spot.request), calls, asides, remarks)
    merged = len({pair.record for pair in found.chain.pairs}) - 1 if found.chain else 0
    loaded = based(session, source, spot, merged=merged, places=places)
    if any(piece.again for piece in several):
        source.forget()
    return loaded


def load_lines(source: Source) -> Session:
    """The session of a file with one message a record."""
    remarks: list[Note] = []
    places: dict[str, tuple[Place, ...]] = {}
    messages = assembled(line_pieces(source), remarks, places)
    return based(_session(messages, None, [], [], remarks), source, Spot(lines=True), places=places)


def load_stream(source: Source) -> Session:
    """The session of a stream: the responses that its chunks tell of, each one assistant message."""
    messages: list[Message] = []
    calls: list[Call] = []
    asides: list[Aside] = []
    remarks: list[Note] = []
    for told in responses(documents(source)):
        if len(told.message) > 1:
            entry = _told(told, f"m{len(messages)}", remarks)
            messages.append(entry)
            calls.append(call_of(entry.uid, told.head, remarks))
        if told.error is not None:
            asides.append(_error(messages, told.records[-1], told.error))
        elif not told.whole:
            where = source.where(told.records[-1])
            remarks.append(
                Note(where, "cut-stream", "The stream breaks off here, before the response ended.")
            )
    return based(_session(messages, None, calls, asides, remarks), source, Spot())


def _told(told: Response, uid: str, remarks: list[Note]) -> Message:
    place = Place(told.records[0])
    parsed = parse_entry(told.message, uid, place, Ids())
    _remark_doubles(parsed, uid, remarks)
    parsed.meta |= {**_head(told.head), **({} if told.whole else {"interrupted": True})}
    return replace(made(uid, parsed, place), records=tuple(told.records))


def assembled(
    several: Sequence[Piece], remarks: list[Note], places: dict[str, tuple[Place, ...]]
) -> list[Message]:
    """The entries as messages; neighbors that are results are one user message.

    What is odd is added to ``remarks``, where joined entries stand to ``places``.
    """
    found: list[Message] = []
    ids = Ids()
    group: list[tuple[Piece, Parsed]] = []
    for piece in several:
        if is_result(piece.value):
            parsed = parse_entry(piece.value, f"m{len(found)}", piece.place, ids, len(group))
            group.append((piece, parsed))
            continue
        if group:
            found.append(_results(f"m{len(found)}", group, places))
            group = []
        uid = f"m{len(found)}"
        parsed = parse_entry(piece.value, uid, piece.place, ids)
        _remark_doubles(parsed, f"messages[{len(found)}]", remarks)
        entry = made(uid, parsed, piece.place)
        if piece.again is not None:
            entry = entry.parsed_by(_again(piece, uid, _generated(parsed)))
        found.append(entry)
    if group:
        found.append(_results(f"m{len(found)}", group, places))
    return found


def _results(
    uid: str, group: Sequence[tuple[Piece, Parsed]], places: dict[str, tuple[Place, ...]]
) -> Message:
    places[uid] = tuple(piece.place for piece, _ in group)
    blocks: Blocks = tuple(block for _, parsed in group for block in parsed.blocks)
    records = tuple(dict.fromkeys(piece.place.record for piece, _ in group))
    role = group[0][1].meta["role"]
    meta = {"role": role, "content_form": "list"}
    stamp = group[0][1].meta.get("timestamp")
    entry = message(
        uid, "user", blocks, meta={**meta, **({"timestamp": stamp} if stamp else {})}, records=records
    )
    if all(piece.again is None for piece, _ in group):
        return entry
    parts = [(piece, _generated(parsed), i) for i, (piece, parsed) in enumerate(group)]

    def blocks_again() -> Blocks:
        return tuple(b for piece, ids, first in parts for b in _again(piece, uid, ids, first)())

    return entry.parsed_by(blocks_again)


def _generated(parsed: Parsed) -> list[str]:
    """The ids that were made for blocks of an entry, in order."""
    return [
        block.id if isinstance(block, ToolUse) else block.tool_use_id
        for block in parsed.blocks
        if isinstance(block, ToolUse | ToolResult) and block.generated_id
    ]


def _again(piece: Piece, uid: str, ids: Sequence[str], first: int = 0) -> Callable[[], Blocks]:
    """A function that parses the blocks anew, with the ids that were made for them."""

    def blocks() -> Blocks:
        value = piece.again() if piece.again else piece.value
        fresh = iter(ids)
        parsed = parse_entry(value, uid, piece.place, Ids(), first)
        return tuple(_with_id(block, fresh) for block in parsed.blocks)

    return blocks


def _with_id(block: Block, ids: Iterator[str]) -> Block:
    if isinstance(block, ToolUse) and block.generated_id:
        return replace(block, id=next(ids))
    if isinstance(block, ToolResult) and block.generated_id:
        return replace(block, tool_use_id=next(ids))
    return block


def _remark_doubles(parsed: Parsed, where: str, remarks: list[Note]) -> None:
    for double in dict.fromkeys(parsed.doubles):
        kind = "double-call" if double == "same" else "double-call-differs"
        remarks.append(Note(where, kind, DOUBLED if double == "same" else DIFFERS))


def _record(source: Source, record: int) -> Json:
    try:
        return source.document if source.container == "json" else source.json(record)
    except Broken:
        return None


def _head(response: dict[str, Json]) -> dict[str, Json]:
    """What a response says of its message."""
    stop = response.get("finish_reason") or at(response, ("choices", 0, "finish_reason"))
    said = {"response_id": response.get("id"), "model": response.get("model"), "stop_reason": stop}
    return {key: value for key, value in said.items() if isinstance(value, str)}


def call_of(uid: str, response: dict[str, Json], remarks: list[Note]) -> Call:
    """The call that a response answered."""
    head = _head(response)

    def remark(text: str) -> None:
        remarks.append(Note(uid, "odd-usage", text))

    usage = usage_of(_usage(response), remark)
    return Call(uid, head.get("response_id"), head.get("model"), usage, head.get("stop_reason"))


def _usage(response: dict[str, Json]) -> Json:
    """The usage object; Ollama writes its two counts beside the message."""
    if "prompt_eval_count" in response or "eval_count" in response:
        counts = {"prompt_tokens": "prompt_eval_count", "completion_tokens": "eval_count"}
        return {name: response.get(key) for name, key in counts.items()}
    usage = response.get("usage")
    tokens = usage.get("tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, dict) else usage


def _own_calls(several: Iterable[Piece], messages: Iterable[Message], remarks: list[Note]) -> Iterator[Call]:
    """Responses whose usage stands in the entry itself."""
    used = [p for p in several if isinstance(p.value, dict) and isinstance(p.value.get("usage"), dict)]
    by_place = {entry.place: entry for entry in messages if entry.place is not None} if used else {}
    for piece in used:
        entry = by_place.get(piece.place)
        if entry is not None and entry.role == "assistant":
            yield call_of(entry.uid, piece.value, remarks)


def _chain_calls(
    source: Source, chain: Chain | None, messages: Sequence[Message], remarks: list[Note]
) -> Iterator[Call]:
    """What the earlier calls of a chain cost: the answer to a request of n entries is the entry n."""
    if chain is None:
        return
    starts = {entry.place.path[-1]: entry for entry in messages if entry.place and entry.place.path}
    for pair in chain.pairs[:-1]:
        response = at(_record(source, pair.record), pair.response)
        answer = starts.get(pair.count)
        if isinstance(response, dict) and answer is not None and answer.role == "assistant":
            yield call_of(answer.uid, response, remarks)


def _error(messages: Sequence[Message], record: int, error: Json) -> Aside:
    said = error if isinstance(error, dict) else {"message": error}
    words = ": ".join(str(said[k]) for k in ("type", "code", "message") if said.get(k))
    return Aside(messages[-1].uid if messages else None, record, "api-error", words or "error")


def _session(
    messages: Sequence[Message],
    request: Json,
    calls: Iterable[Call],
    asides: Sequence[Aside],
    remarks: list[Note],
) -> Session:
    body = request if isinstance(request, dict) else EMPTY
    array = tuple(messages)
    notes = [*remarks, *_unknown(array)]
    notes += [Note(f"line {a.record + 1}", a.kind, f"The server reported an error: {a.text}") for a in asides]
    return Session(
        messages=array,
        tools=tools_of(body.get("tools", body.get("functions"))),
        params={k: v for k, v in body.items() if k in PARAMS},
        title=title_of_messages(array[:20]),
        format=FORMAT,
        calls=tuple(calls),
        asides=tuple(asides),
        notes=tuple(notes),
    )


def _unknown(messages: Iterable[Message]) -> Iterator[Note]:
    for i, entry in enumerate(messages):
        if "unknown_role" in entry.meta:
            role = entry.meta["unknown_role"]
            yield Note(
                f"messages[{i}]", "unknown-role", f"The role {role!r} is unknown; it is shown as user."
            )
        for j, head in enumerate(entry.heads):
            if head.kind == "other" and head.name not in KNOWN_OTHERS:
                text = f"A block of type {head.name!r} is not known; it is kept and shown as JSON."
                yield Note(f"messages[{i}].content[{j}]", "unknown-block", text)
            if head.kind == "tool_use" and "bad-input" in head.flags:
                text = "The arguments of this call are no JSON object; they are shown as they are."
                yield Note(f"messages[{i}].content[{j}]", "bad-arguments", text)


def tools_of(value: Json) -> tuple[ToolSpec, ...] | None:
    """The tools of a request; a string that holds them as JSON is read too."""
    if isinstance(value, str):
        try:
            value = loads(value)
        except ValueError:
            return None
    if not isinstance(value, list):
        return None
    found = []
    for one in value:
        entry = one if isinstance(one, dict) else {}
        function = entry.get("function")
        inner: dict[str, Json] = function if isinstance(function, dict) else entry
        name, text = (inner.get(k) if isinstance(inner.get(k), str) else "" for k in ("name", "description"))
        schema = inner.get("parameters", inner.get("input_schema"))
        found.append(ToolSpec(name or "", text or "", schema, raw=one))
    return tuple(found)
