"""Laws of linting over generated arrays, and the real transcripts, which real APIs accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from hypothesis import given, settings

import tape
from tape.model import Session
from tape.rules import ENDPOINTS, lint
from tape.rules.base import RANK
from tape.rules.own import own_endpoint
from tape.wire import session_of
from tests.strategies import sessions, well_formed

FEWEST = 12


def every_lane(session: Session) -> Iterator[Session]:
    """A session with all its sub-agents."""
    yield session
    for lane in session.lanes:
        yield from every_lane(lane.session)


def test_what_a_real_api_accepted_is_not_refused(corpus: Callable[[str], Path]) -> None:
    """Every real transcript by the endpoint that it was recorded on, sub-agents and all."""
    seen = 0
    for file in sorted(path for path in corpus(".").rglob("*") if path.is_file()):
        reading = tape.read(file)
        endpoint = own_endpoint(reading.format)
        for conversation in reading.conversations if endpoint else ():
            for session in every_lane(conversation.load()):
                refused = [f for f in lint(session, endpoint or "") if f.severity == "refused"]
                assert refused == [], file.name
                seen += 1
    assert seen >= FEWEST


@given(well_formed().map(lambda array: session_of({"messages": array})))
def test_a_well_formed_array_is_accepted(session: Session) -> None:
    assert [f for f in lint(session) if f.severity == "refused"] == []


@settings(deadline=None)
@given(sessions())
def test_a_finding_has_a_place_in_the_array(session: Session) -> None:
    uids = {uid for m in session.messages for uid in (m.uid, *(h.uid for h in m.heads))}
    for endpoint in ENDPOINTS:
        for sending in (False, True):
            findings = lint(session, endpoint, sending=sending)
            assert [RANK[f.severity] for f in findings] == sorted(RANK[f.severity] for f in findings)
            for finding in findings:
                assert set(finding.uids) <= uids
                assert finding.text.endswith(".")
                assert (finding.vendor_text is None) == (finding.last_seen is None)


@given(sessions())
def test_what_is_refused_stays_refused_when_it_is_sent(session: Session) -> None:
    before = {(f.code, f.uids) for f in lint(session) if f.severity == "refused"}
    after = {(f.code, f.uids) for f in lint(session, sending=True) if f.severity == "refused"}
    assert before <= after
