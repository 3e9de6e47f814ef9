"""The tape as a view: what is looked at stays where it is, lines end where they should, keys are enough."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.deck import Deck
from tests.browser.test_opening import file
from tests.strategies import answer, assistant, call, text, user

NODES = 2_500
SETTLED = """scroller => new Promise(done => {
    let still = 0, last = ""
    const look = () => {
        const missing = scroller.querySelectorAll(".skeleton").length
        const now = `${scroller.scrollTop} ${scroller.scrollHeight} ${missing}`
        still = now === last && now.endsWith(" 0") ? still + 1 : 0
        last = now
        still > 4 ? done(true) : requestAnimationFrame(look)
    }
    look()
})"""
LAYOUT = """window => [...window.children].filter(item => !item.classList.contains("apart")).map(item => {
    const box = item.getBoundingClientRect()
    return { key: item.dataset.key, top: box.top, bottom: box.bottom }
})"""
ENDS = """svg => [...svg.querySelectorAll("path.thread")].map(path => {
    const box = svg.getBoundingClientRect(), length = path.getTotalLength()
    return [0, length].map(at => path.getPointAtLength(at).y + box.top)
})"""
HEADS = """(window, [i, block]) => {
    const cards = [...window.querySelectorAll(".card:has(.position)")]
    const card = cards.find(one => one.querySelector(".position").textContent === `#${i}`)
    const box = card.querySelector(`.strip[data-block="${block}"] .strip-head`).getBoundingClientRect()
    return box.top + box.height / 2
}"""

CONTRAST_ON_CARD = """element => {
    const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
    const light = color => {
        probe.clearRect(0, 0, 1, 1)
        probe.fillStyle = color
        probe.fillRect(0, 0, 1, 1)
        const [r, g, b] = [...probe.getImageData(0, 0, 1, 1).data].map(n => {
            const s = n / 255
            return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4
        })
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    let behind = element.closest(".pill, .strip, .card")
    while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement
    const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map(light)
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}"""


def settle(deck: Deck) -> None:
    """Waits until nothing on the tape moves and no body is missing."""
    deck.scroller.evaluate(SETTLED)


def rounds(count: int) -> list[Any]:
    """Rounds of a call and a result of very different lengths."""
    pick = random.Random(5)
    array: list[Any] = []
    for n in range(count):
        lines = "\n".join(f"line {i}" for i in range(pick.choice([1, 3, 40])))
        array += [
            user(f"question {n}"),
            assistant(text("word " * pick.choice([3, 200])), call(f"id{n}", "look", {"n": n})),
            user(answer(f"id{n}", lines)),
            assistant(f"answer {n}"),
        ]
    return array


def show(deck: Deck, array: list[Any]) -> None:
    """Opens an array on the page."""
    deck.upload(file("array.json", array))
    deck.holds(len(array)) if len(array) < 1000 else expect(deck.bar.locator(".counts")).to_contain_text(
        f"{len(array):,} messages"
    )
    settle(deck)


def go(deck: Deck, position: int) -> None:
    """Goes to a message by its number."""
    deck.bar.locator(".goto").fill(str(position))
    deck.bar.locator(".goto").press("Enter")
    expect(deck.card(position)).to_be_in_viewport()
    settle(deck)


def top(deck: Deck, position: int) -> float:
    """Where a card starts in the window."""
    box = deck.card(position).bounding_box()
    assert box is not None
    return box["y"]


@pytest.mark.parametrize("size", [(1440, 900), (1920, 1080), (1024, 768)], ids=str)
def test_the_first_message_stands_near_the_top(open_page: Open, size: tuple[int, int]) -> None:
    deck = Deck(open_page(size=size))
    deck.holds(6)
    settle(deck)
    assert top(deck, 0) <= 160


def test_every_message_is_reached_in_order_whatever_was_folded_and_edited(deck: Deck) -> None:
    array = rounds(700)
    show(deck, array)
    pick = random.Random(11)
    removed = 0
    for step in range(12):
        position = pick.randrange(len(array) - 8)
        go(deck, position)
        for key in pick.sample(["h", "l", "j", "n", "k", "p", "t"], 3):
            deck.page.keyboard.press(key)
        if step % 4 == 3:
            go(deck, position)
            deck.act(position, "Delete")
            deck.tape.get_by_role("alertdialog").get_by_role("button", name="Delete").first.click()
            expect(deck.tape.get_by_role("alertdialog")).to_have_count(0)
            removed += 1
        settle(deck)
        items = deck.tape.locator(".window").evaluate(LAYOUT)
        assert all(abs(a["bottom"] - b["top"]) < 1 for a, b in pairwise(items))
        positions = [int(position[1:]) for position, _ in deck.cards()]
        assert positions == list(range(positions[0], positions[0] + len(positions)))
        window = deck.scroller.bounding_box()
        assert window is not None
        assert items[0]["top"] <= window["y"] + 1 or items[0]["key"] == "head"
        assert deck.page.evaluate("document.querySelectorAll('*').length") < NODES
    assert removed == 3
    deck.key("G")
    expect(deck.card(int(deck.bar.locator(".goto").get_attribute("placeholder") or 0))).to_contain_text(
        "answer 699"
    )


def test_what_is_looked_at_stays_when_cards_above_unfold(deck: Deck) -> None:
    show(deck, rounds(60))
    go(deck, 120)
    before = top(deck, 120)
    folded = deck.tape.locator(".card:has(.position) button.show-all")
    window = deck.scroller.bounding_box()
    assert window is not None
    above = [one for one in folded.all() if (one.bounding_box() or {"y": 1e9})["y"] < window["y"]]
    assert above
    height = deck.scroller.evaluate("s => s.scrollHeight")
    above[-1].dispatch_event("click")
    settle(deck)
    assert deck.scroller.evaluate("s => s.scrollHeight") > height
    assert abs(top(deck, 120) - before) < 2


def test_an_edit_and_its_undo_leave_the_window_where_it_is(deck: Deck) -> None:
    show(deck, rounds(60))
    go(deck, 120)
    before = top(deck, 120)
    deck.page.keyboard.press("e")
    editor = deck.tape.locator("form.editor textarea")
    editor.fill("another question")
    editor.press("Control+Enter")
    expect(deck.card(120)).to_contain_text("another question")
    settle(deck)
    assert abs(top(deck, 120) - before) < 2
    deck.do("undo")
    expect(deck.card(120)).to_contain_text("question 30")
    settle(deck)
    assert abs(top(deck, 120) - before) < 2


def test_lines_end_at_their_strips_also_after_an_edit(deck: Deck) -> None:
    array = [
        user("go"),
        assistant(text("both"), call("a"), call("b")),
        user(text("wait"), answer("b", "one"), answer("a", "two")),
        assistant("done"),
    ]
    show(deck, array)

    def ends() -> list[list[float]]:
        found: list[list[float]] = deck.tape.locator("svg.threads").evaluate(ENDS)
        return sorted(sorted(pair) for pair in found)

    def at(i: int, block: int) -> float:
        found: float = deck.tape.locator(".window").evaluate(HEADS, [i, block])
        return found

    for pair, wanted in zip(ends(), [[at(1, 1), at(2, 2)], [at(1, 2), at(2, 1)]], strict=True):
        assert pair == pytest.approx(wanted, abs=2)
    deck.act(0, "Insert above")
    form = deck.tape.locator("form.editor")
    form.locator("textarea").fill("first of all\n\nthis")
    form.get_by_role("button", name="Insert", exact=True).click()
    deck.holds(5)
    settle(deck)
    for pair, wanted in zip(ends(), [[at(2, 1), at(3, 2)], [at(2, 2), at(3, 1)]], strict=True):
        assert pair == pytest.approx(wanted, abs=2)


def test_an_end_out_of_sight_is_a_stub_that_goes_there(deck: Deck) -> None:
    between = [one for n in range(40) for one in (user(f"and {n}?"), assistant(f"yes {n}"))]
    show(deck, [user("go"), assistant(call("far", "watch")), *between, user(answer("far", "at last"))])
    stub = deck.tape.locator(".stubs.down .stub-end")
    expect(stub).to_have_text("↓82")
    expect(deck.strip(1, 0)).to_contain_text("answered too late")
    stub.click()
    expect(deck.strip(82, 0)).to_be_in_viewport()
    back = deck.tape.locator(".stubs.up .stub-end")
    expect(back).to_have_text("↑1")
    deck.page.keyboard.press("t")
    expect(deck.strip(1, 0)).to_be_in_viewport()


def test_pointing_at_a_line_lights_the_pair_and_dims_the_rest(deck: Deck) -> None:
    settle(deck)
    deck.strip(1, 1).get_by_role("button", name="#2").hover()
    expect(deck.strip(1, 1)).to_have_class("strip tool-use lit")
    expect(deck.strip(2, 0)).to_have_class("strip tool-result lit")
    expect(deck.tape.locator("path.thread.lit")).to_have_count(1)
    assert float(deck.card(0).evaluate("card => getComputedStyle(card).opacity")) < 0.7
    deck.bar.locator(".title").hover()
    expect(deck.tape.locator("path.thread.lit")).to_have_count(0)
    assert float(deck.card(0).evaluate("card => getComputedStyle(card).opacity")) == 1


def test_thinking_is_read_only_and_says_why(deck: Deck) -> None:
    signed = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    show(deck, [user("go"), assistant(signed, text("done"))])
    deck.strip(1, 0).locator("button.folder").click()
    expect(deck.strip(1, 0)).to_contain_text("Read-only: its signature binds these words")
    deck.strip(1, 0).hover()
    expect(deck.strip(1, 0).get_by_role("button", name="Edit this block")).to_have_count(0)
    deck.act(1, "Edit")
    area = deck.tape.locator("form.editor textarea")
    area.fill(area.input_value().replace('"hm"', '"aha"'))
    area.press("Control+Enter")
    expect(deck.tape.locator("form.editor .why")).to_contain_text("Thinking cannot be edited")
    area.press("Escape")
    expect(deck.strip(1, 1)).to_contain_text("done")


def test_a_call_is_edited_as_its_input_and_no_number_changes(deck: Deck) -> None:
    show(
        deck, [user("go"), assistant(text("yes"), call("a", "look", {"n": 12345678901234567890, "at": "x"}))]
    )
    strip = deck.strip(1, 1)
    strip.hover()
    strip.get_by_role("button", name="Edit this block").click()
    area = deck.tape.locator("form.editor textarea")
    assert "12345678901234567890" in area.input_value()
    area.fill(area.input_value().replace('"x"', '"y"'))
    area.press("Control+Enter")
    expect(deck.strip(1, 1)).to_contain_text("12345678901234567890")
    expect(deck.strip(1, 1)).to_contain_text("y")


def test_an_open_editor_keeps_its_words_while_one_looks_elsewhere(deck: Deck) -> None:
    show(deck, rounds(60))
    deck.act(0, "Edit")
    deck.tape.locator("form.editor textarea").fill("half a thou")
    deck.scroller.evaluate("s => { s.scrollTop = s.scrollHeight / 2 }")
    settle(deck)
    deck.scroller.evaluate("s => { s.scrollTop = 0 }")
    settle(deck)
    expect(deck.tape.locator("form.editor textarea")).to_have_value("half a thou")


def test_search_opens_what_hides_a_hit(deck: Deck) -> None:
    long = "\n".join(f"row {n}" for n in range(3_000)) + "\nthe needle"
    show(deck, [user("go"), assistant(call("a")), user(answer("a", long)), assistant("done")])
    deck.do("fold")
    deck.key("/")
    deck.page.keyboard.type("THE NEEDLE")
    expect(deck.bar.locator(".found")).to_have_text("1 / 1")
    expect(deck.strip(2, 0)).to_contain_text("the needle")
    settle(deck)
    assert deck.page.evaluate("CSS.highlights.get('tapedeck-hits').size") >= 1


def test_long_bodies_come_in_parts(deck: Deck) -> None:
    show(deck, [user("go"), assistant(call("a")), user(answer("a", "x" * 250_000 + "END"))])
    deck.strip(2, 0).get_by_role("button", name="Show all").click()
    more = deck.strip(2, 0).get_by_role("button", name="Show the next part")
    more.click()
    expect(deck.strip(2, 0)).to_contain_text("END")
    expect(more).to_have_count(0)


def test_three_thousand_blocks_in_one_message(deck: Deck) -> None:
    show(deck, [user(*[text(f"block {n}") for n in range(3_000)])])
    expect(deck.card(0).locator(".strip")).to_have_count(100)
    expect(deck.card(0)).to_contain_text("Show 2,900 more blocks")


def test_the_array_can_be_played(deck: Deck) -> None:
    deck.do("first")
    expect(deck.tape.locator(".caption")).to_have_text("The array is empty.")
    deck.do("next")
    deck.do("next")
    expect(deck.tape.locator(".caption")).to_contain_text("call: the whole array is sent, 1 message")
    expect(deck.tape.locator(".step.now")).to_have_text("call")
    deck.do("play")
    expect(deck.bar.locator(".beat")).to_have_text("9 / 9", timeout=20_000)
    expect(deck.tape.locator(".caption")).to_have_count(0)


def test_everything_has_a_name_and_a_place_for_those_who_listen(deck: Deck) -> None:
    nameless = deck.tape.evaluate(
        """tape => [...tape.querySelectorAll("button, input, textarea, select, dialog, [role]")]
            .filter(e => !e.getAttribute("aria-label") && !e.textContent.trim())
            .filter(e => !["status", "toolbar"].includes(e.getAttribute("role")))
            .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    assert deck.scroller.get_attribute("role") == "region"
    card = deck.card(2)
    assert (card.get_attribute("aria-posinset"), card.get_attribute("aria-setsize")) == ("3", "6")


def test_a_session_is_edited_with_the_keyboard_alone(deck: Deck) -> None:
    press = deck.page.keyboard.press
    deck.scroller.focus()
    press("j")
    press("e")
    expect(deck.tape.locator("form.editor textarea")).to_be_focused()
    deck.page.keyboard.type(" Really?")
    press("Control+Enter")
    expect(deck.card(0)).to_contain_text("Really?")
    expect(deck.card(0)).to_be_focused()
    for _ in range(2):
        press("Tab")
    press("Tab")
    expect(deck.card(0).get_by_role("button", name="Insert above")).to_be_focused()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_role_words_can_be_read_on_their_cards(open_page: Open, dark: bool) -> None:
    deck = Deck(open_page(dark=dark))
    deck.holds(6)
    for part in (
        ".card.user .role",
        ".card.assistant .role",
        ".card.result .role",
        ".tool-use .icon",
        ".pill",
    ):
        ratio = deck.tape.locator(part).first.evaluate(CONTRAST_ON_CARD)
        assert ratio > 4.4, (part, ratio)
