"""The rules about thinking: what an edit does to signed thinking, and where thinking must stand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import tape
from tape.assembly import Answer
from tape.edits import apply, from_json
from tape.growth import with_answer
from tape.model import Message, Session
from tape.rules import lint
from tests.rules.lints import found, told
from tests.strategies import answer, assistant, call, text, user

GO = user("go")
CODES = ("thinking-prefix-changed", "thinking-gap", "thinking-modified", "thinking-missing")


def thought(n: int, words: str = "hm") -> dict[str, Any]:
    """A signed thinking block."""
    return {"type": "thinking", "thinking": f"{words} {n}", "signature": f"c2ln{n}"}


ARRAY = [
    GO,
    assistant(thought(1), call("a")),
    user(answer("a")),
    assistant(thought(2), call("b")),
    user(answer("b")),
    assistant(thought(3), text("done")),
    user("thanks"),
]


def opened(model: str = "claude-opus-5-5", messages: list[Any] | None = None, **body: Any) -> Session:
    """The array as if read from a file."""
    body = {"model": model, "max_tokens": 100, **body, "messages": messages or ARRAY}
    return tape.load(json.dumps(body).encode())


def edited(session: Session, *operations: dict[str, Any]) -> Session:
    """The session after operations given as JSON."""
    for operation in operations:
        session = apply(session, from_json(operation))
    return session


def findings(session: Session) -> list[tuple[str, str, str]]:
    """What is found about edits of thinking."""
    return told(lint(session), *CODES)


def without(session: Session, *uids: str) -> Session:
    """The session with these blocks taken out, as a person's edit would do it."""
    messages = tuple(
        m.with_blocks(tuple(b for b in m.blocks if b.uid not in uids))
        if any(h.uid in uids for h in m.heads)
        else m
        for m in session.messages
    )
    return replace(session, messages=messages)


def resaid(session: Session, uid: str, **fields: str) -> Session:
    """The session with other fields in a thinking block."""

    def change(entry: Message) -> Message:
        blocks = tuple(replace(b, raw=None, **fields) if b.uid == uid else b for b in entry.blocks)
        return entry.with_blocks(blocks) if any(h.uid == uid for h in entry.heads) else entry

    return replace(session, messages=tuple(map(change, session.messages)))


def test_an_unedited_session_is_fine() -> None:
    assert findings(opened()) == []


@pytest.mark.parametrize(
    ("operation", "behind"),
    [
        ({"op": "replace", "target": "m0.0", "value": "stop"}, [1, 3, 5]),
        ({"op": "replace", "target": "m2.0", "value": "other"}, [3, 5]),
        ({"op": "replace", "target": "m6.0", "value": "no"}, []),
        ({"op": "append", "messages": [{"role": "user", "content": "and?"}]}, []),
        ({"op": "insert", "at": 1, "message": {"role": "user", "content": "well"}}, [2, 4, 6]),
        ({"op": "delete", "targets": ["m0"], "partners": False}, [0, 2, 4]),
        ({"op": "set_system", "system": "be terse"}, [1, 3, 5]),
        ({"op": "set_tools", "tools": [{"name": "ls", "input_schema": {"type": "object"}}]}, [1, 3, 5]),
    ],
)
def test_every_signed_block_behind_an_edit_is_bound_to_another_conversation(
    operation: dict[str, Any], behind: list[int]
) -> None:
    after = edited(opened(), operation)
    expected = [("thinking-prefix-changed", "refused", f"messages[{i}][0]") for i in behind]
    assert findings(after) == expected


@pytest.mark.parametrize(
    ("model", "severity"),
    [("claude-opus-5-5", "refused"), ("claude-opus-5", None), ("claude-fable-5", "risky")],
)
def test_only_some_models_check_the_prefix(model: str, severity: str | None) -> None:
    after = edited(opened(model), {"op": "replace", "target": "m0.0", "value": "stop"})
    assert {s for _, s, _ in findings(after)} == ({severity} if severity else set())


def test_the_text_says_who_is_refused_and_the_api_where_the_change_is() -> None:
    first = lint(edited(opened(), {"op": "replace", "target": "m2.0", "value": "other"}))[0]
    assert "accounts created since 2026-08-31" in first.text
    assert "messages[2].content[0]" in first.text
    assert str(first.vendor_text).startswith("messages.3.content.0: Invalid `signature` in `thinking` block.")
    assert str(first.vendor_text).endswith("first at `messages.2.content.0`.")


def test_a_request_that_lets_the_api_drop_it_is_not_refused() -> None:
    thinking = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    after = edited(opened(thinking=thinking), {"op": "replace", "target": "m0.0", "value": "stop"})
    assert findings(after) == []


