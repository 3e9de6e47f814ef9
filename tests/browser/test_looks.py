"""What the page looks like at the sizes and in the themes people have: all of it there, nothing cut off."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.deck import Deck

CONTRAST = """element => {
    const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
    const light = (color) => {
        probe.clearRect(0, 0, 1, 1)
        probe.fillStyle = color
        probe.fillRect(0, 0, 1, 1)
        const [r, g, b] = [...probe.getImageData(0, 0, 1, 1).data].map((n) => {
            const s = n / 255
            return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4
        })
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const ground = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor
    const [a, b] = [light(getComputedStyle(element).color), light(ground)].sort((x, y) => y - x)
    return (a + 0.05) / (b + 0.05)
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(
    "size", [(1440, 900), (1920, 1080), (1024, 768)], ids=lambda size: f"{size[0]}x{size[1]}"
)
def test_the_page_fits_and_can_be_read(open_page: Open, size: tuple[int, int], dark: bool) -> None:
    page = open_page(size=size, dark=dark)
    deck = Deck(page)
    deck.holds(6)
    expect(page.get_by_role("button", name="Run it again")).to_be_in_viewport()
    expect(deck.card(0)).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tape = deck.tape.bounding_box()
    assert tape is not None
    assert tape["width"] > size[0] / 3
    for part in (".role", ".title", ".position", ".turn-name", ".prose"):
        assert deck.tape.locator(part).first.evaluate(CONTRAST) > 4.5, part
    expect(page.get_by_text("Deploy")).to_have_count(0)
    expect(page.get_by_text("Made with Streamlit")).to_have_count(0)
