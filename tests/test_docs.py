"""The documents agree with the code: the table of formats, the commands, and the files they name."""

from __future__ import annotations

import re

from docs.tables import README, filled
from tape.cli import build_parser
from tape.formats import FORMATS
from tests.corpus import REPOSITORY

TEXT = README.read_text("utf-8")
GUIDE = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")


def test_the_table_of_formats_is_that_of_the_registry() -> None:
    assert filled(TEXT) == TEXT, "run python -m docs.tables"
    assert all(f"| `{one.name}` |" in TEXT for one in FORMATS)


def test_every_command_is_in_the_readme_and_every_command_there_exists() -> None:
    commands = next(a.choices for a in build_parser()._actions if a.choices)
    assert set(re.findall(r"python -m tape (\w+)", TEXT)) == set(commands)  # type: ignore[arg-type]


def test_pictures_and_files_that_are_named_exist() -> None:
    named = re.findall(r"\]\(([^)#:]+)\)", TEXT) + re.findall(r"\]\(([^)#:]+)\)", GUIDE)
    assert [path for path in named if not (REPOSITORY / path).exists()] == []


def test_the_map_names_what_is_there() -> None:
    rows = re.findall(r"^\| (`.+?) \|", GUIDE, re.MULTILINE)
    paths = [path for row in rows for path in re.findall(r"`([^`]+)`", row)]
    assert len(paths) > 10
    assert [path for path in paths if not any(REPOSITORY.glob(path))] == []
