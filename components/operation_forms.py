"""The forms of the operations on the whole array: each gives the operation that its fields stand for.

What is entered lives in the state of the widgets, so that the tape can show what an operation would take
before the form itself is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from components.state import Page
from components.summaries import draw_summary, summary_of
from tape.capabilities import model_named, models
from tape.context import context_now
from tape.edits import Append, Compact, FewShot, Fit, Operation, PrependMemory
from tape.edits.few_shot import examples
from tape.turns import opens_work

STRATEGIES = {
    "drop_oldest": "Drop oldest",
    "window": "Window",
    "clear_results": "Clear results",
    "summarize": "Summarize",
}
COSTS = {
    "drop_oldest": "Whole exchanges go, the oldest first. The model never knew them.",
    "window": "Only the last exchanges stay, whatever their size.",
    "clear_results": "Calls stay, what tools answered becomes a stub that says so; the oldest first.",
    "summarize": "One message of the stretch's own words takes the place of the oldest exchanges.",
}
MEMORY_AS = {"system": "system prompt", "user": "first user message"}
MEMORY_SAYS = {
    "system": "The system prompt stands outside the array: it is sent with every call and no edit of the "
    "messages touches it.",
    "user": "A first user message is part of the array: it is read like anything the user says, and "
    "compaction or dropping the oldest can take it away.",
}


@dataclass(frozen=True, slots=True)
class Form:
    """One operation on the page: its name, a sentence, what draws its fields and what reads them.

    ``read`` gives ``None`` while nothing is asked for; the operation may still be refused.
    """

    name: str
    says: str
    draw: Callable[[Page], None]
    read: Callable[[Page], Operation | None]


def value(page: Page, name: str, default: Any) -> Any:
    """What a field of this session's forms holds, or its default before it was drawn."""
    return st.session_state.get(key(page, name), default)


def key(page: Page, name: str) -> str:
    """The key of a field, another one for each session that is opened."""
    return f"operation-{name}-{page.seen}"


def _memory(page: Page) -> None:
    st.text_area(
        "Facts to remember",
        key=key(page, "memory"),
        height=110,
        placeholder="We indent with tabs. Tests run with `make test`. The user is called Ada.",
    )
    given = st.file_uploader("or from a file", type=["md", "txt"], key=key(page, "memory-file"))
    if given is not None:
        st.caption("The file's text is used in place of the field above.")
    place = st.segmented_control(
        "as", list(MEMORY_AS), format_func=MEMORY_AS.__getitem__, default="system", required=True,
        key=key(page, "memory-as"),
    )  # fmt: skip
    st.caption(MEMORY_SAYS[place])


def _read_memory(page: Page) -> Operation | None:
    given = value(page, "memory-file", None)
    text = given.getvalue().decode("utf-8", "replace") if given is not None else value(page, "memory", "")
    place = value(page, "memory-as", "system")
    return PrependMemory(text, place) if text.strip() else None


def _compact(page: Page) -> None:
    last = len(page.session.messages) - 1
    if last < 1:
        st.caption("There is nothing to compact yet.")
        return
    field = key(page, "stretch")
    start, end = value(page, "stretch", _default_stretch(last))
    st.session_state[field] = (min(start, last), min(end, last))
    st.slider(
        "Messages to replace", 0, last, key=field,
        help="Drag either end here, or the two cuts on the tape itself; what goes is greyed there. "
        "Cuts move to where no pair is torn.",
    )  # fmt: skip
    draw_summary(page, _stretch(page))


def _default_stretch(last: int) -> tuple[int, int]:
    return 0, max(last - 3, 1)


def cut(page: Page, first: int, last: int) -> None:
    """Takes a stretch, positions of its first and its last message, as dragged on the tape."""
    most = len(page.session.messages) - 1
    first, last = sorted((min(max(first, 0), most), min(max(last, 0), most)))
    st.session_state[key(page, "stretch")] = (first, last)


def _stretch(page: Page) -> Compact:
    last = len(page.session.messages) - 1
    start, end = value(page, "stretch", _default_stretch(last))
    return Compact(min(start, last), min(end, last))


def _read_compact(page: Page) -> Operation | None:
    if len(page.session.messages) < 2:
        return None
    asked = _stretch(page)
    return Compact(asked.first, asked.last, summary=summary_of(page))


