"""Progress of reading: it grows to the end, and only for who waits in the same thread."""

from __future__ import annotations

import json

import tape
from tape.progress import FRAMING, Progress, came, telling


class Steps(Progress):
    """Remembers every step."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    @property
    def part(self) -> float:
        return self.seen[-1] if self.seen else 0.0

    @part.setter
    def part(self, value: float) -> None:
        self.seen.append(value)


def test_reading_many_lines_is_told_as_it_goes() -> None:
    line = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "go"}}
    data = b"".join(json.dumps(line | {"uuid": f"u{n}"}).encode() + b"\n" for n in range(20_000))
    steps = Steps()
    with telling(steps):
        tape.load(data)
    assert steps.seen == sorted(steps.seen)
    assert 0 < steps.seen[0] < FRAMING
    assert steps.seen[-1] > 0.9
    assert len(set(steps.seen)) > 15


def test_nobody_is_told_outside() -> None:
    progress = Progress()
    with telling(progress):
        came(0.5)
        came(0.2)
    came(0.9)
    assert progress.part == 0.5
