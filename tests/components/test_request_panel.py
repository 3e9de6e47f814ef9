"""What a call sent: the positions of old and new messages, and sizes that add up to the whole request."""

from __future__ import annotations

import json

import pytest

from components.request_panel import sent_by
from tape.samples import sample
from tape.turns import turns
from tape.wire import request, session_of


@pytest.mark.parametrize(("call", "span"), [(1, (0, 0, 1)), (2, (0, 1, 3)), (3, (0, 3, 5)), (4, (0, 5, 6))])
def test_each_call_sends_the_array_so_far(call: int, span: tuple[int, int, int]) -> None:
    session = sample("add-function").load()
    sent = sent_by(session, turns(session), call)
    assert (sent.start, sent.new_from, sent.end) == span


def test_the_parts_are_the_whole_request() -> None:
    session = sample("add-function").load()
    sent = sent_by(session, turns(session), 4)
    whole = request(session)
    compact = len(json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode())
    glue = len(',"messages":[]') + len(session.messages) - 1
    assert sent.total == compact - glue
    assert "messages" not in sent.rest
    assert sent.rest["tools"] == whole["tools"]


def test_an_empty_array_sends_nothing_new() -> None:
    session = session_of({"messages": []})
    sent = sent_by(session, (), 1)
    assert (sent.start, sent.new_from, sent.end, sent.old_bytes, sent.new_bytes) == (0, 0, 0, 0, 0)
