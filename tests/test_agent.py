"""The loop on the embedded endpoint: what it appends, when it ends, and what it never does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tape.agent import (
    Ended,
    Event,
    Failed,
    Limits,
    MessageComplete,
    NeedsResult,
    Refused,
    RequestSent,
    ResultsAppended,
    Streamed,
    ToolFinished,
    ToolStarted,
    open_calls,
    run,
)
from tape.assembly import TextPiece
from tape.client import Client, custom, embedded
from tape.model import Session, ToolUse
from tape.samples import workspace
from tape.threads import threads
from tape.tools.base import Outcome, Source, ToolOutput, specs
from tape.tools.by_hand import TypedResults
from tape.tools.files import WorkspaceTools, reading_tools
from tape.tools.memory import MemoryWorkspace
from tape.tools.recorded import RecordedTools
from tape.wire import request
from tests.loopback import RawServer, response
from tests.strategies import answer, assistant, call, session, user
from tests.test_client import HALF, START, errors, sse

FILES = MemoryWorkspace(workspace("calculator"), "calculator")
TOOLS = WorkspaceTools(reading_tools(FILES), "calculator")


@pytest.fixture
def client() -> Iterator[Client]:
    """A client of the embedded endpoint, without a pause between pieces."""
    with Client(embedded(pace=0)) as opened:
        yield opened


def asked(question: str, *more: Any) -> Session:
    """A session with one question (or what follows it) and the reading tools."""
    return replace(session(user(question), *more), tools=specs(reading_tools(FILES)))


QUESTION = asked("Is the add function in calc.py correct?")


def ran(events: Sequence[Event]) -> tuple[Session, str]:
    """The session and the reason at the end of a run, whose events are checked for their order."""
    assert sum(isinstance(event, Ended) for event in events) == 1
    end = events[-1]
    assert isinstance(end, Ended)
    return end.session, end.reason


def shape(whole: Session) -> list[tuple[str, list[str]]]:
    """Roles and block kinds of an array."""
    return [(message.role, [head.kind for head in message.heads]) for message in whole.messages]


def test_the_array_grows_by_call_act_append(client: Client) -> None:
    events = list(run(QUESTION, client, [TOOLS]))
    whole, reason = ran(events)
    assert reason == "end_turn"
    reading = [("assistant", ["text", "tool_use"]), ("user", ["tool_result"])]
    assert shape(whole) == [("user", ["text"]), *reading, *reading, ("assistant", ["text"])]
    kinds = [type(e).__name__ for e in events if not isinstance(e, Streamed)]
    turn = ["RequestSent", "MessageComplete", "ToolStarted", "ToolFinished", "ResultsAppended"]
    assert kinds == [*turn, *turn, "RequestSent", "MessageComplete", "Ended"]
    assert [e.messages for e in events if isinstance(e, RequestSent)] == [1, 3, 5]
    sizes = [e.size for e in events if isinstance(e, RequestSent)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 3
    assert whole.messages[0] is QUESTION.messages[0]
    assert {link.state for link in threads(whole).links} == {"ok"}


def test_every_event_carries_the_session_so_far(client: Client) -> None:
    lengths = [len(event.session.messages) for event in run(QUESTION, client, [TOOLS])]
    assert lengths == sorted(lengths)
    assert set(lengths) == {1, 2, 3, 4, 5, 6}


def test_what_is_appended_says_where_it_comes_from(client: Client) -> None:
    whole, _ = ran(list(run(QUESTION, client, [TOOLS])))
    origins = [message.provenance.origin for message in whole.messages]
    assert origins == ["recorded", "scripted", "workspace", "scripted", "workspace", "scripted"]
    assert whole.messages[2].provenance.note == "workspace calculator"
    assert [call.message_uid for call in whole.calls] == [whole.messages[n].uid for n in (1, 3, 5)]
    prompts = [call.usage.prompt for call in whole.calls if call.usage]
    assert prompts == sorted(set(prompts))
    assert len({call.id for call in whole.calls}) == 3
    assert len({message.uid for message in whole.messages}) == 6


def test_streamed_text_is_the_text_of_the_message(client: Client) -> None:
    events = list(run(QUESTION, client, [TOOLS], once=True))
    said = "".join(e.piece.text for e in events if isinstance(e, Streamed) and isinstance(e.piece, TextPiece))
    assert said == ran(events)[0].messages[1].text


def test_once_makes_one_call_and_carries_nothing_out(client: Client) -> None:
    whole, reason = ran(list(run(QUESTION, client, [TOOLS], once=True)))
    assert reason == "once"
    assert [c.name for c in open_calls(whole)] == ["read_file"]


def test_parallel_calls_are_answered_in_one_message_in_call_order(client: Client) -> None:
    files = MemoryWorkspace(workspace("tickets"), "tickets")
    start = replace(session(user("Read ticket 102 and ticket 101.")), tools=specs(reading_tools(files)))
    whole, _ = ran(list(run(start, client, [WorkspaceTools(reading_tools(files), "tickets")])))
    assert shape(whole)[1:3] == [
        ("assistant", ["text", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
    ]
    calls = [head.id for head in whole.messages[1].heads if head.kind == "tool_use"]
    assert [head.id for head in whole.messages[2].heads] == calls
    assert "Ticket 102" in str(request(whole)["messages"][2]["content"][0]["content"])


def test_an_unknown_tool_gets_an_honest_error(client: Client) -> None:
    whole, reason = ran(list(run(QUESTION, client)))
    assert reason == "end_turn"
    result = request(whole)["messages"][2]["content"][0]
    assert (result["content"], result["is_error"]) == ("There is no tool named 'read_file' here.", True)


class Raising:
    """A source whose tools break."""

    def take(self, call: ToolUse) -> Outcome | None:
        raise OSError("disk on fire")


def test_a_tool_that_raises_gets_an_honest_error(client: Client) -> None:
    events = list(run(QUESTION, client, [Raising()], Limits(calls=1)))
    whole, reason = ran(events)
    assert reason == "calls"
    assert [e.outcome.is_error for e in events if isinstance(e, ToolFinished)] == [True]
    result = request(whole)["messages"][2]["content"][0]
    assert (result["content"], result["is_error"]) == ("read_file failed: OSError: disk on fire", True)


def test_sources_are_asked_in_order(client: Client) -> None:
    original, _ = ran(list(run(QUESTION, client, [TOOLS])))
    recorded: list[Source] = [RecordedTools(original), TOOLS]
    whole, _ = ran(list(run(QUESTION, client, recorded)))
    assert [m.provenance.origin for m in whole.messages if m.role == "user"][1:] == ["replayed", "replayed"]
    assert request(whole)["messages"] == request(original)["messages"]


def test_a_person_can_be_the_harness(client: Client) -> None:
    loop = run(QUESTION, client, by_hand=True)
    asked_for: list[dict[str, Any]] = []
    event = next(loop)
    while not isinstance(event, Ended):
        if isinstance(event, NeedsResult):
            asked_for.append(event.call.input)
            event = loop.send(ToolOutput("def add(a, b):\n    return a + b\n"))
        else:
            event = next(loop)
    assert asked_for == [{"path": "calc.py"}, {"path": "test_calc.py"}]
    assert event.session.messages[2].provenance.origin == "by hand"
    assert event.session.messages[-1].text.startswith("Yes: add in calc.py is correct")


def test_a_run_that_nobody_answers_ends_and_can_be_resumed(client: Client) -> None:
    whole, reason = ran(list(run(QUESTION, client, by_hand=True)))
    assert reason == "needs_result"
    waiting = open_calls(whole)
    assert len(waiting) == 1
    typed = TypedResults({waiting[0].id: ToolOutput("No such file.", is_error=True)})
    events = list(run(whole, client, [typed, TOOLS], resume=True))
    assert isinstance(events[0], ToolStarted)
    assert ran(events)[1] == "end_turn"


def test_a_broken_array_is_refused_and_stays_as_it_is(client: Client) -> None:
    broken = asked("go", assistant(call("toolu_1")), user("and?"))
    events = list(run(broken, client))
    assert [type(event) for event in events] == [RequestSent, Refused]
    refused = events[-1]
    assert isinstance(refused, Refused)
    assert refused.status == 400
    assert refused.message.startswith("messages.1: `tool_use` ids were found without")
    assert refused.session is broken


def test_a_refusal_in_the_middle_keeps_the_turns_before_it(client: Client) -> None:
    class Rewriting:
        """A source whose result cannot be sent."""

        def take(self, call: ToolUse) -> Outcome | None:
            return Outcome((), False, "live", "nothing") if call.name else None

    whole, reason = ran(list(run(QUESTION, client, [Rewriting()])))
    assert reason == "end_turn"
    assert request(whole)["messages"][2]["content"][0]["content"] == []


@pytest.mark.parametrize(
    ("limits", "reason", "messages"),
    [
        (Limits(calls=1), "calls", 3),
        (Limits(calls=0), "calls", 1),
        (Limits(output_tokens=1), "output_tokens", 3),
        (Limits(seconds=0), "seconds", 1),
        (Limits(None), "end_turn", 6),
    ],
)
def test_limits_end_a_run_with_a_reason(client: Client, limits: Limits, reason: str, messages: int) -> None:
    whole, ended = ran(list(run(QUESTION, client, [TOOLS], limits)))
    assert ended == reason
    assert len(whole.messages) == messages


def test_time_that_runs_out_during_an_answer_keeps_what_had_come() -> None:
    with Client(embedded(pace=0.05)) as client:
        whole, reason = ran(list(run(asked("hello"), client, limits=Limits(seconds=0.3))))
    assert reason == "seconds"
    assert whole.messages[-1].meta["interrupted"] is True
    assert whole.messages[-1].text


def test_a_stop_during_an_answer_keeps_text_and_no_half_call(client: Client) -> None:
    events: list[Event] = []

    def stop() -> bool:
        return any(isinstance(e, Streamed) and type(e.piece).__name__ == "InputPiece" for e in events)

    for event in run(QUESTION, client, [TOOLS], stop=stop):
        events.append(event)
    whole, reason = ran(events)
    assert reason == "stopped"
    assert shape(whole) == [("user", ["text"]), ("assistant", ["text"])]
    assert whole.messages[1].meta["interrupted"] is True


def test_a_stop_between_calls_leaves_the_open_call(client: Client) -> None:
    events: list[Event] = []

    def stop() -> bool:
        return any(isinstance(event, MessageComplete) for event in events)

    for event in run(QUESTION, client, [TOOLS], stop=stop):
        events.append(event)
    whole, reason = ran(events)
    assert reason == "stopped"
    assert len(open_calls(whole)) == 1
    assert not any(isinstance(event, ToolStarted) for event in events)


def test_max_tokens_ends_a_run(client: Client) -> None:
    whole, reason = ran(list(run(replace(QUESTION, params={"max_tokens": 5}), client, [TOOLS])))
    assert reason == "max_tokens"
    assert not open_calls(whole)


def test_an_empty_answer_puts_no_message_into_the_session(client: Client) -> None:
    nothing = replace(asked("2+2?"), params={"stop_sequences": ["2"]})
    whole, reason = ran(list(run(nothing, client)))
    assert reason == "empty"
    assert len(whole.messages) == 1


BUSY = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        (errors(529, "overloaded_error", "busy"), 0),
        (response(200, sse(START, BUSY), kind="text/event-stream"), 0),
        (response(200, sse(*HALF), kind="text/event-stream"), 1),
        (b"", 0),
    ],
)
def test_b37_a_failure_leaves_the_session_intact(raw: bytes, kept: int) -> None:
    with RawServer(raw).running() as url, Client(custom(url), retries=0) as broken:
        failed = list(run(QUESTION, broken, [TOOLS]))[-1]
    assert isinstance(failed, Failed)
    assert failed.sentence
    assert len(failed.session.messages) == 1 + kept
    if kept:
        assert failed.session.messages[-1].text == "Half an ans"
        assert failed.session.messages[-1].meta["interrupted"] is True
    else:
        assert failed.session is QUESTION


def test_pause_turn_is_sent_back_as_it_stands() -> None:
    block = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Searching."}},
        {"type": "content_block_stop", "index": 0},
    ]
    paused = [{"type": "message_delta", "delta": {"stop_reason": "pause_turn"}}, {"type": "message_stop"}]
    server = RawServer(response(200, sse(START, *block, *paused), kind="text/event-stream"))
    with server.running() as url, Client(custom(url)) as pausing:
        whole, reason = ran(list(run(QUESTION, pausing, limits=Limits(calls=2))))
    assert reason == "calls"
    assert len(server.requests) == 2
    assert [m.provenance.origin for m in whole.messages[1:]] == ["live", "live"]
    assert whole.calls[0].stop_reason == "pause_turn"


def test_a_deleted_result_is_read_again(client: Client) -> None:
    whole, _ = ran(list(run(QUESTION, client, [TOOLS])))
    cut = replace(whole, messages=(*whole.messages[:1], *whole.messages[3:5]))
    events = list(run(cut, client, [TOOLS], once=True))
    assert [c.input for c in open_calls(ran(events)[0])] == [{"path": "calc.py"}]


def test_results_of_a_recording_keep_their_blocks(client: Client) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    recording = asked(
        "look", assistant(call("1", "read_file", {"path": "calc.py"})), user(answer("1", [image]))
    )
    whole, _ = ran(list(run(QUESTION, client, [RecordedTools(recording)], Limits(calls=1))))
    assert request(whole)["messages"][2]["content"][0]["content"] == [image]


def test_results_are_announced_when_they_are_in(client: Client) -> None:
    appended = [e for e in run(QUESTION, client, [TOOLS]) if isinstance(e, ResultsAppended)]
    assert [event.session.messages[-1].uid for event in appended] == [event.uid for event in appended]
