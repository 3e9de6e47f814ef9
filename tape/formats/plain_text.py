"""What is no transcript, shown as best it can be: one message with the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal

from tape.errors import UserError
from tape.formats.arrays import Spot, based
from tape.formats.base import Conversation, Dumped, Guess, Sample
from tape.formats.titles import shortened
from tape.model import Place, Session, Text, message
from tape.notes import Note
from tape.records import Source

HEADINGS: Final = re.compile(
    r"^(#{1,4}\s*|\*\*|_\*\*)(user|human|assistant|system|cursor|claude|chatgpt|you)\b",
    re.IGNORECASE | re.MULTILINE,
)
MARKDOWN: Final = (
    "This is a transcript as Markdown. It is shown as text and not read as messages: "
    "which words were a heading of the program and which were said cannot be told from it."
)
TEXT: Final = "No messages were found in this file; it is shown as text."


class PlainText:
    """Shows any text as one message."""

    name = "plain-text"
    label = "Text"
    written_by = "anything"
    evidence: Literal["files", "documentation"] = "files"
    write: None = None

    def sniff(self, sample: Sample) -> Guess | None:
        """Always a hint: what nothing else reads is text."""
        return Guess(1, "nothing in it is known as a message")

    def read(self, sources: Sequence[Source], sample: Sample) -> Iterable[Conversation]:
        """One conversation for each source."""
        for number, source in enumerate(sources):
            title = shortened(source.text(0)[:400]) or source.name
            yield Conversation(str(number), title, lambda source=source: _load(source))  # type: ignore[misc]

    def dump(self, session: Session) -> Dumped:
        """Raises ``UserError``: a text is only given back as it came."""
        raise UserError(
            "This file was read as text and cannot be written with changes.",
            do="Choose another format to convert to.",
        )


def _load(source: Source) -> Session:
    body = source.body[len(source.bom) if source.body is source.data else 0 :]
    text = body.decode("utf-8", "replace")
    kind, sentence = ("markdown", MARKDOWN) if HEADINGS.search(text[:20_000]) else ("no-transcript", TEXT)
    entry = message(
        "m0",
        "user",
        (Text(uid="m0.0", text=text),),
        place=Place(0),
        records=tuple(range(min(len(source), 1))),
    )
    session = Session(messages=(entry,), title=shortened(text[:400]), format="plain-text")
    return based(replace(session, notes=(Note("", kind, sentence),)), source, Spot())
