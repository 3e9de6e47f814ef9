"""The order and the shapes of the events that a stream sends."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tape.assembly import Assembly
from tape.endpoint.stream import encode, events

MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "any",
    "content": [
        {"type": "thinking", "thinking": "First look.", "signature": "c2ln"},
        {"type": "text", "text": "I will look."},
        {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "calc.py", "é": [1]}},
        {"type": "tool_use", "id": "toolu_2", "name": "list_files", "input": {}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 10, "output_tokens": 25},
}


def test_the_events_come_in_the_order_of_the_api() -> None:
    kinds = [event["type"] for event in events(MESSAGE)]
    changes = [kind for n, kind in enumerate(kinds) if n == 0 or kinds[n - 1] != kind]
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    first = [block[0], "ping", *block[1:]]
    assert changes == ["message_start", *first, *block, *block, *block, "message_delta", "message_stop"]


def test_blocks_start_empty_and_grow_by_their_own_deltas() -> None:
    all_events = list(events(MESSAGE))
    starts = [event["content_block"] for event in all_events if event["type"] == "content_block_start"]
    assert [start.get("text", start.get("thinking", start.get("input"))) for start in starts] == [
        "",
        "",
        {},
        {},
    ]
    deltas = [(e["index"], e["delta"]["type"]) for e in all_events if e["type"] == "content_block_delta"]
    assert list(dict.fromkeys(deltas)) == [
        (0, "thinking_delta"),
        (0, "signature_delta"),
        (1, "text_delta"),
        (2, "input_json_delta"),
        (3, "input_json_delta"),
    ]
    assert deltas.index((0, "signature_delta")) == deltas.index((1, "text_delta")) - 1


def test_the_opening_has_no_stop_reason_and_the_ending_has_the_usage() -> None:
    opening, *_, delta, _ = events(MESSAGE)
    assert opening["message"]["content"] == []
    assert opening["message"]["stop_reason"] is None
    assert opening["message"]["usage"]["input_tokens"] == 10
    assert delta == {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"input_tokens": 10, "output_tokens": 25},
    }


def test_an_event_is_two_lines_and_an_empty_one() -> None:
    lines = encode({"type": "ping", "text": "a\nb\u2028"}).decode().split("\n")
    assert lines[0] == "event: ping"
    assert json.loads(lines[1].removeprefix("data: ")) == {"type": "ping", "text": "a\nb\u2028"}
    assert lines[2:] == ["", ""]


blocks = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, st.text(min_size=1)),
    st.builds(
        lambda value: {"type": "tool_use", "id": "t", "name": "n", "input": value},
        st.dictionaries(st.text(max_size=5), st.text(max_size=30) | st.integers() | st.none()),
    ),
)


@given(st.lists(blocks, max_size=4))
def test_the_pieces_put_together_are_the_message(content: list[dict[str, Any]]) -> None:
    assembly = Assembly()
    for event in events({**MESSAGE, "content": content}):
        assembly.feed(event)
    assert list(assembly.answer().content) == content
    assert assembly.answer().complete
