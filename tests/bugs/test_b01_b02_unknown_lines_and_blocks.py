"""B01, B02: bookkeeping lines, attachments and blocks of types that nobody knows take nothing down."""

from __future__ import annotations

import tape
from tape.model import Other
from tests.formats.claude_code_lines import jsonl, shape

USER = {"type": "user", "message": {"role": "user", "content": "hi"}, "uuid": "1", "sessionId": "s1"}
REPLY = {"type": "text", "text": "hello"}


def assistant(*content: object) -> dict[str, object]:
    message = {"role": "assistant", "id": "m1", "content": list(content)}
    return {"type": "assistant", "message": message, "uuid": "2", "sessionId": "s1"}


def test_b01_a_line_of_an_unknown_type_is_kept_and_not_shown() -> None:
    data = jsonl(USER, {"type": "zz-latch", "zz": "", "sessionId": "s1"}, assistant(REPLY))
    session = tape.load(data)
    assert shape(session) == [("user", ["hi"]), ("assistant", ["hello"])]
    assert [(note.where, note.text) for note in session.notes] == [
        ("line 2", "1 record of unknown type 'zz-latch' (line 2) kept, not shown.")
    ]
    assert session.report is not None
    assert session.report.unknown == {"zz-latch": (2,)}
    assert tape.dump(session).data == data


def test_b01_many_lines_of_one_type_are_one_note() -> None:
    data = jsonl(USER, *[{"type": "zz-latch", "n": n} for n in range(9)], assistant(REPLY))
    (note,) = tape.load(data).notes
    assert note.text == "9 records of unknown type 'zz-latch' (line 2, 3, 4, 5, 6 …) kept, not shown."


def test_b02_an_unknown_attachment_and_block_stay_where_they_are() -> None:
    attachment = {"type": "attachment", "attachment": {"type": "parade_float", "n": 1}}
    data = jsonl(USER, attachment, assistant(REPLY, {"type": "hologram", "payload": {"x": 1}}))
    session = tape.load(data)
    assert [entry.role for entry in session.messages] == ["user", "assistant"]
    hologram = session.messages[1].blocks[1]
    assert isinstance(hologram, Other)
    assert (hologram.type, hologram.value) == ("hologram", {"type": "hologram", "payload": {"x": 1}})
    assert [(note.where, note.kind) for note in session.notes] == [
        ("line 2", "unknown-record"),
        ("messages[1].content[1]", "unknown-block"),
    ]
    assert tape.dump(session).data == data
