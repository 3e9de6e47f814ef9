"""VS Code's log of changes to a chat: replayed it gives the chat, and what is changed is added at its end.

A line is a snapshot (kind 0), a value set (1), elements pushed (2, from ``i`` on) or a value deleted (3).
"""

from __future__ import annotations

from typing import Any

from tape.formats.arrays import Path, at, documents
from tape.json_style import Escapes, Layout, dumps
from tape.json_text import same
from tape.model import Json, json_text
from tape.notes import Note
from tape.records import Outer, Source, loads

LINE = Layout(comma=",", colon=":")


def is_change(record: Json) -> bool:
    """Whether a record is a line of such a log."""
    if not isinstance(record, dict) or record.get("kind") not in (0, 1, 2, 3):
        return False
    return "v" in record if record["kind"] == 0 else isinstance(record.get("k"), list)


class ChangeLog:
    """The log as the file that the document it gives is packed in; see ``tape.records.Outer``."""

    def __init__(self, source: Source) -> None:
        self.source, self.data = source, source.data
        self.outer: Outer | None = source.outer
        self.member = source.member
        self.notes: list[Note] = []
        self.document: Json = None
        for record, value in documents(source):
            if not is_change(value) or not self._apply(value):
                text = "This line changes nothing that is there; it is kept and not shown."
                self.notes.append(Note(source.where(record), "change-left-out", text))

    def chat(self) -> Source:
        """The chat as it was at the end of the log."""
        return Source(json_text(self.document).encode(), self.source.name, outer=self)

    def replaced(self, member: str, data: bytes) -> bytes:
        """The log with lines at its end that set what differs in ``data``, the changed chat."""
        body = bytes(self.source.body)
        if not body.endswith(b"\n"):
            body += b"\n"
        for path, value in self._differences(loads(data.decode())):
            line = dumps({"kind": 1, "k": list(path), "v": value}, LINE, Escapes())
            body += line.encode("utf-8", "replace") + b"\n"
        return self.source.restore(body)

    def _differences(self, new: dict[str, Json]) -> list[tuple[Path, Json]]:
        old, found = self.document, list[tuple[Path, Json]]()
        for key, value in new.items():
            before = old.get(key)
            if isinstance(value, list) and isinstance(before, list) and len(value) == len(before):
                pairs = enumerate(zip(before, value, strict=True))
                found += [((key, i), now) for i, (was, now) in pairs if not same(was, now)]
            elif not same(before, value):
                found.append(((key,), value))
        return found

    def _apply(self, change: dict[str, Any]) -> bool:
        """Does a change; false where its place is not there."""
        if change["kind"] == 0:
            self.document = change["v"]
            return True
        path = tuple(change["k"])
        if change["kind"] == 2:
            found, values, start = at(self.document, path), change.get("v"), change.get("i")
            if not isinstance(found, list):
                return False
            if isinstance(start, int) and start >= 0:
                del found[start:]
            found += values if isinstance(values, list) else []
            return True
        if not path:
            return False
        above, last = at(self.document, path[:-1]), path[-1]
        if change["kind"] == 1:
            return _set(above, last, change.get("v"))
        if isinstance(above, dict) and isinstance(last, str):
            return above.pop(last, None) is not None
        if isinstance(above, list) and isinstance(last, int) and 0 <= last < len(above):
            del above[last]
            return True
        return False


def _set(above: Json, last: Json, value: Json) -> bool:
    if isinstance(above, dict) and isinstance(last, str):
        above[last] = value
        return True
    if isinstance(above, list) and isinstance(last, int) and 0 <= last <= len(above):
        above[last : last + 1] = [value]
        return True
    return False
