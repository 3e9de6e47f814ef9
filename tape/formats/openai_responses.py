"""OpenAI Responses: requests, responses, lists of items, streams, and the state of an Agents SDK run.

Facts: formats.md 7.3 and 9.5 of the project's notes, and bodies recorded from the API. A request that names a
response before it holds only what is new: the array is then incomplete, which is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal

from tape.formats import openai_responses_write
from tape.formats.arrays import Path, at, documents
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.codex_items import make_items
from tape.formats.gathering import Gathering
from tape.formats.openai_load import tools_of
from tape.formats.pairs import NAMES, Chain, Pair, chains
from tape.formats.parts import Part, below, text_part, word
from tape.formats.parts_dump import Form
from tape.formats.parts_dump import dump as dump_parts
from tape.formats.responses_items import gather, is_item
from tape.model import Block, Json, Message, Place, Session, Text, ToolSpec
from tape.notes import Note
from tape.records import Source
from tape.usage_forms import openai as usage_of

NAME: Final = "openai-responses"
PARAMS: Final = (
    *("model", "temperature", "top_p", "max_output_tokens", "tool_choice", "parallel_tool_calls", "text"),
    *("reasoning", "truncation", "store", "include", "metadata", "service_tier", "previous_response_id"),
    *("conversation", "stream"),
)
ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
BEFORE: Final = "It goes on from a response that is not in this file: the array is incomplete."


@dataclass(frozen=True, slots=True)
class Found:
    """One conversation: the paths in a record of the request, its items and the response behind it, and the
    chain of requests that it was rebuilt from."""

    record: int = 0
    request: Path | None = None
    items: Path | None = None
    response: Path | None = None
    state: bool = False
    chain: Chain | None = None


class OpenAIResponses:
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "OpenAI Responses"
    written_by = "the OpenAI API since 2025, and the OpenAI Agents SDK"
    evidence: Literal["files", "documentation"] = "files"
    write = staticmethod(openai_responses_write.write)

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by ``object``, by items without a role, by typed content, by the events of a stream."""
        for record in sample.records[:50]:
            if isinstance(record, dict) and str(record.get("type")).startswith("response."):
                return Guess(3, "the events of a response stream")
        if sample.container == "jsonl" and sample.records and all(map(_is_line, sample.records)):
            if any(map(is_item, sample.records)):
                return Guess(3, "one item of the Responses API on each line")
            return None
        first = sample.records[0] if sample.records else None
        if isinstance(first, dict) and "litellm_call_id" in first:
            return None
        return next((_why(first, found) for found in spots_in(0, first)), None)

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """The conversations of each source in turn."""
        for source in sources:
            yield from _conversations(source)

    def dump(self, session: Session) -> Dumped:
        """The source with only what was edited changed in it."""
        return dump_parts(session, FORM)


def _is_line(value: Json) -> bool:
    return isinstance(value, dict) and ("type" in value or "role" in value) and "payload" not in value


def _why(document: Json, found: Found) -> Guess:
    if found.state:
        return Guess(3, "the state of a run of the Agents SDK")
    if at(document, found.response) is not None:
        return Guess(3, "a response with output items")
    items = at(document, found.items)
    if isinstance(items, list) and any(map(is_item, items)):
        return Guess(3, "items of the Responses API")
    return Guess(2, "a request with model and input")


def spots_in(record: int, document: Json) -> Iterator[Found]:
    """The conversations of one record."""
    if isinstance(document, list) and any(map(is_item, document[:400])):
        yield Found(record, None, ())
    elif isinstance(document, list):
        for i, value in enumerate(document):
            found = _in_object(record, value, (i,))
            if found is not None:
                yield found
    else:
        one = _in_object(record, document, ())
        if one is not None:
            yield one


def _in_object(record: int, value: Json, path: Path) -> Found | None:
    if not isinstance(value, dict):
        return None
    if "$schemaVersion" in value and ("generated_items" in value or "generatedItems" in value):
        key = "generated_items" if "generated_items" in value else "generatedItems"
        return Found(record, None, (*path, key), None, state=True)
    if _is_response(value):
        return Found(record, path, None, path)
    if _is_request(value):
        return Found(record, path, (*path, "input"))
    for asked, answered in NAMES:
        for inner in ((), ("body",)):
            request, response = at(value, (asked, *inner)), at(value, (answered, *inner))
            if _is_request(request):
                behind = (*path, answered, *inner) if _is_response(response) else None
                return Found(record, (*path, asked, *inner), (*path, asked, *inner, "input"), behind)
            if _is_response(response):
                return Found(record, (*path, answered, *inner), None, (*path, answered, *inner))
    return None


