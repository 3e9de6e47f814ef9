"""A checkpoint of another running program is its own; that of an ended one is anybody's."""

from __future__ import annotations

import subprocess
import sys

import pytest

from components.rescue import left_over
from tape.alive import goes_on, own_id
from tape.checkpoints import Keeper
from tests.corpus import REPOSITORY
from tests.page_driver import Driver

OTHER = "from tape.alive import own_id; print(own_id(), flush=True); input()"


def test_only_a_program_that_lives_keeps_its_checkpoint(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Driver().session
    monkeypatch.setenv("TAPEDECK_DATA", str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-c", OTHER],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        kept = other.stdout.readline().strip()
        assert Keeper(kept, "theirs").keep(session) == ""
        assert goes_on(kept)
        assert left_over() == ()
        other.kill()
    assert not goes_on(kept)
    assert [one.about.title for one in left_over()] == ["theirs"]


@pytest.mark.parametrize("strange", ["", "abc", "own-../../x-1", "own-0-1", "own-a-b-c"])
def test_an_id_of_another_form_belongs_to_nobody(strange: str) -> None:
    assert not goes_on(strange)
    assert not goes_on(own_id())
