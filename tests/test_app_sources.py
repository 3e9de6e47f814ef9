"""Opening on the page: uploads, pasted text and paths, good and bad; what fails leaves the session alone."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import tape
from components.export_panel import SOURCE, file_name
from components.opening import from_path, paths_allowed
from tape.errors import UserError
from tests.page_driver import Driver

HOSTILE = (
    "<script>alert(1)</script> ![x](http://example.com/x.png) [a](javascript:alert(1)) :red[x] $x$ "
    "\x1b[31m\u202e"
)
ARRAY = [
    {"role": "user", "content": "two files, please"},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "a"}},
            {"type": "tool_use", "id": "b", "name": "read_file", "input": {"path": "b"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "A"}]},
]


def test_an_upload_is_named_and_counted() -> None:
    driver = Driver()
    driver.upload("array.json", json.dumps(ARRAY).encode())
    assert driver.page.origin.name == "array.json"
    assert driver.page.refusal == ""
    assert [m.role for m in driver.session.messages] == ["user", "assistant", "user"]
    assert "array.json" in driver.words


def test_several_files_open_together() -> None:
    driver = Driver()
    second = [{"role": "user", "content": "another"}]
    files = [
        (f"{n}.json", json.dumps(a).encode(), "application/json") for n, a in (("a", ARRAY), ("b", second))
    ]
    driver.uploader.set_value(files)
    driver.run()
    assert len(driver.page.origin.reading.conversations) == 2
    choice = next(one for one in driver.at.selectbox if one.label.endswith("conversations in this file"))
    choice.set_value(1)
    driver.run()
    assert driver.session.messages[0].text == "another"


def test_an_archive_opens_as_what_is_in_it() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("array.json", json.dumps(ARRAY))
    driver = Driver()
    driver.upload("export.zip", packed.getvalue())
    assert [m.role for m in driver.session.messages] == ["user", "assistant", "user"]
    assert tape.dump(driver.session).data == packed.getvalue()
    assert file_name(driver.page, SOURCE) == "export.zip"


def test_a_path_brings_the_sub_agents_beside_it(corpus: Callable[[str], Path]) -> None:
    name = "claude-code-subagents/50a7220d-7250-46f3-b38e-b716ce25032e.jsonl"
    assert len(from_path(str(corpus(name))).load().lanes) == 1


@pytest.mark.parametrize(
    ("name", "data"),
    [("empty.json", b""), ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)],
)
def test_what_cannot_be_opened_is_one_sentence_and_loses_nothing(name: str, data: bytes) -> None:
    driver = Driver()
    before = driver.session
    driver.upload(name, data)
    assert driver.session is before
    assert name in driver.page.refusal
    assert driver.page.refusal in driver.words
    driver.upload("array.json", json.dumps(ARRAY).encode())
    assert driver.page.refusal == ""


@pytest.mark.parametrize(
    "data",
    [
        b'[{"role": "user", "content": "cut off in the mid',
        b'{"role": "user", "content": "one"}\n{broken\n{"role": "assistant", "content": "two"}\n',
        b'{"colors": ["red", "green"]}',
        b"just words\nand more words",
        b'\xef\xbb\xbf[{"role":"user","content":"bom"}]\r\n',
        '[{"role":"user","content":"a\u2028b"}]'.encode(),
        b'[{"role":"user","content":"\\ud800"}]',
        b'[{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"f","input":"no object"}]}]',
        b'[{"role":"user"},{"role":"assistant","content":null},{"role":"user","content":[]}]',
        b'[{"role":"robot","content":[{"type":"hologram","x":1}]}]',
    ],
)
def test_odd_files_open_as_far_as_they_go(data: bytes) -> None:
    driver = Driver()
    driver.upload("odd.json", data)
    assert driver.page.origin.name == "odd.json"
    for panel in ("Problems", "Message", "Request", "Run", "Export"):
        driver.panel(panel)


def test_hostile_strings_are_text_wherever_they_stand() -> None:
    array = [
        {"role": "user", "content": HOSTILE},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {HOSTILE: 1}}],
        },
    ]
    driver = Driver()
    driver.upload(
        f"{HOSTILE.replace('/', '')}.json",
        json.dumps({"tools": [{"name": HOSTILE}], "messages": array}).encode(),
    )
    for panel in ("Tokens", "Problems", "Message", "Request", "Run", "Export"):
        driver.panel(panel)
        for uid in (None, *(m.uid for m in driver.session.messages)):
            driver.page.selected = uid
            driver.run()
            interpreted = [*driver.at.markdown, *driver.at.caption, *driver.at.error, *driver.at.success]
            labels = [b.label for b in driver.at.button] + [e.label for e in driver.at.expander]
            html = [str(one.proto.body) for one in driver.at.get("html")]
            for said in [*(str(one.value) for one in interpreted), *labels, *html]:
                assert "alert(1)" not in said
                assert "example.com" not in said


def test_the_user_overrides_the_format() -> None:
    driver = Driver()
    driver.upload("array.json", json.dumps(ARRAY).encode())
    driver.at.selectbox(key=f"format-{driver.page.seen}").set_value("openai-chat")
    driver.run()
    assert driver.page.origin.reading.format == "openai-chat"
    driver.at.selectbox(key=f"format-{driver.page.seen}").set_value("detected")
    driver.run()
    assert driver.page.origin.reading.format == "anthropic-messages"


def test_pasted_text_is_read_like_a_file() -> None:
    driver = Driver()
    driver.at.text_area[0].set_value(json.dumps(ARRAY))
    next(b for b in driver.at.button if b.label == "Open it").click()
    driver.run()
    assert driver.page.origin.kind == "paste"
    assert len(driver.session.messages) == 3


def test_a_path_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    file.write_text(json.dumps(ARRAY), "utf-8")
    origin = from_path(f'"{file}"')
    assert origin.name == "session.json"
    assert len(origin.load().messages) == 3


@pytest.mark.parametrize("text", ["", "/no/such/file.json", "/"])
def test_a_path_that_is_no_file_is_one_sentence(text: str) -> None:
    with pytest.raises(UserError) as caught:
        from_path(text)
    assert caught.value.sentence.endswith("Check the path.")


def test_paths_are_off_where_others_may_come(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TAPEDECK_ALLOW_PATHS", "0")
    assert not paths_allowed()
    file = tmp_path / "a.json"
    file.write_text("[]", "utf-8")
    with pytest.raises(UserError):
        from_path(str(file))
    driver = Driver()
    assert "A file of this machine" not in [field.label for field in driver.at.text_input]


def test_a_new_session_starts_empty_and_can_be_written() -> None:
    driver = Driver()
    driver.click("new-session")
    assert driver.session.messages == ()
    assert driver.at.button(key="run-again").disabled
    driver.panel("Run")
    assert driver.at.button(key="run-loop").disabled
    driver.at.text_area(key=f"say-{driver.page.seen}").set_value("What is 2 + 2?")
    driver.run()
    driver.click("append")
    assert [m.text for m in driver.session.messages] == ["What is 2 + 2?"]


def test_opening_something_else_forgets_the_selection() -> None:
    driver = Driver()
    driver.tape(do="select", uid=driver.session.messages[0].uid)
    driver.upload("array.json", json.dumps(ARRAY).encode())
    assert driver.page.selected is None
    assert driver.page.goto is None
