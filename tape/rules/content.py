"""Rules about what is said in a message: words, and nothing that stands for words and is none."""

from __future__ import annotations

from collections.abc import Iterator

from tape.model import Text
from tape.rules.base import Finding, Rule, Seen, Severity, at, place, quoting
from tape.rules.view import Spot, View

B6 = Seen(
    "The text field in the ContentBlock object at messages.{i}.content.{j} is blank. Add text to the text "
    "field, and try again.",
    "2026-11",
    "W",
    "quoted in several issues",
)


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
        anthropic=Seen("messages: text content blocks must be non-empty", "2026-11", "W", "many issues"),
        bedrock=B6,
    )
    example = """{"messages": [{"role": "user", "content": [{"type": "text", "text": ""},
  {"type": "text", "text": "hello"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for spot in view.flagged("empty"):
            if spot.head.kind == "text" and not _alone(view, spot):
                yield self.find(
                    view,
                    (spot.i, spot.j),
                    f"A text block is empty.{view.log_note(spot.i)}",
                    severity=view.rank(spot.i),
                )


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
            "system: text content blocks must contain non-whitespace text", "2026-11", "W", "several issues"
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
                text = f"A text block has only whitespace.{view.log_note(i)}"
                yield self.find(view, (i, j), text, severity=view.rank(i))


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
            "2026-11",
            "W",
            "many issues",
        ),
        openai_chat=Seen(
            "Invalid value for 'content': expected a string, got null.", "2026-11", "W", "many issues"
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
                rank = view.rank(i)
                yield self.find(view, i, f"{text}{view.log_note(i)}", uids=uids, severity=rank)


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
