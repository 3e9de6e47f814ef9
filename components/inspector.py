"""The inspector: the selected message as it reads, as JSON, and as JSON to change.

Everything from the transcript is drawn as text or code. Changing goes through the deck like any other edit.
"""

from __future__ import annotations

import json

import streamlit as st

from components.state import Page
from tape.errors import UserError
from tape.model import (
    Block,
    Document,
    Image,
    Json,
    Message,
    Other,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    position,
)
from tape.visible import json_escaped, one_line, visible
from tape.wire import message_json

VIEWS = ("Reading", "JSON", "Edit")
SHOWN = 20_000
ORIGINS = {
    "recorded": "recorded in the file",
    "edited": "edited here",
    "inserted": "inserted here",
    "scripted": "answered by the scripted model",
    "live": "answered by a model",
    "replayed": "a recorded result, used again",
    "workspace": "what a tool returned in the workspace",
    "loop": "written by the loop itself",
    "by hand": "written by hand",
}


def draw_inspector(page: Page) -> None:
    """Draws the selected message, or the system prompt and tools where none is selected."""
    entry = page.message
    if entry is None:
        _nothing_selected(page)
        return
    st.text("\n".join(facts(page, entry)))
    view = st.segmented_control(
        "View", VIEWS, default=VIEWS[0], required=True, key="view", label_visibility="collapsed"
    )
    with st.container(key="message-body"):
        if view == "JSON":
            _code(json_escaped(json.dumps(message_json(entry), ensure_ascii=False, indent=2)), "json")
        elif view == "Edit":
            _edit(page, entry)
        else:
            for block in entry.blocks:
                _block(block)
            if not entry.heads:
                st.caption("This message has no content.")


def facts(page: Page, entry: Message) -> list[str]:
    """What is known of a message, a line each: its place, role, origin, time and place in the file."""
    place = position(page.session, entry.uid)
    written = entry.meta.get("role")
    role = f"{entry.role} ({written} in the file)" if written and written != entry.role else entry.role
    lines = [f"{place} · {one_line(str(role))}", ORIGINS[entry.provenance.origin]]
    provenance = entry.provenance
    lines[1] += "".join(
        f", {one_line(part)}" for part in (provenance.model, provenance.note, provenance.at) if part
    )
    stamp = entry.meta.get("timestamp")
    model = entry.meta.get("model")
    extras = [str(part) for part in (model, stamp) if part]
    if extras:
        lines.append(one_line(" · ".join(extras)))
    base = page.deck.opened.base
    if entry.records and base is not None and base.sources:
        source = base.sources[0]
        numbers = [source.line(i) for i in entry.records[:4] if i < len(source)]
        if numbers:
            more = " …" if len(entry.records) > 4 else ""
            lines.append(
                f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}{more} of the file"
            )
    return lines


def _nothing_selected(page: Page) -> None:
    st.caption("Select a message on the tape to read it here. The system prompt and the tools:")
    session = page.session
    if session.system is None:
        st.caption("No system prompt in this file.")
    else:
        _code(session.system if isinstance(session.system, str) else _pretty(session.system))
    if session.tools is None:
        st.caption("No tool list in this file.")
    for tool in session.tools or ():
        with st.expander("Tool", expanded=len(session.tools or ()) <= 3):
            st.text(one_line(tool.name))
            st.text(visible(tool.description))
            _code(_pretty(tool.input_schema), "json")


def _block(block: Block) -> None:
    match block:
        case Text(text=text):
            st.caption("text, put in by a program" if block.injected else "text")
            _code(text)
        case Thinking():
            st.caption("thinking, withheld by the provider" if block.redacted else "thinking")
            _code(block.text or "(no text in the file)")
        case ToolUse():
            st.caption("tool call")
            st.text(f"{one_line(block.name)}   {one_line(block.id)}")
            _code(_pretty(block.input), "json")
        case ToolResult():
            st.caption("tool result, error" if block.is_error else "tool result")
            st.text(f"answers {one_line(block.tool_use_id)}")
            _inner(block)
        case Image():
            size = f", {len(block.data) * 3 // 4:,} bytes" if block.data else ""
            st.caption("image")
            st.text(one_line(f"{block.media_type or 'type not known'}{size} {block.ref or ''}"))
        case Document():
            st.caption("document")
            st.text(one_line(block.title or block.media_type or "untitled"))
            if block.text:
                _code(block.text)
        case Other():
            st.caption("a block of a type that is not known")
            _code(_pretty(block.value), "json")


def _inner(block: ToolResult) -> None:
    if isinstance(block.content, tuple):
        for inner in block.content:
            _block(inner)
    elif block.content is None:
        st.caption("no content")
    else:
        _code(block.content)


def _edit(page: Page, entry: Message) -> None:
    now = json.dumps(message_json(entry), ensure_ascii=False, indent=2)
    number = page.deck.version.number
    if len(now) > SHOWN * 5:
        st.caption(
            f"This message has {len(now):,} characters of JSON; edit one of its blocks on the tape instead."
        )
        return
    key = f"edit-{entry.uid}-{number}-{page.seen}"

    def save() -> None:
        value, force = st.session_state[key], st.session_state["force-thinking"]
        operation = {"op": "replace", "target": entry.uid, "force": force}
        page.attempt(lambda: page.deck.apply({**operation, "value": parsed(value)}))

    st.text_area("The message as JSON", now, height=380, key=key)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Save", type="primary", key="save-message", on_click=save)
        st.checkbox(
            "Change thinking too",
            key="force-thinking",
            help="A signature binds thinking to its words: an endpoint refuses thinking that was changed.",
        )


def parsed(text: str) -> Json:
    """The JSON that a person typed. Raises ``UserError`` with the line that is wrong."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        raise UserError(
            f"This is not JSON: {fault.msg.lower()}.",
            where=f"line {fault.lineno}, column {fault.colno}",
            do="Mend it and save.",
        ) from None
    except RecursionError:
        raise UserError("This JSON is nested too deeply.", do="Flatten it and save.") from None


def _code(text: str, language: str | None = None) -> None:
    shown = visible(text[:SHOWN])
    st.code(shown, language=language if len(shown) < 4_000 else None, wrap_lines=True)
    if len(text) > SHOWN:
        st.caption(f"The first {SHOWN:,} of {len(text):,} characters.")


def _pretty(value: Json) -> str:
    return json_escaped(json.dumps(value, ensure_ascii=False, indent=2))
