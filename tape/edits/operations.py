"""What can be done to a session, as frozen data that is logged, replayed and sent by the page or a shell.

Holds no behavior: ``tape.edits.apply`` carries operations out. A *target* is the uid of a message or block
(``m3``, ``m3.1``), its position (``messages[3]``, ``messages[3].content[1]``) or, for a message, its number.
Message and block values are JSON in the Anthropic form and are never changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tape.model import Json

Target: TypeAlias = str | int
Strategy: TypeAlias = Literal["drop_oldest", "window", "clear_results", "summarize"]


@dataclass(frozen=True, slots=True)
class Append:
    """Puts messages at the end of the array."""

    messages: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Insert:
    """Puts a message in front of the message ``at`` (a target or ``end``)."""

    at: Target
    message: Json


@dataclass(frozen=True, slots=True)
class InsertBlock:
    """Puts a block into the message ``into``; it stands at ``index`` there afterward."""

    into: Target
    index: int
    block: Json


@dataclass(frozen=True, slots=True)
class Delete:
    """Removes messages and blocks.

    With ``partners`` the other half of each pair goes along; without, pairs break on purpose. ``thinking``
    also drops all thinking of a message that loses a call and stays.
    """

    targets: tuple[Target, ...]
    partners: bool = True
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class Replace:
    """Gives a message or block another value: its JSON, or a string that becomes its text.

    Thinking is only changed with ``force``: its signature binds the words.
    """

    target: Target
    value: Json
    force: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """Moves a message, or a block inside its message or ``into`` another; it stands at ``to`` afterward."""

    target: Target
    to: int
    into: Target | None = None


@dataclass(frozen=True, slots=True)
class SetSystem:
    """Sets the system prompt: a string, a list of text blocks, or ``None`` for none."""

    system: Json


@dataclass(frozen=True, slots=True)
class SetTools:
    """Sets the tool list: declarations as JSON, or ``None`` for none."""

    tools: tuple[Json, ...] | None


@dataclass(frozen=True, slots=True)
class Merge:
    """Joins neighbors of one role into one message."""

    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class PrependMemory:
    """Puts durable facts in front: into the ``system`` prompt, or as a first ``user`` message.

    In JSON ``place`` is called ``as``.
    """

    text: str
    place: Literal["system", "user"] = "system"


@dataclass(frozen=True, slots=True)
class Compact:
    """Replaces a stretch by one summary: all but the ``keep_last`` messages, or from ``first`` to ``last``.

    In JSON these two are called ``from`` and ``to``. Without ``summary`` one is put together from the
    stretch's own words.
    """

    first: Target | None = None
    last: Target | None = None
    keep_last: int | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """Makes the array fit ``budget`` tokens.

    ``drop_oldest`` drops whole exchanges, ``window`` keeps the last ``keep`` of them, ``clear_results`` puts
    stubs in place of what tools answered, the oldest first, ``summarize`` puts a summary of the stretch's own
    words in place of the oldest exchanges.
    """

    budget: int | None = None
    strategy: Strategy = "drop_oldest"
    keep: int | None = None


@dataclass(frozen=True, slots=True)
class Fork:
    """Keeps what follows the message ``at`` as a branch too."""

    at: Target
    name: str


@dataclass(frozen=True, slots=True)
class Switch:
    """Goes on with a branch; what the session went on with until now becomes the branch ``leave_as``."""

    branch: str
    leave_as: str


@dataclass(frozen=True, slots=True)
class Spawn:
    """Starts a sub-agent: a fresh array of its own whose one message is the ``task``, and nothing else.

    A ``call`` names the tool_use that asks for it; the task is then what that says, unless one is given. Its
    ``system`` prompt is its own; with ``tools`` it gets the session's tools, all but the one that was called.
    """

    call: Target | None = None
    task: str | None = None
    system: str | None = None
    tools: bool = False


@dataclass(frozen=True, slots=True)
class FoldSubagent:
    """Brings back what a sub-agent answered: its last words, or ``answer``.

    With ``call`` it becomes the result of the call that started it, with ``lane`` (its number among the
    session's sub-agents, from 0) one user message at the end.
    """

    call: Target | None = None
    answer: str | None = None
    lane: int | None = None


@dataclass(frozen=True, slots=True)
class FewShot:
    """Puts examples in front: for each a user message with the ``input`` and the ``answer`` to it, written by
    hand. They take the place of earlier examples; none at all removes those.
    """

    examples: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """Mends what the rule ``code`` found at ``targets``, in the ``way`` named (empty: the first).

    ``tape.repairs.repairs`` makes them from a finding. ``label`` is for a button, ``loses`` names what goes
    for good; a ``safe`` repair keeps every word. These three only describe it and are not part of its JSON.
    """

    code: str
    targets: tuple[Target, ...] = ()
    way: str = ""
    label: str = field(default="", compare=False)
    safe: bool = field(default=False, compare=False)
    loses: str = field(default="", compare=False)


Operation: TypeAlias = (
    Append
    | Insert
    | InsertBlock
    | Delete
    | Replace
    | Move
    | SetSystem
    | SetTools
    | Merge
    | Repair
    | PrependMemory
    | Compact
    | Fit
    | Fork
    | Switch
    | Spawn
    | FoldSubagent
    | FewShot
)
