"""One question beside the session, on the embedded endpoint: nothing of it is kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tape.asking import ask, summarize
from tape.client import Client, embedded
from tape.edits import Compact, apply
from tape.errors import UserError
from tape.model import Session
from tests.strategies import answer, assistant, call, session, text, user

WORK = session(
    user("My name is Ada. Is add in calc.py right?"),
    assistant(text("I look."), call("a", "read_file")),
    user(answer("a", "def add(a, b): return a - b")),
    assistant("No, it subtracts."),
    user("Thanks."),
    assistant("You are welcome."),
    tools=[{"name": "read_file", "input_schema": {"type": "object"}}],
)


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(embedded(pace=0)) as opened:
        yield opened


def test_the_same_question_to_two_arrays_shows_what_a_summary_lost(client: Client) -> None:
    short = apply(WORK, Compact(0, 3, summary="The add function was looked at."))
    assert "Ada" in ask(WORK, "What is my name?", client).text
    forgot = ask(short, "What is my name?", client)
    assert "Ada" not in forgot.text
    assert forgot.scripted
    assert forgot.usage is not None
    assert len(WORK.messages) == 6


def test_the_model_writes_a_summary_of_the_stretch_and_of_no_more(client: Client) -> None:
    said = summarize(WORK, Compact(0, 3), client).text
    assert "Ada" in said
    assert "No, it subtracts." in said
    assert "welcome" not in said


@pytest.mark.parametrize(
    ("start", "question", "words"),
    [
        (WORK, " ", "no question"),
        (session(user("go"), assistant(call("a"))), "What?", "waits for its result"),
    ],
)
def test_what_cannot_be_asked_is_said(client: Client, start: Session, question: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        ask(start, question, client)
