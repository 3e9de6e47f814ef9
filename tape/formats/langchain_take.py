"""Takes messages of LangChain into an array, with what their responses used, and makes new ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from tape import usage_forms
from tape.formats.arrays import at
from tape.formats.gathering import Gathering
from tape.formats.langchain_parts import message_parts, said_of
from tape.formats.openai_fields import arguments_of
from tape.formats.parts import counts, word
from tape.model import Json, Message, Place, Role, Text, ToolResult, ToolUse, Usage

ROLES: Final[dict[str | None, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
CLASSES: Final = {"user": "human", "assistant": "ai", "system": "system", "tool": "tool"}
NAMES: Final = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}


def take_all(g: Gathering, places: Iterable[tuple[Place, Json]]) -> None:
    """Takes messages in, in order."""
    for place, message in places:
        take(g, place, message)


def take(g: Gathering, place: Place, message: Json, **known: Any) -> bool:
    """Takes one message in; ``known`` is what its file says of it elsewhere. Gives whether it says what its
    response used."""
    said = said_of(message)
    if said is None:
        g.aside(place, "no message", known=False)
        return False
    if said.kind == "remove":
        g.aside(place, "RemoveMessage", str(said.body.get("id")))
        return False
    parts = message_parts(message, place)
    if not parts:
        g.aside(place, "empty message")
    elif said.kind == "tool" or all(isinstance(part.block, ToolResult) for part in parts):
        g.answer(place, message_parts, parts=parts)
    else:
        facts: dict[str, Any] = {} if said.kind in ROLES else {"unknown_role": said.body.get("role")}
        key = None
        if said.kind == "assistant":
            facts |= _facts(said.body) | known
            key = word(said.body, "id") if said.chunk else None
        g.say(ROLES.get(said.kind, "user"), place, message_parts, key=key, parts=parts, **facts)
        used = usage_of(said.body) if said.kind == "assistant" else None
        g.spend(used)
        return used is not None
    return False


def _facts(body: dict[str, Any]) -> dict[str, Any]:
    told = body.get("response_metadata")
    return {
        "model": word(told, "model_name") or word(told, "model"),
        "response_id": word(told, "id") or word(body, "id"),
        "stop_reason": word(told, "finish_reason") or word(told, "stop_reason"),
    }


def usage_of(body: dict[str, Any]) -> Usage | None:
    """The counts of a reply (tokens). LangChain's own include what was read from and written to the cache."""
    own = body.get("usage_metadata")
    found = counts(own)
    if found.get("input_tokens") or found.get("output_tokens"):
        details = counts(at(own, ("input_token_details",)))
        return usage_forms.inclusive(
            found.get("input_tokens"),
            cache_read=details.get("cache_read"),
            cache_write=details.get("cache_creation"),
            output=found.get("output_tokens"),
            thinking=counts(at(own, ("output_token_details",))).get("reasoning"),
        )
    if counts(at(body, ("response_metadata", "token_usage"))):
        return usage_forms.openai(at(body, ("response_metadata", "token_usage")))
    if counts(at(body, ("response_metadata", "usage"))):
        return usage_forms.anthropic(at(body, ("response_metadata", "usage")))
    return None


def make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """A message of words, calls and results in the form of those before it; ``None`` for any other."""
    results = [block for block in entry.blocks if isinstance(block, ToolResult)]
    form = like[-1] if like else None
    if results:
        if len(results) < len(entry.blocks) or any(isinstance(one.content, tuple) for one in results):
            return None
        return [
            _formed(
                "tool",
                {
                    "content": one.text,
                    "tool_call_id": one.tool_use_id,
                    "status": "error" if one.is_error else "success",
                },
                form,
            )
            for one in results
        ]
    texts = [block.text for block in entry.blocks if isinstance(block, Text)]
    calls = [block for block in entry.blocks if isinstance(block, ToolUse) and not block.server]
    if (
        len(texts) + len(calls) < len(entry.blocks)
        or not entry.blocks
        or (calls and entry.role != "assistant")
    ):
        return None
    content: Json = texts[0] if len(texts) == 1 else [{"type": "text", "text": t} for t in texts] or ""
    body: dict[str, Json] = {"content": content}
    if calls:
        body["tool_calls"] = [_call(one, form) for one in calls]
    return [_formed(entry.role, body, form)]


def _is_openai(form: Json) -> bool:
    return isinstance(form, dict) and "role" in form and said_of(form, roles=False) is None


def _call(one: ToolUse, form: Json) -> Json:
    if _is_openai(form):
        function = {"name": one.name, "arguments": arguments_of(one)}
        return {"id": one.id, "type": "function", "function": function}
    return {"name": one.name, "args": one.input, "id": one.id, "type": "tool_call"}


def _formed(role: str, body: dict[str, Json], form: Json) -> Json:
    """The fields of a message in the form of another."""
    kind = CLASSES[role]
    if _is_openai(form):
        return {"role": role, **{k: v for k, v in body.items() if k != "status"}}
    id = at(form, ("id",))
    if word(form, "type") == "constructor" and isinstance(id, list):
        kept = {**body, "type": kind}
        return {"lc": 1, "type": "constructor", "id": [*id[:-1], NAMES[kind]], "kwargs": kept}
    if isinstance(at(form, ("data",)), dict):
        return {"type": kind, "data": {**body, "type": kind}}
    return {"type": kind, **body}
