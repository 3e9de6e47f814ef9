"""Known servers that speak ``/v1/messages``, and the models one can name without asking a server.

The servers are a dated file with a source a row, ``tape/data/endpoints.json``; the models come from
``genai-prices``. Nothing here connects to anything: that is ``tape.client``'s business.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

FILE = Path(__file__).resolve().parent / "data" / "endpoints.json"


@dataclass(frozen=True, slots=True)
class Preset:
    """A server: its base URL as documented, whether it wants a key, and where that is said."""

    name: str
    label: str
    base_url: str
    key: Literal["none", "optional", "needed"]
    source: str
    note: str


@cache
def presets() -> tuple[Preset, ...]:
    """Every row of the file, local servers first."""
    return tuple(Preset(**row) for row in json.loads(FILE.read_text("utf-8"))["endpoints"])


@cache
def as_of() -> str:
    """The day up to which the file was checked, ISO."""
    return str(json.loads(FILE.read_text("utf-8"))["as_of"])


@cache
def known_models() -> tuple[str, ...]:
    """The Claude models that ``genai-prices`` knows, newest generation first; no key and no network."""
    from genai_prices.data_snapshot import get_snapshot

    found = next((p for p in get_snapshot().providers if p.id == "anthropic"), None)
    names = [model.id for model in found.models] if found is not None else []
    return tuple(sorted(names, key=_generation, reverse=True))


def _generation(name: str) -> tuple[list[int], str]:
    """``claude-opus-4-8`` and ``claude-3-7-sonnet-latest`` by their numbers."""
    return [int(number) for number in re.findall(r"(?<![a-z\d])\d+(?!\d)", name)], name
