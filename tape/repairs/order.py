"""Mends roles and their order: who speaks first, last, twice in a row, or under a name nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tape.edits.build import INSERTED, Fresh, rewrite
from tape.edits.merge import joined
from tape.edits.settle import settle, with_messages
from tape.model import Block, Message, Role, Session, Text, ToolResult, message
from tape.repairs.blocks import change_blocks, without
from tape.repairs.ids import with_own_ids
from tape.repairs.results import bring
from tape.repairs.system import hoist, only_text
from tape.repairs.ways import Uids, Way
from tape.threads import threads

START = "(The conversation starts here.)"
CONTINUE = "Continue."
ACKNOWLEDGED = "Understood."
SPEAKS: Mapping[str, Role] = {"model": "assistant", "ai": "assistant", "bot": "assistant"}


def _said(fresh: Fresh, role: Role, text: str) -> Message:
    """A message of ours with these words as a bare string."""
    uid = fresh.message()
    block = Text(uid=f"{uid}.0", text=text)
    return message(uid, role, (block,), provenance=INSERTED, meta={"content_form": "string"})


def _start(session: Session, uids: Uids) -> Session:
    """Puts a user message in front of the conversation, behind leading system messages."""
    messages = session.messages
    at = next((i for i, entry in enumerate(messages) if entry.role != "system"), len(messages))
    if at < len(messages) and messages[at].role == "user":
        return session
    fresh = Fresh(session.serial)
    first = _said(fresh, "user", START)
    return with_messages(session, (*messages[:at], first, *messages[at:]), fresh.serial)


def _known_role(session: Session, uids: Uids) -> Session:
    """Gives messages the role that the API has for what they hold.

    A developer's instructions at the head become the system prompt, a tool's answer a result; what no API
    knows is the user's, as it was read.
    """
    leading = True
    for i, entry in enumerate(session.messages):
        written = str(entry.meta.get("unknown_role", "")).lower()
        leading = leading and (entry.role == "system" or written == "developer")
        if entry.uid in uids and "unknown_role" in entry.meta:
            if written == "developer" and leading and _can_be_system(session, entry):
                named = _renamed(session, i, "system")
                return _known_role(hoist(named, (entry.uid,)), uids)
            return _known_role(_renamed(session, i, SPEAKS.get(written, "user")), uids)
    return session


def _can_be_system(session: Session, entry: Message) -> bool:
    return only_text(entry) and len(session.messages) > 1


def _renamed(session: Session, i: int, role: Role) -> Session:
    entry = session.messages[i]
    blocks = entry.blocks
    extra = entry.meta.get("extra", {})
    id = extra.get("tool_call_id") if isinstance(extra, dict) else None
    if isinstance(id, str) and role == "user":
        fresh = Fresh(session.serial)
        bare = blocks[0].text if len(blocks) == 1 and isinstance(blocks[0], Text) else None
        blocks = (ToolResult(uid=fresh.block(), tool_use_id=id, content=blocks if bare is None else bare),)
        session = replace(session, serial=fresh.serial)
    changed = rewrite(entry, blocks, role=role, drop=("role", "unknown_role"))
    return with_messages(session, (*session.messages[:i], changed, *session.messages[i + 1 :]))


def _merge(session: Session, uids: Uids) -> Session:
    """Joins each run of these messages that stand side by side in one role."""
    session = _own_ids(session, uids)
    messages: list[Message] = []
    into: dict[str, str] = {}
    run: list[Message] = []
    for entry in (*session.messages, None):
        if entry is not None and entry.uid in uids and (not run or run[0].role == entry.role):
            run.append(entry)
            continue
        if run:
            messages.append(joined(run) if len(run) > 1 else run[0])
            into |= {merged.uid: run[0].uid for merged in run[1:]}
            run = []
        if entry is not None:
            (run if entry.uid in uids else messages).append(entry)
    if not into:
        return session
    found = threads(session)
    ours = [entry for entry in session.messages if entry.uid in uids and entry.role == "assistant"]
    calls = [head.uid for entry in ours for head in entry.heads if head.kind == "tool_use"]
    merged = settle(session, tuple(messages), into)
    return bring(merged, tuple(result for call in calls for result in found.partners(call)))


def _own_ids(session: Session, uids: Uids) -> Session:
    """Tells calls of one id apart before they come to stand in one message, where order alone pairs them."""
    seen: set[str | None] = set()
    again: list[str] = []
    for entry in session.messages:
        for head in entry.heads if entry.uid in uids else ():
            if head.kind == "tool_use":
                if head.id in seen:
                    again.append(head.uid)
                seen.add(head.id)
    return with_own_ids(session, again)


def _between(session: Session, uids: Uids) -> Session:
    """Puts one line of the other role between neighbors of one role."""
    fresh = Fresh(session.serial)
    messages: list[Message] = []
    for entry in session.messages:
        last = messages[-1] if messages else None
        if last is not None and last.role == entry.role != "system" and {last.uid, entry.uid} <= set(uids):
            is_user = entry.role == "user"
            messages.append(
                _said(fresh, "assistant" if is_user else "user", ACKNOWLEDGED if is_user else CONTINUE)
            )
        messages.append(entry)
    return with_messages(session, messages, fresh.serial)


def _parts_no_pair(session: Session, uids: Uids) -> bool:
    """Whether a line may stand between these neighbors: not where one of them is part of a tool round."""
    kinds = {h.kind for m in session.messages if m.uid in uids for h in m.heads}
    return not kinds & {"tool_use", "tool_result"}


def _continue(session: Session, uids: Uids) -> Session:
    """Lets the user have the last word; an answer without a word goes instead."""
    last = session.messages[-1] if session.messages else None
    if last is None or last.role != "assistant":
        return session
    if all({"empty", "blank"} & set(head.flags) for head in last.heads):
        return _continue(without(session, (last.uid,)), uids)
    fresh = Fresh(session.serial)
    return with_messages(session, (*session.messages, _said(fresh, "user", CONTINUE)), fresh.serial)


def _drop_last_turn(session: Session, uids: Uids) -> Session:
    """Deletes the assistant messages at the end, if one of these is among them."""
    end = len(session.messages)
    while end and session.messages[end - 1].role == "assistant":
        end -= 1
    tail = tuple(entry.uid for entry in session.messages[end:])
    return without(session, tail, partners=True) if set(tail) & set(uids) else session


def _leaves_something(session: Session, uids: Uids) -> bool:
    return any(entry.role == "user" for entry in session.messages)


def _strip_end(session: Session, uids: Uids) -> Session:
    def strip(block: Block) -> Block:
        if isinstance(block, Text) and block.text != block.text.rstrip():
            return replace(block, text=block.text.rstrip(), raw=None)
        return block

    return change_blocks(session, uids, strip)


WAYS: dict[str, tuple[Way, ...]] = {
    "empty-array": (Way("start", "Add a user message", "Added a user message at the start", _start),),
    "unknown-role": (Way("known", "Give it a known role", "Gave {place} a role that is known", _known_role),),
    "consecutive-roles": (
        Way("merge", "Merge the neighbors", "Merged the neighbors from {place} on", _merge),
        Way(
            "between",
            "Put a line between them",
            "Put a line between the neighbors from {place} on",
            _between,
            fits=_parts_no_pair,
        ),
    ),
    "first-not-user": (
        Way("start", "Put a user message in front", "Put a user message in front of {place}", _start),
    ),
    "prefill-unsupported": (
        Way("continue", "Add a user message", "Added a user message behind {place}", _continue),
        Way(
            "delete",
            "Delete the last turn",
            "Deleted the last assistant turn from {place} on",
            _drop_last_turn,
            "the assistant's last turn",
            _leaves_something,
        ),
    ),
    "prefill-trailing-space": (
        Way("strip", "Remove the whitespace", "Removed the whitespace at the end of {place}", _strip_end),
    ),
}
