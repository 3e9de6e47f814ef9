"""Turning one session into another: operations as data, what they do, their preview, and history.

``apply(session, operation)`` is the only way a session changes, whether a hand, a repair or the loop asks.
"""

from tape.edits.as_json import from_json, to_json
from tape.edits.carry_out import apply, sentence
from tape.edits.operations import (
    Append,
    Compact,
    Delete,
    FewShot,
    Fit,
    FoldSubagent,
    Fork,
    Insert,
    InsertBlock,
    Merge,
    Move,
    Operation,
    PrependMemory,
    Repair,
    Replace,
    SetSystem,
    SetTools,
    Spawn,
    Switch,
    Target,
)

__all__ = [
    "Append",
    "Compact",
    "Delete",
    "FewShot",
    "Fit",
    "FoldSubagent",
    "Fork",
    "Insert",
    "InsertBlock",
    "Merge",
    "Move",
    "Operation",
    "PrependMemory",
    "Repair",
    "Replace",
    "SetSystem",
    "SetTools",
    "Spawn",
    "Switch",
    "Target",
    "apply",
    "from_json",
    "sentence",
    "to_json",
]
