"""What a lesson is, as frozen values: a session to start from and steps of six kinds.

Reading them from a file is in ``tape.lessons.reading``, playing them in ``tape.lessons.player``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from tape.edits.operations import Target
from tape.model import Json, Session, empty
from tape.samples import sample
from tape.wire import session_of

Kind: TypeAlias = Literal["say", "show", "predict", "do", "run", "reveal"]
Chart: TypeAlias = Literal["calls", "sum"]
Answerer: TypeAlias = Literal["anthropic", "strict"]


@dataclass(frozen=True, slots=True)
class Show:
    """What to look at: messages or blocks (``cards``), the pair of one block (``thread``), a turn (from 1),
    a chart. A thread is lit from end to end; of cards the view goes to the first."""

    cards: tuple[Target, ...] = ()
    thread: Target | None = None
    turn: int | None = None
    chart: Chart | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to choose. It is right when its condition holds, in the words of ``tape.lessons.words``;
    of a question about ideas the file itself says so, with the condition ``yes``."""

    text: str
    when: str


@dataclass(frozen=True, slots=True)
class Predict:
    """A question that the class answers before it is told: ``choices``, or a number that comes to the value
    ``number`` (in the words of ``tape.lessons.words``), give or take ``within`` percent."""

    choices: tuple[Choice, ...] = ()
    number: str = ""
    within: float = 20.0
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Do:
    """Operations as JSON, carried out in order as one step. With ``restore`` the array is first made again
    what it was when the lesson began."""

    operations: tuple[Json, ...] = ()
    restore: bool = False


@dataclass(frozen=True, slots=True)
class Apart:
    """A call of the array that starts a sub-agent: with its own system prompt and task, and nothing else."""

    call: Target
    task: str
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run: ``once`` makes one call, ``loop`` goes on until an answer asks for no tool, ``resume`` first
    carries out the calls that the array ends on.

    With ``lines``, each is said and answered in turn, all of them ``times`` times. ``endpoint`` judges the
    array by today's rules or by those of the strict array of old; ``model`` names another model for this run;
    ``workspace`` has the files that tools may read. ``apart`` runs a sub-agent, whose words stay outside.
    """

    mode: Literal["once", "loop", "resume"] = "loop"
    lines: tuple[str, ...] = ()
    times: int = 1
    endpoint: Answerer = "anthropic"
    model: str | None = None
    workspace: str | None = None
    apart: Apart | None = None


@dataclass(frozen=True, slots=True)
class Classic:
    """A statement that every course repeats: what held then, what holds now, and since when (a date)."""

    then: str
    now: str
    since: str


Detail: TypeAlias = Show | Predict | Do | Run | None


@dataclass(frozen=True, slots=True)
class Step:
    """One step. ``text`` is the sentence that the class reads; of a *reveal* it may hold values in braces.

    ``notes`` is what the teacher says, ``board`` what is drawn on the board, ``answer`` the answer to the
    question before (of a *reveal*): none of them is for the class to see beforehand. ``minutes`` is how long
    it takes, ``line`` where it begins in its file (from 1).
    """

    kind: Kind
    text: str
    detail: Detail = None
    answer: str = ""
    notes: str = ""
    board: str = ""
    minutes: float = 0.0
    classic: Classic | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson. ``block`` is its letter in the course, empty where it has none; ``question`` the one that the
    class can answer in the end; ``source`` the name of a sample, or a request body to start from."""

    name: str
    title: str
    minutes: float
    question: str
    steps: tuple[Step, ...]
    source: str | Mapping[str, Any] = field(default_factory=empty)
    block: str = ""
    about: str = ""

    def start(self) -> Session:
        """The session that the lesson begins with, made now. Raises ``UserError`` for an unknown sample."""
        if isinstance(self.source, str):
            return sample(self.source).load()
        return replace(session_of(self.source), title=self.title)

    def left(self, index: int) -> float:
        """The minutes that the steps from ``index`` on take, by the lesson's own count."""
        return sum(step.minutes for step in self.steps[index:])

    @property
    def workspace(self) -> str | None:
        """The folder that the sample it starts from reads, ``None`` where there is none."""
        return sample(self.source).workspace if isinstance(self.source, str) else None
