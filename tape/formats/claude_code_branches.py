"""Real forks of a Claude Code session: prompts that were taken back and asked again in other words.

The ``parentUuid`` of lines makes a tree, but it branches at every parallel call too, stops at compactions
and points to lines that are not there, so it decides nothing but this: where two texts that a person typed
share a parent, the branch with the last timestamp is the session, the others were left.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tape.formats.claude_lines import Line, Side

Item = Line | Side


@dataclass(frozen=True, slots=True)
class Left:
    """A branch that was left: the uuid of the line it hangs on, and its lines in file order."""

    parent: str
    items: list[Item]


def split(items: list[Item]) -> tuple[list[Item], list[Left]]:
    """The lines of the session as it went on, and the branches it left, each in file order."""
    forks = _forks(items)
    if not forks:
        return items, []
    prompts = {line.uuid: line for lines in forks.values() for line in lines if line.uuid}
    above = _nearest(items, prompts)
    latest = _latest(items, above)
    left: dict[str, Left] = {}
    for parent, lines in forks.items():
        best = max(lines, key=lambda line: latest[line.uuid or ""])
        left.update({line.uuid: Left(parent, []) for line in lines if line is not best and line.uuid})
    shown: list[Item] = []
    for item in items:
        home = next((uuid for uuid in _path(item.uuid, above) if uuid in left), None)
        (left[home].items if home else shown).append(item)
    return shown, list(left.values())


def circle(items: list[Item]) -> list[Item]:
    """The lines of the first circle of parents, in file order; none where the parents lead upwards. Lines
    that share a uuid name nobody, and one that names itself leads nowhere."""
    times = Counter(item.uuid for item in items)
    by_uuid = {item.uuid: item for item in items if item.uuid and times[item.uuid] == 1}
    seen: set[str] = set()
    for uuid in by_uuid:
        way: dict[str, Item] = {}
        at: str | None = uuid
        while at in by_uuid and at not in seen:
            seen.add(at)
            way[at] = by_uuid[at]
            at = by_uuid[at].parent
        if at in way and by_uuid[at].parent != at:
            around = list(way.values())[list(way).index(at) :]
            return sorted(around, key=lambda item: item.record)
    return []


def _forks(items: list[Item]) -> dict[str, list[Line]]:
    """The typed lines by the parent they share, where there are several."""
    children: dict[str, list[Line]] = {}
    for item in items:
        if isinstance(item, Line) and item.uuid and item.parent and _is_prompt(item):
            children.setdefault(item.parent, []).append(item)
    return {parent: lines for parent, lines in children.items() if len({line.uuid for line in lines}) > 1}


def _is_prompt(line: Line) -> bool:
    written = {"queued", "summary", "meta"} & set(line.marks)
    return line.role == "user" and line.typed and not line.answers and not written


def _nearest(items: list[Item], prompts: dict[str, Line]) -> dict[str, str | None]:
    """For each uuid the nearest forked prompt at or above it, and for each such prompt (under ``^uuid``) the
    nearest one above it. Cycles and parents that are not there end the way up."""
    parents = {item.uuid: item.parent for item in items if item.uuid}
    known: dict[str, str | None] = {}

    def above(start: str | None) -> str | None:
        way: list[str] = []
        at, found = start, None
        while at is not None:
            if at in known:
                found = known[at]
                break
            known[at] = None
            way.append(at)
            if at in prompts:
                found = at
                break
            at = parents.get(at)
        for uuid in way:
            known[uuid] = found
        return found

    for item in items:
        if item.uuid:
            above(item.uuid)
    for uuid, line in prompts.items():
        known[f"^{uuid}"] = above(line.parent)
    return known


def _path(uuid: str | None, above: dict[str, str | None]) -> list[str]:
    """The forked prompts from a line upwards."""
    way: list[str] = []
    at = above.get(uuid) if uuid else None
    while at is not None and at not in way:
        way.append(at)
        at = above.get(f"^{at}")
    return way


def _latest(items: list[Item], above: dict[str, str | None]) -> dict[str, tuple[str, int]]:
    """For each forked prompt the last timestamp under it, and the number of its last line."""
    latest: dict[str, tuple[str, int]] = {}
    for item in items:
        at = (item.at or "") if isinstance(item, Line) else ""
        for uuid in _path(item.uuid, above):
            stamp, record = latest.get(uuid, ("", 0))
            latest[uuid] = (max(stamp, at), max(record, item.record))
    return latest
