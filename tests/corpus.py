"""Where the real transcripts are that no test of ours wrote, and what happens when they are not there.

They live beside the repository and are never copied into it: ``../shared/corpus``, or the folder that the
environment variable ``TAPEDECK_CORPUS`` names. A test asks for one through the fixture ``corpus``. Without
the folder those tests are left out and one line says so, except in CI, where its absence fails the run.
"""

from __future__ import annotations

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def folder() -> Path:
    """The corpus folder, whether or not it exists."""
    return Path(os.environ.get("TAPEDECK_CORPUS") or REPOSITORY.parent / "shared" / "corpus")


def corpus_file(path: str) -> Path:
    """The file or folder at ``path`` inside the corpus. Raises ``FileNotFoundError`` when there is none."""
    found = folder() / path
    if not found.exists():
        raise FileNotFoundError(f"{path} is not in the corpus folder")
    return found
