"""The lessons that come with Tapedeck: files in ``sample_sessions/lessons``, in the order of teaching."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tape.errors import UserError
from tape.lessons.model import Lesson
from tape.lessons.reading import read
from tape.samples import FOLDER as SAMPLES

FOLDER = SAMPLES / "lessons"


@cache
def lessons() -> tuple[Lesson, ...]:
    """Every lesson, as its file was when it was first asked for. A file's name begins with its place in the
    course: ``1-amnesiac.yaml`` is the lesson ``amnesiac``. Raises ``UserError`` where a file is faulty."""
    return tuple(read(path.read_text("utf-8"), name(path)) for path in files())


def files() -> tuple[Path, ...]:
    """The files of the lessons, in the order of teaching."""
    return tuple(
        sorted(FOLDER.glob("*.yaml"), key=lambda path: (int(path.stem.partition("-")[0]), path.stem))
    )


def name(path: Path) -> str:
    """The name of the lesson in a file."""
    return path.stem.partition("-")[2]


def lesson(wanted: str) -> Lesson:
    """The lesson of that name, or of that block of the course (``D``), large or small letters. Raises
    ``UserError`` where there is none."""
    asked = wanted.strip().casefold()
    for one in lessons():
        if asked and asked in (one.name.casefold(), one.block.casefold()):
            return one
    names = ", ".join(one.block or one.name for one in lessons())
    raise UserError("There is no lesson of that name.", do=f"There are {names}.")
