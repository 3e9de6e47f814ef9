"""Messages as cards and blocks as strips: plain data for the view, cut to a size and safe to show.

A body is cut at a number of characters and its true length stands beside it. Text is Markdown rendered and
sanitized on this side; everything else is plain text whose acting characters are visible. Where a card
stands, what it is tied to and what it costs is not here but in the index (``index.py``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.tape_view.command_end import command_end
from components.tape_view.markdown import render
from components.tape_view.patches import changes
from components.tape_view.terminal import plain, runs
from tape.counting import Counter
from tape.model import (
    Block,
    Document,
    Image,
    Json,
    Message,
    Other,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    json_text,
)
from tape.visible import one_line, visible

CUT = 4_000
STRIPS = 100
FIELDS = 40
FIELD = 600
SHOWN_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
# What says most about a call, best first: the argument that stands in the one-line summary.
TELLING = (
    *("command", "cmd", "file_path", "path", "notebook_path", "pattern", "query", "url", "expression"),
    *("description", "prompt", "skill", "name", "id"),
)

Strip = dict[str, Any]


def card(entry: Message, counter: Counter, *, cut: int = CUT, strips: int = STRIPS) -> dict[str, Any]:
    """The card of a message: ``uid``, ``strips``, ``more`` (how many blocks are left out), ``tokens``
    (estimated) and what it says of itself. Every body is at most ``cut`` characters, at most ``strips``
    blocks are given."""
    blocks = entry.blocks
    meta = entry.meta
    told = {
        key: visible(str(meta[key])) for key in ("timestamp", "model", "stop_reason", "name") if meta.get(key)
    }
    marks = [key for key in ("compact_summary", "synthetic", "interrupted") if meta.get(key)]
    origin = entry.provenance
    return {
        "uid": entry.uid,
        "strips": [strip(block, cut) for block in blocks[:strips]],
        "more": max(0, len(blocks) - strips),
        "line": line(blocks),
        "tokens": counter.message(entry),
        "told": told,
        "marks": marks,
        "role": visible(str(meta.get("role") or "")),
        "unknown_role": "unknown_role" in meta,
        "origin": {
            key: visible(value)
            for key, value in (("note", origin.note), ("model", origin.model), ("at", origin.at))
            if value
        },
    }


def line(blocks: Sequence[Block]) -> str:
    """What a folded card shows: the first words of the first block that has some, at most 200 characters."""
    for block in blocks:
        match block:
            case ToolUse() if isinstance(block.input, Mapping) and (told := _summary(block.input)):
                return told
            case Text(text=text) | ToolResult(text=text) if not text.isspace() and text:
                return one_line(plain(text[:400])).strip()[:200]
            case Image():
                return "picture"
            case Document():
                return one_line(block.title or "document")
            case Other():
                return one_line(block.type)
    return ""


def outline(messages: Sequence[Message]) -> list[list[str]]:
    """Messages of a sub-agent or a branch in one line each: role, first words."""
    return [[entry.role, line(entry.blocks)] for entry in messages]


def head_card(session: Session, *, cut: int = CUT) -> dict[str, Any]:
    """The card of what stands beside the array: the system prompt and the tools, ``None`` where the session
    has none of them."""
    return {
        "uid": "system",
        "system": None if session.system is None else list(_system(session.system, cut)),
        "tools": None
        if session.tools is None
        else [
            {
                "name": one_line(tool.name),
                "description": _cut(visible(tool.description), cut)[0],
                "parameters": _parameters(tool.input_schema),
                "schema": _cut(_pretty(tool.input_schema), cut)[0],
            }
            for tool in session.tools[:STRIPS]
        ],
        "more": max(0, len(session.tools or ()) - STRIPS),
    }


def _parameters(schema: Json) -> list[list[str]] | None:
    """``[name, type, description]`` of each parameter, a ``?`` behind the type of one that may be left out;
    ``None`` for a schema that is no plain list of parameters."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or not all(isinstance(p, dict) for p in properties.values()):
        return None
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    return [
        [
            one_line(str(name))[:120],
            f"{one_line(str(said.get('type', 'any')))[:80]}{'' if name in needed else '?'}",
            visible(str(said.get("description", "")))[:FIELD],
        ]
        for name, said in list(properties.items())[:FIELDS]
    ]


def _system(system: Json, cut: int) -> Iterator[Strip]:
    parts = system if isinstance(system, list) else [system]
    for i, part in enumerate(parts[:STRIPS]):
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            cached = isinstance(part, dict) and part.get("cache_control") is not None
            block: Block = Text(uid=f"system.{i}", text=text, extra={"cache_control": True} if cached else {})
        else:
            block = Other(uid=f"system.{i}", type="odd system value", value=part)
        yield strip(block, cut)


