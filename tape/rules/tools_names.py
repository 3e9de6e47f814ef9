"""Rules about the names of tools: written in the endpoint's letters, and each only once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from tape.model import Json
from tape.rules.base import Finding, Rule, Seen, Severity, at, quoting, short
from tape.rules.view import EVERYWHERE, View


class Naming(NamedTuple):
    """What an endpoint takes as a tool's name."""

    fits: re.Pattern[str]
    says: str


NAMES = {
    "anthropic": Naming(re.compile(r"[a-zA-Z0-9_-]{1,128}"), "letters, digits, _ and -, up to 128"),
    "openai-chat": Naming(re.compile(r"[a-zA-Z0-9_-]{1,64}"), "letters, digits, _ and -, up to 64"),
    "gemini": Naming(re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"), "letters, digits and _.:-, up to 128"),
}
NAMES["strict"] = NAMES["openai-responses"] = NAMES["mistral"] = NAMES["bedrock"] = NAMES["openai-chat"]


class BadToolName(Rule):
    """A tool's name with signs or of a length that the endpoint does not take, declared or in a call."""

    code = "bad-tool-name"
    title = "A tool's name is not allowed"
    why = "The name is what the model writes to call the tool; each endpoint has its own alphabet for it."
    repair = "Replace the signs that are not allowed, in the tool list and in every call."
    stage = 0
    on = at(refused=EVERYWHERE)
    seen = quoting(
        anthropic=Seen(
            "tools.{n}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
            "2026-08",
            "W",
            "several issues; the documentation says 64",
        ),
        strict=Seen(
            "tools.{n}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
            "2026-08",
            "O",
            "older logs of the Claude API",
        ),
        call=Seen(
            "messages.{i}.content.{j}.tool_use.name: String should have at most 200 characters",
            "2026-11",
            "W",
            "several issues",
        ),
        openai_chat=Seen(
            "Invalid 'tools[{n}].function.name': string does not match pattern. Expected a string that "
            "matches the pattern '^[a-zA-Z0-9_-]+$'.",
            "2026-11",
            "W",
            "many issues",
        ),
        mistral=Seen(
            "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a "
            "maximum length of 64.",
            "2026-11",
            "V",
            "mistral-common 1.13.1",
        ),
    )
    example = """{"tools": [{"name": "read file", "input_schema": {"type": "object"}}],
  "messages": [{"role": "user", "content": "hi"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        naming = NAMES[view.endpoint]
        for n, tool in enumerate(view.session.tools or ()):
            if _is_custom(tool.raw) and not naming.fits.fullmatch(tool.name):
                yield self._declared(view, n, tool.name, None)
            elif view.endpoint == "anthropic" and _is_custom(tool.raw) and len(tool.name) > 64:
                yield self._declared(view, n, tool.name, "risky")
        told: set[str] = set()
        for i, j, head in view.of_kind("tool_use"):
            name = head.name or ""
            if "server" in head.flags or name in told:
                continue
            fits = naming.fits.fullmatch(name) if view.endpoint != "anthropic" else len(name) <= 200
            if not fits:
                told.add(name)
                text = f"The call's name {short(name)[:80] or '(empty)'} is not one this endpoint takes."
                severity: Severity | None = "risky" if view.endpoint.startswith("openai") else None
                seen = {"anthropic": "call", "mistral": "mistral"}.get(view.endpoint, "none")
                yield self.find(view, (i, j), text, severity=severity, seen=seen, name=name)

    def _declared(self, view: View, n: int, name: str, severity: Severity | None) -> Finding:
        says = NAMES["openai-chat" if severity else view.endpoint].says
        return self.find(
            view,
            -1,
            f"The tool name {short(name)[:80] or '(empty)'} should be {says}.",
            uids=(),
            where=f"tools[{n}].name",
            severity=severity,
            seen="none" if severity else None,
            n=n,
            name=name,
        )


def _is_custom(raw: Json) -> bool:
    """Whether a declaration is the user's own; those of an API's built-in tools have fixed names."""
    return not isinstance(raw, dict) or raw.get("type") in (None, "custom", "function")


class DuplicateToolName(Rule):
    """Two tools of one name."""

    code = "duplicate-tool-name"
    title = "Two tools have the same name"
    why = "A call names its tool; with two of that name nobody could tell which is meant."
    repair = "Remove or rename one of them."
    stage = 0
    on = at(refused=EVERYWHERE)
    seen = quoting(
        anthropic=Seen(
            "tools: Tool names must be unique.",
            "2026-11",
            "W",
            "eclipse-theia/theia#16122; XSpoonAi/spoon-core#16",
        )
    )
    example = """{"tools": [{"name": "ls", "input_schema": {"type": "object"}},
    {"name": "ls", "input_schema": {"type": "object"}}],
  "messages": [{"role": "user", "content": "hi"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        tools = view.session.tools or ()
        for name, count in Counter(tool.name for tool in tools).items():
            if count > 1:
                n = [tool.name for tool in tools].index(name, [t.name for t in tools].index(name) + 1)
                text = f"{count} tools are named {short(name)}."
                yield self.find(view, -1, text, uids=(), where=f"tools[{n}].name")
