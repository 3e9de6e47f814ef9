"""What a person reads when something cannot be done.

Owns the one error that reaches a user. Odd data is never an error here: see ``tape.notes``.
A defect of ours is an ordinary exception and is not caught by anything in the core.
"""

from __future__ import annotations


class UserError(Exception):
    """Something the user can act on; shown without a traceback.

    ``what`` happened, ``where`` (a file, ``line 41``, ``messages[3].content[1]``; may be empty)
    and what to ``do`` next, each one plain sentence or phrase.
    """

    def __init__(self, what: str, *, where: str = "", do: str = "") -> None:
        self.what, self.where, self.do = what, where, do
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        """The three parts as one line of text."""
        place = f"{self.where}: " if self.where else ""
        advice = f" {self.do}" if self.do else ""
        return f"{place}{self.what}{advice}"
