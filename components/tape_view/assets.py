"""The files of the tape view and of the lesson view, and their address, which changes with each of them."""

from __future__ import annotations

from functools import cache
from hashlib import blake2s
from pathlib import Path

FOLDERS = (Path(__file__).resolve().parent, Path(__file__).resolve().parent.parent / "lesson_view")
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}


def prefix(base: str = "") -> str:
    """Where our routes are on the server: ``/tape``, behind the base URL path where there is one."""
    inner = base.strip("/")
    return f"/{inner}/tape" if inner else "/tape"


@cache
def files() -> dict[str, bytes]:
    """Scripts, style sheets and the page skeleton by name, as they are on disk when first asked for."""
    found = (path for folder in FOLDERS for path in sorted(folder.iterdir()))
    return {path.name: path.read_bytes() for path in found if path.suffix in TYPES}


@cache
def build() -> str:
    """A name for the present content of all files."""
    seen = blake2s(digest_size=8)
    for name, content in files().items():
        seen.update(f"{name}\0{len(content)}\0".encode())
        seen.update(content)
    return seen.hexdigest()
