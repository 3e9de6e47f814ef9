"""Taking the numbers along: the table of calls as CSV or Parquet, and the form of the chart's own picture."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from components.state import Page
from components.token_rows import per_call
from components.used import usage_of


def draw_taking(page: Page, frame: pd.DataFrame) -> None:
    """Draws the downloads; a file is made when its button is pressed."""
    with st.container(key="take-tokens", horizontal=True, vertical_alignment="center"):
        for label, make, mime in (
            ("CSV", as_csv, "text/csv"),
            ("Parquet", as_parquet, "application/octet-stream"),
        ):
            st.download_button(
                label,
                partial(_made, make, page, frame),
                file_name=f"calls.{label.lower()}",
                mime=mime,
                key=f"take-{label.lower()}",
                icon=":material/download:",
                help=f"The table of calls, as {label}",
                on_click="ignore",
            )
        st.segmented_control(
            "Picture",
            ("PNG", "SVG"),
            default="PNG",
            required=True,
            key="picture-format",
            help="What the camera in the chart's own menu saves",
        )


def _made(make: Callable[[pd.DataFrame], bytes], page: Page, frame: pd.DataFrame) -> bytes:
    return make(table_of(page, frame))


def table_of(page: Page, frame: pd.DataFrame) -> pd.DataFrame:
    """A row a call, with the model that answered."""
    return per_call(frame, {one.turn: one.model for one in usage_of(page).turns})


def as_csv(table: pd.DataFrame) -> bytes:
    """The table as CSV in UTF-8; a name that a spreadsheet would take for a formula gets an apostrophe."""
    safe = table.copy()
    safe["model"] = safe["model"].map(lambda name: f"'{name}" if str(name)[:1] in "=+-@\t\r" else name)
    return safe.to_csv(index=False).encode("utf-8")


def as_parquet(table: pd.DataFrame) -> bytes:
    """The table as Parquet, unknown counts as nulls."""
    out = io.BytesIO()
    table.to_parquet(out, index=False)
    return out.getvalue()
