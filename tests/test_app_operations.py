"""Operations on the whole array, on the page: looked at, asked about, done, undone."""

from __future__ import annotations

import json
from typing import Any

from components.operations_panel import CHOICE
from tape.checkpoints import describe
from tape.counting import Counter
from tape.kept_session import pack
from tape.rules import lint
from tape.wire import message_json
from tests.page_driver import Driver
from tests.strategies import answer, assistant, call, text, user

CHAT: list[Any] = [
    user("My name is Ada. Look at a.py and at line 42 of b.py."),
    assistant(text("I look."), call("a", "task", {"prompt": "Find the bug in a.py."})),
    user(answer("a", "a.py is fine")),
    assistant("All is fine."),
    user("Thanks."),
    assistant("You are welcome."),
]


def opened(*messages: Any, choice: str) -> Driver:
    driver = Driver()
    driver.upload("chat.json", json.dumps({"messages": list(messages)}).encode())
    driver.panel("Operations")
    driver.at.session_state[CHOICE] = choice
    driver.run()
    return driver


def key(driver: Driver, name: str) -> str:
    return f"{name}-{driver.page.seen}"


def greyed(driver: Driver) -> Any:
    """The stretches that the tape was told to grey when the page was drawn last."""
    return driver.page.cache["fading"][1]


def array(driver: Driver) -> list[Any]:
    return [message_json(entry) for entry in driver.session.messages]


def test_a_stretch_is_greyed_then_replaced_and_what_the_summary_lost_is_listed() -> None:
    driver = opened(*CHAT, choice="Compact")
    driver.at.slider(key=key(driver, "operation-stretch")).set_value((0, 2))
    driver.run()
    assert greyed(driver) == [(0, 3)]
    driver.at.segmented_control(key=key(driver, "summary-how")).set_value("By hand")
    driver.run()
    driver.at.text_area(key=key(driver, "summary-text")).set_value("a.py was looked at.")
    driver.run()
    assert "Compact messages 0–2 into a summary." in driver.words
    lost = next(one.value for one in driver.at.text if "b.py" in one.value and "messages" not in one.value)
    assert "42" in lost
    assert "Ada" in lost
    assert "a.py" not in lost.split(", ")
    driver.click("operate")
    assert array(driver) == [user("a.py was looked at."), *CHAT[3:]]
    driver.tape(do="undo")
    assert driver.session.untouched


def test_a_cut_that_would_tear_a_pair_moves_and_a_stretch_without_whole_pairs_is_refused_in_words() -> None:
    driver = opened(*CHAT, choice="Compact")
    driver.at.slider(key=key(driver, "operation-stretch")).set_value((0, 1))
    driver.run()
    assert greyed(driver) == [(0, 1)]
    driver.at.slider(key=key(driver, "operation-stretch")).set_value((1, 1))
    driver.run()
    assert greyed(driver) == []
    assert "There is no stretch of whole pairs to compact" in driver.words


def test_the_model_summarizes_and_both_arrays_are_asked_what_was_lost() -> None:
    driver = opened(*CHAT, choice="Compact")
    driver.at.segmented_control(key=key(driver, "summary-how")).set_value("By the model")
    driver.run()
    driver.click(key(driver, "summary-ask"))
    written = driver.at.text_area(key=key(driver, "summary-text")).value
    assert written is not None
    assert "The user's name is Ada." in written
    driver.at.text_area(key=key(driver, "summary-text")).set_value("Files were looked at.")
    driver.at.text_input(key=key(driver, "question")).set_value("What is my name?")
    driver.run()
    driver.click(key(driver, "ask-both"))
    told = [one.value for one in driver.at.text if "name" in one.value]
    assert told[-2].startswith("Your name is Ada.")
    assert told[-1].startswith("I cannot know your name")
    assert driver.session.untouched


