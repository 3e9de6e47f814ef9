"""ChatGPT exports: the active way through the tree, calls without ids, other ways as branches."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import tape
from tape.edits import from_json
from tape.model import Document, Image, Session, ToolUse
from tests.formats.export_files import BOATS, HIDDEN, KITE, Node, chat, code, compact, node, output


def loaded(*conversations: Node) -> Session:
    return tape.load(compact([*conversations]), format="chatgpt-export")


def shape(session: Session) -> list[tuple[str, list[str]]]:
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def test_the_array_is_the_way_from_the_current_node_to_the_root() -> None:
    session = loaded(BOATS)
    assert shape(session) == [
        ("user", ["text"]),
        ("assistant", ["text", "tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["text"]),
        ("user", ["text"]),
        ("assistant", ["text"]),
    ]
    assert session.messages[3].meta["model"] == "m-1"
    assert session.messages[0].meta["timestamp"] == "2023-11-14T22:13:20Z"
    assert session.system is None
    assert session.report is not None
    assert session.report.records == 9


def test_calls_and_results_are_paired_without_ids() -> None:
    session = loaded(BOATS)
    (link,) = tape.threads(session).links
    assert link.state == "ok"
    call = session.messages[1].blocks[1]
    assert isinstance(call, ToolUse)
    assert (call.name, call.input, call.generated_id) == ("python", {"input": "print(6 * 7)"}, True)


def test_another_way_is_a_branch_behind_the_last_shared_message() -> None:
    (branch,) = loaded(BOATS).branches
    assert branch.at == "m3"
    assert [entry.text for entry in branch.messages] == ["And ducks?", "Nine ducks."]
    assert [entry.uid for entry in branch.messages] == ["m6", "m7"]


def test_hidden_nodes_are_kept_aside() -> None:
    told = {"content_type": "user_editable_context", "user_profile": "", "user_instructions": "Be terse"}
    session = loaded(chat("u", node("s", None, "user", told, metadata=HIDDEN), node("u", "s", "user", "Hi")))
    assert [entry.text for entry in session.messages] == ["Hi"]
    (aside,) = session.asides
    assert (aside.kind, aside.text, aside.injected) == ("hidden user", "Be terse", True)


@pytest.mark.parametrize("current", [None, "gone"])
def test_without_a_current_node_the_newest_leaf_counts(current: str | None) -> None:
    session = loaded(
        chat(
            current,
            node("u", None, "user", "Hi", time=1.0),
            node("old", "u", "assistant", "Old", time=3.0),
            node("new", "u", "assistant", "New", time=4.0),
        )
    )
    assert session.messages[-1].text == "New"


def test_a_circle_ends() -> None:
    session = loaded(chat("b", node("a", "b", "user", "Hi"), node("b", "a", "assistant", "Ho")))
    assert [entry.text for entry in session.messages] == ["Hi", "Ho"]


def test_what_a_tool_says_twice_for_one_call_stands_in_one_message() -> None:
    session = loaded(
        chat(
            "t2",
            node("u", None, "user", "Find"),
            node("a", "u", "assistant", code("search('x')"), recipient="browser"),
            node("t1", "a", "tool", output("first"), name="browser"),
            node("t2", "t1", "tool", output("second"), name="browser"),
        )
    )
    assert shape(session)[2] == ("user", ["tool_result", "text"])
    assert not tape.threads(session).unlinked


def test_a_call_with_json_has_an_object_as_input() -> None:
    text = '{"prompt": "a red boat", "n": 1}'
    session = loaded(chat("a", node("a", None, "assistant", text, recipient="dalle.text2im")))
    call = session.messages[0].blocks[0]
    assert isinstance(call, ToolUse)
    assert (call.name, call.input, call.arguments) == (
        "dalle.text2im",
        {"prompt": "a red boat", "n": 1},
        text,
    )


def test_the_shards_of_2026_have_no_recipients() -> None:
    poor = chat("b", node("a", None, "user", "Add"), node("b", "a", "assistant", code("1+1")))
    for one in poor["mapping"].values():
        del one["children"]
    (call,) = loaded(poor).messages[1].blocks
    assert isinstance(call, ToolUse)
    assert call.name == "code"


def test_pictures_voices_thoughts_and_files_are_shown() -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"}
    voice = {"content_type": "audio_transcription", "text": "spoken"}
    several = {"content_type": "multimodal_text", "parts": [picture, "What is it?", voice]}
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Look", "content": "Look closely"}]}
    file = {"attachments": [{"id": "file-2", "name": "plan.pdf", "mimeType": "application/pdf"}]}
    session = loaded(
        chat(
            "c",
            node("a", None, "user", several, metadata=file),
            node("b", "a", "assistant", thoughts, end_turn=False),
            node("c", "b", "assistant", "A boat.", end_turn=True),
        )
    )
    image, _, _, document = session.messages[0].blocks
    assert isinstance(image, Image)
    assert image.ref == "sediment://file_1"
    assert session.messages[0].text == "What is it?\nspoken"
    assert isinstance(document, Document)
    assert document.title == "plan.pdf"
    assert shape(session)[1] == ("assistant", ["thinking", "text"])


def test_many_conversations_are_listed_with_title_date_and_size() -> None:
    reading = tape.read(compact([BOATS, KITE]))
    assert [one.title for one in reading.conversations] == ["Paper boats", "Kites"]
    assert [one.date for one in reading.conversations] == ["2023-11-14T22:13:20Z"] * 2
    assert [one.size for one in reading.conversations] == [len(compact(BOATS)), len(compact(KITE))]


@pytest.mark.parametrize("number", [0, 1])
def test_an_edit_in_one_conversation_leaves_the_others_byte_for_byte(number: int) -> None:
    parts = [compact(BOATS), compact(KITE)]
    data = b"[" + b",\n".join(parts) + b"]\n"
    session = tape.read(data).conversations[number].load()
    old = session.messages[-1].text
    op = {"op": "replace", "target": session.messages[-1].blocks[0].uid, "value": "Nothing."}
    done = tape.dump(tape.apply(session, from_json(op)))
    assert done.losses == ()
    assert done.data == data.replace(old.encode(), b"Nothing.")


def test_a_deleted_message_leaves_its_node_without_one() -> None:
    data = compact([BOATS, KITE])
    session = tape.load(data)
    done = tape.dump(tape.apply(session, from_json({"op": "delete", "targets": ["messages[4]"]})))
    assert done.losses == ()
    after = json.loads(done.data)
    assert after[0]["mapping"]["u2"]["message"] is None
    assert [entry.text for entry in tape.load(done.data).messages][-2:] == ["42 boats.", "Two swans."]


def test_shards_in_a_zip_are_one_list_and_an_edit_goes_into_its_shard() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("export_manifest.json", '{"logical_files": {}}')
        made.writestr("conversations-000.json", compact([BOATS]))
        made.writestr("conversations-001.json", compact([KITE]))
        made.writestr("user.json", '{"id": "user-1"}')
        made.writestr("file-1.dat", b"\x89PNG")
    reading = tape.read(out.getvalue())
    assert [one.title for one in reading.conversations] == ["Paper boats", "Kites"]
    session = reading.conversations[1].load()
    op = {"op": "replace", "target": "messages[1].content[0]", "value": "Walk!"}
    done = tape.dump(tape.apply(session, from_json(op)))
    with zipfile.ZipFile(io.BytesIO(done.data)) as after:
        assert after.read("conversations-000.json") == compact([BOATS])
        assert after.read("conversations-001.json") == compact([KITE]).replace(b"Run!", b"Walk!")


@pytest.mark.parametrize(
    "value",
    [
        {"mapping": {}, "current_node": "x"},
        {"mapping": {"a": None, "b": {"message": 3}}, "current_node": "a"},
        {"mapping": {"a": {"message": {"author": 1, "content": 2, "metadata": 3}}}, "current_node": "a"},
        {"mapping": {"a": {"parent": "a", "message": {"author": {"role": "tool"}, "content": None}}}},
        {"mapping": {"a": {"message": {"author": {"role": "wizard"}, "content": {"parts": [None, 1]}}}}},
    ],
)
def test_odd_conversations_are_read(value: Node) -> None:
    data = compact([value, KITE])
    for one in tape.read(data, format="chatgpt-export").conversations:
        session = one.load()
        assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
        assert tape.dump(session).data == data


def test_a_broken_export_shows_the_conversations_before_the_break() -> None:
    data = compact([KITE, BOATS, KITE])
    reading = tape.read(data[: len(compact([KITE])) + 400])
    assert reading.format == "chatgpt-export"
    assert [entry.text for entry in reading.conversations[0].load().messages] == ["Fly a kite", "Run!"]


def test_the_classic_export_has_its_counts(corpus: Callable[[str], Path]) -> None:
    """SOURCES.md: 45 records, 8 user, 12 assistant, 2 system, 11 calls, 11 results. Both system nodes are
    hidden and stand aside; it counts the 12 of the assistant's 23 nodes that are no calls; here the text
    and the call of one reply are one message: 11 that end in a call, 8 that end a turn."""
    path = corpus("chatgpt-export/conversations.json")
    session = tape.load(path)
    heads = [head.kind for entry in session.messages for head in entry.heads]
    users = [e for e in session.messages if e.role == "user" and e.heads[0].kind == "text"]
    replies = [e for e in session.messages if e.role == "assistant"]
    assert session.report is not None
    assert (session.report.records, len(users), len(replies)) == (45, 8, 11 + 8)
    assert sum(e.heads[-1].kind == "tool_use" for e in replies) == 11
    assert sum(head.kind == "text" for e in replies for head in e.heads) == 12
    assert (heads.count("tool_use"), heads.count("tool_result")) == (11, 11)
    assert [aside.kind for aside in session.asides] == ["hidden system"] * 2
    assert {link.state for link in tape.threads(session).links} == {"ok"}
    assert tape.dump(session).data == path.read_bytes()
