"""Edited Chat Completions files: what was edited comes back, what was not keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tape
from tape.formats.openai_write import chat_body
from tape.wire import session_of
from tests.formats.laws import STYLES, edited, elements, flat, untouched_elements
from tests.strategies import arrays

FORMS: dict[str, tuple[Any, tuple[str | int, ...]]] = {
    "bare": (lambda array: array, ()),
    "request": (lambda a: {"model": "m", "messages": a, "tools": [], "temperature": 5e-06}, ("messages",)),
    "row": (lambda a: {"id": 7, "conversations": a, "reward": 1e-7}, ("conversations",)),
}
QUIRKS = st.sampled_from(
    ["", "null", "absent", "empty", "name", "object", "reasoning", "no-id", "legacy", "odd-args"]
)


@st.composite
def chats(draw: Any) -> Any:
    """An array of the dialect, as our writer makes it, with the quirks of others."""
    array = chat_body(session_of({"messages": draw(arrays())}))[0]["messages"]
    for entry in array:
        quirk = draw(QUIRKS)
        calls = entry.get("tool_calls") or []
        if quirk == "null" and (calls or entry["role"] == "tool"):
            entry["content"] = None
        elif quirk == "absent" and (calls or entry["role"] == "tool"):
            entry.pop("content", None)
        elif quirk == "empty":
            entry["content"] = ""
        elif quirk == "name" and entry["role"] == "tool":
            entry |= {"name": "read_file", "ts": 1.5}
        elif quirk == "object" and calls:
            calls[0]["function"]["arguments"] = {"p": 1}
        elif quirk == "odd-args" and calls:
            calls[0]["function"]["arguments"] = draw(
                st.sampled_from(["", '{"q": "unfin', "[1,2]", '{"a":1 }'])
            )
        elif quirk == "reasoning" and entry["role"] == "assistant":
            entry["reasoning_content"] = "hm"
        elif quirk == "no-id":
            for call in calls:
                call.pop("id", None)
            entry.pop("tool_call_id", None)
        elif quirk == "legacy" and calls:
            entry["function_call"] = entry.pop("tool_calls")[0]["function"]
    return array


@pytest.mark.parametrize("form", FORMS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(array=chats(), style=st.sampled_from(sorted(STYLES)), data=st.data())
def test_an_edit_comes_back_and_the_rest_keeps_its_bytes(
    form: str, array: Any, style: str, data: Any
) -> None:
    wrap, path = FORMS[form]
    text = json.dumps(wrap(array), **STYLES[style]) + "\n"
    before = tape.read(text.encode(), format="openai-chat").conversations[0].load()
    assert tape.dump(before).data.decode() == text
    if before.base is None or before.base.format != "openai-chat":
        assert not array
        return
    after = data.draw(edited(before))
    done = tape.dump(after)
    new = done.data.decode()
    old = elements(text, path)
    assert set(elements(new, path)) >= {old[i] for i in untouched_elements(after, path)}
    if after.messages is before.messages and after.system == before.system:
        assert new == text
    if after.messages and not done.losses:
        again = tape.read(done.data, format="openai-chat").conversations[0].load()
        assert flat(again) == flat(after)