def _fit(page: Page) -> None:
    strategy = st.segmented_control(
        "How", list(STRATEGIES), format_func=STRATEGIES.__getitem__, default="drop_oldest", required=True,
        key=key(page, "strategy"),
    )  # fmt: skip
    st.caption(COSTS[strategy])
    if strategy == "window":
        most = max(_exchanges(page), 1)
        field = key(page, "window")
        st.session_state[field] = min(value(page, "window", max(most // 2, 1)), most)
        if most > 1:
            st.slider("Exchanges to keep", 1, most, key=field)
        else:
            st.caption("There is one exchange; a window cannot be smaller.")
        return
    size = max(_size(page), 20)
    field = key(page, "budget")
    st.session_state[field] = min(max(value(page, "budget", size // 2), 10), size)
    st.slider(
        "Budget in tokens", 10, size, key=field, step=max(size // 200, 1),
        help="Estimated tokens of everything that the next call would send.",
    )  # fmt: skip


def _size(page: Page) -> int:
    found: int = page.once_a_version("context-now", lambda: context_now(page.session)[0])
    return found


def _exchanges(page: Page) -> int:
    return sum(opens_work(entry) for entry in page.session.messages)


def _read_fit(page: Page) -> Operation | None:
    strategy = value(page, "strategy", "drop_oldest")
    if strategy == "window":
        most = max(_exchanges(page), 1)
        return Fit(strategy="window", keep=min(value(page, "window", max(most // 2, 1)), most))
    return Fit(value(page, "budget", max(_size(page), 20) // 2), strategy)


def _examples(page: Page) -> None:
    pairs = examples(page.session)
    start = pd.DataFrame(pairs or [("", "")], columns=["input", "answer"], dtype="string")
    table = st.data_editor(
        start,
        num_rows="dynamic",
        hide_index=True,
        width="stretch",
        key=key(page, f"examples-{page.deck.version.number}"),
        column_config={
            "input": st.column_config.TextColumn("The user says", width="medium"),
            "answer": st.column_config.TextColumn("The assistant answers", width="medium"),
        },
    )
    st.session_state[key(page, "examples-now")] = (page.deck.version.number, _filled(table))
    st.caption(
        "The model takes these for answers of its own and goes on in their form. "
        "An answer in JSON teaches a schema by example."
    )
    if pairs:
        st.button(
            f"Take the {len(pairs)} example{'' if len(pairs) == 1 else 's'} out",
            key=key(page, "no-examples"),
            on_click=page.apply,
            args=(FewShot(()),),
        )


def _filled(table: pd.DataFrame) -> tuple[Mapping[str, str], ...]:
    rows = table.fillna("").astype(str).to_dict("records")
    return tuple(
        {"input": row["input"], "answer": row["answer"]}
        for row in rows
        if row["input"].strip() or row["answer"].strip()
    )


def _read_examples(page: Page) -> Operation | None:
    version, rows = value(page, "examples-now", (-1, ()))
    if version != page.deck.version.number or not rows:
        return None
    given = tuple((row["input"], row["answer"]) for row in rows)
    return None if given == examples(page.session) else FewShot(rows)


def _prefill(page: Page) -> None:
    st.text_area(
        "The answer begins with", key=key(page, "prefill"), height=80, placeholder='{"priority": '
    )  # fmt: skip
    model = model_named(page.session.model)
    if model is None or model.prefill is None:
        st.caption("Whether this session's model still takes the beginning of its answer is not known.")
    elif model.prefill:
        st.caption(f"{model.id} goes on from here. Models since Claude 4.6 refuse it.")
    else:
        st.caption(f"{model.id} refuses an array that ends on the assistant; the call would fail.")
    takes = ", ".join(one.id for one in models().values() if one.prefill)
    st.caption(f"Prefill is still taken by: {takes}.")


def _read_prefill(page: Page) -> Operation | None:
    text = value(page, "prefill", "")
    return Append(({"role": "assistant", "content": text},)) if text.strip() else None


FORMS = {
    form.name: form
    for form in (
        Form("Compact", "Replace a stretch by one short message.", _compact, _read_compact),
        Form("Fit", "Make the array fit a budget of tokens.", _fit, _read_fit),
        Form("Memory", "Put durable facts in front of everything.", _memory, _read_memory),
        Form("Examples", "Answer a few times by hand; the model goes on so.", _examples, _read_examples),
        Form("Prefill", "Write the beginning of the next answer yourself.", _prefill, _read_prefill),
    )
}  # fmt: skip
