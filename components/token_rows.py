"""The numbers behind the token chart and its table: one row a turn, in tokens and in USD.

What tokens are, which ones are estimated and what they cost is decided in ``tape.usage``; drawing them is
``components.token_chart``'s.
"""

from __future__ import annotations

from html import escape

import pandas as pd

from tape.call_table import call_table
from tape.model import Message, Session
from tape.turns import Turn
from tape.usage import SessionUsage
from tape.visible import one_line

BARS_MAX = 60
BARS_JOINED = 48
PARTS = ("cache_read", "cache_write", "fresh", "output")
NAMES = 3


RENAMED = {"sent": "prompt", "usd": "usd_prompt", "sub_agents": "agents", "usd_sub_agents": "usd_agents"}


def rows(session: Session, turns: tuple[Turn, ...], used: SessionUsage) -> pd.DataFrame:
    """The table of ``tape.call_table`` as a frame.

    ``cache_read``, ``cache_write``, ``fresh``, ``output`` and ``prompt`` are tokens, ``so_far`` the prompts
    added up; the same with ``usd_`` in front are USD, where ``usd_prompt`` is the whole call. ``agents`` and
    ``usd_agents`` are what the sub-agents spent that the turn started. What is not known is missing.
    """
    table = call_table(session, turns, used)
    return framed([{RENAMED.get(name, name): value for name, value in row.items()} for row in table])


def framed(found: list[dict[str, object]]) -> pd.DataFrame:
    """The rows as a frame with the right types, the running sums, and where each row stands on the axis of
    turns: ``span`` turns wide around ``middle``."""
    counts = [*PARTS, "prompt", "agents"]
    money = [f"usd_{name}" for name in counts]
    columns = ["turn", "uid", *counts, *money, "estimated", "compacted", "edited"]
    frame = pd.DataFrame(found, columns=columns)
    frame[counts] = frame[counts].astype("Int64")
    frame[money] = frame[money].astype("Float64")
    frame["so_far"] = frame["prompt"].cumsum(skipna=False)
    frame["usd_so_far"] = frame["usd_prompt"].cumsum(skipna=False)
    frame["middle"], frame["span"] = frame["turn"].astype(float), 1
    return frame


def binned(frame: pd.DataFrame, most: int = BARS_MAX) -> tuple[pd.DataFrame, int]:
    """At most ``most`` rows, and how many turns each stands for; once turns are joined, at most
    ``BARS_JOINED`` rows, because every bar is several elements of the page.

    A row that stands for several turns is the one of them that sent most: prompts are levels, not flows, and
    a mean would be a call that never was. Running sums are those at the end of the bin, what sub-agents spent
    is added up, and a mark on any of the turns is one on the row.
    """
    size = -(-len(frame) // min(most, BARS_JOINED)) if len(frame) > most else 1
    if size == 1:
        return frame, 1
    groups = pd.Series(range(len(frame)), index=frame.index) // size
    largest = frame["prompt"].fillna(-1).groupby(groups).idxmax()
    picked = frame.loc[largest].reset_index(drop=True)
    for name in ("so_far", "usd_so_far"):
        picked[name] = frame[name].groupby(groups).last(skipna=False).to_numpy()
    for name in ("agents", "usd_agents"):
        picked[name] = frame[name].groupby(groups).sum(min_count=1).to_numpy()
    for name in ("compacted", "edited", "estimated"):
        picked[name] = frame[name].groupby(groups).any().to_numpy()
    picked["middle"] = frame["turn"].groupby(groups).mean().to_numpy(dtype=float)
    picked["span"] = size
    return picked, size


def cumulated(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with every part added up over the turns; unknown parts count as nothing here."""
    summed = frame.copy()
    for name in (*PARTS, "agents"):
        for column in (name, f"usd_{name}"):
            summed[column] = frame[column].fillna(0).cumsum()
    return summed


def described(session: Session, turns: tuple[Turn, ...], frame: pd.DataFrame) -> list[str]:
    """What each row's call sent, in words that are safe to show as HTML: which messages, and what is new."""
    return [_said(session, turns[int(number) - 1]) for number in frame["turn"]]


def _said(session: Session, turn: Turn) -> str:
    again, new = turn.new_from - turn.sent_from, session.messages[turn.new_from : turn.at]
    names = [f"#{turn.new_from + i} {named(entry)}" for i, entry in enumerate(new[:NAMES])]
    more = f" and {len(new) - NAMES} more" if len(new) > NAMES else ""
    said = f"new: {', '.join(names)}{more}" if names else "nothing new"
    return escape(f"sends {again:,} again, {said}")


def named(entry: Message) -> str:
    """A message in a few words: ``user``, ``assistant calls read_file``, ``user, 2 results``."""
    calls = [head.name or "" for head in entry.heads if head.kind == "tool_use"]
    results = sum(head.kind == "tool_result" for head in entry.heads)
    if calls:
        more = f" and {len(calls) - 1} more" if len(calls) > 1 else ""
        return f"{entry.role} calls {one_line(calls[0][:40])}{more}"
    if results:
        return f"{entry.role}, {results} result{'' if results == 1 else 's'}"
    return entry.role
