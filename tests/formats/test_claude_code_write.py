"""Claude Code session files made of any session: read again they hold the same array."""

from __future__ import annotations

import json
from uuid import UUID

from hypothesis import given, settings

import tape
from tape.model import Session
from tape.wire import message_json
from tests import strategies
from tests.formats.claude_code_lines import Chain, shape, text, use
from tests.strategies import answer, assistant, call, session, user


def written(given: Session) -> list[dict[str, object]]:
    return [json.loads(line) for line in tape.convert(given, "claude-code").data.splitlines()]


def test_a_reply_is_one_line_a_block_and_every_line_hangs_on_the_one_before() -> None:
    lines = written(
        session(
            user("go"),
            assistant(strategies.text("let me see"), call("t1"), call("t2")),
            user(answer("t1"), answer("t2")),
            assistant("done"),
            model="claude-test-1",
        )
    )
    assert [line["type"] for line in lines] == [
        "user",
        "assistant",
        "assistant",
        "assistant",
        "user",
        "assistant",
    ]
    assert [line["parentUuid"] for line in lines] == [None, *(line["uuid"] for line in lines[:-1])]
    messages = [line["message"] for line in lines]
    assert len({str(m["id"]) for m in messages[1:4]}) == 1  # type: ignore[index]
    assert [m.get("model") for m in messages] == [None, *["claude-test-1"] * 3, None, "claude-test-1"]  # type: ignore[attr-defined]
    assert len({UUID(str(line["sessionId"])) for line in lines}) == 1


def test_the_same_session_gives_the_same_bytes() -> None:
    one = session(user("go"), assistant("done"))
    assert tape.convert(one, "claude-code").data == tape.convert(one, "claude-code").data


def test_what_the_form_cannot_hold_is_said() -> None:
    given = session(
        {"role": "system", "content": "Be brief."},
        user("go"),
        system="You are terse.",
        tools=[{"name": "x", "input_schema": {"type": "object"}}],
        max_tokens=100,
        model="claude-test-1",
    )
    kinds = [(note.where, note.kind) for note in tape.convert(given, "claude-code").losses]
    assert kinds == [
        ("system", "system-left-out"),
        ("tools", "tools-left-out"),
        ("max_tokens", "parameter-left-out"),
        ("messages[0]", "role-changed"),
        ("", "times-made-up"),
    ]


def test_usage_times_and_marks_are_carried() -> None:
    chain = Chain()
    chain.user("This session is being continued …", isCompactSummary=True)
    usage = {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 3}
    chain.reply("m1", text("hello"), usage=usage, stop="end_turn")
    before = chain.load()
    dumped = tape.convert(before, "claude-code")
    after = tape.load(dumped.data)
    assert dumped.losses == ()
    assert (after.calls, after.id) == (before.calls, before.id)
    assert [m.meta for m in after.messages] == [m.meta for m in before.messages]


def test_lanes_and_branches_are_not_written_and_said() -> None:
    chain = Chain()
    root = chain.user("root")
    chain.user("left", parent=root)
    chain.user("kept", parent=root)
    chain.reply("m1", use("t", "Task", prompt="p"))
    chain.user("p", isSidechain=True, parent=None)
    kinds = [note.kind for note in tape.convert(chain.load(), "claude-code").losses]
    assert kinds == ["lanes-left-out", "branches-left-out"]


@settings(max_examples=60, deadline=None)
@given(strategies.well_formed())
def test_well_formed_arrays_come_back(array: strategies.Array) -> None:
    before = session(*array)
    after = tape.load(tape.convert(before, "claude-code").data)
    assert shape(after) == shape(before)
    assert [_content(m) for m in after.messages] == [_content(m) for m in before.messages]


def _content(entry: object) -> object:
    content = message_json(entry)["content"]  # type: ignore[arg-type]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
