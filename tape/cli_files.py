"""What the commands share: the FILE argument, choosing a conversation, and writing the result.

Everything is UTF-8 by name, whatever the locale says. Not here: what any command does with a session.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import tape
from tape.errors import UserError
from tape.formats.base import Reading
from tape.model import Session
from tape.secrets import mask
from tape.visible import json_escaped


def add_file(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Adds ``FILE``, ``--format`` and ``--select`` to a command."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?" if optional else None,
        help="a transcript; - reads standard input",
    )
    add_reading(parser)


def add_format(parser: argparse.ArgumentParser) -> None:
    """Adds ``--format`` to a command."""
    parser.add_argument("--format", metavar="F", help="read as this format instead of detecting it")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Adds ``--format`` and ``--select`` to a command."""
    add_format(parser)
    parser.add_argument(
        "--select", metavar="N|ID", help="which conversation, by number from 0 or by id; list shows them"
    )


def add_out(parser: argparse.ArgumentParser) -> None:
    """Adds ``-o OUT`` to a command."""
    parser.add_argument("-o", "--out", metavar="OUT", help="where to write; standard output if absent or -")


def read(args: argparse.Namespace) -> Reading:
    """Reads the file the command names. Raises ``UserError`` where there is nothing to show."""
    return read_file(args.file, args.format)


def read_file(name: str, format: str | None) -> Reading:
    """Reads a file, or standard input for ``-``. Raises ``UserError`` where there is nothing to show."""
    if name == "-":
        return tape.read(sys.stdin.buffer, name="standard input", format=format)
    return tape.read(Path(name), format=format)


def choose(reading: Reading, select: str | None) -> tuple[int, Session]:
    """The number and the session of the conversation asked for, the first by default.

    Raises ``UserError`` for a number or id that the file does not have.
    """
    conversations = reading.conversations
    if select is None:
        if len(conversations) > 1:
            many = f"{len(conversations):,}"
            say(f"This is the first of {many} conversations; list shows all, --select takes one.")
        return 0, conversations[0].load()
    if select.isdecimal() and int(select) < len(conversations):
        return int(select), conversations[int(select)].load()
    for number, conversation in enumerate(conversations):
        if conversation.id == select:
            return number, conversation.load()
    raise UserError(
        f"There is no conversation {select!r}; the file has {len(conversations)}.",
        do="Choose one by its number, counted from 0, or by its id; python -m tape list shows them.",
    )


def load(args: argparse.Namespace) -> Session:
    """The session that the command names."""
    return choose(read(args), args.select)[1]


def write(data: bytes, out: str | None) -> None:
    """Writes to the file ``out``, whole or not at all, else to standard output.

    A file is replaced, never rewritten in place: it may be the very file that the session still reads from.
    """
    if out in (None, "-"):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    target = Path(str(out))
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            file.write(data)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(file.name).chmod(mode)
        Path(file.name).replace(target)
    except OSError as error:
        raise UserError(f"Cannot write: {error.strerror}.", where=str(target)) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def print_json(value: Any) -> None:
    """One JSON value on standard output."""
    print(mask(json_escaped(json.dumps(value, ensure_ascii=False, indent=1))))


def say(text: str) -> None:
    """One line on standard error, so that standard output holds only the result."""
    print(text, file=sys.stderr)
