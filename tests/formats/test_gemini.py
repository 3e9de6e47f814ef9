"""Gemini bodies and Gemini CLI sessions: calls without ids, results inside calls, streams, rewinds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.edits import from_json
from tape.model import Document, Image, Session, Thinking, ToolResult, ToolUse
from tests.formats.agent_logs import lines
from tests.formats.gemini_files import (
    CLI_HEAD,
    CLI_MESSAGES,
    CLI_STREAM,
    CONTENTS,
    REQUEST,
    RESPONSE,
    STREAM,
    call,
    content,
    gave,
    piece,
)


def loaded(value: Any) -> Session:
    return tape.load(value if isinstance(value, bytes) else json.dumps(value).encode())


def shape(session: Session) -> list[tuple[str, list[str]]]:
    return [(entry.role, [head.kind for head in entry.heads]) for entry in session.messages]


def states(session: Session) -> list[str]:
    return [link.state for link in tape.threads(session).links]


ROUND = [
    ("user", ["text", "image"]),
    ("assistant", ["thinking", "tool_use", "tool_use"]),
    ("user", ["tool_result", "tool_result"]),
    ("assistant", ["text"]),
]


@pytest.mark.parametrize("value", [REQUEST, CONTENTS, {"history": CONTENTS}, lines(*CONTENTS)])
def test_contents_are_the_array_wherever_they_stand(value: Any) -> None:
    session = loaded(value)
    assert session.format == "gemini"
    assert shape(session) == ROUND
    assert states(session) == ["ok", "ok"]


def test_results_without_ids_go_to_calls_of_their_name_in_order() -> None:
    session = loaded(CONTENTS)
    _, hall, attic = session.messages[1].blocks
    first, second = session.messages[2].blocks
    assert isinstance(hall, ToolUse)
    assert isinstance(attic, ToolUse)
    assert isinstance(first, ToolResult)
    assert isinstance(second, ToolResult)
    assert (first.tool_use_id, second.tool_use_id) == (hall.id, attic.id)
    assert (first.text, first.is_error) == ("off", None)
    assert (second.text, second.is_error) == ("no bulb", True)
    assert hall.generated_id
    assert isinstance(session.messages[1].blocks[0], Thinking)


def test_a_request_has_its_system_prompt_tools_and_settings() -> None:
    session = loaded(REQUEST)
    assert session.system == "Be calm."
    assert [tool.name for tool in session.tools or ()] == ["lamp", "googleSearch"]
    assert session.params == {"temperature": 0.5}


def test_a_response_counts_cached_and_thought_tokens() -> None:
    """100 of the prompt include 60 cached; 7 were said and 5 thought."""
    (one,) = loaded(RESPONSE).calls
    assert one.usage is not None
    assert (one.usage.input, one.usage.cache_read, one.usage.output, one.usage.thinking) == (40, 60, 12, 5)
    assert (one.id, one.model, one.stop_reason) == ("r-1", "gem-test-1", "STOP")


def test_snake_case_is_read_too() -> None:
    asked = content("model", {"function_call": {"name": "f", "args": {}, "id": "1"}})
    told = content("user", {"function_response": {"name": "f", "id": "1", "response": {"result": "yes"}}})
    assert states(loaded({"system_instruction": "Hm", "contents": [asked, told]})) == ["ok"]


def test_a_pair_is_one_conversation() -> None:
    session = loaded({"request": {"contents": [content("user", "Bye")]}, "response": RESPONSE})
    assert [entry.text for entry in session.messages] == ["Bye", "Good night."]
    assert len(session.calls) == 1


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(STREAM).encode(),
        lines(*STREAM),
        "".join(f"data: {json.dumps(one)}\r\n\r\n" for one in STREAM).encode(),
    ],
    ids=["list", "lines", "events"],
)
def test_a_stream_is_one_reply_with_its_words_joined(data: bytes) -> None:
    session = loaded(data)
    assert shape(session) == [("assistant", ["thinking", "text", "tool_use"])]
    assert session.messages[0].text == "It is late."
    (one,) = session.calls
    assert one.usage is not None
    assert one.usage.output == 12
    assert tape.dump(session).data == data


def test_a_stream_that_breaks_off_says_so() -> None:
    session = loaded([piece("It "), piece("is")])
    assert session.messages[0].text == "It is"
    assert [note.kind for note in session.notes] == ["cut-stream"]


def test_code_that_the_provider_ran_is_answered_in_place() -> None:
    ran = content(
        "model",
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
        "One.",
    )
    session = loaded([content("user", "Run"), ran])
    assert states(session) == ["server"]


def test_files_are_pictures_and_documents() -> None:
    session = loaded(
        [
            content(
                "user",
                {"fileData": {"mimeType": "image/png", "fileUri": "gs://a/b.png"}},
                {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://a/b.pdf"}},
                {"inlineData": {"mimeType": "audio/wav", "data": "AAA="}},
            )
        ]
    )
    picture, pdf, sound = session.messages[0].blocks
    assert isinstance(picture, Image)
    assert isinstance(pdf, Document)
    assert isinstance(sound, Document)
    assert (picture.ref, pdf.ref, sound.data) == ("gs://a/b.png", "gs://a/b.pdf", "AAA=")


def test_a_session_of_the_agent_kit_skips_partial_events() -> None:
    events = [
        {"invocation_id": "1", "author": "user", "content": content("user", "Hi")},
        {"invocation_id": "1", "author": "ann", "partial": True, "content": content("model", "Hel")},
        {"invocation_id": "1", "author": "ann", "content": content("model", "Hello")},
    ]
    session = loaded({"id": "s", "app_name": "a", "events": events})
    assert [(entry.role, entry.text) for entry in session.messages] == [
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]


def test_a_save_of_the_studio_is_read() -> None:
    chunks = [
        {"text": "Hi", "role": "user"},
        {"text": "Greet", "role": "model", "isThought": True},
        {"text": "Hello", "role": "model"},
    ]
    session = loaded({"runSettings": {"model": "models/gem-test-1"}, "chunkedPrompt": {"chunks": chunks}})
    assert shape(session) == [("user", ["text"]), ("assistant", ["thinking", "text"])]
    assert session.params["model"] == "gem-test-1"


def test_an_edit_of_a_request_keeps_signatures() -> None:
    session = loaded(REQUEST)
    for op in (
        {"op": "replace", "target": "messages[3].content[0]", "value": "In none."},
        {"op": "set_system", "system": "Be quick."},
        {"op": "append", "messages": [{"role": "user", "content": "Thanks"}]},
    ):
        session = tape.apply(session, from_json(op))
    done = tape.dump(session)
    after = json.loads(done.data)
    assert done.losses == ()
    assert after["contents"][:3] == CONTENTS[:3]
    assert after["contents"][3:] == [content("model", "In none."), content("user", "Thanks")]
    assert after["systemInstruction"] == {"parts": [{"text": "Be quick."}]}


@pytest.mark.parametrize(
    "value",
    [
        [
            {"parts": [None, 1, {"functionCall": 3}, {"functionResponse": {}}, {}]},
            {"role": "user", "parts": []},
        ],
        {"contents": [content("wizard", "x"), content("user", "y"), content("model", gave("f"))]},
        {"candidates": [{"content": None}], "usageMetadata": {"promptTokenCount": "many"}},
        {"candidates": [{"content": {"parts": 3}, "finishReason": 4}], "usageMetadata": 5},
        {
            "sessionId": 1,
            "projectHash": 2,
            "messages": [None, {"type": 3}, {"type": "gemini", "toolCalls": [1]}],
        },
        {"sessionId": "a", "projectHash": "b", "messages": {"a": 1}},
    ],
)
def test_odd_data_is_read_and_comes_back(value: Any) -> None:
    data = json.dumps(value).encode()
    session = tape.load(data)
    assert all(len(entry.blocks) == len(entry.heads) for entry in session.messages)
    assert tape.dump(session).data == data


CLI_SHAPE = [
    ("user", ["text"]),
    ("assistant", ["thinking", "text", "tool_use", "tool_use", "tool_use"]),
    ("user", ["tool_result", "tool_result"]),
    ("assistant", ["text"]),
]


@pytest.mark.parametrize("value", [{**CLI_HEAD, "messages": CLI_MESSAGES}, lines(CLI_HEAD, *CLI_MESSAGES)])
def test_results_inside_calls_come_out(value: Any) -> None:
    session = loaded(value)
    assert session.format == "gemini-cli"
    assert shape(session) == CLI_SHAPE
    pairs = tape.threads(session)
    assert [link.state for link in pairs.links] == ["ok", "ok"]
    assert [one.id for one in pairs.unlinked] == ["c"]
    assert [head.flags for head in session.messages[2].heads] == [(), ("error",)]
    assert "info" in [aside.kind for aside in session.asides]


def test_counts_of_the_cli_include_cached_tokens_and_zeros_are_unknown() -> None:
    first, second = loaded({**CLI_HEAD, "messages": CLI_MESSAGES}).calls
    assert first.usage is not None
    assert (first.usage.input, first.usage.cache_read, first.usage.output) == (60, 40, 15)
    assert second.usage is None


def test_a_deleted_pair_takes_its_call_out_of_the_object() -> None:
    session = loaded({**CLI_HEAD, "messages": CLI_MESSAGES})
    op = {"op": "delete", "targets": ["messages[1].content[2]"], "partners": True}
    done = tape.dump(tape.apply(session, from_json(op)))
    assert done.losses == ()
    calls = json.loads(done.data)["messages"][2]["toolCalls"]
    assert [one["id"] for one in calls] == ["b", "c"]


def test_later_lines_replace_rewind_and_rebuild() -> None:
    said = {"id": "5", "type": "gemini", "content": "Draft"}
    data = lines(
        CLI_HEAD,
        CLI_MESSAGES[0],
        said,
        {**said, "content": "Final"},
        {"id": "6", "type": "user", "content": "No"},
        {"$rewindTo": "6"},
        {"$set": {"summary": "Listing"}},
    )
    session = loaded(data)
    assert [entry.text for entry in session.messages] == ["List it", "Final"]
    assert session.title == "Listing"
    assert [a.kind for a in session.asides if a.kind in ("replaced", "rewound")] == ["replaced", "rewound"]
    again = loaded(data + lines({"$set": {"messages": [CLI_MESSAGES[0]]}}))
    assert [entry.text for entry in again.messages] == ["List it"]


def test_an_unknown_rewind_clears_all() -> None:
    session = loaded(lines(CLI_HEAD, CLI_MESSAGES[0], {"$rewindTo": "gone"}, {**CLI_MESSAGES[3]}))
    assert [entry.text for entry in session.messages] == ["One file."]


def test_the_stream_of_the_cli_is_joined() -> None:
    session = loaded(lines(*CLI_STREAM))
    assert shape(session) == [
        ("user", ["text"]),
        ("assistant", ["text", "tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["text"]),
    ]
    assert session.messages[1].text == "I will."
    assert states(session) == ["ok"]
    cut = loaded(lines(*CLI_STREAM[:4]))
    assert "cut-stream" in [note.kind for note in cut.notes]


def test_the_session_of_the_cli_has_its_counts(corpus: Callable[[str], Path]) -> None:
    """SOURCES.md: 19 records, 5 user, 14 assistant, 11 calls, 11 results."""
    path = corpus("gemini-cli/session.json")
    session = tape.load(path)
    kinds = [head.kind for entry in session.messages for head in entry.heads]
    users = [e for e in session.messages if e.role == "user" and e.heads[0].kind != "tool_result"]
    assert len(json.loads(path.read_bytes())["messages"]) == 19
    assert (len(users), sum(e.role == "assistant" for e in session.messages)) == (5, 14)
    assert (kinds.count("tool_use"), kinds.count("tool_result")) == (11, 11)
    assert set(states(session)) == {"ok"}
    assert tape.dump(session).data == path.read_bytes()


def test_a_call_is_read_alone() -> None:
    assert shape(loaded([content("model", call("lamp", room="hall"))])) == [("assistant", ["tool_use"])]
