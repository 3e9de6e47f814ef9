"""One question to an array, beside the session: what would the model say now? Nothing of it is kept.

A summary by the model is such a question too, put behind the stretch that it is to replace.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tape.assembly import Answer
from tape.client import Client
from tape.edits import Append, Compact, apply
from tape.edits.compact import stretch
from tape.errors import UserError
from tape.growth import open_calls
from tape.model import Session, Usage
from tape.wire import request

INSTRUCTION = (
    "Summarize this conversation so far in a few sentences, so that the work can go on with your summary in "
    "place of it. Keep names, file paths, numbers, decisions and what is still to be done."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came back: the words of the answer, its usage, whether a script gave it, and why it ended."""

    text: str
    usage: Usage | None
    scripted: bool
    stop_reason: str | None


def ask(session: Session, question: str, client: Client, *, seconds: float = 120) -> Asked:
    """Puts a question behind the array and makes one call, in which no tool may be called.

    ``seconds`` is the longest silence. Raises ``UserError`` where the array cannot take a question (it ends
    with a call that waits for its result), where there is none, or where the answer has no words, and
    ``CallFailed`` where the endpoint refuses or does not answer.
    """
    if not question.strip():
        raise UserError("There is no question.", do="Write one.")
    if open_calls(session):
        raise UserError(
            "The array ends with a call that waits for its result.",
            where=f"messages[{len(session.messages) - 1}]",
            do="Answer it first.",
        )
    body = request(apply(session, Append(({"role": "user", "content": question},))))
    if body.get("tools"):
        body["tool_choice"] = {"type": "none"}
    answer = next(piece for piece in client.call(body, timeout=seconds) if isinstance(piece, Answer))
    words = "\n".join(
        block["text"] for block in answer.content if block.get("type") == "text" and block.get("text")
    )
    if not words.strip():
        raise UserError("The answer has no words.", do="Ask again, or in another way.")
    return Asked(words, answer.usage, answer.scripted, answer.stop_reason)


def summarize(
    session: Session,
    operation: Compact,
    client: Client,
    instruction: str = INSTRUCTION,
    *,
    seconds: float = 120,
) -> Asked:
    """The model's own summary of the stretch that ``operation`` would replace: it is sent the array up to the
    end of the stretch, with the instruction behind it. Raises as ``ask`` does, and as compacting does."""
    _, end = stretch(session, operation)
    return ask(replace(session, messages=session.messages[:end]), instruction, client, seconds=seconds)
