"""A session as bytes and back, with all that a format has no place for: uids, provenance, branches, what was
run. For checkpoints, and for taking a state along to another computer.

The bytes are a zip file: ``session.json``, and under ``source/`` the files that the session was read from,
so that the original is there and an untouched part is written as it came. A message that is still the
source's is one word in it. Where such files are kept is ``tape.checkpoints``' business.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, Final

import tape
from tape.archives import FAULTS
from tape.blocks import Block, Document, Image, Json, Other, Text, Thinking, ToolResult, ToolUse
from tape.edits.settle import settle
from tape.errors import UserError
from tape.model import Branch, Call, Message, Provenance, Session, ToolSpec, Usage, message
from tape.records import Source

VERSION: Final = 1
LARGEST: Final = 64_000_000
"""Bytes of a session and its source files together, unpacked."""
KINDS: Final[tuple[type[Block], ...]] = (Text, Thinking, ToolUse, ToolResult, Image, Document, Other)
NAMED: Final = {kind.__name__: kind for kind in KINDS}
DAMAGED: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)


@dataclass(frozen=True, slots=True)
class About:
    """What a kept session says of itself: ``at`` is an ISO time, ``name`` what a person called the state,
    ``id`` tells sessions apart, ``waiting`` counts the calls at its end that have no result."""

    id: str
    title: str
    name: str
    at: str
    messages: int
    waiting: int


def pack(session: Session, about: About) -> bytes:
    """The session as bytes. Raises ``UserError`` where it is larger than what is kept."""
    sources = _sources(session)
    own = session.base.messages if session.base is not None and sources else ()
    known = {entry.uid: entry for entry in own}
    _check_size(session, known, sources)
    value = {
        "tapedeck": VERSION,
        "about": _fields(about),
        "base": None if not sources else {"format": _base_format(session), "print": _print(own)},
        "session": {
            "format": session.format,
            "id": session.id,
            "title": session.title,
            "system": session.system,
            "tools": None if session.tools is None else [_fields(tool) for tool in session.tools],
            "params": session.params,
            "serial": session.serial,
            "line": session.line,
            "messages": [_message(entry, known) for entry in session.messages],
            "calls": [_fields(call) for call in session.calls],
            "branches": [
                {**_fields(b), "messages": [_message(m, known) for m in b.messages]} for b in session.branches
            ],
        },
    }
    try:
        text = json.dumps(value, default=_plain, ensure_ascii=True).encode()
    except (RecursionError, ValueError):
        raise UserError("The session is nested too deeply to be kept.", do="Download it.") from None
    if len(text) + sum(len(data) for _, data in sources) > LARGEST:
        raise _too_large()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.comment = json.dumps(_fields(about)).encode()[:65_000]
        archive.writestr("session.json", text)
        for number, (name, data) in enumerate(sources):
            archive.writestr(f"source/{number}-{name.replace('/', '_')[:100]}", data)
    return out.getvalue()


def _check_size(session: Session, known: Mapping[str, Message], sources: Sequence[tuple[str, bytes]]) -> None:
    """Raises ``UserError`` for a session that is too large by the lengths in its heads, before it is read."""
    lists = (session.messages, *(branch.messages for branch in session.branches))
    own = (m for messages in lists for m in messages if known.get(m.uid) is not m)
    if sum(h.chars for m in own for h in m.heads) + sum(len(data) for _, data in sources) > LARGEST:
        raise _too_large()


def _too_large() -> UserError:
    most = LARGEST // 1_000_000
    return UserError(f"The session is larger than the {most} MB that are kept of one.", do="Download it.")


def about(comment: bytes) -> About:
    """What kept bytes say of themselves, from the zip file's comment. Raises ``UserError``."""
    try:
        return About(**json.loads(comment))
    except DAMAGED:
        raise _damaged() from None


