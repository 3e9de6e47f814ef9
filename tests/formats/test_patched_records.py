"""What must hold for every format whose records are patched: bytes kept, edits in place, and read again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tape
from tape.edits import from_json
from tape.formats.cline import RESULT
from tape.model import Session, Text, ToolResult
from tests.formats import (
    agent_logs,
    autogen_files,
    export_files,
    gemini_files,
    inspect_files,
    langchain_files,
    langsmith_files,
    mux_files,
    provider_files,
    pydantic_ai_files,
    training_files,
    vercel_files,
)
from tests.formats.laws import edited, flat

SITUATIONS = (
    agent_logs.SITUATIONS
    | provider_files.SITUATIONS
    | export_files.SITUATIONS
    | inspect_files.SITUATIONS
    | gemini_files.SITUATIONS
    | training_files.SITUATIONS
    | vercel_files.SITUATIONS
    | pydantic_ai_files.SITUATIONS
    | mux_files.SITUATIONS
    | autogen_files.SITUATIONS
    | langchain_files.SITUATIONS
    | langsmith_files.SITUATIONS
)
NAMES = sorted(SITUATIONS)
EACH = pytest.mark.parametrize("name", NAMES)


def opened(name: str) -> tuple[Session, bytes]:
    """A situation, which must be recognized by a marker or by its structure."""
    format, data = SITUATIONS[name]
    reading = tape.read(data)
    assert (reading.format, reading.confidence >= 2) == (format, True)
    return reading.conversations[0].load(), data


def plain(session: Session) -> list[Any]:
    """The array as one list of blocks; that a result is no error may be said or not, and its words may stand
    alone or as the one item of a list."""
    found = []
    for role, block in flat(session):
        value = json.loads(block)
        if isinstance(value, dict) and value.get("type") == "tool_result":
            content = value.get("content")
            if value.get("is_error") is False:
                del value["is_error"]
            if isinstance(content, list) and [one.get("type") for one in content] == ["text"]:
                value["content"] = content[0]["text"]
        found.append((role, value))
    return found


@EACH
def test_an_untouched_file_is_byte_equal(name: str) -> None:
    session, data = opened(name)
    assert session.messages
    assert tape.dump(session).data == data


@EACH
def test_heads_say_what_the_blocks_are(name: str) -> None:
    session, _ = opened(name)
    for entry in session.messages:
        assert tuple(block.uid for block in entry.blocks) == tuple(head.uid for head in entry.heads)
        assert entry.with_blocks(entry.blocks).heads == entry.heads


@EACH
def test_new_words_change_only_the_values_that_held_the_old_ones(name: str) -> None:
    session, data = opened(name)
    for entry in session.messages:
        for block in entry.blocks:
            if not isinstance(block, Text | ToolResult) or not block.text or block.text not in data.decode():
                continue
            old = block.text
            changed = tape.apply(
                session, from_json({"op": "replace", "target": block.uid, "value": "Nové <words>"})
            )
            dumped = tape.dump(changed)
            if RESULT.match(old) and dumped.losses:
                continue  # the words made a result of what stands behind them
            assert {note.kind for note in dumped.losses} <= {"copies-left"}
            mended = dumped.data.decode().replace("Nové <words>", old)
            mended = mended.replace("Nov\\u00e9 <words>", old)
            assert mended == data.decode()


@EACH
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_was_edited_is_read_again_or_the_difference_is_said(name: str, data: st.DataObject) -> None:
    session, _ = opened(name)
    changed = data.draw(edited(session))
    dumped = tape.dump(changed)
    if dumped.losses or not dumped.data.strip() or not changed.messages:
        return
    again = tape.load(dumped.data, format=changed.format)
    assert plain(again) == plain(changed)
    assert again.system == changed.system


@EACH
def test_deleting_each_message_takes_it_out_or_says_why_not(name: str) -> None:
    session, data = opened(name)
    for entry in session.messages:
        operation = from_json({"op": "delete", "targets": [entry.uid], "partners": True})
        changed = tape.apply(session, operation)
        dumped = tape.dump(changed)
        if dumped.losses or not changed.messages:
            continue
        assert dumped.data != data
        assert plain(tape.load(dumped.data, format=changed.format)) == plain(changed)
