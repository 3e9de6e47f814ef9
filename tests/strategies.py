"""Hypothesis strategies: message arrays as agents write them, whole and broken, in the Anthropic form.

``well_formed`` gives arrays that the Claude API accepts; ``broken`` the same after one to four faults of
``FAULTS``. ``arrays`` mixes both; ``sessions`` are the arrays as ``Session`` values. Everything is plain JSON
until ``session_of``, so that a test of a format can write it into that format's own shape.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from tape.model import Session
from tape.wire import session_of

Entry = dict[str, Any]
Array = list[Entry]
Draw = Callable[[st.SearchStrategy[Any]], Any]

WORDS = (
    "go on",
    "done",
    "the add function is correct",
    "Ω≈ç",
    "日本語のテスト",
    "line\nline",
    "<b>x</b>",
    "a\u2028b",
)
TOOLS = ("read_file", "list_files", "run_tests")
PIXEL = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
INPUTS: tuple[Entry, ...] = ({}, {"path": "a.py"}, {"q": "naïve", "n": [1, None, {"x": 1.5}]})

words = st.sampled_from(WORDS)


def text(value: str) -> Entry:
    """A text block."""
    return {"type": "text", "text": value}


def call(id: str, name: str = "read_file", input: Any = None) -> Entry:
    """A ``tool_use`` block."""
    return {"type": "tool_use", "id": id, "name": name, "input": {} if input is None else input}


def answer(id: str, content: Any = "ok", **more: Any) -> Entry:
    """A ``tool_result`` block."""
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def user(*content: Any) -> Entry:
    """A user message: one string is kept as a bare string, blocks are a list."""
    return {"role": "user", "content": content[0] if _bare(content) else list(content)}


def assistant(*content: Any) -> Entry:
    """An assistant message, as ``user``."""
    return {"role": "assistant", "content": content[0] if _bare(content) else list(content)}


def _bare(content: tuple[Any, ...]) -> bool:
    return len(content) == 1 and isinstance(content[0], str)


def session(*entries: Entry, **body: Any) -> Session:
    """The session of these messages, with other fields of a request body (system, tools, model …)."""
    return session_of({**body, "messages": list(entries)})


@st.composite
def _rounds(draw: Draw, ids: list[int], thinking: bool) -> Array:
    """One or more calls at once and the user message that answers them all, results first."""
    fresh = range(ids[0], ids[0] + draw(st.integers(1, 3)))
    ids[0] = fresh.stop
    names = [f"toolu_{n}" for n in fresh]
    said: Array = []
    if thinking:
        said.append({"type": "thinking", "thinking": draw(words), "signature": f"sig{fresh.start}"})
    if draw(st.booleans()):
        said.append(text(draw(words)))
    if draw(st.integers(0, 9)) == 0:
        said += [
            {
                "type": "server_tool_use",
                "id": f"srvtoolu_{fresh.start}",
                "name": "web_search",
                "input": {"query": "q"},
            },
            {"type": "web_search_tool_result", "tool_use_id": f"srvtoolu_{fresh.start}", "content": []},
        ]
    said += [call(id, draw(st.sampled_from(TOOLS)), draw(st.sampled_from(INPUTS))) for id in names]
    contents = st.one_of(
        words, st.just(""), st.none(), st.just([text("in a list")]), st.just([text("see"), PIXEL])
    )
    heard = [answer(id, draw(contents)) for id in draw(st.permutations(names))]
    if draw(st.integers(0, 4)) == 0:
        heard[0]["is_error"] = True
    if draw(st.integers(0, 4)) == 0:
        heard.append(text(draw(words)))
    return [assistant(*said), user(*heard)]


@st.composite
def well_formed(draw: Draw, max_exchanges: int = 3) -> Array:
    """An array that opens on a user message and answers every call at once; either role may end it."""
    ids = [1]
    array: Array = []
    thinking = draw(st.booleans())
    for _ in range(draw(st.integers(1, max_exchanges))):
        ask = draw(words)
        array.append(
            user(ask) if draw(st.booleans()) else user(text(ask), *([PIXEL] if draw(st.booleans()) else []))
        )
        for _ in range(draw(st.integers(0, 2))):
            array += draw(_rounds(ids, thinking))
        end = draw(words)
        array.append(assistant(end) if draw(st.booleans()) else assistant(text(end)))
    if draw(st.booleans()):
        array.append(user(draw(words)))
    return array


def _blocks(array: Array, kind: str) -> list[tuple[int, int]]:
    """Where the blocks of a type stand."""
    return [
        (i, j)
        for i, entry in enumerate(array)
        if isinstance(entry.get("content"), list)
        for j, block in enumerate(entry["content"])
        if block.get("type") == kind
    ]


def _spot(draw: Draw, array: Array, kind: str) -> tuple[int, int] | None:
    spots = _blocks(array, kind)
    return draw(st.sampled_from(spots)) if spots else None


def _take(array: Array, spot: tuple[int, int]) -> Entry:
    """Removes a block, and its message when nothing is left of it."""
    i, j = spot
    block: Entry = array[i]["content"].pop(j)
    if not array[i]["content"]:
        del array[i]
    return block


def missing_result(draw: Draw, array: Array) -> None:
    """A call whose result is gone."""
    if spot := _spot(draw, array, "tool_result"):
        _take(array, spot)


def orphan_result(draw: Draw, array: Array) -> None:
    """A result whose call is gone."""
    if spot := _spot(draw, array, "tool_use"):
        _take(array, spot)


def duplicate_result(draw: Draw, array: Array) -> None:
    """One call answered twice, in the same message or in a later one."""
    if spot := _spot(draw, array, "tool_result"):
        again = deepcopy(array[spot[0]]["content"][spot[1]]) | {"content": "again"}
        if draw(st.booleans()):
            array[spot[0]]["content"].append(again)
        else:
            array.insert(draw(st.integers(spot[0] + 1, len(array))), user(again))


def late_result(draw: Draw, array: Array) -> None:
    """A result that comes after something else was said."""
    if spot := _spot(draw, array, "tool_result"):
        block = _take(array, spot)
        array.insert(min(draw(st.integers(spot[0] + 1, spot[0] + 3)), len(array)), user(block))


def split_results(draw: Draw, array: Array) -> None:
    """The results of one round over two user messages."""
    full = [i for i, e in enumerate(array) if e["role"] == "user" and len(_blocks([e], "tool_result")) > 1]
    if full:
        i = draw(st.sampled_from(full))
        array.insert(i + 1, user(*array[i]["content"][1:]))
        del array[i]["content"][1:]


def interleaved(draw: Draw, array: Array) -> None:
    """A user text between a call and its results."""
    if spot := _spot(draw, array, "tool_use"):
        array.insert(spot[0] + 1, user(draw(words)))


def text_before_result(draw: Draw, array: Array) -> None:
    """Text in front of the results."""
    if spot := _spot(draw, array, "tool_result"):
        array[spot[0]]["content"].insert(0, text(draw(words)))


def reused_id(draw: Draw, array: Array) -> None:
    """Ids that start again at ``call_0`` in every response."""
    for i, entry in enumerate(array):
        for block in entry["content"] if isinstance(entry["content"], list) else []:
            if block.get("type") == "tool_use":
                number = sum(1 for b in entry["content"][: entry["content"].index(block)] if b.get("id"))
                for later in array[i + 1 : i + 2]:
                    for result in later["content"] if isinstance(later["content"], list) else []:
                        if result.get("tool_use_id") == block["id"]:
                            result["tool_use_id"] = f"call_{number}"
                block["id"] = f"call_{number}"


def same_id_in_message(draw: Draw, array: Array) -> None:
    """The same call twice in one message."""
    if spot := _spot(draw, array, "tool_use"):
        array[spot[0]]["content"].append(deepcopy(array[spot[0]]["content"][spot[1]]))


def bad_id(draw: Draw, array: Array) -> None:
    """An id with signs that the API refuses, at both ends."""
    if spot := _spot(draw, array, "tool_use"):
        old = array[spot[0]]["content"][spot[1]]["id"]
        for i, j in _blocks(array, "tool_use") + _blocks(array, "tool_result"):
            block = array[i]["content"][j]
            for key in ("id", "tool_use_id"):
                if block.get(key) == old:
                    block[key] = f"functions.{old}:0"


def odd_content(draw: Draw, array: Array) -> None:
    """Empty, blank or missing content."""
    entry = array[draw(st.integers(0, len(array) - 1))]
    match draw(st.integers(0, 5)):
        case 0:
            entry["content"] = ""
        case 1:
            entry["content"] = []
        case 2:
            entry["content"] = None
        case 3:
            entry["content"] = [text("")]
        case 4:
            entry["content"] = " \n"
        case _:
            entry["content"] = [text("said"), text("")]


def unknown_block(draw: Draw, array: Array) -> None:
    """A block of a type nobody knows."""
    array.insert(
        draw(st.integers(0, len(array))), user({"type": "hologram", "payload": {"x": 1}}, text("and?"))
    )


def bad_input(draw: Draw, array: Array) -> None:
    """A tool input that is no object."""
    if spot := _spot(draw, array, "tool_use"):
        array[spot[0]]["content"][spot[1]]["input"] = draw(
            st.sampled_from(["{", "", [1, 2], None, '{"q": 1}'])
        )


def wrong_role(draw: Draw, array: Array) -> None:
    """A call in a user message, or a result in an assistant message."""
    array[draw(st.integers(0, len(array) - 1))]["role"] = draw(st.sampled_from(["user", "assistant"]))


def unknown_role(draw: Draw, array: Array) -> None:
    """A role the API does not know."""
    array[draw(st.integers(0, len(array) - 1))]["role"] = draw(
        st.sampled_from(["tool", "developer", "robot"])
    )


def system_inside(draw: Draw, array: Array) -> None:
    """A system message somewhere in the array."""
    array.insert(draw(st.integers(0, len(array))), {"role": "system", "content": draw(words)})


def server_alone(draw: Draw, array: Array) -> None:
    """A server tool's result without its call."""
    lone = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_0", "content": []}
    array.insert(draw(st.integers(0, len(array))), assistant(lone, text("found")))


