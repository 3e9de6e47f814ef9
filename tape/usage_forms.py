"""The token counts of one response as each provider writes them, brought to the one form of ``Usage``.

The trap this file is about: Anthropic's and Bedrock's input figure leaves cached tokens out, OpenAI's and
Gemini's includes them. The convention belongs to the format and is never guessed from the numbers. Each
function takes the parsed object, gives ``None`` where it is none, keeps what is absent unknown, and tells
``remark`` in one sentence where the figures contradict themselves.

Sources, as of 2026-11: the types of the ``anthropic`` 2.14, ``openai`` 3.57 and ``google-genai`` 3.6 SDKs and
botocore 1.44's service model. What whole sessions use is in ``tape.usage``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any, TypeAlias

from tape.model import EMPTY, Json, Usage

Remark: TypeAlias = Callable[[str], None]
WORDS = ("service_tier", "source", "speed", "region")
COUNTS = tuple(f.name for f in fields(Usage) if f.name not in WORDS)
_counts = attrgetter(*COUNTS)


def anthropic(value: Json) -> Usage | None:
    """Messages API: ``input_tokens`` is what stands after the last cache mark, cached tokens left out.

    A response that only compacted reports zeros at the top and what it used in ``iterations``.
    """
    if not isinstance(value, Mapping):
        return None
    rounds = value.get("iterations")
    if isinstance(rounds, list) and not any(_count(value, n) for n in ("input_tokens", "output_tokens")):
        value = {**value, **_summed(rounds)}
    written = _inside(value, "cache_creation")
    return Usage(
        input=_whole(value.get("input_tokens")),
        cache_write_5m=_whole(written.get("ephemeral_5m_input_tokens")),
        cache_write_1h=_whole(written.get("ephemeral_1h_input_tokens")),
        cache_write=_whole(value.get("cache_creation_input_tokens")),
        cache_read=_whole(value.get("cache_read_input_tokens")),
        output=_whole(value.get("output_tokens")),
        thinking=_whole(_inside(value, "output_tokens_details").get("thinking_tokens")),
        service_tier=_word(value, "service_tier"),
        speed=_word(value, "speed"),
        region=_word(value, "inference_geo"),
    )


def openai(value: Json, remark: Remark | None = None) -> Usage | None:
    """Chat Completions and Responses, and servers like them: input includes cached tokens, output reasoning.

    LiteLLM's and DeepSeek's names for the cached part are read too.
    """
    if not isinstance(value, Mapping):
        return None
    details = {**_inside(value, "prompt_tokens_details"), **_inside(value, "input_tokens_details")}
    said = {**_inside(value, "completion_tokens_details"), **_inside(value, "output_tokens_details")}
    return inclusive(
        _count(value, "prompt_tokens", "input_tokens"),
        cache_read=_first(
            _count(details, "cached_tokens"),
            _count(value, "cache_read_input_tokens", "prompt_cache_hit_tokens"),
        ),
        cache_write=_first(
            _count(details, "cache_write_tokens"), _count(value, "cache_creation_input_tokens")
        ),
        output=_count(value, "completion_tokens", "output_tokens"),
        thinking=_count(said, "reasoning_tokens"),
        remark=remark,
    )


def gemini(value: Json, remark: Remark | None = None) -> Usage | None:
    """``usageMetadata``: the prompt includes cached content; thoughts and tool prompts are counted apart."""
    if not isinstance(value, Mapping):
        return None
    prompt = _count(value, "promptTokenCount", "prompt_token_count")
    tools = _count(value, "toolUsePromptTokenCount", "tool_use_prompt_token_count")
    said = _count(value, "candidatesTokenCount", "candidates_token_count")
    thoughts = _count(value, "thoughtsTokenCount", "thoughts_token_count")
    return inclusive(
        added(prompt, tools),
        cache_read=_count(value, "cachedContentTokenCount", "cached_content_token_count"),
        output=added(said, thoughts),
        thinking=thoughts,
        remark=remark,
    )


def bedrock(value: Json) -> Usage | None:
    """Converse: ``inputTokens`` leaves cached tokens out."""
    if not isinstance(value, Mapping):
        return None
    return Usage(
        input=_count(value, "inputTokens"),
        cache_write=_count(value, "cacheWriteInputTokens"),
        cache_read=_count(value, "cacheReadInputTokens"),
        output=_count(value, "outputTokens"),
    )


def inclusive(
    prompt: int | None,
    *,
    cache_read: int | None = None,
    cache_write: int | None = None,
    output: int | None = None,
    thinking: int | None = None,
    remark: Remark | None = None,
) -> Usage:
    """A usage from a prompt figure (tokens) that includes what was read from and written to the cache."""
    fresh = prompt
    if prompt is not None:
        fresh = prompt - (cache_read or 0) - (cache_write or 0)
        if fresh < 0:
            if remark is not None:
                cached = (cache_read or 0) + (cache_write or 0)
                remark(f"{cached} cached tokens are more than the {prompt} input tokens they are part of.")
            fresh = 0
    return Usage(
        input=fresh, cache_write=cache_write, cache_read=cache_read, output=output, thinking=thinking
    )


def since(total: Usage, before: Usage | None) -> Usage | None:
    """What a counter that runs on has grown by: the usage of one response, or ``None`` where it repeats.

    A counter that fell was started anew: its figures are then the response's own.
    """
    if before is None:
        return total
    grown: dict[str, Any] = {}
    for name in COUNTS:
        now, then = getattr(total, name), getattr(before, name)
        grown[name] = None if now is None else now - (then or 0)
    if any(n < 0 for n in grown.values() if n is not None):
        return total
    if not any(grown.values()):
        return None
    return replace(total, **grown)


def largest(usages: Iterable[Usage | None]) -> Usage | None:
    """One usage with the largest known value of each field, for a response that several records repeat."""
    known = [u for u in usages if u is not None]
    if len(known) < 2:
        return known[0] if known else None
    most: dict[str, Any] = {}
    for name, several in zip(COUNTS, zip(*map(_counts, known), strict=True), strict=True):
        most[name] = max((n for n in several if n is not None), default=None)
    last = known[-1]
    return last if tuple(most.values()) == _counts(last) else replace(last, **most)


def added(*counts: int | None) -> int | None:
    """The sum of what is known; ``None`` when nothing is."""
    known = [n for n in counts if n is not None]
    return sum(known) if known else None


def _summed(rounds: list[Json]) -> dict[str, int]:
    names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    dicts = [one for one in rounds if isinstance(one, Mapping)]
    sums = {name: added(*(_count(one, name) for one in dicts)) for name in names}
    return {name: n for name, n in sums.items() if n is not None}


def _inside(value: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    found = value.get(key)
    return found if found is not None and isinstance(found, Mapping) else EMPTY


def _count(value: Mapping[str, Json], *names: str) -> int | None:
    for name in names:
        if (n := _whole(value.get(name))) is not None:
            return n
    return None


def _whole(n: Json) -> int | None:
    """A count of tokens; ``None`` for what is none."""
    if n is None or (n.__class__ is int and n >= 0):
        return n
    known = isinstance(n, int | float) and not isinstance(n, bool) and n >= 0 and n % 1 == 0
    return int(n) if known else None


def _first(*counts: int | None) -> int | None:
    return next((n for n in counts if n is not None), None)


def _word(value: Mapping[str, Json], key: str) -> str | None:
    found = value.get(key)
    return found if isinstance(found, str) else None
