"""Every situation of every agent's log, damaged: cut, flipped, with other values. Reading never raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tape
from tests.formats import (
    agent_logs,
    autogen_files,
    langchain_files,
    langsmith_files,
    mux_files,
    trace_files,
)
from tests.formats.laws import edited
from tests.formats.test_hostile_files import survives

SITUATIONS = (
    agent_logs.SITUATIONS
    | autogen_files.SITUATIONS
    | langchain_files.SITUATIONS
    | langsmith_files.SITUATIONS
    | mux_files.SITUATIONS
    | trace_files.SITUATIONS
)
NAMES = sorted(SITUATIONS)
EACH = pytest.mark.parametrize("name", NAMES)
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


@EACH
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_read(name: str, data: st.DataObject) -> None:
    survives(data.draw(damaged_bytes(SITUATIONS[name][1])))


@EACH
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_file_with_other_values_is_read_and_can_be_edited(name: str, data: st.DataObject) -> None:
    format, whole = SITUATIONS[name]
    other = data.draw(other_values(whole))
    survives(other)
    for conversation in tape.read(other, format=format).conversations:
        session = conversation.load()
        if session.format == format:
            assert isinstance(tape.dump(data.draw(edited(session))).data, bytes)