def marked(draw: Draw, array: Array) -> None:
    """A cache mark on every block of a message, of one lifetime or the other."""
    entry = array[draw(st.integers(0, len(array) - 1))]
    for block in entry["content"] if isinstance(entry["content"], list) else []:
        block["cache_control"] = {"type": "ephemeral", **draw(st.sampled_from([{}, {"ttl": "1h"}]))}


def foreign_parts(draw: Draw, array: Array) -> None:
    """A field, a citation, a document or thinking where none may be."""
    entry = array[draw(st.integers(0, len(array) - 1))]
    if isinstance(entry["content"], list):
        source = {"type": "text", "media_type": "text/plain", "data": "page one"}
        thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
        match draw(st.integers(0, 3)):
            case 0:
                entry["content"].append({**text("hi"), "lang": "en"})
            case 1:
                entry["content"].append({**text("cited"), "citations": [{"type": "char_location"}]})
            case 2:
                entry["content"].append({"type": "document", "source": source})
            case _:
                entry["content"].append(thinking)


def odd_tool_name(draw: Draw, array: Array) -> None:
    """A call of a tool whose name no endpoint takes."""
    if spot := _spot(draw, array, "tool_use"):
        array[spot[0]]["content"][spot[1]]["name"] = draw(
            st.sampled_from(["read file", "", "7zip", "x" * 201])
        )


