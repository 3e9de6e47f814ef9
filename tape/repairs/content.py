"""Mends what a message holds: no words, blocks nobody knows, fields and documents where none may be."""

from __future__ import annotations

from dataclasses import replace

from tape.edits.build import rewrite
from tape.edits.settle import with_messages
from tape.model import EMPTY, Block, Document, Message, Session, Text, json_text
from tape.repairs.blocks import change_blocks, without
from tape.repairs.ways import Uids, Way
from tape.rules.content_form import BLOCKS, EVERY_FIELD, FIELDS
from tape.wire import block_json

NOTHING = "(empty)"


def _holding(session: Session, uids: Uids) -> list[int]:
    """The messages that are named, or hold a block that is."""
    wanted = set(uids)
    return [
        i
        for i, entry in enumerate(session.messages)
        if entry.uid in wanted or any(head.uid in wanted for head in entry.heads)
    ]


def _wordless(entry: Message) -> bool:
    """Whether a message holds nothing, or only texts without a word."""
    return all(h.kind == "text" and {"empty", "blank"} & set(h.flags) for h in entry.heads)


def _drop(session: Session, uids: Uids) -> Session:
    """Deletes texts without a word; a message of nothing else goes as a whole."""
    gone: list[str] = []
    for i in _holding(session, uids):
        entry = session.messages[i]
        flags = ("empty", "blank")
        texts = [h.uid for h in entry.heads if h.kind == "text" and set(flags) & set(h.flags)]
        gone += [entry.uid] if _wordless(entry) else [uid for uid in texts if uid in uids]
    return without(session, gone) if gone else _drop_in_system(session, uids)


def _drop_in_system(session: Session, uids: Uids) -> Session:
    system = session.system
    if "system" not in uids or system is None:
        return session
    if isinstance(system, str):
        return session if system.strip() else replace(session, system=None)
    kept = [p for p in system if not isinstance(p, dict) or str(p.get("text", "x")).strip()]
    return session if len(kept) == len(system) else replace(session, system=kept or None)


def _may_go(session: Session, uids: Uids) -> bool:
    """Whether something is left to answer, and system messages keep their neighbors."""
    messages = session.messages
    for i in _holding(session, uids):
        if not _wordless(messages[i]):
            continue
        ends = i in (0, len(messages) - 1) and messages[i].role != "assistant"
        if ends or any(m.role == "system" for m in messages[max(i - 1, 0) : i + 2]):
            return False
    return True


def _fill(session: Session, uids: Uids) -> Session:
    """Puts a word where a whole message has none."""
    messages = list(session.messages)
    for i in _holding(session, uids):
        entry = messages[i]
        if not _wordless(entry):
            continue
        old = entry.blocks[0] if entry.heads else None
        word = Text(uid=old.uid if old else f"{entry.uid}.0", place=old.place if old else None, text=NOTHING)
        form = entry.meta.get("content_form")
        messages[i] = rewrite(
            entry, (word,), meta={"content_form": "list" if form in ("list", "other") else "string"}
        )
    return with_messages(session, messages)


def _may_speak(session: Session, uids: Uids) -> bool:
    """Whether a whole message has no word, and none of its turn's results would stand behind one."""
    messages = session.messages
    empty = [i for i in _holding(session, uids) if _wordless(messages[i])]
    for i in empty:
        for entry in messages[i + 1 :]:
            if entry.role != messages[i].role:
                break
            if any(head.kind == "tool_result" for head in entry.heads):
                return False
    return bool(empty)


def _as_text(session: Session, uids: Uids) -> Session:
    """Turns blocks into text that holds their JSON, or a document's own words."""

    def text(block: Block) -> Block:
        if isinstance(block, Text):
            return block
        words = block.text if isinstance(block, Document) and block.text else json_text(block_json(block))
        return Text(uid=block.uid, place=block.place, text=words)

    return change_blocks(session, uids, text)


def _readable(session: Session, uids: Uids) -> bool:
    """Whether the words of a document are in the file."""
    wanted = set(uids)
    return any(
        head.uid in wanted and head.kind == "document" and "empty" not in head.flags
        for entry in session.messages
        for head in entry.heads
    )


def _drop_fields(session: Session, uids: Uids) -> Session:
    """Removes the fields that the Messages API does not know from these blocks and messages."""
    messages = list(session.messages)
    for i, entry in enumerate(messages):
        if entry.uid in uids and entry.meta.get("extra"):
            known = {"clear_at", "output_config"} if entry.role == "system" else set()
            kept = {k: v for k, v in entry.meta["extra"].items() if k in known}
            plain = rewrite(entry, entry.blocks, drop=("extra",))
            messages[i] = replace(plain, meta={**plain.meta, "extra": kept}) if kept else plain

    def cleaned(block: Block) -> Block:
        allowed = FIELDS.get(_type(block), EVERY_FIELD)
        kept = {k: v for k, v in block.extra.items() if k in allowed}
        return block if len(kept) == len(block.extra) else replace(block, extra=kept, raw=None)

    return change_blocks(with_messages(session, messages), uids, cleaned)


def _type(block: Block) -> str:
    value = block_json(block)
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) and kind in BLOCKS else ""


def _drop_citations(session: Session, uids: Uids) -> Session:
    def plain(block: Block) -> Block:
        if "citations" not in block.extra:
            return block
        kept = {k: v for k, v in block.extra.items() if k != "citations"}
        return replace(block, extra=kept or EMPTY, raw=None)

    return change_blocks(session, uids, plain)


def _delete(session: Session, uids: Uids) -> Session:
    return without(session, uids)


DROP = Way("delete", "Delete what is empty", "Deleted what was empty at {place}", _drop, fits=_may_go)
FILL = Way("fill", "Say that it is empty", 'Wrote "(empty)" at {place}', _fill, fits=_may_speak)
WAYS: dict[str, tuple[Way, ...]] = {
    "empty-text": (DROP, FILL),
    "blank-text": (DROP, FILL),
    "empty-message": (DROP, FILL),
    "unknown-block": (
        Way("quote", "Make it text", "Turned the block at {place} into text", _as_text),
        Way("delete", "Delete the block", "Deleted the block at {place}", _delete, "the block"),
    ),
    "unknown-field": (
        Way("drop", "Remove the field", "Removed unknown fields at {place}", _drop_fields, "the field"),
    ),
    "document-in-assistant": (
        Way("quote", "Make it text", "Turned the document at {place} into text", _as_text, fits=_readable),
        Way("delete", "Delete the document", "Deleted the document at {place}", _delete, "the document"),
    ),
    "citations-in-user": (
        Way("drop", "Remove the citations", "Removed citations at {place}", _drop_citations, "the citations"),
    ),
}
