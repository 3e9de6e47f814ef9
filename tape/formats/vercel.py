"""Messages of the Vercel AI SDK: those of its interface (``UIMessage``) and those for models.

One message of the interface holds many replies: it is split where a step starts and behind the results of its
tools. Facts: formats.md 9.3 of the project's notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Literal

from tape.formats.arrays import Path, at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import DocumentFormat, again
from tape.formats.parts import Part, below, text_part, word
from tape.formats.parts_dump import Form
from tape.formats.vercel_parts import answered, model_parts, tool_of, ui_parts, ui_result_parts
from tape.model import Block, Json, Message, Place, Role, Session, Text
from tape.records import Source

NAME: Final = "vercel-ai"
ROLES: Final = ("system", "user", "assistant", "tool", "data")
UI_TYPES: Final = ("step-start", "dynamic-tool", "source-url", "source-document", "tool-invocation")
MODEL_TYPES: Final = ("tool-call", "tool-result", "tool-approval-request", "tool-approval-response")
LISTS: Final = ("messages", "uiMessages", "prompt", "initialMessages")


class VercelAI(DocumentFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Vercel AI SDK messages"
    written_by = "applications that keep UIMessage or ModelMessage of the Vercel AI SDK"
    evidence: Literal["files", "documentation"] = "documentation"
    form: ClassVar[Form]

    def sniff(self, sample: Sample) -> Guess | None:
        """Told by messages with typed parts, and by parts of type ``tool-call``."""
        for record in sample.records[:50]:
            found = self.find(record)
            messages = at(record, found[0]) if found is not None else []
            if any(isinstance(m, dict) and _is_marked(m) for m in messages):
                ui = any(isinstance(m, dict) and ("parts" in m or "toolInvocations" in m) for m in messages)
                return Guess(
                    3, "messages with typed parts" if ui else "messages with parts of type tool-call"
                )
        return None

    @staticmethod
    def find(value: Json) -> tuple[Path, str | None] | None:
        """A list of messages, or an object that holds one."""
        if _are_messages(value):
            return (), None
        for key in LISTS:
            if isinstance(value, dict) and _are_messages(value.get(key)):
                return (key,), word(value, "title")
        return None

    @staticmethod
    def load(source: Source, array: Place) -> Session:
        """The session of the messages at a place. Never raises on data."""
        return load(source, array)


def _are_messages(value: Json) -> bool:
    if not isinstance(value, list) or not value:
        return False
    looked = [m for m in value[:400] if isinstance(m, dict) and m.get("role") in ROLES]
    return len(looked) * 10 >= len(value[:400]) * 6


def _is_marked(message: dict[str, Json]) -> bool:
    """Whether a message has what only this SDK writes."""
    if isinstance(message.get("toolInvocations"), list):
        return True
    parts, content = message.get("parts"), message.get("content")
    for part in parts if isinstance(parts, list) else ():
        kind = word(part, "type") or ""
        if kind in UI_TYPES or kind.startswith(("tool-", "data-")):
            return True
        if kind in ("text", "reasoning") and isinstance(part.get("text"), str):
            return True
    return any(word(part, "type") in MODEL_TYPES for part in (content if isinstance(content, list) else ()))


def load(source: Source, array: Place) -> Session:
    """The session of the messages at a place. Never raises on data."""
    g = Gathering(source, NAME, array=array)
    messages = at(source.held(array.record), array.path)
    for i, message in enumerate(messages if isinstance(messages, list) else ()):
        place = below(array, i)
        if not isinstance(message, dict):
            g.aside(place, "no object", known=False)
        elif isinstance(message.get("parts"), list):
            ui_message(g, place, message)
        elif isinstance(message.get("toolInvocations"), list):
            _version_4(g, place, message)
        else:
            _model(g, place, message)
    return g.session()


def _role(message: dict[str, Json]) -> tuple[Role, dict[str, Any]]:
    written = message.get("role")
    if written in ("system", "user", "assistant"):
        role: Role = written
        return role, {}
    return "user", {"unknown_role": written, "role": str(written)}


def ui_message(g: Gathering, place: Place, message: dict[str, Json], **known: Any) -> None:
    """A message of the interface: replies of an assistant come apart, each with its results behind it.
    ``known`` is what its file says of it elsewhere."""
    role, facts = _role(message)
    facts = {**facts, "timestamp": word(message, "createdAt"), **known}
    waiting: list[Place] = []
    fresh = True
    for j, part in enumerate(message["parts"]):
        where = below(place, "parts", j)
        kind = word(part, "type") or ""
        tool = tool_of(part)
        if tool is None and waiting:
            _flush(g, waiting)
            fresh = True
        if kind == "step-start" or kind.startswith(("data-", "source-")):
            fresh = fresh or kind == "step-start"
            g.aside(where, kind)
            continue
        g.say(
            role, where, ui_parts, joins=not fresh, key=None if role == "assistant" else str(place), **facts
        )
        fresh = False
        if answered(part) and tool is not None and tool[0].get("providerExecuted") is not True:
            waiting.append(where)
    _flush(g, waiting)


def _flush(g: Gathering, waiting: list[Place]) -> None:
    for where in waiting:
        g.answer(where, ui_result_parts)
    waiting.clear()


def _version_4(g: Gathering, place: Place, message: dict[str, Json]) -> None:
    """A message with its words as a string and its tools beside it: the words come behind the results."""
    wrapped = [{"type": "tool-invocation", "toolInvocation": one} for one in message["toolInvocations"]]
    several = [one for one in message["toolInvocations"] if isinstance(one, dict)]
    if len(several) == len(wrapped):
        for j in range(len(several)):
            g.say("assistant", below(place, "toolInvocations", j), _call_4, joins=j > 0)
        for j, one in enumerate(several):
            if one.get("state") == "result":
                g.answer(below(place, "toolInvocations", j), _result_4)
    if isinstance(message.get("content"), str) and message["content"]:
        g.say("assistant", place, _words_4)


def _call_4(tool: Json, place: Place) -> Sequence[Part]:
    return ui_parts({"type": "dynamic-tool", **tool}, place)


def _result_4(tool: Json, place: Place) -> Sequence[Part]:
    return ui_result_parts({"type": "dynamic-tool", **tool}, place)


def _words_4(message: Json, place: Place) -> Sequence[Part]:
    return [text_part(message["content"], below(place, "content"))]


def _model(g: Gathering, place: Place, message: dict[str, Json]) -> None:
    if message.get("role") == "tool":
        g.answer(place, model_parts)
        return
    parts = model_parts(message, place)
    if not parts:
        g.aside(place, "empty message")
        return
    role, facts = _role(message)
    g.say(role, place, model_parts, parts=parts, **facts)


def make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    """A message with words alone, in the form of those before it; ``None`` for any other."""
    if not like or not isinstance(like[-1], dict) or not all(isinstance(b, Text) for b in entry.blocks):
        return None
    texts = [{"type": "text", "text": b.text} for b in entry.blocks if isinstance(b, Text)]
    key = "parts" if "parts" in like[-1] else "content"
    return [{"role": entry.role, key: texts}] if texts else None


def element(block: Block) -> Json | None:
    """A text part; ``None`` for any other block."""
    return {"type": "text", "text": block.text} if isinstance(block, Text) else None


VercelAI.form = Form("A list of Vercel AI messages", again(load), make, element)
