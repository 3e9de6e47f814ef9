"""Reasoning at OpenAI Responses and Gemini thought signatures: items that belong together, or are signed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tape.model import Base, Block, Session, Text, Thinking, ToolResult, ToolUse, message
from tape.rules import lint
from tests.rules.lints import told

WITHOUT = "was provided without its required"


def reasoning(uid: str, id: str | None = "rs_1") -> Block:
    """A reasoning item with or without the server's id."""
    return Thinking(uid=uid, text="hm", raw={"type": "reasoning", **({"id": id} if id else {})})


def asked(uid: str, id: str = "c1", **more: Any) -> Block:
    """A call item."""
    return ToolUse(uid=uid, id=id, name="ls", input={}, raw={"type": "function_call", "id": "fc_1", **more})


def responses(*blocks: Block) -> Session:
    """A Responses session: a question, these blocks as the answer, and a result for the call c1."""
    told_back = ToolResult(uid="m2.0", tool_use_id="c1", content="a.py")
    return Session(
        (
            message("m0", "user", (Text(uid="m0.0", text="go"),)),
            message("m1", "assistant", blocks),
            message("m2", "user", (told_back,)),
        ),
        format="openai-responses",
    )


def test_reasoning_with_an_id_wants_what_it_led_to() -> None:
    session = responses(asked("m1.0"), reasoning("m1.1"))
    (finding,) = lint(session, "openai-responses")
    assert told((finding,)) == [("reasoning-unpaired", "refused", "messages[1][1]")]
    assert finding.vendor_text == f"Item 'rs_1' of type 'reasoning' {WITHOUT} following item."
    assert lint(responses(asked("m1.0"), reasoning("m1.1", None)), "openai-responses") == ()
    assert lint(responses(reasoning("m1.0"), asked("m1.1")), "openai-responses") == ()


def test_what_an_edit_left_without_its_reasoning() -> None:
    whole = responses(reasoning("m1.0"), asked("m1.1"))
    whole = replace(whole, base=Base("openai-responses", (), whole.messages))
    first, answer, last = whole.messages
    cut = replace(whole, messages=(first, answer.with_blocks(answer.blocks[1:]), last))
    (finding,) = lint(cut, "openai-responses")
    assert finding.uids == ("m1.1",)
    assert finding.vendor_text == (f"Item 'fc_1' of type 'function_call' {WITHOUT} 'reasoning' item: 'rs_1'.")


@pytest.mark.parametrize(
    ("model", "signed", "severity"),
    [
        ("gemini-3.1-pro-preview", False, "refused"),
        ("gemini-3.1-pro-preview", True, None),
        ("gemini-2.5-pro", False, None),
        ("house-model", False, "risky"),
    ],
)
def test_gemini_3_wants_the_signature_of_the_turn_in_progress(
    model: str, signed: bool, severity: str | None
) -> None:
    session = replace(
        responses(asked("m1.0", **({"thoughtSignature": "c2ln"} if signed else {}))), format="gemini-api"
    )
    expected = [("thinking-missing", severity, "messages[1][0]")] if severity else []
    assert told(lint(session, "gemini", model), "thinking-missing") == expected
    later = message("m3", "user", (Text(uid="m3.0", text="and now?"),))
    over = replace(session, messages=(*session.messages, later))
    assert told(lint(over, "gemini", model), "thinking-missing") == []


def test_only_the_first_of_parallel_calls_is_signed() -> None:
    session = responses(asked("m1.0", thoughtSignature="c2ln"), asked("m1.1", "c2"))
    session = replace(session, format="gemini-api")
    assert told(lint(session, "gemini", "gemini-3.1-pro-preview"), "thinking-missing") == []
