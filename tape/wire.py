"""The Anthropic form of blocks, messages and requests: JSON to values and back.

This is the form that operations carry, the embedded endpoint speaks, the page shows as raw JSON and every
other format is converted through. Building a block never raises on data: what is not understood becomes
``Other``. Checking whether an endpoint would accept the result is the business of ``tape.rules``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from tape.model import (
    EMPTY,
    RECORDED,
    Block,
    Blocks,
    Document,
    Image,
    Json,
    Message,
    Other,
    Place,
    Provenance,
    Role,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolSpec,
    ToolUse,
    message,
)

ROLES: tuple[str, ...] = get_args(Role)
SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
KNOWN_KEYS = {
    "text": {"type", "text"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "content", "is_error"},
    "image": {"type", "source"},
    "document": {"type", "source", "title"},
}


def parse_block(value: Json, uid: str, place: Place | None = None) -> Block:
    """One content block from its Anthropic JSON. Nested blocks of a result get uids ``<uid>.<n>``."""
    if not isinstance(value, dict):
        return Other(uid=uid, place=place, raw=value, type=type(value).__name__, value=value)
    kind = value.get("type")
    extra, text = _extra(value, str(kind)), value.get("text")
    if kind == "text" and isinstance(text, str):
        return Text(uid=uid, place=place, raw=value, extra=extra, text=text)
    if kind == "thinking" and isinstance(value.get("thinking"), str):
        text, signature = value["thinking"], _string(value.get("signature"))
        return Thinking(uid=uid, place=place, raw=value, extra=extra, text=text, signature=signature)
    if (kind == "tool_use" or kind in SERVER_CALLS) and isinstance(value.get("id"), str):
        return ToolUse(
            uid=uid,
            place=place,
            raw=value,
            extra=extra,
            id=value["id"],
            name=_string(value.get("name")) or "",
            input=value.get("input"),
            server=kind != "tool_use",
            type=kind,
        )
    common: dict[str, Any] = {"uid": uid, "place": place, "raw": value, "extra": extra}
    if kind == "redacted_thinking":
        return Thinking(data=_string(value.get("data")) or "", **common)
    if isinstance(kind, str) and kind.endswith("tool_result") and isinstance(value.get("tool_use_id"), str):
        return _result(value, kind, common)
    if kind == "image" and isinstance(value.get("source"), dict):
        return _image(value["source"], common)
    if kind == "document" and isinstance(value.get("source"), dict):
        return _document(value, common)
    return Other(
        uid=uid, place=place, raw=value, type=kind if isinstance(kind, str) else "untyped", value=value
    )


def _extra(value: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    known = KNOWN_KEYS.get(kind)
    if known is None:
        known = KNOWN_KEYS["tool_use" if kind in SERVER_CALLS else "tool_result"]
    return EMPTY if value.keys() <= known else {k: v for k, v in value.items() if k not in known}


def _string(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _result(value: Mapping[str, Any], kind: str, common: dict[str, Any]) -> ToolResult:
    content = value.get("content")
    inner: str | Blocks | None = content if isinstance(content, str) else None
    if isinstance(content, list):
        place: Place | None = common["place"]
        inner = tuple(
            parse_block(
                item,
                f"{common['uid']}.{i}",
                Place(place.record, (*place.path, "content", i)) if place else None,
            )
            for i, item in enumerate(content)
        )
    elif isinstance(content, dict):
        inner = (parse_block(content, f"{common['uid']}.0"),)
    flag = value.get("is_error")
    return ToolResult(
        tool_use_id=value["tool_use_id"],
        content=inner,
        is_error=flag if isinstance(flag, bool) else None,
        server=kind != "tool_result",
        type=kind,
        **common,
    )


def _image(source: Mapping[str, Any], common: dict[str, Any]) -> Image:
    media = _string(source.get("media_type"))
    match source.get("type"):
        case "base64":
            return Image(source="base64", media_type=media, data=_string(source.get("data")) or "", **common)
        case "url":
            return Image(source="url", media_type=media, ref=_string(source.get("url")), **common)
        case "file":
            return Image(source="file", media_type=media, ref=_string(source.get("file_id")), **common)
        case _:
            return Image(source="missing", media_type=media, **common)


def _document(value: Mapping[str, Any], common: dict[str, Any]) -> Document:
    source = value["source"]
    data = _string(source.get("data"))
    is_text = source.get("type") == "text"
    return Document(
        media_type=_string(source.get("media_type")),
        title=_string(value.get("title")),
        text=data if is_text else None,
        data=None if is_text else data,
        ref=_string(source.get("url")) or _string(source.get("file_id")),
        **common,
    )


def block_json(block: Block) -> Json:
    """The Anthropic JSON of a block: its raw value where it still stands for it, else built anew."""
    if block.raw is not None and (isinstance(block, Other) or is_anthropic(block)):
        return block.raw
    built: dict[str, Any]
    match block:
        case Text(text=text):
            built = {"type": "text", "text": text}
        case Thinking(data=str() as data):
            built = {"type": "redacted_thinking", "data": data}
        case Thinking():
            built = {"type": "thinking", "thinking": block.text}
            if block.signature is not None:
                built["signature"] = block.signature
        case ToolUse():
            given = block.input
            if block.arguments is not None and not isinstance(given, dict):
                given = {"arguments": block.arguments}
            built = {"type": block.type, "id": block.id, "name": block.name, "input": given}
        case ToolResult():
            built = {"type": block.type, "tool_use_id": block.tool_use_id}
            if isinstance(block.content, tuple):
                built["content"] = [block_json(b) for b in block.content]
            elif block.content is not None:
                built["content"] = block.content
            if block.is_error is not None:
                built["is_error"] = block.is_error
        case Image():
            built = {"type": "image", "source": _image_source(block)}
        case Document():
            built = {"type": "document", "source": _document_source(block)}
            if block.title is not None:
                built["title"] = block.title
        case Other():
            return block.value
        case _:
            raise TypeError(f"not a content block: {type(block).__name__}")
    return {**built, **block.extra}


def is_anthropic(block: Block) -> bool:
    """True where the block's raw value is itself an Anthropic block."""
    raw = block.raw
    if not isinstance(raw, dict):
        return False
    same = parse_block(raw, block.uid, block.place)
    return type(same) is type(block) and same == block


