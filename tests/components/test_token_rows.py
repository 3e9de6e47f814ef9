"""The rows of the chart: the unknown stays missing, long sessions stay honest, a row says what it sent."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

import tape
from components.take_tokens import as_parquet
from components.token_rows import BARS_JOINED, BARS_MAX, binned, cumulated, described, framed, rows
from tape.call_table import as_csv, call_table
from tape.model import Call, Lane, Provenance, Session, Usage
from tape.usage import usage
from tests.strategies import answer, assistant, call, session, user

OPUS = "claude-opus-5-5"


def row(n: int, fresh: int | None = 10, output: int | None = 5, **more: Any) -> dict[str, Any]:
    """One row of the frame, in tokens; money, caches and marks where they are given."""
    parts = [more.get("cache_read"), more.get("cache_write"), fresh]
    known = [part for part in parts if part is not None]
    found = {
        "turn": n,
        "uid": f"m{n}",
        "fresh": fresh,
        "output": output,
        "prompt": sum(known) if known else None,
        "estimated": False,
        "compacted": False,
        "edited": False,
    }
    return {**found, **more}


def recorded(array: Session, *prompts: int, **more: Any) -> Session:
    """The array with these prompts recorded in its turns, each answer of 10 tokens."""
    calls = tuple(
        Call(turn.message_uid, id=turn.message_uid, model=OPUS, usage=Usage(input=n, output=10))
        for turn, n in zip(tape.turns(array), prompts, strict=True)
    )
    return replace(array, calls=calls, **more)


ARRAY = session(
    user("go"),
    assistant(call("a", "<b>ls</b>")),
    user(answer("a")),
    assistant("done"),
    model=OPUS,
)


def test_the_running_sum_adds_what_each_call_sent() -> None:
    frame = framed([row(1, 10, 3, cache_write=5), row(2, 2, 4, cache_read=20)])
    assert list(frame["prompt"]) == [15, 22]
    assert list(frame["so_far"]) == [15, 37]


def test_an_unknown_prompt_is_missing_and_ends_the_running_sum() -> None:
    frame = framed([row(1), row(2, None), row(3)])
    assert frame["prompt"].isna().tolist() == [False, True, False]
    assert frame["so_far"].isna().tolist() == [False, True, True]


@pytest.mark.parametrize("count", [0, 1, 3, 40, BARS_MAX, BARS_MAX + 1, 2000, 9999])
def test_there_are_never_more_rows_than_can_be_told_apart(count: int) -> None:
    frame, size = binned(framed([row(n + 1, n) for n in range(count)]))
    assert len(frame) <= (BARS_MAX if size == 1 else BARS_JOINED)
    assert len(frame) * size >= count


def test_a_bin_is_its_largest_call_with_its_own_sums_and_marks() -> None:
    found, size = binned(
        framed([row(n + 1, 100 if n == 3 else 1, agents=n or None, edited=n == 0) for n in range(10)]), most=2
    )
    assert size == 5
    assert found["turn"].tolist() == [4, 6]
    assert found["so_far"].tolist() == [104, 109]
    assert found["agents"].tolist() == [10, 35]
    assert found["edited"].tolist() == [True, False]


def test_parts_added_up_end_at_the_totals() -> None:
    frame = framed([row(1, 10, 3), row(2, 20, 4, cache_read=7)])
    summed = cumulated(frame)
    assert (summed["fresh"].iloc[-1], summed["cache_read"].iloc[-1], summed["output"].iloc[-1]) == (30, 7, 7)


def test_a_session_gives_its_tokens_and_its_money() -> None:
    made = recorded(ARRAY, 1_000_000, 2_000_000)
    frame = rows(made, tape.turns(made), usage(made))
    assert frame["prompt"].tolist() == [1_000_000, 2_000_000]
    assert frame["usd_fresh"].tolist() == [4.0, 8.0]
    assert frame["usd_so_far"].iloc[-1] == pytest.approx(12.0004)
    assert not frame["estimated"].any()
    unknown = replace(made, calls=tuple(replace(c, model="house-model-7b") for c in made.calls))
    assert rows(unknown, tape.turns(made), usage(unknown))["usd_prompt"].isna().all()


def test_what_a_turns_sub_agents_spent_stands_at_that_turn() -> None:
    helper = recorded(session(user("look"), assistant("seen"), model=OPUS), 5_000)
    made = recorded(ARRAY, 100, 200, lanes=(Lane(helper, "m1.0", "explore"), Lane(helper, None, "lost")))
    frame = rows(made, tape.turns(made), usage(made))
    assert frame["agents"].isna().tolist() == [False, True]
    assert frame["agents"].iloc[0] == 5_010
    assert frame["prompt"].tolist() == [100, 200]


def test_edits_and_compactions_are_marked_where_they_were_sent() -> None:
    edited = replace(ARRAY.messages[2], provenance=Provenance("edited"))
    made = replace(ARRAY, messages=(*ARRAY.messages[:2], edited, ARRAY.messages[3]))
    assert rows(made, tape.turns(made), usage(made))["edited"].tolist() == [False, True]
    summary = replace(ARRAY.messages[2], meta={"compact_summary": True})
    made = replace(ARRAY, messages=(*ARRAY.messages[:2], summary, ARRAY.messages[3]))
    assert rows(made, tape.turns(made), usage(made))["compacted"].tolist() == [False, True]


def test_a_row_says_what_was_sent_and_no_name_is_taken_for_markup() -> None:
    frame = rows(ARRAY, tape.turns(ARRAY), usage(ARRAY))
    assert described(ARRAY, tape.turns(ARRAY), frame) == [
        "sends 0 again, new: #0 user",
        "sends 1 again, new: #1 assistant calls &lt;b&gt;ls&lt;/b&gt;, #2 user, 1 result",
    ]


def test_the_table_that_is_taken_along_is_the_same_in_both_forms() -> None:
    made = recorded(ARRAY, 7, 9)
    made = replace(made, calls=tuple(replace(one, model="=cmd()") for one in made.calls))
    table = call_table(made, tape.turns(made), usage(made))
    as_text = as_csv(table).decode("utf-8").splitlines()
    again = pd.read_parquet(io.BytesIO(as_parquet(table)))
    assert as_text[0].split(",") == list(again.columns)
    assert as_text[1].startswith("1,'=cmd(),,,7,10,7,7,,")
    assert again["sent"].tolist() == [7, 9]
    assert again["cache_read"].isna().all()
