"""``python -m tape usage``: what each call of a transcript sent, got and cost, as text, CSV or JSON."""

from __future__ import annotations

import argparse
import json
from typing import Any

import tape
from tape.call_table import as_csv, call_table
from tape.claude_counting import count, error_said
from tape.cli_files import add_file, add_out, load, write
from tape.context import Counts
from tape.counting import Estimate
from tape.model import Session
from tape.pricing import as_of, source
from tape.usage import SessionUsage, usage
from tape.visible import json_escaped, one_line

SHOWN = ("turn", "cache_read", "cache_write", "fresh", "output", "sent", "sent_so_far", "usd")


def add_command(commands: Any) -> None:
    """Adds the command to the parser's."""
    one = commands.add_parser("usage", help="what each call sent and cost, and the sums")
    add_file(one)
    form = one.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="the table of calls as CSV")
    form.add_argument("--json", action="store_true", help="the table and the sums as one JSON object")
    add_out(one)
    one.set_defaults(command=_usage)


def _usage(args: argparse.Namespace) -> int:
    session = load(args)
    used, estimate = counted(session)
    rows = call_table(session, tape.turns(session), used)
    if args.csv:
        made = as_csv(rows)
    elif args.json:
        made = json_escaped(json.dumps(summary(used, estimate, rows), ensure_ascii=False, indent=1)).encode()
        made += b"\n"
    else:
        made = "\n".join([*_table(rows), "", *_sums(used, estimate), ""]).encode()
    write(made, args.out)
    return 0


def counted(session: Session) -> tuple[SessionUsage, Estimate | None]:
    """The usage of a session, and the estimate in it: counted where this Python can, else by characters;
    ``None`` where nothing had to be estimated."""
    used = usage(session)
    if used.source != "estimated" and used.context_source != "estimated":
        return used, None
    estimate = count(session) or Counts(session).estimate
    return usage(session, estimate), estimate


def summary(used: SessionUsage, estimate: Estimate | None, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The sums, the lanes and the rows; tokens and USD, ``None`` for what is not known."""
    total = used.total
    return {
        "calls": total.calls,
        "context_now": used.context_now,
        "context_source": used.context_source,
        "window": used.window,
        "processed": total.spent,
        "cost_usd": None if total.cost.usd is None else float(total.cost.usd),
        "cost": str(total.cost),
        "unpriced_tokens": total.cost.unpriced_tokens,
        "uncounted_responses": total.cost.uncounted,
        "inherited": used.inherited.spent,
        "prices": f"{source()}, as of {as_of()}",
        "estimated_by": None if estimate is None else f"{estimate.method} ({error_said(estimate)})",
        "lanes": {
            name: {"calls": lane.calls, "processed": lane.spent} for name, lane in used.by_lane.items()
        },
        "turns": rows,
    }


def _table(rows: list[dict[str, Any]]) -> list[str]:
    lines = [[name.replace("_", " ") for name in SHOWN]]
    for row in rows:
        guess = "≈" if row["estimated"] else ""
        cells = [str(row["turn"])]
        cells += ["–" if row[name] is None else f"{guess}{row[name]:,}" for name in SHOWN[1:-1]]
        cells.append("–" if row["usd"] is None else f"{guess}${row['usd']:.4f}")
        lines.append(cells)
    widths = [max(len(line[i]) for line in lines) for i in range(len(SHOWN))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]


def _sums(used: SessionUsage, estimate: Estimate | None) -> list[str]:
    guess = "≈ " if used.context_source == "estimated" else ""
    of = f" of {used.window:,}" if used.window else "; the window of this model is not known"
    spent = used.total.spent
    lines = [
        f"context now: {guess}{used.context_now:,} tokens{of}",
        f"processed: {'not recorded' if spent is None else f'{spent:,} tokens'}, all calls together",
        f"cost: {used.total.cost} ({source()}, as of {as_of()})",
    ]
    if len(used.by_lane) > 1:
        for name, lane in used.by_lane.items():
            tokens = "not recorded" if lane.spent is None else f"{lane.spent:,} tokens"
            lines.append(f"  {one_line(name)}: {lane.calls} calls, {tokens}")
    if used.inherited.spent:
        lines.append(f"copied from another session and paid there: {used.inherited.spent:,} tokens")
    if estimate is not None:
        lines.append(f"≈ estimated: {estimate.method} ({error_said(estimate)})")
    return lines
