"""Ways to find something: the map beside the list, filters, and an address that leads back."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.deck import Deck
from tests.browser.test_opening import file

LONG = [{"role": "assistant" if n % 2 else "user", "content": f"said {n}"} for n in range(400)]


def long_session(deck: Deck) -> None:
    deck.upload(file("long.json", json.dumps(LONG).encode()))
    deck.holds(400)


def filter_by(deck: Deck, chip: str) -> None:
    deck.tape.locator(".chip").filter(has_text=re.compile(rf"^{re.escape(chip)}\d")).click()


def test_the_map_leads_to_any_place_and_shows_where_one_is(deck: Deck) -> None:
    long_session(deck)
    box = deck.tape.locator(".minimap").bounding_box()
    assert box is not None
    deck.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.75)
    expect(deck.card(300)).to_be_in_viewport()
    lens = deck.tape.locator(".minimap .lens").bounding_box()
    assert lens is not None
    assert lens["y"] <= box["y"] + box["height"] * 0.75 <= lens["y"] + lens["height"] + 8
    expect(deck.tape.locator(".minimap .hint")).to_contain_text("said 300")


def test_dragging_on_the_map_scrolls(deck: Deck) -> None:
    long_session(deck)
    box = deck.tape.locator(".minimap").bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2
    deck.page.mouse.move(middle, box["y"] + 10)
    deck.page.mouse.down()
    deck.page.mouse.move(middle, box["y"] + box["height"] - 2, steps=6)
    deck.page.mouse.up()
    expect(deck.card(399)).to_be_in_viewport()


def test_a_filter_lets_others_step_back_or_shrink_and_steps_through_what_is_meant(deck: Deck) -> None:
    deck.key("F")
    filter_by(deck, "read_file")
    expect(deck.tape.locator(".filters [role=status]")).to_have_text("2 of 6 messages")
    expect(deck.tape.locator(".item.out")).to_have_count(4)
    expect(deck.card(3).locator("xpath=..")).not_to_have_class(re.compile(r"\bout\b"))
    deck.tape.get_by_role("button", name="hide others").click()
    expect(deck.tape.locator(".item.line")).to_have_count(4)
    expect(deck.card(0)).to_have_count(0)
    deck.tape.get_by_role("button", name="next").click()
    expect(deck.card(3)).to_have_class(re.compile(r"\bselected\b"))
    deck.tape.get_by_role("button", name="clear").click()
    expect(deck.tape.locator(".item.line")).to_have_count(0)
    deck.key("Escape")
    expect(deck.tape.locator(".filters")).to_be_hidden()


def test_a_filter_knows_broken_pairs(deck: Deck) -> None:
    deck.sample("Three calls, two results")
    deck.holds(3)
    deck.key("F")
    filter_by(deck, "broken pairs")
    expect(deck.tape.locator(".item.out")).to_have_count(2)
    expect(deck.card(1).locator("xpath=..")).not_to_have_class(re.compile(r"\bout\b"))


def test_an_address_leads_back_to_sample_message_search_and_filter(
    deck: Deck, open_page: Open, app: str
) -> None:
    deck.sample("Two tickets, one reply")
    deck.holds(4)
    deck.bar.locator(".query").fill("printer")
    expect(deck.bar.locator(".found")).not_to_be_empty()
    deck.key("F")
    filter_by(deck, "assistant")
    deck.card(1).locator(".position").click()
    expect(deck.page).to_have_url(re.compile(r"sample=two-tickets.*m=m1.*q=printer.*f=role%3Aassistant"))
    again = Deck(open_page(path=deck.page.url.removeprefix(app)))
    again.holds(4)
    expect(again.card(1)).to_have_class(re.compile(r"\bselected\b"))
    expect(again.bar.locator(".query")).to_have_value("printer")
    expect(again.tape.locator(".item.out")).to_have_count(2)


def test_an_address_that_names_nothing_here_says_so(open_page: Open) -> None:
    page = Deck(open_page(path="/?sample=gone&m=m9999&f=nonsense"))
    page.holds(6)
    expect(page.sidebar).to_contain_text("The address names a sample that is not here")
