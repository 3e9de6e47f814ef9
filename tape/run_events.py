"""What a run tells, event by event. Frozen values; every one carries the session as it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tape.assembly import Piece
from tape.estimate import Estimate
from tape.model import Session, ToolUse, Usage
from tape.tools.base import Outcome


@dataclass(frozen=True, slots=True)
class RequestSent:
    """A request is about to go out: which call of this run it is (from 1), its messages, its bytes.

    ``estimate`` says what it would cost; ``None`` where nobody is billed, as on the embedded endpoint.
    """

    session: Session
    call: int
    messages: int
    size: int
    estimate: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Streamed:
    """A piece of the answer has arrived; the session does not hold it yet."""

    session: Session
    piece: Piece


@dataclass(frozen=True, slots=True)
class MessageComplete:
    """The answer is in the session, as message ``uid``."""

    session: Session
    uid: str
    usage: Usage | None
    stop_reason: str | None


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call is being carried out."""

    session: Session
    call: ToolUse


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call has its result; ``outcome`` says where it comes from."""

    session: Session
    call: ToolUse
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class NeedsResult:
    """No source has a result for this call: ``send`` one to the generator, or the run ends here.

    ``done`` of the ``of`` results that are asked for have been given already.
    """

    session: Session
    call: ToolUse
    done: int = 0
    of: int = 1


@dataclass(frozen=True, slots=True)
class ResultsAppended:
    """The results of one answer are in the session, as one user message ``uid``."""

    session: Session
    uid: str


@dataclass(frozen=True, slots=True)
class Saved:
    """A checkpoint was written, or could not be: ``fault`` is the sentence that says why, else empty."""

    session: Session
    fault: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over.

    ``reason`` is the stop reason of the last answer (``end_turn``, ``max_tokens``, ``stop_sequence``,
    ``refusal``, ``model_context_window_exceeded``), the limit that was reached (``calls``, ``output_tokens``,
    ``usd``, ``unpriced_tokens``, ``seconds``), or ``once``, ``empty``, ``stopped``, ``needs_result``,
    ``refused``, ``failed``.
    """

    session: Session
    reason: str


@dataclass(frozen=True, slots=True)
class Refused(Ended):
    """The endpoint refused the request: HTTP status, its own words, and one sentence for people.

    The session is as it was before the call.
    """

    status: int
    message: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Failed(Ended):
    """The call failed, or its stream broke off; what text had come is in the session."""

    sentence: str
    status: int | None
    kind: str
    retry_after: float | None = None

    @property
    def can_retry(self) -> bool:
        """Whether the same call may do better later: it was too much or cut off, not wrong in itself."""
        return self.status is None or self.status in (200, 408, 409, 429) or self.status >= 500


Event: TypeAlias = (
    "RequestSent | Streamed | MessageComplete | ToolStarted | ToolFinished | NeedsResult"
    " | ResultsAppended | Saved | Ended"
)
