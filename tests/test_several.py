"""The same array run several times, and how alike the answers are."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from tape.agent import Ended, Limits, run
from tape.client import Client, custom, embedded
from tape.model import Session, ToolSpec
from tape.several import several, variety
from tape.tools.base import specs
from tape.tools.folder import sample_snapshot
from tape.tools.results import Results
from tests.loopback import RawServer, response
from tests.strategies import session, user
from tests.test_client import HALF, sse

ASKED = session(user("2+2?"))


def ended(events: list[tuple[int, object]]) -> list[Session]:
    """The session that each run ended with."""
    return [event.session for _, event in events if isinstance(event, Ended)]


def test_a_pure_function_gives_the_same_answer_every_time() -> None:
    events = list(several(ASKED, embedded(pace=0), Results("live"), 5))
    assert sorted({number for number, _ in events}) == [0, 1, 2, 3, 4]
    found = variety(ASKED, ended(list(events)))
    assert found.groups == ((0, 1, 2, 3, 4),)
    assert found.endings == ("2 + 2 = 4.",)
    assert found.sentence == "All 5 runs gave the same answer."


def test_different_answers_are_grouped() -> None:
    with Client(embedded(pace=0)) as client:
        *_, one = run(ASKED, client)
        *_, other = run(session(user("3+3?")), client)
    found = variety(ASKED, [one.session, other.session, one.session])
    assert found.groups == ((0, 2), (1,))
    assert found.endings == ("2 + 2 = 4.", "3 + 3 = 6.")
    assert found.sentence == "3 runs gave 2 different answers; as often as: 2, 1."


def test_each_run_has_a_workspace_of_its_own() -> None:
    asked = session(user("Fix calc.py"))
    results = Results("live", None, sample_snapshot("calculator"))
    with results.open(asked) as opened:
        declared = [tool for tool in opened.tools if tool.name != "run_bash"]
    start = replace(asked, tools=specs(declared))
    found = variety(start, ended(list(several(start, embedded(pace=0), results, 2))))
    assert len(found.groups) == 1
    assert found.endings[0].startswith("I changed calc.py.")


def test_a_stop_begins_no_other_run() -> None:
    stopped = threading.Event()
    numbers = []
    for number, event in several(ASKED, embedded(pace=0), Results("live"), 5, stop=stopped.is_set):
        numbers.append(number)
        if isinstance(event, Ended) and number == 1:
            stopped.set()
    assert set(numbers) == {0, 1}


def test_a_run_that_fails_does_not_keep_the_others_from_being_told() -> None:
    broken = response(200, sse(*HALF), kind="text/event-stream")
    with RawServer(broken).running() as url:
        events = list(several(ASKED, custom(url), Results("live"), 2, Limits(seconds=5)))
    assert [event.reason for _, event in events if isinstance(event, Ended)] == ["failed", "failed"]


def test_where_nobody_is_asked_a_run_ends() -> None:
    asked = session(user("Read calc.py"))
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    start = replace(asked, tools=(ToolSpec("read_file", "Reads.", schema),))
    events = list(several(start, embedded(pace=0), Results("replay"), 2))
    assert [event.reason for _, event in events if isinstance(event, Ended)] == ["needs_result"] * 2


@pytest.mark.parametrize("times", [0, 1])
def test_none_and_one(times: int) -> None:
    found = variety(ASKED, ended(list(several(ASKED, embedded(pace=0), Results("live"), times))))
    assert len(found.groups) == times
