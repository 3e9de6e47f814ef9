"""Writes the sample sessions again: ``python -m sample_sessions.generate``; the same bytes every time.

Most are runs of the loop on the embedded endpoint over a sample workspace, some of them damaged afterward
through operations, as a person would do it in the page. The titles and what to try are in ``index.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tape
from sample_sessions import claude_code
from tape.agent import run
from tape.client import MODEL, Client, embedded
from tape.edits import Append, Delete
from tape.model import Session, ToolSpec, ToolUse
from tape.run_events import Ended
from tape.samples import workspace
from tape.tools.base import Outcome, Source, specs
from tape.tools.bash import DESCRIPTION, NAME, SCHEMA
from tape.tools.files import WorkspaceTools, file_tools, reading_tools
from tape.tools.memory import MemoryWorkspace

FOLDER = Path(__file__).resolve().parent
PROGRAMMER = "You are a careful programmer. Look before you answer."
DESK = "You help the support desk."
RUN_BASH = ToolSpec(NAME, DESCRIPTION, SCHEMA)
# What pytest printed for the workspace with the fault and without it; kept here so that the sample does not
# change with the version of pytest.
FAILS = """\
F.                                                                       [100%]
=================================== FAILURES ===================================
___________________________________ test_add ___________________________________

    def test_add():
>       assert add(2, 3) == 5
E       assert -1 == 5
E        +  where -1 = add(2, 3)

test_calc.py:5: AssertionError
=========================== short test summary info ============================
FAILED test_calc.py::test_add - assert -1 == 5
1 failed, 1 passed in 0.02s
[exit code 1]"""
PASSES = """\
..                                                                       [100%]
2 passed in 0.01s
"""


class RecordedPytest:
    """Answers the calls that run the tests, by what stands in the workspace at that moment."""

    def __init__(self, files: MemoryWorkspace) -> None:
        self._files = files

    def take(self, call: ToolUse) -> Outcome | None:
        """What pytest printed, or ``None`` for any other call."""
        if call.name != RUN_BASH.name:
            return None
        fails = "return a - b" in self._files.read("calc.py")
        return Outcome(FAILS if fails else PASSES, fails, "replayed", "recorded from pytest")


def session(system: str | None = None, tools: tuple[ToolSpec, ...] | None = None) -> Session:
    """An empty session for the scripted model."""
    return Session(messages=(), system=system, tools=tools, params={"model": MODEL, "max_tokens": 1024})


def say(before: Session, *texts: str, role: str = "user") -> Session:
    """The session with messages at its end, from the given role and then alternating."""
    roles = [role, "assistant" if role == "user" else "user"]
    messages = [{"role": roles[i % 2], "content": words} for i, words in enumerate(texts)]
    return tape.apply(before, Append(tuple(messages)))


def answered(before: Session, *sources: Source) -> Session:
    """The session after the loop ran to its end on the embedded endpoint."""
    with Client(embedded(pace=0.0)) as client:
        *_, last = run(before, client, sources)
    assert isinstance(last, Ended)
    assert last.reason == "end_turn", last
    return last.session


def reading(name: str, system: str, question: str) -> Session:
    """A question answered with the two reading tools over a workspace."""
    tools = reading_tools(MemoryWorkspace(workspace(name), name))
    return answered(say(session(system, specs(tools)), question), WorkspaceTools(tools, name))


def fix_the_test() -> Session:
    """Six turns: list, test, read, edit, test, report."""
    files = MemoryWorkspace(workspace("calculator"), "calculator")
    tools = file_tools(files)
    start = say(session(PROGRAMMER, (*specs(tools), RUN_BASH)), "Fix the failing test.")
    return answered(start, WorkspaceTools(tools, "calculator"), RecordedPytest(files))


def remembers() -> Session:
    """Two questions in one array."""
    met = answered(say(session(), "Hello, my name is Ada."))
    return answered(say(met, "What is my name?"))


def times_three() -> Session:
    """A follow-up that needs the answer before it."""
    return answered(say(answered(say(session(), "What is 2 + 2?")), "Times 3?"))


def few_shot() -> Session:
    """Two examples by a person, then a ticket for the model."""
    examples = say(
        session("Sort each ticket: topic / urgency."),
        "Ticket: I was charged twice for March.",
        "billing / high",
        "Ticket: There is a small typo on the login page.",
        "login / low",
        "Ticket: The export crashes for everyone since noon.",
    )
    return answered(examples)


def two_tickets() -> Session:
    """Two calls at once, answered together."""
    return reading("tickets", DESK, "Read tickets 101 and 102 and tell me what each needs.")


def dangling_call() -> Session:
    """A call, and then the user speaks instead of the tool."""
    whole = reading("tickets", DESK, "Read ticket 101 and tell me what it needs.")
    return say(tape.apply(whole, Delete((2, 3), partners=False)), "Please continue.")


def three_calls_two_results() -> Session:
    """Three parallel calls, one of them without its answer."""
    whole = reading("tickets", DESK, "Read tickets 101, 102 and 103 and tell me what each needs.")
    return tape.apply(whole, Delete(("messages[2].content[1]", 3), partners=False))


RUNS: dict[str, Callable[[], Session]] = {
    "add-function": lambda: reading("calculator", PROGRAMMER, "Is the add function correct?"),
    "forgets": lambda: answered(say(session(), "What is my name?")),
    "remembers": remembers,
    "times-three": times_three,
    "two-tickets": two_tickets,
    "few-shot": few_shot,
    "fix-the-test": fix_the_test,
    "dangling-call": dangling_call,
    "three-calls-two-results": three_calls_two_results,
}


def files() -> dict[str, str]:
    """The text of every generated file by its path inside ``sample_sessions/``."""
    made = {f"{name}.json": _text(tape.request(make())) for name, make in RUNS.items()}
    chat = tape.convert(two_tickets(), "openai-chat").data
    return {**made, "openai-form.json": _text(json.loads(chat)), **claude_code.files()}


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def main() -> None:
    """Writes every file and says which changed."""
    for path, text in files().items():
        target = FOLDER / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text("utf-8") != text:
            target.write_text(text, "utf-8", newline="\n")
            print(f"written: {path}")


if __name__ == "__main__":
    main()
