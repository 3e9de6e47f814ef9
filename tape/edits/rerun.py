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
class Edits:
    """What the last edits in a row touched: ``first`` is the position from which on something that was there
    is gone or changed (``None``: nothing is), ``last`` that of the last message that was not there before."""

    first: int | None
    last: int


@dataclass(frozen=True, slots=True)
class Plan:
    """``sent`` messages are sent, ``later`` ones move to the branch ``branch``, and the array from before the
    edits is the branch ``edited``; a name is empty where there is nothing to keep. Both names are one where
    the later messages stand in the array from before the edits."""

    sent: int
    later: int
    branch: str
    edited: str

    @property
    def sentence(self) -> str:
        """``Sends messages 0–4; 7 later messages move to branch "before edit".``"""
        said = "Sends message 0" if self.sent == 1 else f"Sends messages 0–{self.sent - 1}"
        if self.later:
            move = "moves" if self.later == 1 else "move"
            said += f'; {plural(self.later, "later message")} {move} to branch "{self.branch}"'
        if self.edited and (self.edited != self.branch or not self.later):
            said += f'; the array from before the edit is branch "{self.edited}"'
        return f"{said}."


def edits(session: Session, before: Session) -> Edits:
    """Where the session differs from the one ``before`` the last edits."""
    now, then = session.messages, before.messages
    if now is then:
        return Edits(None, -1)
    shared = min(len(now), len(then))
    first = next((i for i in range(shared) if now[i] is not then[i]), shared)
    known = set(then[first:])
    last = next((i for i in range(len(now) - 1, first - 1, -1) if now[i] not in known), -1)
    return Edits(first if first < len(then) else None, last)


def plan(session: Session, before: Session, uid: str) -> Plan:
    """What a re-run from the message ``uid`` would do. ``before`` is the session before the last edits.

    Raises ``UserError`` for a uid that is no message.
    """
    sent = kept(session, uid)
    later = len(session.messages) - sent
    found = edits(session, before)
    edited = "" if found.first is None else free(session, BEFORE_EDIT)
    own = free(session, BEFORE_RUN) if later else ""
    return Plan(sent, later, edited if edited and found.last < sent else own, edited)


def rerun(session: Session, before: Session, uid: str) -> Session:
    """The array to send, with the rest as branches. Raises ``UserError`` as ``tape.edits.rewind`` does."""
    chosen = plan(session, before, uid)
    cut = rewind(session, uid, BEFORE_RUN)
    first = edits(session, before).first
    if not chosen.edited or first is None:
        return cut
    if chosen.branch == chosen.edited:
        cut = settle(session, session.messages[: chosen.sent])
    old = before.messages[first:]
    branch = Branch(chosen.edited, before.messages[first - 1].uid if first else None, old, "before an edit")
    have = {call.message_uid for call in cut.calls}
    uids = {entry.uid for entry in old} - have
    lost = tuple(call for call in before.calls if call.message_uid in uids)
    return replace(cut, branches=(*cut.branches, branch), calls=(*cut.calls, *lost))
