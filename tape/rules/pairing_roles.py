"""Rules about which role a call or result may stand in, and about the tools that a server runs by itself."""

from __future__ import annotations

from collections.abc import Iterator

from tape.rules.base import Finding, Rule, Seen, at, quoting, short
from tape.rules.view import EVERYWHERE, View


class WrongRoleBlock(Rule):
    """A call outside an assistant message, or a result outside a user message."""

    code = "wrong-role-block"
    title = "A call or result stands in the wrong role"
    why = "Only the model calls tools and only the user's side answers: the role says who speaks."
    repair = "Move the block to a message of the right role."
    stage = 1
    on = at(refused=EVERYWHERE)
    seen = quoting(
        anthropic=Seen(
            "messages.{i}: `{kind}` blocks can only be in `{role}` messages", "2026-11", "W", "several issues"
        )
    )
    example = """{"messages": [
  {"role": "user", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for kind, role in (("tool_use", "assistant"), ("tool_result", "user")):
            for i, j, head in view.of_kind(kind):
                entry = view.messages[i]
                if entry.role != role and "server" not in head.flags:
                    text = f"A {kind} block stands in a message of role {entry.role}."
                    yield self.find(view, (i, j), text, kind=kind, role=role)


class UnpairedServerTool(Rule):
    """A server tool's result without its call before it, or a turn that was closed while the tool still ran.

    A server's call at the end of the array is legal: the API resumes it.
    """

    code = "unpaired-server-tool"
    title = "A server tool's call and result do not stand together"
    why = "The server ran this tool inside the model's turn; half of the pair never happened so."
    repair = "Delete what is left of the pair."
    stage = 3
    on = at(refused="anthropic strict")
    seen = quoting(
        anthropic=Seen(
            "messages.{i}.content.{j}: unexpected `tool_use_id` found in `{type}` blocks: {id}. Each "
            "`{type}` block must have a corresponding `server_tool_use` block before it.",
            "2026-11",
            "W",
            "anthropics/claude-code#64383, #80439, #84783",
        ),
        closed=Seen(
            "`{name}` tool use with id `{id}` was found without a corresponding `{name}_tool_result` block",
            "2026-08",
            "V",
            "platform.claude.com, handling stop reasons",
        ),
    )
    example = """{"messages": [
  {"role": "user", "content": "news?"},
  {"role": "assistant", "content": [
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    {"type": "text", "text": "none"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        found = view.threads
        for i, j, head in view.flagged("server"):
            if head.kind != "tool_result":
                continue
            if found.states.get(head.uid) == "orphan":
                text = f"The server tool's result for {short(head.id or '')} has no call before it."
                yield self.find(view, (i, j), text, id=head.id or "", type=head.name or "tool_result")
        for i, j, head in view.flagged("server"):
            if head.kind != "tool_use":
                continue
            partners = found.by_uid.get(head.uid, ())
            late = any(link.state == "late" for link in partners)
            if late or found.states.get(head.uid) == "unanswered":
                text = f"The server tool's call {short(head.id or '')} was closed without its result."
                uids = (head.uid, *found.partners(head.uid))
                yield self.find(
                    view, (i, j), text, uids=uids, seen="closed", id=head.id or "", name=head.name or ""
                )
