"""What real files used, against totals that a few lines of Python make of the raw JSON, with the reasoning.

Each script reads the file as its format's own documents say and knows nothing of ours. The numbers that it
must come to were worked out from the file and stand here too: a wrong script cannot agree with a wrong
program. Totals are (fresh input, cache writes, cache reads, output) in tokens; ``None`` is not in the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.usage import SessionUsage, usage

Corpus = Callable[[str], Path]
Totals = tuple[int | None, int | None, int | None, int | None]

PARALLEL = "claude-code/parallel-tools.jsonl"
SUBAGENTS = "claude-code-subagents/50a7220d-7250-46f3-b38e-b716ce25032e"


def records(path: Path) -> list[dict[str, Any]]:
    """The JSON lines of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def objects(value: Any, key: str) -> Iterator[dict[str, Any]]:
    """Every object that stands under a key, anywhere in a document, in its order."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == key and isinstance(inner, dict):
                yield inner
            else:
                yield from objects(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner, key)


def of_anthropic_lines(lines: list[dict[str, Any]]) -> Totals:
    """A response is one ``message.id``, spread over lines that repeat its usage: the largest of each field
    counts once. Summing the lines would count the same prompt two or three times over."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    most: dict[str, list[int]] = {}
    for line in lines:
        if line.get("type") == "assistant" and "usage" in line["message"]:
            found = most.setdefault(line["message"]["id"], [0, 0, 0, 0])
            for i, name in enumerate(names):
                found[i] = max(found[i], line["message"]["usage"].get(name) or 0)
    fresh, write, read, output = (sum(column) for column in zip(*most.values(), strict=True))
    return fresh, write, read, output


def claude_code(path: Path) -> Totals:
    return of_anthropic_lines(records(path))


def codex(path: Path) -> Totals:
    """The counter runs on, and each event stands there twice: the last one is the session. Its input includes
    what was cached, its output includes the reasoning."""
    total = list(objects(records(path), "total_token_usage"))[-1]
    cached = total["cached_input_tokens"]
    return total["input_tokens"] - cached, None, cached, total["output_tokens"]


def gemini_cli(path: Path) -> Totals:
    """``input`` includes ``cached``; ``thoughts`` are billed as output and stand beside it."""
    spent = list(objects(json.loads(path.read_text("utf-8")), "tokens"))
    cached = sum(one["cached"] for one in spent)
    return (
        sum(one["input"] for one in spent) - cached,
        None,
        cached,
        sum(one["output"] + one["thoughts"] for one in spent),
    )


def cline(path: Path) -> Totals:
    """``inputTokens`` includes ``cacheReadTokens``: message after message the next one's cache read is two
    tokens below this one's input."""
    spent = list(objects(json.loads(path.read_text("utf-8")), "metrics"))
    read = sum(one["cacheReadTokens"] for one in spent)
    write = sum(one["cacheWriteTokens"] for one in spent)
    fresh = sum(one["inputTokens"] for one in spent) - read - write
    return fresh, write, read, sum(one["outputTokens"] for one in spent)


def opencode(path: Path) -> Totals:
    """``total`` is the sum of all four, so that ``input`` leaves the cache out."""
    spent = list(objects(records(path), "tokens"))
    for one in spent:
        cache = one["cache"]
        assert one["total"] == one["input"] + one["output"] + cache["read"] + cache["write"]
    return (
        sum(one["input"] for one in spent),
        sum(one["cache"]["write"] for one in spent),
        sum(one["cache"]["read"] for one in spent),
        sum(one["output"] for one in spent),
    )


def responses(path: Path) -> Totals:
    """One response; ``input_tokens`` includes ``cached_tokens``, ``output_tokens`` the reasoning."""
    (one,) = objects(json.loads(path.read_text("utf-8")), "usage")
    cached = one["input_tokens_details"]["cached_tokens"]
    return one["input_tokens"] - cached, None, cached, one["output_tokens"]


def chat(path: Path) -> Totals:
    """One response in OpenAI's form from LiteLLM, which adds Anthropic's cache fields: both are zero."""
    (one,) = objects(json.loads(path.read_text("utf-8")), "usage")
    read, write = one["cache_read_input_tokens"], one["cache_creation_input_tokens"]
    return one["prompt_tokens"] - read - write, write, read, one["completion_tokens"]


def atif(path: Path) -> Totals:
    """Each agent step has its own metrics, and the file sums them itself."""
    final = json.loads(path.read_text("utf-8"))["final_metrics"]
    return final["total_prompt_tokens"], None, None, final["total_completion_tokens"]


GOLDEN: list[tuple[str, Callable[[Path], Totals], Totals]] = [
    (PARALLEL, claude_code, (54, 17_696, 88_231, 212)),
    ("claude-code/sdk-compaction.jsonl", claude_code, (30, 24_734, 48_730, 18)),
    ("codex-rollout/codex_session.jsonl", codex, (3_828, None, 22_912, 408)),
    ("gemini-cli/session.json", gemini_cli, (34_028, None, 86_702, 6_223)),
    ("cline/session.messages.json", cline, (95_819, 0, 534_435, 4_395)),
    ("opencode-run-json/fixture-opencode.jsonl", opencode, (6, 784, 48_616, 334)),
    ("openai-responses/mcp-tool.json", responses, (6_700, None, 0, 1_078)),
    ("openai-chat/litellm-log.json", chat, (6_729, 0, 0, 199)),
    ("atif/openhands_hello-world.trajectory.json", atif, (220, None, None, 80)),
]


