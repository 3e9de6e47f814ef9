"""Mends calls without a result, results without a call, and results that stand where they must not."""

from __future__ import annotations

from dataclasses import replace

from tape.edits.build import INSERTED, Fresh, rewrite
from tape.edits.delete import delete
from tape.edits.operations import Delete
from tape.edits.placing import put_behind_calls, quoted, separate
from tape.edits.settle import with_messages
from tape.edits.targets import Spot
from tape.model import Block, Session, Text, ToolResult, message
from tape.repairs.blocks import change_blocks, head_at, last_threads, result_at, without
from tape.repairs.ids import with_own_ids
from tape.repairs.ways import Uids, Way
from tape.threads import Link, Threads, threads

NOT_RUN = "Not executed: the run was interrupted before this tool returned a result."


def _answer(session: Session, uids: Uids) -> Session:
    found = threads(session)
    alone = [uid for uid in uids if found.states.get(uid) in ("unanswered", "pending")]
    named = with_own_ids(session, alone)
    found = found if named is session else threads(named)
    fresh = Fresh(named.serial)
    wanted = []
    for uid in alone:
        id = head_at(named, found, uid).id or ""
        said = ToolResult(uid=fresh.block(), tool_use_id=id, content=NOT_RUN, is_error=True)
        wanted.append((Spot(*found.positions[uid]), said))
    return put_behind_calls(replace(named, serial=fresh.serial), wanted, found) if wanted else session


def _delete_calls(session: Session, uids: Uids) -> Session:
    """Removes calls that nothing answers, with thinking that would be left to end a turn."""
    found = threads(session)
    alone = tuple(uid for uid in uids if found.states.get(uid) in ("unanswered", "pending"))
    return delete(session, Delete(alone)) if alone else session


def _quote(session: Session, uids: Uids) -> Session:
    """Turns results that answer nothing, or answer again, into text behind the results of their turn."""
    for uid in uids:
        found = threads(session)
        states = {link.state for link in found.by_uid.get(uid, ()) if link.result_uid == uid}
        if found.states.get(uid) == "orphan" or states == {"duplicate"}:
            session = _as_text(session, Spot(*found.positions[uid]))
    return session


def _as_text(session: Session, spot: Spot) -> Session:
    messages = list(session.messages)
    entry = messages[spot.message]
    text = quoted(result_at(session, spot))
    rest = [b for b in entry.blocks if b.uid != text[0].uid]
    apart = separate(session) and entry.meta.get("role") == "tool"
    last = _last_with_results(session, spot.message)
    fresh = Fresh(session.serial)
    if last == spot.message and not (apart and rest):
        behind = [j for j, b in enumerate(rest) if isinstance(b, ToolResult)]
        at = max(spot.block or 0, behind[-1] + 1 if behind else 0)
        messages[spot.message] = rewrite(entry, (*rest[:at], *text, *rest[at:]))
        return with_messages(session, messages)
    if apart:
        messages.insert(last + 1, message(fresh.message(), "user", text, provenance=INSERTED))
    else:
        messages[last] = rewrite(messages[last], (*messages[last].blocks, *text))
    messages[spot.message : spot.message + 1] = [rewrite(entry, tuple(rest))] if rest else []
    return with_messages(session, messages, fresh.serial)


def _last_with_results(session: Session, at: int) -> int:
    """The last message of the same turn that holds a result; ``at`` where none does."""
    messages = session.messages
    last = end = at
    while end + 1 < len(messages) and messages[end + 1].role == messages[at].role:
        end += 1
        if any(head.kind == "tool_result" for head in messages[end].heads):
            last = end
    return last


def bring(session: Session, uids: Uids) -> Session:
    """Moves results that are late, misplaced or split to the front of the turn behind their calls.

    Whether an endpoint merges neighbors decides what is late there; behind its call a result is never late.
    """
    for merge in (True, False):
        found = threads(session, merge=merge)
        links = [
            link
            for uid in dict.fromkeys(uids)
            for link in found.by_uid.get(uid, ())
            if link.result_uid == uid and link.state in ("late", "misplaced", "split")
        ]
        if links:
            named = with_own_ids(session, [link.call_uid for link in links])
            pairs = threads(named)
            wanted = [
                (Spot(*pairs.positions[k.call_uid]), result_at(named, Spot(*pairs.positions[k.result_uid])))
                for k in links
            ]
            session = put_behind_calls(named, wanted, pairs)
    return session


def _can_follow(session: Session, uids: Uids) -> bool:
    """Whether results may stand behind the message of each call.

    It must be the assistant's, else that is to be mended first; and not one that ends with thinking which
    the next message goes on from.
    """
    found = last_threads(session)
    for uid in uids:
        if uid in found.positions and head_at(session, found, uid).kind == "tool_use":
            i = found.positions[uid][0]
            entry = session.messages[i]
            goes_on = any(m.role == "assistant" for m in session.messages[i + 1 : i + 2])
            if entry.role != "assistant" or (goes_on and entry.heads[-1].kind == "thinking"):
                return False
    return True


