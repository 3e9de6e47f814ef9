"""ShareGPT and other training rows: turns with ``from`` and ``value``, instructions with an output.

A row is a conversation. A call is JSON in the words of its turn, its result the next turn; neither has an id.
Turns are missing, stand twice or are empty in real data, and stay so. Facts: formats.md 9.11 of the project's
notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tape.formats import sharegpt_write
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.conversations import Spot, again, listed, numbered, value_at
from tape.formats.exports import Exports
from tape.formats.gathering import Gathering
from tape.formats.openai_load import tools_of
from tape.formats.parts import Field, Part, below, result_part, text_part, word
from tape.formats.parts_dump import Form
from tape.formats.titles import shortened, title_of_messages
from tape.json_style import restyle
from tape.model import (
    Block,
    Branch,
    Image,
    Json,
    Message,
    Place,
    Role,
    Session,
    Text,
    ToolResult,
    ToolUse,
    json_text,
)
from tape.records import Source, loads

NAME: Final = "sharegpt"
ROLES: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "chatgpt", "bing", "bard", "model", "bot", "ai"), "assistant"),
    "system": "system",
}
CALLS: Final = ("function_call", "function-call", "tool_call")
ANSWERS: Final = ("observation", "tool", "function_response", "function-response", "tool_response")
LISTS: Final = ("conversations", "conversation")
KEPT: Final = ("instruction", "output")


class ShareGPT(Exports):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "ShareGPT and training rows"
    written_by = "data sets for fine-tuning: ShareGPT, LLaMA-Factory, Axolotl, Alpaca"
    why = "turns with from and value"

    def holds(self, value: Json) -> bool:
        """Told by turns with ``from`` and ``value``, or an instruction with its output."""
        return _key(value) is not None or _is_instruction(value)

    def sniff(self, sample: Sample) -> Guess | None:
        """Sure of turns; an instruction with an output is the structure only."""
        document = sample.document if sample.container == "json" else list(sample.records)
        values = document if isinstance(document, list) and not _are_turns(document) else [document]
        if any(_key(value) is not None for value in values[:20]):
            return Guess(3, self.why)
        return Guess(2, "an instruction with an output") if any(map(_is_instruction, values[:20])) else None

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """Every row, in the order of the files."""
        for source in sources:
            if _are_turns(source.document):
                yield self.conversation(Spot(source, Place(0), 0), source.document)
            else:
                yield from super().read([source], sample)

    def conversation(self, spot: Spot, value: Json) -> Conversation:
        """The row's id, and the first words of its turns as title."""
        key = _key(value)
        turns = value if key == "" else value[key] if key else []
        id = _word(value, "id") or str(spot.number)
        title = _title(turns) if key is not None else shortened(value["instruction"])
        return listed(spot, id, title or f"row {spot.number + 1}", partial(load, spot), None)

    @property
    def write(self) -> Callable[[Session], Dumped]:
        """Makes a row of any session."""
        return sharegpt_write.write

    @property
    def form(self) -> Form:
        """How it is patched."""
        return FORM


def _word(value: Json, key: str) -> str | None:
    found = value.get(key) if isinstance(value, dict) else None
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else None


def _is_turn(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("from"), str) and "value" in value


def _are_turns(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and sum(map(_is_turn, value)) * 10 >= len(value) * 6


def _key(value: Json) -> str | None:
    """Where the turns of a row stand; an empty key for a row that is its turns."""
    if _are_turns(value):
        return ""
    return next((k for k in LISTS if isinstance(value, dict) and _are_turns(value.get(k))), None)


def _is_instruction(value: Json) -> bool:
    return (
        isinstance(value, dict) and all(isinstance(value.get(k), str) for k in KEPT) and "type" not in value
    )


def _title(turns: Sequence[Json]) -> str:
    said = [t for t in turns if isinstance(t, dict) and isinstance(t.get("value"), str)]
    asked = (t["value"] for t in said if ROLES.get(word(t, "from") or "") == "user" and t["value"].strip())
    return shortened(next(asked, said[0]["value"] if said else ""))


def load(spot: Spot, known: str | None = None) -> Session:
    """The session of a row, its turns at the key that is ``known``. Never raises on data."""
    row = value_at(spot)
    key = _key(row) if known is None else known
    if key is None:
        return _instruction(spot, row)
    place = below(spot.place, key) if key else spot.place
    g = Gathering(spot.source, NAME, array=place)
    pictures = iter(_pictures(row))
    turns = row if key == "" else row[key]
    for i, turn in enumerate(turns):
        _take(g, below(place, i), turn, pictures)
    facts: dict[str, Json] = row if isinstance(row, dict) else {}
    if isinstance(facts.get("chosen"), dict):
        _take(g, below(spot.place, "chosen"), facts["chosen"], pictures)
    branches: tuple[Branch, ...] = ()
    if isinstance(facts.get("rejected"), dict):
        branches = _rejected(spot, g, facts["rejected"])
    return numbered(replace(_session(g, spot, facts), branches=branches), spot, len(turns))


def _rejected(spot: Spot, g: Gathering, turn: Json) -> tuple[Branch, ...]:
    """The answer that was not preferred."""
    other = Gathering(spot.source, NAME, array=g.array, first=len(g.drafts))
    _take(other, below(spot.place, "rejected"), turn, iter(()))
    entries = other.messages()
    at = g.drafts[-2].uid if len(g.drafts) > 1 else None
    name = title_of_messages(entries) or "rejected"
    return (Branch(name, at, entries, "rejected"),) if entries else ()


def _instruction(spot: Spot, row: dict[str, Json]) -> Session:
    """A row with an instruction: what went before it, what it says with its input, and the output."""
    g = Gathering(spot.source, NAME, array=below(spot.place, "history", ""))
    history = row.get("history")
    for i, pair in enumerate(history if isinstance(history, list) else ()):
        for j, role in enumerate(("user", "assistant")):
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[j], str):
                g.say("user" if role == "user" else "assistant", below(spot.place, "history", i, j), _words)
    g.say("user", spot.place, _asked)
    if isinstance(row.get("output"), str):
        g.say("assistant", below(spot.place, "output"), _words)
    else:
        g.aside(below(spot.place, "output"), "output", known=False)
    return numbered(_session(g, spot, row), spot, len(g.drafts))


