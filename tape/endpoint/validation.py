"""Why a request is refused, in the vendor's words: its shape first, then its array by the rules."""

from __future__ import annotations

from typing import Any, Literal

import tape
from tape.endpoint import shapes
from tape.wire import session_of

Profile = Literal["anthropic", "strict"]


def refusal(request: dict[str, Any], profile: Profile, *, counting: bool = False) -> str | None:
    """The message of the 400 that this request gets, or `None` when it is accepted.

    `counting` is for token counting, which needs no `max_tokens`. The array is judged by the same rules
    as everywhere else; the first finding that means a refusal speaks.
    """
    wrong = shapes.problem(request, counting=counting)
    if wrong is not None:
        return wrong
    for finding in tape.lint(session_of(request), endpoint=profile, sending=True):
        if finding.severity == "refused":
            return finding.vendor_text or finding.text
    return None
