"""The import report: what the file was taken for and why, and what became of each of its records.

Shows what ``tape.notes`` holds; every string of it may come from the file and is drawn as text.
"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from components.conversations import draw_conversations
from components.state import Page
from tape.formats import FORMATS
from tape.formats.base import Reading
from tape.notes import ImportReport, Note
from tape.secrets import counted, name_of
from tape.visible import one_line

LABELS = {one.name: one.label for one in FORMATS}
SURE = {3: "certain", 2: "by its structure", 1: "a guess"}
NOTES_SHOWN = 12
LINES_SHOWN = 6
DETECTED = "detected"


def draw_report(page: Page) -> None:
    """Draws the report of the open file; nothing for a session that was started here."""
    reading = page.origin.reading
    if reading is None:
        return
    st.html("<h2>This file</h2>")
    draw_conversations(page)
    st.text(one_line(page.origin.name))
    st.caption(f"{label(reading.format)}, {SURE.get(reading.confidence, 'as you chose')}")
    session = page.deck.opened
    notes = tuple(dict.fromkeys((*reading.notes, *session.notes)))
    draw_secrets(page)
    with st.expander(_summary(session.report, notes), key="report-details"):
        st.text(one_line(reading.why))
        _override(page, reading)
        if session.report is not None:
            for line in told(session.report):
                st.text(line)
        for note in notes[:NOTES_SHOWN]:
            st.text(one_line(f"{note.where}: {note.text}" if note.where else note.text))
        if len(notes) > NOTES_SHOWN:
            rest = [(n.where, n.kind, one_line(n.text)) for n in notes]
            st.dataframe(pd.DataFrame(rest, columns=["where", "kind", "remark"]), hide_index=True, height=220)


def draw_secrets(page: Page) -> None:
    """Draws how many keys, tokens and cookies the file holds, and the switch that shows them; nothing where
    it holds none. Of a file too large to be looked through only the switch."""
    held = page.cache.get("secrets")
    if held is None or held[0] != page.deck.token:
        held = page.cache["secrets"] = (page.deck.token, counted(page.deck.opened))
    kinds: dict[str, int] | None = held[1]
    if kinds == {}:
        return
    if kinds is None:
        st.caption("Keys, tokens and cookies are masked; this file is too large to count them.")
    else:
        total = sum(kinds.values())
        told = ", ".join(
            f"{count:,} {name_of(kind)}{'s' if count > 1 else ''}" for kind, count in kinds.items()
        )
        st.caption(f"{total:,} secret{'s' if total > 1 else ''} in it, masked: {told}. Downloads keep them.")
    st.toggle(
        "Show secrets",
        value=page.deck.reveals,
        key=f"secrets-{page.deck.token}",
        on_change=_reveal,
        args=(page,),
    )


def _reveal(page: Page) -> None:
    page.deck.reveals = bool(st.session_state.get(f"secrets-{page.deck.token}"))
    for name in page.cache.keys() - {"checkpoints", "secrets"}:
        del page.cache[name]


def label(name: str) -> str:
    """The name of a format as people read it."""
    return LABELS.get(name, name)


def told(report: ImportReport) -> list[str]:
    """What became of the records, a line each: how many, and where those stand that are no message."""
    lines = [f"{report.records:,} records, {report.in_messages:,} of them in messages"]
    if report.merged:
        lines.append(f"{report.merged:,} joined to an earlier message of the same response")
    for counts, places, what in (
        (report.aside_counts, report.aside, "kept but not shown"),
        (report.unknown_counts, report.unknown, "unknown, kept"),
    ):
        for kind, count in sorted(counts.items(), key=lambda item: -item[1]):
            lines.append(f"{count:,} {what}: {one_line(kind)} ({_lines(places.get(kind, ()))})")
    if report.broken:
        lines.append(f"{len(report.broken):,} broken ({_lines(report.broken)})")
    return lines


def _lines(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(f"{n:,}" for n in numbers[:LINES_SHOWN])
    return f"line{'s' if len(numbers) != 1 else ''} {shown}{' …' if len(numbers) > LINES_SHOWN else ''}"


def _summary(report: ImportReport | None, notes: tuple[Note, ...]) -> str:
    parts = ["Import report"]
    if report is not None:
        parts = [f"{report.records:,} record{'' if report.records == 1 else 's'} read"]
        parts += [f"{len(report.broken)} broken"] if report.broken else []
    if notes:
        parts.append(f"{len(notes)} note{'s' if len(notes) != 1 else ''}")
    return " · ".join(parts)


def _override(page: Page, reading: Reading) -> None:
    options = [DETECTED, *LABELS]
    scores = dict(reading.runners_up)
    key = f"format-{page.seen}"

    def told_format(name: str) -> str:
        if name == DETECTED:
            return "as detected"
        guess = scores.get(name)
        return f"{label(name)} · also possible: {guess.why}"[:80] if guess else label(name)

    def choose() -> None:
        chosen = st.session_state[key]
        page.try_to_open(lambda: page.origin.as_format(None if chosen == DETECTED else chosen))

    st.selectbox(
        "Read it as",
        options,
        index=options.index(page.origin.chosen or DETECTED),
        format_func=told_format,
        key=key,
        on_change=choose,
    )
