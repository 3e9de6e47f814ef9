"""Rules about what a message may hold: no empty words, no unknown blocks or fields."""

from __future__ import annotations

from collections.abc import Iterator

from tape.model import Text
from tape.rules.base import Finding, Rule, Seen, Severity, at, place, quoting, short
from tape.rules.view import Spot, View

B6 = Seen(
    "The text field in the ContentBlock object at messages.{i}.content.{j} is blank. Add text to the text "
    "field, and try again.",
    "2026-08",
    "W",
    "quoted in several issues",
)
MIGRATION = "platform.claude.com, versioning and migration to 2026-10-21"
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


def _alone(view: View, spot: Spot) -> bool:
    """Whether a text is all that its message has: then the message is what is empty."""
    return len(view.messages[spot.i].heads) == 1


class EmptyText(Rule):
    """A text block without a character, beside other blocks."""

    code = "empty-text"
    title = "A text block is empty"
    why = "A block of no words says nothing and breaks the frame that words stand in."
    repair = "Delete the block."
    stage = 1
    on = at(refused="anthropic strict bedrock")
    seen = quoting(
        anthropic=Seen("messages: text content blocks must be non-empty", "2026-08", "W", "many issues"),
        bedrock=B6,
    )
    example = """{"messages": [{"role": "user", "content": [{"type": "text", "text": ""},
  {"type": "text", "text": "hello"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for spot in view.flagged("empty"):
            if spot.head.kind == "text" and not _alone(view, spot):
                yield self.find(view, (spot.i, spot.j), "A text block is empty.")


class BlankText(Rule):
    """A text block of blanks and line ends only."""

    code = "blank-text"
    title = "A text block is only whitespace"
    why = "Blanks are no words: the model would have nothing to read there."
    repair = "Delete the block; or the message when nothing else is in it."
    stage = 1
    on = at(refused="anthropic strict bedrock")
    seen = quoting(
        anthropic=Seen(
            "messages: text content blocks must contain non-whitespace text", "2026-09", "W", "several issues"
        ),
        bedrock=B6,
        system=Seen(
            "system: text content blocks must contain non-whitespace text", "2026-08", "W", "several issues"
        ),
    )
    example = """{"messages": [{"role": "user", "content": " \\n"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        system = view.session.system
        texts = [system] if isinstance(system, str) else system if isinstance(system, list) else []
        for part in texts:
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str) and not text.strip():
                yield self.find(
                    view,
                    -1,
                    "The system prompt has a text without a word.",
                    uids=(),
                    where="system",
                    seen="system" if view.endpoint != "bedrock" else "none",
                )
        for i, j, head in view.flagged("blank"):
            if head.kind == "text":
                yield self.find(view, (i, j), "A text block has only whitespace.")


class EmptyMessage(Rule):
    """A message without content. The Claude API lets only a last assistant message be empty."""

    code = "empty-message"
    title = "A message is empty"
    why = "A turn in which nobody said anything cannot be answered."
    repair = "Delete the message, and look at the order of roles again."
    stage = 1
    on = at(refused="anthropic strict bedrock openai-chat", risky="mistral")
    seen = quoting(
        anthropic=Seen(
            "messages.{i}: all messages must have non-empty content except for the optional final assistant "
            "message",
            "2026-08",
            "W",
            "many issues",
        ),
        openai_chat=Seen(
            "Invalid value for 'content': expected a string, got null.", "2026-10", "W", "many issues"
        ),
        mistral=Seen(
            "Assistant message must have either content or tool_calls, but not both.",
            "2026-11",
            "V",
            "mistral-common 1.13.1, tokenizer version 3",
        ),
        bedrock=Seen(B6.text.replace("{j}", "0"), B6.last_seen, B6.mark, B6.source),
    )
    example = """{"messages": [{"role": "user", "content": ""}, {"role": "assistant", "content": "hello"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        last = len(view.messages) - 1
        for i, entry in enumerate(view.messages):
            heads = entry.heads
            bare = not heads or (len(heads) == 1 and heads[0].kind == "text" and "empty" in heads[0].flags)
            if not bare or (entry.role == "system" and not heads):
                continue
            text = f"The message {place(i)} has no content."
            uids = (entry.uid, *(head.uid for head in heads))
            if view.endpoint == "openai-chat":
                null = not heads and entry.meta.get("content_form") == "null"
                severity: Severity | None = None if null else "hint"
                yield self.find(view, i, text, uids=uids, severity=severity, seen=None if null else "none")
            elif view.endpoint == "mistral":
                if entry.role == "assistant":
                    yield self.find(view, i, f"{text} Older Mistral models refuse it.", uids=uids)
            elif i != last or entry.role != "assistant" or view.endpoint == "bedrock":
                yield self.find(view, i, text, uids=uids)


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
        as_written = view.sending or view.session.format == "anthropic-messages"
        for i, j, head in view.of_kind("other"):
            name = head.name or "untyped"
            known = name in BLOCKS or name.endswith("_tool_result")
            if known and name in FIELDS:
                yield self.find(view, (i, j), f"The {name} block lacks what its type needs.", seen="none")
            elif not known:
                made = as_written or view.messages[i].provenance.origin != "recorded"
                text = f"The Claude API knows no block of type {short(name)}."
                severity: Severity | None = None if made else "risky"
                yield self.find(view, (i, j), text, severity=severity, type=name)


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
        for (i, j, head), block in view.extras:
            for name in sorted(block.extra.keys() - FIELDS.get(head.kind, EVERY_FIELD)):
                if head.kind in FIELDS and not ("server" in head.flags and head.kind == "tool_result"):
                    kind = block.raw.get("type") if isinstance(block.raw, dict) else head.kind
                    path = f"messages.{i}.content.{j}.{kind}.{name}"
                    yield self.find(view, (i, j), f"The field {short(name)} is not known.", path=path)
        yield from self._on_messages(view)

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


class DocumentInAssistant(Rule):
    """A document that stands directly in an assistant message; inside another block it may."""

    code = "document-in-assistant"
    title = "A document stands in an assistant message"
    why = "Documents are given to the model; it does not write them."
    repair = "Move it to a user message."
    stage = 1
    on = at(refused="anthropic")
    example = """{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": [
  {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for i, j, _ in view.of_kind("document"):
            if view.messages[i].role == "assistant":
                text = "Since API version 2026-10-21 an assistant message may not hold a document."
                yield self.find(view, (i, j), text)


class CitationsInUser(Rule):
    """A text of the user that brings citations, as an answer copied into a user message does."""

    code = "citations-in-user"
    title = "A user's text has citations"
    why = "Citations are the model's own pointers into documents; the user's words have none."
    repair = "Remove the citations; the text stays."
    stage = 1
    on = at(refused="anthropic")
    example = """{"messages": [{"role": "user", "content": [{"type": "text", "text": "so you said",
  "citations": [{"type": "char_location", "cited_text": "a", "document_index": 0, "document_title": null,
    "start_char_index": 0, "end_char_index": 1}]}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for (i, j, _), block in view.extras:
            cited = isinstance(block, Text) and bool(block.extra.get("citations"))
            if cited and view.messages[i].role == "user":
                text = "Since API version 2026-10-21 a user's text may not have citations."
                yield self.find(view, (i, j), text)
