"""Rules about system messages inside the array: whether they may stand there, and where."""

from __future__ import annotations

from collections.abc import Iterator

from tape.rules.base import Finding, Rule, Seen, at, place, quoting
from tape.rules.view import Run, View

OLD = Seen(
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not '
    '"system" as an input message role.',
    "2026-11",
    "O",
    "every Claude model until the middle of 2026",
)
M2 = Seen("Unexpected role 'system' after role '{before}'", "2026-11", "V", "mistral-common 1.13.1")


def _sections(view: View) -> Iterator[Run]:
    """The runs of system messages; those that only carry directives may stand anywhere and are left out."""
    for run in view.runs:
        if run.role == "system" and not all(_directive(view, i) for i in range(run.start, run.end)):
            yield run


def _directive(view: View, i: int) -> bool:
    entry = view.messages[i]
    extra = entry.meta.get("extra")
    return not entry.heads and isinstance(extra, dict) and "output_config" in extra


class SystemFirstInMessages(Rule):
    """A system message as the first entry of the array, where other APIs have it."""

    code = "system-first-in-messages"
    title = "The array starts with a system message"
    why = "The system prompt is a field of the request, above the conversation and not part of it."
    repair = "Move its text to the top-level system prompt."
    stage = 2
    on = at(refused="anthropic strict")
    seen = quoting(
        anthropic=Seen(
            "messages.0: use the top-level 'system' parameter for the initial system prompt",
            "2026-11",
            "W",
            "six independent repositories",
        ),
        strict=OLD,
    )
    example = (
        """{"messages": [{"role": "system", "content": "be terse"}, {"role": "user", "content": "hi"}]}"""
    )

    def check(self, view: View) -> Iterator[Finding]:
        for run in _sections(view):
            if run.start == 0:
                uids = tuple(view.messages[i].uid for i in range(run.end))
                yield self.find(view, 0, "The system prompt stands inside the array.", uids=uids)


class UnsupportedSystemRole(Rule):
    """A system message in the middle of the array, for a model or endpoint without that feature."""

    code = "unsupported-system-role"
    title = "A system message stands in the middle"
    why = "Only newer models were trained to be instructed again in the middle of a conversation."
    repair = "Make it text of the user turn before it; or move it to the top-level system prompt."
    stage = 2
    on = at(refused="anthropic gemini strict", risky="bedrock")
    seen = quoting(
        anthropic=Seen(
            "role 'system' is not supported on this model", "2026-11", "W", "eight independent repositories"
        ),
        strict=OLD,
    )
    example = """{"model": "claude-opus-4-7", "messages": [{"role": "user", "content": "hi"},
  {"role": "system", "content": "be terse"}, {"role": "assistant", "content": "hello"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for run in _sections(view):
            if run.start == 0:
                continue
            uids = tuple(view.messages[i].uid for i in range(run.start, run.end))
            text = f"A system message stands inside the array, in {place(run.start)}."
            allowed = view.model.mid_system if view.model else None
            if view.endpoint != "anthropic":
                yield self.find(view, run.start, text, uids=uids)
            elif allowed is False:
                yield self.find(view, run.start, f"{text} This model does not take one there.", uids=uids)
            elif allowed is None:
                text = f"{text} Whether it is taken depends on the model."
                yield self.find(view, run.start, text, uids=uids, severity="risky")


class MisplacedSystem(Rule):
    """A system message where none may stand, even for models that take them inside the array.

    It must follow a user turn, or an assistant turn that ends in a server tool's result, and must end the
    array or be followed by the assistant.
    """

    code = "misplaced-system"
    title = "A system message stands in the wrong place"
    why = "It instructs the next answer, so it stands between what is answered and the answer."
    repair = "Move it behind the next user turn."
    stage = 2
    on = at(refused="anthropic mistral")
    seen = quoting(
        anthropic=Seen(
            "role 'system' must follow a 'user' message or an assistant message ending in a server tool "
            "result",
            "2026-08",
            "V",
            "platform.claude.com, system messages in the middle of a conversation",
        ),
        before=Seen(
            "messages.{i}: role 'system' must precede an 'assistant' message or end the array",
            "2026-08",
            "V",
            "platform.claude.com, system messages in the middle of a conversation",
        ),
        mistral=M2,
    )
    example = """{"model": "claude-opus-5-5", "messages": [{"role": "user", "content": "hi"},
  {"role": "system", "content": "be terse"}, {"role": "user", "content": "there?"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for n, run in enumerate(view.runs):
            if run.role != "system" or run.start == 0 or all(_directive(view, i) for i in range(*run[1:])):
                continue
            uids = tuple(view.messages[i].uid for i in range(run.start, run.end))
            before = view.messages[run.start - 1]
            if view.endpoint == "mistral":
                role = "tool" if before.heads and before.heads[-1].kind == "tool_result" else before.role
                if role != "user":
                    text = f"A system message may not follow the role {role}."
                    yield self.find(view, run.start, text, uids=uids, before=role)
                continue
            last = before.heads[-1] if before.heads else None
            resumed = last is not None and last.kind == "tool_result" and "server" in last.flags
            if before.role == "assistant" and not resumed:
                text = "A system message must follow a user message."
                yield self.find(view, run.start, text, uids=uids)
            elif n + 1 < len(view.runs) and view.runs[n + 1].role != "assistant":
                text = "A system message must come right before the assistant, or last."
                yield self.find(view, run.end - 1, text, uids=uids, seen="before")
