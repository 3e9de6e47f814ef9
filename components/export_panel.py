"""Download of the session: in the format it came in, as an Anthropic request, as an OpenAI Chat array.

Writing is ``tape.dump`` and ``tape.convert``; what a format could not carry is said before the download.
"""

from __future__ import annotations

from pathlib import Path, PurePath

import streamlit as st

import tape
from components.report_view import label
from components.state import Page
from tape.errors import UserError
from tape.formats import writable
from tape.formats.base import Dumped
from tape.model import Session
from tape.visible import one_line

LOSSES_SHOWN = 12
SOURCE = "source"
LINES = ("claude-code",)
"""The formats that are written one record a line."""
KINDS = {"anthropic-messages": " (request body)", "openai-chat": " (request body)"}


def draw_export(page: Page) -> None:
    """Draws the choice of formats, what each would lose, and the download button."""
    others = {one.name: f"{one.label}{KINDS.get(one.name, '')}" for one in writable()}
    has_source = page.session.base is not None
    options = [*([SOURCE] if has_source else []), *others]
    chosen = st.radio(
        "Download as",
        options,
        format_func=lambda name: (
            f"as it came: {label(page.session.format)}" if name == SOURCE else others[name]
        ),
        key=f"export-{page.seen}",
    )
    try:
        dumped: Dumped = page.once_a_version("export", lambda: _written(page, chosen), chosen)
    except UserError as fault:
        st.text(fault.sentence)
        return
    st.download_button(
        f"Download {'as it came' if chosen == SOURCE else others[chosen]}, {_told_size(len(dumped.data))}",
        dumped.data,
        file_name(page, chosen),
        mime="application/octet-stream",
        type="primary",
        icon=":material/download:",
        key="download",
        on_click="ignore",
    )
    if chosen == SOURCE and page.session.untouched:
        st.caption("Nothing was changed, so this is the file as it came, byte for byte.")
    elif chosen == SOURCE:
        st.caption("Only what you changed differs from the file as it came.")
    changed = sum(_was_changed(lane.session) for lane in page.session.lanes)
    if changed:
        who = "A sub-agent was" if changed == 1 else f"{changed:,} sub-agents were"
        st.caption(f"{who} changed: what it is now is downloaded from its own tape.")
    if dumped.losses:
        st.caption(f"What this format cannot carry ({len(dumped.losses)}):")
        for note in dumped.losses[:LOSSES_SHOWN]:
            st.text(one_line(f"{note.where}: {note.text}" if note.where else note.text))
        if len(dumped.losses) > LOSSES_SHOWN:
            st.caption(f"and {len(dumped.losses) - LOSSES_SHOWN:,} more")


def file_name(page: Page, chosen: str) -> str:
    """A name for the download: that of the file where it keeps its format, else with ``.json``."""
    inside, base = page.deck.inside, page.session.base
    own = base.sources[:1] if base is not None and inside is not None else ()
    name = PurePath(own[0].name if own else page.origin.name)
    stem = "".join(c if c.isalnum() or c in "-_." else "-" for c in name.stem).strip("-.") or "session"
    if chosen == SOURCE and page.origin.inputs and inside is None:
        first = page.origin.inputs[0]
        suffix = first.suffix if isinstance(first, Path) else name.suffix
        return f"{stem}{suffix or '.json'}"
    return f"{stem}.{chosen}.{'jsonl' if chosen in LINES else 'json'}"


def _was_changed(session: Session) -> bool:
    return session.base is not None and not session.untouched


def _written(page: Page, chosen: str) -> Dumped:
    return tape.dump(page.session) if chosen == SOURCE else tape.convert(page.session, chosen)


def _told_size(size: int) -> str:
    return f"{size:,} bytes" if size < 100_000 else f"{size / 1e6:,.1f} MB"
