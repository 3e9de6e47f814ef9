"""The laws of repairs, over generated arrays: what mending does to findings, and what it leaves alone.

Where a message is taken out two of one role may meet, a system message may lose its neighbor, or the
assistant may come to have the first or last word. Where an endpoint wants roles to alternate, that alone is
left to the next repair, which "fix all" goes on to.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

import tape
from tape.edits import apply, from_json, to_json
from tape.edits.history import History
from tape.edits.preview import ACTS
from tape.model import Session
from tape.repairs import fix_all_safe, repairs, sentence
from tape.rules import ENDPOINTS, Finding, lint
from tape.wire import request
from tests.strategies import sessions

ALTERNATING = ("strict", "bedrock")
NEIGHBORS = ("consecutive-roles", "first-not-user", "prefill-unsupported", "misplaced-system")
KINDS = {
    "late-tool-result": "misplaced",
    "result-not-first": "misplaced",
    "split-tool-results": "misplaced",
    "empty-text": "wordless",
    "blank-text": "wordless",
    "empty-message": "wordless",
}


def refused(session: Session, endpoint: str) -> list[Finding]:
    """What the endpoint would refuse."""
    return [finding for finding in lint(session, endpoint) if finding.severity == "refused"]


def about(finding: Finding) -> set[str]:
    """What a finding is about: blocks and messages, else the part of the request that it names."""
    return set(finding.uids) or {finding.where.partition("[")[0]}


def same(one: Finding, other: Finding) -> bool:
    """Whether two findings of two sessions say the same of the same thing: a pair, a block, a message."""
    end = -1 if one.code == "duplicate-tool-result" else 0
    return one.code == other.code and (one.uids or (one.where,))[end] == (other.uids or (other.where,))[end]


def new(finding: Finding, before: tuple[Finding, ...]) -> bool:
    """Whether nothing of the kind was said before: of any of these blocks and messages, or in these words."""
    kind = KINDS.get(finding.code, finding.code)
    old = [one for one in before if KINDS.get(one.code, one.code) == kind]
    known = {uid for one in old for uid in about(one)}
    if finding.code == "thinking-missing":
        # There is one turn in progress, whichever message it starts with.
        return not old
    said = finding.text in {one.text for one in old}
    neighbors = NEIGHBORS if finding.endpoint in ALTERNATING else ()
    return finding.code not in neighbors and not said and not known & about(finding)


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@settings(max_examples=60, deadline=None)
@given(start=sessions())
def test_a_repair_removes_its_finding_adds_none_and_does_nothing_twice(endpoint: str, start: Session) -> None:
    before = lint(start, endpoint)
    for finding in refused(start, endpoint):
        for repair in repairs(start, finding):
            after = apply(start, repair)
            left = refused(after, endpoint)
            assert [f for f in left if same(f, finding)] == [], repair
            assert [f for f in left if new(f, before)] == [], repair
            assert apply(after, repair) is after, repair


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@settings(max_examples=50, deadline=None)
@given(start=sessions())
def test_fixing_all_safe_leaves_nothing_refused_that_could_be_mended(endpoint: str, start: Session) -> None:
    after, done = fix_all_safe(start, endpoint)
    for finding in refused(after, endpoint):
        assert not any(repair.safe for repair in repairs(after, finding)), finding
    assert (after is start) == (not done)
    replayed = start
    for repair in done:
        replayed = apply(replayed, repair)
    assert request(replayed) == request(after)


@settings(max_examples=80, deadline=None)
@given(start=sessions())
def test_a_repair_is_data_and_can_be_undone(start: Session) -> None:
    body = request(start)
    for finding in lint(start):
        for repair in repairs(start, finding):
            assert from_json(to_json(repair)) == repair
            assert sentence(start, repair).split()[0] in ACTS
            history = History(start)
            history.apply(repair)
            assert history.undo() is start
    assert request(start) == body


@settings(max_examples=40, deadline=None)
@given(start=sessions())
def test_loaded_mended_and_undone_a_file_is_as_it_came(start: Session) -> None:
    data = json.dumps(request(start), ensure_ascii=False).encode("utf-8", "surrogatepass")
    opened = tape.load(data, format="anthropic-messages")
    history = History(opened)
    for finding in lint(opened):
        for repair in repairs(opened, finding):
            history.apply(repair)
            history.undo()
    after, done = fix_all_safe(opened)
    history.push(after, "Fixed all")
    history.undo()
    assert history.session is opened
    assert tape.dump(history.session).data == data
    if done:
        again = tape.load(tape.dump(after).data, format="anthropic-messages")
        assert request(again)["messages"] == request(after)["messages"]
