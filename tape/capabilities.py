"""What models accept beyond what all accept: ``tape/data/models.json``, a dated file with a source a row.

A model that the file does not know is ``None`` here, and its rules say "depends on the model", never a guess.
Prices and context windows are in ``tape.pricing``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "data" / "models.json"
RELEASE = re.compile(r"(?:[-@]20\d{6}|-latest|-v\d+(?::\d+)?|-fast|\[1m\])+$")
VENDOR = re.compile(r"^.*(?:/|anthropic\.)")


@dataclass(frozen=True, slots=True)
class Model:
    """One row of the file; ``None`` is not known.

    ``prefill`` and ``forced_tools`` say whether an assistant message may end the array and whether
    ``tool_choice`` may force a call, ``mid_system`` whether a system message may stand inside the array,
    ``prefix_check`` whether signed thinking is bound to what stood before it, ``keeps_thinking`` whether
    thinking of earlier turns stays in the context, ``sampling`` whether temperature and its like are taken,
    ``overflow_accepted`` whether a prompt plus ``max_tokens`` may exceed the window. ``images`` is how many a
    request may hold, ``image_side`` (pixels) and ``image_tokens`` what one is scaled down to,
    ``tool_overhead`` the tokens that tools add under a free and a forced choice, ``tokenizer`` the year of
    its family.
    """

    id: str
    source: str
    family: bool = False
    tokenizer: str | None = None
    max_output: int | None = None
    prefill: bool | None = None
    forced_tools: bool | None = None
    mid_system: bool | None = None
    prefix_check: bool | None = None
    keeps_thinking: bool | None = None
    sampling: bool | None = None
    overflow_accepted: bool | None = None
    thinking: tuple[str, ...] = ()
    images: int | None = None
    image_side: int | None = None
    image_tokens: int | None = None
    tool_overhead: tuple[int, int] | None = None
    thought_signature: bool | None = None


@cache
def models() -> dict[str, Model]:
    """Every row of the file by its id."""
    known = {f.name for f in fields(Model)}
    found: dict[str, Model] = {}
    for row in json.loads(FILE.read_text("utf-8"))["models"]:
        assert row.keys() <= known, f"unknown columns in {row['id']}"
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}
        found[row["id"]] = Model(**values)
    return found


@cache
def as_of() -> str:
    """The day up to which the file was checked, ISO."""
    return str(json.loads(FILE.read_text("utf-8"))["as_of"])


@lru_cache(maxsize=1000)
def model_named(name: str | None) -> Model | None:
    """The row for a model id as requests, logs, Bedrock and OpenRouter write it, dates and prefixes gone."""
    if not name:
        return None
    plain = RELEASE.sub("", VENDOR.sub("", name.lower()[:200]))
    if plain.startswith("claude"):
        plain = plain.replace(".", "-").removesuffix("-0")
    exact = models().get(plain)
    if exact is not None:
        return exact
    return next((row for row in models().values() if row.family and _of_family(plain, row.id)), None)


def _of_family(plain: str, id: str) -> bool:
    return plain.startswith(id) and plain[len(id) :][:1] in ("", ".", "-")
