"""Turns: one a model call, with what it sent, what was new in it and the results it led to."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from tape.model import Call, Session, Text, Usage, message
from tape.turns import turns
from tests.strategies import answer, assistant, call, session, sessions, user

TRACE = session(
    user("is the add function correct?"),
    assistant(call("a")),
    user(answer("a")),
    assistant(call("b"), call("c")),
    user(answer("c")),
    user(answer("b")),
    assistant("yes"),
    user("thanks"),
    assistant("you are welcome"),
)


def test_what_each_call_sent_and_what_was_new() -> None:
    found = turns(TRACE)
    assert [(t.index, t.exchange, t.at, t.sent, t.new_from, t.next) for t in found] == [
        (1, 1, 1, 1, 0, 3),
        (2, 1, 3, 3, 1, 6),
        (3, 1, 6, 6, 3, 7),
        (4, 2, 8, 8, 6, 9),
    ]
    assert [t.result_uids for t in found] == [("m2",), ("m4", "m5"), (), ()]
    assert not any(t.open for t in found)


def test_a_session_that_starts_with_the_assistant_has_turns() -> None:
    (turn,) = turns(session(assistant("hello")))
    assert (turn.index, turn.exchange, turn.sent, turn.new_from) == (1, 1, 0, 0)


def test_the_last_turn_is_open_while_its_calls_wait() -> None:
    assert [t.open for t in turns(session(user("go"), assistant(call("a"))))] == [True]
    assert [t.open for t in turns(session(user("go"), assistant(call("a")), user("stop")))] == [False]


def test_usage_comes_from_the_call_that_gave_the_answer() -> None:
    usage = Usage(input=10, output=3)
    found = turns(replace(TRACE, calls=(Call("m3", usage=usage),)))
    assert [t.usage for t in found] == [None, usage, None, None]


def test_injected_text_opens_no_exchange() -> None:
    reminder = message("r", "user", (Text(uid="r.0", text="<reminder>", injected=True),))
    made = session(user("go"), assistant("one"), assistant("two"))
    made = replace(made, messages=(*made.messages[:2], reminder, made.messages[2]))
    assert [t.exchange for t in turns(made)] == [1, 1]


def test_after_a_compaction_only_the_summary_and_what_follows_is_sent() -> None:
    summary = message("s", "user", (Text(uid="s.0", text="so far"),), meta={"compact_summary": True})
    made = session(user("go"), assistant("one"), assistant("two"))
    made = replace(made, messages=(*made.messages[:2], summary, made.messages[2]))
    assert [(t.sent_from, t.sent, t.new_from) for t in turns(made)] == [(0, 1, 0), (2, 1, 2)]


def test_what_the_harness_wrote_itself_is_no_call() -> None:
    made = message("e", "assistant", (Text(uid="e.0", text="API Error"),), meta={"synthetic": True})
    assert turns(Session((made,))) == ()


@given(sessions())
def test_every_assistant_message_is_one_turn_in_order(made: Session) -> None:
    found = turns(made)
    assert [t.at for t in found] == [i for i, m in enumerate(made.messages) if m.role == "assistant"]
    assert all(t.new_from <= t.at < t.next and t.sent == t.at for t in found)
