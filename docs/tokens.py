"""Writes docs/tokens.md, how tokens are found and how good estimates are: ``python -m docs.tokens``.

Its table compares estimates with recorded usage over every file of the corpus that has both, so it is made
where that folder is, on a Python that has ``ctok``. A test makes again as much of it as it can.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import tape
from docs.tables import table
from tape.claude_counting import ClaudeCounter, can_count, family
from tape.counting import Counter
from tape.model import Message, Session
from tape.turns import Turn, turns

FILE = Path(__file__).resolve().parent / "tokens.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end of measured -->\n"
HEAD = ("model family", "file", "figures", "by characters: median", "worst", "by ctok: median", "worst")
LEAST = 20


@dataclass(frozen=True, slots=True)
class Compared:
    """One file: its tokenizer family, and how far each estimate was off, as shares of the recorded figure.
    ``closer`` is empty where ``ctok`` cannot count."""

    family: str
    file: str
    rough: tuple[float, ...]
    closer: tuple[float, ...]


def compared(folder: Path) -> Iterator[Compared]:
    """Every corpus file with recorded output counts that its text can be held against."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not path.is_file() or path.suffix == ".md" or "/subagents/" in name:
            continue
        for one in tape.read(path).conversations[:1]:
            session = one.load()
            rough = tuple(errors(session, Counter(session.model)))
            if rough:
                closer: tuple[float, ...] = ()
                if can_count(session.model):
                    closer = tuple(errors(session, ClaudeCounter(session.model)))
                yield Compared(named(session.model), name, rough, closer)


def errors(session: Session, counter: Counter) -> Iterator[float]:
    """How far estimates are off what was recorded, as shares of it: of each answer's output, and of what each
    prompt had more than the one before it.

    Whole prompts are not compared: a file often lacks the system prompt and the tools, which such a
    difference leaves out. Left out are figures under 20 tokens, and answers that thought: that text is not in
    the file, or a summary of it.
    """
    before: Turn | None = None
    for turn in turns(session):
        entry, spent = session.messages[turn.at], turn.usage
        if spent is None or spent.source != "recorded" or not (spent.prompt and spent.output):
            before = None
            continue
        if before is not None and before.usage is not None and before.sent_from == turn.sent_from:
            grown = spent.prompt - (before.usage.prompt or 0)
            new = session.messages[before.at : turn.at]
            if grown >= LEAST and not any(_thought(one) for one in new) and not before.usage.thinking:
                yield sum(counter.message(one) for one in new) / grown - 1
        if spent.output >= LEAST and not spent.thinking and not _thought(entry) and entry.heads:
            yield sum(counter.block(block) for block in entry.blocks) / spent.output - 1
        before = turn


def _thought(entry: Message) -> bool:
    return any(head.kind == "thinking" for head in entry.heads)


def named(model: str | None) -> str:
    """The tokenizer family of a model as the table names it."""
    known = family(model)
    if known is not None:
        return {"3.0": "Claude to 4.6", "4.7": "Claude 4.7"}.get(known, "Claude from 4.8")
    if model and "gpt" in model.lower():
        return "GPT"
    if model and "gemini" in model.lower():
        return "Gemini"
    return "another, or not named"


def rows(found: list[Compared]) -> list[tuple[str, ...]]:
    """A row a file, and after a family's files one for the family."""
    lines: list[tuple[str, ...]] = []
    for name in sorted({one.family for one in found}):
        files = [one for one in found if one.family == name]
        lines += [_row(name, f"`{one.file}`", one.rough, one.closer) for one in files]
        rough = tuple(e for one in files for e in one.rough)
        closer = tuple(e for one in files for e in one.closer)
        lines.append(_row(name, f"all {len(files)}" if len(files) > 1 else "all", rough, closer))
    return lines


def _row(name: str, file: str, rough: tuple[float, ...], closer: tuple[float, ...]) -> tuple[str, ...]:
    return (name, file, str(len(rough)), *_told(rough), *_told(closer))


def _told(shares: tuple[float, ...]) -> tuple[str, str]:
    """The median of the sizes of the errors, and the largest error with its sign, in percent."""
    if not shares:
        return "–", "–"
    return f"{median(map(abs, shares)):.0%}", f"{max(shares, key=abs):+.0%}"


def measured(folder: Path) -> str:
    """The table of the corpus in this folder."""
    return table(HEAD, rows(list(compared(folder))))


def filled(text: str, made: str) -> str:
    """The document with this table in it."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{made}\n{END}{after}"


if __name__ == "__main__":
    from tests.corpus import folder

    if sys.version_info < (3, 12):
        sys.exit("This needs Python 3.12 or newer, which has ctok: .venv-newer/bin/python -m docs.tokens")
    FILE.write_text(filled(FILE.read_text("utf-8"), measured(folder())), "utf-8")
