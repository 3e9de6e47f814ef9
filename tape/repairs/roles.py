"""Mends calls and results that stand in a message of the wrong role."""

from __future__ import annotations

from itertools import groupby

from tape.edits.build import Fresh, rewrite
from tape.edits.placing import put_behind_calls
from tape.edits.settle import with_messages
from tape.edits.targets import Spot
from tape.model import Block, Message, Provenance, Role, Session, ToolResult, ToolUse, message
from tape.repairs.blocks import result_at, without
from tape.repairs.results import bring
from tape.repairs.ways import Uids, Way
from tape.threads import threads


def _to_its_role(session: Session, uids: Uids) -> Session:
    for uid in uids:
        found = threads(session)
        if uid not in found.positions:
            continue
        i, j = found.positions[uid]
        entry = session.messages[i]
        wrong = [_belongs(b) not in (None, entry.role) for b in entry.blocks]
        if not wrong[j]:
            continue
        if all(wrong) and len({_belongs(b) for b in entry.blocks}) == 1:
            role = _belongs(entry.blocks[j])
            changed = rewrite(entry, entry.blocks, role=role, drop=("role", "unknown_role"))
            session = with_messages(session, (*session.messages[:i], changed, *session.messages[i + 1 :]))
            session = _together(session, tuple(b.uid for b in entry.blocks))
        elif isinstance(entry.blocks[j], ToolUse):
            session = _calls_behind(session, i)
            session = _together(session, tuple(b.uid for b in entry.blocks if isinstance(b, ToolUse)))
        elif _answers_itself(entry.blocks):
            session = _in_turns(session, i)
        else:
            call = next((k.call_uid for k in found.by_uid.get(uid, ()) if k.result_uid == uid), None)
            spot = Spot(*found.positions[call]) if call else Spot(i, j)
            wanted = [(spot, result_at(session, Spot(i, j)))]
            session = put_behind_calls(session, wanted, found)
    return session


def _belongs(block: Block) -> Role | None:
    """The only role that may hold a block, where there is just one."""
    if isinstance(block, ToolUse | ToolResult) and not block.server:
        return "assistant" if isinstance(block, ToolUse) else "user"
    return None


def _calls_behind(session: Session, i: int) -> Session:
    """Takes the calls out of a message into an assistant message right behind it."""
    entry = session.messages[i]
    calls = tuple(b for b in entry.blocks if _belongs(b) == "assistant")
    rest = tuple(b for b in entry.blocks if _belongs(b) != "assistant")
    return _instead(session, i, [(entry.role, rest), ("assistant", calls)])


def _together(session: Session, uids: Uids) -> Session:
    """Brings results behind their calls where either changed its role, or a turn was cut in two."""
    found = threads(session)
    ends = {*uids, *(other for uid in uids for other in found.partners(uid))}
    at = min((found.positions[uid][0] for uid in uids if uid in found.positions), default=0)
    turn: set[str] = set()
    while at and session.messages[at - 1].role == "assistant":
        at -= 1
        turn.add(session.messages[at].uid)
    rounds = [r for r in found.rounds if r.message_uid in turn or ends & {*r.call_uids, *r.result_uids}]
    return bring(session, tuple(uid for one in rounds for uid in one.result_uids if uid))


def _answers_itself(blocks: tuple[Block, ...]) -> bool:
    """Whether the results in a message answer calls in it, and all of them before anything else is said."""
    asked: set[str] = set()
    waiting: set[str] = set()
    answering = False
    for block in blocks:
        if isinstance(block, ToolResult) and not block.server:
            if block.tool_use_id not in asked:
                return False
            waiting.discard(block.tool_use_id)
            answering = True
        else:
            if answering and waiting:
                return False
            answering = False
            if isinstance(block, ToolUse) and not block.server:
                asked.add(block.id)
                waiting.add(block.id)
    return answering or not waiting


def _in_turns(session: Session, i: int) -> Session:
    """Cuts an assistant message that answers itself into assistant and user messages, in its own order."""
    entry = session.messages[i]
    runs = groupby(entry.blocks, lambda b: _belongs(b) == "user")
    return _instead(session, i, [("user" if is_user else entry.role, tuple(b)) for is_user, b in runs])


def _instead(session: Session, i: int, parts: list[tuple[Role, tuple[Block, ...]]]) -> Session:
    """The session with several messages in place of one; the first of its role keeps its uid."""
    entry = session.messages[i]
    fresh = Fresh(session.serial)
    note = Provenance("edited", note=f"split off message {i}")
    made: list[Message] = []
    for role, blocks in parts:
        if role == entry.role and all(m.uid != entry.uid for m in made):
            made.append(rewrite(entry, blocks, meta={"content_form": "list"}))
        else:
            made.append(message(fresh.message(), role, blocks, provenance=note))
    return with_messages(session, (*session.messages[:i], *made, *session.messages[i + 1 :]), fresh.serial)


def _delete_pair(session: Session, uids: Uids) -> Session:
    return without(session, uids, partners=True)


WAYS: dict[str, tuple[Way, ...]] = {
    "wrong-role-block": (
        Way(
            "move", "Move it to its role", "Moved the block at {place} to a message of its role", _to_its_role
        ),
        Way("delete", "Delete it and its pair", "Deleted the pair at {place}", _delete_pair, "the block"),
    ),
}
