"""Streams of chat completion chunks: put together, cut, edited."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Text, ToolUse
from tests.formats.chats import PIECES, chunks, stream


@pytest.mark.parametrize("write", [stream, lambda told: "\n".join(map(json.dumps, told)).encode()])
def test_a_stream_is_put_together(write: Callable[[Any], bytes]) -> None:
    data = write(chunks(*PIECES, finish="tool_calls"))
    session = tape.load(data)
    text, first, second = session.messages[0].blocks
    assert isinstance(text, Text)
    assert isinstance(first, ToolUse)
    assert isinstance(second, ToolUse)
    assert (text.text, first.id, first.input, second.name) == ("hello", "c1", {"p": "."}, "cat")
    assert session.calls[0].usage is not None
    assert (session.calls[0].usage.output, session.calls[0].stop_reason) == (7, "tool_calls")
    assert tape.dump(session).data == data


def test_servers_that_number_every_call_zero_are_understood() -> None:
    pieces = json.loads(json.dumps(PIECES).replace('"index": 1', '"index": 0'))
    blocks = tape.load(stream(chunks(*pieces))).messages[0].blocks
    assert [(b.id, b.arguments) for b in blocks if isinstance(b, ToolUse)] == [
        ("c1", '{"p": "."}'),
        ("c2", "{}"),
    ]


def test_several_streams_and_a_cut_one() -> None:
    told = chunks({"content": "one"}) + chunks({"content": "two"}, id="chatcmpl-2", finish=None)
    session = tape.load(stream(told))
    assert [entry.text for entry in session.messages] == ["one", "two"]
    assert "cut-stream" in [note.kind for note in session.notes]


def test_an_edited_stream_tells_the_new_words_in_its_first_piece() -> None:
    session = tape.load(stream(chunks(*PIECES)))
    after = tape.apply(session, from_json({"op": "replace", "target": "m0.0", "value": "bye"}))
    value = {"type": "tool_use", "id": "c1", "name": "ls", "input": {"p": "x"}}
    after = tape.apply(after, from_json({"op": "replace", "target": "m0.1", "value": value}))
    done = tape.dump(after)
    again = tape.load(done.data)
    assert again.messages[0].text == "bye"
    assert [b.input for b in again.messages[0].blocks if isinstance(b, ToolUse)] == [{"p": "x"}, {}]
    assert done.losses == ()


def test_an_error_in_a_stream_is_an_aside_and_no_empty_message() -> None:
    told = [{"error": {"type": "server_error", "message": "busy"}}, *chunks({"content": "x"})[:0]]
    session = tape.load(stream([*chunks({"content": "x"}, finish=None), *told]))
    assert len(session.messages) == 1
    assert [(aside.kind, aside.text) for aside in session.asides] == [("api-error", "server_error: busy")]
