"""Taking the numbers along: the table of calls as CSV or Parquet, and the form of the chart's own picture."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from components.state import Page
from components.used import turns_of, usage_of
from tape.call_table import COLUMNS, as_csv, call_table


def draw_taking(page: Page) -> None:
    """Draws the downloads; a file is made when its button is pressed."""
    with st.container(key="take-tokens", horizontal=True, vertical_alignment="center"):
        for label, make, mime in (
            ("CSV", as_csv, "text/csv"),
            ("Parquet", as_parquet, "application/octet-stream"),
        ):
            st.download_button(
                label,
                partial(_made, make, page),
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


def _made(make: Callable[[list[dict[str, Any]]], bytes], page: Page) -> bytes:
    return make(call_table(page.session, turns_of(page), usage_of(page)))


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    """The rows as Parquet, unknown values as nulls."""
    table = pd.DataFrame(rows, columns=list(COLUMNS[:-1]))
    counts = ["cache_read", "cache_write", "fresh", "output", "sent", "sent_so_far", "sub_agents"]
    table[counts] = table[counts].astype("Int64")
    money = [name for name in COLUMNS if name.startswith("usd")]
    table[money] = table[money].astype("Float64")
    out = io.BytesIO()
    table.to_parquet(out, index=False)
    return out.getvalue()
