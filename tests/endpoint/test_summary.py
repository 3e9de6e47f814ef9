"""The script's summary: it repeats what the array says, and nothing that the array does not say."""

from __future__ import annotations

from typing import Any

from tape.endpoint.scripted import answer
from tests.strategies import answer as result
from tests.strategies import assistant, call, text, user

ASK = user("Summarize this conversation so far.")


def said(*messages: Any, system: str = "") -> str:
    body = {"model": "m", "max_tokens": 2_000, "messages": list(messages), "system": system}
    return "\n".join(block["text"] for block in answer(body).content if block["type"] == "text")


def test_a_summary_is_made_of_the_words_of_the_array() -> None:
    told = said(
        user("My name is Ada. Is add in calc.py right?"),
        assistant(text("I look."), call("a", "read_file", {"path": "calc.py"})),
        user(result("a", "def add(a, b): return a - b")),
        assistant("No, it subtracts."),
        ASK,
    )
    assert told.startswith("The user's name is Ada.")
    for words in (
        "Is add in calc.py right?",
        "calc.py gave: def add(a, b): return a - b",
        "No, it subtracts.",
    ):
        assert words in told


def test_what_was_deleted_is_not_in_the_summary() -> None:
    told = said(user("Is add right?"), assistant("Yes."), ASK)
    assert "Ada" not in told
    assert "calc.py" not in told
    assert said(ASK) == "There is nothing before your question to summarize."


def test_a_summary_keeps_the_language_that_was_asked_for() -> None:
    told = said(user("Is add right?"), assistant("Yes."), ASK, system="Answer in German.")
    assert "Der Nutzer sagte: Is add right?" in told
