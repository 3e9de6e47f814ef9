"""Makes a large file of any format: one long session written in it, an export, or a small file of the tests
grown.

A file that is grown repeats the records of a situation with new ids, one copy hanging on the one before, and
with texts of the lengths that the tool results of ``make_session`` have. The same arguments give the same
bytes.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from typing import Any, Final

import tape
from benchmarks import make_export
from benchmarks.make_session import MODEL, Maker, session
from tape.formats import FORMATS
from tape.model import Session
from tests.formats.proxy_logs import ANTHROPIC, WRITERS, Exchange
from tests.formats.test_fuzz import SITUATIONS

BYTES_PER_MESSAGE: Final = 5_200
LOGS: Final = {"har": "har", "nock": "nock", "vcr": "vcr-json", "claude-proxy": "claude-trace"}
"""Formats of proxy logs, and what writes them; their small files grow to many conversations of two calls."""
CHOSEN: Final = {"vcr": "vcr-json", "langsmith": "langsmith-results-in-tool-runs", "goose": "goose-lines"}
"""Where the first situation of a format is not the one to grow."""
TEXTS: Final = frozenset(
    (
        *("text", "content", "output", "result", "value", "stdout", "observation", "response", "message"),
        *("thinking", "think", "thought", "reasoning", "reasoningText", "input", "prompt", "completion"),
    )
)
"""Keys of what people, models and tools say."""
IDS: Final = ("id", "Id", "ID", "uuid", "Uuid")
SHARED: Final = ("session", "conversation", "thread", "project", "user", "model", "provider", "workspace")
"""Ids that all records of a file have in common."""
PARENTS: Final = ("parentUuid", "parentId", "parent_id")


@cache
def converted(bytes: int) -> Session:
    """A session that makes a Claude Code file of about that size."""
    return tape.load(session(bytes // BYTES_PER_MESSAGE))


def files(size: int) -> Iterator[tuple[str, str, bytes]]:
    """For each format that holds JSON its name, what its file is made of, and about ``size`` bytes of it."""
    for one in FORMATS:
        if one.name == "claude-code":
            yield one.name, "session", session(size // BYTES_PER_MESSAGE)
        elif one.name == "chatgpt-export":
            export = BytesIO()
            make_export.write(export, size)
            yield one.name, "export", export.getvalue()
        elif one.write is not None:
            yield one.name, "session", tape.convert(converted(size), one.name).data
        elif one.name == "generic":
            inside = json.loads(tape.convert(converted(size), "anthropic-messages").data)
            yield one.name, "session", json.dumps({"data": {"log": inside["messages"]}}).encode()
        elif one.name != "plain-text":
            situation = CHOSEN.get(one.name) or next(
                n for n, (kind, _) in SITUATIONS.items() if kind == one.name
            )
            yield one.name, situation, grown(SITUATIONS[situation][1], size)
            if one.name in LOGS:
                yield one.name, "one session", WRITERS[LOGS[one.name]][1](list(exchanges(size)))


def exchanges(size: int) -> Iterator[Exchange]:
    """The calls of one session: every request repeats the history, until all have about ``size`` bytes."""
    body = json.loads(tape.convert(converted(size), "anthropic-messages").data)
    messages = body["messages"]
    sizes = [len(json.dumps(one)) for one in messages]
    done = 0
    for i, message in enumerate(messages):
        if message["role"] == "assistant" and i and done < size:
            usage = {"input_tokens": 10, "cache_read_input_tokens": 30, "output_tokens": 5}
            head = {"id": f"msg_{i}", "type": "message", "model": MODEL, "stop_reason": "tool_use"}
            yield ANTHROPIC, {**body, "messages": messages[:i]}, {**head, **message, "usage": usage}
            done += sum(sizes[: i + 1])


def grown(data: bytes, size: int) -> bytes:
    """A file of one or more JSON values, with its records repeated until it has about ``size`` bytes."""
    try:
        document = json.loads(data)
    except ValueError:
        document = None
    parts = _longest(document) or [json.loads(line) for line in data.splitlines()]
    growing = _Growing(parts)
    records: list[Any] = []
    done = 0
    while done < size:
        for value in growing.copy():
            records.append(value)
            done += len(json.dumps(value, ensure_ascii=False))
    if not _longest(document):
        return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in records)
    parts[:] = records
    return json.dumps(document, ensure_ascii=False, indent=2).encode()


def _longest(value: Any) -> list[Any]:
    """The list of objects with most in it; of lists in lists the outer one, and an empty one of none."""
    found: list[list[Any]] = []

    def look(one: Any) -> None:
        if isinstance(one, list) and any(isinstance(item, dict) for item in one):
            found.append(one)
        elif isinstance(one, dict):
            for inner in one.values():
                look(inner)

    look(value)
    return max(found, key=lambda one: len(json.dumps(one)), default=[])


class _Growing:
    """Copies of some records, each with ids and texts of its own."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts
        self.ids = frozenset(_ids(parts))
        self.pool = Maker(1, 1)
        self.number = 0
        self.last: str | None = None

    def copy(self) -> list[Any]:
        """The next copy."""
        made = [self._renewed(part, "") for part in self.parts]
        self.number += 1
        named = [one[key] for one in made if isinstance(one, dict) for key in ("uuid", "id") if key in one]
        self.last = named[-1] if named and isinstance(named[-1], str) else None
        return made

    def _renewed(self, value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return {self._id(k): self._renewed(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [self._renewed(one, key) for one in value]
        if value is None and key in PARENTS:
            return self.last
        return self._string(value, key) if isinstance(value, str) else value

    def _id(self, text: str) -> str:
        return f"{text}-{self.number}" if text in self.ids else text

    def _string(self, text: str, key: str) -> str:
        if text in self.ids:
            return self._id(text)
        if text[:1] in ("{", "["):
            try:
                return json.dumps(self._renewed(json.loads(text), key), ensure_ascii=False)
            except ValueError:
                return text
        if (
            key.rpartition(".")[2] not in TEXTS
            or not text
            or text.startswith(("event:", "data:", "<", "http"))
        ):
            return text
        chance = random.Random(f"{self.number} {text}")
        more = min(100_000, int(chance.lognormvariate(0, 1.5) * 1_450) + 1)
        start = chance.randrange(len(self.pool.output))
        return f"{text} {(self.pool.output[start:] + self.pool.output)[:more]}"


def _ids(value: Any, key: str = "") -> Iterator[str]:
    """The strings that stand as ids anywhere in a value, also in strings of JSON."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _ids(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _ids(one, key)
    elif isinstance(value, str) and value[:1] in ("{", "["):
        try:
            yield from _ids(json.loads(value), key)
        except ValueError:
            return
    elif value and isinstance(value, str) and key.endswith(IDS) and not key.lower().startswith(SHARED):
        yield value
