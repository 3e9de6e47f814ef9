"""What a way to mend something is. The ways stand one family of rules a file beside this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tape.model import Session

Uids: TypeAlias = tuple[str, ...]


def _always(session: Session, uids: Uids) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Way:
    """One way to mend what a rule found.

    ``name`` is what operations carry, ``label`` what a button says, ``done`` the sentence for the log with
    ``{place}`` where the place goes. ``loses`` names what goes for good; empty where every word is kept,
    which is what makes a way safe. ``carry`` gives the mended session, and the very same one when there is
    nothing to mend; ``fits`` says whether the way can be offered for these messages and blocks, and
    ``not_for`` names endpoints that would refuse what it makes.
    """

    name: str
    label: str
    done: str
    carry: Callable[[Session, Uids], Session]
    loses: str = ""
    fits: Callable[[Session, Uids], bool] = _always
    not_for: tuple[str, ...] = ()

    @property
    def safe(self) -> bool:
        """Whether every word is kept."""
        return not self.loses
