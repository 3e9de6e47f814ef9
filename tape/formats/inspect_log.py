"""Logs of Inspect AI: ``.eval`` (a zip, plain or in chunks) and ``.json``; each sample is a conversation.

A sample's messages are the last state of its conversation: what was compacted away is in its events only.
What each reply used stands in the events too. Facts: formats.md 9.7 of the project's notes, measured on logs
of 2024 to 2026.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal

from tape.formats.arrays import at
from tape.formats.base import Conversation, Dumped, Guess
from tape.formats.base import Sample as Head
from tape.formats.conversations import no_messages
from tape.formats.gathering import Gathering
from tape.formats.inspect_parts import Attached, result_parts, said_parts
from tape.formats.inspect_samples import (
    Sample,
    archive_of,
    in_archive,
    in_document,
    names_of,
    summaries,
    title_of,
)
from tape.formats.openai_load import tools_of
from tape.formats.parts import word
from tape.formats.parts_dump import Form
from tape.formats.parts_dump import dump as dump_parts
from tape.model import (
    Document,
    Image,
    Json,
    Message,
    Other,
    Place,
    Role,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Usage,
)
from tape.records import Source
from tape.records.elements import Elements, elements
from tape.usage_forms import inclusive

NAME: Final = "inspect-log"
COPIES: Final = "The log holds copies of this in its events and its output; they were left as they are."
ROLES: Final[Mapping[str, Role]] = {"system": "system", "user": "user", "assistant": "assistant"}


class InspectLog:
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Inspect AI log"
    written_by = "Inspect AI, in logs/*.eval and *.json"
    evidence: Literal["files", "documentation"] = "files"
    write: None = None

    def sniff(self, sample: Head) -> Guess | None:
        """Told by ``version`` and an object ``eval``; a single sample by its epoch and messages."""
        document = sample.document
        if isinstance(document, dict) and "version" in document and isinstance(document.get("eval"), dict):
            return Guess(3, "a version and the object eval of an Inspect log")
        if isinstance(document, dict) and _is_sample(document):
            return Guess(3, "a sample of an Inspect log: epoch, messages and output")
        return None

    def read(self, sources: Sequence[Source], sample: Head) -> Iterable[Conversation]:
        """One conversation a sample, loaded when it is asked for."""
        for source in sources:
            yield from _conversations(source)

    def dump(self, session: Session) -> Dumped:
        """The log with only what was edited changed in it."""
        return dump_parts(session, FORM)


def _is_sample(value: dict[str, Json]) -> bool:
    return "epoch" in value and "output" in value and isinstance(value.get("messages"), list)


def _conversations(source: Source) -> Iterator[Conversation]:
    archive, header = archive_of(source), source.document
    created = word(at(header, ("eval",)), "created")
    if archive is not None and isinstance(header, dict) and not _is_sample(header):
        known = summaries(archive)
        for name in names_of(archive):
            id, _, epoch = (
                name.removeprefix("samples/").strip("/").removesuffix(".json").rpartition("_epoch_")
            )
            facts = known.get((id, epoch), {"id": id, "epoch": epoch, "input": ""})
            load = partial(load_sample, partial(in_archive, archive, name), header)
            date = word(facts, "started_at") or created
            yield Conversation(f"{id}_epoch_{epoch}", title_of(facts), load, date, archive.size(_main(name)))
        return
    samples = at(header, ("samples",))
    several = enumerate(samples) if isinstance(samples, list) else []
    if isinstance(header, dict) and _is_sample(header):
        yield _listed(source, Place(0), header, {}, created)
    for i, value in several:
        if isinstance(value, dict):
            yield _listed(source, Place(0, ("samples", i)), value, header, created)


def _main(name: str) -> str:
    return f"{name}sample.json" if name.endswith("/") else name


def _listed(
    source: Source, place: Place, value: dict[str, Json], header: dict[str, Json], created: str | None
) -> Conversation:
    load = partial(load_sample, partial(in_document, source, place), header)
    id = f"{value.get('id')}_epoch_{value.get('epoch', 1)}"
    return Conversation(id, title_of(value), load, word(value, "started_at") or created)


def load_sample(find: Any, header: Mapping[str, Json]) -> Session:
    """The session of a sample. Raises ``UserError`` where its member of the zip holds no text."""
    sample: Sample = find()
    attached = Attached(sample.attachments)
    g = Gathering(sample.source, NAME, array=sample.place)
    g.extra["header"] = header
    if isinstance(sample.source, Elements):
        records = [place.record for place, _ in sample.messages]
        g.extra["pool"] = ({**sample.facts, "events": None}, sample.attachments, records)
    replies = _replies(sample)
    for number, (place, message) in enumerate(sample.messages):
        _take(g, attached, place, message, replies.get(number, {}))
    _spend(g, sample, replies)
    if not g.drafts:
        g.notes.append(no_messages(str(sample.facts.get("id"))))
    if any(isinstance(e, dict) and e.get("event") == "compaction" for e in sample.events):
        g.remark(
            Place(0), "compacted", "The messages are the last state: what was compacted is in the events."
        )
    tools = next(
        (e["tools"] for e in reversed(sample.events) if isinstance(e, dict) and e.get("tools")), None
    )
    model = word(header.get("eval"), "model") or word(sample.facts.get("output"), "model")
    session = g.session(
        id=f"{sample.facts.get('id')}_epoch_{sample.facts.get('epoch', 1)}",
        title=title_of(sample.facts),
        tools=tools_of(tools) if isinstance(tools, list) else None,
        params={"model": model.partition("/")[2] or model} if model else {},
    )
    report = session.report
    if report is not None:
        count = len(sample.messages)
        report = replace(report, records=count, in_messages=count, merged=max(0, count - len(g.drafts)))
    return replace(session, report=report)


def _take(g: Gathering, attached: Attached, place: Place, message: Json, event: dict[str, Any]) -> None:
    if not isinstance(message, dict):
        g.aside(place, "no object", known=False)
        return
    role = word(message, "role") or ""
    if role == "tool":
        g.answer(place, partial(result_parts, attached))
        return
    facts: dict[str, Any] = {}
    if role == "assistant":
        stop = word(at(event, ("output", "choices", 0)), "stop_reason")
        model = word(message, "model") or word(event.get("output"), "model")
        facts = {"model": model, "timestamp": word(event, "timestamp"), "stop_reason": stop}
    elif role not in ROLES:
        facts = {"unknown_role": role, "role": role}
    g.say(ROLES.get(role, "user"), place, partial(said_parts, attached), **facts)
    if role == "assistant":
        g.spend(usage_of(at(event, ("output", "usage"))))


def _replies(sample: Sample) -> dict[int, dict[str, Any]]:
    """The model event of each reply, by the number of its message: that of its id, else the one that sent all
    messages before it (agents that run outside give their replies other ids)."""
    messages = [message for _, message in sample.messages]
    by_id = {id: i for i, message in enumerate(messages) if (id := word(message, "id")) is not None}
    found: dict[int, dict[str, Any]] = {}
    for event in sample.events:
        if not isinstance(event, dict) or event.get("event") != "model":
            continue
        number = by_id.get(word(at(event, ("output", "choices", 0, "message")), "id") or "")
        if number is None:
            number = _sent(event, messages)
        if number is not None and number < len(messages) and word(messages[number], "role") == "assistant":
            found[number] = event
    return found


def _sent(event: dict[str, Any], messages: Sequence[Json]) -> int | None:
    """How many messages an event sent, if they are the first of the sample's."""
    refs, given = event.get("input_refs"), event.get("input")
    if refs:
        first = at(refs, (0, 0)) if isinstance(refs, list) and len(refs) == 1 else None
        end = at(refs, (0, 1))
        return end if first == 0 and isinstance(end, int) else None
    if not isinstance(given, list) or not given or not messages:
        return None
    same = word(given[0], "id") is not None and word(given[0], "id") == word(messages[0], "id")
    return len(given) if same else None


