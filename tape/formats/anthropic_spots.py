"""Where the conversations of an Anthropic file stand: bare arrays, requests, responses and pairs of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tape.formats.arrays import Spot, at
from tape.formats.base import Guess, Sample
from tape.formats.dialect import ANTHROPIC, guess_for, is_array, is_entry
from tape.formats.pairs import Chain, Pair, chains, pairs_in
from tape.model import Json

REQUEST_MARKS = ("anthropic_version", "anthropic_beta", "context_management", "mcp_servers", "thinking")


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation, and the chain of requests that it was rebuilt from where there is one."""

    spot: Spot
    chain: Chain | None = None


def is_response(value: Json) -> bool:
    """Whether this is the body of a response."""
    return (
        isinstance(value, dict)
        and value.get("type") == "message"
        and value.get("role") == "assistant"
        and isinstance(value.get("content"), list)
    )


def spots_in(record: int, document: Json) -> Iterator[Found]:
    """The conversations that a document holds, in order."""
    if is_response(document):
        yield Found(Spot(record, reply=()))
    elif is_array(document) or document == []:
        yield Found(Spot(record, array=()))
    elif isinstance(document, dict) and isinstance(document.get("messages"), list):
        reply = ("response",) if is_response(document.get("response")) else None
        yield Found(Spot(record, request=(), array=("messages",), reply=reply))
    else:
        yield from in_pairs(pairs_in(record, document), document)


def in_pairs(pairs: list[Pair], document: Json) -> Iterator[Found]:
    """The conversations that pairs of requests and responses tell of."""
    for chain in chains(pairs, lambda _: document):
        yield found_in(chain, document)


def found_in(chain: Chain, document: Json) -> Found:
    """The conversation of a chain; ``document`` is the record of its last pair."""
    last = chain.last
    reply = last.response if is_response(at(document, last.response)) else None
    return Found(Spot(last.record, last.request, (*last.request, "messages"), reply), chain)


def sniff(sample: Sample) -> Guess | None:
    """How much like an Anthropic file the sample looks."""
    if sample.container in ("jsonl", "sse"):
        return _sniff_records(sample)
    return sniff_document(sample.document) if sample.container == "json" else None


def _sniff_records(sample: Sample) -> Guess | None:
    kinds = {str(r.get("type")) for r in sample.records if isinstance(r, dict)}
    if {"message_start", "content_block_delta", "content_block_start"} & kinds:
        return Guess(3, "events of an Anthropic stream")
    if sample.container == "sse":
        return None
    if is_array(list(sample.records)):
        guess = guess_for(ANTHROPIC, sample.records)
        return guess and Guess(guess.score, f"one message a line, {guess.why}")
    guesses = [guess for record in sample.records if (guess := sniff_document(record)) is not None]
    if len(guesses) * 2 < len(sample.records) or not guesses:
        return None
    best = max(guesses, key=lambda guess: guess.score)
    return Guess(best.score, f"one conversation a line: {best.why}")


def sniff_document(value: Json) -> Guess | None:
    """How much like an Anthropic array, request, response or list of pairs a value looks."""
    if is_entry(value) and not is_response(value):
        guess = guess_for(ANTHROPIC, [value])
        return guess and Guess(min(guess.score, 2), f"one message: {guess.why}")
    if is_response(value):
        return Guess(3, "an assistant message with type and content, as the Messages API answers")
    if value == []:
        return Guess(2, "an empty array")
    if is_array(value):
        guess = guess_for(ANTHROPIC, value)
        return guess and Guess(guess.score, f"an array: {guess.why}")
    if isinstance(value, dict) and (is_array(value.get("messages")) or value.get("messages") == []):
        return _sniff_request(value, value["messages"])
    for pair in pairs_in(0, value)[:20]:
        body = at(value, pair.request)
        if is_response(at(value, pair.response)) or (_sniff_request(body, body["messages"]) or NO).score == 3:
            return Guess(3, "pairs of requests and responses")
    return None


NO = Guess(0, "")


def _sniff_request(body: Json, messages: Json) -> Guess | None:
    guess = guess_for(ANTHROPIC, messages) if is_array(messages) or messages == [] else None
    mark = next((key for key in REQUEST_MARKS if body.get(key) is not None), None)
    tools = body.get("tools")
    if guess is None and mark != "anthropic_version":
        return None
    if isinstance(tools, list) and any(isinstance(t, dict) and "input_schema" in t for t in tools):
        return Guess(3, "a request whose tools have an input_schema")
    if is_response(body.get("response")) or mark is not None:
        return Guess(3, f"a request with {mark or 'its response'}")
    if isinstance(body.get("system"), (str, list)):
        return Guess(3, "a request with a system prompt beside its messages")
    return guess and Guess(guess.score, f"an object with messages: {guess.why}")
