"""Counting with ``ctok`` where Python has it, and by characters, said so, where it has not."""

from __future__ import annotations

import sys
from threading import Event

import pytest

from tape.claude_counting import LONG, ClaudeCounter, can_count, count, error_said, family, installed
from tape.counting import Counter, Estimate
from tape.model import Session, Text, message
from tape.usage import usage
from tests.strategies import answer, assistant, call, session, text, user

NEWER = sys.version_info >= (3, 12)
CHAT = session(
    user("Is the add function correct?"),
    assistant(text("Let me look."), call("a", "read_file", {"path": "a.py"})),
    user(answer("a", "def add(a, b):\n    return a + b\n")),
    assistant("It is."),
    model="claude-opus-5-5",
    system="You are terse.",
)


@pytest.mark.parametrize(
    ("model", "version"),
    [
        ("claude-opus-4-6", "3.0"),
        ("claude-3-5-sonnet-20241022", "3.0"),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "3.0"),
        ("claude-opus-4-7", "4.7"),
        ("claude-opus-4-8", "4.8"),
        ("claude-sonnet-5", "4.8"),
        ("anthropic/claude-fable-5.2", "4.8"),
        ("gpt-5.4", None),
        ("gemini-3.1-pro-preview", None),
        (None, None),
    ],
)
def test_the_family_goes_by_model(model: str | None, version: str | None) -> None:
    assert family(model) == version
    assert can_count(model) == (version is not None and NEWER)


def test_it_is_there_from_python_3_12_on() -> None:
    assert (installed() is not None) == NEWER


def test_a_session_is_counted_or_left_to_its_characters() -> None:
    found = count(CHAT)
    rough = Counter(CHAT.model).session(CHAT)
    if not NEWER:
        assert found is None
        assert error_said(rough) == "± 25 % for going by characters"
        return
    assert found is not None
    assert (found.ratio, found.error, error_said(found)) == (False, None, "every message read")
    assert found.method.startswith("ctok 1.")
    assert found.messages[0] == 4 + 8
    assert 0.5 * rough.total < found.total < 2 * rough.total
    used = usage(CHAT, found)
    assert used.context_now == found.total
    assert (used.context_source, used.turns[0].usage.source) == ("estimated", "estimated")


def test_no_other_maker_is_counted_and_a_stop_is_heard() -> None:
    assert count(session(user("hi"), model="gpt-4.1")) is None
    told = Event()
    told.set()
    assert count(CHAT, told) is None


def test_an_estimate_that_is_given_takes_the_place_of_the_characters() -> None:
    given = Estimate(system=100, tools=0, messages=(10, 20, 30, 40), method="by hand", ratio=False, read=4)
    used = usage(CHAT, given)
    assert [turn.usage.prompt for turn in used.turns] == [110, 160]
    assert [turn.usage.output for turn in used.turns] == [20, 40]
    assert used.context_now == 200


@pytest.mark.parametrize("sign", ["word ", "A", "汉", "\ud800", "\x00"])
def test_long_texts_are_judged_by_their_parts(sign: str) -> None:
    body = sign * (LONG // len(sign) + LONG)
    entry = message("m0", "user", (Text(uid="m0.0", text=body),))
    found = count(Session((entry,), params={"model": "claude-opus-5"}))
    assert (found is not None) == NEWER
    if found is None:
        return
    assert found.in_parts
    part = ClaudeCounter("claude-opus-5").text(body[:LONG])
    assert found.messages[0] == pytest.approx(part * len(body) / LONG, rel=0.05)
    assert error_said(found) == "long texts judged by parts of them"
