"""Each row of the collected rules as a file: an array that triggers it, and one that comes near and does not.

A file names its row, the endpoint, the code and severity that must be found, and the two request bodies;
``format`` where they are not in the Anthropic form, ``sending`` where only what is being sent matters. What
needs an edit, a picture or a large body has tests of its own, named in ``ELSEWHERE``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tape
from tape.model import Session
from tape.rules import RULES, lint
from tape.wire import session_of

FOLDER = Path(__file__).parent / "situations"
FILES = sorted(FOLDER.glob("*.json"))
ELSEWHERE = {
    "thinking-modified": "test_thinking.py",
    "thinking-prefix-changed": "test_thinking.py",
    "thinking-gap": "test_thinking.py",
    "too-many-images": "test_size.py",
    "image-too-large": "test_size.py",
    "request-too-large": "test_size.py",
    "context-overflow": "test_size.py",
}


def opened(situation: dict[str, Any], key: str) -> Session:
    """One of the two bodies of a situation as a session."""
    body = situation[key]
    if "format" in situation:
        return tape.load(json.dumps(body).encode(), format=situation["format"])
    return session_of(body)


def found(situation: dict[str, Any], key: str) -> list[str]:
    """The severities with which the situation's code is found."""
    sending = situation.get("sending", False)
    findings = lint(opened(situation, key), situation["endpoint"], sending=sending)
    return [one.severity for one in findings if one.code == situation["code"]]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_row_is_found_and_its_near_miss_is_not(file: Path) -> None:
    situation = json.loads(file.read_text("utf-8"))
    assert file.stem.startswith(f"{situation['row']}-")
    assert situation["severity"] in found(situation, "body")
    assert found(situation, "near_miss") == []


def test_every_rule_has_a_situation() -> None:
    covered = {json.loads(file.read_text("utf-8"))["code"] for file in FILES}
    assert {rule.code for rule in RULES} - covered == set(ELSEWHERE)
    for code, name in ELSEWHERE.items():
        assert f'"{code}"' in (Path(__file__).parent / name).read_text("utf-8")
