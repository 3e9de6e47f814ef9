"""A summary without a model, and what any summary lost: names, files and numbers that it does not repeat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tape.edits.targets import listed, plural
from tape.model import Block, Message, Text, ToolResult, ToolUse, json_text

FIRST = 240
FACT = re.compile(
    r"[\w.-]*[/\\][\w./\\-]+\w"  # paths
    r"|\b\w[\w-]*\.[a-zA-Z]\w{0,5}\b"  # file names
    r"|\b\d[\d.,:/-]*\d\b|\b\d\b"  # numbers, dates, times
    r"|\b[A-Z]\w*[A-Z_]\w*\b"  # names in code
    r"|(?<=[a-z,;] )[A-Z][a-z]+(?: [A-Z][a-z]+)*"  # names in a sentence
)


def extract(messages: Sequence[Message]) -> str:
    """What was asked, which tools were called and what the last answer was, in the words of the messages."""
    asked = [_short(entry.text) for entry in messages if entry.role == "user" and entry.text.strip()]
    answers = [_short(entry.text) for entry in messages if entry.role == "assistant" and entry.text.strip()]
    calls = Counter(h.name or "a tool" for m in messages for h in m.heads if h.kind == "tool_use")
    lines = [f"Summary of {plural(len(messages), 'earlier message')}."]
    lines += [f"The user said: {said}" for said in asked]
    if calls:
        told = [f"{name} ({plural(count, 'time')})" for name, count in calls.items()]
        lines.append(f"Tools were called: {listed(told)}.")
    if answers:
        lines.append(f"The last answer was: {answers[-1]}")
    return "\n".join(lines)


def _short(text: str) -> str:
    """The first words of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= FIRST else f"{line[: FIRST - 1].rsplit(' ', 1)[0]}…"


def lost(messages: Sequence[Message], summary: str) -> tuple[str, ...]:
    """The names, files and numbers of the messages that the summary has not, the most frequent first."""
    found = Counter(fact for text in _texts(messages) for fact in FACT.findall(text))
    kept = set(FACT.findall(summary))
    return tuple(fact for fact, _ in found.most_common() if fact not in kept and fact not in summary)


def _texts(messages: Sequence[Message]) -> Iterator[str]:
    for entry in messages:
        for block in entry.blocks:
            yield _words(block)


def _words(block: Block) -> str:
    match block:
        case Text(text=text):
            return text
        case ToolResult():
            return block.text
        case ToolUse():
            return json_text(block.input)
    return ""
