"""The commands that run: ``run`` continues a session's loop, ``endpoint`` serves the embedded endpoint.

``run`` prints the tape as it grows on standard output (on standard error when the session itself goes there).
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import tape
from tape.cli_files import add_file, add_out, load, say, write
from tape.edits import Append
from tape.edits.rewind import rewind
from tape.errors import UserError
from tape.model import Message, Provenance, Session, json_text
from tape.run_events import Ended, Event, NeedsResult
from tape.run_lines import event_json, event_lines
from tape.samples import workspaces
from tape.tools.base import ToolOutput, specs
from tape.tools.folder import Snapshot, folder_snapshot, sample_snapshot, zip_snapshot
from tape.tools.mapping import OUR_TOOLS
from tape.tools.results import MODES, Results
from tape.visible import json_escaped, one_line
from tape.wire import parse_message

if TYPE_CHECKING:
    from tape.agent import Limits, Run
    from tape.client import Target

BRANCH = "before the re-run"
PROFILES = ("anthropic", "strict")


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds ``run`` and ``endpoint``; each sets ``command`` to the function that carries it out."""
    one = commands.add_parser("run", help="continue the loop of a session and print the tape as it grows")
    add_file(one, optional=True)
    one.add_argument("--new", metavar="TEXT", help="start a new session with this user message")
    one.add_argument("--say", metavar="TEXT", help="put this user message at the end of FILE's array first")
    one.add_argument("--system", metavar="TEXT", help="the system prompt of a new session")
    one.add_argument(
        "--endpoint",
        metavar="E",
        default="embedded",
        help="embedded (the default), claude (the Claude API, key in ANTHROPIC_API_KEY), or a base URL",
    )
    one.add_argument("--key-from", metavar="NAME", help="environment variable with the key for a base URL")
    one.add_argument(
        "--profile", choices=PROFILES, default="anthropic", help="rules of the embedded endpoint"
    )
    one.add_argument("--model", metavar="M", help="the model to ask for")
    one.add_argument(
        "--from",
        dest="begin",
        metavar="N",
        type=int,
        help="run again from message N; later ones are a branch",
    )
    one.add_argument(
        "--mode",
        choices=tuple(MODES),
        default="live",
        help="where results come from: replay (recorded in FILE, else asked), hybrid (recorded, then the "
        "workspace, else asked) or live (the workspace; the default)",
    )
    one.add_argument(
        "--tools", metavar="WORKSPACE", help="the workspace to copy: a sample's name, a folder or a zip file"
    )
    one.add_argument(
        "--map",
        metavar="THEIRS=OURS",
        action="append",
        default=[],
        help="carry out calls of their tool by ours in the workspace, such as Bash=run_bash",
    )
    one.add_argument("--resume", action="store_true", help="first carry out the calls the array ends on")
    one.add_argument("--once", action="store_true", help="make one call and carry nothing out")
    one.add_argument("--max-calls", metavar="N", type=_count, default=20, help="calls at most (20)")
    one.add_argument("--max-output-tokens", metavar="N", type=_count, help="output tokens at most")
    one.add_argument("--max-seconds", metavar="S", type=_count, help="seconds at most")
    one.add_argument(
        "--max-usd", metavar="USD", type=_amount, help="USD at most, where calls are billed (0.50; 0: no cap)"
    )
    one.add_argument("--checkpoint", action="store_true", help="keep the session on disk after each turn")
    one.add_argument("--json", action="store_true", help="print events, one JSON object a line")
    add_out(one)
    one.set_defaults(command=_run)

    one = commands.add_parser("endpoint", help="serve the embedded endpoint on this computer")
    one.add_argument("--port", metavar="N", type=int, default=8080, help="8080; 0 takes a free one")
    one.add_argument("--profile", choices=PROFILES, default="anthropic", help="whose rules refuse an array")
    one.add_argument("--pace", metavar="S", type=float, default=0.015, help="seconds between streamed pieces")
    one.set_defaults(command=_serve)


def _run(args: argparse.Namespace) -> int:
    # Here and below: the SDK takes a second to load, which the other commands do not need.
    from tape.agent import run
    from tape.checkpoints import Keeper
    from tape.client import MODEL, Client

    original = session = _session(args)
    if args.begin is not None:
        session = rewind(session, _uid(session, args.begin), BRANCH)
    target = _target(args)
    if args.model or (target.kind == "embedded" and session.model is None):
        session = replace(session, params={**session.params, "model": args.model or MODEL})
    results = Results(args.mode, original, _snapshot(args.tools), _mapping(args.map))
    keeper = Keeper(Path(args.file or "new").name, session.title) if args.checkpoint else None
    with results.open(session) as opened, Client(target) as client:
        if opened.tools and not session.tools:
            session = replace(session, tools=specs(opened.tools))
        events = run(
            session,
            client,
            opened.sources,
            _limits(args, billed=target.kind != "embedded"),
            once=args.once,
            resume=args.resume,
            by_hand=opened.by_hand,
            keeper=keeper,
        )
        end = _followed(events, sys.stderr if args.out == "-" else sys.stdout, as_json=args.json)
    losses = _written(end.session, args.out)
    return 1 if losses or end.reason in ("refused", "failed", "needs_result") else 0