def _image_source(block: Image) -> dict[str, Any]:
    if block.source == "url":
        return {"type": "url", "url": block.ref or ""}
    if block.source == "file":
        return {"type": "file", "file_id": block.ref or ""}
    return {"type": "base64", "media_type": block.media_type or "image/png", "data": block.data or ""}


def _document_source(block: Document) -> dict[str, Any]:
    if block.text is not None:
        return {"type": "text", "media_type": block.media_type or "text/plain", "data": block.text}
    if block.data is not None:
        media = block.media_type or "application/pdf"
        return {"type": "base64", "media_type": media, "data": block.data}
    if block.ref is not None and "://" in block.ref:
        return {"type": "url", "url": block.ref}
    return {"type": "file", "file_id": block.ref or ""}


def parse_content(content: Json, uid: str, place: Place | None = None) -> tuple[Blocks, str]:
    """The blocks of a message's ``content`` and its form: ``string``, ``list``, ``null`` or ``absent``-like.

    ``place`` is the place of the content value itself.
    """
    if isinstance(content, str):
        return (Text(uid=f"{uid}.0", place=place, text=content),), "string"
    if isinstance(content, list):
        blocks = tuple(
            parse_block(item, f"{uid}.{i}", Place(place.record, (*place.path, i)) if place else None)
            for i, item in enumerate(content)
        )
        return blocks, "list"
    if content is None:
        return (), "null"
    return (parse_block(content, f"{uid}.0", place),), "other"


