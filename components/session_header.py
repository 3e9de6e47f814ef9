"""The line of numbers above the panels: how large the session is, what was processed, what it cost.

Each number has a tooltip that says what it is not; that is where they are mixed up. The numbers are
``tape.usage``'s.
"""

from __future__ import annotations

from html import escape

import streamlit as st

from components.state import Page
from components.token_chart import short
from components.used import turns_of, usage_of
from tape.pricing import as_of, source
from tape.usage import SessionUsage

NOT = {
    "turns": "A turn is one call of the model with the results it asked for, not a question of the user.",
    "messages": "Entries of the array, results included; not what a person typed.",
    "context": "What the next call would send; not what was processed so far, and no sub-agent is in it.",
    "processed": "Every prompt and every answer of all calls, sub-agents and left branches included; "
    "it is no window size, for most of it was sent again and again.",
    "cost": "What these responses cost by list price; not what a subscription or a contract charged.",
}


def draw_session_header(page: Page) -> None:
    """Draws the numbers; numbers of ours only, nothing of the transcript is in them."""
    used = usage_of(page)
    cells = [
        (
            f"{len(turns_of(page)):,}",
            "turns",
            f"{len(page.session.messages):,} messages",
            ("turns", "messages"),
        ),
        (*context(used), ("context",)),
        (*processed(used), ("processed",)),
        (*money(used), ("cost",)),
    ]
    drawn = "".join(
        f'<div title="{escape(" ".join(NOT[name] for name in why))}">'
        f"<b>{escape(value)}</b><span>{escape(name)}</span><small>{escape(note)}</small></div>"
        for value, name, note, why in cells
    )
    st.html(f'<div class="sums">{drawn}</div>')


def context(used: SessionUsage) -> tuple[str, str, str]:
    """Tokens that the next call would send, and of which window they are a part."""
    guess = "≈ " if used.context_source == "estimated" else ""
    if used.filled is None or used.window is None:
        return f"{guess}{short(used.context_now)}", "context now", "window not known"
    part = f"{used.filled:.0%}" if used.filled >= 0.01 or not used.context_now else "under 1%"
    return f"{guess}{short(used.context_now)}", "context now", f"{part} of {short(used.window)}"


def processed(used: SessionUsage) -> tuple[str, str, str]:
    """All tokens of all calls: as recorded, and where nothing was, estimated; never the two in one figure."""
    if used.total.spent:
        count = used.total.unknown
        missing = f", {count:,} call{'' if count == 1 else 's'} not counted" if count else ""
        return short(used.total.spent), "processed", f"all calls{missing}"
    if used.turns:
        return f"≈ {short(used.turns[-1].cumulative)}", "processed", "all calls, estimated"
    return "–", "processed", "no call yet"


def money(used: SessionUsage) -> tuple[str, str, str]:
    """USD with its certainty: all calls, at least, or not known."""
    spent = used.total.cost
    if spent.usd is None:
        return "–", "cost", str(spent) if str(spent) != "–" else "not known"
    least, _, missing = str(spent).partition("; ")
    return least, "cost", missing or f"prices of {as_of()}"


def priced_by(used: SessionUsage) -> str:
    """Where the prices come from, for under the chart; empty where nothing has one."""
    return "" if used.total.cost.usd is None else f"Prices: {source()}, as of {as_of()}."
