"""Inspect logs: every sample is a conversation, in a document, in a zip and in chunks."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session, Thinking, ToolResult, ToolUse
from tests.formats.inspect_files import HEADER, LOG, MESSAGES, chunked_log, flat_log, sample, zipped

FORMS = {
    "document": json.dumps(LOG).encode(),
    "flat": flat_log(),
    "without a header": flat_log("reductions.json"),
    "chunked": chunked_log(),
}
EACH = pytest.mark.parametrize("data", FORMS.values(), ids=FORMS)


@EACH
def test_a_sample_is_the_array_with_its_attachments_put_in(data: bytes) -> None:
    reading = tape.read(data)
    session = reading.conversations[0].load()
    assert (reading.format, reading.confidence) == ("inspect-log", 3)
    assert [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages] == [
        ("system", ["text"]),
        ("user", ["text"]),
        ("assistant", ["thinking", "text", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
        ("assistant", ["text"]),
    ]
    assert session.messages[0].text == "Use as few calls as you can."
    thinking, _, _, call = session.messages[2].blocks
    assert isinstance(thinking, Thinking)
    assert thinking.signature == "c2ln"
    assert isinstance(call, ToolUse)
    assert call.input == {"cmd": "Use as few calls as you can."}
    failed = session.messages[3].blocks[1]
    assert isinstance(failed, ToolResult)
    assert (failed.text, failed.is_error) == ("took too long", True)
    assert {link.state for link in tape.threads(session).links} == {"ok"}
    assert session.params == {"model": "up-1"}
    assert tape.dump(session).data == data


@EACH
def test_each_reply_has_the_usage_of_its_model_event(data: bytes) -> None:
    """The first is found by its id, the second by what it sent; 150 of its 155 tokens include 90 cached."""
    first, second = tape.load(data).calls
    assert first.usage is not None
    assert second.usage is not None
    assert (first.usage.input, first.usage.cache_read, first.usage.output) == (100, None, 20)
    assert (second.usage.input, second.usage.cache_read, second.usage.output) == (60, 90, 5)
    assert (second.model, second.stop_reason, second.at) == ("up-1-0203", "stop", "2026-02-03T04:05:06Z")


def test_input_that_leaves_out_what_was_cached_is_told_by_the_total() -> None:
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 105, "input_tokens_cache_read": 90}
    event = {"event": "model", "output": {"usage": usage, "choices": []}}
    one = sample(1, messages=[{"role": "assistant", "content": "Hi"}], events=[event])
    (call,) = tape.load(json.dumps({**HEADER, "samples": [one]}).encode()).calls
    assert call.usage is not None
    assert (call.usage.input, call.usage.cache_read, call.usage.prompt) == (10, 90, 100)


def test_samples_are_listed_by_id_and_epoch() -> None:
    listed = tape.read(flat_log()).conversations
    assert [(one.id, one.title) for one in listed] == [
        ("2_epoch_1", "2 (epoch 1): Task 2"),
        ("10_epoch_1", "10 (epoch 1): Task 10"),
    ]
    assert [one.id for one in tape.read(json.dumps(LOG).encode()).conversations] == ["1_epoch_1", "2_epoch_3"]


def changed(data: bytes, target: str, value: str) -> Any:
    op = {"op": "replace", "target": target, "value": value}
    return tape.dump(tape.apply(tape.load(data), from_json(op)))


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(
    ("data", "member"),
    [(flat_log(), "samples/2_epoch_1.json"), (chunked_log(), "samples/x_epoch_1/messages/3.json")],
)
def test_an_edit_goes_into_its_member(data: bytes, member: str) -> None:
    done = changed(data, "messages[4].content[0]", "Two files.")
    before, after = members(data), members(done.data)
    assert [note.kind for note in done.losses] == ["copies-left"]
    assert after.pop(member) == before.pop(member).replace(b"One file.", b"Two files.")
    assert after == before


@EACH
def test_an_attachment_that_nobody_changed_stays_a_name(data: bytes) -> None:
    done = changed(data, "messages[2].content[1]", "Let me see.")
    text = str(members(done.data)) if data.startswith(b"PK") else done.data.decode()
    assert "Let me see." in text
    assert "attachment://" in text


def test_new_messages_are_written_as_inspect_does() -> None:
    session = tape.load(json.dumps(LOG).encode())
    use = {"type": "tool_use", "id": "c9", "name": "bash", "input": {"cmd": "pwd"}}
    result = {"type": "tool_result", "tool_use_id": "c9", "content": "/srv"}
    new = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    done = tape.dump(tape.apply(session, from_json({"op": "append", "messages": new})))
    after = json.loads(done.data)["samples"][0]["messages"]
    assert after[: len(MESSAGES)] == MESSAGES
    assert after[len(MESSAGES) :] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c9", "function": "bash", "arguments": {"cmd": "pwd"}, "type": "function"}],
        },
        {"role": "tool", "content": "/srv", "tool_call_id": "c9"},
    ]


def test_calls_of_the_provider_are_answered_in_place() -> None:
    search = {"type": "tool_use", "tool_type": "web_search", "id": "w1", "name": "web_search"}
    content = [{**search, "arguments": '{"q": "x"}', "result": "found"}]
    one = sample(1, messages=[{"role": "assistant", "content": content}])
    (link,) = tape.threads(tape.load(json.dumps({**HEADER, "samples": [one]}).encode())).links
    assert link.state == "server"


def test_not_a_number_is_read_and_kept() -> None:
    data = json.dumps(
        {**HEADER, "samples": [sample(1, scores={"a": float("nan"), "b": float("inf")})]}
    ).encode()
    session: Session = tape.load(data)
    assert session.messages
    assert tape.dump(session).data == data


@pytest.mark.parametrize(
    "messages",
    [
        [None, {"role": "tool"}, {"role": "assistant", "tool_calls": [1, {"function": 2}], "content": [3]}],
        [{"role": "judge", "content": {"a": 1}}, {"content": [{"type": "reasoning"}, {"type": "image"}]}],
        [{"role": "tool", "error": "text", "content": [None, {"type": "text"}]}],
    ],
)
def test_odd_messages_are_read(messages: list[Any]) -> None:
    odd = sample(1, messages=messages, events=[1, {"event": "model"}, {"event": "model", "output": 3}])
    data = json.dumps({**HEADER, "samples": [None, odd]}).encode()
    session = tape.load(data)
    assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
    assert tape.dump(session).data == data


def test_an_archive_of_samples_alone_is_read() -> None:
    data = zipped({"samples/1_epoch_1.json": sample(1), "notes.json": {"a": 1}})
    reading = tape.read(data)
    assert reading.format == "inspect-log"
    assert len(reading.conversations[0].load().messages) == 5


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("inspect/popularity.eval", (30, 10, 10, 10, 0, 0)),
        ("inspect/chunked-ais-decoder.eval", (26, 2, 9, 2, 13, 13)),
    ],
)
def test_the_logs_have_their_counts(
    corpus: Callable[[str], Path], name: str, expected: tuple[int, ...]
) -> None:
    """Records, user, assistant, system, calls and results as in SOURCES.md, over all samples."""
    path = corpus(name)
    found: Counter[str] = Counter()
    for one in tape.read(path).conversations:
        session = one.load()
        assert session.report is not None
        found["records"] += session.report.records
        for entry in session.messages:
            found[entry.role] += any(head.kind != "tool_result" for head in entry.heads)
            found.update(head.kind for head in entry.heads)
        assert all(call.usage for call in session.calls)
        assert tape.dump(session).data == path.read_bytes()
    keys = ("records", "user", "assistant", "system", "tool_use", "tool_result")
    assert tuple(found[key] for key in keys) == expected
