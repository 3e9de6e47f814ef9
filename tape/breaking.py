"""Breaking a pair on purpose, to show what an endpoint says of it: each way is an operation like any.

Not here: mending (``tape.repairs``), and breaking that happens by deleting one half (``tape.edits.delete``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tape.edits import from_json
from tape.edits.operations import Operation
from tape.model import Session, position
from tape.threads import Link, threads
from tape.wire import block_json

FINE = ("ok",)
FIRST = "One thing before the results:"


@dataclass(frozen=True, slots=True)
class Break:
    """One way to break a pair: ``name`` for code, ``label`` for people, and ``codes`` of what it breaks."""

    name: str
    label: str
    codes: tuple[str, ...]
    operation: Operation


def sound_pairs(session: Session) -> tuple[Link, ...]:
    """The pairs that are whole and can be broken, in the order of their calls."""
    return tuple(link for link in threads(session).links if link.state in FINE)


def breaks(session: Session, link: Link) -> Iterator[Break]:
    """Every way to break a pair of ``sound_pairs`` of this session."""
    found = threads(session)
    i, j = found.positions[link.result_uid]
    holder = session.messages[i]
    whole = block_json(holder.blocks[j])
    assert isinstance(whole, dict)
    other = {**whole, "tool_use_id": _free(session, f"{link.id}_other")}
    result, where = link.result_uid, holder.uid
    front = {"op": "insert", "into": where, "index": 0, "block": {"type": "text", "text": FIRST}}
    twice = {"op": "insert", "into": where, "index": j + 1, "block": whole}
    yield Break(
        "delete-result",
        "Delete the result",
        ("unanswered-tool-use",),
        from_json({"op": "delete", "targets": [result], "partners": False}),
    )
    yield Break(
        "change-id",
        "Change its id",
        ("orphan-tool-result", "unanswered-tool-use"),
        from_json({"op": "replace", "target": result, "value": other}),
    )
    yield Break("answer-twice", "Answer twice", ("duplicate-tool-result",), from_json(twice))
    yield Break("text-in-front", "Put text in front", ("result-not-first",), from_json(front))


def pair_name(session: Session, link: Link) -> str:
    """``read_file: messages[1].content[0] → messages[2].content[0]``."""
    found = threads(session)
    i, j = found.positions[link.call_uid]
    name = session.messages[i].heads[j].name or "a tool"
    return f"{name}: {position(session, link.call_uid)} → {position(session, link.result_uid)}"


def _free(session: Session, wanted: str) -> str:
    used = {head.id for entry in session.messages for head in entry.heads}
    free, number = wanted, 2
    while free in used:
        free, number = f"{wanted}_{number}", number + 1
    return free
