"""Bedrock Converse: requests, responses, arrays, pairs, invocation logs and streams; edits in their place."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Image, Session, Thinking
from tests.formats.log_lines import document, lines

CALL = {"toolUse": {"toolUseId": "tooluse_1", "name": "ls", "input": {"path": "é", "depth": 5e-06}}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Look first", "signature": "c2ln"}}}
RESULT = {
    "toolResult": {
        "toolUseId": "tooluse_1",
        "content": [{"text": "a.txt"}, {"json": {"size": 3}}],
        "status": "error",
    }
}
PICTURE = {"image": {"format": "png", "source": {"bytes": "AA=="}}}
QUESTION = {
    "role": "user",
    "content": [{"text": "What is here?"}, PICTURE, {"cachePoint": {"type": "default"}}],
}
ASKED = [QUESTION, {"role": "assistant", "content": [THOUGHT, CALL]}, {"role": "user", "content": [RESULT]}]
SPEC = {"toolSpec": {"name": "ls", "description": "Lists", "inputSchema": {"json": {"type": "object"}}}}
USED = {"inputTokens": 10, "outputTokens": 7, "totalTokens": 47, "cacheReadInputTokens": 30}


def request(messages: list[Any]) -> dict[str, Any]:
    """The body of a request."""
    return {
        "modelId": "test.model-1",
        "system": [{"text": "You list files."}, {"cachePoint": {"type": "default"}}],
        "messages": messages,
        "inferenceConfig": {"maxTokens": 50, "stopSequences": ["END"]},
        "toolConfig": {"tools": [SPEC]},
    }


def answer(*content: Any, output: int = 7) -> dict[str, Any]:
    """The body of a response."""
    message = {"role": "assistant", "content": list(content)}
    return {
        "output": {"message": message},
        "stopReason": "end_turn",
        "usage": {**USED, "outputTokens": output},
    }


def logged(messages: list[Any], reply: dict[str, Any]) -> dict[str, Any]:
    """A line of an invocation log."""
    sides = {"input": {"inputBodyJson": request(messages)}, "output": {"outputBodyJson": reply}}
    return {"schemaType": "ModelInvocationLog", "operation": "Converse", "modelId": "test.model-1", **sides}


DONE = answer({"text": "One file."})
FIRST = answer(THOUGHT, CALL, output=5)
EVENTS: list[dict[str, Any]] = [
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Look "}}}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "first"}}}},
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "c2ln"}}}},
    {"contentBlockStop": {"contentBlockIndex": 0}},
    {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t1", "name": "ls"}}}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"path"'}}}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": ': "."}'}}}},
    {"contentBlockStop": {"contentBlockIndex": 1}},
    {"messageStop": {"stopReason": "tool_use"}},
    {"metadata": {"usage": USED, "metrics": {"latencyMs": 9}}},
]
WHOLE = [
    ("user", ["text", "image", "other"]),
    ("assistant", ["thinking", "tool_use"]),
    ("user", ["tool_result"]),
    ("assistant", ["text"]),
]
FILES = {
    "array": (document(ASKED), WHOLE[:3], 0),
    "request": (document(request(ASKED)), WHOLE[:3], 0),
    "response": (document(DONE), WHOLE[3:], 1),
    "both": (document([{"request": request(ASKED), "response": DONE}]), WHOLE, 1),
    "pairs": (
        lines(*({"input": request(m), "output": a} for m, a in ((ASKED[:1], FIRST), (ASKED, DONE)))),
        WHOLE,
        2,
    ),
    "log": (lines(logged(ASKED[:1], FIRST), logged(ASKED, DONE)), WHOLE, 2),
}
EVERY = pytest.mark.parametrize("name", FILES)


def kinds(session: Session) -> list[tuple[str, list[str]]]:
    """Each message as its role and the kinds of its blocks."""
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


@EVERY
def test_every_form_gives_the_messages(name: str) -> None:
    data, expected, spent = FILES[name]
    reading = tape.read(data)
    assert (reading.format, reading.confidence, len(reading.conversations)) == ("bedrock-converse", 3, 1)
    session = reading.conversations[0].load()
    assert kinds(session) == expected
    used = [u for call in session.calls if (u := call.usage)]
    assert [(u.input, u.cache_read, u.output) for u in used] == [(10, 30, 5), (10, 30, 7)][2 - spent :]
    assert session.notes == ()
    assert tape.dump(session).data == data


def test_blocks_and_facts_of_a_request_are_read() -> None:
    session = tape.load(document(request(ASKED)))
    thought, call = session.messages[1].blocks
    result = session.messages[2].blocks[0]
    assert isinstance(thought, Thinking)
    assert (thought.text, thought.signature) == ("Look first", "c2ln")
    assert (call.id, call.input) == ("tooluse_1", CALL["toolUse"]["input"])  # type: ignore[union-attr]
    assert (result.tool_use_id, result.is_error) == ("tooluse_1", True)  # type: ignore[union-attr]
    assert isinstance(session.messages[0].blocks[1], Image)
    assert (session.messages[0].blocks[1].media_type, session.messages[0].blocks[1].data) == (
        "image/png",
        "AA==",
    )
    assert (session.system, session.model) == ("You list files.", "test.model-1")
    assert (session.params["max_tokens"], session.params["stop_sequences"]) == (50, ["END"])
    assert [(tool.name, tool.input_schema) for tool in session.tools or ()] == [("ls", {"type": "object"})]
    assert [link.state for link in tape.threads(session).links] == ["ok"]


@pytest.mark.parametrize("name", [name for name in FILES if name != "response"])
def test_edits_change_only_their_values(name: str) -> None:
    session = tape.load(FILES[name][0])
    for op in (
        {"op": "replace", "target": "messages[0].content[0]", "value": "Was ist hier?"},
        {"op": "replace", "target": "messages[1].content[1]", "value": {**_call(), "name": "dir"}},
        {"op": "replace", "target": "messages[2].content[0]", "value": {**_result(), "is_error": False}},
        {"op": "append", "messages": [{"role": "user", "content": "Danke"}]},
    ):
        session = tape.apply(session, from_json(op))
    data = tape.dump(session).data
    again = tape.read(data).conversations[-1].load()
    assert again.messages[0].text == "Was ist hier?"
    assert again.messages[1].blocks[1].name == "dir"  # type: ignore[union-attr]
    assert again.messages[2].blocks[0].is_error is False  # type: ignore[union-attr]
    assert b"5e-06" in data
    assert "Danke" in [entry.text for entry in again.messages]


def _call() -> dict[str, Any]:
    use = CALL["toolUse"]
    return {"type": "tool_use", "id": use["toolUseId"], "name": use["name"], "input": use["input"]}


def _result() -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "tooluse_1", "content": "a.txt"}


def test_a_system_prompt_of_one_block_is_changed_in_its_place() -> None:
    data = document(request(ASKED))
    session = tape.apply(tape.load(data), from_json({"op": "set_system", "system": "Be brief."}))
    dumped = tape.dump(session)
    assert dumped.losses == ()
    assert dumped.data == data.replace(b"You list files.", b"Be brief.")


@pytest.mark.parametrize("write", [lambda events: lines(*events), document], ids=["lines", "list"])
def test_a_stream_is_put_together(write: Any) -> None:
    data = write(
        [*EVENTS, EVENTS[0], {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Do"}}}]
    )
    reading = tape.read(data)
    assert reading.format == "bedrock-converse"
    session = reading.conversations[0].load()
    assert kinds(session) == [("assistant", ["thinking", "tool_use"]), ("assistant", ["text"])]
    thought, call = session.messages[0].blocks
    assert (thought.text, call.input) == ("Look first", {"path": "."})  # type: ignore[union-attr]
    assert session.messages[0].meta["stop_reason"] == "tool_use"
    assert session.calls[0].usage is not None
    assert session.calls[0].usage.output == 7
    assert [note.kind for note in session.notes] == ["cut-stream"]
    assert tape.dump(session).data == data
    edited = tape.apply(session, from_json({"op": "replace", "target": "messages[1]", "value": "x"}))
    assert "change-kept-out" in [note.kind for note in tape.dump(edited).losses]
    left = tape.dump(tape.apply(session, from_json({"op": "delete", "targets": ["messages[0]"]})))
    assert kinds(tape.load(left.data)) == [("assistant", ["text"])]


@pytest.mark.parametrize("name", [*FILES, "stream"])
def test_what_is_cut_or_damaged_is_read_without_raising(name: str) -> None:
    data = lines(*EVENTS) if name == "stream" else FILES[name][0]
    for place in range(1, len(data), 41):
        for bad in (data[:place], data[:place] + b"7" + data[place + 1 :], data[:place] + data[place + 30 :]):
            for format in (None, "bedrock-converse"):
                for one in tape.read(bad, format=format).conversations:
                    assert tape.dump(one.load()).data == bad


@pytest.mark.parametrize(
    "content",
    [
        None,
        "text",
        5,
        [None],
        ["x"],
        [{"toolUse": None}],
        [{"toolResult": {}}],
        [{"reasoningContent": {}}],
        [{}],
    ],
)
def test_odd_content_is_kept_and_shown(content: Any) -> None:
    data = json.dumps(request([QUESTION, {"role": "robot", "content": content}])).encode()
    session = tape.load(data, format="bedrock-converse")
    assert session.messages[1].meta["unknown_role"] == "robot"
    assert tape.dump(session).data == data
