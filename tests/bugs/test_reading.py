"""Public reports about files that transcript tools did not survive: reading and giving back.

One test a report, named after its id in the project's list of reports.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Session, ToolResult, ToolUse
from tests.corpus import REPOSITORY


def load(value: Any, **more: Any) -> Session:
    return tape.load(json.dumps(value).encode(), **more)


def anthropic(*entries: Any) -> bytes:
    return json.dumps({"system": "s", "messages": entries}).encode()


def test_b02_an_unknown_block_is_shown_and_named() -> None:
    hologram = {"type": "hologram", "payload": {"x": 1}}
    data = anthropic(
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "text", "text": "b"}, hologram]},
    )
    session = tape.load(data)
    assert [head.kind for head in session.messages[1].heads] == ["text", "other"]
    assert session.messages[1].heads[1].name == "hologram"
    assert [(note.where, note.kind) for note in session.notes] == [
        ("messages[1].content[1]", "unknown-block")
    ]
    assert tape.dump(session).data == data


@pytest.mark.parametrize("content", ["absent", None, ""])
@pytest.mark.parametrize("form", ["openai", "anthropic"])
def test_b04_a_result_without_content_is_empty_and_linked(form: str, content: Any) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    use = {"type": "tool_use", "id": "c1", "name": "ls", "input": {}}
    result: dict[str, Any] = {"role": "tool", "tool_call_id": "c1"}
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": "c1"}
    if content != "absent":
        result["content"] = block["content"] = content
    array = (
        [{"role": "assistant", "content": None, "tool_calls": [call]}, result]
        if form == "openai"
        else [{"role": "assistant", "content": [use]}, {"role": "user", "content": [block]}]
    )
    text = json.dumps(array)
    session = tape.load(text.encode())
    assert [link.state for link in tape.threads(session).links] == ["ok"]
    head = session.messages[1].heads[0]
    assert (head.chars, "empty" in head.flags) == (0, True)
    assert tape.dump(session).data.decode() == text
    same = tape.convert(session, "openai-chat" if form == "openai" else "anthropic-messages")
    assert json.loads(same.data)["messages"] == array


def test_b05_arguments_that_are_no_object() -> None:
    given = ["", '{"q": "unfin', "[1,2]"]
    calls = [
        {"id": f"c{i}", "type": "function", "function": {"name": "f", "arguments": text}}
        for i, text in enumerate(given)
    ]
    array = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": f"c{i}", "content": "x"} for i in range(3)),
    ]
    text = json.dumps(array)
    session = tape.load(text.encode())
    blocks = [b for b in session.messages[1].blocks if isinstance(b, ToolUse)]
    assert [block.input for block in blocks] == [{}, '{"q": "unfin', "[1,2]"]
    assert ["bad-input" in head.flags for head in session.messages[1].heads] == [False, True, True]
    sent = [block["input"] for block in tape.request(session)["messages"][1]["content"]]
    assert sent == [{}, {"arguments": '{"q": "unfin'}, {"arguments": "[1,2]"}]
    carried = tape.load(tape.convert(session, "anthropic-messages").data)
    assert [b.input for b in carried.messages[1].blocks if isinstance(b, ToolUse)] == sent
    assert tape.dump(session).data.decode() == text
    assert json.loads(tape.convert(session, "openai-chat").data)["messages"] == array


B07 = (
    b'[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"cat","input":{"q":"\\ud83d"}}]},'
    b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"a",'
    b'"content":"caf\\udce9 and \\ud83d"}]}]'
)


def test_b07_a_lone_surrogate_is_replaced_with_one_note() -> None:
    session = tape.load(B07)
    result = session.messages[1].blocks[0]
    assert isinstance(result, ToolResult)
    assert result.text == "caf\ufffd and \ufffd"
    assert [note.kind for note in session.notes] == ["lone-surrogate"]
    assert tape.dump(session).data == B07
    for to in ("anthropic-messages", "openai-chat"):
        tape.convert(session, to).data.decode("utf-8")
    json.dumps(tape.request(session), ensure_ascii=False).encode("utf-8")
    call = json.dumps({"id": "a", "function": {"name": "f", "arguments": '{"q": "\\ud83d"}'}})
    spoken = tape.load(f'[{{"role":"assistant","tool_calls":[{call}]}}]'.encode())
    tape.convert(spoken, "anthropic-messages").data.decode("utf-8")


def test_b07_the_locale_does_not_matter() -> None:
    program = (
        "import sys, tape\n"
        f"session = tape.load({B07!r})\n"
        "sys.stdout.buffer.write(tape.convert(session, 'openai-chat').data)\n"
    )
    plain = {**os.environ, "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, env=plain, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "caf\ufffd and \ufffd" in done.stdout.decode("utf-8")


@pytest.mark.parametrize(("input", "kind"), [({}, "double-call"), ({"p": 1}, "double-call-differs")])
def test_b16_a_call_given_in_two_shapes_is_one_call(input: Any, kind: str) -> None:
    part = {"type": "tool_use", "id": "a", "name": "ls", "input": input}
    call = {"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    array = [
        {"role": "assistant", "content": [part], "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
    ]
    text = json.dumps(array)
    session = tape.load(text.encode())
    assert session.format == "openai-chat"
    assert [head.kind for head in session.messages[0].heads] == ["tool_use"]
    assert [note.kind for note in session.notes] == [kind]
    assert tape.dump(session).data.decode() == text
    assert json.loads(tape.convert(session, "openai-chat").data)["messages"][0]["tool_calls"] == [call]
    assert "tool_use" not in tape.convert(session, "openai-chat").data.decode()
    assert "tool_calls" not in tape.convert(session, "anthropic-messages").data.decode()
    value = {"type": "tool_use", "id": "a", "name": "ls", "input": {"p": 2}}
    after = tape.apply(session, from_json({"op": "replace", "target": "m0.0", "value": value}))
    again = tape.load(tape.dump(after).data)
    assert [b.input for b in again.messages[0].blocks if isinstance(b, ToolUse)] == [{"p": 2}]
    assert again.notes == ()


def test_b17_a_server_tool_is_paired_inside_its_message() -> None:
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    hit = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    said = {"role": "assistant", "content": [call, hit, {"type": "text", "text": "found"}]}
    session = tape.load(anthropic({"role": "user", "content": "q"}, said))
    assert [link.state for link in tape.threads(session).links] == ["server"]
    assert tape.threads(session).unlinked == ()
    after = tape.apply(session, from_json({"op": "delete", "targets": ["m1.0"]}))
    assert [head.kind for head in after.messages[1].heads] == ["text"]
    assert json.loads(tape.dump(after).data)["messages"][1]["content"] == [said["content"][2]]


def test_b37_an_error_in_a_stream_is_told_and_no_message_is_empty() -> None:
    busy = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    start = {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": []}}
    data = b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in (start, busy))
    session = tape.load(data)
    assert session.messages == ()
    assert [(aside.kind, aside.text) for aside in session.asides] == [("api-error", "overloaded_error: busy")]
    assert tape.dump(session).data == data
    request = {"messages": [{"role": "user", "content": "hi"}], "system": "s"}
    logged = load([{"request": request, "response": {"body": None, **busy}}])
    assert [entry.role for entry in logged.messages] == ["user"]
    assert [aside.text for aside in logged.asides] == ["overloaded_error: busy"]


@pytest.mark.parametrize("form", ["anthropic", "lines", "openai"])
def test_b44_one_huge_result_does_not_freeze_loading(form: str) -> None:
    huge = "y" * 10_000_000
    array: list[Any] = []
    for i in range(9):
        said = {"type": "tool_use", "id": f"t{i}", "name": "cat", "input": {}}
        if form == "openai":
            call = {"id": f"t{i}", "type": "function", "function": {"name": "cat", "arguments": "{}"}}
            array.append({"role": "assistant", "content": None, "tool_calls": [call]})
            array.append({"role": "tool", "tool_call_id": f"t{i}", "content": huge if i == 4 else "x"})
        else:
            heard = {"type": "tool_result", "tool_use_id": f"t{i}", "content": huge if i == 4 else "x"}
            array += [{"role": "assistant", "content": [said]}, {"role": "user", "content": [heard]}]
    array.append({"role": "assistant", "content": "done"})
    text = "\n".join(map(json.dumps, array)) if form == "lines" else json.dumps(array)
    started = time.perf_counter()
    session = tape.load(text.encode())
    assert time.perf_counter() - started < 3
    result = session.messages[9].blocks[0]
    assert isinstance(result, ToolResult)
    assert session.messages[9].heads[0].chars == len(huge) == len(result.text)
    assert tape.dump(session).data.decode() == text
