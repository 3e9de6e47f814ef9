"""Small Inspect logs for tests: one document, a zip with a member a sample, and a zip in chunks."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

Value = dict[str, Any]


def model_event(id: str, sent: int, input: int, output: int, total: int, read: int | None = None) -> Value:
    """What the log says of one call of the model."""
    usage = {"input_tokens": input, "output_tokens": output, "total_tokens": total}
    usage |= {} if read is None else {"input_tokens_cache_read": read}
    return {
        "event": "model",
        "timestamp": "2026-02-03T04:05:06Z",
        "model": "made/up-1",
        "input": [{"id": "m0", "role": "system"}] + [{"role": "user"}] * (sent - 1),
        "tools": [{"name": "bash", "description": "Runs", "parameters": {"type": "object"}}],
        "output": {
            "model": "up-1-0203",
            "choices": [{"message": {"role": "assistant", "id": id}, "stop_reason": "stop"}],
            "usage": usage,
        },
    }


MESSAGES: list[Value] = [
    {"id": "m0", "role": "system", "content": "attachment://abc"},
    {"id": "m1", "role": "user", "content": "How many files?", "source": "input"},
    {
        "id": "m2",
        "role": "assistant",
        "content": [
            {"type": "reasoning", "reasoning": "List them", "signature": "c2ln"},
            {"type": "text", "text": "I will look."},
        ],
        "tool_calls": [
            {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"},
            {"id": "c2", "function": "bash", "arguments": {"cmd": "attachment://abc"}, "type": "function"},
        ],
    },
    {"id": "m3", "role": "tool", "content": "a.txt", "tool_call_id": "c1", "function": "bash"},
    {
        "id": "m4",
        "role": "tool",
        "content": "",
        "tool_call_id": "c2",
        "function": "bash",
        "error": {"type": "timeout", "message": "took too long"},
    },
    {"id": "m5", "role": "assistant", "content": "One file."},
]
EVENTS = [model_event("m2", 2, 100, 20, 120), model_event("other", 5, 150, 5, 155, read=90)]


def sample(id: int | str, epoch: int = 1, **fields: Any) -> Value:
    """A sample with two replies."""
    return {
        "id": id,
        "epoch": epoch,
        "input": "How many files?",
        "target": "1",
        "messages": MESSAGES,
        "output": {"model": "up-1-0203", "choices": []},
        "events": EVENTS,
        "attachments": {"abc": "Use as few calls as you can."},
        **fields,
    }


HEADER: Value = {
    "version": 2,
    "status": "success",
    "eval": {"task": "files", "model": "made/up-1", "created": "2026-02-03T04:00:00Z"},
}
LOG = {**HEADER, "samples": [sample(1), sample(2, 3)]}


def zipped(members: dict[str, Any]) -> bytes:
    """A zip of JSON members, as Inspect writes them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, value in members.items():
            made.writestr(name, json.dumps(value, indent=2))
    return out.getvalue()


def flat_log(header: str = "header.json") -> bytes:
    """An ``.eval`` with a member a sample; a run that died has no ``header.json``."""
    summary = [{"id": i, "epoch": 1, "input": f"Task {i}"} for i in (10, 2)]
    members: dict[str, Any] = {"_journal/start.json": HEADER, "summaries.json": summary}
    members |= {"samples/10_epoch_1.json": sample(10), "samples/2_epoch_1.json": sample(2)}
    return zipped({**members, header: HEADER})


def chunked_log() -> bytes:
    """An ``.eval`` in chunks: a pool of messages of which the sample uses some."""
    facts = {k: v for k, v in sample("x").items() if k not in ("messages", "events", "attachments")}
    messages = json.loads(json.dumps(MESSAGES).replace("attachment://abc", "attachment://1"))
    pool = [*messages[:5], {"role": "user", "content": "for the grader"}, messages[5]]
    root = "samples/x_epoch_1/"
    events = [{**e, "input": [], "input_refs": [[0, 2 if i == 0 else 5]]} for i, e in enumerate(EVENTS)]
    return zipped(
        {
            "header.json": HEADER,
            f"{root}sample.json": {**facts, "message_refs": [[0, 5], [6, 7]]},
            f"{root}messages/0.json": pool[:3],
            f"{root}messages/3.json": pool[3:],
            f"{root}events/0.json": events,
            f"{root}attachments/0.json": ["unused", "Use as few calls as you can."],
        }
    )


SITUATIONS: dict[str, tuple[str, bytes]] = {
    "inspect-document": (
        "inspect-log",
        json.dumps(LOG, indent=2).replace("attachment://abc", "Be brief").encode(),
    ),
}
