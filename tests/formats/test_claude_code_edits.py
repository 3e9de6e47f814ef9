"""Edited Claude Code sessions: only the lines that an edit names change, and parents stay linked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tape
from tape.edits import from_json
from tape.errors import UserError
from tape.model import Session
from tests.formats.claude_code_lines import Chain, shape, text, use


def sample() -> Chain:
    """Every shape that a line can have, with parallel calls, an aside in the chain and a left branch."""
    chain = Chain(cwd="/srv/x", version="2.1.144")
    chain.add("attachment", attachment={"type": "skill_listing", "content": "x"})
    root = chain.user("read both files")
    chain.reply("m1", {"type": "thinking", "thinking": "both", "signature": "c2ln"})
    first = chain.reply("m1", use("a", path="a.py"))
    chain.result("a", "alpha", toolUseResult={"stdout": "alpha\n", "stderr": ""}, parent=first)
    second = chain.reply("m1", use("b", path="b.py"), parent=first)
    chain.result(
        "b", [text("beta"), text("more")], toolUseResult={"type": "text", "file": {"lines": 2}}, parent=second
    )
    chain.add("system", subtype="turn_duration")
    chain.add("attachment", attachment={"type": "queued_command", "prompt": "and c.py?"})
    chain.reply("m2", text("c.py is missing"), stop="end_turn")
    chain.plain(type="last-prompt", lastPrompt="and c.py?", sessionId=chain.session)
    chain.user("left", parent=chain.last)
    chain.user([text("<system-reminder>r</system-reminder>"), text("thanks")], parent=chain.lines[-3]["uuid"])
    chain.reply("m3", text("bye"))
    assert root
    return chain


DATA = sample().bytes()


def edited(*operations: dict[str, Any], data: bytes = DATA) -> tuple[Session, list[str], tuple[Any, ...]]:
    """The session after the operations, the lines of its file, and the losses."""
    session = tape.load(data)
    for operation in operations:
        session = tape.apply(session, from_json(operation))
    dumped = tape.dump(session)
    return session, dumped.data.decode().splitlines(keepends=True), dumped.losses


def changed(lines: list[str], data: bytes = DATA) -> dict[int, str]:
    """The lines that differ, by number from 0, where no line came or went."""
    before = data.decode().splitlines(keepends=True)
    return {i: now for i, (old, now) in enumerate(zip(before, lines, strict=True)) if old != now}


def same_array(session: Session, lines: list[str]) -> None:
    again = tape.load("".join(lines).encode())
    assert shape(again) == shape(session)


def test_the_sample_reads_as_it_should() -> None:
    session = tape.load(DATA)
    assert [words for _, words in shape(session)] == [
        ["read both files"],
        ["thinking", "use:a", "use:b"],
        ["res:a", "res:b"],
        ["and c.py?"],
        ["c.py is missing"],
        ["<system-reminder>r</system-reminder>", "thanks"],
        ["bye"],
    ]
    assert len(session.branches) == 1


@pytest.mark.parametrize(
    ("target", "value", "line", "old", "new"),
    [
        ("m0", "read one file", 1, "read both files", "read one file"),
        ("m3", "and d.py?", 8, "and c.py?", "and d.py?"),
        ("m4.0", "it is there", 9, "c.py is missing", "it is there"),
        ("m5.1", "thank you", 12, "thanks", "thank you"),
        (
            "m1.1",
            {"type": "tool_use", "id": "a", "name": "Read", "input": {"path": "z.py"}},
            3,
            "a.py",
            "z.py",
        ),
    ],
)
def test_an_edited_text_changes_that_value_and_no_other_byte(
    target: str, value: Any, line: int, old: str, new: str
) -> None:
    session, lines, losses = edited({"op": "replace", "target": target, "value": value})
    before = DATA.decode().splitlines(keepends=True)
    assert changed(lines) == {line: before[line].replace(old, new)}
    assert losses == ()
    same_array(session, lines)


def test_the_copy_of_a_result_is_changed_in_step() -> None:
    _, lines, losses = edited({"op": "replace", "target": "m2.0", "value": "omega"})
    (line,) = changed(lines).values()
    value = json.loads(line)
    assert value["message"]["content"][0]["content"] == "omega"
    assert value["toolUseResult"] == {"stdout": "omega", "stderr": ""}
    assert losses == ()


def test_a_copy_in_another_shape_is_named() -> None:
    value = {"type": "tool_result", "tool_use_id": "b", "content": [text("gamma"), text("more")]}
    _, lines, losses = edited({"op": "replace", "target": "m2.1", "value": value})
    assert list(changed(lines)) == [6]
    assert [(note.where, note.kind) for note in losses] == [("messages[2]", "copy-left")]


@pytest.mark.parametrize("kept", [["stdout"], ["Error: alpha"]])
def test_error_texts_are_copies_too(kept: list[str]) -> None:
    chain = Chain()
    chain.reply("m1", use("a"))
    chain.result("a", "no such file", is_error=True, toolUseResult="Error: no such file")
    _, lines, losses = edited({"op": "replace", "target": "m1.0", "value": "no"}, data=chain.bytes())
    assert json.loads(lines[1])["toolUseResult"] == "Error: no"
    assert losses == ()


def test_a_deleted_message_takes_its_lines_and_its_children_hang_higher() -> None:
    session, lines, losses = edited({"op": "delete", "targets": ["m4"]})
    values = [json.loads(line) for line in lines]
    before = [json.loads(line) for line in DATA.decode().splitlines()]
    assert len(values) == len(before) - 1
    parents = {value["uuid"]: value["parentUuid"] for value in values if "uuid" in value}
    assert parents[before[11]["uuid"]] == parents[before[12]["uuid"]] == before[8]["uuid"]
    untouched = [
        line for i, line in enumerate(DATA.decode().splitlines(keepends=True)) if i not in (9, 11, 12)
    ]
    assert [line for i, line in enumerate(lines) if i not in (10, 11)] == untouched
    assert losses == ()
    same_array(session, lines)


def test_an_inserted_message_is_a_line_like_those_around_it() -> None:
    session, lines, losses = edited(
        {"op": "insert", "at": 4, "message": {"role": "user", "content": "ünd d.py?"}}
    )
    before = DATA.decode().splitlines(keepends=True)
    made = json.loads(lines[9])
    assert lines[9] == json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n"
    assert list(made) == [k for k in json.loads(before[6]) if k not in ("toolUseResult",)]
    assert (made["parentUuid"], made["cwd"], made["timestamp"]) == (
        json.loads(before[8])["uuid"],
        "/srv/x",
        json.loads(before[8])["timestamp"],
    )
    assert json.loads(lines[10])["parentUuid"] == made["uuid"]
    assert lines[:9] == before[:9]
    assert lines[11:] == before[10:]
    assert losses == ()
    same_array(session, lines)


def test_the_same_edit_gives_the_same_bytes() -> None:
    insert = {"op": "insert", "at": 1, "message": {"role": "user", "content": "x"}}
    assert edited(insert)[1] == edited(insert)[1]


def test_ids_of_lines_made_in_an_earlier_edit_are_not_used_again() -> None:
    insert = {"op": "insert", "at": 1, "message": {"role": "user", "content": "x"}}
    once = "".join(edited(insert)[1]).encode()
    session, lines, _ = edited(insert, data=once)
    uuids = [json.loads(line).get("uuid") for line in lines]
    assert len(set(uuids)) == len(uuids)
    same_array(session, lines)


def test_a_reply_is_inserted_as_one_line_a_block() -> None:
    blocks = [text("let me see"), use("n", path="n.py")]
    session, lines, losses = edited(
        {"op": "append", "messages": [{"role": "assistant", "content": blocks}]},
        {
            "op": "append",
            "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "n"}]}],
        },
    )
    made = [json.loads(line) for line in lines[-3:]]
    assert [value["message"]["content"] for value in made[:2]] == [[blocks[0]], [blocks[1]]]
    assert made[0]["message"]["id"] == made[1]["message"]["id"]
    assert [value["message"].get("stop_reason") for value in made] == [None, "tool_use", None]
    assert [value["parentUuid"] for value in made[1:]] == [value["uuid"] for value in made[:2]]
    assert losses == ()
    same_array(session, lines)


def test_a_new_block_of_a_reply_is_a_line_of_its_response() -> None:
    session, lines, losses = edited({"op": "insert", "into": "m1", "index": 1, "block": text("both, then")})
    made = json.loads(lines[3])
    assert made["message"]["id"] == "m1"
    assert made["message"]["content"] == [text("both, then")]
    assert json.loads(lines[4])["parentUuid"] == made["uuid"]
    assert losses == ()
    same_array(session, lines)


def test_a_block_goes_with_its_line_or_out_of_it() -> None:
    session, lines, _ = edited({"op": "delete", "targets": ["m1.2"]}, {"op": "delete", "targets": ["m5.0"]})
    before = DATA.decode().splitlines(keepends=True)
    assert len(lines) == len(before) - 2
    assert json.loads(lines[-2])["message"]["content"] == [text("thanks")]
    same_array(session, lines)


def test_a_moved_message_takes_its_own_bytes_along() -> None:
    session, lines, losses = edited({"op": "move", "target": "m3", "to": 5})
    moved = json.loads(DATA.decode().splitlines()[8])
    now = [json.loads(line) for line in lines]
    at = next(i for i, value in enumerate(now) if value.get("uuid") == moved["uuid"])
    assert {**now[at], "parentUuid": None} == {**moved, "parentUuid": None}
    assert losses == ()
    same_array(session, lines)


def test_what_the_order_of_lines_cannot_say_is_a_loss() -> None:
    _, _, losses = edited({"op": "move", "target": "m2", "to": 5})
    assert [(note.where, note.kind) for note in losses] == [("messages[2]", "order-not-kept")]


def test_a_system_prompt_and_tools_have_no_place_in_the_file() -> None:
    _, lines, losses = edited(
        {"op": "set_system", "system": "Be brief."},
        {"op": "set_tools", "tools": [{"name": "x", "input_schema": {}}]},
    )
    assert changed(lines) == {}
    assert [note.kind for note in losses] == ["system-left-out", "tools-left-out"]


def test_an_edit_undone_by_another_leaves_no_trace() -> None:
    _, lines, losses = edited(
        {"op": "replace", "target": "m4.0", "value": "x"},
        {"op": "replace", "target": "m4.0", "value": "c.py is missing"},
    )
    assert (changed(lines), losses) == ({}, ())


def test_a_deleted_line_that_stood_there_twice_does_not_come_back() -> None:
    chain = Chain()
    chain.user("hi")
    chain.user("again", uuid="same")
    chain.user("again", uuid="same", parent=chain.lines[0]["uuid"])
    chain.reply("m1", text("ok"))
    session, lines, losses = edited({"op": "delete", "targets": ["m1"]}, data=chain.bytes())
    assert len(lines) == 2
    assert losses == ()
    same_array(session, lines)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("final", [True, False])
def test_line_ends_and_marks_are_kept(newline: str, bom: bytes, final: bool) -> None:
    data = bom + DATA.replace(b"\n", newline.encode())
    data = data if final else data.removesuffix(newline.encode())
    assert tape.dump(tape.load(data)).data == data
    session = tape.apply(tape.load(data), from_json({"op": "replace", "target": "m0", "value": "x"}))
    assert tape.dump(session).data == data.replace(b"read both files", b"x", 1)


def test_a_document_of_the_web_is_patched_in_place() -> None:
    lines = [json.loads(line) for line in DATA.splitlines()]
    data = json.dumps({"loglines": lines, "ordinal": 1}, indent=2, ensure_ascii=False).encode()
    session = tape.load(data)
    for operation in (
        {"op": "replace", "target": "m0", "value": "x"},
        {"op": "delete", "targets": ["m4"]},
        {"op": "append", "messages": [{"role": "user", "content": "more"}]},
    ):
        session = tape.apply(session, from_json(operation))
    dumped = tape.dump(session)
    assert dumped.losses == ()
    assert dumped.data.startswith(b'{\n  "loglines": [\n    {\n      "parentUuid": null,')
    again = tape.load(dumped.data)
    assert shape(again) == shape(session)
    assert json.loads(dumped.data)["ordinal"] == 1


TARGETS = st.sampled_from(
    ["m0", "m1", "m1.0", "m1.1", "m1.2", "m2", "m2.0", "m2.1", "m3", "m4", "m4.0", "m5.1", "m6"]
)
MESSAGES = st.sampled_from(
    [
        {"role": "user", "content": "new"},
        {"role": "assistant", "content": [text("new"), use("n")]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "n", "content": "new"}]},
    ]
)
OPERATIONS = st.one_of(
    st.builds(
        lambda t, v: {"op": "replace", "target": t, "value": v},
        TARGETS,
        st.sampled_from(["", "new", "ä\u2028"]),
    ),
    st.builds(lambda t, p: {"op": "delete", "targets": [t], "partners": p}, TARGETS, st.booleans()),
    st.builds(lambda i, m: {"op": "insert", "at": i, "message": m}, st.integers(0, 7), MESSAGES),
    st.builds(
        lambda t, i: {"op": "move", "target": t, "to": i},
        st.sampled_from(["m0", "m3", "m4", "m6"]),
        st.integers(0, 6),
    ),
    st.builds(
        lambda t, i: {"op": "insert", "into": t, "index": i, "block": text("new")}, TARGETS, st.integers(0, 2)
    ),
)


def named(session: Session, operation: dict[str, Any], after: Session) -> set[int]:
    """The records of the messages that an operation changed, took away, moved, or moved another over."""
    now = {entry.uid: entry for entry in after.messages}
    found = [entry for entry in session.messages if now.get(entry.uid) is not entry]
    if operation["op"] == "move":
        places = [
            next(i for i, m in enumerate(one.messages) if m.uid == operation["target"])
            for one in (session, after)
        ]
        found += session.messages[min(places) : max(places) + 1]
    return {record for entry in found for record in entry.records}


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(OPERATIONS)
def test_an_operation_changes_only_lines_of_the_messages_it_names(operation: dict[str, Any]) -> None:
    session = tape.load(DATA)
    try:
        after = tape.apply(session, from_json(operation))
    except UserError:
        return
    dumped = tape.dump(after)
    before = DATA.decode().split("\n")
    touched = named(session, operation, after)
    expected = [_without_parent(line) for i, line in enumerate(before) if i not in touched]
    left = iter(_without_parent(line) for line in dumped.data.decode().split("\n"))
    assert all(line in left for line in expected), operation
    if not dumped.losses:
        assert shape(tape.load(dumped.data)) == shape(after)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(OPERATIONS, max_size=4))
def test_every_line_hangs_on_one_that_is_there(operations: list[dict[str, Any]]) -> None:
    session = tape.load(DATA)
    for operation in operations:
        try:
            session = tape.apply(session, from_json(operation))
        except UserError:
            continue
    values = [json.loads(line) for line in tape.dump(session).data.splitlines()]
    uuids = {value.get("uuid") for value in values}
    for value in values:
        if "parentUuid" in value:
            assert value["parentUuid"] is None or value["parentUuid"] in uuids


def _without_parent(line: str) -> str:
    if not line.startswith('{"parentUuid":'):
        return line
    return json.dumps({**json.loads(line), "parentUuid": None})
