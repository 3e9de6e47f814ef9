"""Writes docs/operations.md from the operations themselves: ``python -m docs.operations``.

Each example is carried out on one small session, so that what the page says is what happens. A test fails
while the page and the operations disagree.
"""

from __future__ import annotations

import inspect
import json
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

from docs.tables import table
from tape.edits import Operation, apply, from_json, sentence
from tape.model import Head, Lane, Message, Session
from tape.repairs import WAYS
from tape.wire import session_of

PAGE = Path(__file__).resolve().parent / "operations.md"
BODY: dict[str, Any] = {
    "system": "Be terse.",
    "messages": [
        {"role": "user", "content": "Is add in calc.py correct?"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {"path": "calc.py"}},
                {"type": "tool_use", "id": "toolu_2", "name": "task", "input": {"prompt": "check the tests"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "def add(a, b): return a - b"},
            ],
        },
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": "No, it subtracts."},
        {"role": "user", "content": "Thanks."},
    ],
}
EXAMPLES: tuple[dict[str, Any], ...] = (
    {"op": "append", "messages": [{"role": "user", "content": "Mend it."}]},
    {"op": "insert", "at": "m4", "message": {"role": "user", "content": "Look again."}},
    {"op": "insert", "into": "m2", "index": 1, "block": {"type": "text", "text": "Hurry."}},
    {"op": "delete", "targets": ["messages[1].content[0]"]},
    {"op": "delete", "targets": [2], "partners": False},
    {"op": "replace", "target": "m0", "value": "Is sub in calc.py correct?"},
    {"op": "replace", "target": 4, "value": {"role": "user"}},
    {"op": "move", "target": "m5", "to": 0},
    {"op": "merge", "targets": [2, 3]},
    {"op": "set_system", "system": None},
    {"op": "set_tools", "tools": [{"name": "read_file", "input_schema": {"type": "object"}}]},
    {"op": "prepend_memory", "text": "We indent with tabs.", "as": "user"},
    {"op": "compact", "keep_last": 1, "summary": "The add function subtracts; the user knows."},
    {"op": "fit", "budget": 30, "strategy": "drop_oldest"},
    {"op": "fit", "strategy": "window", "keep": 1},
    {"op": "fit", "budget": 75, "strategy": "summarize"},
    {"op": "fork", "at": "m0", "name": "polite"},
    {"op": "switch", "branch": "polite", "leave_as": "main"},
    {"op": "spawn", "task": "List the files that import calc."},
    {"op": "fold_subagent", "call": "m1.1"},
    {"op": "fold_subagent", "call": "m1.1", "answer": "Two of nine tests fail."},
    {"op": "few_shot", "examples": [{"input": "Is 2 even?", "answer": "Yes."}]},
    {"op": "repair", "code": "unanswered-tool-use", "target": "m1.1"},
)
HEAD = """# Operations

Everything that changes a session is one of these, as data: a person's hand on a card, a repair, compaction.
This file is written by `python -m docs.operations`.

```
python -m tape edit FILE --op '{"op": "delete", "targets": [3]}' -o OUT
```

An operation is carried out whole or refused with a sentence, and a session is never changed in place. A
*target* is the uid of a message or block (`m3`, `m3.1`), its position (`messages[3]`,
`messages[3].content[1]`) or, for a message, its number. What is read from a file is named `m0`, `m1` …;
what an edit inserts `n0`, `n1` …

Messages and blocks are JSON in the Anthropic form, whatever format the file has. The examples are carried out
on this session, in which `task` started a sub-agent:

```
"""


REPAIRS = (
    "",
    "## Repairs",
    "",
    "`repair` mends what the rule `code` found, in one of these ways (the first, where `way` is left out).",
    "`target` or `targets` are what the finding is about. A way that loses nothing is safe.",
    "",
)


def start() -> Session:
    """The session that the examples are carried out on."""
    child = session_of({"messages": [{"role": "assistant", "content": "All tests fail."}]})
    session = session_of(BODY)
    lanes = (Lane(child, spawned_by="m1.1", agent="tester"),)
    forked = {"op": "fork", "at": "m0", "name": "polite"}
    branches = apply(session, from_json(forked)).branches
    return Session(session.messages, system=session.system, lanes=lanes, branches=branches)


def page() -> str:
    """The whole page as Markdown."""
    lines = [f"{HEAD}{drawn(replace(start(), branches=()))}", "```"]
    told: set[str] = set()
    for value in EXAMPLES:
        operation = from_json(value)
        for heading in (f"## {value['op']}", _about(operation)):
            if heading not in told:
                told.add(heading)
                lines += ["", heading]
        lines += _example(value, operation)
    lines += REPAIRS
    rows = [
        [f"`{code}`", f"`{way.name}`", way.label, way.loses or "nothing"]
        for code, ways in sorted(WAYS.items())
        for way in ways
    ]
    return "\n".join([*lines, table(["code", "way", "what it does", "what is lost"], rows)]) + "\n"


def _about(operation: Operation) -> str:
    """What the operation's own docstring says, in lines of the page's width."""
    return textwrap.fill(" ".join((inspect.getdoc(type(operation)) or "").split()).replace("``", "`"), 108)


def _example(value: dict[str, Any], operation: Operation) -> list[str]:
    session = start() if value["op"] == "switch" else replace(start(), branches=())
    changed = apply(session, operation)
    spawned = changed.lanes[len(session.lanes) :]
    after = "\n\n".join([drawn(changed), *(f"the sub-agent\n{drawn(lane.session)}" for lane in spawned)])
    said = f"*{sentence(session, operation)}.*"
    return ["", "```json", json.dumps(value, ensure_ascii=False), "```", "", said, "", "```", after, "```"]


def drawn(session: Session) -> str:
    """A session as a few lines: the system prompt, one message a line with its uid, the branches."""
    lines = [f"   system     {session.system}"] if session.system else []
    lines += [f"   tools      {', '.join(tool.name for tool in session.tools)}"] if session.tools else []
    lines += [f"{entry.uid:<3}{entry.role:<11}{_said(entry)}" for entry in session.messages]
    names = [f"{branch.name} ({len(branch.messages)} messages)" for branch in session.branches]
    return "\n".join([*lines, *([f"   branches   {', '.join(names)}"] if names else [])])


def _said(entry: Message) -> str:
    if all(head.kind == "text" for head in entry.heads):
        return entry.text.replace("\n", " / ")
    return " ".join(_block(head, entry) for head in entry.heads)


def _block(head: Head, entry: Message) -> str:
    match head.kind:
        case "tool_use":
            return f"[call {head.name} {head.id}]"
        case "tool_result":
            return f"[result {head.id}{' error' if 'error' in head.flags else ''}]"
    return f"[{head.kind}]"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
