"""What the skills say, in the other languages that the scripted model speaks."""

from __future__ import annotations

PHRASES: dict[str, dict[str, str]] = {"de": {}, "fr": {}, "es": {}}
