"""Amp: a thread as one document, its blocks in the Anthropic form but for results, which tell of a run.

Text blocks were seen in real threads; calls, results and usage are built from documents about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from tape.formats.anthropic_parts import block_part
from tape.formats.arrays import Path, at
from tape.formats.base import Guess, Sample
from tape.formats.gathering import Gathering
from tape.formats.log_format import DocumentFormat, again
from tape.formats.parts import Field, Part, below, counts, result_part, word
from tape.formats.parts_dump import Form
from tape.model import Block, Json, Message, Place, Role, Session, ToolResult, Usage
from tape.records import Source
from tape.wire import block_json

NAME: Final = "amp"
ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}


def load(source: Source, array: Place) -> Session:
    """The session of a thread. Never raises on data."""
    document = source.held(array.record)
    gathering = Gathering(source, NAME, array=array)
    for i, value in enumerate(at(document, array.path) or []):
        place = Place(array.record, (*array.path, i))
        if not isinstance(value, dict) or not isinstance(value.get("content"), list):
            gathering.aside(place, "no message", known=False)
            continue
        written = word(value, "role") or ""
        facts: dict[str, Any] = {} if written in ROLES else {"unknown_role": written}
        if written == "assistant":
            state, usage = value.get("state"), value.get("usage")
            facts |= {"model": word(usage, "model"), "stop_reason": word(state, "stopReason")}
            if word(state, "type") == "cancelled":
                facts["interrupted"] = True
        gathering.say(ROLES.get(written, "user"), place, message_parts, **facts)
        if written == "assistant":
            gathering.spend(usage_of(value.get("usage")))
    return gathering.session(id=word(document, "id"), title=word(document, "title"))


def message_parts(message: Json, place: Place) -> Sequence[Part]:
    """The content of a message."""
    return [_part(item, below(place, "content", i)) for i, item in enumerate(message["content"])]


def _part(item: Json, place: Place) -> Part:
    run = at(item, ("run",))
    if word(item, "type") != "tool_result" or not isinstance(run, dict):
        return block_part(item, place)
    status = word(run, "status")
    keys: list[str] = [key for key in ("result", "error", "reason") if run.get(key) is not None]
    path: Path = ("run", *(keys[:1] or ["result"]))
    if isinstance(at(item, (*path, "message")), str):
        path = (*path, "message")
    flags: tuple[Field, ...] = ()
    if status in ("done", "error"):
        flags = (Field((*place.path, "run", "status"), _status),)
    error = None if status is None else status != "done"
    return result_part(item, place, content=path, id=("toolUseID",), error=error, flags=flags)


def _status(block: ToolResult) -> Json:
    return "error" if block.is_error else "done"


def usage_of(value: Json) -> Usage | None:
    """Amp's counts (tokens), as the Messages API gives them: input leaves cached tokens out."""
    if not isinstance(value, dict):
        return None
    found = counts(value)
    return Usage(
        input=found.get("inputTokens"),
        cache_read=found.get("cacheReadInputTokens"),
        cache_write=found.get("cacheCreationInputTokens"),
        output=found.get("outputTokens"),
    )


def _element(block: Block) -> Json | None:
    if isinstance(block, ToolResult):
        run = {"status": _status(block), "error" if block.is_error else "result": block.text}
        return {"type": "tool_result", "toolUseID": block.tool_use_id, "run": run}
    made: Json = block_json(block)
    return made


def _make(entry: Message, like: Sequence[Json]) -> list[Json] | None:
    if entry.role == "system":
        return None
    ids = [at(value, ("messageId",)) for value in like]
    number = max((n for n in ids if isinstance(n, int)), default=-1) + 1
    return [{"role": entry.role, "messageId": number, "content": [_element(b) for b in entry.blocks]}]


def _find(value: Json) -> tuple[Path, str | None] | None:
    thread = (word(value, "id") or "").startswith("T-") and isinstance(at(value, ("messages",)), list)
    return (("messages",), word(value, "title")) if thread else None


FORM: Final = Form("An Amp thread", again(load), _make, _element)


class Amp(DocumentFormat):
    """The format; see ``tape.formats.base.Format``."""

    name = NAME
    label = "Amp thread"
    written_by = "Amp"
    evidence: Literal["files", "documentation"] = "documentation"
    form = FORM
    find = staticmethod(_find)
    load = staticmethod(load)

    def sniff(self, sample: Sample) -> Guess | None:
        """An id that begins with T- and messages."""
        if any(_find(record) for record in sample.records[:20]):
            return Guess(3, "an id that begins with T- beside messages")
        return None