def swallowed(draw: Draw, array: Array) -> None:
    """A message lost from the middle."""
    if len(array) > 1:
        del array[draw(st.integers(0, len(array) - 1))]


FAULTS = (
    missing_result,
    orphan_result,
    duplicate_result,
    late_result,
    split_results,
    interleaved,
    text_before_result,
    reused_id,
    same_id_in_message,
    bad_id,
    odd_content,
    unknown_block,
    bad_input,
    wrong_role,
    unknown_role,
    system_inside,
    server_alone,
    marked,
    foreign_parts,
    odd_tool_name,
    swallowed,
)


@st.composite
def broken(draw: Draw, faults: tuple[Callable[[Draw, Array], None], ...] = FAULTS) -> Array:
    """A well-formed array after one to four faults."""
    array = deepcopy(draw(well_formed()))
    for fault in draw(st.lists(st.sampled_from(faults), min_size=1, max_size=4)):
        fault(draw, array)
    return array


def arrays() -> st.SearchStrategy[Array]:
    """Whole and broken arrays alike, the empty one included."""
    return st.one_of(well_formed(), broken(), broken(), st.just([]))


TOOL = {"name": "read file", "description": "", "input_schema": {"type": "object"}}
SETTINGS = (
    {"temperature": 0.5, "top_k": 3},
    {"tool_choice": {"type": "any"}},
    {"max_tokens": 10_000_000},
    {"thinking": {"type": "enabled", "budget_tokens": 2000}},
    {"system": " ", "tools": [TOOL, TOOL]},
    {"tools": [TOOL, {**TOOL, "description": "another"}], "system": [text(" "), text("be kind")]},
)


@st.composite
def bodies(draw: Draw, array: st.SearchStrategy[Array] | None = None) -> Entry:
    """Request bodies: messages with or without a system prompt, tools and parameters."""
    body: Entry = {"messages": draw(array if array is not None else arrays())}
    system = draw(st.sampled_from([None, "You are terse.", [text("You are terse.")]]))
    if system is not None:
        body["system"] = system
    if draw(st.booleans()):
        body["tools"] = [{"name": n, "description": n, "input_schema": {"type": "object"}} for n in TOOLS]
    if draw(st.booleans()):
        body["model"] = "claude-opus-5-5"
    if draw(st.integers(0, 4)) == 0:
        body |= draw(st.sampled_from(SETTINGS))
    return body


def sessions(array: st.SearchStrategy[Array] | None = None) -> st.SearchStrategy[Session]:
    """Sessions of ``bodies``; uids are m0, m1 … and m0.0 …"""
    return bodies(array).map(session_of)
