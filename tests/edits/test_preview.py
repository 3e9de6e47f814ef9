"""What is said before something is done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tape.edits import Append, Delete, Insert, Move, Replace, SetSystem, apply
from tape.edits.preview import preview
from tape.errors import UserError
from tape.model import Call, Usage
from tests.strategies import answer, assistant, call, session, text, user

SIGNED = {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"}
START = session(
    user("go"),
    assistant(SIGNED, text("I look."), call("a"), call("b")),
    user(answer("a"), answer("b")),
    assistant(SIGNED, text("done")),
    user("thanks"),
)


def test_a_deletion_names_what_goes_along() -> None:
    found = preview(START, Delete(("m1",)))
    assert found.sentence == "Delete message 1 and the 2 results that answered it"
    assert [(one.uid, one.reason) for one in found.takes_along] == [
        ("m2.0", "it answers a call that goes"),
        ("m2.1", "it answers a call that goes"),
    ]
    assert (found.before, found.after) == (("messages[1]", "messages[2]"), ())
    assert found.offers == ()


def test_thinking_that_would_stay_alone_is_offered_along() -> None:
    (offer,) = preview(START, Delete(("m1.2", "m1.3"))).offers
    assert offer.operation == Delete(("m1.2", "m1.3"), thinking=True)
    kept = apply(START, offer.operation)
    assert [head.kind for head in kept.messages[1].heads] == ["text"]


def test_a_pair_that_is_broken_on_purpose_is_warned_of() -> None:
    (refusal, thinking) = preview(START, Delete(("m2.0",), partners=False)).warnings
    assert refusal.startswith("The next call will be refused: The call a (read_file) has no result")
    assert thinking.startswith("1 signed thinking block behind this place was made for the array as it is")
    assert all("refused" not in w for w in preview(START, Delete(("m2.0",))).warnings)


def test_what_stands_behind_an_edit_is_counted() -> None:
    assert preview(START, Append((user("more"),))).warnings == ()
    assert preview(START, Replace("m4", "thank you")).warnings == ()
    assert preview(START, Insert(1, user("and"))).warnings[0].startswith("2 signed thinking blocks")
    assert preview(START, Delete(("m1.1",))).warnings[0].startswith("1 signed thinking block ")
    assert preview(START, Replace("m0", "stop")).warnings[0].startswith("2 signed thinking blocks")
    assert preview(START, SetSystem("Be terse.")).warnings[0].startswith("2 signed thinking blocks")


def test_a_cache_that_is_lost_is_said() -> None:
    cached = replace(START, calls=(Call("m3", usage=Usage(cache_read=2_000)),))
    assert "written anew" in preview(cached, Replace("m0", "stop")).warnings[-1]
    assert preview(cached, Replace("m4", "thank you")).warnings == ()


@pytest.mark.parametrize(("at", "to"), [(0, 3), (3, 0), (4, 3)])
def test_a_move_says_where_from_and_where_to(at: int, to: int) -> None:
    found = preview(START, Move(at, to))
    if abs(at - to) > 1:
        assert (found.before, found.after) == ((f"messages[{at}]",), (f"messages[{to}]",))
    assert found.sentence == f"Move message {at} to place {to}"


def test_what_cannot_be_done_cannot_be_previewed() -> None:
    with pytest.raises(UserError):
        preview(START, Delete(("m9",)))
