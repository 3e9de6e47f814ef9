"""B19, B20: a response counts once, however many lines repeat it and however many files copy it."""

from __future__ import annotations

from typing import Any

import pytest

import tape
from tape.usage import lanes
from tape.usage import usage as spend
from tests.formats.claude_code_lines import Chain, shape, text, use


def usage(output: int, fresh: int = 10) -> dict[str, Any]:
    return {"input_tokens": fresh, "cache_read_input_tokens": 3 * fresh, "output_tokens": output}


@pytest.mark.parametrize("request_id", [None, "r1"])
@pytest.mark.parametrize("first", [usage(4), usage(0, 0)])
def test_b19_the_largest_of_each_field_counts_and_every_block_is_kept(first: Any, request_id: Any) -> None:
    chain = Chain()
    chain.user("go")
    fields = {"requestId": request_id} if request_id else {}
    chain.reply("m1", text("same"), usage=first, **fields)
    chain.reply("m1", text("same"), usage=usage(4), **fields)
    chain.reply("m1", use("a"), usage=usage(88), **fields)
    session = chain.load()
    assert shape(session)[1] == ("assistant", ["same", "same", "use:a"])
    (call,) = session.calls
    assert call.usage is not None
    assert (call.usage.input, call.usage.cache_read, call.usage.output) == (10, 30, 88)
    assert call.at == chain.lines[1]["timestamp"]


def line(kind: str, message: dict[str, Any], session: str, at: int) -> dict[str, Any]:
    fields = {"uuid": f"{session}-{at}", "parentUuid": None, "sessionId": session}
    return {"type": kind, "message": message, "timestamp": f"2026-03-01T10:00:{at:02}Z", **fields}


def chat(session: str, *pairs: tuple[str, str, str], start: int = 0) -> Chain:
    """Prompts with the response id and text that answered each."""
    chain = Chain(session)
    for n, (prompt, id, words) in enumerate(pairs):
        chain.lines.append(line("user", {"role": "user", "content": prompt}, session, start + 2 * n))
        reply = {"role": "assistant", "id": id, "content": [text(words)], "usage": usage(1)}
        chain.lines.append(line("assistant", reply, session, start + 2 * n + 1))
    return chain


def test_b20_a_copy_counts_once_and_a_namesake_in_full() -> None:
    parent = chat("a", ("u1", "m1", "a1"), ("u2", "m2", "a2"))
    resumed = chat("b", ("u1", "m1", "a1"), ("u2", "m2", "a2"), ("u3", "m3", "a3"))
    namesake = chat("c", ("unrelated", "m1", "text"), start=40)
    reading = tape.read([parent.bytes(), resumed.bytes(), namesake.bytes()])
    sessions = [one.load() for one in reading.conversations]
    inherited = [{m.uid for m in one.messages if m.meta.get("inherited")} for one in sessions]
    assert [len(uids) for uids in inherited] == [0, 4, 0]
    counted = [[call.id for _, calls in lanes(one) for call in calls] for one in sessions]
    assert counted == [["m1", "m2"], ["m3"], ["m1"]]
    assert [spend(one).total.output for one in sessions] == [2, 1, 1]
    assert spend(sessions[1]).inherited.output == 2
