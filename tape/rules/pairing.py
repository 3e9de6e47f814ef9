"""Rules about calls and their results: every call answered once, at once, and in front of everything else."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import groupby

from tape.rules.base import Finding, Rule, Seen, at, place, quoting, short
from tape.rules.view import EVERYWHERE, View
from tape.rules.wording import B3, B4, G1, G3, M2, M3, OC1, OR1, TP1, TP2
from tape.threads import Link


def _missing(view: View) -> dict[int, str]:
    """For each message the ids of its calls that lack an immediate answer: one vendor text names them all."""
    found = view.threads
    bad = ("late",) if view.endpoint == "openai-chat" else ("late", "misplaced")
    uids = {link.call_uid for link in found.links if link.state in bad}
    states = ("unanswered", "pending") if view.sending else ("unanswered",)
    uids.update(one.uid for one in found.unlinked if one.state in states)
    calls = sorted(found.positions[uid] for uid in uids)
    named = [(i, head) for i, j in calls if "server" not in (head := view.messages[i].heads[j]).flags]
    return {i: ", ".join(short(h.id or "") for _, h in ours) for i, ours in groupby(named, lambda n: n[0])}


class UnansweredToolUse(Rule):
    """A tool call that no result answers.

    The array goes back whole with every request, so one call without an answer makes this request and every
    later one fail. A call at the very end is only waiting: that is a hint, unless the array is being sent.
    """

    code = "unanswered-tool-use"
    title = "A tool call has no result"
    why = "The model wrote a call and continues from what came back; the next message must tell it what did."
    repair = "Answer it with an honest error result in the next user message; or delete the call."
    stage = 3
    on = at(refused=EVERYWHERE)
    seen = quoting(
        anthropic=TP1,
        openai_chat=OC1,
        openai_responses=OR1,
        gemini=G1,
        mistral=M3,
        bedrock=B3,
        mistral_end=Seen(
            "Expected last role User or Tool (or Assistant with prefix) for serving but got assistant",
            "2026-11",
            "V",
            "mistral-common 1.13.1",
        ),
    )
    example = """{"messages": [
  {"role": "user", "content": "go"},
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}]},
  {"role": "user", "content": "continue"}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        found, missing = view.threads, _missing(view)
        for one in found.unlinked:
            i, j = found.positions[one.uid]
            head = view.messages[i].heads[j]
            if one.state == "orphan" or "server" in head.flags or view.answered_anywhere(head):
                continue
            call = f"The call {short(one.id)} ({short(head.name or '')})"
            if one.state == "pending" and not view.sending:
                yield self.find(
                    view, (i, j), f"{call} is still waiting for its result.", severity="hint", seen="none"
                )
                continue
            at_end = view.endpoint == "mistral" and one.state == "pending"
            yield self.find(
                view,
                (i, j),
                f"{call} has no result.",
                seen="mistral-end" if at_end else None,
                ids=missing.get(i, one.id),
                id=one.id,
                next=i + 1,
            )


class OrphanToolResult(Rule):
    """A result whose call is not in the array before it, as trimming or compacting the head leaves it."""

    code = "orphan-tool-result"
    title = "A tool result answers no call"
    why = "A result without its call tells the model the outcome of something that it never asked for."
    repair = "Quote the result as text; or delete it."
    stage = 3
    on = UnansweredToolUse.on
    seen = quoting(
        anthropic=TP2,
        openai_chat=Seen(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            "'tool_calls'.",
            "2026-11",
            "W",
            "quoted in very many issues",
        ),
        openai_responses=Seen(
            "No tool call found for function call output with call_id {id}.", "2026-11", "W", "several issues"
        ),
        gemini=G3,
        mistral=M2,
        mistral_count=M3,
        bedrock=B4,
    )
    example = """{"messages": [
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        found = view.threads
        for one in found.unlinked:
            i, j = found.positions[one.uid]
            head = view.messages[i].heads[j]
            if one.state != "orphan" or "server" in head.flags or view.answered_anywhere(head):
                continue
            text = f"The result for {short(one.id)} answers no call before it."
            if view.endpoint != "mistral":
                yield self.find(view, (i, j), text, id=one.id)
                continue
            before = view.role_before(i, j)
            if before == "":
                yield self.find(view, (i, j), text, severity="risky", seen="none")
            else:
                seen = None if before in ("user", "system") else "mistral-count"
                yield self.find(view, (i, j), text, seen=seen, role="tool", before=before)


class _Misplacement(Rule):
    """What the rules about a result in the wrong place share: they differ in the state of the link."""

    stage = 3
    why = "The model's turn ends with its calls; what comes next must be their answers and nothing else."
    states: tuple[str, ...]

    def check(self, view: View) -> Iterator[Finding]:
        found, missing = view.threads, _missing(view)
        for link in found.links:
            if link.state in self.states and not self.of_server(view, link):
                i, j = found.positions[link.call_uid]
                k, n = found.positions[link.result_uid]
                yield self.find(
                    view,
                    (i, j),
                    self.sentence(link, k),
                    uids=(link.call_uid, link.result_uid),
                    where=place(k, n),
                    ids=missing.get(i, link.id),
                    id=link.id,
                    next=i + 1,
                    seen="mistral-count"
                    if view.endpoint == "mistral" and view.role_before(k, n) != "user"
                    else None,
                    role="tool",
                    before="user",
                )

    def of_server(self, view: View, link: Link) -> bool:
        """Whether a server's tool is meant, which other rules look after."""
        i, j = view.threads.positions[link.call_uid]
        return "server" in view.messages[i].heads[j].flags

    @abstractmethod
    def sentence(self, link: Link, result_at: int) -> str:
        """What is wrong with this link."""


