"""Rules about the tool list of a request and its choice among the tools."""

from __future__ import annotations

from collections.abc import Iterator

from tape.rules.base import Finding, Rule, Seen, at, quoting, short
from tape.rules.view import EVERYWHERE, View


class ForcedToolChoice(Rule):
    """A ``tool_choice`` that forces a call, for a model that cannot be forced or while it thinks."""

    code = "forced-tool-choice"
    title = "The request forces a tool call"
    why = (
        "A model that thinks first decides by itself whether to call; a forced call leaves no room to think."
    )
    repair = "Set the choice to auto and ask for the tool in words."
    stage = 5
    on = at(refused="anthropic")
    seen = quoting(
        anthropic=Seen(
            'tool_choice: type "tool" and "any" are not supported for this model.',
            "2026-11",
            "V",
            "platform.claude.com, errors",
        )
    )
    example = """{"model": "claude-opus-5-5", "tool_choice": {"type": "any"},
  "tools": [{"name": "ls", "input_schema": {"type": "object"}}],
  "messages": [{"role": "user", "content": "hi"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        choice, thinking = view.session.params.get("tool_choice"), view.session.params.get("thinking")
        if not isinstance(choice, dict) or choice.get("type") not in ("any", "tool"):
            return
        manual = isinstance(thinking, dict) and thinking.get("type") == "enabled"
        allowed = False if manual else view.model.forced_tools if view.model else None
        if allowed is None:
            text = "The request forces a tool call; whether that is taken depends on the model."
            yield self.find(view, -1, text, uids=(), where="tool_choice", severity="risky")
        elif not allowed:
            text = "The request forces a tool call, which this model does not take."
            if manual:
                text = "The request forces a tool call, which is not taken while thinking is on."
            yield self.find(view, -1, text, uids=(), where="tool_choice", seen="none" if manual else None)


class ToolChoiceWithoutTools(Rule):
    """A choice among tools in a request that offers none."""

    code = "tool-choice-without-tools"
    title = "A tool is to be chosen and none is offered"
    why = "There is nothing to choose from."
    repair = "Remove the choice; or add the tools."
    stage = 0
    on = at(refused="anthropic openai-chat strict")
    seen = quoting(
        anthropic=Seen(
            "tool_choice may only be specified while providing tools.", "2026-11", "W", "many issues"
        ),
        openai_chat=Seen(
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
            "2026-11",
            "W",
            "many issues",
        ),
    )
    example = """{"tool_choice": {"type": "auto"}, "messages": [{"role": "user", "content": "hi"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        if view.session.params.get("tool_choice") is not None and not view.session.tools:
            text = "The request says how to choose a tool and offers none."
            yield self.find(view, -1, text, uids=(), where="tool_choice")


class ToolsRequired(Rule):
    """Calls or results in the history of a request without a tool list. The Claude API takes that."""

    code = "tools-required"
    title = "The history has tool calls and the request offers no tools"
    why = "Bedrock renders calls by their tools' definitions and has none to render them by."
    repair = "Send the tool list along."
    stage = 5
    on = at(refused="bedrock")
    seen = quoting(
        bedrock=Seen(
            "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
            "2026-08",
            "W",
            "many issues",
        )
    )
    example = """{"messages": [{"role": "user", "content": "go"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "b"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        used = view.of_kind("tool_use") or view.of_kind("tool_result")
        if not used or view.session.tools:
            return
        whole = view.session.tools is not None or view.session.format in ("anthropic-messages", "openai-chat")
        text = "The array has tool calls and no tools are declared."
        if not whole:
            text = "The array has tool calls and this file has no tool list: one must be sent along."
        where = (used[0].i, used[0].j)
        yield self.find(view, where, text, where="tools", uids=(), severity=None if whole else "risky")


class UndeclaredTool(Rule):
    """A call of a tool that the request does not offer. No endpoint is known to refuse it."""

    code = "undeclared-tool"
    title = "A call names a tool that is not offered"
    why = "A model that reads of a tool it does not have may call it again."
    repair = "Add the tool to the list, if it is still to be called."
    stage = 5
    on = at(hint=EVERYWHERE)
    example = """{"tools": [{"name": "ls", "input_schema": {"type": "object"}}],
  "messages": [{"role": "user", "content": "go"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "cat", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "b"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        if not view.session.tools:
            return
        told = {tool.name for tool in view.session.tools}
        for i, j, head in view.of_kind("tool_use"):
            name = head.name or ""
            if name not in told and "server" not in head.flags:
                told.add(name)
                yield self.find(
                    view, (i, j), f"The tool {short(name)[:80] or '(empty)'} is not in the tool list."
                )
