"""Rules about the ids that tie results to calls: unique, answered once, written as the endpoint allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tape.rules.base import Finding, Rule, Seen, at, place, quoting, short
from tape.rules.view import Spot, View
from tape.rules.wording import B4, G1, M3, TP2, TP4

ALLOWED = {
    "anthropic": re.compile(r"[a-zA-Z0-9_-]+"),
    "strict": re.compile(r"[a-zA-Z0-9_-]+"),
    "bedrock": re.compile(r"[a-zA-Z0-9_.:-]{1,64}"),
    "mistral": re.compile(r"[a-zA-Z0-9]{9}"),
    "openai-chat": re.compile(r".{1,40}", re.DOTALL),
    "openai-responses": re.compile(r".{1,64}", re.DOTALL),
}


class DuplicateToolUseId(Rule):
    """The same id on two calls, in one message or far apart: some harnesses count from ``call_0`` again."""

    code = "duplicate-tool-use-id"
    title = "Two tool calls share an id"
    why = "The id is all that says which result belongs to which call."
    repair = "Give the later call a new id, and its result with it."
    stage = 3
    on = at(refused="anthropic strict openai-chat mistral", risky="openai-responses bedrock")
    seen = quoting(
        anthropic=Seen(
            "messages.{i}.content.{j}: `tool_use` ids must be unique",
            "2026-11",
            "W",
            "anthropics/claude-code#20901, #28515; BerriAI/litellm#23510",
        ),
        mistral=Seen(
            "Duplicate tool call id {id} in assistant message", "2026-11", "V", "mistral-common 1.13.1"
        ),
    )
    example = """{"messages": [
  {"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "ls", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": "a"}]},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "call_0", "name": "pwd", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_0", "content": "b"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        first: dict[str, tuple[int, int]] = {}
        for i, j, head in view.of_kind("tool_use"):
            before = first.setdefault(head.id or "", (i, j))
            if before == (i, j):
                continue
            same = before[0] == i
            if view.endpoint == "mistral" and not same:
                continue
            apart = view.endpoint == "openai-chat" and not same
            yield self.find(
                view,
                (i, j),
                f"The id {short(head.id or '')} was used before, in {place(*before)}.",
                uids=(head.uid, *view.threads.partners(head.uid)),
                severity="risky" if apart else None,
                seen="none" if apart else None,
                id=head.id or "",
            )


class DuplicateToolResult(Rule):
    """A second result for a call that was answered before."""

    code = "duplicate-tool-result"
    title = "A call is answered twice"
    why = "Two outcomes of one call contradict each other; the model would have to guess which one happened."
    repair = "Keep one: the first, as the API's own tools do."
    stage = 3
    on = at(refused="anthropic strict openai-chat gemini mistral bedrock", risky="openai-responses")
    seen = quoting(
        anthropic=TP4,
        openai_chat=Seen(
            "Duplicate value for 'tool_call_id' of {id} in message[{wire}]", "2026-11", "W", "several issues"
        ),
        gemini=G1,
        mistral=M3,
        bedrock=B4,
        elsewhere=TP2,
    )
    example = """{"messages": [
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"},
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "b"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        found = view.threads
        for link in found.links:
            if link.state != "duplicate":
                continue
            i, j = found.positions[link.result_uid]
            call_at = found.positions[link.call_uid][0]
            far = view.endpoint in ("anthropic", "strict") and view.run_of[i] != view.run_of[call_at] + 1
            yield self.find(
                view,
                (i, j),
                f"The call {short(link.id)} was answered before this result.",
                uids=(link.call_uid, link.result_uid),
                seen="elsewhere" if far else None,
                id=link.id,
                wire=view.wire_index(i, j),
            )


class BadToolUseId(Rule):
    """An id with signs or of a length that the endpoint does not take.

    Other vendors' ids meet this when a session moves: Mistral's older models want exactly nine letters and
    digits, Bedrock takes dots and colons, OpenAI cuts at a length that changed over the years.
    """

    code = "bad-tool-use-id"
    title = "A tool call's id has signs or a length that is not allowed"
    why = "The request is parsed before anything else; an id that does not fit its pattern ends it there."
    repair = "Replace the signs that are not allowed, at both ends."
    stage = 0
    on = at(refused="anthropic strict bedrock", risky="mistral openai-chat openai-responses")
    seen = quoting(
        anthropic=Seen(
            "messages.{i}.content.{j}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            "2026-11",
            "W",
            "LibreChat-AI/agents#153; HKUDS/nanobot#4356",
        ),
        mistral=Seen(
            "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
            "2026-11",
            "V",
            "mistral-common 1.13.1, tokenizer versions 3 to 11",
        ),
        openai_chat=Seen(
            "Invalid 'messages[{wire}].tool_calls[{n}].id': string too long. Expected a string with maximum "
            "length 40, but got a string with length {length} instead.",
            "2026-11",
            "W",
            "several issues; the number has changed over the years",
        ),
        result=Seen(
            "messages.{i}.content.{j}.tool_result.tool_use_id: String should match pattern "
            "'^[a-zA-Z0-9_-]+$'",
            "2026-11",
            "W",
            "LibreChat-AI/agents#153",
        ),
    )
    example = """{"messages": [
  {"role": "assistant", "content": [{"type": "tool_use", "id": "functions.ls:0", "name": "ls", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "functions.ls:0", "content": "a"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        fits = ALLOWED[view.endpoint].fullmatch
        calls = [
            spot
            for spot in view.of_kind("tool_use")
            if not fits(spot.head.id or "") and "generated-id" not in spot.head.flags
        ]
        if view.endpoint == "mistral":
            yield from self._together(view, calls)
            return
        for i, j, head in calls:
            id = head.id or ""
            yield self.find(
                view,
                (i, j),
                f"The id {short(id) or '(empty)'} is not one this endpoint takes.",
                uids=(head.uid, *view.threads.partners(head.uid)),
                wire=view.wire_index(i, j),
                n=sum(h.kind == "tool_use" for h in view.messages[i].heads[:j]),
                length=len(id),
            )
        for i, j, head in view.of_kind("tool_result"):
            id = head.id or ""
            if not fits(id) and head.uid in view.threads.states and "generated-id" not in head.flags:
                seen = "result" if view.endpoint in ("anthropic", "strict") else "none"
                text = f"The id {short(id) or '(empty)'} is not one this endpoint takes."
                yield self.find(view, (i, j), text, seen=seen)

    def _together(self, view: View, calls: list[Spot]) -> Iterator[Finding]:
        """One finding for all ids: which form is wanted depends on the model's tokenizer, not on the id."""
        if calls:
            i, j, head = calls[0]
            uids = (uid for spot in calls for uid in (spot.head.uid, *view.threads.partners(spot.head.uid)))
            count = "1 id is" if len(calls) == 1 else f"{len(calls)} ids are"
            text = f"{count} not nine letters and digits, which Mistral's older models want."
            yield self.find(view, (i, j), text, uids=tuple(uids), id=head.id or "")
