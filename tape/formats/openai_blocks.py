"""Entries of the Chat Completions dialect as messages: roles, content parts, calls, reasoning, legacy forms.

The trap this file is about: one tool message a result, so that neighbors are joined into one user message and
must come apart again; and calls that some tools write twice, as content part and in ``tool_calls``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, repeat
from typing import Any, Final

from tape.model import (
    Block,
    Blocks,
    Document,
    Image,
    Json,
    Message,
    Other,
    Place,
    Role,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    message,
)
from tape.records import loads
from tape.wire import parse_block

RESULT_ROLES: Final = ("tool", "function")
ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "user",
    "function": "user",
}
REASONING: Final = ("reasoning_content", "reasoning", "thinking")
DOUBLES: Final = ("tool_use", "tool_call", "tool_output")
PLAIN_KEYS: Final = frozenset(("role", "content", "tool_calls", "tool_call_id", "name"))
OPEN: Final = 200
READ_KEYS: Final = frozenset(
    ("role", "content", "tool_calls", "function_call", "refusal", "thinking_blocks", "reasoning_details")
) | frozenset(REASONING)
RESULT_KEYS: Final = READ_KEYS | {"tool_call_id", "is_error"}
NAMES: Final = {"finish_reason": "stop_reason", "name": "name", "timestamp": "timestamp", "model": "model"}


def is_result(value: Json) -> bool:
    """Whether an entry is the answer to a call."""
    return isinstance(value, dict) and value.get("role") in RESULT_ROLES


@dataclass(slots=True)
class Ids:
    """Makes ids where the file has none, and says which call an answer without id belongs to."""

    made: int = 0
    open: list[tuple[str, str]] = field(default_factory=list)

    def call(self, id: Json, name: str) -> tuple[str, bool]:
        """The id of a call and whether it is ours."""
        if isinstance(id, int | float) and not isinstance(id, bool):
            id = str(id)
        if not isinstance(id, str) or not id:
            self.made += 1
            id = f"gen_{self.made}"
            self.open = [*self.open[-OPEN:], (id, name)]
            return id, True
        self.open = [*self.open[-OPEN:], (id, name)]
        return id, False

    def answer(self, id: Json, name: Json) -> tuple[str, bool]:
        """The id that an answer quotes; without one, that of the first open call with its name, else of the
        first open call."""
        if isinstance(id, int | float) and not isinstance(id, bool):
            id = str(id)
        if isinstance(id, str) and id:
            self.open = [one for one in self.open if one[0] != id]
            return id, False
        named = (one for one in self.open if one[1] == name)
        fits = next(named, self.open[0] if self.open and not isinstance(name, str) else None)
        if fits is None:
            self.made += 1
            return f"gen_{self.made}", True
        self.open.remove(fits)
        return fits[0], True


@dataclass(slots=True)
class Parsed:
    """An entry read: its role, blocks, and what else is known of it; ``doubles`` are calls written twice."""

    role: Role
    blocks: list[Block]
    meta: dict[str, Any]
    doubles: list[str] = field(default_factory=list)


def parse_entry(value: Json, uid: str, place: Place, ids: Ids, first: int = 0) -> Parsed:
    """One entry; its blocks are named ``<uid>.<n>`` from ``first`` on. Never raises on data."""
    entry: Mapping[str, Json] = value if isinstance(value, dict) else {"content": value}
    written = entry.get("role")
    role = ROLES.get(written, "user") if isinstance(written, str) else "user"
    meta: dict[str, Any] = {"content_form": _form(entry)}
    if written != role:
        meta["role"] = written
    if not isinstance(written, str) or written not in ROLES:
        meta["unknown_role"] = written
    plain = entry.keys() <= PLAIN_KEYS
    if plain:
        if isinstance(entry.get("name"), str):
            meta["name"] = entry["name"]
    else:
        meta |= {name: entry[key] for key, name in NAMES.items() if isinstance(entry.get(key), str)}
        read = READ_KEYS if written not in RESULT_ROLES else RESULT_KEYS
        extra = {k: v for k, v in entry.items() if k not in read and k not in NAMES}
        if extra:
            meta["extra"] = extra
    parsed = Parsed(role, [], meta)
    if written in RESULT_ROLES:
        parsed.blocks = [_result(entry, f"{uid}.{first}", place, ids)]
        return parsed
    names = (f"{uid}.{i}" for i in count(first))
    if not plain:
        parsed.blocks += _reasoning(entry, place, names)
    parsed.blocks += _content(entry, place, names, parsed)
    if not plain or "tool_calls" in entry:
        parsed.blocks += _calls(entry, place, names, ids)
    refusal = entry.get("refusal")
    if isinstance(refusal, str) and refusal:
        here = _in(place, "refusal")
        parsed.blocks.append(Other(uid=next(names), place=here, raw=refusal, type="refusal", value=refusal))
    if meta["content_form"] == "empty" and not parsed.blocks:
        meta["content_form"] = "string"
        parsed.blocks = [Text(uid=next(names), text="", place=_in(place, "content"))]
    return parsed


def made(uid: str, parsed: Parsed, place: Place) -> Message:
    """The message of one entry."""
    meta = {**parsed.meta, **({"doubled": tuple(parsed.doubles)} if parsed.doubles else {})}
    return message(uid, parsed.role, tuple(parsed.blocks), meta=meta, records=(place.record,), place=place)


def _form(entry: Mapping[str, Json]) -> str:
    content = entry.get("content")
    if isinstance(content, str):
        return "string" if content else "empty"
    if isinstance(content, list):
        return "list"
    return "other" if content is not None else "null" if "content" in entry else "absent"


def _in(place: Place, *steps: str | int) -> Place:
    return Place(place.record, (*place.path, *steps))


def _result(entry: Mapping[str, Json], uid: str, place: Place, ids: Ids) -> ToolResult:
    several = entry.get("tool_call_ids")
    first = several[0] if isinstance(several, list) and several else None
    id, ours = ids.answer(entry.get("tool_call_id", first), entry.get("name"))
    content, error = entry.get("content"), entry.get("is_error")
    inner: str | Blocks | None
    if content is None or isinstance(content, str):
        inner = content
    else:
        parts = content if isinstance(content, list) else [content]
        inner = tuple(
            parse_part(part, _in(place, "content", i), f"{uid}.{i}") for i, part in enumerate(parts)
        )
    return ToolResult(
        uid=uid,
        place=place,
        raw=entry,
        tool_use_id=id,
        content=inner,
        is_error=error if isinstance(error, bool) else None,
        generated_id=ours,
    )


def _content(
    entry: Mapping[str, Json], place: Place, names: Iterator[str], parsed: Parsed
) -> Iterator[Block]:
    content = entry.get("content")
    if isinstance(content, str):
        if content:
            yield Text(uid=next(names), text=content, place=_in(place, "content"))
        return
    known = _twins(entry) if isinstance(content, list) and entry.get("tool_calls") else {}
    for i, part in enumerate(content if isinstance(content, list) else [] if content is None else [content]):
        kind = part.get("type") if isinstance(part, dict) else None
        twin = known.get(_part_id(part)) if kind in DOUBLES else None
        if twin is not None:
            given = part.get("input", part.get("args"))
            same = given is None or given == twin.input or kind == "tool_output"
            parsed.doubles.append("same" if same else "differs")
            continue
        here = _in(place, "content", i) if isinstance(content, list) else _in(place, "content")
        yield parse_part(part, here, next(names))


def _twins(entry: Mapping[str, Json]) -> dict[str, ToolUse]:
    """The calls of an entry by their ids, to tell which content parts repeat them."""
    calls = _calls(entry, Place(0), repeat(""), Ids())
    return {call.id: call for call in calls if isinstance(call, ToolUse) and not call.generated_id}


def _part_id(part: dict[str, Json]) -> str:
    return str(part.get("id") or part.get("tool_call_id") or part.get("call_id") or "")


def parse_part(part: Json, place: Place, uid: str = "") -> Block:
    """One content part. Blocks of the Anthropic form are taken as such."""
    common: dict[str, Any] = {"uid": uid, "place": place, "raw": part}
    if isinstance(part, str):
        return Text(text=part, **common)
    if not isinstance(part, dict):
        return parse_block(part, uid, place)
    kind = part.get("type")
    if kind in ("input_text", "output_text") and isinstance(part.get("text"), str):
        return Text(text=part["text"], **common)
    if kind == "image_url":
        return _image(part.get("image_url"), common)
    if kind == "file" and isinstance(part.get("file"), dict):
        file = part["file"]
        media, data = split_data_url(file.get("file_data"))
        name = file.get("filename")
        ref = file.get("file_id")
        return Document(
            media_type=media,
            data=data,
            title=name if isinstance(name, str) else None,
            ref=ref if isinstance(ref, str) else None,
            **common,
        )
    return parse_block(part, uid, place)


def _image(value: Json, common: dict[str, Any]) -> Block:
    url = value.get("url") if isinstance(value, dict) else value
    media, data = split_data_url(url)
    if data is not None:
        return Image(source="base64", media_type=media, data=data, **common)
    if isinstance(url, str) and url:
        return Image(source="url", ref=url, **common)
    return Image(source="missing", **common)


def split_data_url(value: Json) -> tuple[str | None, str | None]:
    """Media type and base64 of a ``data:`` address; ``None`` twice where it is none."""
    if not isinstance(value, str) or not value.startswith("data:") or "," not in value[:200]:
        return None, None
    head, _, data = value.partition(",")
    return head[5:].split(";")[0] or None, data


def _calls(entry: Mapping[str, Json], place: Place, names: Iterator[str], ids: Ids) -> Iterator[Block]:
    calls = entry.get("tool_calls")
    for i, call in enumerate(calls if isinstance(calls, list) else ()):
        here = _in(place, "tool_calls", i)
        if not isinstance(call, dict):
            yield Other(uid=next(names), place=here, raw=call, type="tool_call", value=call)
        else:
            yield parse_call(call, here, ids, next(names))
    legacy = entry.get("function_call")
    if isinstance(legacy, dict):
        yield parse_call({"function": legacy}, _in(place, "function_call"), ids, next(names))


def parse_call(call: dict[str, Json], place: Place, ids: Ids, uid: str = "") -> ToolUse:
    """One call: of a function (arguments a string, with some servers an object) or of a custom tool."""
    custom = call.get("custom")
    inner = custom if isinstance(custom, dict) else call.get("function")
    function: dict[str, Json] = inner if isinstance(inner, dict) else call
    name = function.get("name")
    name = name if isinstance(name, str) else ""
    id, ours = ids.call(call.get("id"), name)
    given, arguments = function.get("arguments"), None
    if isinstance(custom, dict):
        given = {"input": custom.get("input")}
    elif isinstance(given, str):
        given, arguments = parsed_arguments(given), given
    elif given is None:
        given = {}
    return ToolUse(
        uid=uid,
        place=place,
        raw=call,
        id=id,
        name=name,
        input=given,
        arguments=arguments,
        generated_id=ours,
    )


def parsed_arguments(text: str) -> Json:
    """Arguments as an object; an empty string is one without members. What is none stays the string."""
    if not text.strip():
        return {}
    try:
        value = loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def _reasoning(entry: Mapping[str, Json], place: Place, names: Iterator[str]) -> Iterator[Block]:
    """Thinking, under each vendor's own name; where it stands twice the richer form counts."""
    signed = entry.get("thinking_blocks")
    if isinstance(signed, list) and signed:
        yield from (
            parse_block(b, next(names), _in(place, "thinking_blocks", i)) for i, b in enumerate(signed)
        )
        return
    details = entry.get("reasoning_details")
    if isinstance(details, list) and details:
        for i, detail in enumerate(details):
            yield _detail(detail, _in(place, "reasoning_details", i), next(names))
        return
    for key in REASONING:
        text = entry.get(key)
        if isinstance(text, str) and text:
            yield Thinking(uid=next(names), text=text, place=_in(place, key))
            return


def _detail(value: Json, place: Place, uid: str) -> Block:
    if isinstance(value, dict):
        text = value.get("text", value.get("summary"))
        signature = value.get("signature")
        if isinstance(text, str):
            sign = signature if isinstance(signature, str) else None
            return Thinking(uid=uid, text=text, signature=sign, place=place, raw=value)
        if isinstance(value.get("data"), str):
            return Thinking(uid=uid, data=value["data"], place=place, raw=value)
    return Other(uid=uid, place=place, raw=value, type="reasoning", value=value)
