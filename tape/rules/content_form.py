"""Rules about the form of content: no blocks and no fields that the Messages API does not know."""

from __future__ import annotations

from collections.abc import Iterator

from tape.rules.base import Finding, Rule, Seen, at, quoting, short
from tape.rules.view import Spot, View

BLOCKS = frozenset(
    [
        "text",
        "image",
        "document",
        "search_result",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_result",
        "server_tool_use",
        "mcp_tool_use",
        "mcp_tool_listing",
        "container_upload",
        "compaction",
        "fallback",
        "tool_addition",
        "tool_removal",
    ]
)
EVERY_FIELD = frozenset({"cache_control"})
FIELDS = {
    "text": EVERY_FIELD | {"citations"},
    "thinking": EVERY_FIELD,
    "image": EVERY_FIELD | {"transformations"},
    "document": EVERY_FIELD | {"citations", "context"},
    "tool_use": EVERY_FIELD | {"caller", "toolset_name", "server_name"},
    "tool_result": EVERY_FIELD | {"caller", "toolset_name"},
}


class UnknownBlock(Rule):
    """A content block of a type that the Messages API does not have, or without what its type needs."""

    code = "unknown-block"
    title = "A content block is of an unknown type"
    why = "A block that the endpoint cannot read reaches no model."
    repair = "Make it text; or delete it."
    stage = 0
    on = at(refused="anthropic strict")
    seen = quoting(
        anthropic=Seen(
            "messages.{i}.content.{j}: Input tag '{type}' found using 'type' does not match any of the "
            "expected tags",
            "2026-04",
            "W",
            "dirac-run/dirac#57 (in tools); the list of tags that follows is left out here",
        )
    )
    example = """{"messages": [{"role": "user", "content": [{"type": "hologram", "payload": 1}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for i, j, head in view.of_kind("other"):
            name = head.name or "untyped"
            known = name in BLOCKS or name.endswith("_tool_result")
            if known and name in FIELDS:
                yield self.find(view, (i, j), f"The {name} block lacks what its type needs.", seen="none")
            elif not known:
                text = f"The Claude API knows no block of type {short(name)}."
                yield self.find(view, (i, j), text, severity=view.rank(i), type=name)


class UnknownField(Rule):
    """A field that the Messages API does not know, on a message or a block.

    Typical are the other fields of a response (``id``, ``usage``, ``stop_reason``) that was appended whole.
    On a message they are only a risk here: what Tapedeck sends has role and content alone.
    """

    code = "unknown-field"
    title = "A field is not known here"
    why = "The request is parsed strictly, so that a misspelled field is an error and not a silent loss."
    repair = "Remove the field."
    stage = 0
    on = at(refused="anthropic strict")
    seen = quoting(
        anthropic=Seen("{path}: Extra inputs are not permitted", "2026-08", "V", "quoted in very many issues")
    )
    example = (
        """{"messages": [{"role": "user", "content": [{"type": "text", "text": "hi", "lang": "en"}]}]}"""
    )

    def check(self, view: View) -> Iterator[Finding]:
        yield from self._on_blocks(view)
        yield from self._on_messages(view)

    def _on_blocks(self, view: View) -> Iterator[Finding]:
        """One finding a kind of block and field, at the first that has it."""
        having: dict[tuple[str, str], list[Spot]] = {}
        for spot, block in view.extras:
            head = spot.head
            if head.kind in FIELDS and not ("server" in head.flags and head.kind == "tool_result"):
                for name in sorted(block.extra.keys() - FIELDS[head.kind]):
                    having.setdefault((head.kind, name), []).append(spot)
        for (kind, name), spots in having.items():
            (i, j, head), count = spots[0], len(spots)
            said = f"{count} {kind} blocks have" if count > 1 else f"A {kind} block has"
            text = f"{said} the field {short(name)}, which is not known."
            written = "redacted_thinking" if "redacted" in head.flags else kind
            path = f"messages.{i}.content.{j}.{written}.{name}"
            uids = tuple(spot.head.uid for spot in spots)
            yield self.find(view, (i, j), text, uids=uids, path=path)

    def _on_messages(self, view: View) -> Iterator[Finding]:
        """One finding a field, at the first message that has it."""
        if view.session.format != "anthropic-messages":
            return
        having: dict[str, list[int]] = {}
        for i, entry in enumerate(view.messages):
            extra = entry.meta.get("extra")
            for name in extra if isinstance(extra, dict) else ():
                if entry.role != "system" or name not in ("clear_at", "output_config"):
                    having.setdefault(name, []).append(i)
        for name, places in having.items():
            count = f"{len(places)} messages have" if len(places) > 1 else "One message has"
            yield self.find(
                view,
                places[0],
                f"{count} the field {short(name)}, which is not known.",
                uids=tuple(view.messages[i].uid for i in places),
                severity=None if view.sending else "risky",
                path=f"messages.{places[0]}.{name}",
            )
