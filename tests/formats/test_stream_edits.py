"""Edited Anthropic streams: the events of what was not edited keep their bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session, ToolUse
from tests.formats.test_anthropic_reading import events, stream

DATA = stream(events("hello"))


def edit(session: Session, **operation: Any) -> Session:
    return tape.apply(session, from_json(operation))


def changed(before: bytes, after: bytes) -> list[bytes]:
    """The lines of the new file that the old one did not have."""
    return [line for line in after.split(b"\n") if line not in before.split(b"\n")]


def test_new_words_are_told_by_the_first_delta() -> None:
    done = tape.dump(edit(tape.load(DATA), op="replace", target="m0.1", value="bye"))
    assert done.losses == ()
    again = tape.load(done.data).messages[0]
    assert again.text == "bye"
    assert [head.kind for head in again.heads] == ["thinking", "text", "tool_use"]
    assert len(changed(DATA, done.data)) == 1 + len("hello") - 1
    assert all(b"text_delta" in line for line in changed(DATA, done.data))


def test_a_new_input_and_name_are_told() -> None:
    value = {"type": "tool_use", "id": "t1", "name": "cat", "input": {"p": "ü"}}
    done = tape.dump(edit(tape.load(DATA), op="replace", target="m0.2", value=value))
    block = tape.load(done.data).messages[0].blocks[2]
    assert isinstance(block, ToolUse)
    assert (block.name, block.input) == ("cat", {"p": "ü"})
    assert done.losses == ()


def test_a_deleted_block_takes_its_events_along() -> None:
    done = tape.dump(edit(tape.load(DATA), op="delete", targets=["m0.1"]))
    assert changed(DATA, done.data) == []
    assert b"text_delta" not in done.data
    assert [head.kind for head in tape.load(done.data).messages[0].heads] == ["thinking", "tool_use"]


def test_a_deleted_response_takes_its_stream_along() -> None:
    both = stream(events("one") + events("two"))
    done = tape.dump(edit(tape.load(both), op="delete", targets=["m0"], partners=False))
    assert [entry.text for entry in tape.load(done.data).messages] == ["two"]
    assert both.endswith(done.data)


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ({"op": "append", "messages": [{"role": "user", "content": "on"}]}, "no-place"),
        ({"op": "insert", "into": "m0", "index": 0, "block": {"type": "text", "text": "x"}}, "no-place"),
        ({"op": "replace", "target": "m0.1", "value": {"type": "hologram"}}, "block-kept"),
        ({"op": "set_system", "system": "s"}, "no-place"),
    ],
)
def test_what_a_stream_cannot_tell_is_said(operation: dict[str, Any], kind: str) -> None:
    done = tape.dump(edit(tape.load(DATA), **operation))
    assert [note.kind for note in done.losses] == [kind]
    assert done.data == DATA


def test_lines_without_event_names_are_patched_too() -> None:
    data = "\n".join(map(json.dumps, events("hello"))).encode()
    done = tape.dump(edit(tape.load(data), op="replace", target="m0.1", value="bye"))
    assert tape.load(done.data).messages[0].text == "bye"
    assert len(done.data.split(b"\n")) == len(data.split(b"\n"))
