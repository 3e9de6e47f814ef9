"""Downloads from the page: as it came, byte for byte; changed only where it was changed; in other formats."""

from __future__ import annotations

import json

import pytest

import tape
from components.export_panel import file_name
from tape.samples import samples
from tests.page_driver import Driver

SPACED = (
    b'[ {"role" : "user", "content":"h\\u00e9llo", "extra": 1.50},\n'
    b'\t{"role":"assistant","content":"yes"} ]\n'
)


def offered(driver: Driver) -> bytes:
    held = driver.page.cache["export"][1]
    assert isinstance(held.data, bytes)
    return held.data


@pytest.mark.parametrize("name", [one.name for one in samples()])
def test_an_untouched_sample_comes_back_byte_for_byte(name: str) -> None:
    driver = Driver()
    driver.click(f"sample-{name}")
    driver.panel("Export")
    file = driver.page.origin.sample.files[0]
    assert offered(driver) == file.read_bytes()
    assert "byte for byte" in driver.words


def test_an_upload_comes_back_with_one_change() -> None:
    driver = Driver()
    driver.upload("spaced.json", SPACED)
    driver.panel("Export")
    assert offered(driver) == SPACED
    driver.apply(op="replace", target="m1", value="no")
    assert offered(driver) == SPACED.replace(b'"yes"', b'"no"')
    assert file_name(driver.page, "source") == "spaced.json"


@pytest.mark.parametrize(
    ("to", "suffix"), [("anthropic-messages", "json"), ("openai-chat", "json"), ("claude-code", "jsonl")]
)
def test_it_is_written_in_another_format(to: str, suffix: str) -> None:
    driver = Driver()
    driver.panel("Export")
    driver.at.radio[0].set_value(to)
    driver.run()
    again = tape.load(offered(driver))
    said = [m.text for m in again.messages if m.text and m.role != "system"]
    assert said == [m.text for m in driver.session.messages if m.text]
    assert file_name(driver.page, to) == f"Is-the-add-function-correct.{to}.{suffix}"


def test_a_session_that_was_started_here_is_written() -> None:
    driver = Driver()
    driver.click("new-session")
    driver.apply(op="append", messages=[{"role": "user", "content": "hello"}])
    driver.panel("Export")
    assert [m.text for m in tape.load(offered(driver)).messages] == ["hello"]
    assert json.loads(offered(driver))


def test_what_a_format_cannot_carry_is_said() -> None:
    thinking = [
        {"role": "user", "content": "think"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "text", "text": "done"},
            ],
        },
    ]
    driver = Driver()
    driver.upload("thinking.json", json.dumps(thinking).encode())
    driver.panel("Export")
    driver.at.radio[0].set_value("openai-chat")
    driver.run()
    assert "cannot carry" in driver.words
