"""From findings to operations that mend them, safe ones first, and all safe ones at once.

A rule says what is wrong (``tape.rules``); here is what can be done about it. A repair is an operation like
any other: previewed, applied through ``tape.edits.apply``, logged and undone. Carried out on its finding it
removes it and adds none; carried out again it changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from tape.edits.operations import Repair, Target
from tape.edits.targets import Spot, find, places, plural
from tape.errors import UserError
from tape.model import Session
from tape.repairs import content, ids, limits, order, results, roles, system, thinking, tools
from tape.repairs.ways import Uids, Way
from tape.rules import lint
from tape.rules.base import Finding

__all__ = ["WAYS", "Repair", "fix_all_safe", "mend", "repairs", "sentence"]

FAMILIES = (order, system, roles, ids, results, content, thinking, tools, limits)
WAYS: dict[str, tuple[Way, ...]] = {code: ways for family in FAMILIES for code, ways in family.WAYS.items()}
PASSES = 60


def repairs(session: Session, finding: Finding) -> tuple[Repair, ...]:
    """The operations that remove a finding from this session, safe ones first."""
    targets = finding.uids or (finding.where,)
    ways = (way for way in WAYS.get(finding.code, ()) if finding.endpoint not in way.not_for)
    offered = [way for way in ways if way.fits(session, targets)]
    offered.sort(key=lambda way: not way.safe)
    return tuple(Repair(finding.code, targets, w.name, w.label, w.safe, w.loses) for w in offered)


def mend(session: Session, operation: Repair) -> Session:
    """The session after a repair: the very same one where there is nothing to mend (any more).

    Raises ``UserError`` for a code or way that is not known, and for a position that does not exist.
    """
    return _way(operation).carry(session, _uids(session, operation.targets))


def sentence(session: Session, operation: Repair) -> str:
    """``Answered the call at messages[1].content[0] with an honest error``."""
    uids = _uids(session, operation.targets)
    known = places(session)
    there = [known[uid] for uid in uids if uid in known]
    place = there[0].where if there else (*uids, "the array")[0]
    more = sum(1 for spot in there[1:] if _kind(session, spot) == _kind(session, there[0]))
    also = f" and at {plural(more, 'place')} more" if more and there[0].block is not None else ""
    return f"{_way(operation).done.replace('{place}', place)}{also}"


def _kind(session: Session, spot: Spot) -> str:
    return "" if spot.block is None else session.messages[spot.message].heads[spot.block].kind


def fix_all_safe(
    session: Session, endpoint: str = "anthropic", model: str | None = None
) -> tuple[Session, tuple[Repair, ...]]:
    """Mends what the endpoint would refuse as far as no word is lost; gives the session and what was done.

    Works through the findings in the order in which an endpoint meets them and looks again after each kind,
    because mending one may mend or show another.
    """
    done: list[Repair] = []
    for _ in range(PASSES):
        step = _next_safe(session, endpoint, model)
        if not step:
            break
        for repair in step:
            session = mend(session, repair)
        done += step
    return session, tuple(done)


def _next_safe(session: Session, endpoint: str, model: str | None) -> list[Repair]:
    """Safe repairs of all findings of the first kind that has any, one a way; none when all is mended."""
    code = ""
    found: dict[str, Repair] = {}
    for finding in lint(session, endpoint, model):
        if finding.severity == "refused" and finding.code == (code or finding.code):
            safe = next((r for r in repairs(session, finding) if r.safe), None)
            if safe is not None:
                code = finding.code
                before = found.get(safe.way, replace(safe, targets=()))
                found[safe.way] = replace(safe, targets=(*before.targets, *safe.targets))
    return list(found.values())


def _way(operation: Repair) -> Way:
    ways = WAYS.get(operation.code)
    if ways is None:
        raise UserError(
            f'There is no repair for "{operation.code}".', where="code", do=f"Known: {', '.join(WAYS)}."
        )
    if not operation.way:
        return ways[0]
    way = next((way for way in ways if way.name == operation.way), None)
    if way is None:
        known = ", ".join(way.name for way in ways)
        raise UserError(
            f'"{operation.code}" has no way "{operation.way}".', where="way", do=f"Known: {known}."
        )
    return way


def _uids(session: Session, targets: tuple[Target, ...]) -> Uids:
    """The targets as uids, and what stands beside the array by its name (``temperature``, ``tools[0].name``).

    A uid that is not there stands for something that was mended away.
    """
    found: list[str] = []
    for target in targets:
        if isinstance(target, str) and (target == "messages" or not target.startswith("messages")):
            found.append(target)
            continue
        spot = find(session, target)
        entry = session.messages[spot.message]
        found.append(entry.uid if spot.block is None else entry.heads[spot.block].uid)
    return tuple(found)