def _is_response(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("output"), list)
        and (value.get("object") == "response" or any(map(is_item, value["output"])))
    )


def _is_request(value: Json) -> bool:
    given = value.get("input") if isinstance(value, dict) else None
    if not isinstance(given, (str, list)) or "messages" in value:
        return False
    if isinstance(given, str):
        return "model" in value
    return all(map(_is_line, given)) and ("model" in value or any(map(is_item, given)))


def _conversations(source: Source) -> Iterator[Conversation]:
    read = list(documents(source))
    if any(isinstance(v, dict) and str(v.get("type")).startswith("response.") for _, v in read):
        yield _listed(source, "0", partial(load_stream, source))
        return
    if source.container == "jsonl" and read and all(_is_line(v) for _, v in read):
        yield _listed(source, "0", partial(load_lines, source))
        return
    values = dict(read)
    spots = [(f"{r}.{i}", one) for r, value in read for i, one in enumerate(spots_in(r, value))]
    for id, found in _chained(spots, values.__getitem__):
        id = word(at(values[found.record], found.response), "id") or id
        yield _listed(source, id, partial(load, source, found))


def _chained(spots: list[tuple[str, Found]], document: Callable[[int], Json]) -> Iterator[tuple[str, Found]]:
    """What stands alone, and of requests that repeat each other the largest, where the first stood."""
    told: dict[int, tuple[str, Found]] = {}
    numbers: dict[Pair, int] = {}
    for number, (id, found) in enumerate(spots):
        items = at(document(found.record), found.items)
        if not found.request or isinstance(found.request[-1], int) or not isinstance(items, list):
            told[number] = id, found
        else:
            numbers[Pair(found.record, found.request, found.response, len(items), "input")] = number
    for chain in chains(numbers, document):
        id, found = spots[numbers[chain.last]]
        told[numbers[chain.pairs[0]]] = id, replace(found, chain=chain)
    yield from (told[number] for number in sorted(told))


def _listed(source: Source, id: str, load: Any) -> Conversation:
    return Conversation(id, source.name or "conversation", load, size=len(source.data))


def load(source: Source, found: Found) -> Session:
    """The session of a body, a pair of both, a list of items, or a run's state."""
    document = source.held(found.record)
    array = Place(
        found.record, found.items if found.items is not None else (*(found.response or ()), "output")
    )
    if isinstance(at(document, found.items), str):
        array = Place(found.record, (*(found.request or ()), "input", "none"))
    g = Gathering(source, NAME, array=array)
    g.extra["found"] = found
    if found.chain is not None:
        g.notes += found.chain.remarks()
    if found.state:
        _state(g, found, document)
    elif found.items is not None:
        _items(g, found.record, found.items, at(document, found.items))
    if found.response is not None:
        _response(g, found.record, found.response, at(document, found.response))
    request = at(document, found.request)
    return _session(g, found, request if isinstance(request, dict) else {})


def load_lines(source: Source) -> Session:
    """The session of a file with one item a line."""
    g = Gathering(source, NAME)
    for i, value in g.lines():
        gather(g, Place(i), value)
    return g.session()


def load_stream(source: Source) -> Session:
    """The session of a stream: each response from its last event, else from the items that were done."""
    g = Gathering(source, NAME)
    body: dict[str, Any] = {}
    waiting: list[tuple[Place, Json]] = []
    for i, event in g.lines():
        kind = word(event, "type") or ""
        response = event.get("response")
        if kind == "response.created":
            _told(g, waiting)
        if kind in ENDS and isinstance(response, dict):
            body = response
            if response.get("output"):
                waiting = []
                _response(g, i, ("response",), response)
            else:
                _told(g, waiting)
                _spend(g, response)
            continue
        if kind == "response.output_item.done":
            waiting.append((Place(i, ("item",)), event.get("item")))
        g.aside(Place(i), kind or "untyped", known=kind.startswith(("response.", "error", "keepalive")))
    if waiting:
        _told(g, waiting)
        g.remark(
            Place(max(0, len(source) - 1)), "cut-stream", "The stream breaks off before the response ended."
        )
    return _session(g, None, body)


