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


WORDS = [
    {"role": "user", "content": "A Quince is no quincefeather. quince"},
    {"role": "assistant", "content": "I have seen 12 plums."},
    {"role": "user", "content": "And a QUINCE?"},
]


def searched(deck: Deck, text: str) -> None:
    deck.bar.locator(".query").fill(text)


def test_case_words_and_patterns(deck: Deck) -> None:
    deck.upload(file("words.json", json.dumps(WORDS).encode()))
    deck.holds(3)
    found, marks = deck.bar.locator(".found"), "CSS.highlights.get('tapedeck-hits')?.size ?? 0"
    searched(deck, "quince")
    expect(found).to_have_text("1 / 2")
    assert deck.page.evaluate(marks) == 4
    deck.bar.get_by_role("button", name="Whole words").click()
    expect(found).to_have_attribute("title", re.compile("^3 times in 2 blocks"))
    assert deck.page.evaluate(marks) == 3
    deck.bar.get_by_role("button", name="Match case").click()
    expect(found).to_have_text("1 / 1")
    assert deck.page.evaluate(marks) == 1
    deck.bar.get_by_role("button", name="Match case").click()
    deck.bar.get_by_role("button", name="Whole words").click()
    deck.bar.get_by_role("button", name="Pattern").click()
    searched(deck, r"\d+ plums")
    expect(found).to_have_text("1 / 1")
    expect(deck.page).to_have_url(re.compile(r"q=%5Cd%2B\+plums&s=regex"))
    searched(deck, "(")
    expect(deck.bar.locator(".fault")).to_contain_text("This is not a pattern")
    expect(found).to_have_text("!")


def test_everything_that_was_found_is_listed_and_leads_there(deck: Deck) -> None:
    deck.sample("Is the add function correct?")
    deck.holds(6)
    searched(deck, "the")
    expect(deck.bar.locator(".found")).to_have_text("1 / 2")
    deck.bar.locator(".query").press("ArrowDown")
    rows = deck.tape.locator(".hits .row")
    expect(rows.first).to_be_focused()
    assert [row.split("\n")[0] for row in rows.all_inner_texts()] == [
        "#0",
        "#1",
        "tool read_file",
        "tool list_files",
    ]
    deck.page.keyboard.press("ArrowDown")
    deck.page.keyboard.press("Enter")
    expect(deck.card(1)).to_have_class(re.compile(r"\bselected\b"))
    expect(rows.nth(1)).to_have_attribute("aria-current", "true")
    rows.nth(2).click()
    expect(deck.tape.locator(".card.system dl.tools")).to_be_in_viewport()
    deck.page.keyboard.press("Escape")
    expect(deck.tape.locator(".hits")).to_be_hidden()
    expect(deck.bar.locator(".query")).to_be_focused()


def test_what_is_only_beside_the_array_is_found_too(deck: Deck) -> None:
    searched(deck, "careful programmer")
    expect(deck.bar.locator(".found")).to_have_text("1 beside")
    deck.bar.locator(".found").click()
    expect(deck.tape.locator(".hits")).to_contain_text("nothing in the array")
    expect(deck.tape.locator(".hits .row .at")).to_have_text("system prompt")


def test_very_many_hits_are_searched_on_for(deck: Deck) -> None:
    many = [{**LONG[n % 2], "content": f"said {n}"} for n in range(2_300)]
    deck.upload(file("many.json", json.dumps(many).encode()))
    deck.holds(2_300)
    searched(deck, "said")
    found = deck.bar.locator(".found")
    expect(found).to_have_text("1 / 2,000+")
    found.click()
    deck.tape.get_by_role("button", name="Search on").click()
    expect(found).to_have_text("1 / 2,300")
    expect(deck.tape.locator(".hits .row")).to_have_count(101)
    deck.tape.locator(".hits .row.more").click()
    expect(deck.tape.locator(".hits .row")).to_have_count(201)


def test_an_edit_is_searched_again_and_moves_nobody(deck: Deck) -> None:
    deck.upload(file("words.json", json.dumps(WORDS).encode()))
    deck.holds(3)
    searched(deck, "quince")
    expect(deck.bar.locator(".found")).to_have_text("1 / 2")
    deck.act(2, "Delete")
    deck.tape.get_by_role("alertdialog").get_by_role("button", name="Delete", exact=True).click()
    expect(deck.bar.locator(".found")).to_have_text("1 / 1")


def test_an_address_holds_the_turn_in_focus_and_the_original(deck: Deck, open_page: Open, app: str) -> None:
    deck.sample("Two tickets, one reply")
    deck.holds(4)
    deck.card(3).locator(".position").click()
    deck.key("f")
    expect(deck.page).to_have_url(re.compile(r"t=2\b"))
    again = Deck(open_page(path=deck.page.url.removeprefix(app)))
    expect(again.tape).to_have_class(re.compile(r"\bfocusing\b"))
    expect(again.tape.locator(".item.in-focus")).to_have_count(1)
    original = Deck(open_page(path="/?sample=two-tickets&v=original"))
    expect(original.bar.locator("[data-do=original]")).to_have_attribute("aria-pressed", "true")


def test_the_outline_leads_to_every_turn(deck: Deck) -> None:
    deck.key("o")
    outline = deck.tape.locator(".outline")
    rows = outline.locator(".row")
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text("Is the add function correct?")
    expect(rows.nth(2)).to_contain_text("read_file ×2")
    deck.page.keyboard.press("ArrowDown")
    deck.page.keyboard.press("ArrowDown")
    deck.page.keyboard.press("Enter")
    expect(deck.card(5)).to_have_class(re.compile(r"\bselected\b"))
    expect(rows.nth(3)).to_have_attribute("aria-current", "true")
    deck.act(5, "Delete")
    deck.tape.get_by_role("alertdialog").get_by_role("button", name="Delete", exact=True).click()
    expect(rows).to_have_count(3)
    deck.key("Escape")
    expect(outline).to_be_hidden()


def test_a_long_outline_has_pages_and_opens_where_one_is(deck: Deck) -> None:
    long_session(deck)
    deck.key("G", "o")
    outline = deck.tape.locator(".outline")
    expect(outline).to_contain_text("101 to 200 of 200")
    expect(outline.locator("[aria-current]")).to_contain_text("said 399")
    outline.get_by_role("button", name="earlier").click()
    expect(outline).to_contain_text("1 to 100 of 200")


def test_a_filter_by_file_and_by_turn(deck: Deck) -> None:
    deck.key("F")
    filter_by(deck, "calc.py")
    status = deck.tape.locator(".filters [role=status]")
    expect(status).to_have_text("2 of 6 messages")
    expect(deck.card(3).locator("xpath=..")).not_to_have_class(re.compile(r"\bout\b"))
    expect(deck.page).to_have_url(re.compile(r"f=file%3Acalc\.py"))
    filter_by(deck, "calc.py")
    deck.tape.get_by_label("From turn").fill("2")
    deck.tape.get_by_label("From turn").press("Enter")
    expect(status).to_have_text("3 of 6 messages")
    expect(deck.card(1).locator("xpath=..")).to_have_class(re.compile(r"\bout\b"))
    deck.tape.get_by_label("To turn").fill("2")
    deck.tape.get_by_label("To turn").press("Enter")
    expect(status).to_have_text("2 of 6 messages")
