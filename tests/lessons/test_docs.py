"""What ``docs/lessons.md`` says is so: its example plays, its tables are whole, the command checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tape.lessons import Player, read
from tape.lessons.__main__ import main
from tape.lessons.library import files
from tape.lessons.model import Predict, Run, Show
from tape.lessons.words import FORMS
from tests.corpus import REPOSITORY
from tests.lessons.playing import played

TEXT = (REPOSITORY / "docs" / "lessons.md").read_text("utf-8")
EXAMPLE = re.findall(r"```yaml\n(.*?)```", TEXT, re.S)[0]


def test_the_example_plays() -> None:
    player = played(Player(read(EXAMPLE)))
    assert player.text.startswith("It said: “messages.1: `tool_use` ids were found")
    verdict = player.verdict()
    assert verdict is not None
    assert verdict.right == "It refuses."


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.words)
def test_every_value_is_described(form: object) -> None:
    words = getattr(form, "words", "")
    assert f"`{words}`" in TEXT or f"| {words} |" in TEXT


def test_every_key_is_described() -> None:
    for detail in (Show, Run):
        for name in detail.__dataclass_fields__:
            assert f"`{name}`" in TEXT, name
    for name in set(Predict.__dataclass_fields__) | {"notes", "board", "minutes", "then", "now", "since"}:
        assert f"`{name}`" in TEXT, name


def test_the_command_plays_a_lesson_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(files()[3])]) == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 24
    assert "Right: It refuses the whole array." in said[6]


def test_the_command_names_faults_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(EXAMPLE.replace("minutes: 5", "minutes: x"), "utf-8")
    assert main([str(path)]) == 1
    assert f'{path}: line 2: "minutes" must be a number' in capsys.readouterr().out
    path.write_text(EXAMPLE.replace("targets: [3]", "targets: [30]"), "utf-8")
    assert main([str(path)]) == 1
    assert "line 11: this step cannot be carried out." in capsys.readouterr().out
    assert main([str(tmp_path / "none.yaml")]) == 2
    assert main([]) == 2