def _spend(g: Gathering, sample: Sample, replies: Mapping[int, Any]) -> None:
    """Logs whose messages have no ids: as many model events as replies are theirs, in order."""
    drafts = [draft for draft in g.drafts if draft.role == "assistant"]
    if replies and any(draft.spent for draft in drafts):
        return
    events = [e for e in sample.events if isinstance(e, dict) and e.get("event") == "model"]
    if len(events) == len(drafts):
        for draft, event in zip(drafts, events, strict=True):
            usage = usage_of(at(event, ("output", "usage")))
            if usage is not None:
                draft.spent.append((usage, word(event, "timestamp")))
            if model := word(event.get("output"), "model"):
                draft.meta.setdefault("model", model)


def usage_of(value: Json) -> Usage | None:
    """Inspect's counts (tokens). Its total says whether the input includes what was read from the cache."""
    if not isinstance(value, dict):
        return None
    names = (
        *("input_tokens", "output_tokens", "total_tokens", "reasoning_tokens"),
        *("input_tokens_cache_read", "input_tokens_cache_write"),
    )
    given = (value.get(name) for name in names)
    fresh, output, total, thinking, read, written = (
        n if isinstance(n, int) and not isinstance(n, bool) and n >= 0 else None for n in given
    )
    if fresh is not None and (read or written) and total == fresh + (output or 0):
        return inclusive(fresh, cache_read=read, cache_write=written, output=output, thinking=thinking)
    return Usage(input=fresh, cache_read=read, cache_write=written, output=output, thinking=thinking)


def _again(source: Source, session: Session) -> Session | None:
    """The sample in a changed member or document, or the changed pool of one in chunks."""
    if session.base is None:
        return None
    place, header = session.base.extra["array"], session.base.extra["header"]
    pool = session.base.extra.get("pool")
    if pool is None:
        return load_sample(partial(in_document, source, Place(place.record, place.path[:-1])), header)
    facts, attachments, records = pool
    inside = elements(source)
    if inside is None:
        return None
    messages = [(Place(record), inside.json(record)) for record in records]
    return load_sample(lambda: Sample(inside, place, facts, attachments, [], messages), header)


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """The messages of one of ours; ``None`` in a sample in chunks, whose pool cannot grow."""
    if not like or any(isinstance(b, Image | Document | Thinking | Other) for b in entry.blocks):
        return None
    texts = [b.text for b in entry.blocks if isinstance(b, Text)]
    calls = [b for b in entry.blocks if isinstance(b, ToolUse)]
    made: list[Json] = [
        {"role": "tool", "content": b.text, "tool_call_id": b.tool_use_id}
        for b in entry.blocks
        if isinstance(b, ToolResult)
    ]
    if texts or calls or not made:
        content: Json = texts[0] if len(texts) == 1 else [{"type": "text", "text": text} for text in texts]
        said: dict[str, Json] = {"role": entry.role, "content": content if texts else ""}
        if calls:
            said["tool_calls"] = [
                {"id": c.id, "function": c.name, "arguments": c.input, "type": "function"} for c in calls
            ]
        made.append(said)
    return made


FORM: Final = Form("An Inspect log", _again, _make, doubles=COPIES)
