"""The table of calls: a row a turn with its tokens, its cost and what its sub-agents spent, as plain values.

The page's chart and the command line have it from here. What tokens are is decided in ``tape.usage``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from tape.model import Session
from tape.turns import Turn
from tape.usage import SessionUsage, Totals

CHANGED = ("edited", "inserted")
FORMULA = "=+-@\t\r"
COLUMNS = (
    *("turn", "model", "cache_read", "cache_write", "fresh", "output", "sent", "sent_so_far"),
    *("usd_cache_read", "usd_cache_write", "usd_fresh", "usd_output", "usd", "usd_so_far"),
    *("sub_agents", "usd_sub_agents", "estimated", "compacted", "edited", "uid"),
)


def call_table(session: Session, turns: tuple[Turn, ...], used: SessionUsage) -> list[dict[str, Any]]:
    """One row a turn with the keys of ``COLUMNS``: tokens as integers, USD as floats, ``None`` for what is
    not known. ``usd`` is the whole call. ``sub_agents`` is what those spent that the turn started; ``edited``
    says that messages are new in it which were edited or inserted, ``compacted`` that a compaction came
    before it. A running sum is ``None`` from the first unknown value on: it would be too small."""
    found = []
    sent: int | None = 0
    usd: Decimal | None = Decimal(0)
    for turn, one in zip(turns, used.turns, strict=True):
        spent, paid, helped = one.usage, one.bill, used.agents.get(one.message_uid)
        sent = None if sent is None or spent.prompt is None else sent + spent.prompt
        usd = None if usd is None or paid is None else usd + paid.usd
        found.append(
            {
                "turn": turn.index,
                "model": one.model,
                "cache_read": spent.cache_read,
                "cache_write": spent.cache_write,
                "fresh": spent.input,
                "output": spent.output,
                "sent": spent.prompt,
                "sent_so_far": sent,
                "usd_cache_read": paid and float(paid.cache_read),
                "usd_cache_write": paid and float(paid.cache_write),
                "usd_fresh": paid and float(paid.fresh),
                "usd_output": paid and float(paid.output),
                "usd": paid and float(paid.usd),
                "usd_so_far": None if usd is None else float(usd),
                "sub_agents": helped.spent if helped else None,
                "usd_sub_agents": _dollars(helped),
                "estimated": spent.source != "recorded",
                "compacted": turn.sent_from > 0 and turn.new_from == turn.sent_from,
                "edited": any(
                    entry.provenance.origin in CHANGED for entry in session.messages[turn.new_from : turn.at]
                ),
                "uid": turn.message_uid,
            }
        )
    return found


def _dollars(spent: Totals | None) -> float | None:
    return None if spent is None or spent.cost.usd is None else float(spent.cost.usd)


def as_csv(rows: Iterable[dict[str, Any]]) -> bytes:
    """The rows as CSV in UTF-8, unknown values empty. A name that a spreadsheet would take for a formula gets
    an apostrophe in front."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS[:-1], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        model = row["model"]
        writer.writerow({**row, "model": f"'{model}" if str(model or "")[:1] in FORMULA and model else model})
    return out.getvalue().encode("utf-8", "replace")
