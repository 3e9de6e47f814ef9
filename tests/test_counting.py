"""Estimates: by kind of content and model, pictures by their size, and never by the length of base64."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Picture

from tape.counting import IMAGE, Counter
from tape.image_size import size, size_of_base64
from tape.model import Session, Text, ToolSpec, message
from tests.strategies import answer, assistant, call, session, text, user

NEW, OLD = "claude-opus-5-5", "claude-opus-4-5"


def picture(width: int, height: int, kind: str = "PNG", **how: Any) -> bytes:
    """A small file of a picture of this size."""
    out = io.BytesIO()
    Picture.new("RGB", (width, height)).save(out, kind, **how)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "how"), [("PNG", {}), ("JPEG", {}), ("GIF", {}), ("WEBP", {}), ("WEBP", {"lossless": True})]
)
@pytest.mark.parametrize("shape", [(1, 1), (640, 48), (1200, 1600)])
def test_the_size_is_read_from_the_header(kind: str, how: dict[str, Any], shape: tuple[int, int]) -> None:
    assert size(picture(*shape, kind, **how)) == shape


def test_a_jpeg_with_a_long_first_segment() -> None:
    assert size(picture(300, 200, "JPEG", comment=b"x" * 60_000)) == (300, 200)


@given(st.binary(max_size=64), st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"GIF8", b"RIFF", b""]))
def test_a_broken_header_is_no_size(rest: bytes, start: bytes) -> None:
    found = size(start + rest)
    assert found is None or min(found) > 0


@pytest.mark.parametrize("data", ["", "!!!!", "iVBORw0KGgo=", "éé"])
def test_what_is_no_picture_has_no_size(data: str) -> None:
    assert size_of_base64(data) is None


@pytest.mark.parametrize(
    ("model", "shape", "tokens"),
    [
        (NEW, (28, 28), 1),
        (NEW, (280, 281), 110),
        (NEW, (2576, 2576), 4784),
        (OLD, (1568, 784), 1568),
        (OLD, (10_000, 28), 56),
        (None, (8000, 8000), 1568),
    ],
)
def test_pictures_by_size(model: str | None, shape: tuple[int, int], tokens: int) -> None:
    assert Counter(model).pixels(*shape) == tokens


def test_the_ratio_goes_by_model_and_kind() -> None:
    words = "abcd" * 250
    counts = [Counter(m).text(words) for m in (NEW, OLD, "gpt-5.6-sol", "house-model-7b", None)]
    assert counts == [400, 295, 250, 286, 286]
    made = session(assistant(call("a", "ls", {"q": words})), user(answer("a", words)), user(words))
    tokens = Counter("gpt-4.1").session(made).messages
    assert tokens[1] > tokens[2]
    assert tokens[0] > tokens[1]


def test_everything_a_request_sends_is_counted() -> None:
    made = session(
        user("hello there"),
        system="You are terse. " * 20,
        tools=[{"name": "ls", "description": "lists", "input_schema": {"type": "object"}}],
        model="claude-opus-5",
    )
    found = Counter(made.model).session(made)
    assert found.system == 4 + 120
    assert found.tools > 286
    assert found.total == found.system + found.tools + sum(found.messages)
    forced = session(user("x"), tools=[{"name": "ls"}], tool_choice={"type": "any"}, model="claude-opus-5")
    free = session(user("x"), tools=[{"name": "ls"}], model="claude-opus-5")
    assert Counter("claude-opus-5").tools(forced) - Counter("claude-opus-5").tools(free) == 120


def test_nothing_is_zero_only_where_nothing_is() -> None:
    found = Counter().session(Session(()))
    assert (found.system, found.tools, found.messages, found.total) == (0, 0, (), 0)
    assert Counter().tools(Session((), tools=(ToolSpec("ls"),))) > 0


def test_a_big_session_is_judged_by_a_sample() -> None:
    words = "some words that stand for prose " * 700
    messages = tuple(
        message(
            f"m{i}",
            "user" if i % 2 else "assistant",
            (Text(uid=f"m{i}.0", text=words[: 20_000 if i % 2 else 500]),),
        )
        for i in range(400)
    )
    counter = Counter(NEW)
    found = counter.messages(messages)
    exact = [counter.message(m) for m in messages]
    assert found.read < len(messages)
    assert found.error is not None
    assert abs(sum(found.tokens) - sum(exact)) < 0.05 * sum(exact)


def test_a_picture_without_a_header_gets_a_bounded_middle() -> None:
    block = {"type": "image", "source": {"type": "url", "url": "https://pictures.invalid/a.png"}}
    assert Counter().session(session(user(block))).messages == (4 + IMAGE,)
    real = {"type": "image", "source": {"type": "base64", "media_type": "image/png",
            "data": base64.b64encode(picture(56, 28)).decode()}}  # fmt: skip
    assert Counter().session(session(user(real, text("")))).messages == (4 + 2,)
