"""``python -m tape list``: the conversations of a file with title, date, size and counts, to select one."""

from __future__ import annotations

import argparse
from typing import Any

from tape.cli_files import add_format, print_json, read, say
from tape.formats.base import Conversation
from tape.listing import Counts, counted, matching, moment_of, size_of, title_of
from tape.visible import one_line

LONGEST_ID = 40


def add_command(commands: Any) -> None:
    """Adds the command to the parser's."""
    one = commands.add_parser("list", help="the conversations of a file, to --select one")
    one.add_argument("file", metavar="FILE", help="a transcript; - reads standard input")
    add_format(one)
    one.add_argument("--search", metavar="WORDS", default="", help="only those with all words in the title")
    one.add_argument("--json", action="store_true", help="as a JSON list")
    one.set_defaults(command=_list)


def _list(args: argparse.Namespace) -> int:
    reading = read(args)
    several = reading.conversations
    numbers = matching(several, args.search)
    if args.json:
        print_json([_row(number, several[number], counted(several[number])) for number in numbers])
        return 0
    wide = max((len(one_line(several[number].id)) for number in numbers), default=0)
    wide = max(2, min(wide, LONGEST_ID))
    place = max(1, len(str(len(several) - 1)))
    print(f"{'#':>{place}}  {'date':<16}  {'size':>9}  {'messages':>8}  {'turns':>5}  {'id':<{wide}}  title")
    for number in numbers:
        one = several[number]
        found = counted(one)
        counts = (f"{found.messages:,}", f"{found.turns:,}") if found else ("-", "-")
        row = f"{number:>{place}}  {moment_of(one) or '-':<16}  {size_of(one) or '-':>9}  {counts[0]:>8}"
        print(f"{row}  {counts[1]:>5}  {one_line(one.id):<{wide}}  {title_of(one)}")
    if not numbers:
        say(f"No title of {len(several):,} holds these words.")
    return 0


def _row(number: int, one: Conversation, found: Counts | None) -> dict[str, Any]:
    return {
        "number": number,
        "id": one.id,
        "title": one.title or None,
        "date": one.date,
        "size_bytes": one.size,
        "messages": found and found.messages,
        "turns": found and found.turns,
    }
