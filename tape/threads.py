"""Pairs every tool call with the result that quotes its id, and says what became of those that have none.

Works on heads alone. Where an edit changed a few messages, only what they touch is paired again. Whether an
endpoint would refuse what is found here is the business of ``tape.rules``; sub-agent lanes are sessions of
their own and are paired by calling ``threads`` on them.
"""

from __future__ import annotations

from tape.derived import nearest, once
from tape.model import Session
from tape.thread_changes import carried
from tape.thread_scan import scan
from tape.thread_values import Link, LinkState, Round, Threads, Unlinked, UnlinkedState

__all__ = ["Link", "LinkState", "Round", "Threads", "Unlinked", "UnlinkedState", "threads"]


@once
def threads(session: Session, *, merge: bool = True) -> Threads:
    """Pairs the calls and results of the main array.

    A result answers the nearest unanswered call before it with the same id; calls of one message that share
    an id are answered in order. Neighbors of the same role are one turn, as the Messages API reads them;
    with ``merge=False`` two assistant messages in a row stay apart, as Chat Completions reads them.
    """
    near = nearest(session, threads, merge=merge)
    found = carried(near.value, session.messages, near.change, merge) if near else None
    return found or scan(session.messages, merge)
