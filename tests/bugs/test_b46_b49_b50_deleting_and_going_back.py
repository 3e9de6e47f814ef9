"""B46, B49, B50: what a deletion leaves behind, thinking without its call, and the tail of a re-run."""

from __future__ import annotations

import json

import pytest

import tape
from tape.edits import Delete, Replace
from tape.edits.history import History
from tape.edits.preview import preview
from tape.edits.rewind import rewind, sentence
from tape.errors import UserError
from tape.wire import message_json
from tests.strategies import answer, assistant, call, session, user

CALLS = [{"id": f"c{n}", "type": "function", "function": {"name": "ls", "arguments": "{}"}} for n in (1, 2)]
OPENAI = {
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
        {"role": "tool", "tool_call_id": "c2", "content": "b.py"},
        {"role": "assistant", "content": "done"},
    ]
}


def test_b46_deleting_a_message_takes_the_results_of_its_calls_along() -> None:
    data = json.dumps(OPENAI).encode()
    start = tape.load(data, format="openai-chat")
    operation = Delete((1,))
    found = preview(start, operation, "openai-chat")
    assert found.sentence == "Delete message 1 and the 2 results that answered it"
    assert len(found.takes_along) == 2
    history = History(start)
    after = history.apply(operation)
    assert [entry["content"] for entry in json.loads(tape.dump(after).data)["messages"]] == ["go", "done"]
    assert [f for f in tape.lint(after, "openai-chat") if f.severity == "refused"] == []
    assert tape.dump(history.undo()).data == data


THINKING = {"type": "thinking", "thinking": "", "signature": "c2ln"}
THOUGHT = session(user("go"), assistant(THINKING, call("a")), user(answer("a")))


def test_b49_thinking_is_read_only() -> None:
    with pytest.raises(UserError, match="signature binds the words"):
        tape.apply(THOUGHT, Replace("m1.0", "I look."))


def test_b49_deleting_the_call_offers_to_drop_the_thinking_and_never_half_of_it() -> None:
    found = preview(THOUGHT, Delete(("m1.1",)))
    (offer,) = found.offers
    assert "Message 1 would keep signed thinking" in offer.why
    kept = tape.apply(THOUGHT, Delete(("m1.1",)))
    assert [message_json(entry) for entry in kept.messages] == [user("go"), assistant(THINKING)]
    dropped = tape.apply(THOUGHT, offer.operation)
    assert [message_json(entry) for entry in dropped.messages] == [user("go")]


def test_b50_running_again_from_the_past_keeps_the_tail_as_a_branch() -> None:
    start = session(
        {"role": "system", "content": "be kind"},
        user("one"),
        assistant("1"),
        user("two"),
        assistant("2"),
        user("three"),
    )
    said = sentence(start, "m2", "before edit")
    assert said == 'Sends messages 0–1; 4 later messages move to branch "before edit"'
    history = History(start)
    back = history.push(rewind(start, "m2", "before edit"), said)
    assert back.messages == start.messages[:2]
    assert back.branches[0].messages == start.messages[2:]
    assert history.undo() is start