def _followed(events: Run, shown: TextIO, *, as_json: bool) -> Ended:
    """Shows the events as they come; what no source has a result for is asked for where somebody is there."""
    given: ToolOutput | None = None
    while True:
        event = events.send(given)
        _show(event, shown, as_json=as_json)
        if isinstance(event, Ended):
            return event
        given = _asked(event) if isinstance(event, NeedsResult) and sys.stdin.isatty() else None


def _asked(event: NeedsResult) -> ToolOutput | None:
    """What a person at the terminal says that a call returned; ``None`` when they end the run."""
    say(one_line(f"{event.call.name} {json_text(event.call.input)}"))
    say("What does it return? End with a line that holds a dot; begin with 'error: ' for an error.")
    lines: list[str] = []
    for text in sys.stdin:
        if text.rstrip("\n") == ".":
            said = "\n".join(lines)
            return ToolOutput(said.removeprefix("error: "), said.startswith("error: "))
        lines.append(text.rstrip("\n"))
    return None


def _uid(session: Session, number: int) -> str:
    if not 0 <= number < len(session.messages):
        raise UserError(
            f"There is no message {number}.",
            where="--from",
            do=f"There are {len(session.messages)}, from 0 on.",
        )
    return session.messages[number].uid


def _snapshot(named: str | None) -> Snapshot | None:
    """The workspace: a sample's, a folder, or a zip file."""
    if named is None:
        return None
    if named in workspaces():
        return sample_snapshot(named)
    path = Path(named)
    if path.is_file():
        return zip_snapshot(path.read_bytes(), path.name)
    if path.is_dir():
        return folder_snapshot(path)
    raise UserError(
        "There is no such workspace.",
        where="--tools",
        do=f"Give a folder, a zip file or one of {', '.join(workspaces())}.",
    )


def _mapping(pairs: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs:
        theirs, sign, ours = pair.rpartition("=")
        if not sign or ours not in OUR_TOOLS:
            raise UserError(
                "A mapping is THEIRS=OURS.", where="--map", do=f"Ours is one of {', '.join(OUR_TOOLS)}."
            )
        found[theirs] = ours
    return found


def _limits(args: argparse.Namespace, *, billed: bool) -> Limits:
    from tape.agent import LIVE_LIMITS, Limits

    live = LIVE_LIMITS if billed else Limits()
    usd = live.usd if args.max_usd is None else args.max_usd or None
    unpriced = live.unpriced_tokens if usd is not None else None
    return Limits(args.max_calls, args.max_output_tokens, usd, unpriced, args.max_seconds)


def _session(args: argparse.Namespace) -> Session:
    if (args.file is None) == (args.new is None):
        raise UserError("Nothing to run.", do="Give a FILE, or --new TEXT.")
    if args.file is not None:
        if args.system is not None:
            raise UserError("--system is for a new session.", do="Change a file with `edit`.")
        session = load(args)
        said = [{"role": "user", "content": args.say}]
        return session if args.say is None else tape.apply(session, Append(tuple(said)))
    if args.say is not None:
        raise UserError("--say goes on with a FILE.", do="A new session has --new alone.")
    return Session(messages=(_first(args.new),), system=args.system, serial=1)


def _first(text: str) -> Message:
    typed = Provenance("inserted", "typed on the command line")
    return parse_message({"role": "user", "content": text}, "n0", provenance=typed)


def _target(args: argparse.Namespace) -> Target:
    from tape.client import claude_api, custom, embedded

    if args.endpoint == "embedded":
        return embedded(args.profile, pace=0.0)
    if args.endpoint == "claude":
        return claude_api()
    key = os.environ.get(args.key_from) if args.key_from else None
    if args.key_from and not key:
        raise UserError(f"There is no environment variable {args.key_from}.", where="--key-from")
    return custom(args.endpoint, key)


def _show(event: Event, out: TextIO, *, as_json: bool) -> None:
    told = json_escaped(json.dumps(event_json(event), ensure_ascii=False)) if as_json else ""
    for one in [told] if as_json else event_lines(event):
        print(one, file=out, flush=True)


def _written(session: Session, out: str | None) -> bool:
    """Write the session if it is wanted; whether anything of it could not be carried."""
    if out is None:
        return False
    dumped = tape.dump(session)
    write(dumped.data, out)
    for loss in dumped.losses:
        say(one_line(f"{loss.where}: {loss.text}" if loss.where else loss.text))
    return bool(dumped.losses)


def _serve(args: argparse.Namespace) -> int:
    import uvicorn

    from tape.endpoint.app import create_app

    listening = _listening(args.port)
    port = listening.getsockname()[1]
    config = uvicorn.Config(create_app(args.profile, args.pace), log_level="warning", lifespan="off")
    say(f"Scripted answers, {args.profile} rules: http://127.0.0.1:{port} (Ctrl-C ends it)")
    uvicorn.Server(config).run(sockets=[listening])
    return 0


def _listening(port: int) -> socket.socket:
    """A socket on the loopback address. Raises ``UserError`` where the port cannot be had."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"Port {port} cannot be had: {reason}.", do="Choose another with --port.") from error
    return listening


def _amount(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError("must be 0 or more")
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number
