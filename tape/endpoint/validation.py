"""Why a request is refused, in the vendor's words: its shape first, then its array by the rules."""

from __future__ import annotations

from typing import Any, Literal

from tape.capabilities import model_named
from tape.endpoint import shapes
from tape.rules import lint
from tape.wire import session_of

Profile = Literal["anthropic", "strict"]
JUDGED_AS = "claude-haiku-5-5"
"""Model names that nobody knows are judged by what this one takes: today's rules, nothing switched off."""


def refusal(request: dict[str, Any], profile: Profile, *, counting: bool = False) -> str | None:
    """The message of the 400 that this request gets, or ``None`` when it is accepted.

    ``counting`` is for token counting, which needs no ``max_tokens``. The array is judged by the same rules
    as everywhere else; the first finding that means a refusal speaks.
    """
    wrong = shapes.problem(request, counting=counting)
    if wrong is not None:
        return wrong
    model = request["model"] if model_named(request["model"]) else JUDGED_AS
    for finding in lint(session_of(request), profile, model, sending=True):
        if finding.severity == "refused":
            return finding.vendor_text or finding.text
    return None
