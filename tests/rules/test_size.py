"""The rules about sizes: requests, prompts, answers, pictures; and what depends on the model."""

from __future__ import annotations

import base64
import struct
from dataclasses import replace
from typing import Any

import pytest

from tape.capabilities import FILE, as_of, model_named, models
from tape.model import Call, Head, Message, Usage
from tape.rules import lint
from tape.wire import session_of
from tests.rules.lints import found, told
from tests.strategies import answer, assistant, call, user

GO = user("go")


def picture(width: int, height: int, bytes: int = 0) -> dict[str, Any]:
    """A block with the header of a PNG of this size, filled up to so many bytes."""
    head = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", width, height)
    data = base64.b64encode(head.ljust(bytes, b"\0")).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def images(*blocks: Any, endpoint: str = "anthropic", **body: Any) -> list[tuple[str, str, str]]:
    """What is found about pictures in one user message of these blocks."""
    return told(found([user(*blocks)], endpoint, **body), "too-many-images", "image-too-large")


@pytest.mark.parametrize(
    ("count", "model", "severity"),
    [
        (100, None, None),
        (101, None, "risky"),
        (601, None, "refused"),
        (101, "claude-haiku-4-5", "refused"),
        (101, "claude-opus-5-5", None),
        (601, "claude-opus-5-5", "refused"),
    ],
)
def test_how_many_pictures(count: int, model: str | None, severity: str | None) -> None:
    body = {"model": model} if model else {}
    found_here = images(*[picture(9, 9)] * count, **body)
    assert found_here == ([("too-many-images", severity, "messages[0][0]")] if severity else [])


def test_pictures_inside_results_count() -> None:
    result = answer("a", [picture(9, 9)] * 21)
    findings = lint(session_of({"messages": [GO, assistant(call("a")), user(result)]}), "bedrock")
    assert [f.uids for f in findings if f.code == "too-many-images"] == [("m2.0",)]


@pytest.mark.parametrize(
    ("shape", "many", "found_it"),
    [((8001, 10), 1, True), ((8000, 10), 1, False), ((2001, 10), 21, True), ((2000, 10), 21, False)],
)
def test_how_large_a_picture(shape: tuple[int, int], many: int, found_it: bool) -> None:
    found_here = images(picture(*shape), *[picture(9, 9)] * (many - 1))
    assert found_here == ([("image-too-large", "refused", "messages[0][0]")] if found_it else [])


def test_the_path_of_a_picture_in_a_result() -> None:
    result = answer("a", [{"type": "text", "text": "see"}, picture(2001, 9)])
    array = [user(*[picture(9, 9)] * 20), assistant(call("a")), user(result)]
    (finding,) = [f for f in found(array) if f.code == "image-too-large"]
    assert str(finding.vendor_text).startswith(
        "messages.2.content.0.tool_result.content.1.image.source.base64.data: At least one of the image"
    )


def test_how_heavy_a_picture() -> None:
    heavy = picture(9, 9, 8 * 1024 * 1024)
    assert images(heavy) == [("image-too-large", "refused", "messages[0][0]")]
    assert images(picture(9, 9, 4 * 1024 * 1024)) == []
    assert images(picture(9, 9, 4 * 1024 * 1024), endpoint="bedrock") == [
        ("image-too-large", "refused", "messages[0][0]")
    ]


def test_kinds_of_pictures() -> None:
    odd = picture(9, 9)
    odd["source"]["media_type"] = "image/tiff"
    assert images(odd) == [("image-too-large", "refused", "messages[0][0]")]


def test_a_request_has_32_megabytes() -> None:
    large = Message("m0", "user", (Head("text", "m0.0", chars=33 * 1024 * 1024),), ())
    summary = Message("m1", "user", (Head("text", "m1.0", chars=10),), (), meta={"compact_summary": True})
    base = replace(session_of({"messages": []}), format="claude-code")
    before = lint(replace(base, messages=(large,)))
    assert [f.code for f in before if f.severity == "refused"] == ["request-too-large"]
    assert "request-too-large" not in [f.code for f in lint(replace(base, messages=(large, summary)))]


