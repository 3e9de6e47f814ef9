"""Messages as cards and blocks as strips: what is said of each, and how much of it is given."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from components.tape_view import payload
from tape.counting import Counter
from tape.model import Block, Message, Provenance
from tape.model import message as made
from tape.wire import parse_block, parse_message, session_of
from tests import strategies

COUNTER = Counter(None)


def strip(value: Any, cut: int = payload.CUT) -> dict[str, Any]:
    return payload.strip(parse_block(value, "m0.0"), cut)


def card(*blocks: Any, **more: Any) -> dict[str, Any]:
    return payload.card(parse_message({"role": "user", "content": list(blocks)}, "m0"), COUNTER, **more)


def test_a_text_is_markdown_and_says_its_true_length() -> None:
    shown = strip({"type": "text", "text": "*a* " * 3000}, cut=40)
    assert shown["chars"] == 12_000
    assert shown["cut"]
    assert shown["html"].count("<em>") == 10


def test_a_call_shows_its_telling_argument_and_its_fields() -> None:
    shown = strip(
        {
            "type": "tool_use",
            "id": "a",
            "name": "Bash",
            "input": {"timeout": 120, "command": "set -e\ncd app\npytest -q"},
        }
    )
    assert shown["summary"] == "set -e cd app pytest -q"
    assert shown["fields"] == [["timeout", "120", "json"], ["command", "set -e\ncd app\npytest -q"]]
    assert "cut" not in shown


@pytest.mark.parametrize(
    ("odd", "shown"), [('{"q":', '"{\\"q\\":"'), ([1], "[\n  1\n]"), (None, "null"), ("", '""'), (7, "7")]
)
def test_an_input_that_is_no_object_is_shown_as_it_is(odd: Any, shown: str) -> None:
    told = strip({"type": "tool_use", "id": "a", "name": "x", "input": odd})
    assert told["odd"] == shown
    assert "fields" not in told


def test_an_edit_is_a_comparison() -> None:
    change = {"path": "a.py", "old_string": "a = 1\nb", "new_string": "a = 2\nb"}
    shown = strip({"type": "tool_use", "id": "a", "name": "Edit", "input": change})
    assert [sign for sign, _ in shown["diff"]] == ["-", "+", " "]
    assert shown["fields"] == [["path", "a.py"]]


def test_arguments_are_cut_together() -> None:
    shown = strip(
        {"type": "tool_use", "id": "a", "name": "x", "input": {f"k{i}": "v" * 900 for i in range(9)}}
    )
    assert sum(len(field[1]) for field in shown["fields"]) == payload.CUT
    assert shown["cut"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, {"absent": True, "chars": 0}),
        ({"content": None}, {"absent": True, "chars": 0}),
        ({"content": ""}, {"chars": 0, "runs": []}),
        ({"content": "a\nb", "is_error": True}, {"error": True, "chars": 3, "lines": 2}),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, {"runs": [["a\nb"]]}),
    ],
)
def test_a_result_says_what_it_has(content: dict[str, Any], said: dict[str, Any]) -> None:
    shown = strip({"type": "tool_result", "tool_use_id": "a", **content})
    assert said.items() <= shown.items()


def test_a_result_keeps_what_is_no_text_in_it() -> None:
    inner = [{"type": "text", "text": "see"}, strategies.PIXEL, {"type": "hologram"}]
    shown = strip({"type": "tool_result", "tool_use_id": "a", "content": inner})
    assert [(one["kind"], one["uid"]) for one in shown["inner"]] == [("image", "m0.0.1"), ("other", "m0.0.2")]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ({"type": "base64", "media_type": "image/png", "data": "AAAA"}, True),
        ({"type": "base64", "media_type": "image/svg+xml", "data": "AAAA"}, False),
        ({"type": "base64", "media_type": "image/png", "data": ""}, False),
        ({"type": "url", "url": "https://pixel.example/p.png"}, False),
        ({"type": "file", "file_id": "file_1"}, False),
        ({"type": "?"}, False),
    ],
)
def test_only_pictures_that_are_in_the_file_are_shown(source: dict[str, str], shown: bool) -> None:
    told = strip({"type": "image", "source": source})
    assert bool(told.get("shown")) is shown
    assert shown or told["note"]


def test_thinking_says_whether_it_is_signed_or_withheld() -> None:
    shown = strip({"type": "thinking", "thinking": "hm", "signature": "s"})
    assert (shown["text"], shown["signed"], shown["redacted"]) == ("hm", True, False)
    assert strip({"type": "redacted_thinking", "data": "xyz"})["redacted"] is True


def test_no_acting_character_is_left_in_any_field() -> None:
    evil = "a\u202eb\x1b[31mc\u200bd"
    blocks = [
        {"type": "text", "text": evil},
        {"type": "thinking", "thinking": evil, "signature": evil},
        {"type": "tool_use", "id": evil, "name": evil, "input": {evil: evil, "x": [evil, {evil: 1}]}},
        {
            "type": "tool_result",
            "tool_use_id": evil,
            "content": [{"type": "text", "text": evil}, {"type": evil}],
        },
        {"type": "document", "title": evil, "source": {"type": "text", "data": evil, "url": evil}},
        {"type": "image", "source": {"type": "url", "url": evil, "media_type": evil}},
        {"type": evil, "value": evil},
    ]
    entry = made(
        "m0",
        "user",
        parse_message({"role": "user", "content": blocks}, "m0").blocks,
        provenance=Provenance("live", note=evil, model=evil, at=evil),
        meta={"role": evil, "model": evil, "name": evil, "timestamp": evil},
    )
    session = session_of(
        {"system": evil, "tools": [{"name": evil, "description": evil, "input_schema": evil}]}
    )
    told = repr([payload.card(entry, COUNTER), payload.head_card(session), payload.outline([entry])])
    assert "\\u202e" not in told
    assert "\\x1b" not in told
    assert "\\u200b" not in told
    assert "<U+202E>" in told


def test_a_card_of_three_thousand_blocks_gives_the_first() -> None:
    shown = card(*[{"type": "text", "text": str(i)} for i in range(3000)])
    assert (len(shown["strips"]), shown["more"]) == (payload.STRIPS, 3000 - payload.STRIPS)
    assert len(card(*[{"type": "text", "text": ""}] * 3, strips=2)["strips"]) == 2


def test_the_head_tells_no_system_prompt_from_an_empty_one() -> None:
    assert payload.head_card(session_of({}))["system"] is None
    assert payload.head_card(session_of({}))["tools"] is None
    empty = payload.head_card(session_of({"system": "", "tools": []}))
    assert [one["chars"] for one in empty["system"]] == [0]
    assert empty["tools"] == []
    assert payload.head_card(session_of({"system": [{"text": "a"}, 7]}))["system"][1]["kind"] == "other"


def test_a_tool_lists_its_parameters_or_shows_its_schema() -> None:
    said = {"type": "string", "description": "Path of a file."}
    schema = {"type": "object", "properties": {"path": said, "deep": {}}, "required": ["path"]}
    odd: tuple[Any, ...] = ({"type": "object"}, {"properties": {"a": True}}, "text", None)
    tools = [{"name": "x", "description": "d", "input_schema": one} for one in (schema, *odd)]
    shown = payload.head_card(session_of({"tools": tools}))["tools"]
    assert shown[0]["parameters"] == [["path", "string", "Path of a file."], ["deep", "any?", ""]]
    assert [tool["parameters"] for tool in shown[1:]] == [None] * 4
    assert shown[3]["schema"] == '"text"'


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ({"type": "text", "text": " a\n\tb "}, "a b"),
        ({"type": "tool_use", "id": "a", "name": "x", "input": {"path": "a.py"}}, "a.py"),
        ({"type": "tool_result", "tool_use_id": "a", "content": "ok\nno"}, "ok no"),
        ({"type": "thinking", "thinking": "hm"}, ""),
        ({"type": "hologram"}, "hologram"),
    ],
)
def test_a_folded_card_has_its_first_words(block: dict[str, Any], line: str) -> None:
    assert card(block)["line"] == line


def test_a_long_comparison_leaves_out_what_is_alike() -> None:
    shared = "\n".join(str(i) for i in range(20))
    shown = strip(
        {
            "type": "tool_use",
            "id": "a",
            "name": "Edit",
            "input": {"old_string": f"{shared}\na", "new_string": f"{shared}\nb"},
        }
    )
    assert [sign for sign, _ in shown["diff"]] == [" ", " ", " ", "…", " ", " ", " ", "-", "+"]
    assert shown["diff"][3][1] == "14 lines alike"


@settings(max_examples=60, deadline=None)
@given(strategies.sessions())
def test_every_message_has_a_card_with_a_strip_a_block(session: Any) -> None:
    entries: tuple[Message, ...] = session.messages
    for entry in entries:
        shown = payload.card(entry, COUNTER, strips=10_000)
        assert [one["uid"] for one in shown["strips"]] == [block.uid for block in entry.blocks]
        assert shown["tokens"] > 0


def test_a_block_of_no_kind_is_a_defect() -> None:
    with pytest.raises(TypeError):
        payload.strip(Block(uid="x"))
