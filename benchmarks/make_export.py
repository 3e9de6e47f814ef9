"""Makes ChatGPT exports of any size: ``python -m benchmarks.make_export --megabytes 100 OUT.json``.

``--shards N`` makes the form of 2026 instead: a zip with N shards, their manifest and what lies beside them.
The same seed gives the same bytes, with the standard library alone. The conversations have what makes real
exports hard: sizes from two messages to hundreds, calls without ids, thoughts, hidden nodes, nodes without a
message, questions that were asked again, titles in several scripts. All of it is invented; about 14 KB a
conversation, so that 100 MB are some 7,000.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from benchmarks.make_session import WORDS

STARTED = 1_672_560_000.0
FIELDS_OF_SHARDS = ("id", "author", "create_time", "content", "metadata")
NEEDLE = "Quincefeather"
"""A word that one title has, that of the conversation in the middle."""


class Maker:
    """One conversation after the other; all that is random comes from ``seed``."""

    def __init__(self, seed: int, poor: bool = False) -> None:
        self.chance, self.poor, self.made = random.Random(seed), poor, 0
        self.label = f"{seed}"
        self.prose = " ".join(self.chance.choices(WORDS, k=40_000))
        self.time = STARTED

    def _text(self, middle: float) -> str:
        size = min(60_000, int(self.chance.lognormvariate(0, 0.9) * middle) + 1)
        start = self.chance.randrange(len(self.prose) - 60_000)
        return self.prose[start : start + size]

    def _id(self) -> str:
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def conversation(self, title: str = "") -> dict[str, Any]:
        """The next conversation, with the title given or one of its own."""
        self.made += 1
        self.time += self.chance.uniform(600, 90_000)
        began, mapping = self.time, dict[str, dict[str, Any]]()
        leaf = self._node(mapping, None, None, None)
        if not self.poor:
            hidden = {"is_visually_hidden_from_conversation": True}
            leaf = self._node(mapping, leaf, "system", _words(""), metadata=hidden)
        for _ in range(min(120, int(self.chance.lognormvariate(0.6, 1.0)) + 1)):
            if leaf and self.chance.random() < 0.06:
                self._answer(mapping, self._node(mapping, leaf, "user", _words(self._text(120))))
            leaf = self._answer(mapping, self._node(mapping, leaf, "user", _words(self._text(160))))
        title = title or " ".join(self.chance.choices(WORDS, k=self.chance.randint(2, 6))).capitalize()
        return {
            **{"title": title, "create_time": began, "update_time": self.time},
            **{"mapping": mapping, "current_node": leaf, "conversation_id": self._id()},
            **{"is_archived": False, "default_model_slug": "gpt-4o", "moderation_results": []},
        }

    def _answer(self, mapping: dict[str, dict[str, Any]], leaf: str) -> str:
        """A reply: at times thoughts, at times a call of the interpreter and what it gave back."""
        if self.chance.random() < 0.15:
            thought = {"summary": self._text(30), "content": self._text(400)}
            content = {"content_type": "thoughts", "thoughts": [thought]}
            leaf = self._node(mapping, leaf, "assistant", content, end_turn=False)
        if self.chance.random() < 0.12:
            code = {"content_type": "code", "language": "python", "text": self._text(300)}
            leaf = self._node(mapping, leaf, "assistant", code, recipient="python", end_turn=False)
            if not self.poor:
                output = {"content_type": "execution_output", "text": self._text(300)}
                leaf = self._node(mapping, leaf, "tool", output, name="python")
        return self._node(mapping, leaf, "assistant", _words(self._text(1_100)), end_turn=True)

    def _node(
        self,
        mapping: dict[str, dict[str, Any]],
        parent: str | None,
        role: str | None,
        content: Any,
        **more: Any,
    ) -> str:
        id = self._id()
        self.time += self.chance.uniform(1, 60)
        name, metadata = more.pop("name", None), more.pop("metadata", {})
        if role == "assistant":
            metadata = {"model_slug": "gpt-4o", "message_type": "next", "citations": []}
        message = {
            **{"id": id, "author": {"role": role, "name": name, "metadata": {}}, "create_time": self.time},
            **{"update_time": None, "content": content, "status": "finished_successfully", "end_turn": None},
            **{"weight": 1.0, "metadata": metadata, "recipient": "all", "channel": None, **more},
        }
        if self.poor:
            message = {key: message[key] for key in FIELDS_OF_SHARDS}
        node: dict[str, Any] = {"id": id, "message": message if role else None, "parent": parent}
        if not self.poor:
            node["children"] = []
            if parent is not None:
                mapping[parent]["children"].append(id)
        mapping[id] = node
        return id


def _words(text: str) -> dict[str, Any]:
    return {"content_type": "text", "parts": [text]}


def conversations(size: int, seed: int = 1, poor: bool = False) -> Iterator[bytes]:
    """Conversations as JSON, ``size`` bytes together; one in the middle is called ``NEEDLE``."""
    maker, written, named = Maker(seed, poor), 0, False
    while written < size:
        title = "" if named or written < size // 2 else f"{NEEDLE} and other birds"
        named = named or bool(title)
        one = json.dumps(maker.conversation(title)).encode()
        written += len(one) + 2
        yield one


def write(out: IO[bytes], size: int, seed: int = 1) -> int:
    """Writes the classic form, one array on one line, and gives how many conversations it holds."""
    count = 0
    for one in conversations(size, seed):
        out.write(b", " if count else b"[")
        out.write(one)
        count += 1
    out.write(b"]")
    return count


def write_shards(out: Path, size: int, shards: int, seed: int = 1) -> int:
    """Writes the zip of 2026, ``size`` bytes unpacked, and gives how many conversations it holds."""
    count = 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as made:
        names = [f"conversations-{n:03}.json" for n in range(shards)]
        for n, name in enumerate(names):
            several = list(conversations(size // shards, seed + n, poor=True))
            made.writestr(name, b"[" + b", ".join(several) + b"]")
            count += len(several)
        made.writestr("export_manifest.json", json.dumps({"logical_files": {"conversations.json": names}}))
        made.writestr("user.json", json.dumps({"id": "user-1", "email": "ada@example.org"}))
        made.writestr("chat.html", "<html><body>what the browser would show</body></html>")
        made.writestr("message_feedback.json", "[]")
    return count


def main() -> None:
    """Writes the file that was asked for and says how large it became."""
    parser = argparse.ArgumentParser(description="Makes a ChatGPT export of any size.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--shards", type=int, default=0, help="how many; 0 makes the classic form")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    size = asked.megabytes * 1_000_000
    if asked.shards:
        count = write_shards(asked.out, size, asked.shards, asked.seed)
    else:
        with asked.out.open("wb") as out:
            count = write(out, size, asked.seed)
    told = f"{asked.out}: {asked.out.stat().st_size / 1e6:.1f} MB, {count:,} conversations"
    print(told, file=sys.stderr)


if __name__ == "__main__":
    main()
