"""Edited Anthropic files: what was edited comes back, what was not keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tape
from tests.formats.laws import STYLES, edited, elements, flat, untouched_elements
from tests.strategies import arrays

FORMS: dict[str, tuple[Any, tuple[str | int, ...]]] = {
    "bare": (lambda array: array, ()),
    "request": (
        lambda a: {"model": "claude-x", "system": "s", "messages": a, "temperature": 5e-06},
        ("messages",),
    ),
    "pairs": (
        lambda a: [
            {"request": {"model": "m", "max_tokens": 5, "system": "s", "messages": a}, "response": None}
        ],
        (0, "request", "messages"),
    ),
}


@pytest.mark.parametrize("form", FORMS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(array=arrays(), style=st.sampled_from(sorted(STYLES)), data=st.data())
def test_an_edit_comes_back_and_the_rest_keeps_its_bytes(
    form: str, array: Any, style: str, data: Any
) -> None:
    wrap, path = FORMS[form]
    text = json.dumps(wrap(array), **STYLES[style]) + "\n"
    before = tape.read(text.encode(), format="anthropic-messages").conversations[0].load()
    assert tape.dump(before).data.decode() == text
    if before.base is None or "spot" not in before.base.extra or before.base.format != "anthropic-messages":
        return
    after = data.draw(edited(before))
    done = tape.dump(after)
    new = done.data.decode()
    again = tape.read(done.data, format="anthropic-messages").conversations[0].load()
    if after.messages:
        assert flat(again) == flat(after)
    if not done.losses:
        assert again.system == after.system
    old = elements(text, path)
    assert set(elements(new, path)) >= {old[i] for i in untouched_elements(after, path)}
    if after.messages is before.messages and after.system == before.system:
        assert new == text
