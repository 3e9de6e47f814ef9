"""A workspace held in memory: a handful of text files by path, and the jail around their names.

No path of a call ever reaches a file system: a path either names one of the files held here, or it is
refused in one sentence. Tools over a real folder are another module's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

LARGEST_FILE = 1_000_000
"""Characters that one file may hold."""
MOST_FILES = 500


class Refused(Exception):
    """A path that is not allowed or names nothing; the message is for the model."""


class MemoryWorkspace:
    """Files by relative path. Calls change this object only; ``copy`` gives a fresh one for each run."""

    def __init__(self, files: Mapping[str, str], name: str = "workspace") -> None:
        self.name = name
        self._files = dict(files)

    def copy(self) -> MemoryWorkspace:
        """An independent workspace with the same files."""
        return MemoryWorkspace(self._files, self.name)

    @property
    def files(self) -> dict[str, str]:
        """The files and their text, as a copy."""
        return dict(self._files)

    def paths(self, folder: str = "") -> list[str]:
        """The paths below a folder (all of them for an empty one), sorted. Raises ``Refused``."""
        inside = jailed(folder) if folder not in ("", ".", "./") else ""
        return sorted(
            path for path in self._files if not inside or path.startswith(f"{inside}/") or path == inside
        )

    def read(self, path: str) -> str:
        """The text of a file. Raises ``Refused``."""
        name = jailed(path)
        if name not in self._files:
            raise Refused(f"There is no file {name!r} in this workspace.")
        return self._files[name]

    def write(self, path: str, text: str) -> str:
        """Put ``text`` into a file, new or not, and return its tidy path. Raises ``Refused``."""
        name = jailed(path)
        if len(text) > LARGEST_FILE:
            raise Refused(f"A file may hold {LARGEST_FILE:,} characters; this is {len(text):,}.")
        if name not in self._files and len(self._files) >= MOST_FILES:
            raise Refused(f"A workspace may hold {MOST_FILES} files.")
        if any(other.startswith(f"{name}/") or name.startswith(f"{other}/") for other in self._files):
            raise Refused(f"{name!r} would be a file and a folder at once.")
        self._files[name] = text
        return name


def jailed(path: str) -> str:
    """The tidy relative form of a path. Raises ``Refused`` for one that could lead out, however written."""
    plain = _decoded(path)
    parts = [part for part in re.split(r"[/\\]", plain) if part not in ("", ".")]
    leads_out = (
        plain.startswith(("/", "\\", "~"))
        or re.match(r"[A-Za-z]:", plain)
        or ".." in parts
        or any(ord(character) < 32 or ord(character) == 127 for character in plain)
    )
    if leads_out:
        raise Refused("Refused: the path leads out of the workspace. Use a path relative to it.")
    if plain != path:
        raise Refused("Refused: encoded paths are not decoded. Write the path as it is.")
    if not parts:
        raise Refused("Refused: the path names no file.")
    return "/".join(parts)


def _decoded(path: str) -> str:
    """The path with every layer of percent-encoding taken off."""
    for _ in range(10):
        plain = unquote(path, errors="replace")
        if plain == path:
            return path
        path = plain
    raise Refused("Refused: the path is encoded too many times.")


def listing(paths: Iterable[str]) -> str:
    """Paths as a listing tool shows them: one a line."""
    return "\n".join(paths)