class LateToolResult(_Misplacement):
    """A result that comes after something else was said: another message stands between it and its call.

    That a result exists somewhere later is not enough. OpenAI's Responses take it at any distance.
    """

    code = "late-tool-result"
    title = "A tool result comes too late"
    repair = "Move the result right behind its call; what stood between follows it unchanged."
    states = ("late",)
    on = at(refused="anthropic openai-chat gemini mistral bedrock strict")
    seen = quoting(
        anthropic=TP1,
        openai_chat=OC1,
        gemini=G3,
        mistral=M2,
        bedrock=B3,
        mistral_count=M3,
    )
    example = """{"messages": [
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}]},
  {"role": "user", "content": "never mind"},
  {"role": "assistant", "content": "fine"},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.py"}]}]}"""

    def sentence(self, link: Link, result_at: int) -> str:
        return f"The call {short(link.id)} is answered too late, in {place(result_at)}."


class ResultNotFirst(_Misplacement):
    """A result in the right message with other content in front of it.

    Text behind the results is allowed, though it teaches a model to end its turn without a word.
    """

    code = "result-not-first"
    title = "A tool result stands behind other content"
    repair = "Put all results of the message first, in their order."
    states = ("misplaced",)
    on = at(refused="anthropic strict", risky="bedrock gemini")
    seen = quoting(
        anthropic=TP1,
    )
    example = """{"messages": [
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "faq", "input": {}}]},
  {"role": "user", "content": [{"type": "text", "text": "and also"},
    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}]}]}"""

    def sentence(self, link: Link, result_at: int) -> str:
        return f"The result for {short(link.id)} stands behind other content of {place(result_at)}."


class SplitToolResults(Rule):
    """The results of parallel calls in several user messages instead of one."""

    code = "split-tool-results"
    title = "Results of one round are spread over several messages"
    why = "Parallel calls answered one by one teach the model to stop making parallel calls."
    repair = "Bring the results into one user message."
    stage = 3
    on = at(risky="anthropic", refused="gemini bedrock strict")
    seen = quoting(
        gemini=G1,
        bedrock=B3,
    )
    example = """{"messages": [
  {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}},
    {"type": "tool_use", "id": "toolu_2", "name": "ls", "input": {}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a"}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_2", "content": "b"}]}]}"""

    def check(self, view: View) -> Iterator[Finding]:
        found = view.threads
        split = [link for link in found.links if link.state == "split"]
        for i, links in groupby(split, lambda link: found.positions[link.call_uid][0]):
            ours = list(links)
            places = [found.positions[link.result_uid][0] for link in ours]
            outside = [link.id for link, k in zip(ours, places, strict=True) if k != places[0]]
            messages = sorted(set(places))
            yield self.find(
                view,
                i,
                f"The {len(ours)} results of {place(i)} are spread over {len(messages)} user messages.",
                uids=tuple(link.result_uid for link in ours),
                where=place(messages[1]),
                ids=", ".join(map(short, outside)),
                next=i + 1,
            )
