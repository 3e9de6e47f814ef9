"""Results that a person typed, kept by the id of the call they answer."""

from __future__ import annotations

from collections.abc import Mapping

from tape.model import ToolUse
from tape.tools.base import Outcome, ToolOutput


class TypedResults:
    """Gives each typed result to the call with its id; for resuming a run that stopped to ask."""

    def __init__(self, results: Mapping[str, ToolOutput]) -> None:
        self._results = dict(results)

    def take(self, call: ToolUse) -> Outcome | None:
        """The result typed for this call, or ``None``."""
        typed = self._results.get(call.id)
        return None if typed is None else Outcome(typed.text, typed.is_error, "by hand", "typed by a person")
