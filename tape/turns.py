"""Cuts the array into turns: call → act → append.

A turn is one model call plus the tool round trip it triggers. Works on heads alone, in one pass. What the
calls cost is in ``tape.usage``; which result answers which call is in ``tape.threads``.
"""

from __future__ import annotations

from dataclasses import dataclass

from tape.derived import once
from tape.model import Message, Session, Usage


@dataclass(frozen=True, slots=True)
class Turn:
    """One model call. Positions are those in ``session.messages``.

    ``index`` counts turns and ``exchange`` the pieces of work that a user opened, both from 1. The call sent
    ``messages[sent_from:at]``, that is ``sent`` messages, from the first or from a compaction's summary on;
    what the call before had not sent begins at ``new_from``. ``at`` and ``message_uid`` are its answer,
    ``result_uids`` the user messages with the results of that answer's calls, ``next`` the position behind
    the round trip. ``open`` says that the answer has calls and nothing came after it: the loop is waiting.
    """

    index: int
    exchange: int
    sent_from: int
    sent: int
    new_from: int
    at: int
    message_uid: str
    result_uids: tuple[str, ...]
    next: int
    usage: Usage | None
    open: bool


@once
def turns(session: Session) -> tuple[Turn, ...]:
    """Every model call of the main array, in order.

    Each assistant message is one, save those a harness wrote itself (``synthetic``) and those that a
    compaction carried over. A session that starts
    with an assistant message has turns too: the first of them sent nothing that is in the file.
    """
    messages = session.messages
    usages = {call.message_uid: call.usage for call in session.calls if call.usage is not None}
    found: list[Turn] = []
    exchange, opened, sent_from, last_sent = 0, True, 0, 0
    for i, entry in enumerate(messages):
        if entry.restarts and not is_answer(entry):
            sent_from = last_sent = i
        if entry.role != "assistant":
            opened = opened or opens_work(entry)
            continue
        if not is_answer(entry):
            continue
        exchange, opened = exchange + opened, False
        calls = [h.id for h in entry.heads if h.kind == "tool_use" and "server" not in h.flags]
        answers = _answers(messages, i, set(calls)) if calls else ()
        found.append(
            Turn(
                index=len(found) + 1,
                exchange=exchange,
                sent_from=sent_from,
                sent=i - sent_from,
                new_from=last_sent,
                at=i,
                message_uid=entry.uid,
                result_uids=tuple(messages[k].uid for k in answers),
                next=answers[-1] + 1 if answers else i + 1,
                usage=usages.get(entry.uid),
                open=bool(calls) and i + 1 == len(messages),
            )
        )
        last_sent = i
    return tuple(found)


def is_answer(entry: Message) -> bool:
    """Whether a message is what a call to the model gave: neither written by a harness nor carried over."""
    return entry.role == "assistant" and not (entry.meta.get("synthetic") or entry.meta.get("carried"))


def opens_work(entry: Message) -> bool:
    """Whether a message asks for something: it is a user's, said here, and holds more than results and
    injected text."""
    asks = entry.role == "user" and not entry.meta.get("carried")
    return asks and any(head.kind != "tool_result" and "injected" not in head.flags for head in entry.heads)


def _answers(messages: tuple[Message, ...], call: int, ids: set[str | None]) -> tuple[int, ...]:
    """The positions of the user messages of the next turn that answer any of these ids."""
    found: list[int] = []
    for i in range(call + 1, len(messages)):
        entry = messages[i]
        if entry.role == "assistant":
            break
        if any(h.kind == "tool_result" and h.id in ids for h in entry.heads):
            found.append(i)
    return tuple(found)
