"""Workspaces on disk: a folder copied for one run, and the jail around its paths.

A ``Snapshot`` holds the files as they were found: a sample's, those of a folder the user names, or of a
zip file. Every run works on a fresh copy of it, which is removed at the end; the folder it was taken from is
never written to. What runs in the copy is ``tape.tools.sandbox``'s business.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tape.archives import Archive
from tape.errors import UserError
from tape.notes import Note
from tape.samples import workspace
from tape.tools.memory import LARGEST_FILE, Refused, jailed

MOST_FILES: Final = 5_000
MOST_BYTES: Final = 50_000_000
"""Bytes that the files of a workspace may have together."""
LEFT_OUT: Final = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", "venv", ".tox"})
"""Folders that are not copied: history and installed packages."""
LONGEST_PATH: Final = 1_000
LONGEST_NAME: Final = 200
"""Bytes of a path, and of a name in it; Linux takes 4,096 and 255, the place of the copy included."""
OPENING: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK if hasattr(os, "O_NOFOLLOW") else 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Files by relative path, as bytes; ``notes`` say what was left out. A value: runs only copy it."""

    name: str
    files: Mapping[str, bytes]
    notes: tuple[Note, ...] = ()


def sample_snapshot(name: str) -> Snapshot:
    """The sample workspace of that name. Raises ``UserError`` where there is none."""
    return Snapshot(name, {path: text.encode() for path, text in workspace(name).items()})


def folder_snapshot(folder: str | Path) -> Snapshot:
    """The regular files below a folder of this computer, links and special files left out.

    Raises ``UserError`` where it is no folder, cannot be read or holds more than a workspace may.
    """
    root = Path(folder).expanduser()
    if not root.is_dir():
        raise UserError("This is no folder.", where=str(folder), do="Give the path of a folder to copy.")
    files: dict[str, bytes] = {}
    notes: list[Note] = []
    for path, entry in _walk(root, notes):
        try:
            files[path] = entry.read_bytes()
        except OSError as error:
            notes.append(Note(path, "unreadable-file", f"It was left out: {error.strerror}."))
        _check(files, str(folder))
    return Snapshot(root.resolve().name or "folder", files, tuple(notes))


def zip_snapshot(data: bytes, name: str = "workspace.zip") -> Snapshot:
    """The files of a zip file; a single folder around all of them is taken off.

    Raises ``UserError`` where it is damaged, empty, or unpacks to more than a workspace may hold.
    """
    archive = Archive(data, name)
    files: dict[str, bytes] = {}
    total = 0
    for member in archive.names:
        total += archive.size(member)
        if total > MOST_BYTES or len(files) >= MOST_FILES:
            raise _too_much(name)
        try:
            files[_short(jailed(member))] = archive.read(member)
        except Refused:
            archive.notes.append(Note(member[:200], "member-left-out", "Its name is not allowed: left out."))
    if not files:
        raise UserError("The zip file holds no files.", where=name, do="Choose another.")
    tops = {path.split("/", 1)[0] for path in files}
    if len(tops) == 1 and all("/" in path for path in files):
        files = {path.split("/", 1)[1]: body for path, body in files.items()}
    clean, clashes = _without_clashes(files)
    return Snapshot(Path(name).stem or "workspace", clean, (*archive.notes, *clashes))


