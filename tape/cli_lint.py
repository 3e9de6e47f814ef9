"""The command ``lint``: what an endpoint would refuse, for one file as findings with places, for many as one
line a finding and a summary, so that recorded transcripts can be gated in CI.

Exit codes: 1 where anything is refused, 2 where a named file cannot be read.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tape
from tape.cli_files import add_reading, choose, print_json, read_file, say, write
from tape.errors import UserError
from tape.formats.base import Reading
from tape.model import Session
from tape.repairs import fix_all_safe, sentence
from tape.report import finding_json
from tape.rules import ENDPOINTS, LABELS, Finding
from tape.rules.own import own_endpoint
from tape.visible import one_line

OWN = "own"
DEFAULT = "anthropic"


@dataclass(frozen=True)
class _Checked:
    """What was found in one conversation, ``number`` where its file holds several."""

    file: str
    number: int | None
    format: str
    endpoint: str
    findings: tuple[Finding, ...]

    @property
    def name(self) -> str:
        """The file's name, and the conversation's number behind it where there are several."""
        return self.file if self.number is None else f"{self.file}#{self.number}"


def add_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds ``lint``; it sets ``command`` to the function that carries it out."""
    one = commands.add_parser("lint", help="what an endpoint would refuse; exit code 1 if anything")
    one.add_argument(
        "files", metavar="FILE", nargs="+", help="transcripts or folders of them; - is standard input"
    )
    add_reading(one)
    one.add_argument(
        "--endpoint",
        metavar="E",
        choices=(*ENDPOINTS, OWN),
        help=f"whose rules apply: {', '.join(ENDPOINTS)}, or {OWN} for the one each file was recorded on",
    )
    one.add_argument("--model", metavar="M", help="the model to assume instead of the session's own")
    one.add_argument("--json", action="store_true", help="the findings as a JSON list")
    one.add_argument("--fix", metavar="OUT", help="write the session with all safe repairs applied")
    one.set_defaults(command=_lint)


def _lint(args: argparse.Namespace) -> int:
    many = len(args.files) > 1 or Path(args.files[0]).is_dir()
    if many and args.fix:
        raise UserError("--fix writes one file.", where="--fix", do="Give one FILE, no folder.")
    if args.fix:
        return _told(args, [_mended(args)], many=False)
    broken: list[str] = []
    passed: list[str] = []
    checked: list[_Checked] = []
    for name, inside in _files(args.files):
        try:
            reading = read_file(name, args.format)
            if inside and reading.format == "plain-text":
                passed.append(name)
            else:
                checked += _check(args, name, reading)
        except UserError as error:
            if not many:
                raise
            (passed if inside else broken).append(name)
            if not inside:
                say(f"{name}: {one_line(error.sentence)}")
    code = _told(args, checked, many=many, passed=len(passed))
    return 2 if broken else code


def _files(named: list[str]) -> Iterator[tuple[str, bool]]:
    """Every file to check, and whether it was only found in a folder, which may hold other files too."""
    for name in named:
        if name != "-" and Path(name).is_dir():
            for path in sorted(Path(name).rglob("*")):
                hidden = any(part.startswith(".") for part in path.relative_to(name).parts)
                if path.is_file() and not hidden:
                    yield str(path), True
        else:
            yield name, False


def _check(args: argparse.Namespace, name: str, reading: Reading) -> Iterator[_Checked]:
    """Lints the conversation that is asked for, else every one of the file."""
    count = len(reading.conversations)
    numbers = range(count) if args.select is None else [None]
    for number in numbers:
        session = choose(reading, args.select if number is None else str(number))[1]
        endpoint = _endpoint(args.endpoint, reading.format)
        found = tape.lint(session, endpoint, args.model)
        yield _Checked(name, number if count > 1 else None, reading.format, endpoint, found)


def _endpoint(asked: str | None, format: str) -> str:
    return (own_endpoint(format) or DEFAULT) if asked == OWN else asked or DEFAULT


def _mended(args: argparse.Namespace) -> _Checked:
    """Mends one conversation, says what was done, and lints what was written."""
    reading = read_file(args.files[0], args.format)
    session: Session = choose(reading, args.select)[1]
    endpoint = _endpoint(args.endpoint, reading.format)
    mended, done = fix_all_safe(session, endpoint, args.model)
    for repair in done:
        say(one_line(sentence(session, repair)))
    write(tape.dump(mended).data, args.fix)
    found = tape.lint(mended, endpoint, args.model)
    return _Checked(args.files[0], None, reading.format, endpoint, found)


def _told(args: argparse.Namespace, checked: list[_Checked], *, many: bool, passed: int = 0) -> int:
    """Prints what was found; gives the exit code."""
    every = [(one, finding) for one in checked for finding in one.findings]
    if args.json:
        print_json([_as_json(one, finding, many) for one, finding in every])
    else:
        for one, finding in every:
            print(_line(one, finding, many))
        print(_summary(checked, many, passed))
        if args.endpoint is None:
            _say_own(checked)
    return 1 if any(finding.severity == "refused" for _, finding in every) else 0


def _as_json(one: _Checked, finding: Finding, many: bool) -> dict[str, object]:
    place: dict[str, object] = {"file": one.file} if many else {}
    if one.number is not None:
        place["conversation"] = one.number
    return {**place, **finding_json(finding)}


def _line(one: _Checked, finding: Finding, many: bool) -> str:
    said = one_line(finding.text)
    if many:
        return f"{one_line(one.name)}:{finding.where}: {finding.code}: {finding.severity}: {said}"
    number = "" if one.number is None else f"#{one.number} "
    return f"{number}{finding.where}: {finding.severity}: {finding.code}: {said}"


def _summary(checked: list[_Checked], many: bool, passed: int) -> str:
    ranks = Counter[str](finding.severity for one in checked for finding in one.findings)
    total = sum(ranks.values())
    whose = " and ".join(dict.fromkeys(LABELS[one.endpoint] for one in checked)) or LABELS[DEFAULT]
    parts = [
        f"{ranks[rank]} {name}"
        for rank, name in (("refused", "refused"), ("risky", "risky"), ("hint", "hints"))
    ]
    told = f"{_count(total, 'finding')} for {whose}" + (f": {', '.join(parts)}" if total else "")
    if not many:
        return told
    files = _count(len({one.file for one in checked}), "transcript")
    bad = len({one.file for one in checked if any(f.severity == "refused" for f in one.findings)})
    others = f"; {_count(passed, 'file')} there of another kind" if passed else ""
    return f"{told}; {files}, {bad} refused{others}"


def _say_own(checked: list[_Checked]) -> None:
    """Says by whose rules a file was judged, where it was recorded on another endpoint."""
    others = dict.fromkeys(
        own for one in checked if (own := own_endpoint(one.format)) is not None and own != one.endpoint
    )
    for own in others:
        say(f"Judged for {LABELS[DEFAULT]}; recorded on {LABELS[own]}: see --endpoint {own}, or {OWN}.")


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"
