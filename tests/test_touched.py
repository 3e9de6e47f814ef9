"""Files that calls name: by argument, in a patch, and only as many as there is time for."""

from __future__ import annotations

import pytest

from tape.model import Json
from tape.touched import path_of, paths_of, touched
from tests.strategies import answer, assistant, call, session, user

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: src/b.py\n+z\n*** End Patch"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"file_path": "a.py", "limit": 3}, ["a.py"]),
        ({"path": "a", "file": "b"}, ["a", "b"]),
        ({"path": 7, "filePath": ""}, []),
        (PATCH, ["src/a.py", "src/b.py"]),
        ({"input": PATCH}, ["src/a.py", "src/b.py"]),
        ({"command": ["apply_patch", PATCH]}, ["src/a.py", "src/b.py"]),
        ({"diff": "--- a/x.c\n+++ b/x.c\n@@"}, ["x.c"]),
        ({"command": "cat a.py"}, []),
        (None, []),
        ([{"path": "a"}], []),
    ],
)
def test_the_paths_of_an_input(given: Json, found: list[str]) -> None:
    assert list(paths_of(given)) == found
    assert path_of(given) == (found[0] if found else "")


def test_the_most_often_named_is_first_and_each_call_counts_once() -> None:
    chat = session(
        user("go"),
        assistant(
            call("1", "Read", {"path": "a"}),
            call("2", "Read", {"path": "b", "file_path": "b"}),
        ),
        user(answer("1", "x"), answer("2", "y")),
        assistant(call("3", "Edit", {"file_path": "b"})),
        user(answer("3", "z")),
    )
    found = touched(chat)
    assert list(found.files) == ["b", "a"]
    assert found.files == {"b": (("m1", 1), ("m3", 0)), "a": (("m1", 0),)}
    assert (found.seen, found.messages) == (2, 2)


def test_what_there_is_no_time_for_is_told() -> None:
    chat = session(
        assistant(call("1", "Read", {"path": "a"})),
        user(answer("1", "x")),
        assistant(call("2", "Read", {"path": "b"})),
    )
    found = touched(chat, seconds=-1)
    assert (list(found.files), found.seen, found.messages) == (["a"], 1, 2)