def _results_first(session: Session, uids: Uids) -> Session:
    """Puts all results of a message first where that is enough, else the results behind their calls."""
    found = threads(session)
    messages = list(session.messages)
    for uid in uids:
        for link in found.by_uid.get(uid, ()):
            i = found.positions[link.result_uid][0]
            entry = messages[i]
            if (
                link.state != "misplaced"
                or entry.role != "user"
                or found.positions[link.call_uid][0] != i - 1
            ):
                continue
            results = tuple(b for b in entry.blocks if isinstance(b, ToolResult))
            blocks = (*results, *(b for b in entry.blocks if not isinstance(b, ToolResult)))
            if blocks != entry.blocks:
                messages[i] = rewrite(entry, blocks)
    return bring(with_messages(session, messages), uids)


def _again(found: Threads, uids: Uids) -> Link | None:
    """The link of a second answer among these blocks."""
    links = (link for uid in uids for link in found.by_uid.get(uid, ()) if link.result_uid == uid)
    return next((link for link in links if link.state == "duplicate"), None)


def _near(session: Session, uids: Uids) -> bool:
    """Whether a second answer stands in the same run of user messages as the first."""
    found = last_threads(session)
    again = _again(found, uids)
    if again is None:
        return False
    first = found.positions[found.by_uid[again.call_uid][0].result_uid][0]
    last = found.positions[again.result_uid][0]
    return all(m.role == "user" for m in session.messages[first : last + 1])


def _far(session: Session, uids: Uids) -> bool:
    return not _near(session, uids)


def _join(session: Session, uids: Uids) -> Session:
    """Adds what a second answer says to the first, and removes it; so for each of them."""
    found = threads(session)
    again = _again(found, uids)
    if again is None or not _near(session, (again.result_uid,)):
        return session
    one = result_at(session, Spot(*found.positions[found.by_uid[again.call_uid][0].result_uid]))
    other = result_at(session, Spot(*found.positions[again.result_uid]))
    content: str | tuple[Block, ...]
    if isinstance(one.content, tuple) or isinstance(other.content, tuple):
        content = (*_inner(one), *_inner(other))
    else:
        content = "\n".join(part for part in (one.content, other.content) if part)
    error = None if one.is_error is None and other.is_error is None else bool(one.is_error and other.is_error)
    joined = replace(one, content=content, is_error=error, raw=None)
    after = without(change_blocks(session, (one.uid,), lambda _: joined), (other.uid,))
    return _join(after, tuple(uid for uid in uids if uid != other.uid))


def _inner(result: ToolResult) -> tuple[Block, ...]:
    if isinstance(result.content, tuple):
        return result.content
    return (Text(uid=f"{result.uid}.0", text=result.content),) if result.content else ()


def _drop_again(session: Session, uids: Uids) -> Session:
    found = threads(session)
    links = [link for uid in uids for link in found.by_uid.get(uid, ()) if link.result_uid == uid]
    return without(session, [link.result_uid for link in links if link.state == "duplicate"])


def _drop_pair(session: Session, uids: Uids) -> Session:
    return without(session, uids, partners=True)


OK = _can_follow
QUOTE = "Turned a result without a call into text at {place}"
WAYS: dict[str, tuple[Way, ...]] = {
    "unanswered-tool-use": (
        Way(
            "answer",
            "Answer it: not executed",
            "Answered the call at {place} with an error",
            _answer,
            fits=OK,
        ),
        Way("delete", "Delete the call", "Deleted the unanswered call at {place}", _delete_calls, "the call"),
    ),
    "orphan-tool-result": (
        Way("quote", "Quote it as text", QUOTE, _quote),
        Way("delete", "Delete the result", "Deleted the orphan result at {place}", without, "the result"),
    ),
    "late-tool-result": (
        Way("move", "Move it behind its call", "Moved the result of {place} behind it", bring, fits=OK),
    ),
    "result-not-first": (
        Way("first", "Put results first", "Put the results of {place} first", _results_first, fits=OK),
    ),
    "split-tool-results": (
        Way("gather", "Bring them together", "Brought the results at {place} into one message", bring),
    ),
    "duplicate-tool-result": (
        Way("join", "Join the two answers", "Joined the two answers to {place}", _join, fits=_near),
        Way("quote", "Quote it as text", "Turned the second answer to {place} into text", _quote, fits=_far),
        Way(
            "drop", "Keep the first", "Deleted the second answer to {place}", _drop_again, "the second answer"
        ),
    ),
    "unpaired-server-tool": (
        Way("delete", "Delete what is left", "Deleted the pair at {place}", _drop_pair, "what is left of it"),
    ),
}
