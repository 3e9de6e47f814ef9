"""What sending mends is no refusal: a session of another form beside the same array as it stands."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

import tape
from tape.model import Session
from tape.rules import lint
from tape.rules.sending import MENDED
from tape.samples import sample
from tape.wire import request, session_of
from tests.strategies import sessions

ARRAY = [{"role": "system", "content": "be terse"}, {"role": "user", "content": "hi"}]


def refused(session: Session) -> set[str]:
    """The codes of what the Claude API would refuse."""
    return {one.code for one in lint(session) if one.severity == "refused"}


def test_a_bare_array_that_starts_with_a_system_message_is_refused() -> None:
    (finding,) = lint(session_of({"messages": ARRAY}))
    assert (finding.code, finding.severity) == ("system-first-in-messages", "refused")
    assert finding.vendor_text


def test_in_a_chat_completions_file_it_is_moved_on_sending_and_only_a_hint() -> None:
    body = {"model": "gpt-6-luna", "messages": ARRAY, "temperature": None}
    session = tape.load(json.dumps(body).encode(), format="openai-chat")
    (finding,) = [one for one in lint(session) if one.code == "system-first-in-messages"]
    assert (finding.severity, finding.vendor_text) == ("hint", None)
    assert finding.text.endswith("Sending moves it to the top-level field.")
    assert request(session)["system"] == "be terse"
    assert refused(session) == set()
    assert [one.severity for one in lint(session, "openai-chat")] == []


def test_the_sample_in_openai_form_is_not_refused() -> None:
    assert refused(tape.load(sample("openai-form").files[0])) == set()


@settings(max_examples=150, deadline=None)
@given(start=sessions())
def test_what_is_milder_for_being_sent_is_gone_from_what_is_sent(start: Session) -> None:
    foreign = replace(start, format="openai-chat")
    spared = (refused(start) - refused(foreign)) & MENDED.keys()
    assert not spared & refused(session_of(request(foreign)))


@pytest.mark.parametrize("system", [" ", [{"type": "text", "text": ""}]])
def test_a_blank_system_prompt_goes_out_as_it_is(system: object) -> None:
    foreign = replace(session_of({"system": system, "messages": ARRAY[1:]}), format="openai-chat")
    assert refused(foreign) & {"blank-text", "empty-text"}
    assert refused(session_of(request(foreign))) & {"blank-text", "empty-text"}


def test_a_document_of_the_assistant_is_sent_as_its_text() -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "the report"}
    array = [ARRAY[1], {"role": "assistant", "content": [{"type": "document", "source": source}]}, ARRAY[1]]
    bare = session_of({"messages": array})
    assert refused(bare) == {"document-in-assistant"}
    foreign = replace(bare, format="claude-ai-export")
    assert [one.severity for one in lint(foreign) if one.code == "document-in-assistant"] == ["risky"]
    assert request(foreign)["messages"][1]["content"] == [{"type": "text", "text": "the report"}]


@pytest.mark.parametrize("endpoint", ["gemini", "bedrock", "mistral"])
def test_other_endpoints_get_what_stands_there(endpoint: str) -> None:
    array = [{"role": "user", "content": "hi"}, *ARRAY]
    bare = session_of({"messages": array})
    assert lint(bare, endpoint) == lint(replace(bare, format="openai-chat"), endpoint)
