"""claude.ai exports: the whole zip or its ``conversations.json``, one conversation of it.

One message of the assistant holds calls and their results: it is shown as assistant, result, assistant. Most
calls have no id. Messages name their parent, or follow the one before: edits and retries are siblings. Facts:
formats.md 8.2 of the project's notes; no export of a real account was at hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from tape.formats.base import Conversation
from tape.formats.conversations import (
    Spot,
    again,
    chain,
    listed,
    no_messages,
    numbered,
    tree_branches,
    value_at,
)
from tape.formats.exports import Exports
from tape.formats.gathering import Gathering
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    dropped,
    other_part,
    result_part,
    text_part,
    thinking_part,
    word,
)
from tape.formats.parts_dump import Form
from tape.model import Block, Document, Image, Json, Message, Place, Role, Session, Text

NAME: Final = "claude-ai-export"
ROOT: Final = "00000000-0000-4000-8000-000000000000"


class ClaudeAIExport(Exports):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "claude.ai export"
    written_by = "claude.ai, Settings → Privacy → Export data"
    why = "a conversation with chat_messages"

    def holds(self, value: Json) -> bool:
        """Told by ``chat_messages``."""
        return _is_conversation(value)

    def conversation(self, spot: Spot, value: Json) -> Conversation:
        """The name and the date."""
        id, title = word(value, "uuid") or str(spot.number), word(value, "name") or "untitled"
        return listed(spot, id, title, partial(load, spot), value.get("created_at"))

    @property
    def form(self) -> Form:
        """How it is patched."""
        return FORM


def _is_conversation(value: Json) -> bool:
    return isinstance(value, dict) and isinstance(value.get("chat_messages"), list)


def load(spot: Spot) -> Session:
    """The session of a conversation. Never raises on data."""
    value = value_at(spot)
    entries = {_id(entry, i): (i, entry) for i, entry in enumerate(value["chat_messages"])}
    parents = _parents(entries)
    leaf = word(value, "current_leaf_message_uuid")
    active = chain(list(entries), parents, leaf if leaf in entries else next(reversed(entries), None))
    g = _gathering(spot, 0)
    uids = _walk(g, spot, entries, active)
    if not g.drafts:
        g.notes.append(no_messages(word(value, "name") or ""))
    made = len(g.drafts)

    def walk(path: Sequence[str]) -> tuple[Message, ...]:
        nonlocal made
        beside = _gathering(spot, made)
        _walk(beside, spot, entries, path)
        made += len(beside.drafts)
        return beside.messages()

    branches = tuple(tree_branches(parents, active, uids, walk))
    session = g.session(id=word(value, "uuid"), title=word(value, "name"))
    return numbered(replace(session, branches=branches), spot, len(active))


def _gathering(spot: Spot, first: int) -> Gathering:
    return Gathering(spot.source, NAME, array=below(spot.place, "chat_messages"), first=first)


def _id(entry: Json, number: int) -> str:
    return word(entry, "uuid") or f"#{number}"


Entries = Mapping[str, tuple[int, Json]]


def _parents(entries: Entries) -> dict[str, str | None]:
    """The parent of each message: the one it names, else the one before it in the file."""
    found: dict[str, str | None] = {}
    before: str | None = None
    for id, (_, entry) in entries.items():
        named = word(entry, "parent_message_uuid")
        found[id] = named if named in entries and named != id else None if named == ROOT else before
        before = id
    return found


def _walk(g: Gathering, spot: Spot, entries: Entries, path: Sequence[str]) -> dict[str, str]:
    uids: dict[str, str] = {}
    for id in path:
        number, entry = entries[id]
        _take(g, below(spot.place, "chat_messages", number), entry)
        if g.drafts:
            uids[id] = g.drafts[-1].uid
    return uids


def _take(g: Gathering, place: Place, entry: Json) -> None:
    """One message: what was attached, then its blocks, results in a message of their own."""
    if not isinstance(entry, dict):
        g.aside(place, "no object", known=False)
        return
    sender = word(entry, "sender") or word(entry, "role") or ""
    facts: dict[str, Any] = {"timestamp": word(entry, "created_at")}
    if sender not in ("human", "user", "assistant"):
        facts |= {"unknown_role": sender, "role": sender}
    content = entry.get("content")
    blocks = content if isinstance(content, list) else []
    before = len(g.drafts)
    if attached_parts(entry, place):
        _say(g, sender, before, place, attached_parts, facts)
    if not blocks:
        if word(entry, "text"):
            _say(g, sender, before, below(place, "text"), plain_parts, facts)
        elif len(g.drafts) == before:
            g.aside(place, f"empty {sender or 'message'}")
        return
    for j, block in enumerate(blocks):
        where = below(place, "content", j)
        if isinstance(block, dict) and block.get("type") == "tool_result":
            g.answer(where, result_parts, timestamp=word(entry, "created_at"))
        else:
            _say(g, sender, before, where, block_parts, facts)


def _say(g: Gathering, sender: str, before: int, place: Place, parse: Any, facts: dict[str, Any]) -> None:
    """Adds to the message that this entry opened, or opens one."""
    role: Role = "assistant" if sender == "assistant" else "user"
    mine = len(g.drafts) > before
    if role == "assistant":
        g.say(role, place, parse, joins=mine, **facts)
    else:
        g.say(role, place, parse, key=f"{place.record} {before}", **facts)


def attached_parts(entry: Json, place: Place) -> Sequence[Part]:
    """What was attached: documents with the words that the model saw, and files of which the name is left."""
    found: list[Part] = []
    for key in ("attachments", "files"):
        several = entry.get(key) if isinstance(entry, dict) else None
        for i, one in enumerate(several if isinstance(several, list) else ()):
            where = below(place, key, i)
            text = one.get("extracted_content") if isinstance(one, dict) else None
            block = Document(
                media_type=word(one, "file_type"),
                title=word(one, "file_name"),
                text=text if isinstance(text, str) else None,
                ref=word(one, "file_uuid"),
                place=where,
                raw=one,
            )
            path = (*where.path, "extracted_content")
            fields = (Field(path, lambda new: new.text),) if isinstance(text, str) else ()
            found.append(Part(block, fields, dropped(where)))
    return found


def plain_parts(text: Json, place: Place) -> Sequence[Part]:
    """The flattened words of a message without blocks."""
    return [text_part(text, place)]


def block_parts(block: Json, place: Place) -> Sequence[Part]:
    """One block; what is not known is kept and shown as JSON."""
    kind = word(block, "type") or "block"
    if isinstance(block, dict):
        if kind == "text" and isinstance(block.get("text"), str):
            return [text_part(block["text"], below(place, "text"), home=place, raw=block)]
        if kind == "thinking" and isinstance(block.get("thinking"), str):
            where, sign = below(place, "thinking"), word(block, "signature")
            return [thinking_part(block["thinking"], where, home=place, raw=block, signature=sign)]
        if kind == "tool_use":
            return [call_part(block, place, name=("name",), input=("input",), id=("id",))]
    return [other_part(block, kind, place)]


def result_parts(block: Json, place: Place) -> Sequence[Part]:
    """The result of the call before it that has its name."""
    error = block.get("is_error")
    flags = (Field((*place.path, "is_error"), lambda new: new.is_error),) if "is_error" in block else ()
    return [
        result_part(
            block,
            place,
            content=("content",),
            id=("tool_use_id",),
            error=error if isinstance(error, bool) else None,
            flags=flags,
            tool=word(block, "name"),
            inner=inner,
        )
    ]


def inner(item: Json, place: Place) -> Block:
    """One item of the content of a result."""
    if isinstance(item, dict) and isinstance(item.get("text"), str):
        return Text(text=item["text"], place=place, raw=item)
    if word(item, "type") == "image":
        return Image(source="missing", place=place, raw=item)
    return other_part(item, word(item, "type") or "item", place).block


FORM: Final = Form("A claude.ai export", lambda source, session: again(source, session, load))
