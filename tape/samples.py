"""The sample sessions: what each teaches, its files, and the small workspaces that some of them read.

They lie in ``sample_sessions/`` with an index; loading one is reading it like any other transcript.
How they were made is in ``sample_sessions/generate.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tape
from tape.errors import UserError
from tape.model import Session

FOLDER = Path(__file__).resolve().parent.parent / "sample_sessions"


@dataclass(frozen=True, slots=True)
class SampleSession:
    """One entry of the index. ``files`` holds the transcript and, after it, the files of its sub-agents.

    ``teaches`` is what it shows and ``to_try`` what to do with it, each a sentence or two; ``workspace``
    names the files its tools may read when it is run again, ``None`` where it has no tools.
    """

    name: str
    title: str
    teaches: str
    to_try: str
    files: tuple[Path, ...]
    workspace: str | None = None

    def load(self) -> Session:
        """The session, read from its files now."""
        return tape.load(list(self.files) if len(self.files) > 1 else self.files[0])


def samples() -> tuple[SampleSession, ...]:
    """All samples in the order in which they teach; the first is what the page opens on."""
    entries = json.loads((FOLDER / "index.json").read_text("utf-8"))
    return tuple(
        SampleSession(
            name=entry["name"],
            title=entry["title"],
            teaches=entry["teaches"],
            to_try=entry["try"],
            files=tuple(FOLDER / file for file in entry["files"]),
            workspace=entry.get("workspace"),
        )
        for entry in entries
    )


def sample(name: str) -> SampleSession:
    """The sample of that name. Raises ``UserError`` where the index has none."""
    found = next((one for one in samples() if one.name == name), None)
    if found is None:
        names = ", ".join(one.name for one in samples())
        raise UserError(f"There is no sample {name!r}.", do=f"Choose one of {names}.")
    return found


def workspace(name: str) -> Mapping[str, str]:
    """The text of each file of a sample workspace by its path inside it, sorted by path.

    Raises ``UserError`` where there is no such workspace; only names that are folders here are accepted.
    """
    folders = {folder.name: folder for folder in (FOLDER / "workspaces").iterdir() if folder.is_dir()}
    if name not in folders:
        raise UserError(f"There is no workspace {name!r}.", do=f"Choose one of {', '.join(sorted(folders))}.")
    root = folders[name]
    files = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in files}


def workspaces() -> tuple[str, ...]:
    """The names of the sample workspaces, sorted."""
    return tuple(sorted(folder.name for folder in (FOLDER / "workspaces").iterdir() if folder.is_dir()))
