"""Makes the array one that an endpoint with strict turns takes: merged neighbors, a placeholder in front.

Then and now: Claude merges neighbors of one role since 2024; strict endpoints still refuse them.
"""

from __future__ import annotations

import streamlit as st

import tape
from components.before_after import draw_before_after
from components.questions import draw_questions
from components.state import Page
from tape.counting import Counter
from tape.model import Session
from tape.repairs import fix_all_safe
from tape.rules import Finding
from tape.visible import one_line

SHOWN = 6


def draw_strict(page: Page) -> None:
    """Draws what the strict endpoint refuses now and what mends it in one step."""
    found: tuple[Finding, ...] = page.once_a_version(
        "strict", lambda: tuple(f for f in tape.lint(page.session, "strict") if f.severity == "refused")
    )
    if not found:
        st.caption(
            "A strict endpoint takes the array as it is: it opens on the user and the turns alternate."
        )
        return
    st.caption(f"A strict endpoint refuses it for {len(found):,} reason{'' if len(found) == 1 else 's'}:")
    for finding in found[:SHOWN]:
        st.text(one_line(finding.text))
    if len(found) > SHOWN:
        st.caption(f"and {len(found) - SHOWN:,} more")
    mended, done = page.once_a_version("strict-mended", lambda: _mended(page.session))
    if not done:
        st.caption("Nothing that keeps every word mends this; see Problems for what else does.")
        return
    st.button(
        f"Mend {done:,} of them", key="make-strict", type="primary", icon=":material/merge:",
        help="Neighbors of one role become one message, a placeholder opens the array; every word stays",
        on_click=page.attempt,
        args=(lambda: page.deck.replace_session(mended, "Made the turns strict"),),
    )  # fmt: skip
    counter = Counter(page.session.model)
    totals = counter.session(page.session).total, counter.session(mended).total
    draw_before_after(page.session, mended, totals)
    draw_questions(page, page.session, mended)


def _mended(session: Session) -> tuple[Session, int]:
    mended, done = fix_all_safe(session, "strict")
    return mended, len(done)
