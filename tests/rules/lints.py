"""What the tests of the rules share: lint a body given as JSON values, and say the result in short."""

from __future__ import annotations

from typing import Any

from tape.rules import Finding, lint
from tape.wire import session_of


def found(
    messages: list[Any], endpoint: str = "anthropic", *, sending: bool = False, **body: Any
) -> tuple[Finding, ...]:
    """The findings for a body of these messages; ``model`` and all other fields go into the body."""
    return lint(session_of({**body, "messages": messages}), endpoint, sending=sending)


def told(findings: tuple[Finding, ...], *codes: str) -> list[tuple[str, str, str]]:
    """Code, severity and place of each finding, or only of those with these codes."""
    places = [(f.code, f.severity, f.where.replace(".content", "")) for f in findings]
    return [one for one in places if not codes or one[0] in codes]
