"""A lesson made by clicking: what was done comes back as steps, and the file is a lesson that plays."""

from __future__ import annotations

import pytest

from tape.edits import Append, Delete, Replace
from tape.edits.history import History
from tape.errors import UserError
from tape.lessons import Player
from tape.lessons.recording import Recording
from tape.samples import sample
from tape.wire import request, session_of
from tests.lessons.playing import played


@pytest.fixture
def history() -> History:
    return History(session_of(request(sample("two-tickets").load())))


def test_what_was_done_is_a_lesson_that_does_it_again(history: History) -> None:
    recording = Recording(history.session)
    recording.add({"say": "Look at this."})
    recording.add({"show": {"cards": [recording.place("m1.1")]}, "say": "A call."})
    history.apply(Delete(("m3",)))
    history.apply(Delete(("m2.1",), partners=False))
    recording.follow(history.session, history.log)
    recording.add({"predict": "Refused?", "choices": [{"text": "Yes", "when": "refused"}, "No"]})
    history.push(history.session, "Ran it")
    recording.follow(history.session, history.log, {"mode": "once", "sent": history.session})
    recording.add({"reveal": "It said: {refusal}", "answer": "Both: {tool_uses}."})
    lesson = recording.lesson("Mine", "Why?")
    kinds = [step.kind for step in lesson.steps]
    assert kinds == ["say", "show", "do", "do", "predict", "run", "reveal"]
    player = played(Player(lesson))
    assert request(player.now.session) == request(history.session)
    assert "tool_use" in player.text
    verdict = player.verdict()
    assert verdict is not None
    assert (verdict.right, verdict.correct) == ("Yes", True)


def test_what_is_undone_is_taken_out_again(history: History) -> None:
    recording = Recording(history.session)
    history.apply(Delete(("m3",)))
    recording.follow(history.session, history.log)
    recording.add({"say": "Gone."})
    history.apply(Append(({"role": "user", "content": "Hello"},)))
    recording.follow(history.session, history.log)
    assert len(recording.steps) == 3
    history.undo()
    recording.follow(history.session, history.log)
    assert [next(iter(step)) for step in recording.steps] == ["do", "minutes"]
    history.undo()
    recording.follow(history.session, history.log)
    assert recording.steps == []


def test_places_are_written_as_positions_of_their_moment(history: History) -> None:
    recording = Recording(history.session)
    history.apply(Delete(("m0",)))
    history.apply(Replace("m3", "Done."))
    recording.follow(history.session, history.log)
    assert [step["do"]["target" if i else "targets"] for i, step in enumerate(recording.steps)] == [
        ["messages[0]"],
        "messages[2]",
    ]
    player = played(Player(recording.lesson("", "")))
    assert player.now.session.messages[-1].text == "Done."


def test_a_run_from_an_earlier_message_first_goes_back_there(history: History) -> None:
    recording = Recording(history.session)
    start = session_of({**request(history.session), "messages": request(history.session)["messages"][:1]})
    history.push(start, "Ran it again from messages[0]")
    recording.follow(history.session, history.log, {"mode": "loop", "sent": start})
    assert [step.get("do", step.get("run")) for step in recording.steps] == [
        {"op": "delete", "targets": [1, 2, 3]},
        "loop",
    ]


def test_words_can_be_dropped_and_acts_cannot(history: History) -> None:
    recording = Recording(history.session)
    history.apply(Delete(("m3",)))
    recording.follow(history.session, history.log)
    recording.add({"say": "One {open"})
    with pytest.raises(UserError, match="brace"):
        recording.text("T", "Q")
    recording.drop()
    recording.drop()
    assert len(recording.steps) == 1
    assert "title: T" in recording.text("T", "Q")


def test_nothing_is_no_lesson_and_a_card_that_is_gone_cannot_be_shown(history: History) -> None:
    recording = Recording(history.session)
    with pytest.raises(UserError, match="no step"):
        recording.text("T", "Q")
    with pytest.raises(UserError, match="not in the array"):
        recording.place("m99")


def test_words_of_a_transcript_come_back_as_they_are(history: History) -> None:
    words = "no: \u202e {\"a\": [1, 'x']}\n  - *x &y !z %\t#\u2028end\r\n"
    history.apply(Append(({"role": "user", "content": words},)))
    recording = Recording(history.session)
    recording.add({"say": "true"})
    again = recording.lesson("T", "Q").start()
    assert again.messages[-1].text == words
    assert recording.lesson("T", "Q").steps[0].text == "true"
