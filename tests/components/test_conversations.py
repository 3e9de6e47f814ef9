"""The choice of a conversation of an export: found by its title, ordered, with its date, size and counts."""

from __future__ import annotations

import pytest

from benchmarks.make_export import NEEDLE, conversations
from components.conversations import MANY, SHOWN
from tests.page_driver import Driver

EXPORT = b"[" + b",".join(conversations(400_000)) + b"]"


@pytest.fixture
def driver() -> Driver:
    opened = Driver()
    opened.upload("conversations.json", EXPORT)
    return opened


def choice(driver: Driver) -> list[str]:
    """What stands in the list."""
    return list(listed(driver).options)


def listed(driver: Driver):  # type: ignore[no-untyped-def]
    return next(one for one in driver.at.selectbox if one.label.endswith("conversations in this file"))


def test_each_says_its_title_date_size_and_counts(driver: Driver) -> None:
    found = driver.page.origin.reading.conversations
    assert MANY < len(found) < SHOWN
    assert len(choice(driver)) == len(found)
    session = found[0].load()
    title, date, size, counts = choice(driver)[0].split(" · ")
    assert title.startswith("1. ")
    assert (date, size) == (found[0].date[:16].replace("T", " "), f"{found[0].size / 1e3:,.1f} kB")
    assert counts.startswith(f"{len(session.messages)} message")
    assert " turn" in counts


def test_a_word_of_the_title_finds_the_one_and_it_opens(driver: Driver) -> None:
    words = next(one for one in driver.at.text_input if one.label == "Search the titles")
    words.set_value(NEEDLE.lower()).run()
    driver.check()
    # The open conversation stays in the list, so that what is chosen is what is shown.
    assert [NEEDLE in one for one in choice(driver)] == [False, True]
    listed(driver).select_index(1).run()
    driver.check()
    assert NEEDLE in driver.session.title
    assert [NEEDLE in one for one in choice(driver)] == [True]


@pytest.mark.parametrize("order", ["newest first", "largest first", "by title"])
def test_the_list_is_ordered(driver: Driver, order: str) -> None:
    found = driver.page.origin.reading.conversations
    by = {"newest first": lambda one: one.date, "largest first": lambda one: one.size}.get(
        order, lambda one: one.title.casefold()
    )
    wanted = sorted(found, key=by, reverse=order != "by title")
    next(one for one in driver.at.selectbox if one.label == "Order").select(order).run()
    driver.check()
    assert [one.split(". ")[0] for one in choice(driver)] == [str(found.index(one) + 1) for one in wanted]
