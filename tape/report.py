"""A session as one JSON object: what it holds, how its calls and results pair, what it used, what is wrong.

The shape is a promise to scripts: keys are added, never renamed. What is unknown is ``None``, never 0.
Counts, links and turns speak of the main array, the branch that the session continued on; ``usage`` sums
sub-agents and abandoned branches too and tells them apart in ``by_lane``.
"""

from __future__ import annotations

from typing import Any

import tape
from tape.formats.base import Reading
from tape.model import Session
from tape.notes import Note
from tape.rules import Finding
from tape.secrets import counted
from tape.threads import Threads
from tape.turns import Turn
from tape.usage import SessionUsage, Totals, TurnUsage, usage
from tape.usage_forms import added

SUMS = ("fresh_input", "cache_write", "cache_read", "output")


def report(
    reading: Reading, session: Session, number: int, *, endpoint: str = "anthropic", model: str | None = None
) -> dict[str, Any]:
    """The report of conversation ``number`` (from 0) of a reading, with ``session`` what it loaded.

    Findings are those of ``endpoint``; ``model`` is assumed in place of the session's own. Raises
    ``UserError`` for an endpoint that is not known.
    """
    pairs, cut = tape.threads(session), tape.turns(session)
    used = usage(session)
    return {
        "format": reading.format,
        "confidence": reading.confidence,
        "why": reading.why,
        "conversations": len(reading.conversations),
        "conversation": number,
        "title": session.title or None,
        "model": model or session.model,
        "counts": _counts(session, pairs, cut),
        "links": _links(pairs),
        "unlinked": [
            {"id": one.id, "where": pairs.place(one.uid), "state": one.state} for one in pairs.unlinked
        ],
        "usage": _usage(used),
        "turns": _turns(cut, used),
        "findings": [finding_json(one) for one in tape.lint(session, endpoint, model)],
        "secrets": counted(session),
        "notes": [_note(one) for one in dict.fromkeys((*reading.notes, *session.notes))],
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding with its repairs, safe ones first."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "where": finding.where,
        "text": finding.text,
        "why": finding.why,
        "vendor_text": finding.vendor_text,
        "last_seen": finding.last_seen,
        "repairs": [{"label": one.label, "safe": one.safe} for one in finding.repairs],
    }


def _counts(session: Session, pairs: Threads, cut: tuple[Turn, ...]) -> dict[str, int]:
    roles = [entry.role for entry in session.messages]
    kinds = [head.kind for entry in session.messages for head in entry.heads]
    return {
        "messages": len(roles),
        "user": roles.count("user"),
        "assistant": roles.count("assistant"),
        "system": roles.count("system"),
        "blocks": len(kinds),
        "tool_uses": kinds.count("tool_use"),
        "tool_results": kinds.count("tool_result"),
        "links": len(pairs.links),
        "turns": len(cut),
        "responses": len(session.calls),
        "lanes": len(session.lanes),
        "branches": len(session.branches),
        "compactions": sum(entry.restarts for entry in session.messages)
        + sum(aside.kind == "compacted" for aside in session.asides),
        "asides": len(session.asides),
    }


def _links(pairs: Threads) -> list[dict[str, str]]:
    return [
        {
            "id": link.id,
            "call": pairs.place(link.call_uid),
            "result": pairs.place(link.result_uid),
            "state": link.state,
        }
        for link in pairs.links
    ]


def _note(note: Note) -> dict[str, str]:
    return {"where": note.where, "kind": note.kind, "text": note.text}


def _usage(used: SessionUsage) -> dict[str, Any]:
    by_lane = {name: _totals(totals) for name, totals in used.by_lane.items()}
    if used.source == "estimated":
        by_lane["main"] = {**by_lane["main"], **_estimated(used.turns)}
    lanes = list(by_lane.values())
    return {
        "source": used.source,
        **{name: added(*(lane[name] for lane in lanes)) for name in SUMS},
        "prompt_last": used.turns[-1].usage.prompt if used.turns else None,
        "context_now": used.context_now,
        "context_source": used.context_source,
        "window": used.window,
        "cost_usd": _dollars(used.total),
        "unpriced_tokens": _unpriced(used.total),
        "uncounted_responses": used.total.cost.uncounted,
        "by_lane": by_lane,
    }


def _totals(totals: Totals) -> dict[str, Any]:
    return {
        "responses": totals.calls,
        **{name: getattr(totals, name) for name in SUMS},
        "cost_usd": _dollars(totals),
        "unpriced_tokens": _unpriced(totals),
    }


def _unpriced(totals: Totals) -> int | None:
    """Tokens without a price; unknown where no response has a count that a price could be asked for."""
    counted = totals.cost.usd is not None or totals.cost.unpriced_tokens
    return totals.cost.unpriced_tokens if counted else None


def _estimated(turns: tuple[TurnUsage, ...]) -> dict[str, int | None]:
    """The sums of the main array with what was not recorded estimated."""
    spent = [one.usage for one in turns]
    return {
        "fresh_input": added(*(one.input for one in spent)),
        "cache_write": added(*(one.cache_write for one in spent)),
        "cache_read": added(*(one.cache_read for one in spent)),
        "output": added(*(one.output for one in spent)),
    }


def _dollars(totals: Totals) -> float | None:
    return None if totals.cost.usd is None else float(totals.cost.usd)


def _turns(cut: tuple[Turn, ...], used: SessionUsage) -> list[dict[str, Any]]:
    return [
        {
            "index": turn.index,
            "call": f"messages[{turn.at}]",
            "new_from": f"messages[{turn.new_from}]",
            "prompt": spent.usage.prompt,
            "output": spent.usage.output,
            "cumulative": spent.cumulative,
            "source": spent.usage.source,
        }
        for turn, spent in zip(cut, used.turns, strict=True)
    ]
