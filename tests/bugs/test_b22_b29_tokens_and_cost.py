"""B22, B23, B25, B26, B28, B29: what was counted twice, guessed from the wrong figure, or shown as free."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tape.counting import Counter
from tape.model import Call, Lane, Session, Usage
from tape.pricing import cost, price
from tape.usage import usage
from tape.usage_forms import anthropic, inclusive, openai, since
from tests.strategies import answer, assistant, call, session, user

KNOWN = "claude-opus-5-5"


def test_b22_a_sub_agent_adds_to_what_was_spent_and_not_to_the_context() -> None:
    helper = replace(
        session(user("look"), assistant("seen")),
        calls=(Call("m1", id="r2", model=KNOWN, usage=Usage(input=120_000, output=0)),),
    )
    main = session(
        user("go"), assistant(call("a", "Task")), user(answer("a")), assistant("done"), model=KNOWN
    )
    main = replace(
        main,
        lanes=(Lane(helper, "m1.0", "explore"),),
        calls=(
            Call("m1", id="r1", model=KNOWN, usage=Usage(input=20_000, output=0)),
            Call("m3", id="r3", model=KNOWN, usage=Usage(input=24_000, output=0)),
        ),
    )
    found = usage(main)
    assert [turn.usage.prompt for turn in found.turns] == [20_000, 24_000]
    assert found.context_now == 24_000
    assert found.total.spent == 164_000
    assert found.filled == 24_000 / 1_000_000
    unknown = usage(replace(main, params={"model": "house-model-7b"}))
    assert (unknown.window, unknown.filled) == (None, None)


def test_b23_a_counter_that_runs_on_counts_what_it_grew_by() -> None:
    def total(prompt: int, cached: int, output: int, reasoning: int) -> Usage:
        return inclusive(prompt, cache_read=cached, output=output, thinking=reasoning)

    first, second = total(1000, 800, 50, 30), total(2500, 2000, 120, 60)
    counted = [since(first, None), since(first, first), since(second, first)]
    assert [(u.input, u.cache_read, u.output, u.thinking) if u else None for u in counted] == [
        (200, 800, 50, 30),
        None,
        (300, 1200, 70, 30),
    ]
    assert since(first, first) is None, "a fork that starts at its parent's total has used nothing itself"


@pytest.mark.parametrize(
    ("found", "prompt", "fresh"),
    [
        (
            anthropic(
                {
                    "input_tokens": 7,
                    "cache_read_input_tokens": 90_000,
                    "cache_creation_input_tokens": 2000,
                    "output_tokens": 1,
                }
            ),
            92_007,
            7,
        ),
        (inclusive(92_007, cache_read=90_000, cache_write=2000), 92_007, 7),
        (openai({"prompt_tokens": 12_000, "prompt_tokens_details": {"cached_tokens": 11_500}}), 12_000, 500),
    ],
)
def test_b25_whether_input_includes_the_cache_belongs_to_the_format(
    found: Usage, prompt: int, fresh: int
) -> None:
    assert (found.prompt, found.input) == (prompt, fresh)


@pytest.mark.parametrize("model", [KNOWN, "claude-opus-4-5", "gpt-4.1", None])
def test_b26_a_picture_is_not_counted_as_text_in_either_carrier(model: str | None) -> None:
    data = "iVBORw0KGgoA" + "A" * 400_000
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    inside = session(assistant(call("a")), user(answer("a", [block])))
    plain = session(assistant(call("a")), user(answer("a", f"before data:image/png;base64,{data} after")))
    for made in (inside, plain):
        assert 1000 <= Counter(model).session(made).messages[1] <= 2100
        found = usage(made)
        assert found.context_source == "estimated"
        assert found.turns[0].usage.source == "estimated"


@pytest.mark.parametrize("model", [KNOWN, "claude-opus-4-5", "gpt-4.1", None])
@pytest.mark.parametrize("sign", ["汉", "の", "한", "Ａ"])
def test_b26_signs_of_east_asia_are_words(model: str | None, sign: str) -> None:
    assert 60 <= Counter(model).text(sign * 100) <= 150


def test_b28_a_model_without_a_price_is_not_free() -> None:
    calls = [
        Call("m1", model=KNOWN, usage=Usage(input=30_000, output=0)),
        Call("m3", model="house-model-7b", usage=Usage(input=39_000, output=1000)),
        Call("m5", model="deepseek/deepseek-r1:free", usage=Usage(input=500, output=5)),
        Call("m7", model="<synthetic>", usage=Usage(input=0, output=0)),
    ]
    assert [price(c.usage or Usage(), c.model) for c in calls[:3]] == [Decimal("0.12"), None, 0]
    assert str(cost(calls)) == "at least $0.12; 40,000 tokens unpriced"
    assert str(cost([calls[2]])) == "$0.00"
    assert cost([calls[0], calls[3]]).whole
    assert usage(Session((), calls=tuple(calls))).total.cost == cost(calls)


def test_b29_one_requests_prompt_chooses_the_tier_of_all_its_tokens() -> None:
    """Rates 3 / 15 / 0.30, above 200,000 tokens 6 / 22.50 / 0.60 (see ``tape.pricing``)."""
    model = "claude-sonnet-4-5"
    assert price(Usage(input=150_000, cache_read=60_000, output=1000), model) == Decimal("0.9585")
    assert price(Usage(input=190_000, output=0), model) == Decimal("0.57")
    assert price(Usage(input=200_000, output=0), model) == Decimal("0.60")
