"""Where the conversations of a Chat Completions file stand: arrays, requests, responses, rows, logs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tape.formats.arrays import Path, Spot, at
from tape.formats.base import Guess, Sample
from tape.formats.dialect import OPENAI, guess_for, is_array, is_entry
from tape.formats.openai_stream import is_chunk
from tape.formats.pairs import Chain, Pair, chains, pairs_in
from tape.model import Json
from tape.records import loads

CHOICE: Path = ("choices", 0, "message")
ANSWERS: tuple[Path, ...] = (("response", *CHOICE), ("response", "body", *CHOICE), ("response", "message"))
COLUMNS = ("messages", "conversations", "conversation", "prompt", "chosen", "rejected", "traj")


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation: where it stands, the path of the response object behind it, its name among several of
    one record, and the chain of requests it was rebuilt from."""

    spot: Spot
    response: Path | None = None
    name: str = ""
    chain: Chain | None = None


def spots_in(record: int, document: Json) -> Iterator[Found]:
    """The conversations that a document holds, in order."""
    if is_array(document):
        yield Found(Spot(record, array=()))
    elif is_array(at(document, ("messages",))):
        answer = next((path for path in ANSWERS if isinstance(at(document, path), dict)), None)
        spot = Spot(record, (), ("messages",), answer)
        yield Found(spot, answer and (answer[:-3] if answer[-3:] == CHOICE else answer[:-1]))
    elif is_array(at(document, ("body", "messages"))):
        yield Found(Spot(record, ("body",), ("body", "messages")))
    elif pairs := pairs_in(record, document):
        for chain in chains(pairs, lambda _: document):
            yield found_in(chain, document)
    elif (answer := _answer(document)) is not None:
        yield Found(Spot(record, reply=answer), answer[:-3] if answer[-3:] == CHOICE else answer[:-1])
    elif isinstance(document, dict) and document.get("messages") == [] and "model" in document:
        yield Found(Spot(record, (), ("messages",)))
    elif isinstance(document, dict):
        yield from _columns(record, document)
    elif isinstance(document, list):
        for i, value in enumerate(document):
            for found in spots_in(record, value):
                yield _below(found, i)


def found_in(chain: Chain, document: Json) -> Found:
    """The conversation of a chain; ``document`` is the record of its last pair."""
    last: Pair = chain.last
    answer = (*last.response, *CHOICE) if last.response is not None else None
    if not isinstance(at(document, answer), dict):
        answer = None
    spot = Spot(last.record, last.request, (*last.request, "messages"), answer)
    return Found(spot, last.response, chain=chain)


def _below(found: Found, index: int) -> Found:
    spot = found.spot

    def deeper(path: Path | None) -> Path | None:
        return None if path is None else (index, *path)

    moved = Spot(
        spot.record,
        deeper(spot.request),
        spot.array if spot.inside is not None else deeper(spot.array),
        deeper(spot.reply),
        spot.lines,
        deeper(spot.inside),
    )
    return Found(moved, deeper(found.response), found.name, found.chain)


def _answer(value: Json) -> Path | None:
    """Where the message of a response stands: OpenAI's, its dialects', a batch's, Ollama's, Cohere's."""
    for prefix in ((), ("response", "body"), ("body",), ("response",)):
        if isinstance(at(value, (*prefix, *CHOICE)), dict):
            return (*prefix, *CHOICE)
    message = at(value, ("message",))
    known = {"done", "finish_reason", "created_at", "eval_count"}
    if isinstance(message, dict) and isinstance(message.get("role"), str) and known & set(value):
        return ("message",)
    return None


def _columns(record: int, row: dict[str, Json]) -> Iterator[Found]:
    """The arrays of a data-set row, as they are or as JSON in a string; a preference row has two."""
    inner = at(row, ("input", "messages"))
    if is_array(inner):
        yield Found(Spot(record, ("input",), ("input", "messages")), name="input")
    for key in (*COLUMNS, "preferred_output", "non_preferred_output"):
        value = row.get(key)
        if is_array(value):
            yield Found(Spot(record, (), (key,)), name=key)
        elif isinstance(value, str) and value.lstrip()[:2] in ("[{", "[\n", "[ "):
            try:
                held = loads(value)
            except ValueError:
                continue
            if is_array(held):
                yield Found(Spot(record, (), (), inside=(key,)), name=key)


def sniff(sample: Sample) -> Guess | None:
    """How much like a Chat Completions file the sample looks."""
    if sample.container == "json":
        return sniff_document(sample.document)
    if sample.container not in ("jsonl", "sse") or not sample.records:
        return None
    if sum(map(is_chunk, sample.records)) * 2 >= len(sample.records):
        return Guess(3, "chunks of a chat completion stream")
    if is_array(list(sample.records)):
        guess = guess_for(OPENAI, sample.records)
        return guess and Guess(guess.score, f"one message a line, {guess.why}")
    guesses = [guess for record in sample.records if (guess := sniff_document(record)) is not None]
    if len(guesses) * 2 < len(sample.records) or not guesses:
        return None
    best = max(guesses, key=lambda guess: guess.score)
    return Guess(best.score, f"one conversation a line: {best.why}")


def sniff_document(value: Json) -> Guess | None:
    """How much like a Chat Completions array, request, response or row a value looks."""
    if is_array(value):
        guess = guess_for(OPENAI, value)
        return guess and Guess(guess.score, f"an array: {guess.why}")
    if is_chunk(value):
        return Guess(3, "a chunk of a chat completion stream")
    if is_entry(value) and value.get("type") != "message":
        guess = guess_for(OPENAI, [value])
        return guess and Guess(min(guess.score, 2), f"one message: {guess.why}")
    if isinstance(value, dict) and value.get("object") == "chat.completion":
        return Guess(3, "a response that says chat.completion")
    answer = _answer(value)
    if answer is not None and not isinstance(at(value, ("messages",)), list):
        return Guess(3, "a response with choices" if answer[-3:] == CHOICE else "a response with a message")
    found = next(spots_in(0, value), None) if isinstance(value, (dict, list)) else None
    return None if found is None else _sniff_found(value, found)


def _sniff_found(value: Json, found: Found) -> Guess | None:
    spot = found.spot
    request = at(value, spot.request)
    tools = request.get("tools", request.get("functions")) if isinstance(request, dict) else None
    if isinstance(tools, list) and any(
        isinstance(t, dict) and ("function" in t or "parameters" in t) for t in tools
    ):
        return Guess(3, "tools that are functions with parameters")
    if found.response is not None and at(value, spot.reply) is not None:
        return Guess(3, "a request with a response that has choices")
    entries = loads(at(value, spot.inside)) if spot.inside is not None else at(value, spot.array)
    guess = guess_for(OPENAI, entries) if isinstance(entries, list) else None
    named = f"a column {found.name!r}" if found.name else "an object with messages"
    return guess and Guess(guess.score, f"{named}: {guess.why}")
