"""What the tool results in the array tell about files and test runs, in the order they came.

A later result replaces what an earlier one said; a result that was deleted from the array is not
known here, and one that was changed is believed. Nothing is looked up anywhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tape.endpoint.seen import Done
from tape.endpoint.verbs import act, tidy

NUMBERED = re.compile(r"^\s*\d+(?:→|\t)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Run:
    """One command and what it printed."""

    command: str
    output: str
    is_error: bool
    order: int

    @property
    def is_test(self) -> bool:
        """Whether the command ran tests."""
        return bool(re.search(r"\b(pytest|unittest|test)\b", self.command))

    @property
    def failed(self) -> bool:
        """Whether the output speaks of a failure. The output is all the script goes by."""
        if re.search(r"\b[1-9]\d* (failed|errors?)\b|\bFAILED\b|Traceback|AssertionError", self.output):
            return True
        return self.is_error and not re.search(r"\b\d+ passed\b", self.output)


@dataclass(slots=True)
class Known:
    """Files by path, paths that could not be read, the last listing, the runs and the last edit."""

    files: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    listing: tuple[str, ...] | None = None
    listing_failed: bool = False
    runs: list[Run] = field(default_factory=list)
    edits: list[tuple[str, int]] = field(default_factory=list)

    @property
    def tests(self) -> list[Run]:
        """The runs that ran tests, oldest first."""
        return [run for run in self.runs if run.is_test]


def learn(results: Iterable[Done]) -> Known:
    """Read the results, oldest first."""
    known = Known()
    for order, done in enumerate(results):
        did = act(done.call)
        if did is None:
            continue
        if did.verb == "read":
            if done.is_error:
                known.missing[did.path] = done.text
            else:
                known.files[did.path] = _plain(done.text)
                known.missing.pop(did.path, None)
        elif did.verb == "list":
            known.listing_failed = done.is_error
            if not done.is_error:
                known.listing = _paths(done.text)
        elif did.verb == "run":
            known.runs.append(Run(did.command, done.text, done.is_error, order))
        elif not done.is_error:
            known.edits.append((did.path, order))
            if did.verb == "write":
                known.files[did.path] = did.text
            elif did.path in known.files and did.old:
                known.files[did.path] = known.files[did.path].replace(did.old, did.new, 1)
    return known


def _plain(text: str) -> str:
    """A file's text without the line numbers that some reading tools put in front."""
    lines = text.splitlines()
    if lines and all(NUMBERED.match(one) for one in lines if one.strip()):
        return NUMBERED.sub("", text)
    return text


def _paths(text: str) -> tuple[str, ...]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    names = value if isinstance(value, list) else text.splitlines()
    paths = (tidy(name.strip().removeprefix("- ")) for name in names if isinstance(name, str))
    return tuple(path for path in paths if path and not path.endswith("/"))
