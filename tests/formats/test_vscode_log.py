"""VS Code's log of changes to a chat: replayed when read, added to when edited."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tests.formats.log_lines import lines
from tests.formats.small_logs import SITUATIONS

CHAT = json.loads(SITUATIONS["vscode-rounds"][1])
FIRST, SECOND = CHAT["requests"]
LOG = lines(
    {"kind": 0, "v": {**CHAT, "requests": [{**FIRST, "response": []}]}},
    {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "I look."}]},
    {"kind": 2, "k": ["requests", 0, "response"], "i": 0, "v": FIRST["response"]},
    {"kind": 2, "k": ["requests"], "v": [{**SECOND, "response": [], "odd": 1}]},
    {"kind": 1, "k": ["requests", 1, "response"], "v": SECOND["response"]},
    {"kind": 3, "k": ["requests", 1, "odd"]},
)


def test_a_log_reads_as_the_chat_it_leads_to() -> None:
    reading = tape.read(LOG)
    assert (reading.format, reading.confidence) == ("vscode-chat", 3)
    session = reading.conversations[0].load()
    chat = tape.load(SITUATIONS["vscode-rounds"][1])
    assert [entry.heads for entry in session.messages] == [entry.heads for entry in chat.messages]
    assert session.notes == ()
    assert tape.dump(session).data == LOG


def test_an_edit_is_a_line_at_the_end() -> None:
    session = tape.apply(tape.load(LOG), from_json({"op": "replace", "target": "m2.0", "value": "b.txt"}))
    dumped = tape.dump(session)
    assert dumped.data.startswith(LOG)
    (added,) = [json.loads(line) for line in dumped.data[len(LOG) :].splitlines()]
    assert (added["kind"], added["k"]) == (1, ["requests", 0])
    assert tape.load(dumped.data).messages[2].blocks[0] == session.messages[2].blocks[0]


@pytest.mark.parametrize(
    "odd",
    [
        None,
        {"kind": 9},
        {"kind": 1, "k": []},
        {"kind": 1, "k": ["nowhere", 3], "v": 1},
        {"kind": 2, "k": ["sessionId"], "v": []},
        {"kind": 3, "k": ["requests", 99]},
    ],
)
def test_a_change_of_nothing_is_remarked(odd: Any) -> None:
    data = LOG + lines(odd)
    session = tape.load(data)
    assert len(session.messages) == 6
    assert [(note.where, note.kind) for note in session.notes] == [("line 7", "change-left-out")]
    assert tape.dump(session).data == data
