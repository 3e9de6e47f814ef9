"""Langfuse: a trace with its observations; each generation repeats the history of its agent.

What went in and came out is JSON, or JSON in a string, sometimes twice. Definitions of tools stand among
the messages as role ``tool``, and what a tool answered may have the tool's name for a role. Facts:
formats.md 9.2 of the project's notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from tape.formats.arrays import at, documents
from tape.formats.base import Guess, Sample
from tape.formats.dialect import ANTHROPIC, dialect, is_array
from tape.formats.exchanges import Exchange, Exchanges, Held, ProxyLog
from tape.formats.parts import below, word
from tape.formats.span_log import number
from tape.json_text import Edit, Set, patch, same
from tape.model import Json, Place
from tape.records import Source, loads

KINDS: Final = ("GENERATION", "SPAN", "AGENT", "TOOL", "EVENT", "CHAIN", "RETRIEVER", "EMBEDDING")
ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function", "human", "ai", "model")
RENAMED: Final = {"human": "user", "ai": "assistant", "model": "assistant"}
ADDRESS: Final = {ANTHROPIC: "/v1/messages", "openai-chat": "/chat/completions"}


class Langfuse(ProxyLog):
    """The format; see ``tape.formats.base.Format``."""

    name = "langfuse"
    label = "Langfuse trace"
    written_by = "Langfuse exports and its API"
    evidence: Literal["files", "documentation"] = "documentation"

    def sniff(self, sample: Sample) -> Guess | None:
        """A trace with its observations, or observations."""
        records = (sample.document,) if sample.container == "json" else sample.records[:20]
        for record in records:
            if isinstance(record, dict) and isinstance(record.get("observations"), list):
                return Guess(3, "a trace with observations, as Langfuse exports it")
            several = record[:20] if isinstance(record, list) else [record]
            if any(map(_is_observation, several)):
                return Guess(3, "observations as Langfuse exports them")
        return None

    def opened(self, source: Source) -> Exchanges:
        """The generations of the file that say what was sent, by their time."""
        found = list(_observations(documents(source)))
        outer = {above for place, one in found if (above := word(one, "parentObservationId"))}
        calls = [(one, made) for place, one in found if (made := _exchange(place, one)) is not None]
        inner = [c for c in calls if word(c[0], "id") not in outer or word(c[0], "type") == "GENERATION"]
        inner.sort(key=lambda call: word(call[0], "startTime") or "")
        return Exchanges(source, [made for _, made in inner])


def _is_observation(value: Json) -> bool:
    if not isinstance(value, dict) or value.get("type") not in KINDS:
        return False
    return "parentObservationId" in value or ("traceId" in value and "input" in value)


def _observations(records: Iterable[tuple[int, Json]]) -> Iterator[tuple[Place, Mapping[str, Json]]]:
    for record, value in records:
        for place, held in _traces(value, Place(record)):
            several: Any = held.get("observations") if isinstance(held, dict) else None
            if isinstance(several, list):
                for i, one in enumerate(several):
                    if isinstance(one, dict):
                        yield below(place, "observations", i), one
            elif isinstance(held, dict) and _is_observation(held):
                yield place, held


def _traces(value: Json, place: Place) -> Iterator[tuple[Place, Json]]:
    if isinstance(value, list):
        for i, one in enumerate(value):
            yield below(place, i), one
    else:
        yield place, value


@dataclass(frozen=True, slots=True)
class _Found:
    """A value of an observation, the place of the value or of the string that it stands in, how often it is
    JSON in a string, and the steps from there."""

    value: Json
    place: Place
    wraps: int = 0
    path: tuple[str | int, ...] = ()

    def inside(self, *path: str | int) -> _Found:
        return _Found(at(self.value, path), self.place, self.wraps, (*self.path, *path))

    def change(self, written: Json, value: Json) -> tuple[int, Edit] | None:
        """The edit that puts another value here; ``written`` is what the file has at the place."""
        if not self.wraps:
            return self.place.record, Set((*self.place.path, *self.path), value)
        if self.wraps > 1 or not isinstance(written, str):
            return None
        return self.place.record, Set(self.place.path, patch(written, [Set(self.path, value)]))


def _unwrapped(value: Json, place: Place) -> _Found:
    wraps = 0
    while isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"') and wraps < 3:
        try:
            value = loads(value)
        except ValueError:
            break
        wraps += 1
    return _Found(value, place, wraps)


def _exchange(place: Place, one: Mapping[str, Json]) -> Exchange | None:
    """The request and response of an observation; ``None`` where it holds no messages."""
    given = _unwrapped(one.get("input"), below(place, "input"))
    listed = _messages(given)
    if listed is None or word(one, "type") in ("TOOL", "EVENT", "RETRIEVER", "EMBEDDING"):
        return None
    entries: Any = listed.value
    tools = [tool for entry in entries if (tool := _definition(entry)) is not None]
    kept = [(i, _renamed(entry)) for i, entry in enumerate(entries) if _definition(entry) is None]
    array = [entry for _, entry in kept]
    spoken = dialect(array)[0]
    body: dict[str, Any] = {"model": word(one, "model") or word(one, "providedModelName") or ""}
    if isinstance(given.value, dict):
        body |= {k: given.value[k] for k in ("system", "tools") if given.value.get(k)}
    body |= {"messages": array, **({"tools": tools} if tools and "tools" not in body else {})}

    def edits(new: Json) -> Sequence[tuple[int, Edit]] | None:
        changed: Any = at(new, ("messages",))
        others = isinstance(new, dict) and all(same(body[k], new.get(k)) for k in body if k != "messages")
        if not others or not isinstance(changed, list):
            return None
        return _put_back(listed, one.get("input"), entries, kept, changed)

    sent = Held(body, edits=edits)
    return Exchange(ADDRESS.get(spoken, ""), sent, _response(place, one, spoken))


def _messages(given: _Found) -> _Found | None:
    for path in ((), ("messages",), (0,)):
        found = given.inside(*path)
        array = found.value
        if isinstance(array, list) and is_array([one for one in array if _definition(one) is None]):
            return found
    return None


def _definition(entry: Json) -> Json:
    """The tool that a message of role ``tool`` declares, ``None`` for any other."""
    content = at(entry, ("content",))
    if word(entry, "role") != "tool" or not isinstance(content, dict) or "function" not in content:
        return None
    return content


def _renamed(entry: Json) -> Json:
    """A message whose role is a word of a framework or the name of a tool, under its role."""
    role = word(entry, "role")
    if not isinstance(entry, dict) or role is None or (role in ROLES and role not in RENAMED):
        return entry
    if role in RENAMED:
        return {**entry, "role": RENAMED[role]}
    return {**entry, "role": "tool", "name": role}


def _put_back(
    listed: _Found,
    written: Json,
    entries: Sequence[Json],
    kept: Sequence[tuple[int, Json]],
    changed: Sequence[Json],
) -> Sequence[tuple[int, Edit]] | None:
    """The messages of the file for an array that was edited: those that stayed as they were written."""
    found: list[Json] = [entry for entry in entries if _definition(entry) is not None]
    start = 0
    for entry in changed:
        place = next((n for n in range(start, len(kept)) if same(kept[n][1], entry)), None)
        if place is not None:
            start = place + 1
        found.append(entry if place is None else entries[kept[place][0]])
    if len(found) == len(entries) and kept and kept[0][0] == 0:
        # Definitions behind the messages stay there.
        found = [*found[len(entries) - len(kept) :], *found[: len(entries) - len(kept)]]
    change = listed.change(written, found)
    return None if change is None else [change]


def _response(place: Place, one: Mapping[str, Json], spoken: str) -> Held:
    got = _unwrapped(one.get("output"), below(place, "output"))
    message = _reply(got)
    if message is None:
        return Held(None)
    said: Any = message.value if isinstance(message.value, dict) else {"content": message.value}
    said = {"role": "assistant", **said}
    usage = usage_of(one)
    model = word(one, "model") or word(one, "providedModelName")
    if spoken == ANTHROPIC:
        content = said.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        body: dict[str, Any] = {"id": word(one, "id"), "type": "message", "role": "assistant", "model": model}
        return Held({**body, "content": blocks, "usage": usage and _anthropic(usage)})
    reason = "tool_calls" if said.get("tool_calls") else "stop"
    choice = {"index": 0, "message": said, "finish_reason": reason}
    body = {"object": "chat.completion", "model": model, "choices": [choice]}
    body |= {"usage": usage} if usage else {}

    def edits(new: Json) -> Sequence[tuple[int, Edit]] | None:
        changed: Any = at(new, ("choices", 0, "message"))
        rest = same(body | {"choices": 0}, {**new, "choices": 0}) if isinstance(new, dict) else False
        if not rest or not isinstance(changed, dict):
            return None
        value = changed if isinstance(message.value, dict) else changed.get("content")
        if isinstance(message.value, dict) and "role" not in message.value:
            value = {k: v for k, v in changed.items() if k != "role"}
        change = message.change(one.get("output"), value)
        return None if change is None else [change]

    return Held(body, edits=edits)


def _reply(got: _Found) -> _Found | None:
    """The message that came back: by itself, the last of a list, in a choice, or its words alone."""
    value = got.value
    if isinstance(value, dict):
        for path in ((), ("choices", 0, "message"), ("message",), ("completion",)):
            inner = got.inside(*path)
            if isinstance(inner.value, dict) and inner.value.keys() & {"content", "tool_calls"}:
                return inner
            if path and isinstance(inner.value, str):
                return inner
        return None
    if isinstance(value, list) and value:
        last = got.inside(len(value) - 1)
        return last if word(last.value, "role") in ("assistant", "ai", "model") else None
    return got if isinstance(value, str) and value else None


def usage_of(one: Mapping[str, Json]) -> dict[str, Any] | None:
    """The counts of a generation in OpenAI's terms; Langfuse keeps what was cached apart from the input."""
    told: Any = one.get("usageDetails") or one.get("usage")
    if not isinstance(told, Mapping):
        return None
    counts = {key: count for key, value in told.items() if (count := number(value)) is not None}
    fresh = next((counts[k] for k in ("input", "promptTokens", "prompt_tokens") if k in counts), None)
    said = next((counts[k] for k in ("output", "completionTokens", "completion_tokens") if k in counts), None)
    cached = sum(n for key, n in counts.items() if key in ("input_cached_tokens", "cache_read_input_tokens"))
    wrote = counts.get("input_cache_creation", counts.get("cache_creation_input_tokens", 0))
    if fresh is None and said is None:
        return None
    made: dict[str, Any] = {"prompt_tokens": None if fresh is None else fresh + cached + wrote}
    made["completion_tokens"] = said
    if cached:
        made["prompt_tokens_details"] = {"cached_tokens": cached}
    return {key: value for key, value in made.items() if value is not None}


def _anthropic(usage: Mapping[str, Any]) -> dict[str, Any]:
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    prompt = usage.get("prompt_tokens")
    told = {
        "input_tokens": None if prompt is None else prompt - (cached or 0),
        "cache_read_input_tokens": cached,
        "output_tokens": usage.get("completion_tokens"),
    }
    return {key: value for key, value in told.items() if value is not None}
