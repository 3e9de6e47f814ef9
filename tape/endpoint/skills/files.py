"""Read, list and run what the question names, and say what came back."""

from __future__ import annotations

import re

from tape.endpoint import named
from tape.endpoint.known import Known, learn
from tape.endpoint.reply import Line, Reply, item, line
from tape.endpoint.seen import Seen
from tape.endpoint.skills.code import MOST_FILES, reading
from tape.endpoint.skills.repair import TEST_COMMAND, summary
from tape.endpoint.skills.tickets import imitated, needs
from tape.endpoint.triage import triage
from tape.endpoint.verbs import ask
from tape.endpoint.verdict import describe

RUN_TESTS = re.compile(
    r"\b(run|execute|try)\b.{0,30}\btests?\b|\bdo(es)? the tests? (pass|fail|still)\b"
    r"|\btest (it|this|that|everything|the (code|project))\b"
    r"|\bwhy (do|does|did|is|are)\b.{0,40}\b(tests?|build)\b.{0,20}\b(fail|failing|broken|red)\b",
    re.I | re.S,
)
LIST = re.compile(
    r"\b(list|which|what|show)\b.{0,20}\bfiles\b"
    r"|\bwhat is (in|there in) (the|this) (folder|workspace|project)\b",
    re.I,
)
EVERY = re.compile(r"\b(?:all|every|each)\b.{0,20}\b(?:tickets?|files?)\b|\bwhich tickets?\b", re.I)


def run_tests(seen: Seen) -> Reply | None:
    """Asked to run the tests, run them once and repeat what they said. Only their output is believed."""
    if not RUN_TESTS.search(seen.asked):
        return None
    work = learn(seen.since_question())
    if not work.tests:
        step = ask(seen, "run", command=TEST_COMMAND)
        if step is None:
            said = line("I cannot run anything: this request declares no tool that runs commands.")
            return Reply((said,), bare="unknown")
        return Reply((line("I will run the tests."),), (step,))
    said_last = summary(work.tests[-1].output)
    if work.tests[-1].failed:
        return Reply((line("The tests fail: {summary}", summary=said_last),), bare="fail")
    return Reply((line("The tests pass: {summary}", summary=said_last),), bare="pass")


def read_files(seen: Seen) -> Reply | None:
    """Read every file or ticket the question names, all in one reply, then say what each one holds."""
    paths = named.files(seen.asked)
    known = learn(seen.done)
    every = EVERY.search(seen.asked)
    if not paths and every:
        if known.listing is None:
            step = ask(seen, "list")
            return Reply((line("Let me see which files there are."),), (step,)) if step else None
        kind = "ticket" if "ticket" in every[0].lower() else ""
        paths = [path for path in known.listing if kind in path.lower()][:MOST_FILES]
    if not paths:
        return None
    unread = [path for path in paths if path not in known.files and path not in known.missing]
    if unread:
        return reading(seen, unread)
    lost = [path for path in paths if path not in known.files]
    if lost and known.listing is None and not known.listing_failed:
        step = ask(seen, "list")
        if step is not None:
            said = line("{path} could not be read; let me see which files there are.", path=lost[0])
            return Reply((said,), (step,))
    paths = [
        path if path in known.files else named.closest(path, known.listing or ()) or path for path in paths
    ]
    unread = [path for path in paths if path not in known.files and path not in known.missing]
    return reading(seen, unread) if unread else _told(seen, known, list(dict.fromkeys(paths)))


def list_files(seen: Seen) -> Reply | None:
    """Asked which files there are, list them."""
    if not LIST.search(seen.asked):
        return None
    known = learn(seen.done)
    if known.listing is None:
        step = ask(seen, "list")
        return Reply((line("Let me see which files there are."),), (step,)) if step else None
    count = len(known.listing)
    said = line("These are the files ({count}): {paths}.", count=count, paths=", ".join(known.listing))
    return Reply((said,), bare=", ".join(known.listing))


def _told(seen: Seen, known: Known, paths: list[str]) -> Reply:
    lines: list[Line] = []
    topics: list[str] = []
    for path in paths:
        text = known.files.get(path)
        if text is None:
            reason = known.missing.get(path, "").strip()[:200]
            lines.append(line("I could not read {path}: {reason}", path=path, reason=reason))
        elif "ticket" in path.lower():
            lines.append(imitated(seen, text) or needs(path, text))
            topics.append(triage(text).topic)
        else:
            lines.append(describe(path, text))
    lines = [item(one) for one in lines]
    bare = ", ".join(topics) if len(topics) == len(paths) else None
    return Reply(tuple(lines), bare=bare, thought=f"I can see what {', '.join(paths)} hold.")
