"""The commands that run: ``run`` continues a session's loop, ``endpoint`` serves the embedded endpoint.

``run`` prints the tape as it grows on standard output (on standard error when the session itself goes there).
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

import tape
from tape.cli_files import add_file, add_out, load, say, write
from tape.edits import Append
from tape.errors import UserError
from tape.model import Message, Provenance, Session
from tape.run_events import Ended, Event
from tape.run_lines import event_json, event_lines
from tape.samples import workspace
from tape.tools.base import Source, specs
from tape.tools.files import WorkspaceTools, caught_up, file_tools
from tape.tools.memory import MemoryWorkspace
from tape.tools.recorded import RecordedTools
from tape.visible import json_escaped, one_line
from tape.wire import parse_message

if TYPE_CHECKING:
    from tape.client import Target

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
    one.add_argument("--tools", metavar="WORKSPACE", help="file tools over a sample workspace, in memory")
    one.add_argument("--recorded", action="store_true", help="answer calls with the session's own results")
    one.add_argument("--resume", action="store_true", help="first carry out the calls the array ends on")
    one.add_argument("--once", action="store_true", help="make one call and carry nothing out")
    one.add_argument("--max-calls", metavar="N", type=_count, default=20, help="calls at most (20)")
    one.add_argument("--max-output-tokens", metavar="N", type=_count, help="output tokens at most")
    one.add_argument("--max-seconds", metavar="S", type=_count, help="seconds at most")
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
    from tape.agent import Limits, run
    from tape.client import MODEL, Client

    session = _session(args)
    target = _target(args)
    if args.model or (target.kind == "embedded" and session.model is None):
        session = replace(session, params={**session.params, "model": args.model or MODEL})
    sources: list[Source] = [RecordedTools(session)] if args.recorded else []
    if args.tools:
        files = caught_up(MemoryWorkspace(workspace(args.tools), args.tools), session)
        tools = file_tools(files)
        sources.append(WorkspaceTools(tools, args.tools))
        if not session.tools:
            session = replace(session, tools=specs(tools))
    limits = Limits(args.max_calls, args.max_output_tokens, args.max_seconds)
    shown = sys.stderr if args.out == "-" else sys.stdout
    with Client(target) as client:
        for event in run(session, client, sources, limits, once=args.once, resume=args.resume):
            _show(event, shown, as_json=args.json)
    assert isinstance(event, Ended)
    losses = _written(event.session, args.out)
    return 1 if losses or event.reason in ("refused", "failed") else 0


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


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number
