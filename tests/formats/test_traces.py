"""Traces of OpenTelemetry, OpenInference and Langfuse: one array an agent; the innermost calls count."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

import tape
from tape.edits import from_json
from tape.formats.spans import spans
from tape.model import Image, Session, ToolResult, ToolUse
from tape.wire import session_of
from tests.formats.log_lines import document
from tests.formats.test_converting import told
from tests.formats.trace_files import (
    AGENT,
    ANSWER,
    FIRST,
    LATER,
    QUESTION,
    SECOND,
    SITUATIONS,
    chat,
    otlp,
    span,
)
from tests.strategies import arrays, bodies, well_formed

WHOLE = ["text", "thinking tool_use tool_use", "tool_result tool_result", "text"]
ONE_CALL = ["text", "text", "tool_use", "tool_result", "text"]
COUNTS = [(30, 10, 20), (40, 10, 10)]


def kinds(session: Session) -> list[str]:
    return [" ".join(head.kind for head in entry.heads) for entry in session.messages]


def spent(session: Session) -> list[Any]:
    return [(u.input, u.cache_read, u.output) for c in session.calls if (u := c.usage)]


@pytest.mark.parametrize(
    ("name", "array", "counts"),
    [
        ("otel-agent-of-two-calls", WHOLE, COUNTS),
        ("otel-lines", WHOLE, COUNTS),
        ("otel-messages", WHOLE, []),
        ("otel-result-in-the-span-of-the-tool", [*WHOLE[:2], "tool_result"], COUNTS[:1]),
        ("otel-events", ["text", "text", "text"], [(9, None, None)]),
        ("otel-flat-attributes", ["text", "tool_use"], []),
        ("otel-vercel", ["text", "tool_use", "tool_result", "text"], [(11, None, 3)]),
        ("openinference-flat", ONE_CALL, [(40, 20, 4)]),
        ("openinference-objects", ONE_CALL, [(40, 20, 4)]),
        ("langfuse-trace", ONE_CALL, [(40, 20, 4)]),
        ("langfuse-strings", ONE_CALL, [(40, 20, 4)]),
    ],
)
def test_a_trace_is_the_array_of_its_fullest_call(name: str, array: list[str], counts: list[Any]) -> None:
    format, data = SITUATIONS[name]
    reading = tape.read(data)
    assert (reading.format, reading.confidence, len(reading.conversations)) == (format, 3, 1)
    session = reading.conversations[0].load()
    assert kinds(session) == array
    assert spent(session) == counts
    assert {link.state for link in tape.threads(session).links} <= {"ok"}
    assert tape.dump(session).data == data


def test_an_outer_span_repeats_what_the_inner_ones_used() -> None:
    agent = {**AGENT, "attributes": span("1", "", chat([QUESTION], ANSWER, 90, 30))["attributes"]}
    session = tape.load(document(otlp(agent, FIRST, SECOND)))
    assert spent(session) == COUNTS


def test_agents_with_other_prompts_are_conversations_of_their_own() -> None:
    other = {"role": "user", "parts": [{"type": "text", "content": "Sort these shells."}]}
    data = document(otlp(FIRST, SECOND, span("9", "chat", chat([other], ANSWER, 5, 5), start=20)))
    assert [one.title for one in tape.read(data).conversations] == [
        "When is high tide?",
        "Sort these shells.",
    ]


def test_spans_without_content_say_so_and_take_no_messages() -> None:
    session = tape.load(SITUATIONS["otel-without-content"][1])
    assert session.messages == ()
    assert "leave content out unless they are told to capture it" in session.notes[0].text
    new = {"op": "append", "messages": [{"role": "user", "content": "hi"}]}
    dumped = tape.dump(tape.apply(session, from_json(new)))
    assert dumped.data == SITUATIONS["otel-without-content"][1]
    assert "no place for new ones" in dumped.losses[0].text


@pytest.mark.parametrize(
    ("name", "target", "old"),
    [
        ("otel-agent-of-two-calls", "messages[0].content[0]", "When is high tide?"),
        ("otel-agent-of-two-calls", "messages[3].content[0]", "At noon, then at one."),
        ("otel-console", "messages[2].content[0]", "at noon"),
        ("otel-messages", "messages[3].content[0]", "At noon, then at one."),
        ("otel-flat-attributes", "messages[0].content[0]", "When is high tide?"),
        ("openinference-flat", "messages[1].content[0]", "When is high tide?"),
        ("openinference-objects", "messages[4].content[0]", "At noon."),
        ("langfuse-trace", "messages[1].content[0]", "When is high tide?"),
        ("langfuse-strings", "messages[4].content[0]", "At noon."),
    ],
)
def test_new_words_go_where_the_old_ones_stood(name: str, target: str, old: str) -> None:
    """In the fullest call alone: the earlier ones keep their copies, which is said."""
    data = SITUATIONS[name][1]
    changed = tape.apply(
        tape.load(data), from_json({"op": "replace", "target": target, "value": "Low tide?"})
    )
    dumped = tape.dump(changed)
    assert {note.kind for note in dumped.losses} <= {"copies-left"}
    assert dumped.data.count(b"Low tide?") == 1
    assert old.encode() not in dumped.data or dumped.data.count(old.encode()) < data.count(old.encode())
    again = [one.load() for one in tape.read(dumped.data).conversations]
    found = [
        s for s in again if "Low tide?" in [getattr(b, "text", "") for m in s.messages for b in m.blocks]
    ]
    assert [len(one.messages) for one in found] == [len(changed.messages)]


def test_a_message_that_is_deleted_leaves_the_attribute() -> None:
    session = tape.load(document(otlp(SECOND)))
    changed = tape.apply(session, from_json({"op": "delete", "targets": ["messages[1].content[2]"]}))
    dumped = tape.dump(changed)
    assert dumped.losses == ()
    again = tape.load(dumped.data)
    assert kinds(again) == ["text", "thinking tool_use", "tool_result", "text"]


def test_what_stands_in_no_attribute_of_its_own_stays_and_is_said() -> None:
    session = tape.load(SITUATIONS["otel-events"][1])
    dumped = tape.dump(tape.apply(session, from_json({"op": "replace", "target": 1, "value": "Low tide?"})))
    assert dumped.data == SITUATIONS["otel-events"][1]
    assert "response-kept" in {note.kind for note in dumped.losses}


def test_numbers_in_names_of_attributes_sort_as_numbers() -> None:
    data = document(otlp(span("8", "LLM", {"openinference.span.kind": "LLM", **LATER})))
    session = tape.load(data)
    assert [entry.text for entry in session.messages] == [f"said {n}" for n in range(12)]


def test_media_of_the_conventions_are_images_and_documents() -> None:
    parts: list[Any] = [
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "aGk="},
        {"type": "uri", "modality": "image", "uri": "https://example.org/a.png"},
    ]
    data = document([{"role": "user", "parts": [*parts, {"type": "text", "content": "Which?"}]}, ANSWER])
    first, second, _ = tape.load(data).messages[0].blocks
    assert isinstance(first, Image)
    assert isinstance(second, Image)
    assert (first.media_type, first.data) == ("image/png", "aGk=")
    assert second.ref == "https://example.org/a.png"


def test_a_cut_attribute_is_shown_as_far_as_it_goes_or_not_at_all() -> None:
    whole = chat([QUESTION], ANSWER, 5, 5)
    cut = {**whole, "gen_ai.input.messages": whole["gen_ai.input.messages"][:40]}
    data = document(otlp(span("2", "chat", cut)))
    session = tape.load(data)
    assert kinds(session) == ["text"]
    assert tape.dump(session).data == data


@pytest.mark.parametrize(
    "odd",
    [
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": 3, "attributes": [None, {"key": 1}]}]}]}]},
        {"data": [{"spans": [{"spanID": "1", "tags": [{"key": "gen_ai.x", "value": None}]}]}]},
        [{"span_id": "1", "attributes": {"gen_ai": {"input": {"messages": 4}}}}],
    ],
)
def test_odd_spans_are_read(odd: Any) -> None:
    assert spans([(0, odd)])
    reading = tape.read(json.dumps(odd).encode())
    assert all(one.load() is not None for one in reading.conversations)


@settings(max_examples=60, deadline=None)
@given(array=well_formed())
def test_a_span_keeps_calls_results_ids_and_texts(array: Any) -> None:
    session = session_of({"model": "claude-opus-5-5", "max_tokens": 9, "messages": array})
    reading = tape.read(tape.convert(session, "otel-genai").data)
    assert (reading.format, reading.confidence) == ("otel-genai", 3)
    assert told(reading.conversations[0].load()) == told(session)


@settings(max_examples=60, deadline=None)
@given(body=bodies(arrays()))
def test_any_array_becomes_a_span(body: Any) -> None:
    done = tape.convert(session_of(body), "otel-genai")
    assert json.loads(done.data)["resourceSpans"]
    assert tape.read(done.data, format="otel-genai").conversations[0].load() is not None


def test_a_span_keeps_the_system_prompt_the_tools_and_the_last_usage() -> None:
    start = tape.load(SITUATIONS["otel-agent-of-two-calls"][1])
    done = tape.convert(start, "otel-genai")
    assert [note.text for note in done.losses] == [
        "The usage of 1 earlier calls was left out: a span is one call."
    ]
    again = tape.load(done.data)
    assert (again.system, [tool.name for tool in again.tools or ()]) == (start.system, ["tide"])
    assert spent(again) == COUNTS[1:]
    assert again.model == "made-up-2"
    assert tape.convert(start, "otel-genai").data == done.data


def test_an_error_of_a_tool_cannot_be_said() -> None:
    failed = session_of(
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "a", "name": "ls", "input": {}}],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "a", "content": "no", "is_error": True}
                    ],
                },
            ]
        }
    )
    done = tape.convert(failed, "otel-genai")
    assert any("cannot say that it is an error" in note.text for note in done.losses)
    call, result = (entry.blocks[0] for entry in tape.load(done.data).messages)
    assert isinstance(call, ToolUse)
    assert isinstance(result, ToolResult)
    assert result.tool_use_id == call.id == "a"