def _told(g: Gathering, waiting: list[tuple[Place, Json]]) -> None:
    for place, item in waiting:
        gather(g, place, item)
    waiting.clear()


def _items(g: Gathering, record: int, path: Path, items: Json) -> None:
    if isinstance(items, str):
        g.say("user", Place(record, path[:-1]), partial(_prompt_parts, "input"))
    for i, item in enumerate(items if isinstance(items, list) else ()):
        gather(g, Place(record, (*path, i)), item)


def _response(g: Gathering, record: int, path: Path, response: Json) -> None:
    if not isinstance(response, dict):
        return
    details = response.get("incomplete_details")
    facts = {
        "response_id": word(response, "id"),
        "model": word(response, "model"),
        "stop_reason": word(details, "reason") or word(response, "status"),
    }
    for i, item in enumerate(response.get("output") or ()):
        gather(g, Place(record, (*path, "output", i)), item, **facts)
    _spend(g, response)
    error = response.get("error")
    if isinstance(error, dict):
        g.remark(Place(record), "api-error", f"The API reported an error: {error.get('message') or error}")


def _spend(g: Gathering, response: Mapping[str, Json]) -> None:
    g.spend(usage_of(response.get("usage"), lambda text: g.remark(Place(0), "odd-usage", text)))


def _state(g: Gathering, found: Found, document: Json) -> None:
    """The state of a run: what it was asked, and the raw items that it made since."""
    path = found.items or ()
    state = at(document, path[:-1]) if path[:-1] else document
    for key in ("original_input", "originalInput"):
        given = state.get(key)
        if isinstance(given, str):
            g.say("user", Place(found.record, path[:-1]), partial(_prompt_parts, key))
        for i, item in enumerate(given if isinstance(given, list) else ()):
            gather(g, Place(found.record, (*path[:-1], key, i)), item)
    items = at(document, path)
    for i, made in enumerate(items if isinstance(items, list) else ()):
        raw = next((k for k in ("raw_item", "rawItem") if isinstance(made, dict) and k in made), None)
        if raw is None:
            g.aside(Place(found.record, (*path, i)), word(made, "type") or "untyped", known=False)
        else:
            gather(g, Place(found.record, (*path, i, raw)), made[raw])
    responses = state.get("model_responses") or state.get("modelResponses")
    for response in responses if isinstance(responses, list) else ():
        if isinstance(response, dict):
            g.aside(Place(found.record), "model_response", word(response, "response_id") or "")


def _prompt_parts(key: str, state: Json, place: Place) -> Sequence[Part]:
    return [text_part(state[key], below(place, key), home=place)]


def _session(g: Gathering, found: Found | None, body: Mapping[str, Any]) -> Session:
    given = body.get("instructions")
    system = given if isinstance(given, str) else None
    if found is not None and system is not None:
        g.extra["system_place"] = Place(found.record, (*(found.request or ()), "instructions"))
    tools = body.get("tools")
    session = g.session(
        id=word(body, "id"),
        system=system,
        tools=_tools(tools) if isinstance(tools, list) else None,
        params={k: body[k] for k in PARAMS if body.get(k) is not None},
    )
    if body.get("previous_response_id") or body.get("conversation"):
        session = replace(session, notes=(*session.notes, Note("", "incomplete-array", BEFORE)))
    return session


def _tools(value: list[Json]) -> tuple[ToolSpec, ...]:
    """The tools; one that the API runs itself is named by its type."""
    found = tools_of(value) or ()
    return tuple(t if t.name else replace(t, name=word(t.raw, "type") or "") for t in found)


def _again(source: Source, session: Session) -> Session | None:
    found = session.base.extra.get("found") if session.base else None
    if isinstance(found, Found):
        return load(source, found)
    stream = any(
        isinstance(v, dict) and str(v.get("type")).startswith("response.") for _, v in documents(source)
    )
    return load_stream(source) if stream else load_lines(source)


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """Items of a message; in a run's state and in a stream there is no place for new ones."""
    if any(isinstance(one, dict) and ({"raw_item", "rawItem", "response"} & one.keys()) for one in like):
        return None
    return list(make_items(entry))


def _element(block: Block) -> Json | None:
    return {"type": "input_text", "text": block.text} if isinstance(block, Text) else None


FORM: Final = Form("A Responses body", _again, _make, _element)
