"""Rules about roles and their order: what may stand first, last and beside what."""

from __future__ import annotations

from collections.abc import Iterator

from tape.rules.base import Finding, Rule, Seen, at, place, quoting, short
from tape.rules.view import EVERYWHERE, View

ALTERNATE = Seen(
    'messages: roles must alternate between "user" and "assistant", but found multiple "{role}" '
    "roles in a row",
    "2024-03",
    "O",
    "jtsang4/claude-to-chatgpt#30; the Claude API merges instead since 2024-10-08",
)
FIRST = Seen(
    'messages: first message must use the "user" role',
    "2024-12",
    "O",
    "anthropics/anthropic-sdk-typescript#622; not enforced by the Claude API since 2024-10-08",
)
KNOWN_ELSEWHERE = {
    "openai-chat": ("tool", "developer", "function"),
    "openai-responses": ("developer",),
    "mistral": ("tool",),
    "gemini": ("model", "function"),
}


class EmptyArray(Rule):
    """An array without a single message."""

    code = "empty-array"
    title = "The array is empty"
    why = "The array is all that the model sees; there is nothing to answer."
    repair = "Add a user message."
    stage = 1
    on = at(refused=EVERYWHERE)
    seen = quoting(
        anthropic=Seen("messages: at least one message is required", "2026-11", "W", "several issues"),
        mistral=Seen("Conversation must have at least one message", "2026-11", "V", "mistral-common 1.13.1"),
        gemini=Seen(
            "* GenerateContentRequest.contents: contents is not specified", "2026-11", "W", "several issues"
        ),
    )
    example = """{"messages": []}"""

    def check(self, view: View) -> Iterator[Finding]:
        if not view.messages:
            yield self.find(view, -1, "There is no message to answer.", uids=(), where="messages")


class UnknownRole(Rule):
    """A role that the endpoint does not know, such as another vendor's ``tool`` or ``developer``."""

    code = "unknown-role"
    title = "A message has a role that is not known here"
    why = "The role says who speaks; each API has its own few."
    repair = "Give it the role it has here: results belong to the user, instructions to the system."
    stage = 0
    on = at(refused=EVERYWHERE)
    seen = quoting(
        anthropic=Seen(
            'messages: Unexpected role "{role}".', "2026-11", "W", "jhd3197/Prompture release 1.0.52"
        ),
    )
    example = """{"messages": [{"role": "robot", "content": "beep"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        known = KNOWN_ELSEWHERE.get(view.endpoint, ())
        for i, entry in enumerate(view.messages):
            if "unknown_role" in entry.meta and (role := entry.meta["unknown_role"]) not in known:
                written = short(role) if isinstance(role, str) else "no role"
                yield self.find(view, i, f"The role {written} is not known here.", role=written)


class ConsecutiveRoles(Rule):
    """Two or more messages of one role in a row.

    The Claude API reads them as one turn, so what you see is not what the model sees. Bedrock, older APIs
    and many chat templates refuse them.
    """

    code = "consecutive-roles"
    title = "Several messages of one role stand in a row"
    why = "Chat models were trained on turns that alternate; somewhere two in a row must be made into one."
    repair = "Merge the neighbors."
    stage = 2
    on = at(refused="bedrock strict", risky="gemini", hint="anthropic")
    seen = quoting(
        strict=ALTERNATE,
        bedrock=Seen(
            "A conversation must alternate between user and assistant roles. Make sure the conversation "
            "alternates between user and assistant roles and try again.",
            "2026-11",
            "W",
            "quoted in many issues",
        ),
        gemini=Seen(
            "Please ensure that multiturn requests alternate between user and model.",
            "2026-11",
            "O",
            "Gemini 1.0 and 1.5; whether Gemini 3 still checks is not known",
        ),
    )
    example = """{"messages": [
  {"role": "user", "content": "hello"}, {"role": "user", "content": "are you there?"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for run in view.runs:
            count = run.end - run.start
            if count > 1 and run.role != "system":
                uids = tuple(view.messages[i].uid for i in range(run.start, run.end))
                text = f"{count} {run.role} messages stand in a row from {place(run.start)} on."
                yield self.find(view, run.start + 1, text, uids=uids, role=run.role)


class FirstNotUser(Rule):
    """An array whose first message is the assistant's.

    The Claude API takes it since 2024-10-08; an array that is to travel starts with the user.
    """

    code = "first-not-user"
    title = "The array starts with the assistant"
    why = "A model answers; what it answers to is missing."
    repair = "Put a user message in front."
    stage = 2
    on = at(refused="bedrock strict mistral", risky="anthropic gemini")
    seen = quoting(
        strict=FIRST,
        bedrock=Seen(
            "A conversation must start with a user message. Try again with a conversation that starts with a "
            "user message.",
            "2026-11",
            "W",
            "asserted in a live integration suite",
        ),
        gemini_call=Seen(
            "Please ensure that function call turn comes immediately after a user turn or after a function "
            "response turn.",
            "2026-11",
            "W",
            "quoted in many issues",
        ),
        mistral=Seen(
            "Conversation must start with a user message or system message",
            "2026-11",
            "V",
            "mistral-common 1.13.1",
        ),
    )
    example = (
        """{"messages": [{"role": "assistant", "content": "hi"}, {"role": "user", "content": "hello"}]}"""
    )

    def check(self, view: View) -> Iterator[Finding]:
        first = next((i for i, entry in enumerate(view.messages) if entry.role != "system"), None)
        if first is None or view.messages[first].role != "assistant":
            return
        text = f"The first message of the conversation, {place(first)}, is the assistant's."
        calls = any(head.kind == "tool_use" for head in view.messages[first].heads)
        alone = len(view.messages) == 1 and not view.session.system
        if view.endpoint == "gemini" and calls:
            yield self.find(view, first, text, severity="refused", seen="gemini-call")
        elif view.endpoint == "mistral":
            if alone:
                yield self.find(view, first, text)
        else:
            yield self.find(view, first, text)
