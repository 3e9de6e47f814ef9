"""Proxy logs: every recorder's form gives the same conversation, and takes an edit back in its place."""

from __future__ import annotations

import difflib
import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session
from tests.formats.proxy_logs import (
    ANTHROPIC,
    ASKED,
    CALL,
    COUNTED,
    FIRST,
    OPENAI,
    PAGE,
    QUESTION,
    SECOND,
    STREAMED,
    TITLE,
    TWO,
    WRITERS,
    Exchange,
    got,
    sent,
    text,
)

EVERY = pytest.mark.parametrize("form", WRITERS)
PLAIN = [form for form in WRITERS if "packed" not in form]


def written(form: str, exchanges: list[Exchange]) -> bytes:
    """The exchanges as a recorder keeps them."""
    return WRITERS[form][1](exchanges)


def kinds(session: Session) -> list[tuple[str, list[str]]]:
    """Each message as its role and the kinds of its blocks."""
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def listed(exchanges: list[Exchange], form: str = "claude-trace") -> list[tuple[str, list[str]]]:
    """The conversations with their titles and the kinds of their notes."""
    reading = tape.read(written(form, exchanges))
    return [(one.title, [note.kind for note in one.load().notes]) for one in reading.conversations]


@EVERY
def test_requests_that_repeat_each_other_are_one_conversation(form: str) -> None:
    data = written(form, [PAGE, *TWO, COUNTED])
    reading = tape.read(data)
    assert (reading.format, reading.confidence) == (WRITERS[form][0], 3)
    assert [one.title for one in reading.conversations] == ["What is here?"]
    session = reading.conversations[0].load()
    assert kinds(session) == [
        ("user", ["text"]),
        ("assistant", ["tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["text"]),
    ]
    assert session.system == "You list files."
    assert [tool.name for tool in session.tools or ()] == ["ls"]
    spent = [(c.id, u.input, u.cache_read, u.output) for c in session.calls if (u := c.usage)]
    assert spent == [("msg_1", 10, 30, 5), ("msg_2", 10, 30, 7)]
    assert session.model == "claude-test-1"
    assert [note.text for note in session.notes] == ["2 other exchanges of this log are no calls of a model."]
    assert tape.dump(session).data == data


@EVERY
def test_an_answer_that_was_streamed_is_put_together(form: str) -> None:
    data = written(form, [FIRST, (ANTHROPIC, sent(ASKED), STREAMED)])
    session = tape.load(data)
    assert session.messages[-1].text == "One file."
    assert session.calls[-1].stop_reason in ("end_turn", None)
    assert tape.dump(session).data == data


@EVERY
def test_an_edit_of_the_history_changes_only_its_words(form: str) -> None:
    data = written(form, TWO)
    session = tape.load(data)
    edited = tape.apply(
        session, from_json({"op": "replace", "target": "messages[0]", "value": "Was ist hier?"})
    )
    dumped = tape.dump(edited)
    assert [note.kind for note in dumped.losses] == ["copies-left"]
    again = tape.read(dumped.data).conversations[-1].load()
    assert [entry.text for entry in again.messages] == [
        "Was ist hier?",
        *(e.text for e in edited.messages[1:]),
    ]
    assert kinds(again) == kinds(session)
    assert again.messages[1].blocks[0].raw == CALL
    if form != "vcr-parsed":
        changed = [
            o
            for o in difflib.SequenceMatcher(None, data, dumped.data, False).get_opcodes()
            if o[0] != "equal"
        ]
        assert sum(max(o[2] - o[1], o[4] - o[3]) for o in changed) < (400 if form.startswith("vcr") else 20)


@EVERY
def test_an_answer_changes_where_it_stands_as_text(form: str) -> None:
    session = tape.load(written(form, TWO))
    edited = tape.apply(
        session, from_json({"op": "replace", "target": "messages[3]", "value": "Eine Datei."})
    )
    dumped = tape.dump(edited)
    last = tape.load(dumped.data).messages[-1].text
    if form in PLAIN:
        assert (last, dumped.losses) == ("Eine Datei.", ())
    else:
        assert (last, [note.kind for note in dumped.losses]) == ("One file.", ["response-kept"])


def test_a_request_beside_the_conversation_stands_apart() -> None:
    assert listed([TITLE, *TWO]) == [
        ("side request: Name it", ["side-request"]),
        ("What is here?", []),
    ]
    assert listed([*TWO, TITLE]) == [("What is here?", []), ("side request: Name it", ["side-request"])]


def test_a_rewritten_history_is_shown_as_an_edit() -> None:
    cleared = [*ASKED[:2], {"role": "user", "content": [{**ASKED[2]["content"][0], "content": "[cleared]"}]}]
    again = (
        ANTHROPIC,
        sent([*cleared, {"role": "assistant", "content": "Hm"}, QUESTION]),
        got("m", text("!")),
    )
    found = listed([*TWO, again])
    assert found == [("What is here?", []), ("edit: What is here?", ["rewritten-prefix"])]
    note = tape.read(written("har", [*TWO, again])).conversations[1].load().notes[0]
    assert note.where == "messages[2]"
    assert "begins like conversation 0" in note.text


def test_a_history_that_begins_with_a_summary_was_compacted() -> None:
    summary = {
        "role": "user",
        "content": "This session is being continued from a previous conversation. Files.",
    }
    later: Exchange = (ANTHROPIC, sent([summary]), got("msg_3", text("Go on.")))
    title = "compaction: This session is being continued from a previous conversation. Files."
    assert listed([*TWO, later]) == [("What is here?", []), (title, ["compaction"])]


def test_another_system_prompt_is_another_agent() -> None:
    helper: Exchange = (ANTHROPIC, sent([QUESTION], "You search."), got("msg_s", text("Found.")))
    found = listed(
        [*TWO, (ANTHROPIC, sent([{"role": "user", "content": "Search"}], "You search."), helper[2])]
    )
    assert found == [("What is here?", []), ("Search", ["agent"])]


def test_cache_marks_and_reminders_do_not_break_a_chain() -> None:
    marked: list[Any] = json.loads(json.dumps(ASKED))
    marked[0]["content"] = [
        {"type": "text", "text": "<system-reminder>now</system-reminder>"},
        {"type": "text", "text": "What is here?", "cache_control": {"type": "ephemeral"}},
    ]
    assert len(listed([FIRST, (ANTHROPIC, sent(marked), SECOND[2])])) == 1


def test_logs_of_several_apis_give_the_conversations_of_each() -> None:
    chat = {"model": "gpt-test", "messages": [{"role": "system", "content": "s"}, QUESTION]}
    reply = {"id": "c1", "object": "chat.completion", "model": "gpt-test"}
    said = {**reply, "choices": [{"index": 0, "message": {"role": "assistant", "content": "Two"}}]}
    chunk = {
        **reply,
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": "Two"}}],
    }
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Ho"}]}
    more = [item, answer, {**item, "content": [{"type": "input_text", "text": "And?"}]}]
    url = "https://api.openai.com/v1/responses"
    response = {"id": "resp_1", "object": "response", "output": [answer]}
    asked = {"model": "gpt-test", "input": [item]}
    log: list[Exchange] = [
        (OPENAI, chat, said),
        *TWO,
        (url, asked, response),
        (url, {**asked, "input": more}, {**response, "id": "resp_2"}),
    ]
    conversations = tape.read(written("nock", log)).conversations
    counts = [[entry.role for entry in one.load().messages] for one in conversations]
    assert counts == [
        ["system", "user", "assistant"],
        ["user", "assistant", "user", "assistant"],
        ["user", "assistant", "user", "assistant"],
    ]
    streamed = tape.load(written("har", [(OPENAI, chat, f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n")]))
    assert streamed.messages[-1].text == "Two"


@EVERY
def test_a_log_that_is_cut_or_damaged_is_read_without_raising(form: str) -> None:
    data = written(form, [TITLE, *TWO])
    for place in range(1, len(data), 97):
        for bad in (
            data[:place],
            data[:place] + b"\x00" + data[place + 1 :],
            data[:place] + data[place + 40 :],
        ):
            for one in tape.read(bad).conversations:
                session = one.load()
                assert tape.dump(session).data == bad


def test_a_cassette_that_names_its_parts_again_and_again_does_not_grow() -> None:
    bomb = "interactions: &a0 [x]\n" + "".join(
        f"k{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
    )
    assert tape.read(bomb.encode(), format="vcr").format == "vcr"


def test_the_list_says_how_many_bytes_the_last_call_takes() -> None:
    """The line of it, its bodies in a document, nothing where the text is no JSON; long numbers too."""
    asked, given = sent(ASKED, seed=2**70), got("msg_2", text("One file."))
    calls = [FIRST, (ANTHROPIC, asked, given)]
    sizes = {form: tape.read(written(form, calls)).conversations[0].size for form in WRITERS}
    bodies = len(json.dumps(asked)) + len(json.dumps(given))
    assert sizes["claude-trace"] == len(written("claude-trace", calls).splitlines()[-1])
    assert sizes["har"] == sizes["vcr-json"] == bodies
    assert sizes["nock"] == sum(
        len(json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode()) for one in (asked, given)
    )
    assert sizes["vcr"] is None


@pytest.mark.parametrize("tools", [True, 7, "ls", {"ls": 1}, [None, "ls", {"name": ["ls"]}]])
def test_tools_that_are_no_list_of_tools_are_read_over(tools: Any) -> None:
    """The two calls are still one conversation."""
    calls = [(url, {**asked, "tools": tools}, given) for url, asked, given in TWO]
    assert [title for title, _ in listed(calls)] == ["What is here?"]
