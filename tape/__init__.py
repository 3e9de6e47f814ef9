"""Tapedeck's core: agent transcripts as one messages array that can be read, checked, changed and run.

``read`` opens a file, ``threads``, ``turns`` and ``lint`` look at a session, ``apply`` changes it, ``dump``
and ``convert`` write it, ``request`` is what the next call would send. Formats, rules and edits are imported
when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# The two that bear the name of their module are bound here, at once, so that the function is what stays.
from tape.threads import threads
from tape.turns import turns

if TYPE_CHECKING:
    from tape.edits import Operation
    from tape.formats.base import Dumped, Reading
    from tape.formats.reading import Input
    from tape.model import Session
    from tape.rules import Finding

__all__ = ["apply", "convert", "dump", "lint", "load", "read", "request", "threads", "turns"]


def read(source: Input, *, name: str = "", format: str | None = None) -> Reading:
    """The conversations of a file, of its bytes, or of several files that belong together.

    ``name`` is a file name for messages where the source has none; ``format`` overrides detection. Raises
    ``UserError`` where there is nothing to show, or no format has that name; never on what the data says.
    """
    from tape.formats import read as read_source

    return read_source(source, name=name, format=format)


def load(source: Input, *, name: str = "", format: str | None = None) -> Session:
    """The first conversation of ``read``."""
    from tape.formats import load as load_source

    return load_source(source, name=name, format=format)


def dump(session: Session) -> Dumped:
    """The session in the format it came in: byte-equal if untouched, else changed only where it was edited.

    What could not be carried is in ``losses``. Raises ``UserError`` for a format that cannot be written.
    """
    from tape.formats import dump as dump_session

    return dump_session(session)


def convert(session: Session, to: str) -> Dumped:
    """The session as a document of another format (``"source"``: as ``dump`` gives it), with its losses.

    Raises ``UserError`` for a format that is unknown or cannot be written.
    """
    from tape.formats import convert as convert_session

    return convert_session(session, to)


def lint(
    session: Session, endpoint: str = "anthropic", model: str | None = None, *, sending: bool = False
) -> tuple[Finding, ...]:
    """What ``endpoint`` would refuse, or make worse, in the session's array.

    ``model`` is the model to send to where it is not the session's own; ``sending`` says that this very array
    is about to be sent, so that a call which still waits at its end is refused too.
    Raises ``UserError`` for an endpoint that is not known.
    """
    from tape.rules import lint as lint_session

    return lint_session(session, endpoint, model, sending=sending)


def apply(session: Session, operation: Operation) -> Session:
    """The session after an operation. Raises ``UserError`` where it cannot be carried out."""
    from tape.edits import apply as apply_operation

    return apply_operation(session, operation)


def request(session: Session) -> dict[str, Any]:
    """The Anthropic request body that the next call would send: the whole array, every time."""
    from tape.wire import request as request_body

    return request_body(session)