def strip(block: Block, cut: int = CUT) -> Strip:
    """One block as plain data: ``uid``, ``kind``, the length ``chars`` of its whole body, ``cut`` where
    there is more of it than is given, and what its kind needs."""
    shown: Strip = {"uid": block.uid}
    if block.extra.get("cache_control") is not None:
        shown["cached"] = True
    match block:
        case Text():
            _text(shown, block, cut)
        case Thinking():
            _body(shown, "thinking", visible(_lines(block.text)), cut)
            shown["redacted"], shown["signed"] = block.redacted, bool(block.signature)
        case ToolUse():
            _call(shown, block, cut)
        case ToolResult():
            _result(shown, block, cut)
        case Image():
            _image(shown, block)
        case Document():
            _body(shown, "document", visible(_lines(block.text or "")), cut)
            shown["title"] = one_line(block.title or "")
            shown["note"] = one_line(block.ref or block.media_type or "")
        case Other():
            _body(shown, "other", _pretty(block.value), cut)
            shown["type"] = one_line(block.type)
        case _:
            raise TypeError(f"not a content block: {type(block).__name__}")
    return shown


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _cut(text: str, cut: int) -> tuple[str, bool]:
    return (text[:cut], True) if len(text) > cut else (text, False)


def _body(shown: Strip, kind: str, text: str, cut: int) -> None:
    shown["kind"], shown["chars"] = kind, len(text)
    shown["text"], more = _cut(text, cut)
    if more:
        shown["cut"] = True


def _text(shown: Strip, block: Text, cut: int) -> None:
    text, more = _cut(block.text, cut)
    shown.update(kind="text", chars=len(block.text), html=render(plain(text)))
    if more:
        shown["cut"] = True
    if block.injected:
        shown["injected"] = True


def _call(shown: Strip, block: ToolUse, cut: int) -> None:
    shown.update(
        kind="tool_use", name=one_line(block.name), id=one_line(block.id), chars=len(json_text(block.input))
    )
    if block.server:
        shown["server"] = True
    if block.generated_id:
        shown["generated"] = True
    if not isinstance(block.input, Mapping):
        shown["odd"], more = _cut(_pretty(block.input), cut)
    else:
        shown["summary"] = _summary(block.input)
        shown["fields"], more = _fields(block.input, cut)
        changed = changes(block.input, cut)
        if changed is not None:
            shown["diff"], used = changed
            shown["fields"] = [field for field in shown["fields"] if field[0] not in used]
    if more:
        shown["cut"] = True


def _summary(arguments: Mapping[str, Any]) -> str:
    keys = [key for key in TELLING if isinstance(arguments.get(key), str)] or [
        key for key, value in arguments.items() if isinstance(value, str | int | float)
    ]
    return one_line(str(arguments[keys[0]])[:400]).strip()[:160] if keys else ""


def _fields(arguments: Mapping[str, Any], cut: int) -> tuple[list[list[str]], bool]:
    """Each argument as its name, its text and ``json`` where it is no string."""
    fields: list[list[str]] = []
    left = cut
    for key, value in arguments.items():
        if left <= 0 or len(fields) == FIELDS:
            return fields, True
        text = plain(value) if isinstance(value, str) else _pretty(value)
        kept, more = _cut(text, left)
        fields.append(
            [one_line(str(key)[:200]), kept]
            if isinstance(value, str)
            else [one_line(str(key)[:200]), kept, "json"]
        )
        left -= len(text)
        if more:
            return fields, True
    return fields, False


def _result(shown: Strip, block: ToolResult, cut: int) -> None:
    text = block.text
    kept, more = _cut(text, cut)
    shown.update(
        kind="tool_result",
        id=one_line(block.tool_use_id),
        chars=len(text),
        lines=text.count("\n") + 1,
        runs=runs(kept),
    )
    if more:
        shown["cut"] = True
    code, took = command_end(text)
    if code is not None:
        shown["exit"] = code
    if took is not None:
        shown["took"] = took
    if block.is_error:
        shown["error"] = True
    if block.server:
        shown["server"] = one_line(block.type)
    if block.content is None:
        shown["absent"] = True
    if isinstance(block.content, tuple):
        rest = [inner for inner in block.content if not isinstance(inner, Text)]
        if rest:
            shown["inner"] = [strip(inner, cut) for inner in rest[:STRIPS]]


def _image(shown: Strip, block: Image) -> None:
    shown.update(kind="image", chars=len(block.data or ""), media=one_line(block.media_type or ""))
    if block.source == "base64" and block.media_type in SHOWN_IMAGES and block.data:
        shown["shown"] = True
    else:
        address = block.ref or (
            "no data" if block.source == "missing" else block.media_type or "unknown type"
        )
        shown["note"] = one_line(address[:400])


def _pretty(value: Json) -> str:
    return visible(json.dumps(value, ensure_ascii=False, indent=2))
