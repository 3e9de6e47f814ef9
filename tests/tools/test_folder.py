"""Workspaces on disk: what is copied, and that no path and no link leads out of the copy."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tape.errors import UserError
from tape.tools import folder
from tape.tools.files import file_tools
from tape.tools.folder import FolderWorkspace, Snapshot, folder_snapshot, sample_snapshot, zip_snapshot
from tape.tools.memory import LARGEST_FILE, Refused

FILES = Snapshot("small", {"notes.txt": b"one\n", "src/calc.py": b"x = 1\n", "raw.bin": b"\xff\xfe\x00"})


@pytest.fixture
def workspace() -> Iterator[FolderWorkspace]:
    """Three files, one of them no text."""
    with FolderWorkspace(FILES) as opened:
        yield opened


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of every workspace."""
    path = tmp_path / "secret.txt"
    path.write_text("secret", "utf-8")
    return path


def zipped(*members: tuple[str, bytes]) -> bytes:
    """A zip file with these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members:
            archive.writestr(name, body)
    return out.getvalue()


def test_it_reads_lists_and_writes(workspace: FolderWorkspace) -> None:
    assert workspace.paths() == ["notes.txt", "raw.bin", "src/calc.py"]
    assert workspace.paths("src") == ["src/calc.py"]
    assert workspace.read("./src/calc.py") == "x = 1\n"
    assert workspace.write("new/deep/a.txt", "ä") == "new/deep/a.txt"
    assert workspace.write("notes.txt", "") == "notes.txt"
    assert (workspace.read("new/deep/a.txt"), workspace.read("notes.txt")) == ("ä", "")


def test_each_run_has_a_copy_that_goes_when_it_ends() -> None:
    with FolderWorkspace(FILES) as one, FolderWorkspace(FILES) as other:
        one.write("notes.txt", "changed")
        assert other.read("notes.txt") == "one\n"
        root = one.root
        (root / "closed").mkdir(mode=0o000)
        assert root.stat().st_mode & 0o077 == 0 or root.parent.stat().st_mode & 0o077 == 0
    assert not root.parent.exists()


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "../../secret.json",
        "src/../../secret.txt",
        "..\\secret.txt",
        "/etc/passwd",
        "//etc/passwd",
        "~/.ssh/id_rsa",
        "C:\\secret.txt",
        "..%2F..%2Fsecret.json",
        "%2e%2e/secret.txt",
        "%252e%252e%252fsecret.txt",
        "notes.txt\x00",
        "",
        ".",
    ],
)
def test_b41_paths_that_lead_out_are_refused(workspace: FolderWorkspace, path: str) -> None:
    for use in (lambda: workspace.read(path), lambda: workspace.write(path, "x")):
        with pytest.raises(Refused):
            use()
    assert workspace.paths() == ["notes.txt", "raw.bin", "src/calc.py"]


def test_b41_links_are_not_followed(workspace: FolderWorkspace, secret: Path) -> None:
    (workspace.root / "link").symlink_to(secret)
    (workspace.root / "up").symlink_to(secret.parent)
    (workspace.root / "inside").symlink_to("notes.txt")
    for path in ("link", "up/secret.txt", "inside"):
        with pytest.raises(Refused, match="link"):
            workspace.read(path)
        with pytest.raises(Refused, match="link"):
            workspace.write(path, "overwritten")
    assert secret.read_text("utf-8") == "secret"
    assert not {"link", "up/secret.txt", "inside"} & set(workspace.paths())


def test_special_files_and_folders_are_no_files(workspace: FolderWorkspace) -> None:
    os.mkfifo(workspace.root / "pipe")
    for path in ("pipe", "src"):
        with pytest.raises(Refused):
            workspace.read(path)
    with pytest.raises(Refused, match=r"'raw\.bin' is not text"):
        workspace.read("raw.bin")
    with pytest.raises(Refused, match="no folder"):
        workspace.write("notes.txt/inner", "x")


def test_a_workspace_is_bounded(workspace: FolderWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refused, match="1,000,000 characters"):
        workspace.write("big", "x" * (LARGEST_FILE + 1))
    monkeypatch.setattr(folder, "MOST_BYTES", 10)
    with pytest.raises(Refused, match="A workspace may hold"):
        workspace.write("one-more", "12345678901")


def test_a_folder_is_copied_without_links_and_history(tmp_path: Path, secret: Path) -> None:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text("x", "utf-8")
    (root / "a.py").write_text("a", "utf-8")
    (root / "out").symlink_to(secret)
    (root / "folder").symlink_to(secret.parent)
    found = folder_snapshot(root)
    assert (found.name, dict(found.files)) == ("project", {"a.py": b"a"})
    assert [note.where for note in found.notes] == ["out"]
    with FolderWorkspace(found) as copy:
        copy.write("a.py", "changed")
    assert (root / "a.py").read_text("utf-8") == "a"


def test_a_folder_that_is_none_or_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="This is no folder"):
        folder_snapshot(tmp_path / "nothing")
    (tmp_path / "a").write_text("12345", "utf-8")
    monkeypatch.setattr(folder, "MOST_BYTES", 4)
    with pytest.raises(UserError, match="A workspace may hold"):
        folder_snapshot(tmp_path)


def test_a_zip_is_unpacked_without_what_leads_out() -> None:
    data = zipped(
        ("top/a.py", b"a"),
        ("top/b/c.txt", b"c"),
        ("../evil", b"x"),
        ("/etc/evil", b"x"),
        ("top/%2e%2e", b"x"),
    )
    found = zip_snapshot(data, "work.zip")
    assert (found.name, dict(found.files)) == ("work", {"a.py": b"a", "b/c.txt": b"c"})
    assert {note.where for note in found.notes} == {"../evil", "/etc/evil", "top/%2e%2e"}


def test_names_that_no_file_system_takes_are_left_out() -> None:
    found = zip_snapshot(zipped(("a" * 300, b""), ("d/" * 600 + "x", b""), ("ok", b"")))
    assert list(found.files) == ["ok"]
    assert len(found.notes) == 2
    with pytest.raises(UserError, match="could not be copied"):
        FolderWorkspace(Snapshot("long", {"a" * 300: b""}))


def test_a_zip_whose_names_clash_keeps_what_it_can() -> None:
    found = zip_snapshot(zipped(("a", b"file"), ("a/b", b"inside"), ("c", b"c")))
    assert dict(found.files) == {"a/b": b"inside", "c": b"c"}
    with FolderWorkspace(found) as copy:
        assert copy.paths() == ["a/b", "c"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no zip", "The zip file is damaged"),
        (zipped(), "holds no files"),
        (zipped(("zeros", bytes(60_000_000))), "holds no files|A workspace may hold"),
        (zipped(*((f"{n}.txt", b"") for n in range(5_001))), "A workspace may hold"),
    ],
    ids=["no zip", "empty", "bomb", "too many"],
)
def test_a_zip_that_will_not_do_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(UserError, match=said):
        zip_snapshot(data)


def test_the_file_tools_work_on_it() -> None:
    with FolderWorkspace(sample_snapshot("calculator")) as copy:
        tools = {tool.name: tool for tool in file_tools(copy)}
        edit = {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}
        assert tools["edit_file"].run(edit).text == "Edited calc.py."
        assert "a + b" in tools["read_file"].run({"path": "calc.py"}).text
        assert tools["read_file"].run({"path": "/etc/passwd"}).is_error
