"""Rules about what a call hands to its tool: an object for most endpoints, JSON in a string for OpenAI's."""

from __future__ import annotations

from collections.abc import Iterator

from tape.model import Json
from tape.rules.base import Finding, Rule, Seen, at, quoting, short
from tape.rules.view import View


class InputNotObject(Rule):
    """A call whose input is a string, a list or nothing, where an object is wanted."""

    code = "input-not-object"
    title = "A call's input is not an object"
    why = "The input is the tool's named arguments; a list or a string names none."
    repair = "Parse a string that is JSON; else wrap what is there in an object."
    stage = 0
    on = at(refused="anthropic strict bedrock gemini")
    seen = quoting(
        anthropic=Seen(
            "messages.{i}.content.{j}.tool_use.input: Input should be a valid dictionary",
            "2026-11",
            "W",
            "many issues",
        )
    )
    example = """{"messages": [
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": "a"}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "b"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for i, j, head in view.flagged("bad-input"):
            text = f"The input of the call {short(head.id or '')} is not an object."
            yield self.find(view, (i, j), text)


class ArgumentsNotString(Rule):
    """A call whose arguments are an object, where OpenAI's APIs want the JSON as a string."""

    code = "arguments-not-string"
    title = "A call's arguments are not a string"
    why = "OpenAI's models write arguments as text, which may even be broken JSON; the API keeps that text."
    repair = "Write the arguments as a JSON string."
    stage = 0
    on = at(refused="openai-chat openai-responses")
    seen = quoting(
        openai_chat=Seen(
            "Invalid type for 'messages[{wire}].tool_calls[{n}].function.arguments': expected a string, but "
            "got an object instead.",
            "2026-11",
            "W",
            "many issues",
        )
    )
    example = """{"messages": [{"role": "assistant", "tool_calls": [
  {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": {}}}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        if not view.session.format.startswith("openai"):
            return
        for (i, j, head), block in view.bodies(view.of_kind("tool_use")):
            raw = block.raw if isinstance(block.raw, dict) else {}
            inner = raw.get("function")
            holder: dict[str, Json] = inner if isinstance(inner, dict) else raw
            written = holder.get("arguments")
            if "arguments" in holder and not isinstance(written, str):
                text = f"The arguments of the call {short(head.id or '')} are not a string."
                n = sum(h.kind == "tool_use" for h in view.messages[i].heads[:j])
                yield self.find(view, (i, j), text, wire=view.wire_index(i), n=n)


class InvalidArgumentsJson(Rule):
    """Arguments that are a string, as they should be, but no JSON object.

    OpenAI takes them: its own models may write such. Compatible servers and chat templates may not.
    """

    code = "invalid-arguments-json"
    title = "A call's arguments are no JSON object"
    why = "Whatever reads the history next may have to parse them."
    repair = "Wrap what is there in an object."
    stage = 0
    on = at(risky="openai-chat openai-responses mistral")
    example = """{"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": [
  {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{"}}]},
  {"role": "tool", "tool_call_id": "c1", "content": "a"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for i, j, head in view.flagged("bad-input"):
            text = f"The arguments of the call {short(head.id or '')} are no JSON object."
            yield self.find(view, (i, j), text)
