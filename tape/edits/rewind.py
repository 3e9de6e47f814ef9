"""Goes back to an earlier message and keeps what came after it as a branch: a re-run loses nothing."""

from __future__ import annotations

from tape.branches import free
from tape.edits.settle import settle
from tape.edits.targets import find_message, plural
from tape.errors import UserError
from tape.model import Branch, Session
from tape.threads import threads


def kept(session: Session, uid: str) -> int:
    """How many messages a re-run from this one sends.

    A user message is sent with all before it; an assistant message is answered anew and so is not. A round
    of results that is spread over several user messages is sent whole. Raises ``UserError`` for a uid that
    is no message.
    """
    at = find_message(session, uid)
    messages = session.messages
    if messages[at].role == "assistant":
        while at and messages[at - 1].role == "assistant":
            at -= 1
        return at
    calls = {head.uid for entry in messages[:at] for head in entry.heads if head.kind == "tool_use"}
    pairs = threads(session)
    end = at + 1
    while end < len(messages) and messages[end].role == "user":
        heads = messages[end].heads
        if not any(set(pairs.partners(h.uid)) & calls for h in heads if h.kind == "tool_result"):
            break
        end += 1
    return end


def sentence(session: Session, uid: str, name: str) -> str:
    """``Sends messages 0–4; 7 later messages move to branch "before edit"``."""
    sent = kept(session, uid)
    later = len(session.messages) - sent
    first = "Sends message 0" if sent == 1 else f"Sends messages 0–{sent - 1}"
    if not later:
        return first
    move = "moves" if later == 1 else "move"
    return f'{first}; {plural(later, "later message")} {move} to branch "{name}"'


def rewind(session: Session, uid: str, name: str) -> Session:
    """The session up to that message (see ``kept``), with the rest as a branch of this name.

    A name that is taken gets a number. Without later messages the session is returned as it is. Raises
    ``UserError`` for a uid that is no message, or when nothing would be left to send.
    """
    sent = kept(session, uid)
    if not sent:
        raise UserError("There is no message before this one to send.", where="messages[0]")
    tail = session.messages[sent:]
    if not tail:
        return session
    at = session.messages[sent - 1].uid
    branch = Branch(free(session, name), at, tail, reason="re-run from an earlier message")
    return settle(session, session.messages[:sent], branches=(*session.branches, branch))
