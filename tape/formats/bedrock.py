"""Bedrock Converse: requests, responses, bare messages, streams of events, and logs of model invocations.

Input counts leave cached tokens out. From the service model of botocore 1.44 and the documentation of
invocation logging; bodies of InvokeModel are those of their vendors and no business of this form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

from tape.formats import bedrock_write
from tape.formats.arrays import Path, at, documents
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.bedrock_parts import QUIET, content_parts, element, is_block
from tape.formats.bedrock_stream import EVENTS, gather_stream, is_event
from tape.formats.gathering import Gathering
from tape.formats.log_format import LogFormat
from tape.formats.pairs import Chain, Pair, chains, pair_in, pairs_in
from tape.formats.parts import word
from tape.formats.parts_dump import Form
from tape.formats.titles import title_of
from tape.model import Json, Message, Place, Session, ToolSpec
from tape.records import Source
from tape.usage_forms import bedrock as usage_of

NAME: Final = "bedrock-converse"
LOGGED: Final = (("input", "inputBodyJson"), ("output", "outputBodyJson"))
ANSWER: Final = ("output", "message")
MARKS: Final = ("inferenceConfig", "toolConfig", "additionalModelRequestFields", "guardrailConfig")


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation: the paths in a record of the request, its messages, and the response behind them."""

    record: int
    request: Path | None = None
    array: Path | None = None
    response: Path | None = None
    chain: Chain | None = None


