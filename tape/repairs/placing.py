"""Puts results where their calls want them: first in the user turn right behind the call, in call order.

What every repair of pairs is made of. Whether something is wrong is decided in ``tape.rules``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from tape.edits.build import INSERTED, Fresh, rewrite
from tape.edits.targets import Spot
from tape.model import Block, Message, Session, Text, ToolResult, message
from tape.repairs.blocks import with_messages
from tape.threads import Threads, threads

FINE = ("ok", "split", "given-up")


def separate(session: Session) -> bool:
    """Whether the session's format gives every result a message of role ``tool``, away from user texts."""
    return session.format.startswith("openai-chat") or any(
        m.meta.get("role") == "tool" for m in session.messages
    )


def put_behind_call(session: Session, call: Spot, results: Sequence[ToolResult]) -> Session:
    """The session with the results, new ones or some of its own, first in the turn behind their call.

    They go into the user message that is there already; where none is, or where the format keeps results
    apart from texts, into a message of their own. Other results of the call's message come along when that
    one would come between them and their calls.
    """
    pairs = threads(session)
    home = _home(session, call.message, pairs)
    if home is None:
        results = [*results, *_siblings(session, call.message, pairs, {r.uid for r in results})]
    ranks = _ranks(results, call, pairs)
    moving = {r.uid: r for r in sorted(results, key=lambda r: ranks[r.uid])}
    blocks: dict[int, list[Block]] = {}
    for uid in moving:
        if uid in pairs.positions:
            i = pairs.positions[uid][0]
            blocks[i] = [b for b in blocks.get(i, session.messages[i].blocks) if b.uid != uid]
    if home is not None:
        start = blocks.setdefault(home, list(session.messages[home].blocks))
        for uid, result in moving.items():
            before = list(takewhile(lambda place: place is not None, (ranks.get(b.uid) for b in start)))
            start.insert(sum(1 for place in before if place and place < ranks[uid]), result)
    return _rebuilt(session, call.message + 1, blocks, () if home is not None else tuple(moving.values()))


def _home(session: Session, at: int, pairs: Threads) -> int | None:
    """The user message that is to hold the results of the message ``at``."""
    messages = session.messages
    start = end = at + 1
    while end < len(messages) and messages[end].role == "user":
        end += 1
    for i in range(start, end):
        for head in messages[i].heads:
            links = pairs.by_uid.get(head.uid, ())
            if any(k.state in FINE and pairs.positions[k.call_uid][0] == at for k in links):
                return i
    if end == start:
        return None
    apart = separate(session) and messages[start].meta.get("role") != "tool"
    return None if apart else start


def _siblings(session: Session, at: int, pairs: Threads, known: set[str]) -> list[ToolResult]:
    """The first results of the other calls of an assistant's turn up to the message ``at``."""
    turn = {session.messages[at].uid}
    while at and session.messages[at - 1].role == "assistant":
        at -= 1
        turn.add(session.messages[at].uid)
    found: list[ToolResult] = []
    for one in pairs.rounds:
        for uid in one.result_uids if one.message_uid in turn else ():
            if uid is not None and uid not in known:
                i, j = pairs.positions[uid]
                block = session.messages[i].blocks[j]
                assert isinstance(block, ToolResult)
                found.append(block)
    return found


def _ranks(results: Sequence[ToolResult], call: Spot, pairs: Threads) -> dict[str, tuple[int, int]]:
    """For each result in the array the place of its call, for new ones that of the call they are made for."""
    ranks = {link.result_uid: pairs.positions[link.call_uid] for link in pairs.links}
    return {**{r.uid: (call.message, call.block or 0) for r in results}, **ranks}


def _rebuilt(session: Session, at: int, blocks: dict[int, list[Block]], apart: tuple[Block, ...]) -> Session:
    """The array with these blocks in its messages, and ``apart`` as a message of its own in front of ``at``.

    A message that lost its last block goes; where all of it moved it is the message that moves.
    """
    fresh = Fresh(session.serial)
    own: Message | None = None
    if apart:
        uids = [b.uid for b in apart]
        whole = next(
            (i for i, left in blocks.items() if not left and _uids(session.messages[i]) == uids), None
        )
        if whole is not None:
            own = session.messages[whole]
            if own.role != "user":
                own = rewrite(own, own.blocks, role="user", drop=("role", "unknown_role"))
        else:
            meta: dict[str, Any] = {"role": "tool"} if separate(session) else {}
            own = message(fresh.message(), "user", apart, provenance=INSERTED, meta=meta)
    messages: list[Message] = []
    for i, entry in enumerate(session.messages):
        if own is not None and i == at:
            messages.append(own)
        if i not in blocks:
            messages.append(entry)
        elif blocks[i]:
            same = [b.uid for b in blocks[i]] == _uids(entry)
            messages.append(entry if same else rewrite(entry, tuple(blocks[i])))
    if own is not None and at == len(session.messages):
        messages.append(own)
    return with_messages(session, messages, fresh.serial)


def _uids(entry: Message) -> list[str]:
    return [head.uid for head in entry.heads]


def quoted(result: ToolResult) -> tuple[Block, ...]:
    """A result as plain content that keeps its words and pictures."""
    inner = result.content if isinstance(result.content, tuple) else ()
    words = result.text or ("" if inner else "(empty)")
    start = f"Result of tool call {result.tool_use_id}, kept as text:"
    text = Text(uid=result.uid, place=result.place, text=f"{start}\n{words}" if words else start)
    return (text, *(b for b in inner if not isinstance(b, Text)))
