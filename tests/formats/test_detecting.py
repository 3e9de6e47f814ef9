"""Which format a file is in, why, what else it could be, and how to say otherwise."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.errors import UserError
from tape.formats import FORMATS

PLAIN = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}
CALL = {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f"}}]}


def read(value: Any, **more: Any) -> Any:
    return tape.read(value if isinstance(value, bytes) else json.dumps(value).encode(), **more)


@pytest.mark.parametrize(
    ("value", "format", "confidence"),
    [
        (PLAIN, "anthropic-messages", 2),
        ([{"role": "system", "content": "s"}, *PLAIN], "openai-chat", 2),
        ([*PLAIN, USE], "anthropic-messages", 3),
        ([*PLAIN, CALL], "openai-chat", 3),
        ({"messages": [*PLAIN, USE, CALL]}, "openai-chat", 3),
        ({"system": "s", "messages": PLAIN}, "anthropic-messages", 3),
        ({"messages": PLAIN, "tools": [{"name": "f", "input_schema": {}}]}, "anthropic-messages", 3),
        ({"messages": PLAIN, "tools": [{"type": "function", "function": {"name": "f"}}]}, "openai-chat", 3),
        ({"messages": []}, "anthropic-messages", 2),
        ([], "anthropic-messages", 2),
        ([PLAIN[0], None], "anthropic-messages", 2),
        ({"messages": [PLAIN[0], 5]}, "anthropic-messages", 2),
        (["a", "b", PLAIN[0]], "plain-text", 1),
        (PLAIN[0], "anthropic-messages", 2),
        ({"choices": [{"message": PLAIN[1]}]}, "openai-chat", 3),
        ({"rows": [{"data": {"log": PLAIN}}]}, "generic", 1),
        ({"data": json.dumps({"history": PLAIN})}, "generic", 1),
        ({"a": 1}, "plain-text", 1),
        ({"request": True}, "plain-text", 1),
        ("just a string", "plain-text", 1),
        (3, "plain-text", 1),
        (b"hello there", "plain-text", 1),
        (b"## User\n\nhi\n\n## Assistant\n\nhello\n", "plain-text", 1),
    ],
)
def test_formats_are_told_by_their_content(value: Any, format: str, confidence: int) -> None:
    reading = read(value, name="whatever.log")
    assert (reading.format, reading.confidence) == (format, confidence)
    assert reading.why
    session = reading.conversations[0].load()
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    assert tape.dump(session).data == data


def test_the_runners_up_are_named_with_their_reasons() -> None:
    reading = read(PLAIN)
    assert [name for name, _ in reading.runners_up] == ["openai-chat", "generic", "plain-text"]
    assert all(guess.why for _, guess in reading.runners_up)


def test_a_format_can_be_chosen() -> None:
    reading = read(PLAIN, format="openai-chat")
    assert reading.format == "openai-chat"
    assert "chosen by you" in reading.why
    assert reading.runners_up[0][0] == "anthropic-messages"
    assert reading.conversations[0].load().format == "openai-chat"


def test_a_format_that_finds_nothing_falls_back_to_text_with_a_note() -> None:
    reading = read({"a": 1}, format="openai-chat")
    assert [note.kind for note in reading.notes] == ["nothing-found"]
    assert len(reading.conversations[0].load().messages) == 1


@pytest.mark.parametrize(
    ("value", "chosen", "likely"),
    [
        (PLAIN, "gemini", "anthropic-messages"),
        ({"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]}, "openai-chat", "gemini"),
        ({"a": 1}, "gemini", ""),
    ],
)
def test_a_wrong_choice_is_named_with_what_the_file_looks_like(value: Any, chosen: str, likely: str) -> None:
    (note,) = read(value, format=chosen).notes
    assert f"({chosen}), as chosen" in note.text
    assert (f"choose {likely}, or no format" if likely else "Nothing in it looks like another") in note.text


def test_a_request_without_messages_reads_as_what_was_chosen() -> None:
    data = b'{"model": "gpt-4o", "messages": []}'
    reading = tape.read(data, format="openai-chat")
    session = reading.conversations[0].load()
    assert (session.format, len(session.messages), reading.notes) == ("openai-chat", 0, ())
    assert tape.dump(session).data == data


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(UserError) as caught:
        read(PLAIN, format="nope")
    assert all(one.name in caught.value.do for one in FORMATS)


def test_every_format_says_what_it_is() -> None:
    assert len({one.name for one in FORMATS}) == len(FORMATS)
    for one in FORMATS:
        assert one.name == one.name.lower().strip()
        assert one.label
        assert one.written_by
        assert one.evidence in ("files", "documentation")


def test_paths_open_files_and_several_files(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text(json.dumps([*PLAIN, USE]))
    second.write_text(json.dumps([*PLAIN, USE, USE]))
    assert tape.load(first).messages[0].text == "hi"
    assert tape.load(str(first)).messages[0].text == "hi"
    assert tape.load(io.BytesIO(first.read_bytes())).messages[0].text == "hi"
    reading = tape.read([first, second])
    assert [len(one.load().messages) for one in reading.conversations] == [3, 4]


def test_a_companion_without_a_conversation_is_left_out_with_a_note(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "meta.json"
    first.write_text(json.dumps([*PLAIN, USE]))
    second.write_text('{"agentType": "x"}')
    reading = tape.read([first, second])
    assert len(reading.conversations) == 1
    assert [(note.where, note.kind) for note in reading.notes] == [("meta.json", "no-transcript")]


@pytest.mark.parametrize("data", [b"", b"\n\n", bytes(range(8)) * 100])
def test_nothing_to_show_is_said(data: bytes) -> None:
    with pytest.raises(UserError):
        tape.read(data, name="x")


def test_the_generic_finder_opens_the_longest_and_offers_the_rest() -> None:
    document = {
        "runs": [{"traj": PLAIN}, {"traj": [*PLAIN, CALL, *PLAIN]}],
        "held": json.dumps([USE, *PLAIN]),
    }
    reading = read(document)
    assert reading.format == "generic"
    assert [one.size for one in reading.conversations] == [5, 3, 2]
    longest, held, _ = (one.load() for one in reading.conversations)
    assert "$.runs[1].traj as openai-chat" in longest.notes[0].text
    assert "$.held | $ as anthropic-messages" in held.notes[0].text
    after = tape.apply(held, from_json({"op": "replace", "target": "m1.0", "value": "new"}))
    done = json.loads(tape.dump(after).data)
    assert json.loads(done["held"])[1] == {"role": "user", "content": "new"}
    assert done["runs"] == document["runs"]
    after = tape.apply(longest, from_json({"op": "delete", "targets": [0]}))
    assert json.loads(tape.dump(after).data)["runs"][1]["traj"] == [PLAIN[1], CALL, *PLAIN]


def test_markdown_is_refused_as_a_transcript_and_shown_all_the_same() -> None:
    session = tape.load(b"# Session\n\n## User\n\nhi\n\n## Assistant\n\nhello\n")
    assert [note.kind for note in session.notes] == ["markdown"]
    assert session.messages[0].text.startswith("# Session")
    with pytest.raises(UserError, match="read as text"):
        tape.dump(tape.apply(session, from_json({"op": "replace", "target": 0, "value": "x"})))


def test_utf_16_and_a_bom_are_read_edited_and_given_back() -> None:
    text = json.dumps([*PLAIN, USE], ensure_ascii=False)
    for data in (text.encode("utf-16"), b"\xef\xbb\xbf" + text.encode()):
        session = tape.load(data)
        assert tape.dump(session).data == data
        after = tape.apply(session, from_json({"op": "replace", "target": 0, "value": "grüße"}))
        done = tape.dump(after).data
        assert done[:2] == data[:2]
        assert tape.load(done).messages[0].text == "grüße"


def test_every_file_of_the_corpus_opens_and_comes_back(corpus: Callable[[str], Path]) -> None:
    paths = [path for path in sorted(corpus(".").rglob("*")) if path.is_file()]
    assert len(paths) > 20
    for path in paths:
        if path.suffix in (".zip", ".eval"):
            continue
        for conversation in tape.read(path).conversations[:3]:
            assert tape.dump(conversation.load()).data == path.read_bytes(), path.name


def test_a_compressed_file_is_no_text() -> None:
    data = gzip.compress(json.dumps(PLAIN).encode())
    assert tape.load(data).messages[0].text == "hi"


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_model_call_late_in_a_long_trace_is_seen(wrapped: bool) -> None:
    """Thousands of spans of something else stand before it."""
    others = [{"traceId": "t", "spanId": str(i), "attributes": {"http.method": "GET"}} for i in range(5_000)]
    call = {"traceId": "t", "spanId": "x", "attributes": {"gen_ai.input.messages": "[]"}}
    spans = [*others, *[call] * 60]
    document = {"spans": spans} if wrapped else spans
    assert tape.read(json.dumps(document).encode()).format == "otel-genai"