def overflow(prompt: int, model: str, endpoint: str = "anthropic", **body: Any) -> list[tuple[str, str, str]]:
    """What is found about the window after a call with a prompt of so many tokens and an empty answer."""
    session = session_of({**body, "messages": [GO, assistant("x")]})
    recorded = Call("m1", model=model, usage=Usage(input=prompt, output=0))
    return told(lint(replace(session, calls=(recorded,)), endpoint, model), "context-overflow")


def test_the_window_of_the_model() -> None:
    over = [("context-overflow", "refused", "messages")]
    assert overflow(200_001, "claude-opus-4-5") == over
    assert overflow(200_000, "claude-opus-4-5") == []
    assert overflow(300_000, "claude-opus-5-5") == []
    assert overflow(9_000_000, "house-model") == []
    assert overflow(9_000_000, "gpt-4.1", "openai-chat") == over


def test_the_vendors_count() -> None:
    session = session_of({"messages": [GO, assistant("x")]})
    recorded = Call("m1", model="claude-opus-4-5", usage=Usage(input=213_462, output=0))
    (first, *_) = lint(replace(session, calls=(recorded,)))
    assert first.vendor_text == "prompt is too long: 213462 tokens > 200000 maximum"


def test_an_estimate_is_not_sure_near_the_window() -> None:
    near, far = "x" * 750_000, "x" * 900_000
    assert told(found([user(near)], model="claude-opus-4-5"), "context-overflow") == [
        ("context-overflow", "risky", "messages")
    ]
    assert told(found([user(far)], model="claude-opus-4-5"), "context-overflow") == [
        ("context-overflow", "refused", "messages")
    ]


def test_only_older_models_refuse_an_answer_that_would_not_fit() -> None:
    assert overflow(190_000, "claude-opus-4-1", max_tokens=20_000) == [
        ("context-overflow", "refused", "max_tokens")
    ]
    assert overflow(190_000, "claude-opus-4-5", max_tokens=20_000) == []


@pytest.mark.parametrize(
    ("asked", "model", "refused"),
    [
        (128_001, "claude-opus-5-5", True),
        (128_000, "claude-opus-5-5", False),
        (64_001, "claude-opus-4-5", True),
        (0, "claude-opus-5-5", False),
        (10**9, "house-model", False),
    ],
)
def test_the_cap_of_an_answer(asked: int, model: str, refused: bool) -> None:
    findings = told(found([GO], model=model, max_tokens=asked), "max-tokens-over-cap")
    assert findings == ([("max-tokens-over-cap", "refused", "max_tokens")] if refused else [])


@pytest.mark.parametrize("name", ["temperature", "top_p", "top_k"])
def test_how_to_sample_is_no_setting_any_more(name: str) -> None:
    assert told(found([GO], model="claude-opus-5-5", **{name: 1})) == [("sampling-params", "refused", name)]
    assert told(found([GO], model="claude-opus-4-5", **{name: 1})) == [("sampling-params", "risky", name)]
    assert told(found([GO], model="claude-opus-5-5")) == []
    assert told(found([GO], "openai-chat", model="gpt-4.1", **{name: 1})) == []


def test_every_row_of_the_data_file_has_a_source() -> None:
    assert FILE.is_file()
    assert len(as_of()) == len("2026-11-30")
    assert all(len(row.source) > 20 for row in models().values())


@pytest.mark.parametrize(
    ("written", "id"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("claude-opus-4-7[1m]", "claude-opus-4-7"),
        ("gemini-3.1-pro-preview", "gemini-3"),
        ("claude-opus-9", None),
        ("claude-opus-5-5-turbo", None),
        ("gpt-6-luna", None),
        (None, None),
    ],
)
def test_models_by_the_names_that_logs_write(written: str | None, id: str | None) -> None:
    row = model_named(written)
    assert (row.id if row else None) == id