def test_a_cache_mark_is_no_edit() -> None:
    marked = {"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}
    session = opened()
    first = session.messages[0]
    block = replace(first.blocks[0], extra={"cache_control": marked["cache_control"]}, raw=None)
    after = replace(session, messages=(first.with_blocks((block,)), *session.messages[1:]))
    assert findings(after) == []


@pytest.mark.parametrize(
    ("gone", "expected"),
    [
        (["m1.0"], []),
        (["m5.0"], []),
        (["m1.0", "m3.0"], []),
        (["m3.0", "m5.0"], []),
        (["m1.0", "m3.0", "m5.0"], []),
        (["m3.0"], [("thinking-gap", "refused", "messages[5][0]")]),
    ],
)
def test_thinking_may_go_from_either_end_but_not_from_the_middle(
    gone: list[str], expected: list[tuple[str, str, str]]
) -> None:
    assert findings(without(opened(), *gone)) == expected


def test_the_latest_turn_keeps_its_thinking_as_it_was() -> None:
    two = [*ARRAY[:5], assistant(thought(3), thought(4), text("done")), user("thanks")]
    session = opened(messages=two)
    latest = [("thinking-modified", "refused", "messages[5][0]")]
    assert findings(resaid(session, "m5.0", text="other words")) == latest
    assert findings(without(session, "m5.1")) == latest
    assert findings(without(session, "m5.0", "m5.1")) == []


def test_earlier_thinking_may_lose_its_seal_but_not_change_it() -> None:
    assert findings(resaid(opened(), "m1.0", signature="other")) == [
        ("thinking-modified", "refused", "messages[1][0]")
    ]
    assert findings(resaid(opened(), "m1.0", text="other")) == [
        ("thinking-modified", "risky", "messages[1][0]")
    ]


def test_a_live_answer_remembers_what_it_was_given() -> None:
    """Sessions that were never a file: edits before and after the answer are told apart."""
    asked = replace(opened(messages=[GO]), base=None)
    answered = Answer((thought(1), text("done")), id="r", model="claude-opus-5-5", stop_reason="end_turn")
    ran, _ = with_answer(asked, answered)
    assert findings(ran) == []
    later = edited(ran, {"op": "replace", "target": "m0.0", "value": "stop"})
    assert findings(later) == [("thinking-prefix-changed", "refused", "messages[1][0]")]
    before = edited(asked, {"op": "replace", "target": "m0.0", "value": "stop"})
    assert findings(with_answer(before, answered)[0]) == []


@pytest.mark.parametrize(
    ("thinking", "first", "severity"),
    [
        ({"type": "enabled", "budget_tokens": 2000}, [], "refused"),
        ({"type": "enabled", "budget_tokens": 2000}, [thought(1)], None),
        ({"type": "adaptive"}, [], None),
        (None, [], None),
    ],
)
def test_manual_thinking_must_open_the_turn_in_progress(
    thinking: Any, first: list[Any], severity: str | None
) -> None:
    body = {"thinking": thinking} if thinking else {}
    array = [GO, assistant(*first, call("a")), user(answer("a"))]
    expected = [("thinking-missing", severity, "messages[1]")] if severity else []
    assert told(found(array, model="claude-opus-4-5", **body), "thinking-missing") == expected
    assert (
        told(found([*array, assistant("x"), GO], model="claude-opus-4-5", **body), "thinking-missing") == []
    )


def test_adaptive_thinking_that_was_removed_is_a_hint() -> None:
    session = opened(messages=[GO, assistant(thought(1), call("a")), user(answer("a"))])
    assert findings(without(session, "m1.0")) == [("thinking-missing", "hint", "messages[1]")]


def test_where_thinking_may_not_stand() -> None:
    in_user = found([user(thought(1), text("x"))], model="claude-opus-5-5")
    assert told(in_user, "thinking-misplaced") == [("thinking-misplaced", "refused", "messages[0][0]")]
    at_end = found([GO, assistant(text("x"), thought(1)), GO], model="claude-opus-5-5")
    assert told(at_end) == [("thinking-misplaced", "refused", "messages[1][1]")]
    assert (
        at_end[0].vendor_text == "messages.1: The final block in an assistant message cannot be `thinking`."
    )
    fine = [GO, assistant(thought(1), text("x")), GO]
    assert told(found(fine, model="claude-opus-5-5")) == []


@pytest.mark.parametrize(("model", "count"), [("claude-opus-5-5", 0), ("claude-opus-4-5", 1), (None, 1)])
def test_signed_thinking_without_words_is_normal_for_newer_models_only(model: str | None, count: int) -> None:
    empty = {"type": "thinking", "thinking": "", "signature": "c2ln"}
    body = {"model": model} if model else {}
    findings = found([GO, assistant(empty, text("x")), GO], **body)
    assert (
        told(findings, "empty-signed-thinking")
        == [("empty-signed-thinking", "risky", "messages[1][0]")] * count
    )
