"""The exchanges of a proxy log as lines of request and response, which the formats of the APIs read.

A log keeps bodies as JSON, as strings of JSON, packed or as streams, between much that is no body. Here each
exchange with a model becomes one line ``{"request", "response"}`` of a source of its own, which edits change;
what changed in a line goes back to where the bodies stand in the log.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from tape.containers import repack
from tape.errors import UserError
from tape.formats.anthropic_messages import AnthropicMessages
from tape.formats.anthropic_stream import reply_of
from tape.formats.arrays import Path, at, documents, patched
from tape.formats.base import Conversation, Dumped, Format, Sample
from tape.formats.bedrock import BedrockConverse
from tape.formats.dialect import dialect
from tape.formats.openai_chat import OpenAIChat
from tape.formats.openai_responses import OpenAIResponses
from tape.formats.openai_stream import is_chunk, responses
from tape.json_text import Edit, Set, patch, same
from tape.model import Json, Place, Session
from tape.notes import Note
from tape.records import LIMIT_BYTES, Made, Outer, Source, limit, line_of, loads

DIALECTS: Final[Mapping[str, Format]] = {
    one.name: one for one in (AnthropicMessages(), OpenAIChat(), OpenAIResponses(), BedrockConverse())
}
PATHS: Final = (
    ("/chat/completions", "openai-chat"),
    ("/v1/messages", "anthropic-messages"),
    ("/responses", "openai-responses"),
    ("/converse", "bedrock-converse"),
)
COPIES: Final = "The earlier requests that repeat this history keep it as it was."
NO_PLACE: Final = "The log holds this body packed or as a stream; it stays in the file as it was."


@dataclass(frozen=True, slots=True)
class Held:
    """A body: its value, and where it stands as JSON, with ``text`` as JSON in a string. Where the log says
    the same in another form, ``edits`` gives what to change there for a new value, ``None`` where it cannot
    say it. Without place and edits it cannot be changed."""

    value: Json
    place: Place | None = None
    text: bool = False
    edits: Callable[[Json], Sequence[tuple[int, Edit]] | None] | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request with its answer; ``url`` is the address or the path that was asked."""

    url: str
    request: Held
    response: Held


Writer = Callable[[Sequence[tuple[Held, Json]]], bytes]


class Exchanges:
    """A log that lines of exchanges were taken from: the ``outer`` of their source, by dialect."""

    def __init__(self, source: Source, found: Iterable[Exchange], write: Writer | None = None) -> None:
        self.source, self.data, self.name = source, source.data, source.name
        self.outer, self.member = source.outer, source.member
        self.notes: list[Note] = []
        self._write = write or self._patched
        self.by_dialect: dict[str, list[Exchange]] = {}
        self.others = 0
        for one in found:
            spoken = spoken_by(one)
            if spoken is None:
                self.others += 1
            else:
                self.by_dialect.setdefault(spoken, []).append(one)

    def sources(self) -> Iterator[tuple[str, Source]]:
        """For each dialect a source of lines."""
        for spoken, found in self.by_dialect.items():
            values = [{"request": one.request.value, "response": one.response.value} for one in found]
            bytes_of = partial(self._bytes_of, found)
            yield spoken, Made(values, self.name, outer=self, member=spoken, bytes_of=bytes_of)

    def _bytes_of(self, found: Sequence[Exchange], i: int) -> int:
        """The bytes of the line of an exchange, or in a document of what stands there of its bodies; 0 where
        the request is put together from what stands elsewhere."""
        place = found[i].request.place
        if place is None or self.source.container not in ("json", "jsonl"):
            return 0
        if self.source.container == "jsonl":
            return self.source.size(place.record)
        bodies = (found[i].request, found[i].response)
        return sum(self._length(held, held.place.path) for held in bodies if held.place is not None)

    def _length(self, held: Held, path: Path) -> int:
        if not held.text:
            return len(line_of(held.value)) - 1
        text = at(self.source.document, path)
        return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))

    def replaced(self, member: str, data: bytes) -> bytes:
        """The log with what changed in the lines of a dialect."""
        return self.changed(member, data)[0]

    def changed(self, member: str, data: bytes) -> tuple[bytes, list[Note]]:
        """The log with what changed in the lines of a dialect, and what could not be changed."""
        edits: list[tuple[Held, Json]] = []
        notes: list[Note] = []
        lines = [value for _, value in documents(Source(data))]
        for i, (one, line) in enumerate(zip(self.by_dialect[member], lines, strict=True)):
            for held, key in ((one.request, "request"), (one.response, "response")):
                if same(held.value, line.get(key)):
                    continue
                if not _takes(held, line.get(key)):
                    notes.append(Note(f"exchange {i + 1}", "response-kept", NO_PLACE))
                else:
                    edits.append((held, line.get(key)))
        asked = {id(one.request) for one in self.by_dialect[member]}
        if len(asked) > 1 and any(id(held) in asked for held, _ in edits):
            notes.append(Note("", "copies-left", COPIES))
        return self._write(edits), notes

    def _patched(self, edits: Sequence[tuple[Held, Json]]) -> bytes:
        by_record: dict[int, list[Edit]] = {}
        for held, value in edits:
            for record, edit in (held.edits(value) or ()) if held.edits else ():
                by_record.setdefault(record, []).append(edit)
            if held.place is not None:
                written = text_of(self.source.held(held.place.record), held, value)
                by_record.setdefault(held.place.record, []).append(Set(held.place.path, written))
        return self.source.restore(bytes(patched(self.source, by_record)))


