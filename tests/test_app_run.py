"""Runs from the page: the array grows, a refusal changes nothing and is a card, results have a source."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from components.running import BROKE_OFF, Order, Run, start
from tape.client import custom, embedded
from tape.model import Session
from tests.page_driver import Driver

TOOLS = [
    {
        "name": "read_file",
        "description": "Reads a file.",
        "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
]
DANGLING = [
    {"role": "user", "content": "read a"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "a"}}],
    },
    {"role": "user", "content": "well?"},
]


def test_the_first_sample_runs_again_to_the_same_end() -> None:
    driver = Driver()
    before = driver.session
    driver.click("run-again")
    driver.finish()
    after = driver.session
    assert driver.page.run.fault == ""
    assert [m.role for m in after.messages] == [m.role for m in before.messages]
    assert after.messages[0] is before.messages[0]
    assert {m.provenance.origin for m in after.messages[1:] if m.role == "assistant"} == {"scripted"}
    assert [len(branch.messages) for branch in after.branches] == [len(before.messages) - 1]
    driver.tape(do="undo")
    assert driver.session is before


@pytest.mark.parametrize("mode", ["replay", "hybrid"])
def test_recorded_results_are_used_again(mode: str) -> None:
    driver = Driver()
    driver.click("sample-fix-the-test")
    before = driver.session
    driver.at.session_state[f"results-mode-{driver.page.seen}"] = mode
    driver.click("run-again")
    driver.finish()
    assert [m.role for m in driver.session.messages] == [m.role for m in before.messages]
    assert {m.provenance.origin for m in driver.session.messages[1:]} == {"scripted", "replayed"}
    assert driver.session.messages[-1].text == before.messages[-1].text


def test_the_array_is_seen_growing() -> None:
    driver = Driver()
    driver.page.beat = 0.05
    seen: list[int] = []
    driver.click("run-again")
    run = driver.page.run
    while run.active:
        seen.append(len(driver.session.messages))
        run.wait(0.02)
        driver.run()
    seen.append(len(driver.session.messages))
    assert seen == sorted(seen)
    assert len(set(seen)) >= 4


def test_the_same_run_gives_the_same_array() -> None:
    texts = []
    for _ in range(2):
        driver = Driver()
        driver.click("run-again")
        driver.finish()
        texts.append([m.text for m in driver.session.messages])
    assert texts[0] == texts[1]


@pytest.mark.parametrize("key", ["run-once", "run-loop"])
def test_a_broken_array_is_refused_on_the_tape_and_stays(key: str) -> None:
    driver = Driver()
    driver.upload("dangling.json", json.dumps(DANGLING).encode())
    before = driver.session
    driver.panel("Run")
    driver.click(key)
    driver.finish()
    assert driver.session is before
    assert "(400)" in driver.page.run.fault
    assert driver.page.run.fault in driver.words
    card = driver.page.run.card
    assert card["kind"] == "error"
    assert card["uids"] == ["m1.0"]
    assert json.dumps(card["title"]) in driver.at.get_by_key("tape").proto.json
    driver.apply(op="delete", targets=["m2"])
    assert driver.page.run.card is None


def test_a_refused_re_run_brings_the_tail_back() -> None:
    driver = Driver()
    driver.upload("dangling.json", json.dumps([*DANGLING, {"role": "assistant", "content": "so"}]).encode())
    before = driver.session
    driver.tape(do="run", mode="from", uid="m2")
    driver.finish()
    assert driver.page.run.fault
    assert driver.session is before


def test_the_tape_runs_from_a_message() -> None:
    driver = Driver()
    driver.tape(do="run", mode="from", uid=driver.session.messages[0].uid)
    driver.finish()
    assert driver.page.run.said.startswith("The model is done")
    assert driver.session.branches


def test_one_call_is_one_message() -> None:
    driver = Driver()
    driver.click("new-session")
    driver.apply(op="append", messages=[{"role": "user", "content": "What is 2 + 2?"}])
    driver.tape(do="run", mode="once")
    driver.finish()
    assert [m.role for m in driver.session.messages] == ["user", "assistant"]
    assert "4" in driver.session.messages[1].text


def test_a_person_is_the_harness() -> None:
    driver = Driver()
    driver.click("new-session")
    driver.apply(op="set_tools", tools=TOOLS)
    driver.apply(
        op="append", messages=[{"role": "user", "content": "Is the add function in calc.py correct?"}]
    )
    driver.tape(do="run", mode="loop")
    run = driver.page.run
    given = 0
    while run.active:
        run.wait(0.05)
        driver.run()
        if run.waiting is not None:
            uid = run.waiting.uid
            for _ in range(2):
                driver.tape(do="answer", uid=uid, text="def add(a, b): return a + b", is_error=given > 3)
            given += 1
    assert given >= 1
    results = [m for m in driver.session.messages if m.provenance.origin == "by hand"]
    assert len(results) >= 1
    assert all(block.text for m in results for block in m.blocks)


def test_a_run_is_stopped() -> None:
    driver = Driver()
    driver.page.beat = 30.0
    driver.click("run-again")
    assert driver.page.run.active
    assert "stop it to change the array" in driver.at.get_by_key("tape").proto.json
    driver.click("stop-above")
    driver.finish()
    assert driver.page.run.said == "Stopped, as asked."


def test_a_server_that_is_not_there_is_one_sentence() -> None:
    driver = Driver()
    before = driver.session
    order = Order(before, "Ran it", custom("http://127.0.0.1:9"))
    start(driver.page, order)
    driver.finish()
    assert driver.session is before
    fault = driver.page.run.fault
    assert fault.startswith("Nothing answers at http://127.0.0.1:9, or the connection was cut.")
    assert driver.page.run.can_retry


def test_the_claude_api_without_a_key_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    driver = Driver()
    driver.panel("Run")
    driver.at.session_state["target"] = "Claude API"
    driver.run()
    driver.click("run-again")
    assert driver.page.run is None
    assert "key" in driver.page.notice


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_that_dies_is_reported() -> None:
    class Breaks:
        def take(self, call: object) -> None:
            raise SystemExit

    driver = Driver()
    run = Run(driver.page.deck, Order(_asks(driver.session), "Ran it", embedded(), (Breaks(),), resume=True))
    driver.page.run = run
    run.begin()
    run.wait(10)
    driver.run()
    assert not run.active
    assert run.fault == BROKE_OFF
    driver.panel("Run")
    assert BROKE_OFF in driver.words


def _asks(session: Session) -> Session:
    """The session up to its first call."""
    at = next(i for i, m in enumerate(session.messages) if any(h.kind == "tool_use" for h in m.heads))
    return replace(session, messages=session.messages[: at + 1])


def test_a_run_ends_with_its_thread() -> None:
    driver = Driver()
    driver.click("run-again")
    driver.finish()
    assert [t.name for t in threading.enumerate() if t.name == "tapedeck run"] == []
