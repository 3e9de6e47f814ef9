"""Writes the small log files of tests: lines as JavaScript writes them, and documents."""

from __future__ import annotations

import json
from typing import Any

Line = dict[str, Any]


def lines(*values: Any) -> bytes:
    """A JSONL file as JavaScript writes it."""
    return b"".join(json.dumps(v, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for v in values)


def document(value: Any) -> bytes:
    """A JSON document with an indent of two."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode()
