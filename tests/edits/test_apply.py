"""What each operation does to a session, and what it leaves as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tape.edits import Append, Insert, InsertBlock, Merge, Move, Replace, SetSystem, SetTools, apply, sentence
from tape.errors import UserError
from tape.model import Aside, Branch, Call, Lane, Session
from tape.wire import message_json, request
from tests.strategies import PIXEL, answer, assistant, call, session, text, user

THINKING = {"type": "thinking", "thinking": "First I look.", "signature": "c2ln"}
ROUND = session(
    user("is add correct?"),
    assistant(THINKING, text("I look."), call("a"), call("b", "list_files")),
    user(answer("a", "def add"), answer("b", [text("a.py"), PIXEL])),
    assistant("It is."),
    model="claude-opus-5-5",
    tools=[{"name": "read_file", "input_schema": {"type": "object"}}],
)


def entries(after: Session) -> list[Any]:
    return [message_json(entry) for entry in after.messages]


def uids(after: Session) -> list[str]:
    return [entry.uid for entry in after.messages]


def test_append_names_new_messages_in_order() -> None:
    after = apply(ROUND, Append((user("sure?"), assistant(text("Yes.")))))
    assert uids(after) == ["m0", "m1", "m2", "m3", "n0", "n1"]
    assert entries(after)[4:] == [user("sure?"), assistant(text("Yes."))]
    assert [entry.provenance.origin for entry in after.messages[3:]] == ["recorded", "inserted", "inserted"]
    assert uids(apply(after, Append((user("!"),))))[-1] == "n2"
    assert sentence(ROUND, Append((user("sure?"),))) == "Appended a user message"


@pytest.mark.parametrize(("at", "index"), [(0, 0), ("m2", 2), ("messages[3]", 3), ("end", 4), (4, 4)])
def test_insert_stands_where_it_was_asked(at: int | str, index: int) -> None:
    operation = Insert(at, assistant("Hm."))
    after = apply(ROUND, operation)
    assert after.messages[index].uid == "n0"
    assert [m for m in after.messages if m.uid != "n0"] == list(ROUND.messages)
    assert sentence(ROUND, operation) == f"Inserted an assistant message as message {index}"


def test_inserting_a_block_keeps_the_others_as_they_are() -> None:
    after = apply(ROUND, InsertBlock("m2", 2, text("and?")))
    assert after.messages[2].blocks[:2] == ROUND.messages[2].blocks
    assert [head.uid for head in after.messages[2].heads] == ["m2.0", "m2.1", "n0.0"]
    assert after.messages[2].provenance.origin == "edited"
    assert after.messages[3] is ROUND.messages[3]


def test_a_string_that_gets_a_second_block_and_loses_it_is_a_string_again() -> None:
    longer = apply(ROUND, InsertBlock(0, 1, text("please")))
    assert entries(longer)[0] == user(text("is add correct?"), text("please"))
    shorter = apply(longer, Replace(0, {"content": "is add correct?"}))
    assert entries(shorter)[0] == user("is add correct?")


def test_replacing_with_a_string_keeps_the_form_of_the_content() -> None:
    assert entries(apply(ROUND, Replace(0, "is it?")))[0] == user("is it?")
    in_list = session(user(text("is it?")))
    assert entries(apply(in_list, Replace(0, "was it?")))[0] == user(text("was it?"))


def test_a_result_that_is_a_string_stays_one() -> None:
    assert entries(apply(ROUND, Replace("m2.0", "def sub")))[2]["content"][0] == answer("a", "def sub")


def test_a_result_of_blocks_keeps_its_picture() -> None:
    changed = entries(apply(ROUND, Replace("m2.1", "b.py")))[2]["content"][1]
    assert changed == answer("b", [text("b.py"), PIXEL])


def test_the_input_of_a_call_is_replaced_as_json() -> None:
    assert entries(apply(ROUND, Replace("m1.2", '{"path": "b.py"}')))[1]["content"][2] == call(
        "a", input={"path": "b.py"}
    )
    with pytest.raises(UserError, match="must be JSON"):
        apply(ROUND, Replace("m1.2", "b.py"))


def test_replacing_a_message_keeps_the_blocks_that_say_the_same() -> None:
    value = assistant(THINKING, text("I read."), call("b", "list_files"), call("c"))
    after = apply(ROUND, Replace("m1", value))
    assert entries(after)[1] == value
    old, new = ROUND.messages[1].blocks, after.messages[1].blocks
    assert new[0] is old[0]
    assert new[2] is old[3]
    assert [block.uid for block in new] == ["m1.0", "m1.1", "m1.3", "m1.2"]
    assert after.messages[1].uid == "m1"


def test_unknown_keys_of_a_block_survive_its_edit() -> None:
    marked = {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}, "x": 1}
    after = apply(session(user(marked)), Replace("m0.0", "ho"))
    assert entries(after)[0]["content"][0] == {**marked, "text": "ho"}


def test_a_document_in_a_form_of_its_own_survives_being_written() -> None:
    document = {"type": "document", "source": {"type": "content", "content": [text("page")]}}
    assert entries(apply(ROUND, Append((user(document),))))[-1] == user(document)


def test_a_role_can_be_changed_and_an_unknown_one_mended() -> None:
    strange = session({"role": "robot", "content": "hi"})
    assert entries(apply(strange, Replace(0, {"role": "assistant"}))) == [assistant("hi")]
    assert entries(apply(ROUND, Replace(3, {"role": "robot"})))[3] == {"role": "robot", "content": "It is."}
    assert sentence(ROUND, Replace(3, {"role": "user"})) == "Changed the role of message 3 to user"


@pytest.mark.parametrize(
    "operation",
    [
        Replace("m1.0", "Then I look."),
        Replace("m1.0", {**THINKING, "thinking": "Then I look."}),
        Replace("m1", assistant({**THINKING, "signature": "eA=="}, call("a"), call("b"))),
    ],
)
def test_thinking_is_read_only(operation: Replace) -> None:
    with pytest.raises(UserError, match="signature binds the words"):
        apply(ROUND, operation)
    forced = apply(ROUND, replace(operation, force=True))
    assert forced.messages[1].blocks[0] != ROUND.messages[1].blocks[0]


def test_moving_a_message_changes_nothing_it_says() -> None:
    after = apply(ROUND, Move("m3", 0))
    assert after.messages == (ROUND.messages[3], *ROUND.messages[:3])
    assert sentence(ROUND, Move("m3", 0)) == "Moved message 3 to place 0"


def test_moving_a_block_inside_its_message() -> None:
    after = apply(ROUND, Move("m2.1", 0))
    assert [head.uid for head in after.messages[2].heads] == ["m2.1", "m2.0"]


def test_moving_the_last_block_out_of_a_message_removes_the_message() -> None:
    start = session(assistant(call("a")), user("wait"), user(answer("a")))
    after = apply(start, Move("m2.0", 0, into="m1"))
    assert entries(after) == [assistant(call("a")), user(answer("a"), text("wait"))]
    assert sentence(start, Move("m2.0", 0, into="m1")) == "Moved the result in message 2 into message 1"


def test_the_system_prompt_is_set_where_the_session_keeps_it() -> None:
    assert request(apply(ROUND, SetSystem("Be terse.")))["system"] == "Be terse."
    inside = session({"role": "system", "content": "Be kind."}, user("hi"))
    changed = apply(inside, SetSystem("Be terse."))
    assert entries(changed)[0] == {"role": "system", "content": "Be terse."}
    assert changed.messages[0].uid == "m0"
    assert entries(apply(inside, SetSystem(None))) == [user("hi")]


def test_tools_that_did_not_change_are_kept_as_written() -> None:
    assert ROUND.tools is not None
    written = ROUND.tools[0].raw
    function = {"type": "function", "function": {"name": "grep", "parameters": {"type": "object"}}}
    after = apply(ROUND, SetTools((function, written)))
    assert after.tools is not None
    assert [tool.name for tool in after.tools] == ["grep", "read_file"]
    assert after.tools[1] is ROUND.tools[0]
    assert apply(ROUND, SetTools(None)).tools is None
    with pytest.raises(UserError, match="needs a name"):
        apply(ROUND, SetTools(({"description": "x"},)))


def test_merging_neighbors_keeps_the_first_uid_and_every_block() -> None:
    start = session(user("a"), user(text("b"), PIXEL), assistant("c"))
    after = apply(start, Merge((1, 0)))
    assert entries(after)[0] == user(text("a"), text("b"), PIXEL)
    assert uids(after) == ["m0", "m2"]
    assert sentence(start, Merge((0, 1))) == "Merged messages 0–1"


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (Append(()), "no message to append"),
        (Append(({"role": "user"},)), "needs content"),
        (Append(({"content": "x"},)), "needs a role"),
        (Append(({"role": "tool", "content": "x", "tool_call_id": "a"},)), "Anthropic form"),
        (Append((user({"text": "x"}),)), r"messages\[0\].content\[0\]: A block must be"),
        (Insert(9, user("x")), "between 0 and 4"),
        (Insert("m1.1", user("x")), "whole message"),
        (InsertBlock(0, 2, text("x")), "between 0 and 1"),
        (Replace("m7", "x"), 'no message or block "m7"'),
        (Replace(7, "x"), "no message 7: 4 messages are there, 0 to 3"),
        (Replace("messages[3].content[1]", "x"), "Message 3 has no block 1: only block 0 is there"),
        (Replace(2, "x"), "no text of its own"),
        (Replace(0, {"text": "x"}), "role and content"),
        (Replace(0, {"content": 3}), "string or a list"),
        (Move(0, 4), "between 0 and 3"),
        (Move(0, 1, into=2), "cannot stand inside"),
        (Merge((0,)), "side by side"),
        (Merge((0, 2)), "side by side"),
        (Merge((0, 1)), "same role"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(operation: Any, words: str) -> None:
    before = entries(ROUND)
    with pytest.raises(UserError, match=words):
        apply(ROUND, operation)
    assert entries(ROUND) == before


def test_what_points_into_the_array_follows_an_edit() -> None:
    lane = Lane(session(user("task")), spawned_by="m1.2")
    start = replace(
        ROUND,
        calls=(Call("m1", id="r1"), Call("m3", id="r2")),
        asides=(Aside("m1", 5, "hook"), Aside(None, 0, "title")),
        branches=(Branch("old", "m1", ()),),
        lanes=(lane,),
    )
    from tape.edits import Delete

    after = apply(start, Delete((1,)))
    assert uids(after) == ["m0", "m3"]
    assert [c.id for c in after.calls] == ["r2"]
    assert [a.after for a in after.asides] == ["m0", None]
    assert after.branches[0].at == "m0"
    assert after.lanes[0].spawned_by is None
    assert after.lanes[0].session is lane.session

    merged = apply(replace(start, messages=start.messages[:2] + start.messages[3:]), Merge((1, 2)))
    assert [(c.id, c.message_uid) for c in merged.calls] == [("r1", "m1"), ("r2", "m1")]
