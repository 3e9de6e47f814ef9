"""Every situation of every agent's log, damaged: cut, flipped, with other values. Reading never raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tape
from tape.formats.registry import FORMATS
from tests.formats import (
    agent_logs,
    autogen_files,
    export_files,
    gemini_files,
    inspect_files,
    langchain_files,
    langsmith_files,
    mux_files,
    provider_files,
    proxy_logs,
    pydantic_ai_files,
    trace_files,
    training_files,
    vercel_files,
)
from tests.formats.claude_code_lines import jsonl, text
from tests.formats.laws import edited
from tests.formats.test_hostile_files import survives
from tests.formats.test_stream_json import END, INIT, reply, user

SITUATIONS = (
    agent_logs.SITUATIONS
    | autogen_files.SITUATIONS
    | langchain_files.SITUATIONS
    | langsmith_files.SITUATIONS
    | mux_files.SITUATIONS
    | trace_files.SITUATIONS
    | export_files.SITUATIONS
    | gemini_files.SITUATIONS
    | inspect_files.SITUATIONS
    | provider_files.SITUATIONS
    | pydantic_ai_files.SITUATIONS
    | training_files.SITUATIONS
    | vercel_files.SITUATIONS
    | {"stream-json": ("claude-stream-json", jsonl(INIT, user("hé"), reply("msg_1", text("b")), END))}
    | {name: (kind, make(proxy_logs.TWO)) for name, (kind, make) in proxy_logs.WRITERS.items()}
)
PLAIN = sorted(name for name, (_, data) in SITUATIONS.items() if data.lstrip()[:1] in (b"{", b"["))
VALUES = st.sampled_from([None, True, 0, -1, 1.5, 10**30, "", "x", [], {}, [None], {"type": 1}])


@st.composite
def damaged_bytes(draw: Any, whole: bytes) -> bytes:
    """The file cut, with a byte flipped, or with a line dropped or repeated."""
    at = draw(st.integers(0, len(whole) - 1))
    lines = whole.split(b"\n")
    i = draw(st.integers(0, len(lines) - 1))
    match draw(st.sampled_from(["cut", "head", "flip", "drop", "repeat"])):
        case "cut":
            return whole[:at]
        case "head":
            return whole[at:]
        case "flip":
            return whole[:at] + bytes([draw(st.integers(0, 255))]) + whole[at + 1 :]
        case "drop":
            return b"\n".join(lines[:i] + lines[i + 1 :])
    return b"\n".join([*lines[:i], lines[i], *lines[i:]])


def changed(draw: Any, value: Any) -> Any:
    """The value with one value somewhere inside it changed, gone or doubled."""
    what = draw(st.sampled_from(["deeper", "deeper", "deeper", "other", "gone", "doubled"]))
    if isinstance(value, dict) and value and what != "other":
        key = draw(st.sampled_from(sorted(value)))
        if what == "gone":
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: changed(draw, value[key])}
    if isinstance(value, list) and value and what != "other":
        i = draw(st.integers(0, len(value) - 1))
        middle = {"gone": [], "doubled": [value[i], value[i]]}.get(what)
        return [*value[:i], *([changed(draw, value[i])] if middle is None else middle), *value[i + 1 :]]
    return draw(VALUES)


@st.composite
def other_values(draw: Any, whole: bytes) -> bytes:
    """The file, still JSON, with up to three other values in it."""
    try:
        records, join = [json.loads(whole)], "\n"
    except ValueError:
        records, join = [json.loads(line) for line in whole.splitlines()], "\n"
    for _ in range(draw(st.integers(1, 3))):
        i = draw(st.integers(0, len(records) - 1))
        records[i] = changed(draw, records[i])
    return join.join(map(json.dumps, records)).encode()


@pytest.mark.parametrize("name", sorted(SITUATIONS))
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_read(name: str, data: st.DataObject) -> None:
    survives(data.draw(damaged_bytes(SITUATIONS[name][1])))


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_a_file_with_other_values_is_read_and_can_be_edited(name: str, data: st.DataObject) -> None:
    format, whole = SITUATIONS[name]
    other = data.draw(other_values(whole))
    survives(other)
    for conversation in tape.read(other, format=format).conversations:
        session = conversation.load()
        if session.format == format:
            assert isinstance(tape.dump(data.draw(edited(session))).data, bytes)


ELSEWHERE = {
    "test_hostile_files": ("anthropic-messages", "openai-chat", "generic", "plain-text"),
    "test_claude_code_bad_input": ("claude-code",),
    "test_bedrock": ("bedrock-converse",),
}


def test_no_format_is_left_out() -> None:
    here = {kind for kind, _ in SITUATIONS.values()}
    assert here.union(*ELSEWHERE.values()) == {one.name for one in FORMATS}
