"""Anthropic Messages: a bare array, a request, a response, pairs of both, the events of a stream.

Facts: formats.md 7.1 of the project's notes, measured on the cassettes and fixtures of the Anthropic SDKs and
on logs of claude-trace and claude-tap. Whether an endpoint would take the array is the business of the rules.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from tape.foreign import anthropic_body
from tape.formats import anthropic_dump
from tape.formats.anthropic_load import load_array, load_lines, load_stream
from tape.formats.anthropic_spots import Found, found_in, is_response, sniff, spots_in
from tape.formats.anthropic_stream import events, responses
from tape.formats.arrays import at, documents
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.conversations import bytes_of
from tape.formats.dialect import is_array, is_entry
from tape.formats.pairs import chains, pair_in
from tape.formats.titles import title_of
from tape.model import Session
from tape.records import Source


class AnthropicMessages:
    """Reads, patches and writes the form that the Messages API speaks."""

    name = "anthropic-messages"
    label = "Anthropic Messages"
    written_by = "the Claude API and its SDKs, proxies, and tools that keep its arrays"
    evidence: Literal["files", "documentation"] = "files"

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by blocks, by a system prompt beside the array, by tools with ``input_schema``."""
        return sniff(sample)

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """The conversations of each source in turn."""
        for source in sources:
            yield from _conversations(source)

    def dump(self, session: Session) -> Dumped:
        """The source with only what changed written anew."""
        return anthropic_dump.dump(session)

    def write(self, session: Session) -> Dumped:
        """A request body of any session; what the API would not take of it is named in the losses."""
        body, losses = anthropic_body(session)
        return Dumped(json.dumps(body, ensure_ascii=False, indent=2).encode() + b"\n", losses)


def _conversations(source: Source) -> Iterator[Conversation]:
    read = list(documents(source))
    values = [value for _, value in read]
    if source.container in ("jsonl", "sse") and any(
        isinstance(v, dict) and v.get("type") in ("message_start", "content_block_delta") for v in values
    ):
        yield _conversation(source, "0", _stream_title(source), lambda: load_stream(source), len(source.data))
    elif (source.container == "jsonl" and is_array(values)) or _one_message(values):
        yield _conversation(source, "0", title_of(values), lambda: load_lines(source), len(source.data))
    else:
        yield from _each(source, read)


def _one_message(values: list[Any]) -> bool:
    return len(values) == 1 and is_entry(values[0]) and not is_response(values[0])


def _each(source: Source, read: list[tuple[int, Any]]) -> Iterator[Conversation]:
    """One conversation for each array; pairs that stand one a line are chained over the lines."""
    paired = [pair for record, value in read if (pair := pair_in(value, record)) is not None]
    values = dict(read)
    found: list[Found]
    if source.container == "jsonl" and paired:
        found = [found_in(chain, values[chain.last.record]) for chain in chains(paired, values.__getitem__)]
    else:
        found = [spot for record, value in read for spot in spots_in(record, value)]
    records = Counter(one.spot.record for one in found)
    for number, one in enumerate(found):
        value = values[one.spot.record]
        array = at(value, one.spot.array) if one.spot.array is not None else [at(value, one.spot.reply)]
        title = one.chain.titled(title_of(array)) if one.chain else title_of(array)
        yield _conversation(
            source, str(number), title, _loader(source, one), bytes_of(source, records, one.spot.record)
        )


def _loader(source: Source, found: Found) -> Any:
    return lambda: load_array(source, found)


def _stream_title(source: Source) -> str:
    told = responses(events(source))
    return title_of([one.message for one in told])


def _conversation(source: Source, id: str, title: str, load: Any, size: int | None) -> Conversation:
    return Conversation(id, title or source.name or "conversation", load, size=size)
