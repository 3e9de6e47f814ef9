"""The problems of the array: what an endpoint would refuse, what is risky, and what mends it.

Findings come from ``tape.lint`` and repairs from ``tape.repairs``; here they are shown, previewed and carried
out through the deck.
"""

from __future__ import annotations

from itertools import groupby

import streamlit as st

import tape
from components.breaking import draw_breaking
from components.preview import draw_preview
from components.state import Page
from components.tape_view import Wrong
from tape.edits import apply
from tape.errors import UserError
from tape.repairs import fix_all_safe
from tape.rules import ENDPOINTS, LABELS, Finding
from tape.visible import one_line, visible

SHOWN = 40
MARKED = 1_000
HEADS = {
    "refused": ("Refused", "the call fails", ":red[:material/error:]"),
    "risky": ("Risky", "accepted here, refused or worse elsewhere", ":orange[:material/warning:]"),
    "hint": ("Hints", "worth knowing", ":gray[:material/info:]"),
}
ENDPOINT = "endpoint"


def chosen_endpoint() -> str:
    """The endpoint that the person asks about; the Claude API until they choose."""
    chosen = st.session_state.get(ENDPOINT)
    return chosen if chosen in ENDPOINTS else "anthropic"


def findings_of(page: Page, endpoint: str) -> tuple[Finding, ...]:
    """What ``endpoint`` would say of the array as it is now."""
    found: tuple[Finding, ...] = page.once_a_version(
        f"findings-{endpoint}", lambda: tape.lint(page.session, endpoint, page.session.model), endpoint
    )
    return found


def count_refused(page: Page) -> int:
    """How many findings make the chosen endpoint refuse the array."""
    return sum(one.severity == "refused" for one in findings_of(page, chosen_endpoint()))


def wrong_places(page: Page) -> Wrong:
    """Which messages and blocks take part in what the chosen endpoint refuses, each with a sentence."""
    endpoint = chosen_endpoint()
    found: Wrong = page.once_a_version("wrong", lambda: _places(page, endpoint), endpoint)
    return found


def _places(page: Page, endpoint: str) -> Wrong:
    said: dict[str, str] = {}
    for finding in findings_of(page, endpoint)[:MARKED]:
        if finding.severity == "refused":
            for uid in finding.uids:
                said.setdefault(uid, one_line(finding.text))
    wrong: dict[str, dict[int, str]] = {}
    for entry in page.session.messages if said else ():
        uids = (entry.uid, *(head.uid for head in entry.heads))
        here = {j: said[uid] for j, uid in enumerate(uids, -1) if uid in said}
        if here:
            wrong[entry.uid] = here
    return wrong


def draw_problems(page: Page) -> None:
    """Draws the findings for the chosen endpoint, the gravest first."""
    endpoint = st.selectbox(
        "Would this be accepted by …?",
        ENDPOINTS,
        format_func=LABELS.__getitem__,
        key=ENDPOINT,
        persist_state="session",
    )
    found = findings_of(page, endpoint)
    refused = [one for one in found if one.severity == "refused"]
    with st.container(key="verdict", horizontal=True, vertical_alignment="center"):
        if refused:
            st.markdown(f":red[:material/cancel: **No**], {_count(len(refused), 'problem')}.")
        else:
            st.markdown(":green[:material/check_circle: **Yes**], nothing here would be refused.")
        if any(one.repairs and one.repairs[0].safe for one in refused[:SHOWN]):
            st.button(
                "Fix all safe",
                key="mend-all",
                type="primary",
                icon=":material/build:",
                help="Every repair that keeps every word, as one step that can be undone",
                on_click=_mend_all,
                args=(page, endpoint),
            )
    draw_breaking(page, found)
    order = list(HEADS)
    ranked = sorted(found, key=lambda one: order.index(one.severity))
    for severity, group in groupby(ranked[:SHOWN], key=lambda one: one.severity):
        name, says, icon = HEADS[severity]
        count = sum(one.severity == severity for one in found)
        st.markdown(f"{icon} **{name}** {count}, {says}")
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
            st.caption(f"{finding.code}{_certainty(finding)}")
        st.text(one_line(finding.text))
        st.caption(finding.why)
        if finding.vendor_text:
            st.caption(f"The API says (last seen in {finding.last_seen}):")
            st.code(visible(finding.vendor_text), language=None, wrap_lines=True)
        _mend(page, finding, key)


def _certainty(finding: Finding) -> str:
    if finding.severity != "refused":
        return ""
    return ": is refused" if finding.verified else f": was seen refused, last in {finding.last_seen}"


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
    page.deck.replace_session(mended, f"Mended {_count(len(done), 'problem')}")


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _look(page: Page, at: tuple[str, int, int] | None) -> None:
    page.preview = at
