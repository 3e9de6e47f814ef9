"""Cut at any byte, flip any byte, drop or repeat any line: reading never raises and keeps the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tape
from tape.errors import UserError
from tests.formats.chats import ARRAY as CHAT
from tests.formats.chats import FUNCTION, PIECES, chunks
from tests.formats.chats import REPLY as ANSWER
from tests.formats.chats import stream as chat_stream
from tests.formats.test_anthropic_reading import ARRAY, REPLY, TOOL, events, stream
from tests.strategies import arrays

FILES: dict[str, bytes] = {
    "array": json.dumps(ARRAY).encode(),
    "request": json.dumps({"system": "s", "tools": [TOOL], "messages": ARRAY}, indent=1).encode(),
    "response": json.dumps(REPLY).encode(),
    "pairs": json.dumps([{"request": {"messages": ARRAY, "system": "s"}, "response": REPLY}]).encode(),
    "lines": "\n".join(map(json.dumps, ARRAY)).encode(),
    "stream": stream(events("hé") + events("llo")),
    "chat": json.dumps({"messages": CHAT, "tools": [FUNCTION], "response": ANSWER}).encode(),
    "chat-rows": "\n".join(json.dumps({"messages": CHAT, "n": i}) for i in range(3)).encode(),
    "chat-held": json.dumps({"messages": json.dumps(CHAT)}).encode(),
    "chat-stream": chat_stream(chunks(*PIECES)),
    "wrapped": json.dumps({"a": [{"b": CHAT}], "c": json.dumps({"d": ARRAY})}).encode(),
    "text": "## User\nhi é\n".encode(),
}


def survives(data: bytes) -> None:
    """Reads every conversation in every form that a person may ask of it."""
    try:
        reading = tape.read(data)
    except UserError:
        return
    for conversation in reading.conversations:
        session = conversation.load()
        assert tape.dump(session).data == data
        tape.threads(session)
        tape.turns(session)
        tape.lint(session)
        tape.request(session)
        for to in ("anthropic-messages", "openai-chat"):
            json.loads(tape.convert(session, to).data)


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_file_that_was_damaged_is_read(name: str, data: Any) -> None:
    whole = FILES[name]
    at = data.draw(st.integers(0, len(whole) - 1))
    match data.draw(st.sampled_from(["cut", "head", "flip", "drop", "repeat", "swap"])):
        case "cut":
            damaged = whole[:at]
        case "head":
            damaged = whole[at:]
        case "flip":
            damaged = whole[:at] + bytes([data.draw(st.integers(0, 255))]) + whole[at + 1 :]
        case kind:
            lines = whole.split(b"\n") if b"\n" in whole else whole.split(b",")
            i, j = data.draw(st.integers(0, len(lines) - 1)), data.draw(st.integers(0, len(lines) - 1))
            if kind == "drop":
                del lines[i]
            elif kind == "repeat":
                lines.insert(i, lines[i])
            else:
                lines[i], lines[j] = lines[j], lines[i]
            damaged = (b"\n" if b"\n" in whole else b",").join(lines)
    survives(damaged)


@pytest.mark.parametrize("name", ["array", "request", "lines", "chat", "stream"])
def test_a_file_cut_anywhere_keeps_the_messages_before_the_cut(name: str) -> None:
    whole = FILES[name]
    complete = tape.load(whole)
    most = 0
    for at in range(len(whole) // 2, len(whole), 7):
        session = tape.load(whole[:at])
        if session.format != complete.format:
            continue
        most = max(most, len(session.messages))
        assert len(session.messages) >= most - 1
        for before, entry in zip(session.messages[:-1], complete.messages, strict=False):
            assert before.heads == entry.heads
    assert most >= len(complete.messages) - 1


KEYS = (
    "role content type text id name input tool_calls function arguments messages choices message delta index "
    "usage request response body tool_use_id source data image_url url tools system error object "
    "output_tokens prompt_tokens reasoning_details function_call content_block uuid sessionId timestamp"
)
KINDS = (
    "text tool_use tool_result thinking image document message message_start error content_block_start "
    "content_block_delta content_block_stop message_delta message_stop image_url function redacted_thinking "
    "server_tool_use input_json_delta text_delta user assistant system"
)
VALUES = st.recursive(
    st.sampled_from(
        [None, True, 0, -1.5, 10**30, "", "user", "assistant", "tool", "x", "[{", "{}", "data:,"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=5)
    ),
    max_leaves=25,
)
TYPES = st.sampled_from(KINDS.split())


@settings(max_examples=200, deadline=None)
@given(value=VALUES, kind=TYPES, lines=st.booleans())
def test_any_json_is_read(value: Any, kind: str, lines: bool) -> None:
    typed = {**value, "type": kind} if isinstance(value, dict) else value
    held: Any = [
        value,
        typed,
        {"role": "user", "content": [typed, value]},
        {"role": "tool", "content": value},
    ]
    survives("\n".join(map(json.dumps, held)).encode() if lines else json.dumps(held).encode())
    survives(json.dumps({"messages": held}).encode())


@settings(max_examples=60, deadline=None)
@given(array=arrays(), request=st.booleans())
def test_any_array_is_read(array: Any, request: bool) -> None:
    survives(json.dumps({"system": "s", "messages": array} if request else array).encode())


@pytest.mark.parametrize("count", ["1e400", "-1e400", "NaN", "-1", "1.5", "true", '"x"', "[]", "9" * 30])
def test_any_token_count_is_read(count: str) -> None:
    for name, key in (("response", "input_tokens"), ("chat", "prompt_tokens")):
        text = FILES[name].decode()
        known = json.dumps({"response": 7, "chat": 12000}[name])
        survives(text.replace(f'"{key}": {known}', f'"{key}": {count}').encode())
