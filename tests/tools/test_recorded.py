"""Results taken from a recording: equal name and input, once each, in order."""

from __future__ import annotations

from tape.model import Text, ToolUse
from tape.tools.base import ToolOutput
from tape.tools.by_hand import TypedResults
from tape.tools.recorded import RecordedTools
from tests.strategies import answer, assistant, call, session, text, user

SESSION = session(
    user("go"),
    assistant(call("1", "read", {"path": "a", "n": 1}), call("2", "read", {"path": "b"})),
    user(answer("2", "b first"), answer("1", [text("a first")])),
    assistant(call("1", "read", {"n": 1, "path": "a"})),
    user(answer("1", "a second", is_error=True)),
    assistant(call("3", "read", {"path": "c"})),
    user("never mind"),
    assistant(call("4", "read", {"path": "empty"})),
    user({"type": "tool_result", "tool_use_id": "4"}),
)


def asked(path: str, **more: object) -> ToolUse:
    """A call, with an id of its own."""
    return ToolUse(id="new", name="read", input={"path": path, **more})


def test_each_recorded_result_is_used_once_and_in_order() -> None:
    recorded = RecordedTools(SESSION)
    first, second = recorded.take(asked("a", n=1)), recorded.take(asked("a", n=1))
    assert first is not None
    assert second is not None
    assert isinstance(first.content[0], Text)
    assert first.content[0].text == "a first"
    assert (second.content, second.is_error, second.origin) == ("a second", True, "replayed")
    assert recorded.take(asked("a", n=1)) is None


def test_ids_that_are_used_again_find_the_nearest_call() -> None:
    outcome = RecordedTools(SESSION).take(asked("b"))
    assert outcome is not None
    assert outcome.content == "b first"


def test_other_inputs_names_and_unanswered_calls_have_none() -> None:
    recorded = RecordedTools(SESSION)
    assert recorded.take(asked("c")) is None
    assert recorded.take(asked("a", n=2)) is None
    assert recorded.take(ToolUse(id="1", name="write", input={"path": "b"})) is None


def test_an_absent_result_text_is_empty() -> None:
    outcome = RecordedTools(SESSION).take(asked("empty"))
    assert outcome is not None
    assert outcome.content == ""


def test_typed_results_answer_by_id() -> None:
    typed = TypedResults({"new": ToolOutput("by me", is_error=True)})
    outcome = typed.take(asked("a"))
    assert outcome is not None
    assert (outcome.content, outcome.is_error, outcome.origin) == ("by me", True, "by hand")
    assert typed.take(ToolUse(id="other", name="read", input={})) is None
