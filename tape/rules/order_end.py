"""Rules about the end of the array: whether the assistant may have the last word of a request.

A finished transcript ends with the assistant and nothing is wrong with it. Only where the array is sent as it
stands, or is a request that waits for its answer, does its last role count.
"""

from __future__ import annotations

from collections.abc import Iterator

from tape.model import Text
from tape.rules.base import Finding, Rule, Seen, at, quoting
from tape.rules.view import View


def _ends_with_words(view: View) -> bool:
    """Whether the assistant has the last word: no call of its last turn waits for a result."""
    if not view.messages or view.messages[-1].role != "assistant":
        return False
    last = view.runs[-1].start
    waiting = (view.threads.positions[one.uid][0] for one in view.threads.unlinked if one.state == "pending")
    return all(i < last for i in waiting)


def _paused(view: View) -> bool:
    """Whether the last answer only paused, to be sent back as it is."""
    last = view.messages[-1].uid
    return any(call.message_uid == last and call.stop_reason == "pause_turn" for call in view.session.calls)


class PrefillUnsupported(Rule):
    """A request that ends with an assistant message, for a model that does not continue it.

    No Claude model since 4.6 does; Haiku, Opus and Sonnet 4.5 do while thinking is off. OpenAI's models take
    such an array and start a new answer. An answer that paused (``pause_turn``) is sent back as it is.
    """

    code = "prefill-unsupported"
    title = "The request ends with an assistant message"
    why = "The model is asked to answer, and the last word is its own already."
    repair = "Add a user message; or delete the assistant's last turn."
    stage = 4
    on = at(refused="anthropic mistral bedrock", risky="gemini", hint="openai-chat openai-responses")
    seen = quoting(
        anthropic=Seen(
            "This model does not support assistant message prefill. The conversation must end with a user "
            "message.",
            "2026-08",
            "V",
            "platform.claude.com, errors; jobrunr/JavaClaw#36",
        ),
        bedrock=Seen(
            "This model does not support assistant message prefill. The conversation must end with a user "
            "message.",
            "2026-11",
            "W",
            "Claude models on Bedrock",
        ),
        mistral=Seen(
            "Expected last role User or Tool (or Assistant with prefix) for serving but got assistant",
            "2026-11",
            "V",
            "mistral-common 1.13.1",
        ),
        gemini=Seen(
            "Please ensure that multiturn requests ends with a user role or a function response.",
            "2026-11",
            "O",
            "Gemini 1.0 and 1.5; whether Gemini 3 still checks is not known",
        ),
    )
    example = """{"model": "claude-opus-4-7", "max_tokens": 100, "messages": [
  {"role": "user", "content": "the answer in JSON"}, {"role": "assistant", "content": "{"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        if not _ends_with_words(view) or _paused(view):
            return
        last, taken = len(view.messages) - 1, self._taken(view)
        unsure = taken is None and self.on[view.endpoint] == "refused"
        if self.on[view.endpoint] == "hint":
            if view.sending:
                text = "The array ends with an assistant message: the model starts anew, it does not go on."
                yield self.find(view, last, text)
        elif not view.is_request or (unsure and not view.sending):
            if self.on[view.endpoint] == "refused" and taken is not True:
                text = "The array ends with the assistant: before it is sent again, a user message is needed."
                yield self.find(view, last, text, severity="hint")
        elif unsure:
            text = "The array ends with an assistant message; whether it is continued depends on the model."
            yield self.find(view, last, text, severity="risky")
        elif not taken:
            yield self.find(view, last, "The array ends with an assistant message.")

    def _taken(self, view: View) -> bool | None:
        """Whether the model continues an assistant message; ``None`` where that is not known."""
        if view.endpoint == "mistral":
            extra = view.messages[-1].meta.get("extra")
            return isinstance(extra, dict) and extra.get("prefix") is True
        if view.endpoint not in ("anthropic", "bedrock"):
            return False
        taken = view.model.prefill if view.model else None
        thinking = view.session.params.get("thinking")
        if taken and isinstance(thinking, dict) and thinking.get("type") not in (None, "disabled"):
            return False
        return taken


class PrefillTrailingSpace(Rule):
    """The beginning of an answer, put in the assistant's mouth, that ends in a blank."""

    code = "prefill-trailing-space"
    title = "The prefilled answer ends in whitespace"
    why = "Words begin with their blank: a text that ends in one leaves the model half a token to go on from."
    repair = "Remove the whitespace at the end."
    stage = 1
    on = at(refused="anthropic bedrock strict")
    seen = quoting(
        anthropic=Seen(
            "messages: final assistant content cannot end with trailing whitespace",
            "2026-11",
            "W",
            "seen up to Sonnet 4.5, also on Bedrock",
        )
    )
    example = """{"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": [
  {"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello "}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        if not view.is_request or not _ends_with_words(view) or _paused(view):
            return
        blocks = view.messages[-1].blocks
        last = blocks[-1] if blocks else None
        if isinstance(last, Text) and last.text != last.text.rstrip():
            where = (len(view.messages) - 1, len(blocks) - 1)
            yield self.find(view, where, "The last assistant text ends in whitespace.")