def parse_message(
    value: Json, uid: str, place: Place | None = None, provenance: Provenance = RECORDED
) -> Message:
    """A message from ``{"role": …, "content": …}``; an unknown role is kept in ``meta`` and shown as user.

    ``place`` is the place of the message object.
    """
    entry = value if isinstance(value, dict) else {"content": value}
    written = entry.get("role")
    role: Role = written if written in ROLES else "user"
    blocks, form = _inside(entry, uid, place)
    meta: dict[str, Any] = {"content_form": form if "content" in entry else "absent"}
    if written != role:
        meta["role"] = meta["unknown_role"] = written
    if len(entry) > 2 or "role" not in entry or "content" not in entry:
        rest = {k: v for k, v in entry.items() if k not in ("role", "content")}
        if rest:
            meta["extra"] = rest
    records = (place.record,) if place else ()
    return message(uid, role, blocks, provenance=provenance, meta=meta, records=records, place=place)


def parse_blocks(value: Json, uid: str, place: Place | None = None) -> Blocks:
    """The blocks of a message, as ``parse_message`` gives them."""
    return _inside(value if isinstance(value, dict) else {"content": value}, uid, place)[0]


def _inside(entry: Mapping[str, Any], uid: str, place: Place | None) -> tuple[Blocks, str]:
    inside = Place(place.record, (*place.path, "content")) if place else None
    return parse_content(entry.get("content"), uid, inside)


def message_json(entry: Message) -> dict[str, Any]:
    """``{"role": …, "content": …}`` in the Anthropic form; the content form (string, list, null) is kept.

    Only what an endpoint knows is written: role and content. A role that no format knows is kept as written,
    so that the endpoint can refuse it.
    """
    role = entry.meta.get("unknown_role", entry.role)
    blocks = entry.blocks
    form = entry.meta.get("content_form", "list")
    if form == "string" and len(blocks) == 1 and isinstance(blocks[0], Text) and not blocks[0].extra:
        return {"role": role, "content": blocks[0].text}
    if form == "null" and not blocks:
        return {"role": role, "content": None}
    if form == "absent" and not blocks:
        return {"role": role}
    return {"role": role, "content": [block_json(b) for b in blocks]}


def tool_json(tool: ToolSpec) -> dict[str, Any]:
    """The Anthropic declaration of a tool."""
    raw = tool.raw
    named = isinstance(raw, dict) and raw.get("name") == tool.name and {"input_schema", "type"} & set(raw)
    if named and raw.get("type") != "function":
        return dict(raw)
    schema = tool.input_schema if isinstance(tool.input_schema, dict) else {"type": "object"}
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def parse_tool(value: Json) -> ToolSpec:
    """A tool from its Anthropic declaration; anything odd is kept in ``raw``."""
    entry = value if isinstance(value, dict) else {}
    name, text = _string(entry.get("name")) or "", _string(entry.get("description")) or ""
    return ToolSpec(name, text, entry.get("input_schema"), raw=value)


def request(session: Session) -> dict[str, Any]:
    """The request body that the next call would send: the whole array, every time.

    A session in the Anthropic form is written as it stands, broken or not: refusing is the endpoint's work.
    One of another provider's form is carried over first (``tape.foreign``).
    """
    from tape.foreign import anthropic_body

    return anthropic_body(session)[0]


def native_request(session: Session) -> dict[str, Any]:
    """The request body of a session that is in the Anthropic form, its messages as they stand."""
    body: dict[str, Any] = {**session.params}
    body.setdefault("model", session.model or "claude-opus-5-5")
    body.setdefault("max_tokens", 1024)
    if session.system is not None:
        body["system"] = session.system
    if session.tools is not None:
        body["tools"] = [tool_json(t) for t in session.tools]
    body["messages"] = [message_json(m) for m in session.messages]
    return body


def session_of(body: Mapping[str, Any]) -> Session:
    """A session from an Anthropic request body, without a source: the inverse of ``request``."""
    entries = body.get("messages")
    tools = body.get("tools")
    return Session(
        messages=tuple(
            parse_message(m, f"m{i}") for i, m in enumerate(entries if isinstance(entries, list) else [])
        ),
        system=body.get("system"),
        tools=tuple(parse_tool(t) for t in tools) if isinstance(tools, list) else None,
        params={k: v for k, v in body.items() if k not in ("messages", "system", "tools")},
    )
