"""Rules about where thinking must and may stand, with or without an edit."""

from __future__ import annotations

from collections.abc import Iterator

from tape.model import Block
from tape.rules.base import Finding, Rule, Seen, Severity, at, place, quoting
from tape.rules.thinking import recorded
from tape.rules.view import View


class ThinkingMissing(Rule):
    """An open tool round whose assistant turn lost its thinking.

    With manual thinking (``enabled``) it is refused; with adaptive thinking the reasoning is silently gone.
    Gemini 3 wants the signature that came with each call of the turn in progress.
    """

    code = "thinking-missing"
    title = "The turn in progress lost its thinking"
    why = "The model is in the middle of a thought: the results answer calls that it reasoned its way to."
    repair = "Restore the thinking; or turn thinking off for this request."
    stage = 4
    on = at(refused="anthropic gemini")
    seen = quoting(
        anthropic=Seen(
            "messages.{i}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{kind}`. "
            "When `thinking` is enabled, a final `assistant` message must start with a thinking block "
            "(preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
            "2026-08",
            "V",
            "platform.claude.com, extended thinking; n8n-io/n8n#22550",
        ),
        gemini=Seen(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools "
            "to work correctly, and missing thought_signature may lead to degraded model performance.",
            "2026-11",
            "V",
            "ai.google.dev, thought signatures (the rule); many issues (the text)",
        ),
    )
    example = """{"model": "claude-opus-4-5", "thinking": {"type": "enabled", "budget_tokens": 2000},
  "messages": [{"role": "user", "content": "go"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        if view.endpoint == "gemini":
            yield from self._gemini(view)
            return
        if len(view.runs) < 2 or view.runs[-1].role != "user" or view.runs[-2].role != "assistant":
            return
        start = view.runs[-2].start
        entry, last = view.messages[start], view.messages[view.runs[-1].start]
        open_round = any(head.kind == "tool_result" for head in last.heads)
        if not open_round or not entry.heads or entry.heads[0].kind == "thinking":
            return
        thinking = view.session.params.get("thinking")
        if isinstance(thinking, dict) and thinking.get("type") == "enabled":
            text = f"Thinking is on, and the turn in progress, {place(start)}, does not start with it."
            yield self.find(view, start, text, kind=entry.heads[0].kind)
            return
        old = recorded(view).get(entry.uid)
        if old is not None and any(head.kind == "thinking" for head in old.heads):
            text = f"The reasoning behind the calls of {place(start)} is gone."
            yield self.find(view, start, text, severity="hint", seen="none")

    def _gemini(self, view: View) -> Iterator[Finding]:
        needs = view.model.thought_signature if view.model else None
        if needs is False or not view.session.format.startswith("gemini"):
            return
        severity: Severity | None = None if needs else "risky"
        start = max((i for i, m in enumerate(view.messages) if _asks(view, i)), default=-1) + 1
        calls = [s for s in view.of_kind("tool_use") if s.i >= start and "server" not in s.head.flags]
        told = -1
        for (i, j, head), block in view.bodies(calls):
            if i != told and not _signed(block):
                text = f"The call {head.name or ''} of the turn in progress has no thought signature."
                yield self.find(view, (i, j), text, severity=severity)
            told = i


def _asks(view: View, i: int) -> bool:
    entry = view.messages[i]
    return entry.role == "user" and any(head.kind != "tool_result" for head in entry.heads)


def _signed(block: Block) -> bool:
    raw = block.raw if isinstance(block.raw, dict) else {}
    names = ("thoughtSignature", "thought_signature")
    return any(block.extra.get(name) or raw.get(name) for name in names)


class ThinkingMisplaced(Rule):
    """Thinking outside an assistant message, or as the end of an assistant turn that is not the last."""

    code = "thinking-misplaced"
    title = "Thinking stands in the wrong place"
    why = "A model thinks before it speaks or calls; a thought with nothing behind it was cut off."
    repair = "Delete it."
    stage = 1
    on = at(refused="anthropic")
    seen = quoting(
        last=Seen(
            "messages.{i}: The final block in an assistant message cannot be `thinking`.",
            "2026-04",
            "W",
            "tailcallhq/forgecode#2107, #3073; NousResearch/hermes-agent#16921",
        )
    )
    example = """{"messages": [{"role": "user", "content": [
  {"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "text", "text": "hi"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for i, j, _ in view.of_kind("thinking"):
            if view.messages[i].role != "assistant":
                text = f"Thinking stands in a message of role {view.messages[i].role}."
                yield self.find(view, (i, j), text)
        for run in view.runs[:-1]:
            i = run.end - 1
            heads = view.messages[i].heads
            if run.role == "assistant" and heads and heads[-1].kind == "thinking":
                severity: Severity | None = "risky" if view.logged(i) else None
                text = f"The turn that ends at {place(i)} ends with thinking."
                yield self.find(view, (i, len(heads) - 1), text, severity=severity, seen="last")


class EmptySignedThinking(Rule):
    """A thinking block with a signature and no words.

    Since Claude 4.7 the API gives thinking so by default and takes it back; before, an empty one means that
    somebody removed the words.
    """

    code = "empty-signed-thinking"
    title = "Signed thinking has no words"
    why = "The signature seals words that are not there any more."
    repair = "Remove all thinking of that turn."
    stage = 4
    on = at(risky="anthropic")
    example = """{"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": [
  {"type": "thinking", "thinking": "", "signature": "c2ln"}, {"type": "text", "text": "done"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        for i, j, head in view.flagged("empty"):
            if head.kind == "thinking" and "signed" in head.flags and not _omitted(view, i):
                yield self.find(view, (i, j), "This thinking is signed and has no words.")


def _omitted(view: View, i: int) -> bool:
    """Whether the model that answered leaves its thinking's words out by default."""
    row = view.answered_by(i) or view.model
    return row is not None and row.tokenizer == "2026"


class ReasoningUnpaired(Rule):
    """A reasoning item without the item it led to, or an item without the reasoning it came from.

    Only items that carry the server's ids are checked; sent without ids they stand for themselves.
    """

    code = "reasoning-unpaired"
    title = "A reasoning item and what it led to are apart"
    why = "The server stored them as one step and takes them back as one."
    repair = "Remove the item's id, so that it is sent inline; or drop the reasoning."
    stage = 4
    on = at(refused="openai-responses")
    seen = quoting(
        openai_responses=Seen(
            "Item '{id}' of type 'reasoning' was provided without its required following item.",
            "2026-11",
            "W",
            "many issues; quoted in the OpenAI Agents SDK documentation",
        ),
        openai_responses_without=Seen(
            "Item '{id}' of type '{type}' was provided without its required 'reasoning' item: '{reasoning}'.",
            "2026-11",
            "W",
            "many issues",
        ),
    )
    example = """an assistant turn of a Responses body that ends with its reasoning item"""

    def check(self, view: View) -> Iterator[Finding]:
        if not view.session.format.startswith(("openai-responses", "codex")):
            return
        for (i, j, _), block in view.bodies(view.of_kind("thinking")):
            id = _item_id(block, "rs_")
            heads = view.messages[i].heads
            if id and all(head.kind == "thinking" for head in heads[j:]):
                text = "This reasoning is not followed by what it led to."
                yield self.find(view, (i, j), text, id=id)
        had = recorded(view)
        for i, entry in enumerate(view.messages):
            old = had.get(entry.uid)
            if old is None or old is entry:
                continue
            here = {_item_id(b, "rs_") for b in entry.blocks}
            gone = [id for b in old.blocks if (id := _item_id(b, "rs_")) and id not in here]
            for j, block in enumerate(entry.blocks):
                id = _item_id(block, "fc_") or _item_id(block, "msg_")
                if gone and id:
                    kind = "function_call" if id.startswith("fc_") else "message"
                    text = f"This {kind.replace('_', ' ')} lost the reasoning it came from."
                    yield self.find(
                        view,
                        (i, j),
                        text,
                        seen="openai-responses-without",
                        id=id,
                        type=kind,
                        reasoning=gone[0],
                    )
                    break


def _item_id(block: Block, start: str) -> str | None:
    """The server's id of an item, where it has one of this kind."""
    raw = block.raw if isinstance(block.raw, dict) else {}
    id = raw.get("id")
    return id if isinstance(id, str) and id.startswith(start) else None