def _words(text: Json, place: Place) -> Sequence[Part]:
    return [replace(text_part(text, place), gone=())]


def _asked(row: Json, place: Place) -> Sequence[Part]:
    keys = [k for k in ("instruction", "input") if isinstance(row.get(k), str) and row[k]]
    return [replace(text_part(row[k], below(place, k)), gone=()) for k in keys]


def _session(g: Gathering, spot: Spot, row: Mapping[str, Json]) -> Session:
    system = row.get("system")
    if isinstance(system, str):
        g.extra["system_place"] = below(spot.place, "system")
    tools = row.get("tools")
    return g.session(
        id=_word(row, "id"),
        system=system if isinstance(system, str) and system else None,
        tools=tools_of(tools) if tools else None,
    )


def _pictures(row: Json) -> list[str]:
    found = row.get("images", row.get("image")) if isinstance(row, dict) else None
    several = found if isinstance(found, list) else [found]
    return [one for one in several if isinstance(one, str)]


def _take(g: Gathering, place: Place, turn: Json, pictures: Iterator[str]) -> None:
    if not isinstance(turn, dict):
        g.aside(place, "no object", known=False)
        return
    written, value = word(turn, "from") or word(turn, "role") or "", turn.get("value")
    if written in ANSWERS:
        g.answer(place, answer_parts)
    elif written in CALLS and _calls(value):
        g.say("assistant", place, call_parts, joins=True)
    elif not isinstance(value, str):
        g.aside(place, written or "untyped", known=False)
    else:
        shown = [ref for _, ref in zip(range(value.count("<image>")), pictures, strict=False)]
        role = "assistant" if written in CALLS else ROLES.get(written, "user")
        facts: dict[str, Any] = {} if written in (*ROLES, *CALLS) else {"unknown_role": written}
        g.say(role, place, partial(turn_parts, tuple(shown)), name=word(turn, "name"), **facts)


def turn_parts(pictures: tuple[str, ...], turn: Json, place: Place) -> Sequence[Part]:
    """The words of a turn, empty ones too, and the pictures that stand in them."""
    where = below(place, "value")
    images = [Part(Image(source="file", ref=ref, place=where, raw=ref)) for ref in pictures]
    return [replace(text_part(turn["value"], where), gone=()), *images]


def _calls(value: Json) -> list[dict[str, Any]]:
    """The calls in the words of a turn; none where they are no JSON of this kind."""
    try:
        held = loads(value) if isinstance(value, str) else value
    except ValueError:
        return []
    several = held if isinstance(held, list) else [held]
    good = all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in several)
    return several if good else []


def call_parts(turn: Json, place: Place) -> Sequence[Part]:
    """Calls as JSON: one of them can be changed in its place."""
    value = turn["value"]
    several = _calls(value)
    return [_call(one, value if len(several) == 1 else None, below(place, "value")) for one in several]


def _call(one: dict[str, Any], text: Json, place: Place) -> Part:
    given = one.get("arguments", one.get("parameters", {}))
    key = "parameters" if "parameters" in one and "arguments" not in one else "arguments"
    try:
        input = loads(given) if isinstance(given, str) else given
    except ValueError:
        input = given
    block = ToolUse(id="", name=one["name"], input=input, generated_id=True, place=place, raw=one)

    def written(new: ToolUse) -> Json:
        if (new.name, new.input) == (block.name, block.input):
            return text
        after = json_text(new.input) if isinstance(given, str) else new.input
        call = {**one, "name": new.name, key: after}
        if not isinstance(text, str):
            return call
        return restyle(text, [call] if text.lstrip().startswith("[") else call)

    return Part(block, () if text is None else (Field(place.path, written),), ())


def answer_parts(turn: Json, place: Place) -> Sequence[Part]:
    """The result of the call before."""
    return [result_part(turn, place, content=("value",), tool=word(turn, "name"), gone=())]


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """The turns of a message, with the names for its role that the turns before it have."""
    if not like or not isinstance(like[-1], dict):
        return None
    used = (word(t, "from") or "" for t in like if isinstance(t, dict))
    names = {ROLES[name]: name for name in used if name in ROLES}
    usual = {"user": "human", "assistant": "gpt", "system": "system"}
    made = [_made(block, names.get(entry.role, usual[entry.role])) for block in entry.blocks]
    return None if not made or None in made else made


def _made(block: Block, name: str) -> Json | None:
    match block:
        case Text():
            return {"from": name, "value": block.text}
        case ToolUse() if not block.server:
            return {
                "from": "function_call",
                "value": json_text({"name": block.name, "arguments": block.input}),
            }
        case ToolResult() if not block.server:
            return {"from": "observation", "value": block.text}
    return None


def _again(source: Source, session: Session) -> Session | None:
    """The row of a changed source: its turns are where they were, few of them as there may be now."""
    base = session.base
    path = base.extra["array"].path if base else ()
    if base and not path and base.sources[0].container == "json":
        return load(Spot(source, Place(0), 0), "")
    key = None if path[-1:] == ("",) else path[-1] if path and path[-1] in LISTS else ""
    return again(source, session, lambda spot: load(spot, key))


FORM: Final = Form("A row of turns", _again, _make)
