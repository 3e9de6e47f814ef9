"""Turning one session into another: operations as data, what they do, their preview, and history.

``apply(session, operation)`` is the only way a session changes, whether a hand, a repair or the loop asks.
"""

from tape.edits.as_json import from_json, to_json
from tape.edits.carry_out import apply, sentence
from tape.edits.operations import (
    Append,
    Delete,
    Insert,
    InsertBlock,
    Merge,
    Move,
    Operation,
    Repair,
    Replace,
    SetSystem,
    SetTools,
    Target,
)

__all__ = [
    "Append",
    "Delete",
    "Insert",
    "InsertBlock",
    "Merge",
    "Move",
    "Operation",
    "Repair",
    "Replace",
    "SetSystem",
    "SetTools",
    "Target",
    "apply",
    "from_json",
    "sentence",
    "to_json",
]
