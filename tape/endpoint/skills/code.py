"""Is this code right? Reads what the question names, then its tests, and only then says what it sees."""

from __future__ import annotations

import re

from tape.endpoint import named
from tape.endpoint.known import Known, learn
from tape.endpoint.reply import Ask, Line, Reply, line
from tape.endpoint.seen import Seen
from tape.endpoint.verbs import ask
from tape.endpoint.verdict import Verdict, is_test, judge

CHECK = re.compile(
    r"\b(correct|right|wrong|bugs?|works?|working|broken|check|review|verify|valid|mistakes?|errors?)\b", re.I
)
PASTED = re.compile(r"```(?:python|py)?\n(.*?)```", re.S)
MOST_FILES = 8


def check_code(seen: Seen) -> Reply | None:
    """Asked whether code is correct, read the file and its test, then judge from what they show.

    The files have to be in the array as tool results: one that was deleted is read again, and one that
    was changed is believed.
    """
    question = seen.asked
    function = named.function(question)
    paths = [path for path in named.files(question) if path.endswith(".py")]
    pasted = PASTED.search(question)
    if not CHECK.search(question) or not (paths or function or pasted):
        return None
    if pasted is not None and not paths:
        return _said(judge({"the code in your message": pasted[1]}, function))
    known = learn(seen.done)
    step = next_reading(seen, known, paths)
    return step if step is not None else _said(judge(python_files(known), function))


def next_reading(seen: Seen, known: Known, paths: list[str]) -> Reply | None:
    """The next files to read before anything can be concluded, or ``None`` when all is in sight."""
    if not paths:
        if known.listing is None and not python_files(known):
            if known.listing_failed:
                return Reply((line("I could not list the files, so I cannot tell."),), bare="unknown")
            step = ask(seen, "list")
            return _asking(line("Let me see which files there are."), step) if step else _cannot_look()
        paths = [path for path in known.listing or () if path.endswith(".py")][:MOST_FILES]
    unread = [path for path in paths if path not in known.files and path not in known.missing]
    if unread:
        return reading(seen, unread)
    lost = [path for path in paths if path not in known.files]
    if lost:
        return _search(seen, known, lost[0])
    return _tests(seen, known, paths)


def reading(seen: Seen, paths: list[str]) -> Reply:
    """One reply that reads all these files, side by side."""
    steps = [step for path in paths if (step := ask(seen, "read", path=path)) is not None]
    if not steps:
        return _cannot_look()
    said = line("I will read {paths}.", paths=", ".join(paths))
    return Reply((said,), tuple(steps), thought=f"I have not seen {', '.join(paths)} yet.")


def python_files(known: Known) -> dict[str, str]:
    """The Python files whose text is in sight, by path."""
    return {path: text for path, text in known.files.items() if path.endswith(".py")}


def _search(seen: Seen, known: Known, path: str) -> Reply:
    if known.listing is None and not known.listing_failed:
        step = ask(seen, "list")
        if step is not None:
            return _asking(
                line("{path} could not be read; let me see which files there are.", path=path), step
            )
    other = named.closest(path, known.listing or ())
    if other is not None and other not in known.files and other not in known.missing:
        return reading(seen, [other])
    if other in known.files:
        return _said(judge(python_files(known), named.function(seen.asked)))
    reason = known.missing.get(path, "").strip()[:200]
    return Reply((line("I could not read {path}: {reason}", path=path, reason=reason),), bare="unknown")


def _tests(seen: Seen, known: Known, paths: list[str]) -> Reply | None:
    if any(is_test(path) for path in known.files):
        return None
    for path in paths:
        folder, _, name = path.rpartition("/")
        guess = f"{folder}/test_{name}" if folder else f"test_{name}"
        candidates = [guess] if known.listing is None else [p for p in known.listing if is_test(p)]
        unread = [p for p in candidates if p not in known.files and p not in known.missing]
        if unread:
            step = ask(seen, "read", path=unread[0])
            if step is not None:
                return _asking(line("Now {path}, to see what it should do.", path=unread[0]), step)
    return None


def _asking(said: Line, step: Ask) -> Reply:
    return Reply((said,), (step,))


def _cannot_look() -> Reply:
    said = line(
        "I cannot look: this request declares no tool that reads files, and no message shows the code."
    )
    return Reply((said,), bare="unknown")


def _said(verdict: Verdict) -> Reply:
    return Reply(verdict.lines, bare=verdict.bare, thought="Everything I need is in the results above.")
