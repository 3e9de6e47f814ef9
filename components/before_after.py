"""Two arrays side by side, one line a message: what goes is struck on the left, what comes stands out right.

Only what differs is shown, with the message before and behind it; every string is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import streamlit as st

from tape.counting import Counter
from tape.model import Message, Session
from tape.visible import one_line

STYLE = Path(__file__).with_suffix(".css")
MOST = 24
WIDTH = 90
NAMES = {"tool_use": "call", "tool_result": "result"}


def draw_before_after(before: Session, after: Session, totals: tuple[int, int]) -> None:
    """Draws both arrays; ``totals`` are the estimated tokens that the next call would send of each."""
    kept = set(map(id, before.messages)) & set(map(id, after.messages))
    counter = Counter(before.model)
    st.html(STYLE)
    sides = []
    for session, word, total in ((before, "Before", totals[0]), (after, "After", totals[1])):
        rows = "".join(_rows(session.messages, kept, counter))
        size = f"{len(session.messages):,} messages, ≈&#8239;{total:,} tokens"
        system = _system(before, after, session)
        sides.append(f"<section><h3>{word} <span>{size}</span></h3><ol>{system}{rows}</ol></section>")
    st.html(f'<div class="before-after">{"".join(sides)}</div>')


def _system(before: Session, after: Session, session: Session) -> str:
    if before.system == after.system:
        return ""
    said = session.system if isinstance(session.system, str) else str(session.system or "none")
    state = "gone" if session is before else "new"
    return f'<li class="system {state}"><b>sys</b><span>{escape(_short(said))}</span></li>'


def _rows(messages: Sequence[Message], kept: set[int], counter: Counter) -> Iterator[str]:
    """A line for each message that differs and its neighbors; a line that counts those left out."""
    differs = [id(entry) not in kept for entry in messages]
    near = [any(differs[max(i - 1, 0) : i + 2]) for i in range(len(messages))]
    skipped = shown = 0
    for i, entry in enumerate(messages):
        if not near[i] or shown >= MOST:
            skipped += 1
            continue
        if skipped:
            yield _left_out(skipped)
        skipped = 0
        shown += 1
        state = ("gone-or-new" if differs[i] else "same") + f" {entry.role}"
        size = counter.message_by_heads(entry)
        words = escape(_short(_words(entry)))
        yield f'<li class="{state}"><b>{i}</b><span>{words}</span><i>{size:,}</i></li>'
    if skipped:
        yield _left_out(skipped)


def _left_out(count: int) -> str:
    return f'<li class="rest">{count:,} message{"" if count == 1 else "s"} as before</li>'


def _words(entry: Message) -> str:
    """The role and the first words of a message, or what its blocks are."""
    text = entry.text.strip()
    others = [
        f"[{NAMES.get(head.kind, head.kind)}{f' {head.name}' if head.name else ''}]"
        for head in entry.heads
        if head.kind != "text"
    ]
    return " ".join([f"{entry.role}:", *([text[: 4 * WIDTH]] if text else []), *others[:4]])


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"
