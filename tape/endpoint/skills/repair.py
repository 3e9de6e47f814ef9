"""Fix it: look around, run the tests, read, edit, run the tests again, report."""

from __future__ import annotations

import re

from tape.endpoint import named
from tape.endpoint.known import Known, Run, learn
from tape.endpoint.reply import Reply, line
from tape.endpoint.seen import Seen
from tape.endpoint.skills.code import MOST_FILES, next_reading, python_files, reading
from tape.endpoint.verbs import act, ask
from tape.endpoint.verdict import judge

FIX = re.compile(r"\b(fix|repair|mend|correct (?:it|the)|make (?:\w+ ){0,4}(?:pass|work|green))\b", re.I)
TEST_COMMAND = "python -m pytest -q"
MOST_EDITS = 3


def repair(seen: Seen) -> Reply | None:
    """Asked to fix code, do one step at a time; which one follows from the results in the array alone.

    With tools to list, run, read and edit this takes six turns. Tests that already pass end it, and
    so does a third edit that did not help.
    """
    if not FIX.search(seen.asked) or not seen.tools:
        return None
    known = learn(seen.done)
    work = learn(seen.since_question())
    paths = [path for path in named.files(seen.asked) if path.endswith(".py")]
    if not paths and known.listing is None and not known.listing_failed:
        step = ask(seen, "list")
        if step is not None:
            return Reply((line("Let me see which files there are."),), (step,))
    tested = work.tests[-1] if work.tests else None
    edited = work.edits[-1][1] if work.edits else -1
    if tested is None or edited > tested.order:
        step = ask(seen, "run", command=TEST_COMMAND)
        if step is not None:
            first = line("First the tests, to see what fails.")
            return Reply((line("Now the tests again.") if work.edits else first,), (step,))
    if tested is not None and not tested.failed:
        return _passes(work, tested)
    unread = [path for path in _relevant(known, paths) if path not in {**known.files, **known.missing}]
    if unread:
        return reading(seen, unread)
    if not python_files(known):
        return next_reading(seen, known, paths)
    return _edit(seen, known, work, tested)


def _relevant(known: Known, paths: list[str]) -> list[str]:
    """The Python files to read: those the question names with their tests, else the listed ones."""
    listed = [path for path in known.listing or () if path.endswith(".py")]
    tests = [f"test_{path}" for path in paths if "/" not in path and not path.startswith("test_")]
    return list(dict.fromkeys([*paths, *tests] if paths else listed))[:MOST_FILES]


def _edit(seen: Seen, known: Known, work: Known, tested: Run | None) -> Reply:
    verdict = judge(python_files(known), named.function(seen.asked))
    change = verdict.mend
    tried = [
        did for done in seen.since_question() if (did := act(done.call)) and did.verb in ("edit", "write")
    ]
    if work.edits and tested is None:
        said = line("I changed {path}. I could not run its tests here.", path=work.edits[-1][0])
        return Reply((said, *verdict.lines), bare="done")
    if change is None or len(tried) >= MOST_EDITS:
        if tested is None:
            return Reply(verdict.lines, bare=verdict.bare)
        said = line("The tests still fail: {summary}", summary=summary(tested.output))
        return Reply((said, line("I see no small change that would make them pass.")), bare="not fixed")
    step = ask(seen, "edit", path=verdict.path, old=change.old, new=change.new)
    if step is None:
        whole = known.files[verdict.path].replace(change.old, change.new, 1)
        step = ask(seen, "write", path=verdict.path, text=whole)
    if step is None:
        said = line("I cannot change the file: this request declares no tool that writes.")
        return Reply((*verdict.lines, said), bare="not fixed")
    said = line(
        "In {path}, line {line}, I will change `{old}` to `{new}`.",
        path=verdict.path,
        line=change.line,
        old=change.old.splitlines()[-1].strip(),
        new=change.new.splitlines()[-1].strip(),
    )
    return Reply((said,), (step,))


def _passes(work: Known, tested: Run) -> Reply:
    if not work.edits:
        said = line("The tests already pass: {summary}", summary=summary(tested.output))
        return Reply((said, line("There is nothing to fix.")), bare="nothing to fix")
    done = line("Fixed: I changed {path} and the tests pass.", path=work.edits[-1][0])
    return Reply((done, line("They say: {summary}", summary=summary(tested.output))), bare="fixed")


def summary(output: str) -> str:
    """The line of a test run that sums it up: the last one that speaks of passes or failures."""
    lines = [one.strip(" =") for one in output.splitlines() if one.strip(" =")]
    telling = [one for one in lines if re.search(r"\b\d+ (passed|failed|errors?)\b|\bOK\b|\bFAILED\b", one)]
    return (telling or lines or ["(no output)"])[-1][:200]
