"""Each provider's token counts in the one form: what is fresh, what is cached, what is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from tape.model import Usage
from tape.usage_forms import anthropic, bedrock, gemini, inclusive, largest, openai, since


@pytest.mark.parametrize(
    ("usage", "prompt", "fresh", "output"),
    [
        (
            anthropic(
                {
                    "input_tokens": 7,
                    "cache_read_input_tokens": 900,
                    "cache_creation_input_tokens": 20,
                    "output_tokens": 5,
                }
            ),
            927,
            7,
            5,
        ),
        (openai({"prompt_tokens": 120, "prompt_tokens_details": {"cached_tokens": 115}}), 120, 5, None),
        (
            openai(
                {
                    "input_tokens": 120,
                    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 40},
                    "output_tokens": 9,
                    "output_tokens_details": {"reasoning_tokens": 4},
                }
            ),
            120,
            20,
            9,
        ),
        (openai({"prompt_tokens": 50, "prompt_cache_hit_tokens": 30, "completion_tokens": 1}), 50, 20, 1),
        (
            gemini(
                {
                    "promptTokenCount": 100,
                    "cachedContentTokenCount": 60,
                    "toolUsePromptTokenCount": 8,
                    "candidatesTokenCount": 7,
                    "thoughtsTokenCount": 3,
                }
            ),
            108,
            48,
            10,
        ),
        (bedrock({"inputTokens": 7, "cacheReadInputTokens": 90, "outputTokens": 2}), 97, 7, 2),
    ],
)
def test_forms(usage: Usage, prompt: int, fresh: int, output: int | None) -> None:
    assert (usage.prompt, usage.input, usage.output) == (prompt, fresh, output)


@pytest.mark.parametrize("read", [anthropic, openai, gemini, bedrock])
@pytest.mark.parametrize("value", [None, [], "9", 3])
def test_what_is_no_object_is_no_usage(read: Any, value: Any) -> None:
    assert read(value) is None


@pytest.mark.parametrize("read", [anthropic, openai, gemini, bedrock])
@pytest.mark.parametrize("odd", [None, "12", True, -1, 1.5, [], {}])
def test_odd_counts_are_unknown_and_not_zero(read: Any, odd: Any) -> None:
    names = ("input_tokens", "prompt_tokens", "promptTokenCount", "inputTokens", "output_tokens")
    usage = read(dict.fromkeys(names, odd))
    assert (usage.input, usage.output, usage.prompt) == (None, None, None)


def test_cached_above_input_is_remarked_and_never_negative() -> None:
    said: list[str] = []
    usage = openai({"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 12}}, said.append)
    assert usage is not None
    assert usage.input == 0
    assert said == ["12 cached tokens are more than the 10 input tokens they are part of."]


def test_cache_lifetimes_and_thinking_are_kept() -> None:
    usage = anthropic(
        {
            "input_tokens": 1,
            "cache_creation_input_tokens": 30,
            "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
            "output_tokens": 50,
            "output_tokens_details": {"thinking_tokens": 40},
            "service_tier": "priority",
        }
    )
    assert usage == Usage(1, 10, 20, 30, None, 50, 40, "priority")


def test_a_compaction_that_reports_zeros_counts_its_iterations() -> None:
    rounds = [{"type": "compaction", "input_tokens": 828, "output_tokens": 294}]
    usage = anthropic({"input_tokens": 0, "output_tokens": 0, "iterations": rounds})
    assert usage is not None
    assert (usage.input, usage.output) == (828, 294)


def test_largest_takes_each_field_by_itself() -> None:
    lines = [Usage(input=0, output=0), None, Usage(input=10, output=4), Usage(input=10, output=88)]
    assert largest(lines) == Usage(input=10, output=88)
    assert largest([None]) is None


def test_a_counter_that_fell_started_anew() -> None:
    first = inclusive(1000, output=50)
    assert since(inclusive(200, output=5), first) == inclusive(200, output=5)
