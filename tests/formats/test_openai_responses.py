"""OpenAI Responses: bodies, items, streams and runs become the array that the model saw."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import tape
from tape.edits import from_json
from tape.model import Document, Image, Session, Text, Thinking, ToolResult, ToolUse
from tests.formats.agent_logs import lines
from tests.formats.provider_files import (
    MCP_CALL,
    RESPONSE,
    RESPONSES_REQUEST,
    RESPONSES_STREAM,
    RUN_STATE,
    asked,
    events,
    said,
    told,
)


def loaded(value: object) -> Session:
    return tape.load(
        value if isinstance(value, bytes) else json.dumps(value).encode(), format="openai-responses"
    )


def roles(session: Session) -> list[str]:
    return [entry.role for entry in session.messages]


def test_a_request_becomes_rounds_of_calls_and_results() -> None:
    session = loaded(RESPONSES_REQUEST)
    assert roles(session) == ["user", "assistant", "user", "assistant", "user"]
    assert [head.kind for head in session.messages[1].heads] == ["thinking", "tool_use", "tool_use"]
    assert [head.id for head in session.messages[2].heads] == ["call_2", "call_1"]
    assert session.system == "Answer briefly."
    assert [tool.name for tool in session.tools or ()] == ["weather"]
    assert session.params["model"] == "gpt-test"
    assert {link.state for link in tape.threads(session).links} == {"ok"}


def test_call_id_links_and_id_does_not() -> None:
    session = loaded([asked("call_1", "Brno"), told("fc_call_1", "Sun")])
    assert not tape.threads(session).links


def test_a_response_counts_cached_tokens_once() -> None:
    session = loaded(RESPONSE)
    (call,) = session.calls
    assert call.usage is not None
    assert (call.usage.input, call.usage.cache_read, call.usage.output) == (200, 700, 80)
    assert (call.id, call.model, call.stop_reason, call.usage.thinking) == (
        "resp_9",
        "gpt-test-1",
        "completed",
        50,
    )


def test_a_call_that_the_provider_answered_has_its_result_beside_it() -> None:
    session = loaded(RESPONSE)
    (link,) = tape.threads(session).links
    assert link.state == "server"
    use, result = session.messages[0].blocks[1:3]
    assert isinstance(use, ToolUse)
    assert (use.name, use.input, use.server) == ("lookup", {"q": "tea"}, True)
    assert isinstance(result, ToolResult)
    assert (result.text, result.is_error) == (MCP_CALL["output"], None)


def test_a_failed_call_of_the_provider_is_an_error() -> None:
    session = loaded([{**MCP_CALL, "output": None, "error": "no such shelf"}])
    result = session.messages[0].blocks[1]
    assert isinstance(result, ToolResult)
    assert (result.text, result.is_error) == ("no such shelf", True)


def test_a_stream_is_read_from_its_last_event() -> None:
    session = loaded(RESPONSES_STREAM)
    assert [head.kind for head in session.messages[0].heads] == [
        "thinking",
        "tool_use",
        "tool_result",
        "text",
    ]
    assert session.calls[0].usage is not None


def test_a_stream_that_breaks_off_shows_the_items_that_were_done() -> None:
    cut = RESPONSES_STREAM[: RESPONSES_STREAM.index(b"event: response.completed")]
    session = loaded(cut)
    assert [entry.text for entry in session.messages] == ["It stands on shelf four."]
    assert "cut-stream" in [note.kind for note in session.notes]


def test_two_streams_are_two_answers() -> None:
    second = {**RESPONSE, "id": "resp_10", "output": [said("assistant", "And tea again.")]}
    session = loaded(RESPONSES_STREAM + events({"type": "response.completed", "response": second}))
    assert [entry.text for entry in session.messages] == ["It stands on shelf four.", "And tea again."]
    assert [call.id for call in session.calls] == ["resp_9", "resp_10"]


def test_a_run_is_what_was_asked_and_what_it_made() -> None:
    session = loaded(RUN_STATE)
    assert roles(session) == ["user", "assistant", "user", "assistant"]
    assert session.messages[0].text == "Weather in Brno?"


def test_a_run_of_the_javascript_sdk_is_read_too() -> None:
    call = {"type": "function_call", "callId": "c1", "name": "weather", "arguments": "{}"}
    answer = {"type": "function_call_result", "callId": "c1", "output": {"type": "text", "text": "Sun"}}
    made = [{"type": "tool_call_item", "rawItem": call}, {"type": "tool_call_output_item", "rawItem": answer}]
    session = loaded({"$schemaVersion": "1.0", "originalInput": "Hello", "generatedItems": made})
    (link,) = tape.threads(session).links
    assert link.state == "ok"
    assert session.messages[2].blocks[0].text == "Sun"  # type: ignore[attr-defined]


@pytest.mark.parametrize("key", ["previous_response_id", "conversation"])
def test_a_request_that_goes_on_says_that_it_is_incomplete(key: str) -> None:
    session = loaded({"model": "gpt-test", "input": "And now?", key: "resp_1"})
    assert [entry.text for entry in session.messages] == ["And now?"]
    assert "incomplete-array" in [note.kind for note in session.notes]


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ({"type": "image_generation_call", "id": "ig_1", "result": "aGVsbG8="}, Image),
        ({"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "select 1"}, ToolUse),
        ({"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}}, ToolUse),
        ({"type": "computer_call", "call_id": "c", "action": {"type": "click"}}, ToolUse),
        ({"type": "web_search_call", "id": "ws_1", "action": {"query": "tea"}}, ToolUse),
        ({"type": "code_interpreter_call", "id": "ci_1", "code": "1+1"}, ToolUse),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, Thinking),
    ],
)
def test_every_item_of_the_model_is_a_block_of_it(item: dict[str, object], kind: type) -> None:
    session = loaded([item])
    assert roles(session) == ["assistant"]
    assert isinstance(session.messages[0].blocks[0], kind)


def test_a_screenshot_is_a_picture_in_the_result() -> None:
    shot = {"type": "computer_screenshot", "image_url": "data:image/png;base64,aGk="}
    session = loaded([{"type": "computer_call_output", "call_id": "c", "output": shot}])
    result = session.messages[0].blocks[0]
    assert isinstance(result, ToolResult)
    assert isinstance(result.content, tuple)
    assert isinstance(result.content[0], Image)


def test_a_file_is_a_document() -> None:
    part = {"type": "input_file", "filename": "plan.pdf", "file_id": "file-1"}
    session = loaded([{"role": "user", "content": [{"type": "input_text", "text": "Read"}, part]}])
    text, document = session.messages[0].blocks
    assert isinstance(text, Text)
    assert isinstance(document, Document)
    assert (document.title, document.ref) == ("plan.pdf", "file-1")


def test_what_is_only_named_is_said_to_be_missing() -> None:
    session = loaded([{"type": "item_reference", "id": "msg_1"}, said("user", "Go on")])
    assert "item-reference" in [note.kind for note in session.notes]
    assert [aside.kind for aside in session.asides] == ["item_reference"]


@pytest.mark.parametrize(
    "value",
    [
        [None, 3, {"type": "function_call"}, {"type": "function_call_output"}, {"type": "mcp_call"}],
        {"object": "response", "output": [{"type": "message", "content": {"a": 1}}, {"type": "reasoning"}]},
        {"$schemaVersion": 3, "generated_items": [1, {"raw_item": None}], "original_input": [[]]},
        {"model": "m", "input": [{"role": 3, "content": 4, "type": 5}]},
    ],
)
def test_odd_data_is_read_and_comes_back(value: object) -> None:
    data = json.dumps(value).encode()
    session = tape.load(data, format="openai-responses")
    for entry in session.messages:
        assert len(entry.blocks) == len(entry.heads)
    assert tape.dump(session).data == data


def test_an_edit_of_a_request_changes_only_that() -> None:
    data = json.dumps(RESPONSES_REQUEST, indent=1).encode()
    session = tape.load(data)
    for op in (
        {
            "op": "replace",
            "target": "messages[1].content[1]",
            "value": {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"town": "Linz"}},
        },
        {"op": "set_system", "system": "Answer at length."},
        {"op": "append", "messages": [{"role": "assistant", "content": "You are welcome."}]},
    ):
        session = tape.apply(session, from_json(op))
    done = tape.dump(session)
    after = json.loads(done.data)
    assert done.losses == ()
    assert json.loads(after["input"][2]["arguments"]) == {"town": "Linz"}
    assert after["instructions"] == "Answer at length."
    assert after["input"][8] == {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "You are welcome."}],
    }
    assert after["input"][3:8] == RESPONSES_REQUEST["input"][3:8]


def test_one_item_a_line_is_read() -> None:
    session = loaded(lines(*RESPONSES_REQUEST["input"]))
    assert roles(session) == ["user", "assistant", "user", "assistant", "user"]


def test_the_recorded_body_has_its_counts(corpus: Callable[[str], Path]) -> None:
    """SOURCES.md: 5 records, 1 message, 1 call, 0 results. The call's output stands inside its item and is
    shown as a block of its own, so there is 1 result here; a document is 1 record."""
    path = corpus("openai-responses/mcp-tool.json")
    reading = tape.read(path)
    session = reading.conversations[0].load()
    assert (reading.format, reading.confidence) == ("openai-responses", 3)
    kinds = [head.kind for entry in session.messages for head in entry.heads]
    assert roles(session) == ["assistant"]
    assert kinds == ["thinking", "tool_use", "tool_result", "thinking", "text"]
    assert len(session.asides) == 1
    assert len(json.loads(path.read_bytes())["output"]) == 5
    assert tape.dump(session).data == path.read_bytes()
