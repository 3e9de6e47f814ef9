"""What a re-run sends and what becomes of the rest: later messages, and what stood there before an edit.

An edit followed by a re-run leaves two arrays: the one that goes on, and the one from before the edit. Both
are kept, so that they can be compared. Going back without an edit is ``tape.edits.rewind``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tape.branches import free
from tape.edits.rewind import kept, rewind
from tape.edits.settle import settle
from tape.edits.targets import plural
from tape.model import Branch, Session

BEFORE_EDIT = "before edit"
BEFORE_RUN = "before the re-run"


@dataclass(frozen=True, slots=True)
class Plan:
    """``sent`` messages are sent, ``later`` ones move to a branch; ``branch`` is its name, empty where
    nothing is moved. ``edited`` says that the branch is the array from before an edit."""

    sent: int
    later: int
    branch: str
    edited: bool

    @property
    def sentence(self) -> str:
        """``Sends messages 0–4; 7 later messages move to branch "before edit".``"""
        first = "Sends message 0" if self.sent == 1 else f"Sends messages 0–{self.sent - 1}"
        if not self.branch:
            return f"{first}."
        if not self.later:
            return f'{first}; the array from before the edit is branch "{self.branch}".'
        move = "moves" if self.later == 1 else "move"
        return f'{first}; {plural(self.later, "later message")} {move} to branch "{self.branch}".'


def first_edit(session: Session, before: Session) -> int | None:
    """The position of the first message that is not as it was ``before``; ``None`` where all that was there
    is there still, so that nothing would be lost."""
    pairs = zip(session.messages, before.messages, strict=False)
    shared = min(len(session.messages), len(before.messages))
    found = next((i for i, (now, then) in enumerate(pairs) if now is not then), shared)
    return found if found < len(before.messages) else None


def plan(session: Session, before: Session, uid: str) -> Plan:
    """What a re-run from the message ``uid`` would do. ``before`` is the session before the last edits.

    Raises ``UserError`` for a uid that is no message.
    """
    sent = kept(session, uid)
    later = len(session.messages) - sent
    edit = first_edit(session, before)
    if edit is not None and edit < sent:
        return Plan(sent, later, free(session, BEFORE_EDIT), True)
    return Plan(sent, later, free(session, BEFORE_RUN) if later else "", False)


def rerun(session: Session, before: Session, uid: str) -> Session:
    """The array to send, with the rest as branches. Raises ``UserError`` as ``tape.edits.rewind`` does."""
    chosen = plan(session, before, uid)
    edit = first_edit(session, before)
    if not chosen.edited or edit is None:
        return rewind(session, uid, BEFORE_RUN)
    old = before.messages[edit:]
    at = before.messages[edit - 1].uid if edit else None
    branch = Branch(chosen.branch, at, old, reason="before an edit")
    known = set(before.messages)
    tail = session.messages[chosen.sent :]
    cut = rewind(session, uid, BEFORE_RUN)
    if all(entry in known for entry in tail):
        cut = settle(session, session.messages[: chosen.sent])
    uids = {entry.uid for entry in old}
    have = {call.message_uid for call in cut.calls}
    lost = tuple(c for c in before.calls if c.message_uid in uids and c.message_uid not in have)
    return replace(cut, branches=(*cut.branches, branch), calls=(*cut.calls, *lost))
