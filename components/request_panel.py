"""The request of one call: the same array again plus what is new, told apart, with sizes.

Shows what ``tape.wire.request`` builds for the messages that a turn sent; nothing is sent from here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import streamlit as st

from components.call_bill import draw_call_bill
from components.state import Page
from tape.model import Json, Session
from tape.secrets import shown
from tape.turns import Turn, turns
from tape.visible import json_escaped
from tape.wire import message_json, request

SHOWN = 16_000


@dataclass(frozen=True, slots=True)
class Sent:
    """One call's request in three parts: positions of the old and new messages, and the size of each part.

    ``rest`` is everything beside the messages: model, settings, system prompt, tools. Sizes are bytes of
    compact UTF-8 JSON.
    """

    start: int
    new_from: int
    end: int
    rest: Json
    rest_bytes: int
    old_bytes: int
    new_bytes: int

    @property
    def total(self) -> int:
        """Bytes of the whole request."""
        return self.rest_bytes + self.old_bytes + self.new_bytes


def sent_by(session: Session, cut: tuple[Turn, ...], call: int) -> Sent:
    """What call number ``call`` (from 1) sent; one more than there are is the call that comes next."""
    if call <= len(cut):
        turn = cut[call - 1]
        start, new_from, end = turn.sent_from, turn.new_from, turn.at
    else:
        start, new_from, end = (
            (cut[-1].sent_from, cut[-1].at, len(session.messages)) if cut else (0, 0, len(session.messages))
        )
    rest = request(replace(session, messages=()))
    del rest["messages"]
    old, new = (
        sum(_size(message_json(m)) for m in session.messages[a:b])
        for a, b in ((start, new_from), (new_from, end))
    )
    return Sent(start, new_from, end, rest, _size(rest), old, new)


def draw_request(page: Page) -> None:
    """Draws a choice of the call and the three parts of its request."""
    session = page.session
    cut: tuple[Turn, ...] = page.once_a_version("turns", lambda: turns(session))
    last = len(cut) + 1
    key = f"call-{page.seen}"
    wanted = page.call if page.call is not None else st.session_state.get(key, max(len(cut), 1))
    st.session_state[key], page.call = min(wanted, last), None
    call = st.number_input(f"Call, from 1 to {last} (call {last} is the next one)", 1, last, key=key)
    sent: Sent = page.once_a_version("sent", lambda: sent_by(session, cut, call), call)
    _sizes(page, sent, call, call == last)
    draw_call_bill(page, call)
    with st.expander(
        f"Settings, system prompt and tools · {_told_size(sent.rest_bytes)}", key="request-rest"
    ):
        _code(sent.rest)
    again = sent.new_from - sent.start
    if again:
        with st.expander(
            f"Sent before: {_range(sent.start, sent.new_from)} · {_told_size(sent.old_bytes)}",
            key="request-old",
        ):
            _code([message_json(m) for m in session.messages[sent.start : sent.new_from]])
    with st.container(key="request-new"):
        if sent.end > sent.new_from:
            st.caption(f"New: {_range(sent.new_from, sent.end)} · {_told_size(sent.new_bytes)}")
            _code([message_json(m) for m in session.messages[sent.new_from : sent.end]])
        else:
            st.caption("Nothing is new in this call.")


def _sizes(page: Page, sent: Sent, call: int, coming: bool) -> None:
    verb = "will send" if coming else "sent" if page.session.untouched else "would send"
    count, new = sent.end - sent.start, sent.end - sent.new_from
    st.text(f"Call {call} {verb} {_messages(count)}: {count - new:,} sent before, {new:,} new.")
    parts = [
        ("rest", "settings, system, tools", sent.rest_bytes),
        ("old", "sent before", sent.old_bytes),
        ("new", "new", sent.new_bytes),
    ]
    bars = "".join(
        f'<span class="part part-{name}" style="flex-grow:{max(size / sent.total, 0.004):.4f}"></span>'
        for name, _, size in parts
        if size
    )
    keys = "".join(
        f'<span class="key part-{name}">{label}<b>{_told_size(size)}</b></span>'
        for name, label, size in parts
        if size
    )
    st.html(f'<div class="request-bar">{bars}</div><div class="request-keys">{keys}</div>')


def _code(value: Json) -> None:
    text = shown(json_escaped(json.dumps(value, ensure_ascii=False, indent=2)))
    st.code(text[:SHOWN], language="json" if len(text) <= 6_000 else None, wrap_lines=True)
    if len(text) > SHOWN:
        st.caption(f"The first {SHOWN:,} of {len(text):,} characters; Export has all of them.")


def _size(value: Json) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))


def _told_size(size: int) -> str:
    return (
        f"{size:,} B"
        if size < 10_000
        else f"{size / 1000:,.0f} kB"
        if size < 10_000_000
        else f"{size / 1e6:,.0f} MB"
    )


def _messages(count: int) -> str:
    return f"{count:,} message{'' if count == 1 else 's'}"


def _range(start: int, end: int) -> str:
    return f"messages[{start}]" if end - start == 1 else f"messages[{start}] to [{end - 1}]"
