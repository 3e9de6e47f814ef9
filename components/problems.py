"""The problems of the array: what an endpoint would refuse, what is risky, and what mends it.

Findings come from ``tape.lint`` and repairs from ``tape.repairs``; here they are shown, previewed and carried
out through the deck.
"""

from __future__ import annotations

from itertools import groupby

import streamlit as st

import tape
from components.preview import draw_preview
from components.state import Page
from tape.edits import apply
from tape.errors import UserError
from tape.repairs import fix_all_safe
from tape.rules import ENDPOINTS, LABELS, Finding
from tape.visible import one_line, visible

SHOWN = 40
HEADS = {
    "refused": ("Refused", "the call fails", ":material/error:"),
    "risky": ("Risky", "accepted here, refused or worse elsewhere", ":material/warning:"),
    "hint": ("Hints", "worth knowing", ":material/info:"),
}
ENDPOINT = "endpoint"


def findings_of(page: Page, endpoint: str = "anthropic") -> tuple[Finding, ...]:
    """What ``endpoint`` would say of the array as it is now."""
    found: tuple[Finding, ...] = page.once_a_version(
        f"findings-{endpoint}", lambda: tape.lint(page.session, endpoint, page.session.model), endpoint
    )
    return found


def count_refused(page: Page) -> int:
    """How many findings make the Claude API refuse the array."""
    return sum(one.severity == "refused" for one in findings_of(page))


def draw_problems(page: Page) -> None:
    """Draws the findings for the chosen endpoint, the gravest first."""
    endpoint = st.selectbox(
        "Checked against", ENDPOINTS, format_func=LABELS.__getitem__, key=ENDPOINT, persist_state="session"
    )
    found = findings_of(page, endpoint)
    if not found:
        st.success("Nothing here would be refused.", icon=":material/check_circle:")
        return
    if any(one.severity == "refused" and one.repairs and one.repairs[0].safe for one in found):
        st.button(
            "Mend all that keeps every word",
            key="mend-all",
            icon=":material/build:",
            on_click=_mend_all,
            args=(page, endpoint),
        )
    order = list(HEADS)
    ranked = sorted(found, key=lambda one: order.index(one.severity))
    for severity, group in groupby(ranked[:SHOWN], key=lambda one: one.severity):
        name, says, icon = HEADS[severity]
        count = sum(one.severity == severity for one in found)
        st.markdown(f"**{icon} {name}** {count}, {says}")
        for i, finding in enumerate(group):
            _finding(page, finding, f"{endpoint}-{severity}-{i}")
    if len(ranked) > SHOWN:
        st.caption(f"{len(ranked) - SHOWN:,} more; they show as these are mended.")


def _finding(page: Page, finding: Finding, key: str) -> None:
    with st.container(key=f"finding-{key}", border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            if finding.uids:
                st.button(
                    finding.where,
                    key=f"show-{key}",
                    type="tertiary",
                    icon=":material/my_location:",
                    help="Show it on the tape",
                    on_click=page.show,
                    args=(finding.uids[0],),
                )
            st.caption(finding.code)
        st.text(one_line(finding.text))
        st.caption(finding.why)
        if finding.vendor_text:
            said = "It answers" if finding.verified else "It was seen to answer"
            st.caption(f"{said} (last seen {finding.last_seen}):" if finding.last_seen else f"{said}:")
            st.code(visible(finding.vendor_text), language=None, wrap_lines=True)
        _mend(page, finding, key)


def _mend(page: Page, finding: Finding, key: str) -> None:
    for n, repair in enumerate(finding.repairs):
        looking = page.preview == (key, n, page.deck.version.number)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                repair.label,
                key=f"mend-{key}-{n}",
                icon=":material/build:",
                help="Keeps every word" if repair.safe else f"This loses {repair.loses}",
                on_click=page.apply,
                args=(repair,),
            )
            st.button(
                "Hide" if looking else "Preview",
                key=f"preview-{key}-{n}",
                type="tertiary",
                on_click=_look,
                args=(page, None if looking else (key, n, page.deck.version.number)),
            )
        if looking:
            try:
                draw_preview(page.session, apply(page.session, repair))
            except UserError as fault:
                st.text(fault.sentence)


def _mend_all(page: Page, endpoint: str) -> None:
    mended, done = fix_all_safe(page.session, endpoint)
    page.deck.replace_session(mended, f"Mended {len(done)} problem{'' if len(done) == 1 else 's'}")


def _look(page: Page, at: tuple[str, int, int] | None) -> None:
    page.preview = at
