"""The sidebar: choosing where the session comes from, and what was made of the file.

Samples, upload, paste, a path, a new session; below, the import report. Opening itself is in
``components.opening``. Whatever cannot be opened leaves the open session alone and says one sentence.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.glossary import draw_glossary
from components.lesson import draw_lessons
from components.lesson_recorder import draw_own_lessons
from components.opening import Origin, from_bytes, from_path, from_sample, paths_allowed
from components.report_view import draw_report
from components.state import Page
from tape.samples import samples

UPLOAD_MEGABYTES = 200


def draw_source(page: Page) -> None:
    """Draws the sidebar for the page. A choice opens the session and draws everything anew."""
    st.html('<h1 class="deck-name">Tapedeck</h1><p class="deck-says">An agent is its messages array.</p>')
    with st.container(key="refusal"):
        if page.refusal:
            st.error("This was not opened.", icon=":material/block:")
            st.text(page.refusal)
    _samples(page)
    _own(page)
    with st.container(key="report"):
        draw_report(page)
    draw_lessons(page)
    draw_own_lessons(page)
    draw_glossary(page)


def _samples(page: Page) -> None:
    with st.container(key="samples"):
        st.html("<h2>Samples</h2>")
        for one in samples():
            current = page.origin.sample is not None and page.origin.sample.name == one.name
            st.button(
                one.title,
                key=f"sample-{one.name}",
                type="secondary" if current else "tertiary",
                width="stretch",
                help=one.teaches,
                on_click=page.try_to_open,
                args=(partial(from_sample, one),),
            )
    with st.container(key="to-try"):
        if page.origin.sample is not None:
            st.html("<h2>Try this</h2>")
            st.text(page.origin.sample.to_try)


def _own(page: Page) -> None:
    with st.container(key="own"):
        st.html("<h2>Your own</h2>")
        key = f"upload-{page.uploads}"
        files = st.file_uploader(
            "Upload a session",
            accept_multiple_files=True,
            key=key,
            label_visibility="collapsed",
            max_upload_size=UPLOAD_MEGABYTES,
            help="A session of any agent. A session and the files of its sub-agents may be chosen together.",
        )
        if files:
            page.uploads += 1
            page.try_to_open(partial(from_bytes, "upload", [(f.name, f.getvalue()) for f in files]))
            st.rerun()
        with st.container(horizontal=True, gap="small", key="own-buttons"):
            _paste(page)
            if paths_allowed():
                _path(page)
            _new(page)


def _paste(page: Page) -> None:
    with (
        st.popover("Paste", width="stretch", key=f"paste-{page.seen}"),
        st.form(f"paste-form-{page.seen}", border=False, clear_on_submit=False),
    ):
        text = st.text_area(
            "Paste a transcript", height=220, placeholder='[{"role": "user", "content": "…"}]'
        )
        if st.form_submit_button("Open it", type="primary"):
            page.try_to_open(
                partial(from_bytes, "paste", [("pasted text", text.encode("utf-8", "surrogatepass"))])
            )
            st.rerun()


def _path(page: Page) -> None:
    with (
        st.popover("Path", width="stretch", key=f"path-{page.seen}"),
        st.form(f"path-form-{page.seen}", border=False),
    ):
        text = st.text_input("A file of this machine", placeholder="~/.claude/projects/…/session.jsonl")
        st.caption("For large files: nothing is copied, and the file is never changed.")
        if st.form_submit_button("Open it", type="primary"):
            page.try_to_open(partial(from_path, text))
            st.rerun()


def _new(page: Page) -> None:
    st.button(
        "New",
        width="stretch",
        key="new-session",
        help="Start with an empty array",
        on_click=page.try_to_open,
        args=(partial(Origin, "new", "New session"),),
    )
