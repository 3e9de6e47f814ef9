"""Makes a ShareGPT training row of any session: turns with ``from`` and ``value``.

Nothing in a row has an id: results follow their calls in the order of the calls, which is how they are paired
again. Facts: formats.md 9.11 of the project's notes and the data formats of LLaMA-Factory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tape.foreign import object_input
from tape.formats.base import Dumped
from tape.formats.carrying import Carried, Target, Turn, carried
from tape.formats.openai_write import declared
from tape.formats.settings import leave_out
from tape.model import Block, Document, Image, Session, Text, Thinking, ToolResult, ToolUse, json_text

TARGET: Final = Target(longest_name=200, longest_id=200, mid_system=False)
PLACEHOLDER: Final = "<image>"


def write(session: Session) -> Dumped:
    """The session as one row; what a row has no place for is in the losses."""
    done = carried(session, TARGET)
    images: list[str] = []
    order: list[str] = []
    turns: list[dict[str, Any]] = []
    for turn in done.turns:
        turns += _turns(done, turn, images, order)
        called = [block.id for block, _ in turn.blocks if isinstance(block, ToolUse)]
        order = called or order
    row: dict[str, Any] = {"id": session.id} if session.id else {}
    row["conversations"] = turns
    if done.system:
        row["system"] = "\n\n".join(done.system)
    if session.tools is not None:
        row["tools"] = json_text([declared(tool) for tool in done.tools])
    if images:
        row["images"] = images
    leave_out(done.losses, *(key for key, value in session.params.items() if value is not None))
    if any(call.usage is not None for call in session.calls):
        done.losses.lose("What was recorded of tokens was left out.")
    return Dumped(json.dumps(row, ensure_ascii=False, indent=2).encode() + b"\n", done.losses.notes())


def _turns(done: Carried, turn: Turn, images: list[str], order: list[str]) -> Iterator[dict[str, Any]]:
    """Results first, in the order of their calls, then words, then calls."""
    results = [(b, w) for b, w in turn.blocks if isinstance(b, ToolResult)]
    place = {id: n for n, id in enumerate(order)}
    for result, where in sorted(results, key=lambda one: place.get(one[0].tool_use_id, len(place))):
        yield {"from": "observation", "value": _observed(done, result, where)}
    name = "gpt" if turn.role == "assistant" else "human"
    for block, where in turn.blocks:
        words = _words(done, block, where, images)
        if words is not None:
            yield {"from": name, "value": words}
    calls = [block for block, _ in turn.blocks if isinstance(block, ToolUse)]
    if calls:
        made = [{"name": block.name, "arguments": object_input(block)} for block in calls]
        yield {"from": "function_call", "value": json_text(made[0] if len(made) == 1 else made)}
        if not all(block.generated_id for block in calls):
            done.losses.lose(
                "Ids of calls were left out: results follow in the order of the calls.", turn.where
            )


def _words(done: Carried, block: Block, where: str, images: list[str]) -> str | None:
    match block:
        case Text():
            if PLACEHOLDER in block.text:
                done.losses.lose("Words that say <image> stand for a picture in a row.", where)
            return block.text
        case Image(ref=str() as ref) if ref:
            images.append(ref)
            return PLACEHOLDER
        case Document(text=str() as text):
            done.losses.lose("A document of text became plain text.", where)
            return text
        case Image() | Document():
            done.losses.lose("An image or file was left out: a row names the path of one.", where)
        case Thinking():
            done.losses.lose("Thinking was left out.", where)
    return None


def _observed(done: Carried, block: ToolResult, where: str) -> str:
    if block.is_error:
        done.losses.lose("An observation cannot say that it is an error; the mark was left out.", where)
    if isinstance(block.content, tuple) and not all(isinstance(inner, Text) for inner in block.content):
        done.losses.lose("An image or file of a result was left out.", where)
    return block.text
