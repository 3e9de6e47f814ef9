"""The runs of LangSmith in a file: nested, listed, or in batches that are merged by id; and what each holds.

Which of them is the transcript of a trace is the business of ``langsmith``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tape.formats.arrays import Path, at
from tape.formats.langchain_parts import said_of
from tape.formats.parts import below, word
from tape.model import Json, Place

DEPTH: Final = 20
LISTS: Final[tuple[Path, ...]] = (("messages", 0), ("messages",), ("input", "messages"), ("input",))
REPLIES: Final[tuple[Path, ...]] = (
    ("generations", 0, 0, "message"),
    ("generations", 0, "message"),
    ("choices", 0, "message"),
    ("message",),
    ("output",),
    (),
)


@dataclass(slots=True)
class Run:
    """A run: its facts as they came (what a later record says of it is merged in), and where its inputs and
    outputs stand."""

    id: str
    place: Place
    facts: dict[str, Any] = field(default_factory=dict)
    inputs: Place | None = None
    outputs: Place | None = None
    above: str | None = None

    @property
    def kind(self) -> str:
        """``llm``, ``chain``, ``tool`` or another."""
        return word(self.facts, "run_type") or "run"

    def messages(self) -> Place | None:
        """Where the list of messages stands that the run was given."""
        return _list_in(self.facts.get("inputs"), self.inputs)

    def transcript(self) -> Place | None:
        """Where the list of messages stands that the run left, as an agent does."""
        return _list_in(self.facts.get("outputs"), self.outputs)

    def reply(self) -> Place | None:
        """Where the message stands that the run answered with."""
        for path in REPLIES if self.outputs is not None else ():
            if said_of(at(self.facts.get("outputs"), path)) is not None and self.outputs is not None:
                return below(self.outputs, *path)
        return None


def _list_in(value: Json, place: Place | None) -> Place | None:
    for path in LISTS if place is not None else ():
        held = at(value, path)
        if place is not None and isinstance(held, list) and any(said_of(m) for m in held[:400]):
            return below(place, *path)
    return None


def is_run(value: Json) -> bool:
    """Whether a value is a run."""
    return isinstance(value, dict) and isinstance(value.get("run_type"), str) and "inputs" in value


def is_batch(value: Json) -> bool:
    """Whether a value is a batch of runs as they are sent to LangSmith."""
    several = [value.get(k) for k in ("post", "patch")] if isinstance(value, dict) else []
    lists = [one for one in several if isinstance(one, list)]
    return bool(lists) and any(is_run(run) for one in lists for run in one[:50])


def runs(records: Iterable[tuple[int, Json]]) -> dict[str, Run]:
    """The runs of a file by id, in order."""
    found: dict[str, Run] = {}
    for record, value in records:
        for place, run, above in _listed(value, Place(record), None, 0):
            id = word(run, "id") or f"{record}{place.path}"
            one = found.setdefault(id, Run(id, place, above=above))
            for key in ("inputs", "outputs"):
                if run.get(key):
                    setattr(one, key, below(place, key))
            one.facts |= {k: v for k, v in run.items() if v is not None and k != "child_runs"}
    return found


def _listed(
    value: Json, place: Place, above: str | None, depth: int
) -> Iterator[tuple[Place, dict[str, Any], str | None]]:
    if isinstance(value, list) and depth < DEPTH:
        for i, one in enumerate(value):
            yield from _listed(one, below(place, i), above, depth + 1)
    if not isinstance(value, dict) or depth >= DEPTH:
        return
    if is_run(value) or ("id" in value and (depth or "outputs" in value)):
        yield place, value, above
        own = word(value, "id")
        yield from _listed(value.get("child_runs"), below(place, "child_runs"), own, depth + 1)
        return
    for key in ("post", "patch", "runs"):
        yield from _listed(value.get(key), below(place, key), above, depth + 1)


def root_of(run: Run, known: dict[str, Run]) -> str:
    """The id of the trace that a run is part of."""
    seen: set[str] = set()
    while run.id not in seen:
        seen.add(run.id)
        if trace := word(run.facts, "trace_id"):
            return trace
        parent = word(run.facts, "parent_run_id") or run.above
        if parent is None or parent not in known:
            return run.id
        run = known[parent]
    return run.id
