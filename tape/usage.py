"""What a session used: per turn, per lane and in all, and how large its context is now.

Four numbers that are never mixed up: the *prompt* of a call, its *output*, the *context now* (what the next
call would re-send), and the *cumulative* sum of prompts and outputs, which grows quadratically and is no
window size. Sub-agents and abandoned branches add to what was spent, never to the context. Providers' own
forms are in ``tape.usage_forms``, estimates in ``tape.counting``, prices in ``tape.pricing``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from tape.context import Counts, Source
from tape.counting import Estimate
from tape.derived import once
from tape.model import EMPTY, Call, Lane, Message, Session, Usage, empty
from tape.pricing import Bill, Cost, bill, cost, window
from tape.turns import Turn
from tape.usage_forms import added, largest

FREE = Cost()


@dataclass(frozen=True, slots=True)
class TurnUsage:
    """The tokens of one turn. ``usage`` says by its ``source`` whether they were recorded or estimated.

    ``cumulative`` is the sum of all prompts and outputs up to this turn; ``mixed`` says that an estimate is
    part of it. ``bill`` is what the turn cost in USD, ``None`` where its model or price is not known; that of
    an estimate is an estimate. ``model`` is the one that answered, ``at`` when (ISO).
    """

    turn: int
    message_uid: str
    usage: Usage
    cumulative: int
    mixed: bool
    bill: Bill | None = None
    model: str | None = None
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over the responses of a lane, in tokens; ``None`` where no response says. ``calls`` is how many
    responses there are, ``unknown`` how many of them have no counts and are left out of the sums."""

    calls: int = 0
    unknown: int = 0
    fresh_input: int | None = None
    cache_write: int | None = None
    cache_read: int | None = None
    output: int | None = None
    cost: Cost = FREE

    @property
    def spent(self) -> int | None:
        """All tokens that were processed: every prompt and every output."""
        return added(self.fresh_input, self.cache_write, self.cache_read, self.output)

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.calls + other.calls,
            self.unknown + other.unknown,
            added(self.fresh_input, other.fresh_input),
            added(self.cache_write, other.cache_write),
            added(self.cache_read, other.cache_read),
            added(self.output, other.output),
            self.cost + other.cost,
        )


@dataclass(frozen=True, eq=False)
class SessionUsage:
    """What ``usage`` found. ``total`` sums the lanes of ``by_lane``: ``main``, each sub-agent, each branch.
    ``inherited`` are the responses that stand in messages copied from another session: they are turns of this
    array, and were paid there, so that no lane counts them. ``agents`` are the sub-agents' totals by the uid
    of the message that started them, nested ones with their parents.

    ``prompt_last`` is what the last call of the main array sent, ``context_now`` what the next would send
    (tokens); their sources say whether the figure was recorded or is an estimate. ``source`` is that of the
    turns: ``recorded`` when all were, ``estimated`` when one was not, ``None`` without turns.
    """

    turns: tuple[TurnUsage, ...]
    total: Totals
    by_lane: Mapping[str, Totals]
    prompt_last: int | None
    context_now: int
    context_source: Source
    source: Source | None
    model: str | None
    inherited: Totals = Totals()
    agents: Mapping[str, Totals] = field(default_factory=empty)

    @cached_property
    def window(self) -> int | None:
        """How many tokens the model takes; ``None`` where that is not known."""
        return window(self.model)

    @property
    def filled(self) -> float | None:
        """The part of the model's window that the next call would fill; ``None`` without a known window."""
        return self.context_now / self.window if self.window else None


@once
def usage(session: Session, estimate: Estimate | None = None) -> SessionUsage:
    """The tokens of a session, every response counted once. What is not recorded is estimated and says so:
    from ``estimate`` where one is given (of this very session), else by characters."""
    counts = Counts(session, estimate)
    cut = counts.turns
    found = tuple(_per_turn(session, cut, counts))
    by_lane = {name: _totals(calls) for name, calls in lanes(session)}
    sources = {one.usage.source for one in found}
    now, source = counts.context_now()
    return SessionUsage(
        turns=found,
        total=sum(by_lane.values(), Totals()),
        by_lane=by_lane,
        prompt_last=cut[-1].usage.prompt if cut and cut[-1].usage else None,
        context_now=now,
        context_source=source,
        source=None if not sources else "recorded" if sources == {"recorded"} else "estimated",
        model=session.model,
        inherited=_totals(_inherited(session)),
        agents=_agents(session) if session.lanes else EMPTY,
    )


