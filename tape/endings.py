"""Why a run ended and what can be done next, in words, by the reason that its last event names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ENDINGS: Final[Mapping[str, str]] = {
    "end_turn": "The model is done: its answer asks for no tool.",
    "once": "One call was made, as asked.",
    "max_tokens": "The answer reached the limit on its length. It can be gone on with.",
    "stop_sequence": "The answer reached a stop sequence.",
    "refusal": "The model declined to answer. Change what was asked, then run again.",
    "model_context_window_exceeded": "The array does not fit into the model's window any more. Compact it.",
    "empty": "The answer was empty; no message was added.",
    "stopped": "Stopped, as asked.",
    "calls": "The run reached its limit on calls. Run again to go on.",
    "output_tokens": "The run reached its limit on output tokens. Run again to go on.",
    "usd": "The next call would go over the cap on what a run may cost. Raise it to go on.",
    "unpriced_tokens": "The run reached its limit on tokens whose price is not known. Raise it to go on.",
    "seconds": "The run reached its limit on time. Run again to go on.",
    "needs_result": "A call has no result; nothing more can be sent before it has one.",
}


def ending(reason: str) -> str:
    """The sentence for a reason; the reason itself where an endpoint gave one that is not known here."""
    return ENDINGS.get(reason, f"The answer ended for the reason {reason!r}.")
