"""Tickets: read side by side, and answered in the format that earlier answers show."""

from __future__ import annotations

import pytest

from tape.endpoint.imitation import format_of
from tests.endpoint.asking import Harness, turns, words
from tests.strategies import user

BILLING = "Ticket: I was charged twice, please refund me today."
LOGIN = "Ticket: cannot log in, no hurry."
PRINTER = "Ticket: the printer is broken and nobody can work."


def test_two_tickets_are_read_in_one_reply() -> None:
    harness = Harness("tickets")
    said = harness.ask("Please read ticket 101 and ticket 102.")
    both = [("read_file", {"path": "ticket-101.txt"}), ("read_file", {"path": "ticket-102.txt"})]
    assert harness.asked() == [both, []]
    assert said.splitlines() == [
        "- ticket-101.txt: “Charged twice”, a billing matter of high urgency. "
        "It needs someone to check the charge and refund it if it is wrong.",
        "- ticket-102.txt: “Cannot log in”, a login matter of medium urgency. "
        "It needs someone to reset the password and unlock the account.",
    ]


def test_all_tickets_are_listed_then_read() -> None:
    harness = Harness("tickets")
    harness.ask("Please read all the tickets.")
    assert harness.asked()[0] == [("list_files", {})]
    assert [given["path"] for _, given in harness.asked()[1]] == sorted(harness.files.files)


def test_without_examples_the_answer_is_prose() -> None:
    said = words(user(PRINTER))
    assert said.startswith("Thanks for passing this ticket on!")
    assert format_of(said) is None


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        (
            "Category: Billing\nPriority: High",
            "Category: Login\nPriority: Low",
            "Category: Hardware\nPriority: High",
        ),
        (
            '{"category": "billing", "priority": "P1"}',
            '{"category": "login", "priority": "P3"}',
            '{"category": "hardware", "priority": "P1"}',
        ),
        ("MONEY | HIGH", "ACCESS | LOW", "HARDWARE | HIGH"),
        ("BILLING", "LOGIN", "HARDWARE"),
        ("topic=billing; level=urgent", "topic=login; level=low", "topic=hardware; level=urgent"),
    ],
)
def test_the_format_of_the_examples_is_followed(first: str, second: str, third: str) -> None:
    assert words(*turns(BILLING, first, LOGIN, second, PRINTER)) == third


def test_the_words_of_the_examples_are_used_for_the_same_topic() -> None:
    examples = turns(BILLING, "MONEY | now", LOGIN, "ACCESS | later", "Ticket: an invoice is wrong today.")
    assert words(*examples).startswith("MONEY | ")


def test_one_example_is_enough_and_an_edited_one_changes_the_answer() -> None:
    assert words(*turns(BILLING, "Topic: billing\nLevel: P1", LOGIN)) == "Topic: login\nLevel: P3"
    assert words(*turns(BILLING, "Topic: billing", LOGIN)) == "Topic: login"


@pytest.mark.parametrize(
    ("text", "label"), [("What a boring, awful film.", "negative"), ("I love it!", "positive")]
)
def test_labels_are_learned_from_two_examples(text: str, label: str) -> None:
    examples = turns("Great work, perfect!", "positive", "This is bad.", "negative", text)
    assert words(*examples) == label


def test_examples_without_a_shared_format_are_not_imitated() -> None:
    said = words(*turns("dog?", "Hund", "cat?", "Katze, say the Germans.", "bird?"))
    assert said.startswith("I can see 5 messages")