def unpack(data: bytes) -> Session:
    """The session that was kept. Raises ``UserError`` where the bytes are none, damaged or too large."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > LARGEST + 1_000_000:
                raise UserError("The kept session is too large.", do="Open its transcript instead.")
            value = json.loads(archive.read("session.json"))
            names = sorted(name for name in archive.namelist() if name.startswith("source/"))
            names.sort(key=lambda name: int(name[7:].partition("-")[0]))
            files = [(name.partition("-")[2], archive.read(name)) for name in names]
        if value["tapedeck"] != VERSION:
            raise UserError("The session was kept by another version of Tapedeck.", do="Use that version.")
        base = _reread(files, value) if files and value["base"] else None
        return _session(value["session"], base)
    except (*DAMAGED, *FAULTS, NotImplementedError, RuntimeError):
        raise _damaged() from None


def _damaged() -> UserError:
    return UserError("This is no session that Tapedeck kept, or it is damaged.", do="Choose another.")


def _session(kept: Mapping[str, Any], base: Session | None) -> Session:
    known = {entry.uid: entry for entry in base.base.messages} if base is not None and base.base else {}
    messages = tuple(_entry(one, known) for one in kept["messages"])
    branches = tuple(
        Branch(**{**one, "messages": tuple(_entry(m, known) for m in one["messages"])})
        for one in kept["branches"]
    )
    tools = kept["tools"]
    facts: dict[str, Any] = {
        "system": kept["system"],
        "tools": None if tools is None else tuple(ToolSpec(**tool) for tool in tools),
        "params": kept["params"],
        "serial": kept["serial"],
        "line": kept["line"],
        "title": kept["title"],
    }
    if base is None:
        whole = Session(messages, branches=branches, id=kept["id"], format=kept["format"], **facts)
    else:
        whole = settle(base, messages, branches=branches, **facts)
        if base.base is not None and _same(messages, base.base.messages):
            whole = replace(whole, messages=base.base.messages)
    return replace(whole, calls=tuple(_call(one) for one in kept["calls"]))


def _same(messages: Sequence[Message], others: Sequence[Message]) -> bool:
    return len(messages) == len(others) and all(a is b for a, b in zip(messages, others, strict=True))


def _reread(files: Sequence[tuple[str, bytes]], value: Mapping[str, Any]) -> Session:
    """The session that the source files hold, as it was before anything was changed."""
    named = [Source(data, name) for name, data in files] if len(files) > 1 else files[0][1]
    reading = tape.read(named, name=files[0][0], format=value["base"]["format"])
    for conversation in reading.conversations:
        found = conversation.load()
        if found.base is not None and _print(found.base.messages) == value["base"]["print"]:
            return found
    raise UserError(
        "The session's source is read otherwise than when it was kept.", do="Open the transcript again."
    )


def _sources(session: Session) -> list[tuple[str, bytes]]:
    """Names and bytes of the files that the session was read from; none where they are too large."""
    if session.base is None:
        return []
    found: dict[int, tuple[str, bytes]] = {}
    lanes = [lane.session.base.sources for lane in session.lanes if lane.session.base is not None]
    for source in chain(session.base.sources, *lanes):
        file = source.file
        data = getattr(file, "data", b"")
        if not data or len(data) > LARGEST:
            return []
        found[id(file)] = (getattr(file, "name", "") or source.name, bytes(data))
    return list(found.values()) if sum(len(data) for _, data in found.values()) < LARGEST else []


def _base_format(session: Session) -> str:
    assert session.base is not None
    return session.base.format


def _print(messages: Sequence[Message]) -> str:
    """What tells one reading of a source from another."""
    digest = hashlib.sha256()
    for entry in messages:
        heads = [(head.uid, head.kind, head.chars) for head in entry.heads]
        digest.update(repr((entry.uid, entry.role, heads)).encode())
    return digest.hexdigest()[:32]


def _message(entry: Message, known: Mapping[str, Message]) -> Json:
    """A message as JSON; its uid alone where it still is the source's."""
    if known.get(entry.uid) is entry:
        return entry.uid
    return {
        "uid": entry.uid,
        "role": entry.role,
        "blocks": [_block(block) for block in entry.blocks],
        "provenance": _fields(entry.provenance),
        "meta": entry.meta,
    }


def _entry(value: Json, known: Mapping[str, Message]) -> Message:
    if isinstance(value, str):
        return known[value]
    blocks = tuple(_unblock(block) for block in value["blocks"])
    origin = Provenance(**value["provenance"])
    return message(value["uid"], value["role"], blocks, provenance=origin, meta=value["meta"])


def _block(block: Block) -> dict[str, Json]:
    """Every field of a block but where it stood in its source."""
    value: dict[str, Json] = {"kind": type(block).__name__}
    for one in fields(block):
        found = getattr(block, one.name)
        if one.name in ("place", "raw") or found == one.default:
            continue
        nested = isinstance(block, ToolResult) and isinstance(found, tuple)
        value[one.name] = {"blocks": [_block(inner) for inner in found]} if nested else found
    return value


def _unblock(value: Mapping[str, Json]) -> Block:
    given = {key: found for key, found in value.items() if key != "kind"}
    if isinstance(content := given.get("content"), dict):
        given["content"] = tuple(_unblock(inner) for inner in content["blocks"])
    return NAMED[value["kind"]](**given)


def _call(value: Mapping[str, Any]) -> Call:
    usage = value["usage"]
    return Call(**{**value, "usage": None if usage is None else Usage(**usage)})


def _fields(value: Any) -> dict[str, Json]:
    """The fields of a flat dataclass; one inside it (usage) likewise."""
    found = {one.name: getattr(value, one.name) for one in fields(value)}
    return {key: _fields(inner) if isinstance(inner, Usage) else inner for key, inner in found.items()}


def _plain(value: object) -> Json:
    """What ``json`` cannot write by itself: read-only mappings as objects, anything else by its words."""
    return dict(value) if isinstance(value, Mapping) else str(value)