def _takes(held: Held, value: Json) -> bool:
    """Whether a body can say another value."""
    return held.place is not None or (held.edits is not None and held.edits(value) is not None)


def text_of(document: Json, held: Held, value: Json) -> Json:
    """The value as it stands in the log: in a string only what differs is written anew."""
    if not held.text or held.place is None:
        return value
    return patch(at(document, held.place.path), [Set((), value)])


def spoken_by(one: Exchange) -> str | None:
    """The dialect of an exchange, ``None`` where it is no call of a model."""
    body = one.request.value
    if not isinstance(body, dict) or "count_tokens" in one.url:
        return None
    named = next((name for part, name in PATHS if part in one.url), None)
    messages = body.get("messages")
    if isinstance(messages, list):
        if named in ("anthropic-messages", "openai-chat", "bedrock-converse"):
            return named
        beside = "system" in body or "anthropic_version" in body
        return "anthropic-messages" if beside else dialect(messages)[0]
    return "openai-responses" if isinstance(body.get("input"), (str, list)) and "model" in body else None


def body(value: Any, place: Place | None, *, packed: bool = False) -> Held:
    """A body as a log holds it: JSON, a string of JSON or of a stream, bytes, or (``packed``) base64."""
    if isinstance(value, str) and packed:
        try:
            value = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            return Held(None)
    if isinstance(value, (bytes, bytearray)):
        return body(_unpacked(bytes(value)), None)
    if not isinstance(value, str):
        return Held(value, place)
    if value.lstrip()[:1] in ("{", "["):
        try:
            return Held(loads(value), place, text=True)
        except ValueError:
            pass
    return Held(streamed(value))


def _unpacked(data: bytes) -> str:
    if data.startswith(b"\x1f\x8b"):
        most = limit(LIMIT_BYTES)
        try:
            data = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, most)
        except (zlib.error, gzip.BadGzipFile):
            return ""
    return data.decode("utf-8", "replace")


def streamed(text: str) -> Json:
    """The response body that the text of a stream tells of; an Anthropic one stays as it came."""
    try:
        source = Source(text.encode("utf-8", "replace"))
    except UserError:
        return None
    told = list(documents(source))
    if any(is_chunk(value) for _, value in told):
        one = responses(told)[0]
        choice = {"message": one.message, "finish_reason": one.head.get("finish_reason")}
        return {**one.head, "object": "chat.completion", "choices": [choice]}
    ends = (value for _, value in told if isinstance(value, dict) and isinstance(value.get("response"), dict))
    last = None
    for value in ends:
        last = value["response"] if value.get("type") != "response.created" else last
    if last is not None:
        return last
    return {"body_raw": text} if reply_of(text) else None


class ProxyLog(ABC):
    """A format of exchanges: lists the conversations that they tell of and writes edits back.

    ``read`` of a subclass gives the exchanges of a source."""

    name: str
    label: str

    @property
    def write(self) -> Callable[[Session], Dumped] | None:
        """Nothing: a log is not made of a session."""
        return None

    @abstractmethod
    def opened(self, source: Source) -> Exchanges:
        """The exchanges of a source."""

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """The conversations that the exchanges tell of, those of each dialect apart."""
        for source in sources:
            log = self.opened(source)
            for spoken, lines in log.sources():
                inside = Sample("jsonl", source.name, "")
                for one in DIALECTS[spoken].read([lines], inside):
                    id = one.id if len(log.by_dialect) == 1 else f"{spoken} {one.id}"
                    load = self._loader(one.load, spoken, log.others)
                    yield Conversation(id, one.title, load, one.date, one.size)

    def _loader(self, load: Callable[[], Session], spoken: str, others: int) -> Callable[[], Session]:
        def loaded() -> Session:
            session = load()
            base = session.base
            notes = session.notes
            if others:
                text = f"{others} other exchanges of this log are no calls of a model."
                notes = (*notes, Note("", "other-exchanges", text))
            extra = {**base.extra, "dialect": spoken} if base else {}
            return replace(session, notes=notes, base=base and replace(base, format=self.name, extra=extra))

        return loaded

    def dump(self, session: Session) -> Dumped:
        """The log with only what was edited changed in its bodies."""
        base = session.base
        if base is None:
            raise ValueError("the session has no source")
        lines = base.sources[0]
        log: Outer | None = lines.outer
        if not isinstance(log, Exchanges):
            raise ValueError("the session was read from no log")
        alone = Source(lines.data, lines.name)
        inside = replace(session, base=replace(base, sources=(alone,)))
        dumped = DIALECTS[base.extra["dialect"]].dump(inside)
        data, notes = log.changed(lines.member, dumped.data)
        return Dumped(repack(log.source, data), (*dumped.losses, *notes))
