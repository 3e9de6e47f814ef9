"""Breaking a pair on purpose: a menu over the whole pairs, and beside it the repairs that undo it.

How a pair is broken is decided in ``tape.breaking``; everything is carried out through the deck, so that the
undo button goes back as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.state import Page
from tape.breaking import Break, breaks, pair_name, sound_pairs
from tape.rules import Finding
from tape.threads import Link
from tape.visible import one_line

MOST = 50


@dataclass(frozen=True)
class Broken:
    """What was broken last: in words, the uids of both halves, and the codes of what follows from it."""

    said: str
    uids: frozenset[str]
    codes: tuple[str, ...]


def draw_breaking(page: Page, found: Sequence[Finding]) -> None:
    """Draws the menu, and what can be done about the pair that was broken with it; nothing without pairs."""
    pairs = _pairs(page)
    with st.container(key="breaking", horizontal=True, vertical_alignment="center"):
        if pairs:
            with st.popover("Break it on purpose", icon=":material/heart_broken:"):
                _menu(page, pairs)
    _mend(page, found)


def _pairs(page: Page) -> list[Link]:
    """The pairs to choose from: those of the selected message first, then the latest."""
    every: tuple[Link, ...] = page.once_a_version("sound-pairs", lambda: sound_pairs(page.session))
    latest = list(every[-MOST:])
    entry = page.message
    if entry is None:
        return latest
    ours = {head.uid for head in entry.heads}
    chosen = [link for link in every if link.call_uid in ours or link.result_uid in ours]
    return chosen + [link for link in latest if link not in chosen]


def _menu(page: Page, pairs: list[Link]) -> None:
    st.caption("See what an endpoint says of it. Undo, or a repair, puts it right again.")
    version = page.deck.version.number
    names = {link.call_uid: one_line(pair_name(page.session, link)) for link in pairs}
    picked = st.selectbox(
        "Pair", list(names), format_func=names.__getitem__, key=f"break-pair-{page.seen}-{version}"
    )
    link = next(link for link in pairs if link.call_uid == picked)
    for way in breaks(page.session, link):
        st.button(
            way.label,
            key=f"break-{way.name}",
            width="stretch",
            on_click=_break,
            args=(page, way, link, names[picked]),
        )


def _break(page: Page, way: Break, link: Link, name: str) -> None:
    page.apply(way.operation)
    if not page.notice:
        page.broken = Broken(f"{way.label}: {name}", frozenset((link.call_uid, link.result_uid)), way.codes)
        page.show(link.call_uid)


def _mend(page: Page, found: Sequence[Finding]) -> None:
    broken = page.broken
    if broken is None:
        return
    findings = [one for one in found if one.code in broken.codes and broken.uids & set(one.uids)]
    if not findings:
        return
    with st.container(key="broken", border=True):
        st.caption("Broken on purpose")
        st.text(broken.said)
        with st.container(horizontal=True):
            for i, finding in enumerate(findings):
                for n, repair in enumerate(finding.repairs):
                    st.button(
                        repair.label,
                        key=f"unbreak-{i}-{n}",
                        icon=":material/build:",
                        help="Keeps every word" if repair.safe else f"This loses {repair.loses}",
                        on_click=page.apply,
                        args=(repair,),
                    )
