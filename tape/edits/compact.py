"""Replaces a stretch of the array by one short message. Cuts only where pairs allow it."""

from __future__ import annotations

from itertools import takewhile

from tape.edits.build import Fresh
from tape.edits.cuts import cuts, pinned
from tape.edits.extract import extract
from tape.edits.operations import Compact
from tape.edits.settle import settle
from tape.edits.targets import find_message, numbers
from tape.errors import UserError
from tape.model import Provenance, Session, Text, message


def compact(session: Session, operation: Compact) -> Session:
    """The session with a summary, as a user message, in place of the stretch.

    Raises ``UserError`` when no stretch of whole pairs lies inside the one that is asked for.
    """
    start, end = stretch(session, operation)
    gone = session.messages[start:end]
    text = extract(gone) if operation.summary is None else operation.summary
    if not text.strip():
        raise UserError("The summary is empty.", where="summary", do="Write one, or leave the key out.")
    fresh = Fresh(session.serial)
    uid = fresh.message()
    summary = message(
        uid,
        "user",
        (Text(uid=f"{uid}.0", text=text),),
        provenance=Provenance("inserted", note=f"summary of {numbers(range(start, end))}"),
        meta={"content_form": "string"},
    )
    messages = (*session.messages[:start], summary, *session.messages[end:])
    return settle(session, messages, serial=fresh.serial)


def stretch(session: Session, operation: Compact) -> tuple[int, int]:
    """The messages that go, from the first up to, not including, the second number.

    The stretch asked for is made smaller until no call is on one side of an edge and its result on the other;
    system messages at the head stay. Raises ``UserError`` when nothing is left.
    """
    asked_start, asked_end = _asked(session, operation)
    messages, whole, head = session.messages, cuts(session), pinned(session)
    start, end = max(asked_start, head), asked_end
    while end > start and not whole[end]:
        end -= 1
    # A summary is a user message: it may not stand behind a system message, which wants an answer, nor in
    # place of the last answer to what tools returned, which would be sent once more as if it waited for one.
    while start < end and not (whole[start] and (start <= head or _opens(session, start, end))):
        start += 1
    if start >= end:
        what = numbers(range(asked_start, asked_end)) if asked_start < asked_end else "nothing"
        raise UserError(
            f"There is no stretch of whole pairs to compact ({what} was asked for).",
            where=f"messages[{min(asked_start, max(len(messages) - 1, 0))}]",
            do="Choose more messages, or keep fewer.",
        )
    return start, end


def _opens(session: Session, start: int, end: int) -> bool:
    """Whether a summary in place of this stretch may stand behind the message before it."""
    messages = session.messages
    if messages[start - 1].role == "system":
        return False
    if any(entry.role == "assistant" for entry in messages[end:]):
        return True
    turn = takewhile(lambda entry: entry.role == "user", reversed(messages[:start]))
    return all(head.kind != "tool_result" for entry in turn for head in entry.heads)


def _asked(session: Session, operation: Compact) -> tuple[int, int]:
    if operation.keep_last is not None:
        if operation.keep_last < 0:
            raise UserError("The number of messages to keep cannot be negative.", where="keep_last")
        return 0, max(len(session.messages) - operation.keep_last, 0)
    first = 0 if operation.first is None else find_message(session, operation.first)
    last = len(session.messages) - 1 if operation.last is None else find_message(session, operation.last)
    if last < first:
        raise UserError("The stretch ends before it begins.", where="to")
    return first, last + 1


def sentence(session: Session, operation: Compact) -> str:
    """``Compacted messages 0–7 into a summary, keeping messages 8–9``."""
    start, end = stretch(session, operation)
    _, asked = _asked(session, operation)
    kept = f", keeping {numbers(range(end, asked))} so that no pair is torn" if end < asked else ""
    return f"Compacted {numbers(range(start, end))} into a summary{kept}"
