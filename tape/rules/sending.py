"""What sending a session of another provider's form mends by itself, so that nobody is told it is refused.

Such a session is carried into the Anthropic form before it is sent (``tape.foreign``): what that puts right
is a hint here, or a risk where it changes what the model reads. An array that is in the Anthropic form
already goes out as it stands and is judged as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from tape.foreign import NATIVE
from tape.model import Session
from tape.rules.base import Finding, Severity

CARRIED_FOR: Final = ("anthropic", "strict")
OUT: Final = "Sending leaves it out."
MENDED: Final[Mapping[str, tuple[Severity, str]]] = {
    "system-first-in-messages": ("hint", "Sending moves it to the top-level field."),
    "misplaced-system": ("risky", "Sending makes it a message of the user."),
    "unsupported-system-role": ("risky", "Sending makes it a message of the user."),
    "duplicate-tool-use-id": ("hint", "Sending gives every call an id of its own."),
    "bad-tool-use-id": ("hint", "Sending writes it in letters that the API takes."),
    "input-not-object": ("hint", "Sending wraps it in an object."),
    "empty-text": ("hint", OUT),
    "blank-text": ("hint", OUT),
    "empty-message": ("hint", OUT),
    "unknown-field": ("hint", OUT),
    "unknown-block": ("risky", OUT),
    "document-in-assistant": ("risky", "Sending makes it text, or leaves it out where it has none."),
    "tool-choice-without-tools": ("hint", OUT),
}


def as_sent(session: Session, endpoint: str, found: Iterable[Finding]) -> Iterator[Finding]:
    """The findings as they bear on a request: milder, and saying why, where sending mends the thing."""
    if session.format in NATIVE or endpoint not in CARRIED_FOR:
        yield from found
        return
    for one in found:
        mended = MENDED.get(one.code)
        # The system field itself goes out as it is, however empty.
        if mended is None or one.severity != "refused" or one.where.startswith("system"):
            yield one
        else:
            severity, how = mended
            yield replace(
                one,
                severity=severity,
                text=f"{one.text} {how}",
                vendor_text=None,
                last_seen=None,
                verified=True,
            )
