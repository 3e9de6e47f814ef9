"""The array as one endpoint sees it: computed once and shared by all rules, from heads wherever possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from tape.capabilities import Model, model_named
from tape.image_size import size_of_base64
from tape.model import Block, Head, Image, Message, Role, Session, ToolResult
from tape.rules.base import Severity
from tape.threads import Threads, threads

LABELS: Mapping[str, str] = {
    "anthropic": "Claude API",
    "openai-chat": "OpenAI Chat Completions",
    "openai-responses": "OpenAI Responses",
    "gemini": "Gemini API",
    "mistral": "Mistral API",
    "bedrock": "Amazon Bedrock Converse",
    "strict": "strict (starts with user, alternates)",
}
ENDPOINTS = tuple(LABELS)
EVERYWHERE = " ".join(LABELS)
MERGES = ("anthropic", "strict", "bedrock", "gemini")


class Run(NamedTuple):
    """Neighbors of one role: the messages from ``start`` up to, not including, ``end``."""

    role: Role
    start: int
    end: int


class Picture(NamedTuple):
    """A picture inside the block at ``i`` and ``j``, without its data: ``chars`` of base64, ``size`` in
    pixels where its header says, ``inside`` its path in that block as the API writes it."""

    i: int
    j: int
    inside: str
    media_type: str | None
    chars: int
    size: tuple[int, int] | None


class Spot(NamedTuple):
    """A block by its place and head."""

    i: int
    j: int
    head: Head


def _at(spot: Spot) -> tuple[int, int]:
    return spot.i, spot.j


@dataclass(frozen=True, eq=False)
class View:
    """A session as an endpoint would read it, when its next request goes to ``model``.

    ``sending`` says that this very array is about to be sent, so that its end matters too.
    """

    session: Session
    endpoint: str
    model_id: str | None
    sending: bool = False
    messages: tuple[Message, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", self.session.messages)

    @cached_property
    def model(self) -> Model | None:
        """What the data file knows of the model; ``None`` for one it does not know."""
        return model_named(self.model_id)

    def answered_by(self, i: int) -> Model | None:
        """What the data file knows of the model that wrote a message, where the session says which did."""
        return model_named(self._answerers.get(self.messages[i].uid))

    @cached_property
    def _answerers(self) -> dict[str, str]:
        return {call.message_uid: call.model for call in self.session.calls if call.model}

    @cached_property
    def threads(self) -> Threads:
        """The pairs, with neighbors of one role merged where the endpoint merges them."""
        return threads(self.session, merge=self.endpoint in MERGES)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The array as turns of one role each."""
        found: list[Run] = []
        start = 0
        for i in range(1, len(self.messages) + 1):
            if i == len(self.messages) or self.messages[i].role != self.messages[start].role:
                found.append(Run(self.messages[start].role, start, i))
                start = i
        return tuple(found)

    @cached_property
    def run_of(self) -> list[int]:
        """For each message the number of its run."""
        return [n for n, run in enumerate(self.runs) for _ in range(run.start, run.end)]

    @cached_property
    def _index(self) -> tuple[dict[str, list[Spot]], dict[str, list[Spot]]]:
        kinds: dict[str, list[Spot]] = {}
        flags: dict[str, list[Spot]] = {}
        for i, entry in enumerate(self.messages):
            for j, head in enumerate(entry.heads):
                if head.kind != "text" or head.flags:
                    spot = Spot(i, j, head)
                    kinds.setdefault(head.kind, []).append(spot)
                    for flag in head.flags:
                        flags.setdefault(flag, []).append(spot)
        return kinds, flags

    def of_kind(self, kind: str) -> list[Spot]:
        """Every block of a kind in order; of texts only those with a flag."""
        return self._index[0].get(kind, [])

    def flagged(self, flag: str) -> list[Spot]:
        """Every block with a flag of ``Head.flags``, in order."""
        return self._index[1].get(flag, [])

    @property
    def is_request(self) -> bool:
        """Whether the array's end matters: it is being sent, or is a request that waits for its answer."""
        if self.sending or not self.messages:
            return self.sending
        answered = {call.message_uid for call in self.session.calls}
        return "max_tokens" in self.session.params and self.messages[-1].uid not in answered

    def uid(self, i: int, j: int = -1) -> str:
        """The uid of a message, or of one of its blocks."""
        return self.messages[i].uid if j < 0 else self.messages[i].heads[j].uid

    def written_role(self, i: int) -> str:
        """The role of a message as its source writes it: ``tool`` and ``developer`` too."""
        entry = self.messages[i]
        role = entry.meta.get("role")
        return role if isinstance(role, str) else entry.role

    @cached_property
    def _paired_ids(self) -> set[str | None]:
        calls = {head.id for _, _, head in self.of_kind("tool_use")}
        return calls & {head.id for _, _, head in self.of_kind("tool_result")}

    def answered_anywhere(self, head: Head) -> bool:
        """Whether order is free at this endpoint and the other half of a pair is somewhere in the array."""
        return self.endpoint == "openai-responses" and head.id in self._paired_ids

    @cached_property
    def _wire_starts(self) -> list[int]:
        starts, at = [], int(bool(self.session.system))
        for entry in self.messages:
            starts.append(at)
            results = sum(head.kind == "tool_result" for head in entry.heads)
            at += results + (results < len(entry.heads) or not entry.heads) if entry.role == "user" else 1
        return starts

    def wire_index(self, i: int, j: int = 0) -> int:
        """The index of a message in a Chat Completions array, where every result is a message of its own."""
        before = self.messages[i].heads[:j] if self.messages[i].role == "user" else ()
        return self._wire_starts[i] + sum(head.kind == "tool_result" for head in before)

    def role_before(self, i: int, j: int) -> str:
        """The role of what stands before a result in a Chat Completions array; empty at its start."""
        if any(head.kind == "tool_result" for head in self.messages[i].heads[:j]):
            return "tool"
        if i == 0:
            return "system" if self.session.system else ""
        before = self.messages[i - 1]
        only_results = bool(before.heads) and all(head.kind == "tool_result" for head in before.heads)
        return "tool" if before.role == "user" and only_results else before.role

    def logged(self, i: int) -> bool:
        """Whether a message is as an agent logged it, which need not be what the agent sent.

        Agents clean their history before they send it (Claude Code leaves blank texts out), so that what
        would be refused as it stands here was accepted then.
        """
        arrays = ("anthropic-messages", "openai-chat")
        recorded = self.messages[i].provenance.origin == "recorded"
        return recorded and not self.sending and self.session.format not in arrays

    def rank(self, i: int) -> Severity | None:
        """How grave something is that agents mend when they send: only a risk in what they logged."""
        return "risky" if self.logged(i) else None

    def log_note(self, i: int) -> str:
        """What is to be said of such a thing."""
        return " The agent that logged it leaves it out when it sends." if self.logged(i) else ""

    @cached_property
    def extras(self) -> tuple[tuple[Spot, Block], ...]:
        """The blocks that have more fields than their type needs and are worth reading for it.

        They are those in Anthropic JSON, or changed since they were read.
        """
        whole = self.session.format == "anthropic-messages"
        spots = self.flagged("extra")
        changed = (s for s in spots if whole or self.messages[s.i].provenance.origin != "recorded")
        return tuple(self.bodies(changed))

    @cached_property
    def sent_from(self) -> int:
        """The first message that a request still sends: a compaction's summary, or the first of all."""
        summaries = (i for i, m in enumerate(self.messages) if m.restarts)
        return max(summaries, default=0)

    @cached_property
    def pictures(self) -> tuple[Picture, ...]:
        """The base64 pictures that a request still sends, in results too."""
        spots = [*self.of_kind("image"), *self.flagged("image")]
        found: list[Picture] = []
        for (i, j, _), block in self.bodies(sorted((s for s in spots if s.i >= self.sent_from), key=_at)):
            inner = block.content if isinstance(block, ToolResult) else None
            for n, one in enumerate(inner if isinstance(inner, tuple) else (block,)):
                if isinstance(one, Image) and one.data is not None:
                    inside = "" if one is block else f".tool_result.content.{n}"
                    size = size_of_base64(one.data)
                    found.append(Picture(i, j, inside, one.media_type, len(one.data), size))
        return tuple(found)

    def bodies(self, spots: Iterable[Spot]) -> Iterator[tuple[Spot, Block]]:
        """The parsed blocks at these places, each message parsed once."""
        last, blocks = -1, ()  # type: int, tuple[Block, ...]
        for spot in spots:
            if spot.i != last:
                last, blocks = spot.i, self.messages[spot.i].blocks
            yield spot, blocks[spot.j]
