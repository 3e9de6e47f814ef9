"""The conversations of the open file: found by words of their titles, ordered, and one of them opened.

What stands in the list is ``tape.listing``'s. Of a long list only the first matches are sent to the page.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from components.state import Page
from tape.formats.base import Conversation
from tape.listing import ORDERS, Counts, counted, matching, moment_of, ordered, size_of, title_of

MANY = 12
"""Conversations from which on there are words to search by and an order."""
SHOWN = 200
COUNTED = 2_000_000
"""Bytes of the listed conversations up to which they are all loaded to say how many messages they have."""
TITLE_SHOWN = 60


def draw_conversations(page: Page) -> None:
    """Draws the choice of a conversation; nothing where the file has one."""
    opened = page.origin.opened
    if opened is None or len(opened.reading.conversations) < 2:
        return
    conversations = opened.reading.conversations
    numbers = list(range(len(conversations)))
    if len(conversations) > MANY:
        numbers = _narrowed(page, conversations)
    found = len(numbers)
    shown = numbers[:SHOWN]
    if page.origin.index not in shown:
        shown.insert(0, page.origin.index)
    if sum(conversations[number].size or COUNTED for number in shown) <= COUNTED:
        for number in shown:
            if number not in opened.counts:
                opened.counts[number] = counted(conversations[number])
    # Widgets keep their own choice; another list, or another open conversation, makes another one.
    key = f"conversation-{page.seen}-{hash(tuple(shown))}"

    def choose() -> None:
        index = st.session_state[key]
        page.try_to_open(lambda: page.origin.at(index))

    st.selectbox(
        f"{len(conversations):,} conversations in this file",
        shown,
        index=shown.index(page.origin.index),
        format_func=lambda number: _told(number, conversations[number], opened.counts.get(number)),
        key=key,
        on_change=choose,
    )
    if found > SHOWN:
        st.caption(f"The first {SHOWN} of {found:,} are in the list.")
    elif found < len(conversations):
        st.caption(f"{found:,} of {len(conversations):,} match.")


def _narrowed(page: Page, conversations: Sequence[Conversation]) -> list[int]:
    key = "-".join(page.origin.key[0]) if page.origin.key else ""
    words = st.text_input(
        "Search the titles",
        key=f"conversations-words-{key}",
        placeholder="words of a title, or an id",
        persist_state="session",
    )
    order = st.selectbox("Order", list(ORDERS), key=f"conversations-order-{key}", persist_state="session")
    return ordered(conversations, matching(conversations, words), order)


def _told(number: int, one: Conversation, counts: Counts | None) -> str:
    """``12. Paper boats · 2026-05-01 10:00 · 41.8 kB · 10 messages, 3 turns``."""
    title = title_of(one)
    if len(title) > TITLE_SHOWN:
        title = f"{title[: TITLE_SHOWN - 1]}…"
    held = "" if counts is None else f"{_many(counts.messages, 'message')}, {_many(counts.turns, 'turn')}"
    return " · ".join(filter(None, (f"{number + 1}. {title}", moment_of(one), size_of(one), held)))


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
