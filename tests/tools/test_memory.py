"""A workspace in memory, and the jail around its paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.tools.memory import LARGEST_FILE, MOST_FILES, MemoryWorkspace, Refused, jailed


@pytest.fixture
def workspace() -> MemoryWorkspace:
    """Two files, one of them in a folder."""
    return MemoryWorkspace({"notes.txt": "one\ntwo\n", "src/calc.py": "x = 1\n"}, "small")


@pytest.mark.parametrize(
    "path",
    [
        "../notes.txt",
        "../../secret.json",
        "src/../../notes.txt",
        "..\\notes.txt",
        "/etc/passwd",
        "\\etc\\passwd",
        "//host/share",
        "~/notes.txt",
        "C:\\notes.txt",
        "c:notes.txt",
        "..%2Fnotes.txt",
        "..%2F..%2Fsecret.json",
        "%2e%2e/notes.txt",
        "%252e%252e%252fnotes.txt",
        "%2Fetc%2Fpasswd",
        "notes.txt%00.png",
        "notes.txt\x00",
        "notes\n.txt",
    ],
)
def test_b41_paths_that_lead_out_are_refused(workspace: MemoryWorkspace, path: str) -> None:
    with pytest.raises(Refused, match="Refused: the path leads out"):
        workspace.read(path)
    with pytest.raises(Refused, match="Refused"):
        workspace.write(path, "x")
    assert set(workspace.files) == {"notes.txt", "src/calc.py"}


@pytest.mark.parametrize("path", ["notes%2Etxt", "%6eotes.txt", "", ".", "%" + "25" * 20 + "41"])
def test_other_odd_paths_are_refused_too(workspace: MemoryWorkspace, path: str) -> None:
    with pytest.raises(Refused):
        workspace.read(path)


@given(st.text(max_size=30))
def test_whatever_passes_stays_inside(path: str) -> None:
    try:
        tidy = jailed(path)
    except Refused:
        return
    assert tidy
    assert not tidy.startswith("/")
    assert ".." not in tidy.split("/")


@pytest.mark.parametrize(
    "path", ["src/calc.py", "./src/calc.py", "src//calc.py", "src\\calc.py", "src/./calc.py"]
)
def test_spellings_of_one_path_name_one_file(workspace: MemoryWorkspace, path: str) -> None:
    assert workspace.read(path) == "x = 1\n"


def test_paths_are_listed_by_folder(workspace: MemoryWorkspace) -> None:
    assert workspace.paths() == ["notes.txt", "src/calc.py"]
    assert workspace.paths("src/") == ["src/calc.py"]
    assert workspace.paths("sr") == []


def test_a_copy_is_independent(workspace: MemoryWorkspace) -> None:
    copy = workspace.copy()
    copy.write("new/file.txt", "hello")
    assert copy.read("new/file.txt") == "hello"
    assert "new/file.txt" not in workspace.files


def test_there_are_limits(workspace: MemoryWorkspace) -> None:
    with pytest.raises(Refused, match="1,000,000 characters"):
        workspace.write("big.txt", "x" * (LARGEST_FILE + 1))
    with pytest.raises(Refused, match="a file and a folder"):
        workspace.write("src", "x")
    full = MemoryWorkspace({f"{n}.txt": "" for n in range(MOST_FILES)})
    full.write("0.txt", "changed")
    with pytest.raises(Refused, match="500 files"):
        full.write("one-more.txt", "")