class BedrockConverse(LogFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Bedrock Converse"
    written_by = "Amazon Bedrock's Converse API, its SDKs and invocation logs"
    evidence: Literal["files", "documentation"] = "documentation"

    @property
    def write(self) -> Callable[[Session], Dumped]:
        """Makes a file of this format of any session."""
        return bedrock_write.write

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by blocks with one key and no type, by ``output.message``, by the events of a stream."""
        if _streams(sample.records, sample.document):
            return Guess(3, "the events of a Converse stream")
        if any(_whole(record) for record in sample.records[:50]):
            return Guess(3, "content blocks that are told by their one key, as Bedrock has them")
        return None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """The conversations of each source in turn."""
        for source in sources:
            yield from _conversations(source)


def _streams(records: Sequence[Json], document: Json) -> bool:
    events = document if isinstance(document, list) else records
    return sum(map(is_event, events[:400])) * 2 > len(events[:400])


def _whole(value: Json) -> bool:
    return next(spots_in(0, value), None) is not None


def _is_array(value: Json) -> bool:
    """Whether this is an array of messages whose blocks are of this form."""
    if not isinstance(value, list) or not all(isinstance(one, dict) and "role" in one for one in value):
        return False
    contents = [one.get("content") for one in value[:400]]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return bool(blocks) and all(map(is_block, blocks))


def _is_response(value: Json) -> bool:
    return isinstance(at(value, ANSWER), dict) and ("stopReason" in value or "usage" in value)


def _is_request(value: Json) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return False
    return _is_array(value["messages"]) or any(mark in value for mark in MARKS)


def spots_in(record: int, document: Json) -> Iterator[Found]:
    """The conversations that a document holds; of pairs one for each chain."""
    if _is_array(document):
        yield Found(record, None, ())
    elif _is_request(document):
        yield Found(record, (), ("messages",), () if _is_response(document) else None)
    elif _is_response(document):
        yield Found(record, response=())
    else:
        yield from _chained(_pairs(record, document), lambda _: document)


def _pairs(record: int, document: Json) -> list[Pair]:
    """The pairs of a document whose requests are of this form."""
    found = pairs_in(record, document)
    if (logged := _logged(record, document)) is not None:
        found = [logged]
    return [pair for pair in found if _is_request(at(document, pair.request))]


def _logged(record: int, document: Json) -> Pair | None:
    """The pair of an invocation log."""
    asked, answered = LOGGED
    messages = at(document, (*asked, "messages"))
    return Pair(record, asked, answered, len(messages)) if isinstance(messages, list) else None


def _chained(pairs: Sequence[Pair], document: Callable[[int], Json]) -> Iterator[Found]:
    for chain in chains(pairs, document):
        last = chain.last
        response = last.response if _is_response(at(document(last.record), last.response)) else None
        yield Found(last.record, last.request, (*last.request, "messages"), response, chain)


def _conversations(source: Source) -> Iterator[Conversation]:
    read = list(documents(source))
    values = dict(read)
    title = source.name or "conversation"
    if _streams([value for _, value in read], values.get(0) if source.container == "json" else None):
        yield Conversation("0", title, partial(load_stream, source))
        return
    single = source.container != "json" and any(pair_in(v, r) or _logged(r, v) for r, v in read)
    found: Iterable[Found]
    if single:
        found = _chained([pair for r, v in read for pair in _pairs(r, v)], values.__getitem__)
    else:
        found = (one for r, v in read for one in spots_in(r, v))
    for number, one in enumerate(found):
        entries = at(values[one.record], one.array)
        named = title_of(entries) if isinstance(entries, list) else ""
        named = one.chain.titled(named) if one.chain else named
        yield Conversation(str(number), named or title, partial(load, source, one))


def load(source: Source, found: Found) -> Session:
    """The session of a request, a response, both, or an array. Never raises on data."""
    document = source.held(found.record)
    array = found.array if found.array is not None else (*(found.response or ()), "none")
    g = Gathering(source, NAME, array=Place(found.record, array), blocks=QUIET)
    g.extra["found"] = found
    earlier = found.chain.pairs[:-1] if found.chain else ()
    spent = {pair.count: at(source.held(pair.record), pair.response) for pair in earlier}
    entries = at(document, found.array)
    for i, entry in enumerate(entries if isinstance(entries, list) else ()):
        _say(g, Place(found.record, (*array, i)), entry)
        if i in spent and g.last is g.reply:
            g.spend(usage_of(at(spent[i], ("usage",))))
    request = at(document, found.request)
    body: Mapping[str, Any] = request if isinstance(request, dict) else {}
    model = word(body, "modelId") or word(document, "modelId")
    if found.response is not None:
        response = at(document, found.response)
        place = Place(found.record, (*found.response, *ANSWER))
        _say(g, place, at(response, ANSWER), stop_reason=word(response, "stopReason"), model=model)
        g.spend(usage_of(at(response, ("usage",))))
    if found.chain is not None:
        g.notes += found.chain.remarks()
    return g.session(
        system=_system(g, found, body.get("system")),
        tools=_tools(body),
        params=_params(body, model),
    )


def _say(g: Gathering, place: Place, entry: Json, **facts: Any) -> None:
    if not isinstance(entry, dict):
        g.aside(place, "no object", known=False)
        return
    role = entry.get("role")
    if role == "assistant":
        g.say("assistant", place, content_parts, **facts)
    elif role == "user":
        g.say("user", place, content_parts)
    else:
        g.say("user", place, content_parts, unknown_role=str(role))


def _system(g: Gathering, found: Found, given: Json) -> Json:
    """The system prompt: a string where it is one block, which can be edited."""
    if not isinstance(given, list):
        return None
    texts = [(i, one["text"]) for i, one in enumerate(given) if isinstance(one, dict) and word(one, "text")]
    if len(texts) == 1:
        g.extra["system_place"] = Place(found.record, (*(found.request or ()), "system", texts[0][0], "text"))
        return texts[0][1]
    return [{"type": "text", "text": text} for _, text in texts]


def _tools(body: Mapping[str, Json]) -> tuple[ToolSpec, ...] | None:
    given = at(body, ("toolConfig", "tools"))
    if not isinstance(given, list):
        return None
    specs = [(at(one, ("toolSpec",)), one) for one in given]
    return tuple(
        ToolSpec(
            word(spec, "name") or "",
            word(spec, "description") or "",
            at(spec, ("inputSchema", "json")),
            raw=one,
        )
        for spec, one in specs
        if isinstance(spec, dict)
    )


def _params(body: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    config = body.get("inferenceConfig")
    limits = config if isinstance(config, dict) else {}
    named = {"max_tokens": "maxTokens", "temperature": "temperature", "top_p": "topP"}
    found = {ours: limits[key] for ours, key in named.items() if limits.get(key) is not None}
    if limits.get("stopSequences"):
        found["stop_sequences"] = limits["stopSequences"]
    return {**({"model": model} if model else {}), **found}


def load_stream(source: Source) -> Session:
    """The session of a stream. Never raises on data."""
    events = source.document if isinstance(source.document, list) else None
    g = Gathering(source, NAME, array=None if events is None else Place(0, ()), blocks=QUIET)
    told: Iterable[tuple[Place, Json]]
    if events is not None:
        told = ((Place(0, (i,)), value) for i, value in enumerate(events))
    else:
        told = ((Place(i), value) for i, value in g.lines())
    gather_stream(g, told)
    return g.session()


def _again(source: Source, session: Session) -> Session | None:
    found = session.base.extra.get("found") if session.base else None
    return load(source, found) if isinstance(found, Found) else load_stream(source)


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """A message, but none among the events of a stream."""
    if entry.role == "system" or any(isinstance(one, dict) and EVENTS & one.keys() for one in like):
        return None
    content = [element(block) for block in entry.blocks]
    return None if None in content or not content else [{"role": entry.role, "content": content}]


BedrockConverse.form = Form("A Converse body", _again, _make, element)
