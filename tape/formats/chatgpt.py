"""ChatGPT exports: the whole zip, ``conversations.json`` or its shards of 2026, one conversation of it.

A conversation is a tree; the array is the way from its current node to the root, and what stands on other
ways is a branch. The shards are poorer: without children, recipients, tools and system nodes. Facts:
formats.md 8.1 of the project's notes, measured on exports of 2023 to 2026.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from tape.formats.base import Conversation
from tape.formats.chatgpt_parts import alone, answered_parts, called_parts, is_call, more_parts, node_parts
from tape.formats.conversations import (
    Spot,
    again,
    chain,
    leaves,
    listed,
    moment,
    no_messages,
    numbered,
    tree_branches,
    value_at,
)
from tape.formats.exports import Exports
from tape.formats.gathering import Gathering
from tape.formats.parts import Part, below, word
from tape.formats.parts_dump import Form
from tape.model import Json, Message, Place, Session, Text

NAME: Final = "chatgpt-export"
HIDDEN: Final = "is_visually_hidden_from_conversation"


class ChatGPTExport(Exports):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "ChatGPT export"
    written_by = "ChatGPT, Settings → Data controls → Export data"
    why = "a conversation with a mapping of nodes"

    def holds(self, value: Json) -> bool:
        """Told by ``mapping``, an object of nodes."""
        return _is_conversation(value)

    def conversation(self, spot: Spot, value: Json) -> Conversation:
        """The title and the date."""
        return _conversation(spot, value)

    @property
    def form(self) -> Form:
        """How it is patched."""
        return FORM


def _is_conversation(value: Json) -> bool:
    nodes = value.get("mapping") if isinstance(value, dict) else None
    if not isinstance(nodes, dict):
        return False
    first = next(iter(nodes.values()), None)
    return "current_node" in value or (isinstance(first, dict) and "message" in first)


def _conversation(spot: Spot, value: dict[str, Json]) -> Conversation:
    id = word(value, "conversation_id") or word(value, "id") or str(spot.number)
    title = word(value, "title") or "untitled"
    date = value.get("create_time") or value.get("update_time")
    return listed(spot, id, title, partial(load, spot), date)


def load(spot: Spot) -> Session:
    """The session of a conversation. Never raises on data."""
    value = value_at(spot)
    nodes = {id: node for id, node in value["mapping"].items() if isinstance(node, dict)}
    parents = {id: word(node, "parent") for id, node in nodes.items()}
    active = chain(list(nodes), parents, _leaf(value, nodes, parents))
    g = _gathering(spot, 0)
    uids = _walk(g, spot, nodes, active)
    made = len(g.drafts)

    def walk(path: Sequence[str]) -> tuple[Message, ...]:
        nonlocal made
        beside = _gathering(spot, made)
        _walk(beside, spot, nodes, path)
        made += len(beside.drafts)
        return beside.messages()

    branches = tuple(tree_branches(parents, active, uids, walk))
    if not g.drafts:
        g.notes.append(no_messages(word(value, "title") or ""))
    session = g.session(
        id=word(value, "conversation_id") or word(value, "id"),
        title=word(value, "title"),
        branches=branches,
    )
    return numbered(session, spot, len(active))


def _gathering(spot: Spot, first: int) -> Gathering:
    # No list holds the messages of a tree: a place that is not there lets nothing be moved or put in.
    return Gathering(spot.source, NAME, array=below(spot.place, "mapping", ""), first=first)


def _leaf(value: Mapping[str, Json], nodes: Mapping[str, Any], parents: dict[str, str | None]) -> str | None:
    """The current node; where it is missing, the newest leaf."""
    current = word(value, "current_node")
    if current in nodes:
        return current
    ends = leaves(list(nodes), parents) or list(nodes)
    return max(ends, key=lambda id: _time(nodes[id].get("message")), default=None)


def _time(message: Json) -> float:
    time = message.get("create_time") if isinstance(message, dict) else None
    return float(time) if isinstance(time, int | float) else 0.0


def _walk(g: Gathering, spot: Spot, nodes: Mapping[str, Any], path: Sequence[str]) -> dict[str, str]:
    """Takes the nodes of a way in; gives the uid of the message that each became part of."""
    uids: dict[str, str] = {}
    turn = _Turn()
    for id in path:
        message = nodes[id].get("message")
        place = below(spot.place, "mapping", id, "message")
        if isinstance(message, dict):
            _take(g, turn, message, place)
        if g.drafts:
            uids[id] = g.drafts[-1].uid
    return uids


class _Turn:
    """The reply that is being made: whether it has ended, and the names of its calls without a result."""

    def __init__(self) -> None:
        self.ended, self.open, self.answered = True, list[str](), ""


def _take(g: Gathering, turn: _Turn, message: dict[str, Json], place: Place) -> None:
    author, metadata = message.get("author"), message.get("metadata")
    role = word(author, "role") or ""
    if isinstance(metadata, dict) and metadata.get(HIDDEN):
        parts = node_parts(message, place)
        text = " ".join(getattr(part.block, "text", "") for part in parts)
        g.aside(place, f"hidden {role or 'node'}", text, injected=bool(text.strip()))
        return
    facts: dict[str, Any] = {"timestamp": moment(message.get("create_time"))}
    if role == "tool":
        _answer(g, turn, message, place, word(author, "name"), facts)
        return
    calls = role == "assistant" and is_call(message)
    parse = called_parts if calls else node_parts
    said = None if calls else alone(message)
    parts = [Part(Text(text=said))] if said else parse(message, place)
    if not parts:
        kind = word(message.get("content"), "content_type") or "message"
        g.aside(place, f"empty {kind}")
    elif role == "assistant":
        facts["model"] = word(metadata, "model_slug")
        g.say("assistant", place, parse, joins=not turn.ended, parts=parts, **facts)
        turn.ended = message.get("end_turn") is True
        if calls:
            turn.open.append(getattr(parts[0].block, "name", ""))
    else:
        turn.ended, turn.open = True, []
        if role not in ("user", "system"):
            facts |= {"unknown_role": role, "role": role}
        g.say("system" if role == "system" else "user", place, node_parts, parts=parts, **facts)


def _answer(
    g: Gathering, turn: _Turn, message: dict[str, Json], place: Place, tool: str | None, facts: dict[str, Any]
) -> None:
    """A result; what a tool says beyond one result a call stands beside it in the same message."""
    last = g.last
    if not turn.open and last is not None and last.answers and tool == turn.answered:
        g.answer(place, more_parts, **facts)
        return
    named = tool if tool in turn.open else None
    if turn.open:
        turn.open.remove(named or turn.open[0])
    turn.answered = tool or ""
    g.answer(place, partial(answered_parts, named), **facts)
    turn.ended = False


FORM: Final = Form("A ChatGPT export", lambda source, session: again(source, session, load))