def test_a_budget_greys_what_falls_off_and_is_kept() -> None:
    long = [m for n in range(12) for m in (user(f"question {n} {'x' * 300}"), assistant("y" * 300))]
    driver = opened(*long, choice="Fit")
    size = Counter().session(driver.session).total
    driver.at.slider(key=key(driver, "operation-budget")).set_value(size // 3)
    driver.run()
    ((start, end),) = greyed(driver)
    assert start == 0
    assert end % 2 == 0
    driver.click("operate")
    assert len(driver.session.messages) == len(long) - end
    assert Counter().session(driver.session).total <= size // 3
    driver.at.segmented_control(key=key(driver, "operation-strategy")).set_value("window")
    driver.run()
    driver.at.slider(key=key(driver, "operation-window")).set_value(1)
    driver.run()
    driver.click("operate")
    assert array(driver) == long[-2:]


def test_a_memory_goes_in_front_and_says_what_it_costs() -> None:
    driver = opened(*CHAT, choice="Memory")
    driver.at.text_area(key=key(driver, "operation-memory")).set_value("The user is called Ada.")
    driver.at.segmented_control(key=key(driver, "operation-memory-as")).set_value("user")
    driver.run()
    assert "Every later call sends about" in driver.words
    driver.click("operate")
    assert array(driver) == [user("The user is called Ada."), *CHAT]


def test_a_prefill_says_which_models_take_it() -> None:
    driver = opened(user("Sort this ticket."), choice="Prefill")
    driver.at.text_area(key=key(driver, "operation-prefill")).set_value('{"priority": ')
    driver.run()
    assert "Prefill is still taken by: claude-opus-4-5" in driver.words
    driver.click("operate")
    assert array(driver)[-1] == assistant('{"priority": ')


def test_neighbors_of_one_role_are_merged_for_a_strict_endpoint() -> None:
    driver = opened(user("One."), user("Two."), assistant("Yes."), choice="Strict form")
    assert "A strict endpoint refuses it for" in driver.words
    driver.click("make-strict")
    assert [f for f in lint(driver.session, "strict") if f.severity == "refused"] == []
    assert "takes the array as it is" in driver.words


def test_a_sub_agent_is_spawned_run_and_folded_into_its_call() -> None:
    start = [
        user("My name is Ada. Is all fine?"),
        assistant(call("a", "task", {"prompt": "What is my name?"})),
    ]
    driver = opened(*start, choice="Sub-agent")
    driver.at.selectbox(key=key(driver, "spawn-call")).set_value("m1.0")
    driver.run()
    assert driver.at.text_area(key=key(driver, "spawn-task-m1.0")).value == "What is my name?"
    driver.click("do-spawn")
    (lane,) = driver.session.lanes
    assert [message_json(entry) for entry in lane.session.messages] == [user("What is my name?")]
    driver.click("run-lane-0")
    assert array(driver) == start
    said = driver.session.lanes[0].session.messages[-1].text
    assert said.startswith("I cannot know your name")
    driver.click("fold-lane-0")
    assert array(driver) == [*start, user(answer("a", said))]
    for _ in range(3):
        driver.tape(do="undo")
    assert driver.session.lanes == ()
    assert driver.session.untouched


def test_a_state_is_kept_compared_gone_back_to_and_opened_elsewhere() -> None:
    driver = opened(*CHAT, choice="Checkpoint")
    driver.at.text_input(key=f"checkpoint-name-{driver.page.seen}-0").set_value("before the edit")
    driver.run()
    driver.click("keep-state")
    kept = driver.session
    driver.apply(op="delete", targets=[4, 5])
    driver.at.toggle(key="since-0").set_value(True)
    driver.run()
    assert "before the edit" in driver.words
    driver.click("go-back-0")
    assert driver.session is kept
    ((_, (state,)),) = [driver.page.cache["checkpoints"]]
    data = pack(state.session, describe(state.session, "id", "title", state.name))
    other = Driver()
    other.upload("state.tapedeck", data)
    assert array(other) == CHAT
