"""What the skills say, in the other languages that the scripted model speaks (``phrases.json``)."""

from __future__ import annotations

import json
from pathlib import Path

ENTRIES: dict[str, dict[str, str]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
PHRASES = {
    language: {english: said[language] for english, said in ENTRIES.items()}
    for language in ("de", "fr", "es")
}
"""By language, then by the English template."""
