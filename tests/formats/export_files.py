"""Small exports of chat products for tests, one a situation; all of it is invented."""

from __future__ import annotations

import json
from typing import Any

Node = dict[str, Any]
ROOT = "00000000-0000-4000-8000-000000000000"


def node(
    id: str, parent: str | None, role: str | None, content: Any = None, **fields: Any
) -> tuple[str, Node]:
    """A node of a ChatGPT conversation; words alone are a text with one part."""
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    author = {"role": role, "name": fields.pop("name", None), "metadata": {}}
    message = {
        "id": id,
        "author": author,
        "create_time": fields.pop("time", 1700000000.5),
        "content": content,
        "metadata": fields.pop("metadata", {}),
        **fields,
    }
    return id, {"id": id, "message": message if role else None, "parent": parent, "children": []}


def chat(current: str | None, *nodes: tuple[str, Node], title: str = "Paper boats") -> Node:
    """A ChatGPT conversation."""
    mapping = dict(nodes)
    for id, one in mapping.items():
        if one["parent"] in mapping:
            mapping[one["parent"]]["children"].append(id)
    return {
        "title": title,
        "create_time": 1700000000.25,
        "mapping": mapping,
        "current_node": current,
        "conversation_id": f"id of {title}",
    }


def code(text: str) -> Node:
    """The content of a call of the interpreter."""
    return {"content_type": "code", "language": "python", "text": text}


def output(text: str) -> Node:
    """The content of what the interpreter gave back."""
    return {"content_type": "execution_output", "text": text}


HIDDEN = {"is_visually_hidden_from_conversation": True}
BOATS = chat(
    "a4",
    node("root", None, None),
    node("s1", "root", "system", "", metadata=HIDDEN),
    node("u1", "s1", "user", "How many boats fit?"),
    node("a1", "u1", "assistant", "Let me reckon.", recipient="all", end_turn=False),
    node("a2", "a1", "assistant", code("print(6 * 7)"), recipient="python", end_turn=False),
    node("t1", "a2", "tool", output("42"), name="python", recipient="all"),
    node(
        "a3", "t1", "assistant", "42 boats.", recipient="all", end_turn=True, metadata={"model_slug": "m-1"}
    ),
    node("u2", "a3", "user", "And swans?"),
    node("a4", "u2", "assistant", "Two swans.", recipient="all", end_turn=True),
    node("u2b", "a3", "user", "And ducks?"),
    node("a4b", "u2b", "assistant", "Nine ducks.", recipient="all", end_turn=True),
)
KITE = chat("b1", node("k", None, "user", "Fly a kite"), node("b1", "k", "assistant", "Run!"), title="Kites")


def letter(uuid: str, sender: str, *content: Any, parent: str | None = None, **fields: Any) -> Node:
    """A message of a claude.ai conversation; a string is a text block."""
    blocks = [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]
    place = {"parent_message_uuid": parent} if parent else {}
    text = " ".join(one for one in content if isinstance(one, str))
    return {"uuid": uuid, "text": text, "content": blocks, "sender": sender, **place, **fields}


def letters(name: str, *messages: Node, **fields: Any) -> Node:
    """A claude.ai conversation."""
    created = "2026-05-01T10:00:00Z"
    return {
        "uuid": f"id of {name}",
        "name": name,
        "created_at": created,
        "chat_messages": [*messages],
        **fields,
    }


def used(name: str, **input: Any) -> Node:
    """A call without id."""
    return {"type": "tool_use", "name": name, "input": input}


def gave(name: str, text: str, **fields: Any) -> Node:
    """A result without id."""
    return {"type": "tool_result", "name": name, "content": [{"type": "text", "text": text}], **fields}


LIGHTHOUSE = letters(
    "Lighthouses",
    letter(
        "h1",
        "human",
        "Which one is tallest?",
        parent=ROOT,
        attachments=[{"file_name": "list.txt", "file_type": "txt", "extracted_content": "Ar-Men 33 m"}],
    ),
    letter(
        "a1",
        "assistant",
        {"type": "thinking", "thinking": "Look it up", "signature": "c2ln"},
        "I will search.",
        used("web_search", query="tallest"),
        used("fetch", url="x"),
        gave("fetch", "no page", is_error=True),
        gave("web_search", "Jeddah, 133 m"),
        "Jeddah Light.",
        parent="h1",
    ),
    letter("h2", "human", "In France?", parent="a1"),
    letter("h2b", "human", "In Spain?", parent="a1"),
    letter("a2", "assistant", "Chipiona.", parent="h2b"),
)
PLAIN = letters("Plain", letter("p1", "human", "Hi"), letter("p2", "assistant", "Hello"))


def compact(value: Any) -> bytes:
    """A document on one line, as exports are written."""
    return json.dumps(value, separators=(",", ":")).encode()


SITUATIONS: dict[str, tuple[str, bytes]] = {
    "chatgpt-tools-and-branches": ("chatgpt-export", compact([BOATS, KITE])),
    "chatgpt-one-conversation": ("chatgpt-export", json.dumps(BOATS, indent=2).encode()),
    "claude-ai-split-and-branches": ("claude-ai-export", compact([LIGHTHOUSE, PLAIN])),
}
