"""Acting characters are shown, not obeyed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.visible import json_escaped, one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("make clean \u202e# tset", "make clean <U+202E># tset"),
        ("\x1b[31mFAIL\x1b[0m", "<U+001B>[31mFAIL<U+001B>[0m"),
        ("pass\u200bword", "pass<U+200B>word"),
        ("\x9b2J", "<U+009B>2J"),
        ("a\U000e0041", "a<U+E0041>"),
        ("two\n\tlines", "two\n\tlines"),
        ("هذا نص عربي عادي", "هذا نص عربي عادي"),
        ("naïve – “quoted” 👩🏽 日本", "naïve – “quoted” 👩🏽 日本"),
    ],
)
def test_acting_characters_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_is_one_line() -> None:
    assert one_line("a\n\n\tb\r\nc\u2028d") == "a b<U+000D> c<U+2028>d"


@given(st.dictionaries(st.text(), st.text() | st.lists(st.text())))
def test_an_escaped_document_holds_the_same_values(value: object) -> None:
    document = json_escaped(json.dumps(value, ensure_ascii=False))
    assert json.loads(document) == value
    assert visible(document) == document
