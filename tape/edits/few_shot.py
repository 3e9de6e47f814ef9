"""Examples in front of the session: inputs with answers written by hand, which the model takes for its own.

A model imitates what it seems to have answered before. Examples are known by their ``meta``, so that they can
be exchanged and taken out again; a file does not keep that mark.
"""

from __future__ import annotations

from tape.edits.build import INSERTED, Fresh
from tape.edits.operations import FewShot
from tape.edits.settle import settle
from tape.edits.targets import plural
from tape.errors import UserError
from tape.model import Message, Role, Session, Text, message

MARK = "example"


def few_shot(session: Session, operation: FewShot) -> Session:
    """The session that starts with these examples, behind its system messages.

    Raises ``UserError`` where an example lacks its input or answer, where nothing would stand behind them, or
    where there is nothing to remove.
    """
    pairs = [_words(session, operation, i) for i in range(len(operation.examples))]
    kept = tuple(entry for entry in session.messages if MARK not in entry.meta)
    if not pairs and len(kept) == len(session.messages):
        raise UserError(
            "There are no examples to take out.", where="examples", do="Give an input and an answer."
        )
    if pairs and all(entry.role == "system" for entry in kept):
        raise UserError(
            "Nothing stands behind the examples: an array that ends on an answer is refused by newer models.",
            where="examples",
            do="Write the question first.",
        )
    fresh = Fresh(session.serial)
    added = [_message(fresh, role, said) for pair in pairs for role, said in pair]
    start = next((i for i, entry in enumerate(kept) if entry.role != "system"), len(kept))
    return settle(session, (*kept[:start], *added, *kept[start:]), serial=fresh.serial)


def examples(session: Session) -> tuple[tuple[str, str], ...]:
    """The examples that were put in front, each as input and answer."""
    marked = [entry.text for entry in session.messages if MARK in entry.meta]
    return tuple(zip(marked[::2], marked[1::2], strict=False))


def _words(session: Session, operation: FewShot, i: int) -> tuple[tuple[Role, str], tuple[Role, str]]:
    value = operation.examples[i]
    said = []
    for key in ("input", "answer"):
        text = value.get(key) if isinstance(value, dict) else None
        if not isinstance(text, str) or not text.strip():
            raise UserError(f'An example needs "{key}", a text.', where=f"examples[{i}].{key}")
        said.append(text)
    return ("user", said[0]), ("assistant", said[1])


def _message(fresh: Fresh, role: Role, text: str) -> Message:
    uid = fresh.message()
    block = Text(uid=f"{uid}.0", text=text)
    return message(uid, role, (block,), provenance=INSERTED, meta={"content_form": "string", MARK: True})


def sentence(session: Session, operation: FewShot) -> str:
    """``Put 3 examples in front``."""
    earlier = sum(MARK in entry.meta for entry in session.messages) // 2
    if not operation.examples:
        return f"Took out {plural(earlier, 'example')}"
    instead = f", in place of {earlier:,} earlier" if earlier else ""
    return f"Put {plural(len(operation.examples), 'example')} in front{instead}"
