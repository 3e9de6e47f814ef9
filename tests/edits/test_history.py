"""Undo, redo, the log and the way back to the original; going back to run again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from tape.edits import Append, Delete, Replace
from tape.edits.history import DEPTH, History
from tape.edits.rewind import kept, rewind, sentence
from tape.errors import UserError
from tape.model import Call, Session
from tape.wire import message_json
from tests.strategies import answer, assistant, call, session, sessions, user, well_formed

START = session(
    user("go"), assistant(call("a"), call("b")), user(answer("a"), answer("b")), assistant("done")
)


def test_undo_and_redo_give_the_very_same_sessions() -> None:
    now = History(START)
    once = now.apply(Replace(0, "stop"))
    twice = now.apply(Delete(("m1",)))
    log = now.log
    assert [done.sentence for done in log] == [
        "Edited message 0",
        "Deleted message 1 and the 2 results that answered it",
    ]
    assert [done.operation for done in log] == [Replace(0, "stop"), Delete(("m1",))]
    assert now.undo() is once
    assert now.undo() is START
    assert (now.can_undo, now.can_redo) == (False, True)
    assert now.redo() is once
    assert now.redo() is twice is now.session
    assert now.log == log


def test_a_new_step_gives_up_what_was_undone() -> None:
    now = History(START)
    now.apply(Replace(0, "stop"))
    now.undo()
    now.apply(Replace(0, "wait"))
    assert now.session.messages[0].text == "wait"
    with pytest.raises(UserError, match="nothing to redo"):
        now.redo()


def test_restoring_the_original_can_be_undone() -> None:
    now = History(START)
    edited = now.apply(Replace(0, "stop"))
    assert now.restore() is START
    assert now.log[-1].sentence == "Restored the original"
    with pytest.raises(UserError, match="original already"):
        now.restore()
    assert now.undo() is edited


def test_a_refused_step_changes_nothing() -> None:
    now = History(START)
    with pytest.raises(UserError):
        now.apply(Delete(("m9",)))
    assert now.session is START
    assert now.log == ()


def test_the_hundred_and_first_step_is_out_of_reach_and_said_to_be() -> None:
    now = History(START)
    for i in range(DEPTH + 3):
        now.apply(Append((user(str(i)),)))
    assert len(now.log) == DEPTH + 3
    assert now.limit == "Only the last 100 steps can be undone; 3 before them cannot."
    for _ in range(DEPTH):
        now.undo()
    assert len(now.session.messages) == len(START.messages) + 3
    with pytest.raises(UserError, match="3 before them cannot"):
        now.undo()
    assert now.restore() is START


@pytest.mark.parametrize(
    ("uid", "sent", "said"),
    [
        ("m0", 1, 'Sends message 0; 3 later messages move to branch "before"'),
        ("m1", 1, 'Sends message 0; 3 later messages move to branch "before"'),
        ("m2", 3, 'Sends messages 0–2; 1 later message moves to branch "before"'),
        ("m3", 3, 'Sends messages 0–2; 1 later message moves to branch "before"'),
    ],
)
def test_rewinding_keeps_the_tail_as_a_branch(uid: str, sent: int, said: str) -> None:
    assert sentence(START, uid, "before") == said
    start = replace(START, calls=(Call("m1"), Call("m3")))
    back = rewind(start, uid, "before")
    assert back.messages == START.messages[:sent]
    assert back.branches[-1].messages == START.messages[sent:]
    assert back.branches[-1].at == START.messages[sent - 1].uid
    assert back.calls == start.calls


def test_a_round_spread_over_messages_is_sent_whole() -> None:
    split = session(
        user("go"), assistant(call("a"), call("b")), user(answer("a")), user(answer("b")), user("so?")
    )
    assert kept(split, "m2") == 4
    assert kept(split, "m4") == 5
    assert rewind(split, "m4", "before") is split


def test_a_branch_name_that_is_taken_gets_a_number() -> None:
    once = rewind(START, "m2", "before")
    twice = rewind(once, "m1", "before")
    assert [branch.name for branch in twice.branches] == ["before", "before 2"]


def test_nothing_to_send_is_refused() -> None:
    with pytest.raises(UserError, match="no message before"):
        rewind(session(assistant("hi"), user("ho")), "m0", "before")


@settings(max_examples=60, deadline=None)
@given(sessions(well_formed()))
def test_rewinding_loses_nothing(start: Session) -> None:

    for entry in start.messages:
        if not kept(start, entry.uid):
            continue
        back = rewind(start, entry.uid, "before")
        tail = back.branches[-1].messages if back.branches else ()
        assert [message_json(m) for m in (*back.messages, *tail)] == [message_json(m) for m in start.messages]
