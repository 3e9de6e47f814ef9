"""OpenAI Chat Completions and its dialects: arrays, requests, responses, streams, logs, training rows.

Facts: formats.md 7.2 and 7.6 of the project's notes, measured on logs of LiteLLM, data sets and recorded
responses; requests of Ollama, Mistral and Cohere from their documentation.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

from tape.formats import openai_dump
from tape.formats.arrays import at, documents
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.conversations import bytes_of
from tape.formats.dialect import is_array, is_entry
from tape.formats.openai_load import load_array, load_lines, load_stream
from tape.formats.openai_spots import Found, found_in, sniff, spots_in
from tape.formats.openai_stream import is_chunk, responses
from tape.formats.openai_write import chat_body
from tape.formats.pairs import chains, pair_in
from tape.formats.titles import title_of
from tape.model import Session
from tape.records import Source, loads


class OpenAIChat:
    """Reads, patches and writes the form that the Chat Completions API and most other servers speak."""

    name = "openai-chat"
    label = "OpenAI Chat Completions"
    written_by = (
        "OpenAI's API, LiteLLM, vLLM, Ollama, OpenRouter, Groq, DeepSeek, Mistral, training data sets"
    )
    evidence: Literal["files", "documentation"] = "files"

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by tool calls, tool roles, functions with parameters, choices."""
        return sniff(sample)

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """The conversations of each source in turn."""
        for source in sources:
            yield from _conversations(source)

    def dump(self, session: Session) -> Dumped:
        """The source with only what changed written anew."""
        return openai_dump.dump(session)

    def write(self, session: Session) -> Dumped:
        """A request body of any session; what the API has no place for is named in the losses."""
        body, losses = chat_body(session)
        return Dumped(json.dumps(body, ensure_ascii=False, indent=2).encode() + b"\n", losses)


def _conversations(source: Source) -> Iterator[Conversation]:
    read = list(documents(source))
    values = [value for _, value in read]
    if sum(map(is_chunk, values)) * 2 >= len(values) > 0:
        title = title_of([told.message for told in responses(read)])
        yield _conversation(source, "0", title, lambda: load_stream(source), len(source.data))
    elif (source.container == "jsonl" and is_array(values)) or (len(values) == 1 and is_entry(values[0])):
        yield _conversation(source, "0", title_of(values), lambda: load_lines(source), len(source.data))
    else:
        yield from _each(source, read)


def _each(source: Source, read: list[tuple[int, Any]]) -> Iterator[Conversation]:
    """One conversation for each array; pairs that stand one a line are chained over the lines."""
    values = dict(read)
    paired = [pair for record, value in read if (pair := pair_in(value, record)) is not None]
    found: list[Found]
    if source.container == "jsonl" and paired:
        found = [found_in(chain, values[chain.last.record]) for chain in chains(paired, values.__getitem__)]
    else:
        found = [one for record, value in read for one in spots_in(record, value)]
    records = Counter(one.spot.record for one in found)
    for number, one in enumerate(found):
        spot, value = one.spot, values[one.spot.record]
        held = loads(at(value, spot.inside)) if spot.inside is not None else at(value, spot.array)
        entries = held if isinstance(held, list) else [at(value, spot.reply)]
        title = one.chain.titled(title_of(entries)) if one.chain else title_of(entries)
        named = f"{one.name}: {title}" if one.name in ("chosen", "rejected") else title
        yield _conversation(
            source, str(number), named, _loader(source, one), bytes_of(source, records, one.spot.record)
        )


def _loader(source: Source, found: Found) -> Callable[[], Session]:
    return lambda: load_array(source, found)


def _conversation(
    source: Source, id: str, title: str, load: Callable[[], Session], size: int | None
) -> Conversation:
    return Conversation(id, title or source.name or "conversation", load, size=size)
