"""The command line: what the page does, without a browser, and for checking transcripts in CI.

Exit codes: 0 fine, 1 something was found or lost, 2 a ``UserError`` or a wrong use, in one line on standard
error. Running the loop and serving the endpoint are in ``tape.cli_run``; the commands only call the core.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence

import tape
from tape import cli_lint, cli_list, cli_run, cli_usage
from tape.cli_files import add_file, add_out, choose, load, print_json, read, say, write
from tape.edits import apply, from_json, sentence
from tape.errors import UserError
from tape.formats import FORMATS, writable
from tape.formats.base import Dumped
from tape.model import Json
from tape.report import report
from tape.rules import ENDPOINTS
from tape.visible import one_line


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code. Never shows a traceback for what the user can mend."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    args = build_parser().parse_args(argv)
    try:
        code: int = args.command(args)
        sys.stdout.flush()
    except UserError as error:
        say(f"tape: {one_line(error.sentence)}")
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; give the interpreter nowhere to complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def build_parser() -> argparse.ArgumentParser:
    """The commands and their options; each sets ``command`` to the function that carries it out."""
    parser = argparse.ArgumentParser(
        prog="python -m tape", description="Read, check, edit and run agent transcripts."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    one = commands.add_parser("report", help="what is in a transcript, as one JSON object")
    add_file(one)
    _add_endpoint(one)
    one.set_defaults(command=_report)

    cli_list.add_command(commands)
    cli_lint.add_command(commands)
    cli_usage.add_command(commands)

    one = commands.add_parser("convert", help="the session in another format")
    add_file(one)
    names = ", ".join(format.name for format in writable())
    one.add_argument("--to", required=True, metavar="FORMAT", help=f"source (as it came), {names}")
    add_out(one)
    one.set_defaults(command=_convert)

    one = commands.add_parser("edit", help="apply operations, given as JSON")
    add_file(one)
    one.add_argument("--op", metavar="JSON", action="append", required=True, help="one operation; repeatable")
    add_out(one)
    one.set_defaults(command=_edit)

    cli_run.add_commands(commands)

    one = commands.add_parser("formats", help="the formats that can be read and written")
    one.add_argument("--json", action="store_true", help="as a JSON list")
    one.set_defaults(command=_formats)
    return parser


def _add_endpoint(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--endpoint", metavar="E", default="anthropic", choices=ENDPOINTS, help="whose rules apply"
    )
    parser.add_argument("--model", metavar="M", help="the model to assume instead of the session's own")


def _report(args: argparse.Namespace) -> int:
    reading = read(args)
    number, session = choose(reading, args.select)
    print_json(report(reading, session, number, endpoint=args.endpoint, model=args.model))
    return 0


def _convert(args: argparse.Namespace) -> int:
    session = load(args)
    return _write_dumped(tape.convert(session, args.to), args.out)


def _edit(args: argparse.Namespace) -> int:
    session = load(args)
    for text in args.op:
        operation = from_json(_parsed(text))
        changed = apply(session, operation)
        say(one_line(sentence(session, operation)))
        session = changed
    return _write_dumped(tape.dump(session), args.out)


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UserError(f"This is not JSON: {text[:80]}", where="--op", do="Give one JSON object.") from error


def _write_dumped(dumped: Dumped, out: str | None) -> int:
    write(dumped.data, out)
    for note in dumped.losses:
        say(f"{note.where}: {one_line(note.text)}" if note.where else one_line(note.text))
    return 1 if dumped.losses else 0


def _formats(args: argparse.Namespace) -> int:
    rows = [
        {
            "name": format.name,
            "label": format.label,
            "written_by": format.written_by,
            "write": format.write is not None,
            "evidence": format.evidence,
        }
        for format in FORMATS
    ]
    if args.json:
        print_json(rows)
        return 0
    width = max(len(format.name) for format in FORMATS)
    for format in FORMATS:
        can = "read, write" if format.write else "read"
        print(f"{format.name:<{width}}  {can:<11}  {format.label}, written by {format.written_by}")
    return 0
