"""The request as the scripted model sees it: the words, the calls with their results, the tools.

This is everything a skill is given. There is no clock, no memory and no file behind it, so the
same array always gets the same answer. Any JSON value is accepted; what is no message is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_TEXT = 200_000
"""Characters of one message that the script reads; longer ones are read from their beginning."""

GO_ON = frozenset({"continue", "go on", "go ahead", "please continue", "keep going", "proceed"})


@dataclass(frozen=True, slots=True)
class Said:
    """The words of one message, and where it stands in the array (counted from 0)."""

    position: int
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A ``tool_use`` block: what was asked, and in which message."""

    id: str
    name: str
    input: Mapping[str, Any]
    position: int


@dataclass(frozen=True, slots=True)
class Done:
    """A call that the array answers: the call, and the result's text and error mark."""

    call: Call
    text: str
    is_error: bool
    position: int


@dataclass(frozen=True, slots=True)
class Declared:
    """A tool the request declares. Only declared tools may be asked for."""

    name: str
    description: str
    properties: Mapping[str, Any]
    required: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """One request, taken apart. ``question`` is the last user message that says something."""

    system: str
    said: tuple[Said, ...]
    done: tuple[Done, ...]
    tools: tuple[Declared, ...]
    count: int
    last_role: str
    question: Said

    @property
    def asked(self) -> str:
        """The words of the question; empty when no user message has any."""
        return self.question.text

    def by(self, role: str) -> tuple[Said, ...]:
        """The messages of one role that say something, oldest first."""
        return tuple(said for said in self.said if said.role == role)

    def since_question(self) -> tuple[Done, ...]:
        """The calls answered after the question was asked, oldest first."""
        return tuple(done for done in self.done if done.position > self.question.position)


def look(request: Mapping[str, Any]) -> Seen:
    """Take a ``/v1/messages`` request body apart. Never raises, whatever the body holds."""
    messages = _items(request.get("messages"))
    said: list[Said] = []
    done: list[Done] = []
    open_calls: dict[str, Call] = {}
    system = [_text(request.get("system"))]
    for position, message in enumerate(messages):
        role = _string(message.get("role"))
        content = message.get("content")
        words = _text(content)
        if role == "system":
            system.append(words)
        elif words.strip():
            said.append(Said(position, role, words[:LONGEST_TEXT]))
        for block in _blocks(content):
            kind = block.get("type")
            if kind == "tool_use":
                call = Call(
                    _string(block.get("id")),
                    _string(block.get("name")),
                    _object(block.get("input")),
                    position,
                )
                open_calls[call.id] = call
            elif kind == "tool_result":
                answered = open_calls.pop(_string(block.get("tool_use_id")), None)
                if answered is not None:
                    text = _text(block.get("content"))[:LONGEST_TEXT]
                    done.append(Done(answered, text, block.get("is_error") is True, position))
    return Seen(
        system="\n".join(part for part in system if part),
        said=tuple(said),
        done=tuple(done),
        tools=tuple(_tools(request)),
        count=len(messages),
        last_role=_string(messages[-1].get("role")) if messages else "",
        question=_question(said),
    )


def _question(said: Sequence[Said]) -> Said:
    for one in reversed(said):
        if one.role == "user" and one.text.strip().rstrip(".!").lower() not in GO_ON:
            return one
    return Said(-1, "user", "")


def _tools(request: Mapping[str, Any]) -> Iterator[Declared]:
    if _object(request.get("tool_choice")).get("type") == "none":
        return
    for tool in _items(request.get("tools")):
        name = _string(tool.get("name"))
        schema = _object(tool.get("input_schema"))
        required = schema.get("required")
        if name:
            yield Declared(
                name,
                _string(tool.get("description")),
                _object(schema.get("properties")),
                tuple(r for r in required if isinstance(r, str)) if isinstance(required, list) else (),
            )


def _text(content: object) -> str:
    """The words of a content field: a string, or its text blocks joined by newlines."""
    if isinstance(content, str):
        return content
    texts = (_string(b.get("text")) for b in _blocks(content) if b.get("type") == "text")
    return "\n".join(texts)


def _blocks(content: object) -> list[Mapping[str, Any]]:
    return _items(content)


def _items(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
