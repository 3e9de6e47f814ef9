"""Putting streams together: whole ones, odd ones, and those that break off."""

from __future__ import annotations

from typing import Any

import pytest

from tape.assembly import Answer, Assembly, InputPiece, TextPiece

START = {"type": "message_start", "message": {"id": "msg_1", "model": "m", "usage": {"input_tokens": 10}}}
STOP = [
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
    {"type": "message_stop"},
]


def opened(index: int, **block: Any) -> dict[str, Any]:
    """The start of a block."""
    return {"type": "content_block_start", "index": index, "content_block": block}


def grown(index: int, kind: str, **delta: Any) -> dict[str, Any]:
    """A piece of a block."""
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **delta}}


def closed(index: int) -> dict[str, Any]:
    """The end of a block."""
    return {"type": "content_block_stop", "index": index}


def answer(*events: dict[str, Any]) -> Answer:
    """What the events build."""
    assembly = Assembly()
    for event in events:
        assembly.feed(event)
    return assembly.answer()


HEL_LO = [
    opened(0, type="text", text=""),
    grown(0, "text_delta", text="Hel"),
    grown(0, "text_delta", text="lo"),
    closed(0),
]
HALF_A_CALL = [
    opened(1, type="tool_use", id="t", name="read_file", input={}),
    grown(1, "input_json_delta", partial_json='{"path": "ca'),
]


def test_b43_the_closing_event_does_not_wipe_out_the_text() -> None:
    ending = {**STOP[0], "delta": {"stop_reason": "end_turn", "content": []}}
    whole = answer(START, *HEL_LO, ending, STOP[1])
    assert whole.content == ({"type": "text", "text": "Hello"},)
    assert whole.usage is not None
    assert (whole.usage.input, whole.usage.output) == (10, 2)
    assert whole.complete


def test_b43_blocks_are_ordered_by_their_index() -> None:
    late = [opened(1, type="text", text=""), grown(1, "text_delta", text="!"), closed(1)]
    assert [b["text"] for b in answer(START, *late, *HEL_LO, *STOP).content] == ["Hello", "!"]


def test_an_interrupted_answer_keeps_its_text() -> None:
    partial = answer(START, *HEL_LO[:2])
    assert partial.content == ({"type": "text", "text": "Hel"},)
    assert not partial.complete


@pytest.mark.parametrize("ending", [[], [closed(1)], [closed(1), *STOP]])
def test_half_a_tool_input_is_never_kept(ending: list[dict[str, Any]]) -> None:
    assert answer(START, *HEL_LO, *HALF_A_CALL, *ending).content == ({"type": "text", "text": "Hello"},)


def test_unsigned_half_thinking_is_not_kept() -> None:
    thinking = [
        opened(0, type="thinking", thinking="", signature=""),
        grown(0, "thinking_delta", thinking="Hm"),
    ]
    assert answer(START, *thinking).content == ()


def test_a_server_that_forgets_to_open_a_block_is_understood() -> None:
    assert answer(START, grown(0, "text_delta", text="Hi"), closed(0), *STOP).content == (
        {"type": "text", "text": "Hi"},
    )


def test_unknown_blocks_and_deltas_pass_through_whole() -> None:
    odd = [opened(0, type="new_block", value=[1]), grown(0, "new_delta", value=2), closed(0)]
    assert answer(START, *odd, *STOP).content == ({"type": "new_block", "value": [1]},)


@pytest.mark.parametrize(
    "event",
    [{}, {"type": None}, {"type": "content_block_delta"}, {"type": "content_block_delta", "index": 0},
     {"type": "message_delta", "usage": [], "delta": "x"},
     {"type": "content_block_stop", "index": 7}],
)  # fmt: skip
def test_odd_events_are_passed_over(event: dict[str, Any]) -> None:
    assert Assembly().feed(event) is None
    assert answer(event, *HEL_LO, *STOP).content[0]["text"] == "Hello"


def test_a_start_without_a_message_still_begins_an_answer() -> None:
    assert answer({"type": "message_start", "message": 3}, *HEL_LO, *STOP).content[0]["text"] == "Hello"


def test_pieces_are_given_as_they_come() -> None:
    assembly = Assembly()
    pieces = [assembly.feed(event) for event in (START, *HEL_LO, *HALF_A_CALL)]
    assert TextPiece(0, "Hel") in pieces
    assert InputPiece(1, "read_file", '{"path": "ca') in pieces


def test_unknown_usage_is_not_zero() -> None:
    assert answer({"type": "message_start", "message": {}}, *HEL_LO).usage is None
