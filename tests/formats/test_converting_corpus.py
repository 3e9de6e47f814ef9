"""Real files in every form that can be written: all goes over or the losses are said; nothing raises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import tape
from tape.formats.registry import writable
from tape.model import Session
from tests.corpus import folder

FILES = sorted(
    str(path.relative_to(folder()))
    for path in folder().rglob("*")
    if path.is_file() and path.name != "SOURCES.md" and "subagents" not in path.parts[:-1]
)
SERVER = "ran on the provider's side"


def kinds(session: Session) -> Counter[str]:
    """How many blocks of each kind the array holds."""
    return Counter(head.kind for entry in session.messages for head in entry.heads)


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_goes_over_to_every_form(corpus: Callable[[str], Path], name: str) -> None:
    session = tape.load(corpus(name))
    had = kinds(session)
    for target in writable():
        made = tape.convert(session, target.name)
        again = tape.load(made.data, format=target.name)
        has = kinds(again)
        said = " ".join(loss.text for loss in made.losses)
        for kind in ("tool_use", "tool_result"):
            assert has[kind] == had[kind] or SERVER in said, (target.name, kind)
        if not said:
            spoken = (entry for entry in session.messages if entry.role != "system")
            words = [entry.text for entry in spoken if entry.text.strip()]
            whole = "\n".join(entry.text for entry in again.messages)
            for text in words:
                assert text.strip() in whole or all(line in whole for line in text.split("\n")), target.name
