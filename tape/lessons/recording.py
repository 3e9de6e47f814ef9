"""Records a lesson while a teacher clicks: what is done to a session becomes steps, and the steps a file.

What is recorded is data that ``tape.lessons.reading`` takes back; places are written as positions, because
uids are made anew when the lesson is opened. Which clicks there are is the page's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import yaml

from tape.edits import apply, to_json
from tape.edits.history import Done
from tape.edits.operations import Operation
from tape.errors import UserError
from tape.lessons.model import Lesson
from tape.lessons.nodes import LARGEST
from tape.lessons.reading import read
from tape.model import Json, Session, position
from tape.wire import request

PLACES: Final = ("at", "into", "target", "targets", "from", "to", "call")
Mode = Literal["once", "loop", "resume"]


class Recording:
    """A lesson that is being recorded. ``steps`` are its steps as they will stand in the file."""

    def __init__(self, session: Session) -> None:
        self.start = session
        self.steps: list[dict[str, Any]] = []
        self._session = session
        self._before: list[tuple[int, Session]] = []

    def follow(self, session: Session, log: Sequence[Done], run: Mapping[str, Any] | None = None) -> None:
        """Takes over what was done since the last time, going by the log of the session's history: operations
        become steps, and what was undone is taken out again. ``run`` is how the last run was made."""
        while len(self._before) > len(log):
            count, self._session = self._before.pop()
            del self.steps[count:]
        for done in log[len(self._before) :]:
            self._before.append((len(self.steps), self._session))
            if done.operation is not None:
                self._add_operation(done)
            else:
                self._add_run(session, run or {})
        if len(self._before) == len(log):
            self._session = session

    def add(self, step: Mapping[str, Any]) -> None:
        """Adds a step of words: something said, shown, asked or revealed."""
        self.steps.append({"minutes": 1, **step})

    def drop(self) -> None:
        """Takes the last step of words out again. One that changed the array is undone on the tape."""
        if self.steps and not self.steps[-1].keys() & {"do", "run"}:
            self.steps.pop()

    def place(self, uid: str) -> str:
        """Where a message or block stands now. Raises ``UserError`` where it is gone."""
        try:
            return position(self._session, uid)
        except KeyError:
            raise UserError("This is not in the array any more.", do="Select a card first.") from None

    def text(self, title: str, question: str, about: str = "") -> str:
        """The lesson as the text of a file. Raises ``UserError`` where it is none yet, or is too large."""
        if not self.steps:
            raise UserError("There is no step yet.", do="Say something, or change the array.")
        lesson = {
            "title": title.strip() or "A lesson",
            "minutes": sum(step.get("minutes", 0) for step in self.steps),
            "about": about.strip() or "Recorded in Tapedeck.",
            "question": question.strip() or "What did we learn?",
            "session": request(self.start),
            "steps": self.steps,
        }
        dumped = yaml.dump(lesson, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=100)
        if len(dumped) > LARGEST:
            raise UserError("This session is too large for a lesson.", do="Record one of a few messages.")
        read(dumped, title)
        return dumped

    def lesson(self, title: str, question: str) -> Lesson:
        """The lesson as it would be read from its file. Raises ``UserError`` as ``text`` does."""
        return read(self.text(title, question), title.strip() or "recorded")

    def _add_operation(self, done: Done) -> None:
        assert done.operation is not None
        self.steps.append(
            {"do": placed(self._session, done.operation), "say": f"{done.sentence}.", "minutes": 1}
        )
        self._session = apply(self._session, done.operation)

    def _add_run(self, after: Session, run: Mapping[str, Any]) -> None:
        sent = run.get("sent")
        if isinstance(sent, Session) and len(sent.messages) < len(self._session.messages):
            gone = list(range(len(sent.messages), len(self._session.messages)))
            self.steps.append({"do": {"op": "delete", "targets": gone}, "say": "Back to here.", "minutes": 1})
        mode: Mode = run.get("mode", "loop")
        self.steps.append({"run": mode, "say": "Send it.", "minutes": 1})
        self._session = after


class _Plain(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and never a reference to what stood before."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value and value.isprintable() else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Plain.add_representer(str, _text)


def placed(session: Session, operation: Operation) -> Json:
    """The JSON of an operation with positions in place of uids, as they are before it is carried out."""
    value = to_json(operation)
    for key in PLACES:
        if key in value:
            value[key] = _placed(session, value[key])
    return value


def _placed(session: Session, value: Json) -> Json:
    if isinstance(value, list):
        return [_placed(session, one) for one in value]
    if not isinstance(value, str):
        return value
    try:
        return position(session, value)
    except KeyError:
        return value


def lines(text: str) -> Iterable[str]:
    """The lines of a text that say something."""
    return (line.strip() for line in text.splitlines() if line.strip())
