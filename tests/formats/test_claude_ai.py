"""claude.ai exports: messages that hold calls and results come apart, siblings are branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import tape
from tape.edits import from_json
from tape.model import Document, Session, Thinking, ToolResult
from tests.formats.export_files import LIGHTHOUSE, PLAIN, ROOT, Node, compact, gave, letter, letters, used


def loaded(*conversations: Node) -> Session:
    return tape.load(compact([*conversations]), format="claude-ai-export")


def shape(session: Session) -> list[tuple[str, list[str]]]:
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def test_one_message_with_results_becomes_three() -> None:
    session = loaded(LIGHTHOUSE)
    assert shape(session) == [
        ("user", ["document", "text"]),
        ("assistant", ["thinking", "text", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
        ("user", ["text"]),
        ("assistant", ["text"]),
    ]
    thinking = session.messages[1].blocks[0]
    assert isinstance(thinking, Thinking)
    assert thinking.signature == "c2ln"


def test_results_without_ids_find_the_call_with_their_name() -> None:
    session = loaded(LIGHTHOUSE)
    links = tape.threads(session).links
    assert {link.state for link in links} == {"ok"}
    first, second = session.messages[2].blocks
    calls = [head.id for head in session.messages[1].heads if head.kind == "tool_use"]
    assert isinstance(first, ToolResult)
    assert isinstance(second, ToolResult)
    assert [second.tool_use_id, first.tool_use_id] == calls
    assert (first.is_error, first.generated_id) == (True, True)


def test_siblings_are_branches_and_the_last_message_leads() -> None:
    session = loaded(LIGHTHOUSE)
    assert session.messages[-2].text == "In Spain?"
    (branch,) = session.branches
    assert branch.at == "m3"
    assert [entry.text for entry in branch.messages] == ["In France?"]


def test_a_leaf_that_is_named_leads() -> None:
    session = loaded({**LIGHTHOUSE, "current_leaf_message_uuid": "h2"})
    assert session.messages[-1].text == "In France?"


def test_messages_without_parents_follow_each_other() -> None:
    session = loaded(letters("Mixed", letter("1", "human", "A", parent=ROOT), letter("2", "assistant", "B")))
    assert [entry.text for entry in session.messages] == ["A", "B"]
    assert session.branches == ()


def test_what_was_attached_is_a_document_with_its_words() -> None:
    document = loaded(LIGHTHOUSE).messages[0].blocks[0]
    assert isinstance(document, Document)
    assert (document.title, document.text) == ("list.txt", "Ar-Men 33 m")


def test_old_messages_have_only_their_flattened_words() -> None:
    session = loaded(letters("Old", {"uuid": "1", "sender": "human", "text": "Hello?"}))
    assert [entry.text for entry in session.messages] == ["Hello?"]


def test_an_empty_conversation_says_so() -> None:
    session = loaded(letters("Nothing"))
    assert session.messages == ()
    assert [note.kind for note in session.notes] == ["no-messages"]


def test_a_message_without_words_is_kept_aside() -> None:
    session = loaded(letters("Gap", letter("1", "human", "A"), letter("2", "assistant")))
    assert [aside.kind for aside in session.asides] == ["empty assistant"]


def test_a_result_in_the_next_message_answers_the_open_call_before_it() -> None:
    later = letters(
        "Later",
        letter("1", "assistant", used("fetch", url="a")),
        letter("2", "assistant", gave("fetch", "b")),
    )
    found = tape.threads(loaded(later))
    assert [(link.name, link.state) for link in found.links] == [("fetch", "ok")]
    assert found.unlinked == ()


def test_conversations_are_listed() -> None:
    reading = tape.read(compact([LIGHTHOUSE, PLAIN]))
    assert [(one.id, one.title) for one in reading.conversations] == [
        ("id of Lighthouses", "Lighthouses"),
        ("id of Plain", "Plain"),
    ]
    assert reading.conversations[0].date == "2026-05-01T10:00:00Z"


@pytest.mark.parametrize(
    ("target", "old"),
    [("messages[1].content[1]", "I will search."), ("messages[2].content[1]", "Jeddah, 133 m")],
)
def test_an_edit_changes_its_block_and_nothing_else(target: str, old: str) -> None:
    data = compact([PLAIN, LIGHTHOUSE])
    session = tape.read(data).conversations[1].load()
    done = tape.dump(
        tape.apply(session, from_json({"op": "replace", "target": target, "value": "Elsewhere"}))
    )
    assert done.losses == ()
    after = done.data.decode()
    assert after.replace("Elsewhere", old) == data.decode()


@pytest.mark.parametrize(
    "messages",
    [
        [None, 3, {"sender": 4}, {"sender": "human", "content": [1, None, {"type": "tool_result"}]}],
        [{"sender": "assistant", "content": [{"type": "text"}, {"type": "tool_use", "name": 1}]}],
        [{"sender": "robot", "text": "hi", "attachments": [1], "files": {"a": 1}}],
        [{"uuid": "a", "parent_message_uuid": "b", "sender": "human", "text": "x"}] * 2,
    ],
)
def test_odd_messages_are_read(messages: list[object]) -> None:
    data = compact([{"name": "Odd", "chat_messages": messages}])
    session = tape.load(data)
    assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
    assert tape.dump(session).data == data


def test_the_demo_export_has_its_counts(corpus: Callable[[str], Path]) -> None:
    """SOURCES.md: 280 messages (114 user, 166 assistant), 74 calls, 37 results, over all messages.
    9 of the assistant's stand on branches, and 6 hold nothing and are asides."""
    path = corpus("claude-ai-export/synthetic-demo.zip")
    reading = tape.read(path)
    found: Counter[str] = Counter()
    sessions = [one.load() for one in reading.conversations if one.id != "401"]
    exported = [session for session in sessions if session.format == "claude-ai-export"]
    for session in exported:
        for entry in session.messages:
            found[entry.role] += any(head.kind != "tool_result" for head in entry.heads)
            found.update(head.kind for head in entry.heads)
        found["on branches"] += sum(len(branch.messages) for branch in session.branches)
        found["empty"] += sum(aside.kind == "empty assistant" for aside in session.asides)
    assert len(exported) == 40
    assert found["user"] == 114
    assert (found["assistant"], found["on branches"], found["empty"]) == (166 - 9 - 6, 9, 6)
    assert (found["tool_use"], found["tool_result"]) == (74, 37)
    assert tape.dump(exported[3]).data == path.read_bytes()
