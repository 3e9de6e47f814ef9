"""Broken and hostile Claude Code files: nothing raises, nothing is lost, one sentence says what is odd."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tape
from tests.formats.claude_code_lines import Chain, jsonl, shape, text, use


def small() -> Chain:
    chain = Chain()
    chain.user("go")
    chain.reply("m1", use("a"))
    chain.result("a", "fine")
    chain.reply("m2", text("done"))
    return chain


WORDS = [["go"], ["use:a"], ["res:a"], ["done"]]


def read(data: bytes) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """The words of the array and the notes, after checking that the bytes come back."""
    session = tape.load(data)
    assert session.format == "claude-code"
    assert tape.dump(session).data == data
    return [words for _, words in shape(session)], [(note.where, note.kind) for note in session.notes]


def test_a_torn_last_line_is_kept_and_named() -> None:
    whole = small().bytes()
    data = whole + whole.splitlines()[1][:60]
    assert read(data) == (WORDS, [("line 5", "torn-record")])


def test_a_broken_line_in_the_middle_takes_no_neighbor_along() -> None:
    lines = small().bytes().splitlines(keepends=True)
    data = b"".join([*lines[:2], b'{"type":"user","message":{"role":\n', *lines[2:]])
    words, notes = read(data)
    assert (words, notes) == (WORDS, [("line 3", "broken-record")])
    session = tape.load(data)
    assert [(a.kind, a.after) for a in session.asides] == [("broken", "m1")]
    assert session.report is not None
    assert session.report.broken == (3,)


def test_two_lines_glued_together_are_two() -> None:
    lines = small().bytes().splitlines()
    data = lines[0] + b"\n" + lines[1] + lines[2] + b"\n" + lines[3] + b"\n"
    assert read(data) == (WORDS, [])


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\u0000", "\ufeff"])
def test_signs_that_other_readers_take_for_line_ends_stay_in_their_string(sign: str) -> None:
    chain = Chain()
    chain.user(f"a{sign}b")
    chain.reply("m1", text("ok"))
    data = chain.bytes()
    assert read(data) == ([[f"a{sign}b"], ["ok"]], [])


@pytest.mark.parametrize("change", [lambda d: b"\xef\xbb\xbf" + d, lambda d: d.replace(b"\n", b"\r\n")])
def test_byte_order_mark_and_windows_line_ends(change: Any) -> None:
    assert read(change(small().bytes())) == (WORDS, [])


def test_utf_16_is_read_and_kept() -> None:
    data = "\ufeff".encode("utf-16-le") + small().bytes().decode().encode("utf-16-le")
    words, notes = read(data)
    assert words == WORDS
    assert notes == [("", "encoding")]


def test_blank_lines_and_a_missing_final_newline_are_no_records() -> None:
    data = b"\n\n" + small().bytes().replace(b"\n", b"\n \n").rstrip()
    assert read(data) == (WORDS, [])


def test_a_lone_surrogate_is_shown_as_a_replacement() -> None:
    data = small().bytes().replace(b'"fine"', b'"caf\\udce9 \\ud83d"')
    words, notes = read(data)
    assert notes == [("line 3", "lone-surrogate")]
    result = tape.load(data).messages[2].blocks[0]
    assert isinstance(result, tape.model.ToolResult)
    assert result.content == "caf\ufffd \ufffd"
    assert words == WORDS


ODD_CONTENT: list[Any] = ["", [], None, {"type": "text", "text": "x"}, 7, [None, 1, "x", {"type": 5}, {}]]


@pytest.mark.parametrize("content", ODD_CONTENT)
@pytest.mark.parametrize("kind", ["user", "assistant"])
def test_odd_content_is_a_message_all_the_same(kind: str, content: Any) -> None:
    chain = small()
    chain.add(kind, message={"role": kind, "content": content, "id": "m9"})
    session = tape.load(chain.bytes())
    assert len(session.messages) == 5
    assert len(session.messages[4].blocks) == len(session.messages[4].heads)
    read(chain.bytes())


def test_a_message_without_content_and_lines_without_a_message() -> None:
    chain = small()
    chain.add("user", message={"role": "user"})
    chain.add("assistant")
    chain.add("user", message="text")
    chain.add("attachment", attachment="x")
    chain.add("attachment", attachment={"type": "queued_command"})
    session = tape.load(chain.bytes())
    assert len(session.messages) == 5
    assert session.messages[4].meta["content_form"] == "absent"
    assert {note.kind for note in session.notes} == {"unknown-record"}
    read(chain.bytes())


def test_lines_that_are_no_objects_are_kept() -> None:
    data = small().bytes() + b'7\n"text"\n[1]\nnull\n'
    words, notes = read(data)
    assert (words, notes) == (WORDS, [("line 5", "unknown-record")])


@pytest.mark.parametrize("value", ["text", None, ["a"], 7])
def test_a_tool_input_that_is_no_object_is_flagged(value: Any) -> None:
    chain = Chain()
    chain.reply("m1", {"type": "tool_use", "id": "a", "name": "Read", "input": value})
    chain.result("a")
    session = tape.load(chain.bytes())
    assert "bad-input" in session.messages[0].heads[0].flags
    assert [link.state for link in tape.threads(session).links] == ["ok"]


ODD_FIELDS: list[dict[str, Any]] = [
    {"uuid": 7, "parentUuid": ["x"], "timestamp": 9, "sessionId": {}},
    {"isSidechain": "yes", "agentId": 4, "forkedFrom": "x", "requestId": []},
    {"toolUseResult": [1], "isMeta": 1, "isCompactSummary": None},
]


@pytest.mark.parametrize("fields", ODD_FIELDS)
def test_fields_of_another_type_than_expected(fields: dict[str, Any]) -> None:
    chain = small()
    for line in chain.lines:
        line.update(fields)
    assert read(chain.bytes())[0] == WORDS


@pytest.mark.parametrize(
    "usage", [7, [], "x", {"input_tokens": "9"}, {"input_tokens": -4}, {"cache_creation": 3}]
)
def test_usage_that_makes_no_sense_is_unknown(usage: Any) -> None:
    chain = small()
    for line in chain.lines:
        line["message"]["usage"] = usage
    assert {call.usage for call in tape.load(chain.bytes()).calls} == {None}


HOSTILE = (
    "<img src=x onerror=boom()> [x](javascript:boom()) \u202e\u001b[31m ![p](https://pixel.example/p.png)"
)


def test_hostile_strings_are_only_text() -> None:
    chain = Chain(session=HOSTILE)
    chain.plain(type="custom-title", customTitle=HOSTILE)
    chain.user(HOSTILE)
    chain.reply("m1", {"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {HOSTILE: HOSTILE}})
    chain.result(HOSTILE, HOSTILE)
    chain.plain(type=HOSTILE)
    session = tape.load(chain.bytes())
    assert [link.id for link in tape.threads(session).links] == [HOSTILE]
    assert session.messages[0].text == HOSTILE
    assert session.id == HOSTILE
    assert tape.dump(session).data == chain.bytes()


def test_deep_nesting_is_one_broken_line() -> None:
    deep = b'{"type":"user","message":{"role":"user","content":' + b"[" * 100_000 + b"]" * 100_000 + b"}}\n"
    words, notes = read(small().bytes() + deep)
    assert (words, notes) == (WORDS, [("line 5", "broken-record")])


LINES = small().bytes() + jsonl({"type": "zz"}, {"type": "summary", "summary": "x"})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, len(LINES) - 1), st.integers(0, 255))
def test_whatever_byte_is_flipped_reading_never_raises(at: int, byte: int) -> None:
    data = LINES[:at] + bytes([byte]) + LINES[at + 1 :]
    session = tape.load(data, format="claude-code")
    assert tape.dump(session).data == data
    assert [len(m.blocks) for m in session.messages] == [len(m.heads) for m in session.messages]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, len(LINES)))
def test_wherever_the_file_is_cut_reading_never_raises(end: int) -> None:
    data = LINES[:end]
    assert tape.dump(tape.load(data, format="claude-code")).data == data


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda x: (
        st.lists(x, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "content", "text", "id", "input", "tool_use_id"]), x, max_size=3
        )
    ),
    max_leaves=8,
)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["user", "assistant", "system", "attachment", "progress", "summary", "x"])
        | JSON,
        "message": st.fixed_dictionaries(
            {},
            optional={
                "role": JSON,
                "id": st.sampled_from(["m1", "m2"]) | JSON,
                "content": JSON,
                "usage": JSON,
            },
        )
        | JSON,
        "attachment": JSON,
        "uuid": st.sampled_from(["a", "b", "c"]) | JSON,
        "parentUuid": st.sampled_from(["a", "b", "c"]) | JSON,
        "isSidechain": JSON,
        "toolUseResult": JSON,
        "timestamp": JSON,
        "data": JSON,
        "subtype": JSON,
    },
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(RECORDS, max_size=6))
def test_any_lines_at_all_are_read_and_come_back(records: list[dict[str, Any]]) -> None:
    data = small().bytes() + "".join(json.dumps(r) + "\n" for r in records).encode()
    session = tape.load(data, format="claude-code")
    assert tape.dump(session).data == data
    uids = [m.uid for one in (session, *(lane.session for lane in session.lanes)) for m in one.messages]
    uids += [m.uid for branch in session.branches for m in branch.messages]
    assert len(uids) == len(set(uids))
