"""SQLite databases that hold sessions: named by their tables, with how to get a transcript out of them.

A database is not read here; what a user needs is the one command that exports the session.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from tape.errors import UserError

MAGIC: Final = b"SQLite format 3\x00"
LARGEST: Final = 500_000_000


@dataclass(frozen=True, slots=True)
class Owner:
    """Who writes databases with all of these tables, and how a session is exported from one."""

    tables: frozenset[str]
    name: str
    export: str


OWNERS: Final = (
    Owner(
        frozenset(("cursorDiskKV",)),
        "Cursor",
        "Open a file of ~/.cursor/projects/…/agent-transcripts instead, or export the chat in Cursor.",
    ),
    Owner(
        frozenset(("ItemTable",)),
        "VS Code or Cursor",
        "In VS Code run “Chat: Export Chat…” and open the JSON file that it writes.",
    ),
    Owner(
        frozenset(("agent_sessions", "agent_messages")),
        "the OpenAI Agents SDK",
        "Run sqlite3 FILE \"select message_data from agent_messages where session_id='ID' order by id\" "
        "> items.jsonl and open items.jsonl.",
    ),
    Owner(
        frozenset(("session", "message", "part")),
        "opencode",
        "Run opencode export SESSION > session.json and open session.json.",
    ),
    Owner(
        frozenset(("session_message",)),
        "opencode",
        "Run opencode export SESSION > session.json and open session.json.",
    ),
    Owner(
        frozenset(("checkpoints", "writes")),
        "LangGraph",
        "In Python write json.dumps(messages_to_dict(graph.get_state(config).values['messages'])) to a file.",
    ),
    Owner(
        frozenset(("sessions", "messages")),
        "Goose",
        "Run goose session export --format json --output session.json and open session.json.",
    ),
)
UNKNOWN: Final = "Export the session from the program that wrote it, as JSON or JSONL, and open that."


def refuse(data: bytes, name: str) -> UserError:
    """The error for a database: whose it is, as far as its tables tell, and how to export from it."""
    tables = _tables(data)
    owner = next((one for one in OWNERS if one.tables <= tables), None)
    if owner is None:
        named = ", ".join(sorted(tables)[:8])
        what = f"This is a SQLite database (tables {named})." if named else "This is a SQLite database."
        return UserError(what, where=name, do=UNKNOWN)
    return UserError(f"This is a SQLite database of {owner.name}.", where=name, do=owner.export)


def _tables(data: bytes) -> set[str]:
    if len(data) > LARGEST:
        return set()
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(data)
            rows = database.execute("select name from sqlite_master where type = 'table' limit 1000")
            return {str(row[0]) for row in rows}
    except sqlite3.Error:
        return set()