class FolderWorkspace:
    """A copy of a snapshot in a folder of its own. Close it, or use it in a ``with``; closing removes it.

    Raises ``UserError`` where it cannot be written.

    ``owner`` is a user id that what runs in the folder has, where this process may give files away.
    """

    def __init__(self, snapshot: Snapshot, owner: int | None = None) -> None:
        self.name = snapshot.name
        self._owner = owner
        self._outer = Path(tempfile.mkdtemp(prefix="tapedeck-workspace-"))
        self.root = self._outer / "workspace"
        try:
            self._fill(snapshot.files)
        except OSError as error:
            self.close()
            raise UserError(
                f"The workspace could not be copied: {error.strerror}.",
                where=snapshot.name,
                do="Make room for temporary files, or choose another.",
            ) from None

    def __enter__(self) -> FolderWorkspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes the folder, whatever modes a command may have left on it."""
        for folder, _, _ in os.walk(self._outer):
            Path(folder).chmod(0o700)
        shutil.rmtree(self._outer, ignore_errors=True)

    def _fill(self, files: Mapping[str, bytes]) -> None:
        self.root.mkdir()
        for path, body in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(body)
        self._give(self._outer, self.root, *self.root.rglob("*"))

    def paths(self, folder: str = "") -> list[str]:
        """The paths of the regular files below a folder, sorted. Raises ``Refused``."""
        inside = jailed(folder) if folder not in ("", ".", "./") else ""
        found = sorted(path for path, _ in _walk(self.root, []))
        return [path for path in found if not inside or path == inside or path.startswith(f"{inside}/")]

    def read(self, path: str) -> str:
        """The text of a file. Raises ``Refused``, also for one that is reached through a link."""
        name = jailed(path)
        with self._opened(name, os.O_RDONLY) as file:
            body = file.read(4 * LARGEST_FILE + 1)
        if len(body) > 4 * LARGEST_FILE:
            raise Refused(f"{name!r} is larger than {4 * LARGEST_FILE:,} bytes.")
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(f"{name!r} is not text.") from None

    def write(self, path: str, text: str) -> str:
        """Put ``text`` into a file, new or not, and return its tidy path. Raises ``Refused``."""
        name = jailed(path)
        if len(text) > LARGEST_FILE:
            raise Refused(f"A file may hold {LARGEST_FILE:,} characters; this is {len(text):,}.")
        body = text.encode("utf-8", "replace")
        size, count = self.used()
        if size + len(body) > MOST_BYTES or count >= MOST_FILES:
            raise Refused(f"A workspace may hold {MOST_FILES:,} files and {MOST_BYTES:,} bytes.")
        with self._opened(name, os.O_WRONLY | os.O_CREAT) as file:
            file.truncate()
            file.write(body)
        self._give(*(self.root / part for part in _prefixes(name)))
        return name

    def used(self) -> tuple[int, int]:
        """The bytes and the number of entries in the folder, counted up to their limits."""
        return measured(self.root)

    def _opened(self, name: str, flags: int) -> _Open:
        return _Open(self.root, name, flags)

    def _give(self, *paths: Path) -> None:
        if self._owner is None:
            return
        for path in paths:
            os.chown(path, self._owner, self._owner, follow_symlinks=False)


class _Open:
    """A file of a folder, opened one name at a time so that no link is followed, however late it was made."""

    def __init__(self, root: Path, name: str, flags: int) -> None:
        self._root, self._name, self._flags = root, name, flags

    def __enter__(self) -> _Body:
        *folders, last = self._name.split("/")
        at = os.open(self._root, os.O_DIRECTORY | OPENING)
        try:
            for folder in folders:
                if self._flags & os.O_CREAT:
                    _make(folder, at)
                inner = os.open(folder, os.O_DIRECTORY | OPENING, dir_fd=at)
                os.close(at)
                at = inner
            opened = os.open(last, self._flags | OPENING, 0o644, dir_fd=at)
        except OSError as error:
            raise Refused(self._reason(error)) from None
        finally:
            os.close(at)
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            os.close(opened)
            raise Refused(f"{self._name!r} is no file.")
        self._file = _Body(opened)
        return self._file

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _reason(self, error: OSError) -> str:
        match error:
            case FileNotFoundError():
                return f"There is no file {self._name!r} in this workspace."
            case IsADirectoryError():
                return f"{self._name!r} is a folder."
            case NotADirectoryError():
                return f"{self._name!r} lies behind something that is no folder, or behind a link."
        if error.errno == errno.ELOOP:
            return "Refused: links are not followed."
        return f"{self._name!r} cannot be opened: {error.strerror}."


class _Body:
    """The bytes of an open file."""

    def __init__(self, opened: int) -> None:
        self._opened = opened

    def read(self, most: int) -> bytes:
        parts: list[bytes] = []
        while most > 0 and (part := os.read(self._opened, min(most, 1 << 20))):
            parts.append(part)
            most -= len(part)
        return b"".join(parts)

    def truncate(self) -> None:
        os.ftruncate(self._opened, 0)

    def write(self, body: bytes) -> None:
        while body:
            body = body[os.write(self._opened, body) :]

    def close(self) -> None:
        os.close(self._opened)


def measured(root: Path, most_bytes: int = MOST_BYTES, most_files: int = MOST_FILES) -> tuple[int, int]:
    """The bytes on disk and the number of entries below a folder; counting ends once either is too many."""
    size = count = 0
    waiting = [root]
    while waiting and size <= most_bytes and count <= most_files:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
                    if count > most_files:
                        break
        except OSError:  # it went away, or a command closed it off: what it holds is not counted
            continue
    return size, count


def _walk(root: Path, notes: list[Note]) -> list[tuple[str, Path]]:
    found: list[tuple[str, Path]] = []
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if name not in LEFT_OUT)
        for name in sorted(names):
            path = Path(folder) / name
            where = path.relative_to(root).as_posix()
            try:
                mode = path.lstat().st_mode
            except OSError:
                continue
            if not stat.S_ISREG(mode):
                notes.append(Note(where, "link-left-out", "It is a link or a special file; it was left out."))
            elif len(found) <= MOST_FILES:
                found.append((where, path))
    return found


def _short(path: str) -> str:
    """The path. Raises ``Refused`` for one that file systems do not take."""
    encoded = path.encode("utf-8", "replace")
    if len(encoded) > LONGEST_PATH or any(len(part) > LONGEST_NAME for part in encoded.split(b"/")):
        raise Refused("Its name is too long.")
    return path


def _check(files: Mapping[str, bytes], where: str) -> None:
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES:
        raise _too_much(where)


def _too_much(where: str) -> UserError:
    most = f"{MOST_FILES:,} files and {MOST_BYTES // 1_000_000} MB"
    return UserError(
        f"A workspace may hold {most}; this is more.", where=where, do="Choose a smaller folder."
    )


def _without_clashes(files: Mapping[str, bytes]) -> tuple[dict[str, bytes], list[Note]]:
    """The files but for those whose name is also the folder of another."""
    folders = {path[:at] for path in files for at, sign in enumerate(path) if sign == "/"}
    text = "Its name is also that of a folder; it was left out."
    notes = [Note(path, "member-left-out", text) for path in files if path in folders]
    return {path: body for path, body in files.items() if path not in folders}, notes


def _prefixes(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[: i + 1]) for i in range(len(parts))]


def _make(folder: str, at: int) -> None:
    try:
        os.mkdir(folder, 0o755, dir_fd=at)
    except FileExistsError:
        return
