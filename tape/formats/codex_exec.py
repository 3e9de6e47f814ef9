"""Codex without its screen: the lines that ``codex exec --json`` prints.

A line tells of an item when it starts, when it changes and when it is complete; the last one counts. Call and
result are one item, and no item has an id that a model gave it. Built from the writer's documents and source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from tape.formats.arrays import documents
from tape.formats.base import Guess, Sample
from tape.formats.codex import usage_of
from tape.formats.gathering import Gathering, no_prompt
from tape.formats.log_format import FileFormat
from tape.formats.parts import (
    Field,
    Part,
    below,
    call_part,
    result_part,
    text_part,
    thinking_part,
    word,
    words,
)
from tape.formats.parts_dump import Form
from tape.model import Json, Place, Session
from tape.records import Source

NAME: Final = "codex-exec"
PREFIXES: Final = ("thread.", "turn.", "item.")
INPUTS: Final[Mapping[str, str]] = {
    "command_execution": "command",
    "file_change": "changes",
    "mcp_tool_call": "arguments",
    "web_search": "query",
}
RESULTS: Final[Mapping[str, str]] = {"command_execution": "aggregated_output", "mcp_tool_call": "result"}


def load(source: Source) -> Session:
    """The session of a run. Never raises on data."""
    gathering = Gathering(source, NAME)
    last: dict[str | None, int] = {}
    for i, value in documents(source):
        if isinstance(value, dict) and isinstance(value.get("item"), dict):
            last[word(value["item"], "id")] = i
    thread: str | None = None
    for i, value in gathering.lines():
        kind, item = word(value, "type") or "untyped", value.get("item")
        if isinstance(item, dict) and kind.startswith("item."):
            if last.get(word(item, "id")) != i or not _item(gathering, Place(i, ("item",)), item):
                gathering.aside(Place(i), kind, words(item.get("text") or item.get("message")))
            continue
        thread = thread or word(value, "thread_id")
        if kind == "turn.completed":
            gathering.spend(usage_of(value.get("usage")))
        error = value.get("error")
        text = words(error.get("message") if isinstance(error, dict) else value.get("message"))
        gathering.aside(Place(i), kind, text, known=kind.startswith(PREFIXES) or kind == "error")
    return no_prompt(gathering.session(id=thread))


def _item(g: Gathering, place: Place, item: dict[str, Any]) -> bool:
    """Takes an item in; false where it is no part of the conversation."""
    kind = word(item, "type")
    if kind in ("agent_message", "assistant_message", "reasoning") and isinstance(item.get("text"), str):
        g.say("assistant", place, said_parts, joins=True)
        return True
    if kind in INPUTS:
        g.say("assistant", place, call_parts, joins=True)
        if item.get("status") not in (None, "in_progress"):
            g.answer(place, answer_parts)
        return True
    return False


def said_parts(item: Json, place: Place) -> Sequence[Part]:
    """What the model said or thought."""
    make = thinking_part if item.get("type") == "reasoning" else text_part
    return [make(item["text"], below(place, "text"), raw=item)]


def call_parts(item: Json, place: Place) -> Sequence[Part]:
    """The call that an item is. The item's own id names no call of the model, but pairs both halves."""
    kind = word(item, "type") or ""
    name = ("tool",) if kind == "mcp_tool_call" else ("type",)
    key = INPUTS[kind]
    wrap = None if kind == "mcp_tool_call" else key
    return [call_part(item, place, name=name, input=(key,), id=("id",), wrap=wrap, gone=())]


def answer_parts(item: Json, place: Place) -> Sequence[Part]:
    """What the call of an item gave back."""
    kind = word(item, "type") or ""
    status, code = word(item, "status"), item.get("exit_code")
    error = status == "failed" or (isinstance(code, int) and code != 0)
    key = RESULTS.get(kind, "status")
    if isinstance(item.get("error"), dict) and item.get(key) is None:
        path: tuple[str | int, ...] = ("error", "message")
    else:
        path = (key,)
    flags = (Field((*place.path, "status"), lambda new: "failed" if new.is_error else "completed"),)
    own = () if key == "status" or "exit_code" in item or status is None else flags
    return [result_part(item, place, content=path, id=("id",), error=error, flags=own, gone=())]


FORM: Final = Form("A codex exec log", lambda source, _: load(source))


class CodexExec(FileFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Codex exec JSON"
    written_by = "codex exec --json"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """Lines whose types are ``thread.started``, ``turn.…`` and ``item.…``."""
        kinds = [word(record, "type") or "" for record in sample.records]
        if "thread.started" in kinds or any(k.startswith("item.") for k in kinds):
            found = [k for k in kinds if k.startswith(PREFIXES)]
            return Guess(3, "lines of types thread, turn and item") if len(found) * 2 >= len(kinds) else None
        return None
