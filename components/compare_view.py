"""Two lines of a session side by side, over the page: what they share, where they part, what differs.

Which messages belong beside each other is ``tape.edits.side_by_side``'s, what changed inside them
``tape.edits.compare``'s. Every word of a transcript is escaped here before it becomes HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

import streamlit as st

from components.state import Page
from components.token_chart import short
from tape.branches import line
from tape.edits.compare import BlockChange, Line, words_of
from tape.edits.side_by_side import Comparison, Row, change, side_by_side
from tape.errors import UserError
from tape.model import Message, Session, head_of
from tape.usage import usage
from tape.visible import one_line, visible

STYLE = Path(__file__).resolve().parent / "compare.css"
ROWS_SHOWN = 200
LINES_SHOWN = 200
CHARS_SHOWN = 4_000
SHARED_SHOWN = 6
STOPS = {
    "end_turn": "the model was done",
    "max_tokens": "cut off at the limit on its length",
    "tool_use": "it asks for tools",
    "refusal": "the model declined",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """The names of the two lines that are compared."""

    left: str
    right: str


def show(page: Page, left: str, right: str) -> None:
    """Puts two lines side by side over the page. Raises ``UserError`` where one is not there."""
    line(page.session, left), line(page.session, right)
    page.cache["compared"] = (None, Compared(left, right))


def draw_compare(page: Page) -> None:
    """Draws the comparison that was asked for, at one fixed place of the page; nothing where none was."""
    compared: Compared | None = page.cache.get("compared", (None, None))[1]
    with st.container(key="compare-pane"):
        if compared is None:
            return
        st.html(STYLE)
        with st.container(horizontal=True, vertical_alignment="center", key="compare-bar"):
            st.button(
                "Back to the tape",
                key="compare-close",
                icon=":material/arrow_back:",
                on_click=_close,
                args=(page,),
            )
            st.button(
                "Swap sides", key="compare-swap", type="tertiary", on_click=_swap, args=(page, compared)
            )
        try:
            drawn = page.once_a_version("compare", lambda: _drawn(page.session, compared), compared)
        except UserError as fault:
            st.text(fault.sentence)
            return
        st.html(drawn)


def _close(page: Page) -> None:
    page.cache.pop("compared", None)


def _swap(page: Page, compared: Compared) -> None:
    page.cache["compared"] = (None, Compared(compared.right, compared.left))


def _drawn(session: Session, compared: Compared) -> str:
    left, right = line(session, compared.left), line(session, compared.right)
    found = side_by_side(left, right)
    heads = "".join(
        _head(one, name, side)
        for one, name, side in ((left, compared.left, "left"), (right, compared.right, "right"))
    )
    body = "".join(_body(found, left, right))
    return f'<div class="compare"><div class="pair heads">{heads}</div>{body}</div>'


def _head(session: Session, name: str, side: str) -> str:
    """The name of a line, what it used and how it ends."""
    used = usage(session)
    count = len(session.messages)
    total = used.by_lane["main"]
    spent = total.spent
    sums = [
        f"{count:,} message{'' if count == 1 else 's'}",
        f"{len(used.turns)} turn{'' if len(used.turns) == 1 else 's'}",
        "tokens unknown"
        if spent is None
        else f"{'at least ' if total.unknown else ''}{short(spent)} tokens spent",
        f"{'≈ ' if used.context_source == 'estimated' else ''}{short(used.context_now)} in the array",
    ]
    return (
        f'<div class="side {side}"><h2>{_text(one_line(name))}</h2>'
        f"<p>{' · '.join(map(_text, sums))}</p><p>{_text(_ending(session))}</p></div>"
    )


def _ending(session: Session) -> str:
    if not session.messages:
        return "The array is empty."
    last = session.messages[-1]
    stop = next((c.stop_reason for c in reversed(session.calls) if c.message_uid == last.uid), None)
    if last.role != "assistant":
        return "Ends without an answer."
    why = "" if stop is None else f" ({STOPS.get(stop, one_line(stop)[:40])})"
    said = one_line(last.text)[:160]
    return f"Ends with: “{said}”{why}." if said else f"Ends with an answer{why}."


def _body(found: Comparison, left: Session, right: Session) -> Iterator[str]:
    if found.first is None:
        yield '<p class="mark">Both lines are the same, word for word.</p>'
    shown = 0
    for same, group in groupby(enumerate(found.rows), key=lambda item: item[1].state == "same"):
        rows = list(group)
        if same:
            yield _shared([row for _, row in rows], left)
            continue
        for number, row in rows:
            if number == found.first:
                yield f'<p class="mark first">First difference: {_text(_place(row))}</p>'
            if shown == ROWS_SHOWN:
                yield f'<p class="mark">… and {len(found.rows) - number:,} rows more.</p>'
                return
            shown += 1
            yield _pair(row, left, right)


def _place(row: Row) -> str:
    if row.left is not None and row.right is not None and row.left != row.right:
        return f"message {row.left} on the left, {row.right} on the right"
    return f"message {row.left if row.left is not None else row.right}"


def _shared(rows: Sequence[Row], left: Session) -> str:
    """Messages that both sides hold, one line each, behind a line that counts them."""
    count = len(rows)
    words = f"{count:,} message{'' if count == 1 else 's'} the same on both sides"
    places = [row.left for row in rows[-SHARED_SHOWN:] if row.left is not None]
    entries = [(place, left.messages[place]) for place in places]
    items = [
        f"<li><b>#{place} {_text(_role(entry))}</b> {_text(_short(entry))}</li>" for place, entry in entries
    ]
    if count > SHARED_SHOWN:
        items.insert(0, f"<li>… {count - SHARED_SHOWN:,} before these</li>")
    return f'<details class="shared"><summary>{words}</summary><ul>{"".join(items)}</ul></details>'


def _pair(row: Row, left: Session, right: Session) -> str:
    """One row: a card on each side, or a gap where a side has none."""
    changed = change(row, left, right)
    one = None if row.left is None else left.messages[row.left]
    other = None if row.right is None else right.messages[row.right]
    old = "".join(_block(block, "-") for block in changed.blocks)
    new = "".join(_block(block, "+") for block in changed.blocks)
    return f'<div class="pair">{_card(one, row.left, old)}{_card(other, row.right, new)}</div>'


def _card(entry: Message | None, place: int | None, content: str) -> str:
    if entry is None:
        return '<div class="gap"></div>'
    origin = entry.provenance.origin
    from_where = "" if origin == "recorded" else f'<span class="from">{_text(origin)}</span>'
    kind = "result" if any(head.kind == "tool_result" for head in entry.heads) else entry.role
    return (
        f'<article class="card {_text(kind)}"><header><b>{_text(_role(entry))}</b>{from_where}'
        f'<span class="position">#{place}</span></header>{content}</article>'
    )


def _role(entry: Message) -> str:
    if any(head.kind == "tool_result" for head in entry.heads):
        return f"{entry.role} · tool result"
    calls = [one_line(head.name or "") for head in entry.heads if head.kind == "tool_use"]
    return f"{entry.role} → {', '.join(calls)[:60]}" if calls else entry.role


def _block(block: BlockChange, side: str) -> str:
    """One side of a block: its lines, with the words that only this side has marked."""
    if block.state in ("inserted", "deleted") and (block.state == "inserted") != (side == "+"):
        return ""
    lines = [one for one in block.lines if one.sign in (" ", side)]
    kept, left_over = _within(lines)
    whole = block.state in ("inserted", "deleted")
    words = "\n".join(_words(one, side, whole) for one in kept)
    more = f'<p class="more">… {left_over:,} lines more</p>' if left_over else ""
    name = "" if block.name == "text" else f'<p class="kind">{_text(block.name)}</p>'
    return f'<div class="block {_text(block.state)}">{name}<pre>{words}</pre>{more}</div>'


def _within(lines: Sequence[Line]) -> tuple[list[Line], int]:
    kept: list[Line] = []
    chars = 0
    for one in lines[:LINES_SHOWN]:
        if chars > CHARS_SHOWN:
            break
        kept.append(one)
        chars += len(one.text)
    return kept, len(lines) - len(kept)


def _words(one: Line, side: str, whole: bool) -> str:
    tag = "del" if side == "-" else "ins"
    if one.sign == " " or whole:
        return _text(one.text[:CHARS_SHOWN])
    if not one.words:
        return f"<{tag}>{_text(one.text[:CHARS_SHOWN])}</{tag}>" if one.text else ""
    return "".join(f"<{tag}>{_text(text)}</{tag}>" if own else _text(text) for own, text in one.words)


def _short(entry: Message) -> str:
    text = entry.text or next((words_of(block) for block in entry.blocks), "")
    return one_line(text[:300])[:120] or ", ".join(head_of(block).kind for block in entry.blocks)


def _text(words: str) -> str:
    return escape(visible(words))
