"""Mends signed thinking that an edit made strange: all of it goes, never half, or the API drops it."""

from __future__ import annotations

from dataclasses import replace

from tape.edits.build import rewrite
from tape.edits.delete import delete
from tape.edits.operations import Delete
from tape.edits.settle import with_messages
from tape.model import Message, Session, Thinking
from tape.repairs.ways import Uids, Way

BINDING = {"prefix_mismatch_behavior": "drop_block"}


def _allow(session: Session, uids: Uids) -> Session:
    """Asks the API to drop what does not fit instead of refusing the request."""
    thinking = session.params.get("thinking")
    asked = dict(thinking) if isinstance(thinking, dict) else {"type": "adaptive"}
    if asked.get("block_binding") == BINDING:
        return session
    return replace(session, params={**session.params, "thinking": {**asked, "block_binding": BINDING}})


def _holders(session: Session, uids: Uids) -> list[int]:
    wanted = set(uids)
    return [
        i
        for i, entry in enumerate(session.messages)
        if entry.uid in wanted or any(head.uid in wanted for head in entry.heads)
    ]


def _drop(session: Session, gone: list[str]) -> Session:
    """The session without these thinking blocks, breaking nothing else."""
    return delete(session, Delete(tuple(gone), partners=False)) if gone else session


def _drop_from_here(session: Session, uids: Uids) -> Session:
    """Drops all thinking from the first of these blocks on."""
    holders = _holders(session, uids)
    if not holders:
        return session
    first = holders[0]
    heads = session.messages[first].heads
    start = next((j for j, head in enumerate(heads) if head.uid in uids), 0)
    gone = [head.uid for head in heads[start:] if head.kind == "thinking"]
    gone += [h.uid for m in session.messages[first + 1 :] for h in m.heads if h.kind == "thinking"]
    return _drop(session, gone)


def _drop_of_message(session: Session, uids: Uids) -> Session:
    """Drops all thinking of the messages that hold these blocks."""
    entries = [session.messages[i] for i in _holders(session, uids)]
    return _drop(session, [h.uid for entry in entries for h in entry.heads if h.kind == "thinking"])


def _may_go(session: Session, uids: Uids) -> bool:
    """Whether no system message would lose its neighbor with a message of nothing but thinking."""
    messages = session.messages
    return not any(
        all(head.kind == "thinking" for head in messages[i].heads)
        and any(near.role == "system" for near in messages[max(i - 1, 0) : i + 2])
        for i in _holders(session, uids)
    )


def _original(session: Session, entry: Message) -> tuple[Thinking, ...]:
    """The thinking of a message as it was read; nothing where that is what it has."""
    base = session.base.messages if session.base else ()
    old = next((m for m in base if m.uid == entry.uid), None)
    if old is None or old is entry:
        return ()
    was = tuple(block for block in old.blocks if isinstance(block, Thinking))
    return () if was == tuple(b for b in entry.blocks if isinstance(b, Thinking)) else was


def _restore(session: Session, uids: Uids) -> Session:
    """Gives messages the thinking back that they were read with: in its place, or first."""
    messages = list(session.messages)
    for i in _holders(session, uids):
        entry = messages[i]
        was = _original(session, entry)
        if was:
            originals = {block.uid: block for block in was}
            here = {head.uid for head in entry.heads}
            if all(block.uid in here for block in was):
                order = iter(was)
                blocks = tuple(next(order) if b.uid in originals else b for b in entry.blocks)
            else:
                blocks = (*was, *(b for b in entry.blocks if not isinstance(b, Thinking)))
            messages[i] = rewrite(entry, blocks)
    return with_messages(session, messages)


def _was_there(session: Session, uids: Uids) -> bool:
    return any(_original(session, session.messages[i]) for i in _holders(session, uids))


def _off(session: Session, uids: Uids) -> Session:
    """Sends the request without thinking."""
    if "thinking" not in session.params:
        return session
    return replace(session, params={k: v for k, v in session.params.items() if k != "thinking"})


def _is_on(session: Session, uids: Uids) -> bool:
    return "thinking" in session.params


FROM_HERE = Way(
    "drop",
    "Drop all thinking from here on",
    "Deleted all thinking from {place} on",
    _drop_from_here,
    "all thinking from here on",
)
OF_MESSAGE = Way(
    "drop",
    "Drop this message's thinking",
    "Deleted the thinking at {place}",
    _drop_of_message,
    "the message's thinking",
    _may_go,
)
RESTORE = "Gave {place} its own thinking back"
WAYS: dict[str, tuple[Way, ...]] = {
    "thinking-prefix-changed": (
        Way("allow", "Let the API drop what does not fit", "Asked the API to drop changed thinking", _allow),
        FROM_HERE,
    ),
    "thinking-gap": (
        Way("allow", "Let the API drop what does not fit", "Asked the API to drop changed thinking", _allow),
        FROM_HERE,
    ),
    "thinking-modified": (
        Way("restore", "Restore the thinking", RESTORE, _restore, "what was changed in it", _was_there),
        FROM_HERE,
    ),
    "thinking-missing": (
        Way("restore", "Restore the thinking", RESTORE, _restore, fits=_was_there),
        Way("off", "Turn thinking off", "Turned thinking off for the next call", _off, fits=_is_on),
    ),
    "thinking-misplaced": (OF_MESSAGE,),
    "empty-signed-thinking": (OF_MESSAGE,),
    "reasoning-unpaired": (OF_MESSAGE,),
}
