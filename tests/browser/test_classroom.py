"""The classroom in the browser: a reload, the projector, the second window, codes, lessons of one's own."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.deck import Deck
from tests.lessons.test_reading import SMALL


def at(page: Page, step: int, *, waits: bool = False) -> None:
    """Waits until the lesson is at a step."""
    here = f".lesson[data-step='{step}'][data-waits='{str(waits).lower()}']:not(.busy)"
    page.locator(here).wait_for()


def test_a_reload_comes_back_to_the_same_step_with_the_same_array_and_guess(open_page: Open) -> None:
    page = open_page(path="/?lesson=D&step=5&wait=1&view=projector")
    deck = Deck(page)
    at(page, 5, waits=True)
    deck.holds(3)
    page.keyboard.press("1")
    at(page, 5)
    page.keyboard.press("PageDown")
    at(page, 6, waits=True)
    page.keyboard.press(" ")
    at(page, 6)
    page.keyboard.press("ArrowRight")
    at(page, 7)
    expect(page).to_have_url(re.compile(r"step=7&said=5\.0&view=projector"))
    page.reload()
    at(page, 7)
    deck.holds(3)
    expect(page.locator(".verdict.wrong")).to_contain_text("It answers, with what it has.")
    expect(deck.threads("broken")).to_have_count(1)


def test_the_projector_shows_the_tape_and_one_chart_and_goes_black(open_page: Open) -> None:
    page = open_page(path="/?lesson=D&view=projector", size=(1920, 1080))
    at(page, 1)
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_role("tab")).to_have_count(0)
    expect(page.locator(".stPlotlyChart")).to_have_count(1)
    size = page.locator(".lesson .said").evaluate("element => parseFloat(getComputedStyle(element).fontSize)")
    assert size >= 24
    page.keyboard.press("+")
    larger = page.locator(".lesson .said").evaluate(
        "element => parseFloat(getComputedStyle(element).fontSize)"
    )
    assert larger > size
    page.keyboard.press("-")
    page.keyboard.press("b")
    black = page.locator(".tapedeck-black")
    expect(black).to_have_count(1)
    assert black.evaluate("element => element.getBoundingClientRect().height") == 1080
    page.keyboard.press("PageDown")
    expect(black).to_have_count(0)
    at(page, 1)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    at(page, 1)


def test_without_a_lesson_the_clicker_steps_through_the_tape(open_page: Open) -> None:
    page = open_page(path="/?view=projector")
    deck = Deck(page)
    deck.holds(6)
    page.keyboard.press("PageUp")
    expect(deck.bar).to_contain_text("8 / 9")
    page.keyboard.press("PageDown")
    expect(deck.bar).to_contain_text("9 / 9")


def test_the_second_window_follows_and_the_projected_page_keeps_its_address_to_itself(
    open_page: Open,
) -> None:
    page = open_page(path="/?lesson=D")
    at(page, 1)
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Notes").click()
    notes = opened.value
    expect(notes.locator(".notes")).to_contain_text("last four characters")
    expect(notes.locator(".clock")).to_contain_text("23 min left")
    token = re.findall(r"desk/([\w-]{32})/notes", notes.url)[0]
    assert token not in page.url
    page.keyboard.press("PageDown")
    at(page, 2)
    expect(notes.locator("header")).to_contain_text("2 of 24")
    expect(page.locator(".lesson")).not_to_contain_text("two green strips")
    expect(notes.locator(".board")).to_contain_text("two green strips")
    page.reload()
    at(page, 2)
    page.keyboard.press("PageDown")
    at(page, 3)
    expect(notes.locator("header")).to_contain_text("3 of 24")
    notes.close()


def test_a_code_gives_everybody_a_copy_of_their_own(open_page: Open) -> None:
    teacher = open_page(path="/?lesson=D&step=3")
    at(teacher, 3)
    teacher.get_by_role("button", name="Code for students").click()
    code = teacher.locator(".lesson .code").inner_text().removeprefix("Code ")
    student = open_page()
    field = student.get_by_role("textbox", name="Code of a class")
    field.fill(code.lower())
    field.press("Enter")
    at(student, 1)
    Deck(student).holds(4)
    student.keyboard.press("PageDown")
    at(student, 2)
    deck = Deck(student)
    deck.act(0, "Delete")
    deck.card(0).get_by_role("button", name="Delete", exact=True).last.click()
    deck.holds(3)
    at(teacher, 3)
    Deck(teacher).holds(4)


def test_an_operation_may_be_done_by_hand_instead(open_page: Open) -> None:
    page = open_page(path="/?lesson=checkpoint&step=6&wait=1")
    deck = Deck(page)
    at(page, 6, waits=True)
    deck.holds(3)
    deck.act(2, "Delete")
    deck.card(2).get_by_role("button", name="Delete", exact=True).last.click()
    at(page, 6)
    deck.holds(2)
    page.keyboard.press("PageUp")
    at(page, 6, waits=True)
    deck.holds(3)


def test_the_glossary_points_at_the_real_thing(deck: Deck) -> None:
    deck.sidebar.get_by_text("Glossary").click()
    term = deck.sidebar.locator(".st-key-term-tool_result")
    expect(term).to_contain_text("in the user role")
    term.get_by_role("button", name="Show me").click()
    expect(deck.tape.locator("article.card.selected .position")).to_have_text("#2")
    expect(deck.sidebar.locator(".st-key-term-cache").get_by_role("button")).to_be_disabled()


def test_a_file_is_opened_or_its_faults_are_named(deck: Deck) -> None:
    deck.sidebar.get_by_text("Your own lesson").click()
    files = deck.sidebar.locator(".st-key-own-lesson input[type=file]")
    broken = SMALL.replace("minutes: 3", "minutes: x").encode()
    files.set_input_files({"name": "mine.yaml", "mimeType": "application/yaml", "buffer": broken})
    expect(deck.sidebar).to_contain_text('line 2: "minutes" must be a number')
    files.set_input_files({"name": "mine.yaml", "mimeType": "application/yaml", "buffer": SMALL.encode()})
    at(deck.page, 1)
    expect(deck.page.locator(".lesson")).to_contain_text("One call")
    deck.page.keyboard.press("PageDown")
    at(deck.page, 2)
    expect(deck.page).to_have_url(re.compile(r"code=[A-Z]{4}&step=2"))
    deck.page.reload()
    at(deck.page, 2)
    expect(deck.page.locator(".lesson")).to_contain_text("One call")


def test_what_is_clicked_becomes_a_lesson(deck: Deck) -> None:
    page = deck.page
    deck.sidebar.get_by_text("Your own lesson").click()
    deck.sidebar.get_by_role("button", name="Record a lesson from this session").click()
    recording = page.locator(".st-key-recording")
    expect(recording).to_contain_text("0 steps")
    recording.get_by_label("What the class reads").fill("Look at this.")
    recording.get_by_role("button", name="Say", exact=True).click()
    expect(recording).to_contain_text("1. say: Look at this.")
    deck.holds(6)
    deck.key("G")
    deck.act(5, "Delete")
    deck.card(5).get_by_role("button", name="Delete", exact=True).last.click()
    expect(recording).to_contain_text("2. do: Deleted message 5.")
    with page.expect_download() as saved:
        recording.get_by_role("button", name="Save the lesson file").click()
    assert b"Look at this." in saved.value.path().read_bytes()
    recording.get_by_role("button", name="Give it").click()
    at(page, 1)
    page.keyboard.press("PageDown")
    at(page, 2, waits=True)
    page.keyboard.press("PageDown")
    at(page, 2)
    deck.holds(5)


def test_a_pair_is_lit_by_pointing_at_it_and_the_rest_steps_back(open_page: Open) -> None:
    page = open_page(path="/?lesson=D&step=1&view=projector")
    deck = Deck(page)
    at(page, 1)
    deck.holds(4)
    expect(deck.threads()).to_have_count(2)
    dark = re.compile(r"\bdimming\b")
    expect(deck.tape).not_to_have_class(dark)
    line, call = deck.threads().first.bounding_box(), deck.strip(1, 1).bounding_box()
    assert line is not None
    assert call is not None
    page.mouse.move(line["x"] + 1, call["y"] + call["height"] + 40)
    expect(deck.tape).to_have_class(dark)
    expect(deck.tape.locator("svg.threads path.thread.lit")).to_have_count(1)
    expect(deck.tape.locator(".strip.lit")).to_have_count(2)
    page.mouse.move(5, 5)
    expect(deck.tape).not_to_have_class(dark)
    expect(deck.tape.locator(".strip.lit")).to_have_count(0)
