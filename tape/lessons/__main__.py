"""Checks lesson files and plays them: ``python -m tape.lessons FILE``. Faults by line, else their words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tape.errors import UserError
from tape.lessons.model import Lesson
from tape.lessons.player import Player
from tape.lessons.reading import check
from tape.visible import one_line

USAGE = "usage: python -m tape.lessons FILE …\n"


def main(arguments: Sequence[str]) -> int:
    """The exit code: 0 for lessons that play to their end, 1 where one is wrong, 2 for a wrong command."""
    if not arguments or any(argument.startswith("-") for argument in arguments):
        sys.stderr.write(USAGE)
        return 2
    return max(_file(Path(argument)) for argument in arguments)


def _file(path: Path) -> int:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"{path}: cannot be read ({error})\n")
        return 2
    lesson, faults = check(text, path.stem)
    for fault in faults:
        sys.stdout.write(one_line(f"{path}: {fault}") + "\n")
    return 1 if lesson is None else _play(path, lesson)


def _play(path: Path, lesson: Lesson) -> int:
    """Plays the lesson with the first answer to every question, and writes what each step says."""
    player = Player(lesson)
    while True:
        try:
            if player.now.done:
                verdict = player.verdict()
                right = f" Right: {verdict.right}." if verdict is not None else ""
                _write(f"{player.now.index + 1:3} {player.step.kind:8}{player.text}{right} {player.answer}")
                if player.at_end:
                    return 0
            if player.waits and player.step.kind == "predict":
                player.guess(0)
            else:
                player.forward()
        except UserError as fault:
            _write(f"{path}: line {player.step.line}: this step cannot be carried out. {fault.sentence}")
            return 1


def _write(text: str) -> None:
    sys.stdout.write(one_line(text).rstrip() + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
