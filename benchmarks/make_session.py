"""Makes Claude Code sessions of any size: ``python -m benchmarks.make_session --messages 35000 OUT.jsonl``.

The same seed gives the same bytes, with the standard library alone. The lines have what makes real sessions
hard: responses spread over lines whose usage grows, parallel calls answered out of order, results of
log-normal size (some of 100,000 characters), thinking, pictures, bookkeeping between the messages, a
sub-agent's lines among those of the session, and two compactions. All of it is invented; about 5.7 KB a
message, so that 35,000 messages are 200 MB on some 70,000 lines.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import struct
import sys
import uuid
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

NEEDLE = "quincefeather"
"""A word that stands once, in a result close to the end (97 percent)."""
MODEL = "claude-sonnet-4-5"
STARTED = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
VOCABULARY = (
    "the of and in to is for with on as by at from that which this reads writes returns checks value list"
    " file line index server client test error session message result block token cache path name number"
    " parser buffer window thread timeout naïve café größe données 日本 → über function class module branch"
    " request answer header socket handler config option default retry limit queue worker state event string"
)
WORDS = VOCABULARY.split()
SIGNS = ("(", ")", ":", " = ", ".", ", ", "[", "]", " == ", '"', "\\", " -> ", "    ", "\t")
POOL = 400_000
LARGE = 100_000
TOOLS = (("Read", 40), ("Bash", 25), ("Grep", 15), ("Edit", 12), ("Glob", 5), ("WebFetch", 3))
BOOKKEEPING = ("file-history-snapshot", "queue-operation", "progress", "turn_duration")


class Maker:
    """Writes one session; all that is random comes from ``seed``."""

    def __init__(self, messages: int, seed: int) -> None:
        self.messages, self.chance = messages, random.Random(seed)
        self.label = f"{seed}/{messages}"
        self.session = str(uuid.uuid5(uuid.NAMESPACE_URL, self.label))
        self.prose = " ".join(self.chance.choices(WORDS, k=POOL // 8))
        self.output = "".join(self._lines())
        self.lines = self.made = self.calls = self.responses = 0
        self.parent: str | None = None
        self.prompt = 18_000
        self.pending: list[bytes] = []

    def _lines(self) -> Iterator[str]:
        length = 0
        while length < POOL:
            words = self.chance.choices(WORDS, k=self.chance.randint(0, 14))
            line = "".join(word + self.chance.choice(SIGNS) for word in words)
            length += len(line) + 1
            yield f"{line}\n"

    def write(self) -> Iterator[bytes]:
        """The file, line by line."""
        self._beside("ai-title", aiTitle="A long afternoon in the parser")
        compactions = {self.messages // 3, 2 * self.messages // 3}
        lane, needle = self.messages // 2, self.messages * 97 // 100
        left = 0
        while self.made < self.messages:
            if not left:
                self._ask()
                left = self.chance.randint(3, 40)
            left -= 1
            self._turn(bool(needle) and self.made >= needle)
            if not left:
                self._response([{"type": "text", "text": self._text(self._size(500, 0.8))}])
                self.made += 1
            needle = 0 if NEEDLE.encode() in b"".join(self.pending) else needle
            if lane and self.made >= lane:
                lane = 0
                self._agent()
            if passed := {at for at in compactions if self.made >= at}:
                compactions -= passed
                self._compact()
                left = 0
            yield from self._flush()
        yield from self._flush()

    def _flush(self) -> Iterator[bytes]:
        yield from self.pending
        self.pending.clear()

    def _text(self, size: int, pool: str = "") -> str:
        pool = pool or self.prose
        start = self.chance.randrange(len(pool))
        found = pool[start : start + size]
        while len(found) < size:
            found += pool[: size - len(found)]
        return found

    def _size(self, middle: float, spread: float) -> int:
        return min(LARGE, int(self.chance.lognormvariate(0, spread) * middle) + 1)

    def _put(self, value: dict[str, Any]) -> None:
        self.pending.append(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        self.lines += 1

    def _add(self, kind: str, **fields: Any) -> str:
        """One line of the tree, under the line before it; gives its uuid."""
        own = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.label}/{self.lines}"))
        moment = STARTED + timedelta(seconds=1.7 * self.lines)
        line = {
            **{"parentUuid": self.parent, "isSidechain": False, "userType": "external"},
            **{"cwd": "/srv/orchard", "sessionId": self.session, "version": "2.1.144", "gitBranch": "main"},
            **{"type": kind, **fields, "uuid": own},
            "timestamp": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        self._put(line)
        self.parent = own
        return own

    def _beside(self, kind: str, **fields: Any) -> None:
        self._put({"type": kind, **fields, "sessionId": self.session})

    def _user(self, content: Any, **fields: Any) -> str:
        return self._add("user", message={"role": "user", "content": content}, **fields)

    def _ask(self) -> None:
        self._user(f"{self._text(self._size(160, 0.9))}?")
        self.made += 1

    def _response(self, blocks: list[dict[str, Any]], **fields: Any) -> None:
        """One response on as many lines as it has blocks; its output grows from line to line."""
        self.responses += 1
        id, output = f"msg_{self.responses:08}", 1
        cached = self.prompt
        for block in blocks:
            output += len(str(block)) // 3
            usage = {
                **{"input_tokens": 7, "cache_creation_input_tokens": 900, "cache_read_input_tokens": cached},
                **{"output_tokens": output, "service_tier": "standard"},
            }
            head = {"model": MODEL, "id": id, "type": "message", "role": "assistant", "content": [block]}
            message = {**head, "stop_reason": None, "stop_sequence": None, "usage": usage}
            self._add("assistant", message=message, requestId=f"req_{self.responses:08}", **fields)
        self.prompt += output + 900

    def _call(self) -> dict[str, Any]:
        self.calls += 1
        names, weights = zip(*TOOLS, strict=True)
        name = self.chance.choices(names, weights)[0]
        path = f"/srv/orchard/{self.chance.choice(WORDS)}/{self.chance.choice(WORDS)}_{self.calls % 90}.py"
        given: dict[str, dict[str, Any]] = {
            "Read": {"file_path": path},
            "Bash": {"command": f"python -m pytest {path} -q", "description": self._text(30)},
            "Grep": {"pattern": self.chance.choice(WORDS), "path": "/srv/orchard"},
            "Edit": {
                "file_path": path,
                "old_string": self._text(self._size(120, 0.8), self.output),
                "new_string": self._text(self._size(160, 0.8), self.output),
            },
            "Glob": {"pattern": "**/*.py"},
            "WebFetch": {"url": f"https://orchard.invalid/{self.calls}", "prompt": self._text(60)},
        }
        return {"type": "tool_use", "id": f"toolu_{self.calls:08}", "name": name, "input": given[name]}

    def _turn(self, needle: bool) -> None:
        """One response and, where it calls, the lines that answer it in another order."""
        blocks: list[dict[str, Any]] = []
        if self.chance.random() < 0.3:
            signed = base64.b64encode(self.chance.randbytes(240)).decode()
            thought = self._text(self._size(500, 0.9))
            blocks.append({"type": "thinking", "thinking": thought, "signature": signed})
        if self.chance.random() < 0.5:
            blocks.append({"type": "text", "text": self._text(self._size(300, 1.0))})
        calls = [self._call() for _ in range(self.chance.choices((1, 2, 3, 6), (70, 17, 9, 4))[0])]
        self._response([*blocks, *calls])
        self.chance.shuffle(calls)
        for call in calls:
            self._answer(call, needle and call is calls[-1])
        self.made += 2
        if self.chance.random() < 0.35:
            self._bookkeeping()

    def _answer(self, call: dict[str, Any], needle: bool = False, **fields: Any) -> None:
        words = self._text(self._size(1_450, 1.5), self.output)
        if self.chance.random() < 0.006:
            words = self._text(LARGE, self.output)
        if needle:
            words = f'{words[: len(words) // 2]}\nfound {NEEDLE} "here"\n{words[len(words) // 2 :]}'
        content: Any = words
        if self.chance.random() < 0.004:
            content = [{"type": "text", "text": "A screenshot."}, self._picture()]
        block = {"tool_use_id": call["id"], "type": "tool_result", "content": content}
        if self.chance.random() < 0.03:
            block["is_error"] = True
        lines = {"type": "text", "file": {"filePath": "/srv/orchard", "numLines": words.count("\n")}}
        self._user([block], **{"toolUseResult": lines, **fields})

    def _picture(self) -> dict[str, Any]:
        """A PNG of noise, so large as a screenshot is."""
        wide, high = 320, self.chance.randint(120, 240)
        rows = b"".join(b"\0" + self.chance.randbytes(wide) for _ in range(high))
        parts = (
            (b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 0, 0, 0, 0)),
            (b"IDAT", zlib.compress(rows, 1)),
            (b"IEND", b""),
        )
        data = b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
            for kind, body in parts
        )
        source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(data).decode()}
        return {"type": "image", "source": source}

    def _bookkeeping(self) -> None:
        match self.chance.choice(BOOKKEEPING):
            case "file-history-snapshot":
                self._beside(
                    "file-history-snapshot", messageId=self.parent, snapshot={}, isSnapshotUpdate=False
                )
            case "queue-operation":
                self._beside("queue-operation", operation="enqueue", content=self._text(40))
            case "progress":
                self._add("progress", data={"type": "hook_progress", "hookName": self._text(12)})
            case _:
                self._add("system", subtype="turn_duration", durationMs=self.chance.randint(900, 90_000))

    def _agent(self) -> None:
        """A sub-agent: its call, its own lines in the same file, and what it found."""
        self.calls += 1
        task = f"Look through the parser: {self._text(80)}"
        given = {"description": "Look around", "prompt": task, "subagent_type": "Explore"}
        call = {"type": "tool_use", "id": f"toolu_{self.calls:08}", "name": "Agent", "input": given}
        self._response([call])
        above, self.parent = self.parent, None
        side = {"isSidechain": True, "agentId": f"a{self.calls:07x}"}
        self._user(task, **side)
        for _ in range(12):
            one = self._call()
            self._response([one], **side)
            self._answer(one, **side)
        self.parent = above
        found = {"status": "completed", "agentId": side["agentId"], "totalDurationMs": 9_100}
        self._answer(call, toolUseResult=found)
        self.made += 2

    def _compact(self) -> None:
        last, self.parent = self.parent, None
        self._add(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            isMeta=False,
            logicalParentUuid=last,
            compactMetadata={"trigger": "auto", "preTokens": self.prompt},
        )
        summary = f"This session is being continued from a previous conversation. {self._text(2_400)}"
        self._user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)
        self.prompt, self.made = 21_000, self.made + 1


def session(messages: int, seed: int = 1) -> bytes:
    """A session of at least that many messages, and at most a few more."""
    return b"".join(Maker(messages, seed).write())


def write(out: BinaryIO, messages: int, seed: int = 1) -> int:
    """Writes such a session piece by piece and gives its number of bytes."""
    return sum(out.write(line) for line in Maker(messages, seed).write())


def main() -> None:
    """Writes the file that was asked for and says how large it became."""
    parser = argparse.ArgumentParser(description="Makes a Claude Code session of any size.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--messages", type=int, default=35_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with asked.out.open("wb") as out:
        size = write(out, asked.messages, asked.seed)
    print(f"{asked.out}: {size / 1e6:.1f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
