"""The one door: carries an operation out, and says it as a sentence. Each behavior has a file of its own."""

from __future__ import annotations

from tape.edits import (
    compact,
    delete,
    few_shot,
    fit,
    fold_subagent,
    fork,
    insert,
    merge,
    move,
    prepend_memory,
    replace,
    spawn,
    system_tools,
)
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
)
from tape.model import Session


def apply(session: Session, operation: Operation) -> Session:
    """The session after the operation; the one given is not changed.

    Raises ``UserError`` when the operation cannot be carried out whole; nothing is done then. Messages that
    the operation does not touch are the same objects in both sessions.
    """
    match operation:
        case Append():
            return insert.append(session, operation)
        case Insert():
            return insert.insert(session, operation)
        case InsertBlock():
            return insert.insert_block(session, operation)
        case Delete():
            return delete.delete(session, operation)
        case Replace():
            return replace.replace(session, operation)
        case Move():
            return move.move(session, operation)
        case SetSystem():
            return system_tools.set_system(session, operation)
        case SetTools():
            return system_tools.set_tools(session, operation)
        case Merge():
            return merge.merge(session, operation)
        case PrependMemory():
            return prepend_memory.prepend_memory(session, operation)
        case Compact():
            return compact.compact(session, operation)
        case Fit():
            return fit.fit(session, operation)
        case Fork():
            return fork.fork(session, operation)
        case Switch():
            return fork.switch(session, operation)
        case FoldSubagent():
            return fold_subagent.fold_subagent(session, operation)
        case Spawn():
            return spawn.spawn(session, operation)
        case FewShot():
            return few_shot.few_shot(session, operation)
        case Repair():
            from tape import repairs

            return repairs.mend(session, operation)


def sentence(session: Session, operation: Operation) -> str:
    """What the operation did, said of the session as it was before it.

    ``Deleted message 4 and the 2 results that answered it``. Raises ``UserError`` for bad targets.
    """
    match operation:
        case Append():
            return insert.append_sentence(operation)
        case Insert():
            return insert.insert_sentence(session, operation)
        case InsertBlock():
            return insert.insert_block_sentence(session, operation)
        case Delete():
            return delete.sentence(session, operation)
        case Replace():
            return replace.sentence(session, operation)
        case Move():
            return move.sentence(session, operation)
        case SetSystem():
            return system_tools.system_sentence(session, operation)
        case SetTools():
            return system_tools.tools_sentence(operation)
        case Merge():
            return merge.sentence(session, operation)
        case PrependMemory():
            return prepend_memory.sentence(operation)
        case Compact():
            return compact.sentence(session, operation)
        case Fit():
            return fit.sentence(session, operation)
        case Fork():
            return fork.fork_sentence(session, operation)
        case Switch():
            return fork.switch_sentence(operation)
        case FoldSubagent():
            return fold_subagent.sentence(session, operation)
        case Spawn():
            return spawn.sentence(session, operation)
        case FewShot():
            return few_shot.sentence(session, operation)
        case Repair():
            from tape import repairs

            return repairs.sentence(session, operation)
