"""Mends system messages that stand inside the array where the endpoint takes none."""

from __future__ import annotations

from tape.edits.build import rewrite
from tape.edits.settle import settle, with_messages
from tape.model import Json, Message, Session
from tape.repairs.ways import Uids, Way
from tape.wire import message_json


def hoist(session: Session, uids: Uids) -> Session:
    """Moves system messages to the top-level prompt, behind what it says already."""
    gone = [entry for entry in session.messages if entry.uid in uids and entry.role == "system"]
    if not gone:
        return session
    rest = tuple(entry for entry in session.messages if entry not in gone)
    system = session.system
    for entry in gone:
        system = _added(system, message_json(entry).get("content"))
    return settle(session, rest, system=system)


def _added(system: Json, more: Json) -> Json:
    """A system prompt with more text: a string stays one as long as only strings meet."""
    if isinstance(more, list):
        more = [part for part in more if str(part.get("text", "")).strip()]
    if not more or (isinstance(more, str) and not more.strip()):
        return system
    if not system:
        return more
    if isinstance(system, str) and isinstance(more, str):
        return f"{system}\n\n{more}"
    return [*_listed(system), *_listed(more)]


def _listed(system: Json) -> list[Json]:
    return [{"type": "text", "text": system}] if isinstance(system, str) else list(system)


def _fold(session: Session, uids: Uids) -> Session:
    """Makes system messages text of a user turn: the one before them, or else the one behind."""
    for uid in uids:
        i = next((i for i, e in enumerate(session.messages) if e.uid == uid and e.role == "system"), None)
        if i is not None:
            session = _as_user(session, i)
    return session


def only_text(entry: Message) -> bool:
    """Whether a message holds nothing that a system prompt could not."""
    return all(head.kind == "text" for head in entry.heads)


def _as_user(session: Session, i: int) -> Session:
    messages = list(session.messages)
    entry = messages[i]
    text = entry.blocks
    if not only_text(entry):
        messages[i] = rewrite(entry, text, role="user", drop=("role", "unknown_role"))
        return with_messages(session, messages)
    before = messages[i - 1] if i else None
    behind = messages[i + 1] if i + 1 < len(messages) else None
    if before is not None and before.role == "user" and not _round_goes_on(behind):
        messages[i - 1 : i + 1] = [rewrite(before, (*before.blocks, *text), meta={"content_form": "list"})]
        return settle(session, tuple(messages), {entry.uid: before.uid})
    if behind is not None and behind.role == "user":
        results = tuple(b for b in behind.blocks if b.uid in _results(behind))
        rest = tuple(b for b in behind.blocks if b.uid not in _results(behind))
        blocks = (*results, *text, *rest)
        messages[i : i + 2] = [rewrite(behind, blocks, meta={"content_form": "list"})]
        return settle(session, tuple(messages), {entry.uid: behind.uid})
    messages[i] = rewrite(entry, entry.blocks, role="user", drop=("role", "unknown_role"))
    return with_messages(session, messages)


def _round_goes_on(behind: Message | None) -> bool:
    """Whether results follow: text in front of them would come between them and their calls."""
    return behind is not None and behind.role == "user" and bool(_results(behind))


def _results(entry: Message) -> set[str]:
    return {head.uid for head in entry.heads if head.kind == "tool_result"}


def _to_place(session: Session, uids: Uids) -> Session:
    """Moves system messages right behind the user turn that they belong to: what is answered next."""
    for uid in uids:
        i = next((i for i, e in enumerate(session.messages) if e.uid == uid and e.role == "system"), None)
        if i is not None and not _in_place(session.messages, i):
            at = _place(session.messages, i)
            rest = (*session.messages[:i], *session.messages[i + 1 :])
            session = with_messages(session, (*rest[:at], session.messages[i], *rest[at:]))
    return session


def _in_place(messages: tuple[Message, ...], i: int) -> bool:
    """Whether the run of system messages around ``i`` stands behind a user turn, before an answer."""
    start = end = i
    while start and messages[start].role == "system":
        start -= 1
    while end < len(messages) and messages[end].role == "system":
        end += 1
    return messages[start].role == "user" and (end == len(messages) or messages[end].role == "assistant")


def _place(messages: tuple[Message, ...], i: int) -> int:
    """Where the system message ``i`` may stand, counted without it: behind the run of user messages that
    follows, else behind the last one before it."""
    rest = (*messages[:i], *messages[i + 1 :])
    at = i
    while at < len(rest) and rest[at].role != "user":
        at += 1
    while at < len(rest) and rest[at].role != "assistant":
        at += 1
    if at == len(rest) and (not rest or rest[-1].role == "assistant"):
        at = next((n + 1 for n in reversed(range(len(rest))) if rest[n].role != "assistant"), 0)
    return at


def _has_user(session: Session, uids: Uids) -> bool:
    return any(entry.role == "user" for entry in session.messages)


def _can_hoist(session: Session, uids: Uids) -> bool:
    """Whether the system prompt can take it all, and something is left to answer."""
    ours = [entry for entry in session.messages if entry.uid in uids]
    return all(only_text(entry) for entry in ours) and len(ours) < len(session.messages)


HOIST = Way(
    "hoist", "Move it to the system prompt", "Moved {place} to the system prompt", hoist, fits=_can_hoist
)
FOLD = Way("fold", "Make it text of the user turn", "Made {place} text of a user turn", _fold)
MOVE = Way(
    "move",
    "Move it behind the user turn",
    "Moved {place} behind the user turn",
    _to_place,
    fits=_has_user,
    not_for=("mistral",),
)
WAYS: dict[str, tuple[Way, ...]] = {
    "system-first-in-messages": (HOIST, FOLD),
    "unsupported-system-role": (FOLD, HOIST),
    "misplaced-system": (MOVE, HOIST),
}
