"""What a call without a count must have sent, judged by recorded calls beside it; and what comes next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tape.context import Counts, context_now
from tape.counting import Counter
from tape.model import Base, Call, Session, Text, Usage, message
from tests.strategies import answer, assistant, call, session, user

ARRAY = session(
    user("go"),
    assistant(call("a")),
    user(answer("a", "x" * 700)),
    assistant(call("b")),
    user(answer("b", "y" * 70)),
    assistant("done"),
)


def recorded(**prompts: int) -> Session:
    """The array with these prompts recorded, by message uid; every answer had 10 tokens."""
    calls = tuple(Call(uid, id=uid, usage=Usage(input=n, output=10)) for uid, n in prompts.items())
    return replace(ARRAY, calls=calls)


def prompts(made: Session) -> list[tuple[int | None, str]]:
    """Each turn's prompt and its source."""
    counts = Counts(made)
    return [(usage.prompt, usage.source) for usage in map(counts.of_turn, counts.turns)]


def grown(start: int, end: int) -> int:
    """Estimated tokens of the messages from one position to another."""
    return sum(Counter().messages(ARRAY.messages[start:end])[0])


@pytest.mark.parametrize("known", [{"m1": 20_000}, {"m5": 20_000 + grown(1, 5)}])
def test_what_a_recorded_call_shows_beyond_the_file_is_in_the_others_too(known: dict[str, int]) -> None:
    expected = [20_000, 20_000 + grown(1, 3), 20_000 + grown(1, 5)]
    found = prompts(recorded(**known))
    assert [n for n, _ in found] == expected
    assert sorted(source for _, source in found) == ["estimated", "estimated", "recorded"]


def test_the_recorded_call_before_is_nearer_than_the_one_behind() -> None:
    found = prompts(recorded(m1=20_000, m5=90_000))
    assert found[1] == (20_000 + grown(1, 3), "estimated")


def test_an_estimate_is_never_below_nothing() -> None:
    assert prompts(recorded(m5=1))[0] == (0, "estimated")


def test_after_a_compaction_the_next_call_sends_its_summary_and_what_follows() -> None:
    summary = message("s", "user", (Text(uid="s.0", text="z" * 350),), meta={"compact_summary": True})
    made = recorded(m1=20_000, m3=20_500, m5=20_600)
    made = replace(made, messages=(*made.messages, summary))
    hidden = 20_600 - grown(0, 5)
    assert context_now(made) == (hidden + 104, "estimated")


def test_a_system_prompt_that_was_set_is_in_the_next_call() -> None:
    made = recorded(m1=20_000, m3=20_500, m5=20_600)
    made = replace(made, base=Base("anthropic-messages", (), made.messages))
    assert context_now(made) == (20_610, "recorded")
    assert context_now(replace(made, system="w" * 350)) == (20_610 + 104, "estimated")
