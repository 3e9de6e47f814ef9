"""Rules about sizes: of the request, the prompt, the answer asked for, and settings that went away."""

from __future__ import annotations

from collections.abc import Iterator

from tape.context import context_now
from tape.pricing import window
from tape.rules.base import Finding, Rule, Seen, Severity, at, quoting
from tape.rules.view import View

MEGABYTES = 32
SAMPLING = ("temperature", "top_p", "top_k")
NOT_SURE = 1.25


class RequestTooLarge(Rule):
    """A request body over 32 MB. It is refused before the API itself reads it, perhaps without JSON."""

    code = "request-too-large"
    title = "The request is larger than 32 MB"
    why = "The whole array travels with every request."
    repair = "Send pictures and documents by the Files API, or take old ones out."
    stage = 5
    on = at(refused="anthropic")
    seen = quoting(
        anthropic=Seen(
            "Request exceeds the maximum size", "2026-08", "V", "platform.claude.com, errors: HTTP 413"
        )
    )
    example = """a request of more than 32 MB"""

    def check(self, view: View) -> Iterator[Finding]:
        sent = view.messages[view.sent_from :]
        chars = sum(head.chars for entry in sent for head in entry.heads)
        if chars > MEGABYTES * 1024 * 1024:
            text = f"The messages alone have {chars / 1024 / 1024:.0f} MB; a request may have {MEGABYTES}."
            yield self.find(view, -1, text, uids=(), where="messages")


class ContextOverflow(Rule):
    """A prompt that is longer than the model's context window.

    Newer models take a prompt whose answer would not fit any more and stop at the window; older ones refuse
    that too.
    """

    code = "context-overflow"
    title = "The prompt does not fit the model's window"
    why = "The model can attend to so many tokens and no more."
    repair = "Compact the history, or cut old results out of it."
    stage = 5
    on = at(refused="anthropic openai-chat openai-responses gemini bedrock mistral")
    seen = quoting(
        anthropic=Seen(
            "prompt is too long: {tokens} tokens > {window} maximum", "2026-11", "W", "very many issues"
        ),
        answer=Seen(
            "input length and `max_tokens` exceed context limit: {tokens} + {asked} > {window}, decrease "
            "input length or `max_tokens` and try again",
            "2026-08",
            "V",
            "platform.claude.com, context windows: models before 4.5",
        ),
        openai_chat=Seen(
            "This model's maximum context length is {window} tokens. However, your messages resulted in "
            "{tokens} tokens. Please reduce the length of the messages.",
            "2026-11",
            "W",
            "many issues",
        ),
        openai_responses=Seen(
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "2026-11",
            "W",
            "many issues",
        ),
        gemini=Seen(
            "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})",
            "2026-11",
            "W",
            "many issues",
        ),
        bedrock=Seen("Input is too long for requested model.", "2026-11", "W", "many issues"),
    )
    example = """a prompt of more tokens than the model's window"""

    def check(self, view: View) -> Iterator[Finding]:
        room = window(view.model_id)
        if room is None:
            return
        tokens, source = context_now(view.session)
        exact = source == "recorded"
        about = f"{'' if exact else 'about '}{tokens:,} tokens"
        if tokens > room:
            sure = exact or tokens > room * NOT_SURE
            text = f"The next prompt has {about}; the model's window has {room:,}."
            severity: Severity | None = None if sure else "risky"
            yield self.find(
                view, -1, text, uids=(), where="messages", severity=severity, tokens=tokens, window=room
            )
            return
        asked = view.session.params.get("max_tokens")
        refuses = view.endpoint == "anthropic" and view.model and view.model.overflow_accepted is False
        if refuses and isinstance(asked, int) and tokens + asked > room:
            text = (
                f"The next prompt has {about}; with an answer of {asked:,} it exceeds the window, {room:,}."
            )
            severity = None if exact else "risky"
            yield self.find(
                view,
                -1,
                text,
                uids=(),
                where="max_tokens",
                severity=severity,
                seen="answer",
                tokens=tokens,
                asked=asked,
                window=room,
            )


class MaxTokensOverCap(Rule):
    """A request for a longer answer than the model can give. Zero is legal: it only fills the cache."""

    code = "max-tokens-over-cap"
    title = "The request asks for more tokens than the model can answer with"
    why = "Every model has a cap on what one answer may hold."
    repair = "Lower it to the cap."
    stage = 5
    on = at(refused="anthropic")
    seen = quoting(
        anthropic=Seen(
            "max_tokens: {asked} > {cap}, which is the maximum allowed number of output tokens for {model}",
            "2026-11",
            "W",
            "many issues",
        )
    )
    example = """{"model": "claude-opus-4-5", "max_tokens": 70000,
  "messages": [{"role": "user", "content": "hi"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        asked, cap = view.session.params.get("max_tokens"), view.model.max_output if view.model else None
        if isinstance(asked, int) and cap is not None and asked > cap:
            text = f"The request asks for {asked:,} tokens; the model can answer with {cap:,}."
            yield self.find(
                view, -1, text, uids=(), where="max_tokens", asked=asked, cap=cap, model=view.model_id
            )


class SamplingParams(Rule):
    """Temperature and its like, which API version 2026-10-21 does not take, nor any model since 4.7.

    Older models still take them under the version before (header ``anthropic-version: 2023-06-01``).
    """

    code = "sampling-params"
    title = "The request sets how to sample"
    why = "Newer models sample as they were trained to; effort is what can be set."
    repair = "Remove the setting."
    stage = 0
    on = at(refused="anthropic")
    example = (
        """{"model": "claude-opus-5-5", "temperature": 0, "messages": [{"role": "user", "content": "hi"}]}"""
    )

    def check(self, view: View) -> Iterator[Finding]:
        taken = view.model.sampling if view.model else None
        for name in SAMPLING:
            if view.session.params.get(name) is None:
                continue
            if taken:
                text = f"{name} is taken under API version 2023-06-01 only, no more since 2026-10-21."
                yield self.find(view, -1, text, uids=(), where=name, severity="risky")
            else:
                text = f"{name} is not taken {'by this model' if view.model else 'since 2026-10-21'}."
                yield self.find(view, -1, text, uids=(), where=name)