def _per_turn(session: Session, cut: tuple[Turn, ...], counts: Counts) -> Iterator[TurnUsage]:
    calls = {call.message_uid: call for call in session.calls}
    cumulative, mixed = 0, False
    for turn in cut:
        spent = counts.of_turn(turn)
        mixed = mixed or spent.source == "estimated"
        cumulative += (spent.prompt or 0) + (spent.output or 0)
        call = calls.get(turn.message_uid)
        model = (call.model if call else None) or session.model
        at = call.at if call else None
        cost = bill(spent, model, at)
        yield TurnUsage(turn.index, turn.message_uid, spent, cumulative, mixed, cost, model, at)


def lanes(session: Session) -> Iterator[tuple[str, tuple[Call, ...]]]:
    """Each lane's name and its responses: ``main`` first, then branches, then sub-agents with their own.

    A response that several records or branches repeat is counted in the first lane that has it; one that
    stands in a message copied from another session is counted there, and in no lane here.
    """
    seen: dict[str, list[tuple[object, ...]]] = {}
    for name, calls, messages in _lanes(session, ""):
        by_uid = {entry.uid: entry for entry in messages}
        own = [call for call in calls if not _is_copy(by_uid.get(call.message_uid))]
        yield name, tuple(_once(own, by_uid, seen))


def _inherited(session: Session) -> list[Call]:
    copies = {entry.uid for entry in session.messages if _is_copy(entry)}
    return [call for call in session.calls if call.message_uid in copies] if copies else []


def _agents(session: Session) -> dict[str, Totals]:
    started = {lane.spawned_by for lane in session.lanes}
    owners = {head.uid: m.uid for m in session.messages for head in m.heads if head.uid in started}
    found: dict[str, Totals] = {}
    for lane in session.lanes:
        owner = owners.get(lane.spawned_by or "")
        if owner is not None:
            spent = sum((_totals(calls) for _, calls in lanes(lane.session)), Totals())
            found[owner] = found.get(owner, Totals()) + spent
    return found


def _is_copy(entry: Message | None) -> bool:
    return entry is not None and bool(entry.meta.get("inherited"))


def _lanes(session: Session, path: str) -> Iterator[tuple[str, list[Call], tuple[Message, ...]]]:
    in_branch: dict[str, int] = {}
    for n, branch in enumerate(session.branches):
        in_branch.update((entry.uid, n) for entry in branch.messages)
    here = {entry.uid for entry in session.messages}
    main = [c for c in session.calls if c.message_uid in here or c.message_uid not in in_branch]
    yield path or "main", main, session.messages
    taken = {path or "main"}
    for n, branch in enumerate(session.branches):
        calls = [c for c in session.calls if c.message_uid not in here and in_branch.get(c.message_uid) == n]
        yield _free(f"{path}branch {branch.name or n + 1}", taken), calls, branch.messages
    for n, lane in enumerate(session.lanes):
        yield from _lanes(lane.session, _free(f"{path and path + ' / '}{_title(lane, n)}", taken))


def _title(lane: Lane, n: int) -> str:
    return lane.agent or lane.session.title or f"agent {n + 1}"


def _free(name: str, taken: set[str]) -> str:
    n, found = 1, name
    while found in taken:
        n += 1
        found = f"{name} ({n})"
    taken.add(found)
    return found


def _once(
    calls: Iterable[Call], messages: Mapping[str, Message], seen: dict[str, list[tuple[object, ...]]]
) -> Iterator[Call]:
    """The calls that were not seen before; the same id with other content is another response."""
    same: dict[tuple[str, str], Call] = {}
    for n, call in enumerate(calls):
        key = (call.id, call.message_uid) if call.id else ("", str(n))
        if key in same:
            known = same[key]
            same[key] = replace(known, usage=largest([known.usage, call.usage]))
        else:
            same[key] = call
    for call in same.values():
        if call.id:
            said = _said(messages.get(call.message_uid), call)
            if said in seen.setdefault(call.id, []):
                continue
            seen[call.id].append(said)
        yield call


def _said(entry: Message | None, call: Call) -> tuple[object, ...]:
    """What tells one response from another of the same id: what it said, and when."""
    heads = entry.heads if entry else ()
    return (call.at, *((head.kind, head.chars, head.id) for head in heads))


def _totals(calls: Iterable[Call]) -> Totals:
    every = list(calls)
    known = [c.usage for c in every if c.usage is not None]
    return Totals(
        calls=len(every),
        unknown=len(every) - len(known),
        fresh_input=added(*(u.input for u in known)),
        cache_write=added(*(u.cache_write for u in known)),
        cache_read=added(*(u.cache_read for u in known)),
        output=added(*(u.output for u in known)),
        cost=cost(every),
    )
