"""Who answers a run: the embedded endpoint, the Claude API, or a server of one's own; what it may cost.

A key stays in the memory of this browser session, under the address it was entered for, and goes to that
address and nowhere else. Making the calls is ``tape.client``'s.
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components.opening import serves_this_machine
from components.state import Page
from tape.agent import LIVE_LIMITS, NO_LIMITS_BUT_CALLS, Limits
from tape.client import Connection, Target, claude_api, custom, embedded, try_connection
from tape.errors import UserError
from tape.estimate import estimate
from tape.model import Json, Session
from tape.presets import Preset, as_of, known_models, presets
from tape.visible import one_line

EMBEDDED, CLAUDE, OTHER = "Embedded", "Claude API", "Other server"
TARGETS = (EMBEDDED, CLAUDE, OTHER)
OWN = "Another address"
LIVE_MAX_TOKENS = 4096
MODELS_SHOWN = 60
SAYS = {
    EMBEDDED: "A scripted model in this process: no key, no network. It sees nothing but the array.",
    CLAUDE: "Each call is billed to the key. It stays in memory and goes to the Claude API alone.",
    OTHER: "Any server that speaks /v1/messages. A key goes only to the address it was entered for.",
}


def draw_target(page: Page) -> None:
    """Draws the choice, and for a live target its address, key, model, limits and what a call would cost."""
    chosen = st.segmented_control(
        "Who answers", TARGETS, default=EMBEDDED, required=True, key="target", persist_state="session"
    )
    st.caption(SAYS[chosen])
    if chosen == EMBEDDED:
        return
    if chosen == OTHER:
        _address()
    st.text_input(
        "Key",
        key=_key_field(chosen),
        type="password",
        autocomplete="off",
        persist_state="session",
        placeholder=_key_wanted(chosen),
    )
    _model(page, chosen)
    _limits(page)


def chosen_target() -> Target:
    """Who answers, as it is set under Run. Raises ``UserError`` where an address or a key is missing."""
    state = st.session_state
    chosen = state.get("target", EMBEDDED)
    if chosen == CLAUDE:
        return claude_api(_own_key(state.get(_key_field(CLAUDE), "")))
    if chosen == OTHER:
        return custom(_url(), state.get(_key_field(OTHER)))
    return embedded()


def chosen_limits(target: Target) -> Limits:
    """When a run ends although the model would go on, as it is set under Run."""
    if target.kind == "embedded":
        return NO_LIMITS_BUT_CALLS
    state = st.session_state
    return replace(
        LIVE_LIMITS,
        usd=float(state.get("cap-usd", LIVE_LIMITS.usd)),
        calls=int(state.get("cap-calls", LIVE_LIMITS.calls)),
        output_tokens=int(state.get("cap-output", 0)) or None,
        seconds=float(state.get("cap-seconds", 0)) or None,
    )


def with_model(session: Session, target: Target) -> Session:
    """The session with the model that was entered; as it is for the embedded endpoint."""
    if target.kind == "embedded":
        return session
    named: dict[str, Json] = {"max_tokens": LIVE_MAX_TOKENS, **session.params}
    model = (st.session_state.get("model") or "").strip()
    if model:
        named["model"] = model
    return replace(session, params=named)


def _address() -> None:
    found = {one.label: one for one in presets()}
    label = st.selectbox("Server", [*found, OWN], key="preset", persist_state="session")
    preset = found.get(label)
    if preset is None:
        st.text_input(
            "Base URL", key="base-url", placeholder="http://localhost:11434", persist_state="session"
        )
        return
    st.caption(f"{preset.base_url} · {preset.note} As of {as_of()}: {preset.source}.")


def _preset() -> Preset | None:
    label = st.session_state.get("preset", presets()[0].label)
    return next((one for one in presets() if one.label == label), None)


def _url() -> str:
    preset = _preset()
    return preset.base_url if preset is not None else str(st.session_state.get("base-url", ""))


def _key_field(chosen: str) -> str:
    """One field for each address: what was typed for one is never there for another."""
    return f"key-{chosen}" if chosen == CLAUDE else f"key-{chosen}-{_url().strip()}"


def _key_wanted(chosen: str) -> str:
    if chosen == CLAUDE:
        return "or ANTHROPIC_API_KEY" if serves_this_machine() else ""
    preset = _preset()
    if preset is None:
        return "if the server wants one"
    return {"none": "not needed", "optional": "only if the server wants one", "needed": ""}[preset.key]


def _own_key(entered: str) -> str | None:
    """The key that was entered; only a page that serves this machine alone may use the environment's."""
    if not entered.strip() and not serves_this_machine():
        raise UserError("The Claude API needs a key.", do="Enter one under Run.")
    return entered


def _model(page: Page, chosen: str) -> None:
    where = CLAUDE if chosen == CLAUDE else _url()
    held: Connection | None = page.cache.get(f"connection {where}", (None, None))[1]
    listed = held.models if held is not None else ()
    names = list(listed or (known_models() if chosen == CLAUDE else ()))[:MODELS_SHOWN]
    with st.container(horizontal=True, vertical_alignment="bottom", key="run-model"):
        st.selectbox(
            "Model",
            names,
            index=None,
            key="model",
            accept_new_options=True,
            placeholder=_as_recorded(page.session.model),
            persist_state="session",
        )
        st.button("Test connection", key="test-connection", on_click=_test, args=(page, where))
    if held is not None:
        (st.success if held.ok else st.warning)(one_line(held.sentence))


def _as_recorded(model: str | None) -> str:
    return f"as the session says: {one_line(model)}" if model else "enter a name"


def _test(page: Page, where: str) -> None:
    try:
        found = try_connection(chosen_target())
    except UserError as fault:
        found = Connection(False, (), fault.sentence)
    page.cache[f"connection {where}"] = (None, found)


def _limits(page: Page) -> None:
    """The cap on cost in sight, the other limits one click away, and what the next call would cost."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="run-limits"):
        st.number_input(
            "Spend at most (USD)",
            min_value=0.01,
            value=LIVE_LIMITS.usd,
            step=0.25,
            key="cap-usd",
            persist_state="session",
            help="A run ends before a call that would go over it.",
        )
        with st.popover("More limits", key="more-limits"):
            st.number_input(
                "Calls", min_value=1, value=LIVE_LIMITS.calls, key="cap-calls", persist_state="session"
            )
            st.number_input(
                "Output tokens (0: none)", min_value=0, value=0, key="cap-output", persist_state="session"
            )
            st.number_input(
                "Seconds (0: none)", min_value=0, value=0, key="cap-seconds", persist_state="session"
            )
    if page.session.messages:
        try:
            session = with_model(page.session, chosen_target())
        except UserError:
            session = page.session
        said = page.once_a_version("estimate", lambda: estimate(session), session.model)
        st.caption(f"Next call: {one_line(said.sentence)}")