def totals(found: SessionUsage) -> Totals:
    """The four sums of a session."""
    total = found.total
    return total.fresh_input, total.cache_write, total.cache_read, total.output


@pytest.mark.parametrize(("name", "script", "expected"), GOLDEN, ids=[row[0].split("/")[0] for row in GOLDEN])
def test_the_totals_of_a_real_file(
    corpus: Corpus, name: str, script: Callable[[Path], Totals], expected: Totals
) -> None:
    path = corpus(name)
    found = totals(usage(tape.load(path)))
    assert found == expected
    assert script(path) == expected


def test_lines_that_repeat_a_response_would_make_it_more(corpus: Corpus) -> None:
    """The file has 4 responses on 9 lines; by lines it would have read 194,575 tokens from the cache."""
    lines = [line for line in records(corpus(PARALLEL)) if line.get("type") == "assistant"]
    naive = sum(line["message"]["usage"]["cache_read_input_tokens"] for line in lines)
    found = usage(tape.load(corpus(PARALLEL)))
    assert (len(lines), naive) == (9, 194_575)
    assert (found.total.calls, found.total.cache_read) == (4, 88_231)


def test_a_sub_agent_has_a_lane_of_its_own_and_counts_once(corpus: Corpus) -> None:
    """The agent's own file has its two responses; the parent's file repeats their sum in the result line,
    which is no response and is not counted. The context is the parent's alone."""
    parent, agent = corpus(f"{SUBAGENTS}.jsonl"), corpus(f"{SUBAGENTS}/subagents/agent-a21e2f5.jsonl")
    found = usage(tape.load([parent, agent]))
    main, own = of_anthropic_lines(records(parent)), of_anthropic_lines(records(agent))
    assert totals(found) == tuple((a or 0) + (b or 0) for a, b in zip(main, own, strict=True))
    assert totals(found) == (46, 20_796, 20_380, 10)
    assert [lane.calls for lane in found.by_lane.values()] == [2, 2]
    alone = usage(tape.load(parent))
    assert found.context_now == alone.context_now
    assert found.turns == alone.turns


def test_a_resumed_file_counts_only_what_it_added(corpus: Corpus) -> None:
    """A resumed session starts with a copy of its parent. Ours adds one response of (5, 0, 29,000, 7) to the
    copy: opened together the two used the parent's totals and that, not the parent's twice."""
    data = corpus(PARALLEL).read_bytes()
    old = [line for line in records(corpus(PARALLEL)) if line.get("type") in ("user", "assistant")]
    copy = [{**line, "sessionId": "resumed"} for line in records(corpus(PARALLEL)) if "sessionId" in line]
    last = [line for line in copy if "uuid" in line][-1]
    spent = {"input_tokens": 5, "cache_read_input_tokens": 29_000, "output_tokens": 7}
    ask = {
        "type": "user",
        "uuid": "new-1",
        "parentUuid": last["uuid"],
        "sessionId": "resumed",
        "timestamp": "2030-01-01T00:00:00Z",
        "message": {"role": "user", "content": "and now?"},
    }
    reply = {
        **{**ask, "type": "assistant", "uuid": "new-2", "parentUuid": "new-1"},
        "message": {
            **old[-1]["message"],
            "id": "msg_new",
            "role": "assistant",
            "model": "claude-opus-4-6",
            "content": [{"type": "text", "text": "this"}],
            "usage": spent,
        },
    }
    resumed = "\n".join(map(json.dumps, [*copy, ask, reply])).encode()
    sessions = [one.load() for one in tape.read([data, resumed]).conversations]
    first, second = map(usage, sessions)
    assert totals(first) == (54, 17_696, 88_231, 212)
    assert totals(second) == (5, None, 29_000, 7)
    assert second.inherited.cache_read == 88_231
    assert len(second.turns) == 5
    assert second.prompt_last == 29_005


def test_a_codex_fork_counts_from_its_parents_total(corpus: Corpus) -> None:
    """A fork begins with the counter of its parent. The real file as a fork of another: its first count
    (3,505 input, 3,072 of it cached, 101 output) is the parent's, so that only what came after is its own:
    26,740 - 3,505 - (22,912 - 3,072) = 3,395 fresh, 19,840 cached, 307 output."""
    lines = records(corpus("codex-rollout/codex_session.jsonl"))
    meta = next(line for line in lines if line["type"] == "session_meta")
    meta["payload"]["forked_from_id"] = "parent"
    found = usage(tape.load("\n".join(map(json.dumps, lines)).encode()))
    assert totals(found) == (3_395, None, 19_840, 307)
