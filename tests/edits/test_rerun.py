"""Re-running: what is sent, what is kept, and what the sentence says of it beforehand."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.branches import line
from tape.edits import Delete, Replace, apply
from tape.edits.rerun import edits, plan, rerun
from tape.model import Session


def call(id: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "read", "input": {}}]}


def result(id: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": id}]}


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


ARRAY = [said("user", "go"), call("a"), result("a"), call("b"), result("b"), said("assistant", "done")]


@pytest.fixture
def session() -> Session:
    return tape.load(json.dumps(ARRAY).encode())


@pytest.mark.parametrize(
    ("uid", "sentence"),
    [
        ("m0", 'Sends message 0; 5 later messages move to branch "before the re-run".'),
        ("m3", 'Sends messages 0–2; 3 later messages move to branch "before the re-run".'),
        ("m4", 'Sends messages 0–4; 1 later message moves to branch "before the re-run".'),
    ],
)
def test_without_an_edit_the_later_messages_move(session: Session, uid: str, sentence: str) -> None:
    assert plan(session, session, uid).sentence == sentence
    after = rerun(session, session, uid)
    assert line(after, "before the re-run").messages == session.messages


def test_an_edited_message_is_sent_and_the_old_array_is_kept_whole(session: Session) -> None:
    edited = apply(session, Replace("m2", said("user", "other")))
    assert plan(edited, session, "m2").sentence == (
        'Sends messages 0–2; 3 later messages move to branch "before edit".'
    )
    after = rerun(edited, session, "m2")
    assert after.messages == edited.messages[:3]
    assert [branch.name for branch in after.branches] == ["before edit"]
    assert line(after, "before edit").messages == session.messages


def test_a_deletion_behind_what_is_sent_keeps_both_arrays(session: Session) -> None:
    edited = apply(session, Delete(("m4.0",), partners=True))
    chosen = plan(edited, session, "m2")
    assert chosen.later == len(edited.messages) - 3
    after = rerun(edited, session, "m2")
    assert after.messages == edited.messages[:3]
    assert line(after, "before edit").messages == session.messages
    assert all(any(m is kept for b in after.branches for kept in b.messages) for m in edited.messages[3:])


def test_an_edit_of_the_last_message_that_is_sent_says_where_the_old_array_is(session: Session) -> None:
    short = apply(session, Delete(("m5",)))
    edited = apply(short, Replace("m4", said("user", "other")))
    assert plan(edited, short, "m4").sentence == (
        'Sends messages 0–4; the array from before the edit is branch "before edit".'
    )
    assert line(rerun(edited, short, "m4"), "before edit").messages == short.messages


def test_an_edit_of_an_edit_keeps_the_one_between(session: Session) -> None:
    edited = apply(session, Replace("m0", said("user", "other")))
    edited = apply(edited, Replace("m5", said("assistant", "changed")))
    chosen = plan(edited, session, "m2")
    assert (chosen.branch, chosen.edited) == ("before the re-run", "before edit")
    after = rerun(edited, session, "m2")
    assert line(after, "before the re-run").messages == edited.messages
    assert line(after, "before edit").messages == session.messages


def test_what_was_appended_is_no_loss(session: Session) -> None:
    assert edits(session, session).first is None
    more = apply(session, tape.edits.Append((said("user", "more"),)))
    assert edits(more, session).first is None
    assert rerun(more, session, more.messages[-1].uid) is more


def test_calls_of_the_old_array_are_counted_once(session: Session) -> None:
    recorded = tape.load(json.dumps({"messages": ARRAY, "model": "claude-sonnet-4-5"}).encode())
    edited = apply(recorded, Delete(("m3",), partners=True))
    after = rerun(edited, recorded, "m0")
    assert len({call.message_uid for call in after.calls}) == len(after.calls)
