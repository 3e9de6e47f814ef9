"""The laws of chains: compacting twice tears no pair, sub-agents leave their parent valid at every moment."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tape.edits import Compact, FoldSubagent, Spawn, apply
from tape.errors import UserError
from tape.model import Session
from tape.rules import lint
from tape.threads import threads
from tests.strategies import sessions


@settings(max_examples=120, deadline=None)
@given(start=sessions(), keep=st.integers(1, 4))
def test_compacting_twice_leaves_no_orphan(start: Session, keep: int) -> None:
    """Nor does it leave a call without its result that had one."""
    before = {head.uid for link in threads(start).links for head in _ends(start, link)}
    after = start
    for kept in (keep + 2, keep):
        with suppress(UserError):
            after = apply(after, Compact(keep_last=kept, summary="It went well."))
    still = {head.uid for link in threads(after).links for head in _ends(after, link)}
    there = {head.uid for entry in after.messages for head in entry.heads}
    assert before & there <= still


def _ends(start: Session, link: Any) -> list[Any]:
    return [head for m in start.messages for head in m.heads if head.uid in (link.call_uid, link.result_uid)]


@settings(max_examples=120, deadline=None)
@given(start=sessions())
def test_spawning_and_folding_keep_the_parent_valid(start: Session) -> None:
    """A sub-agent for every call that waits: nothing is refused that was not, at any moment."""
    known = {(f.code, uid) for f in lint(start) for uid in (f.uids or (f.where,))}
    waiting = [uid for uid, state in threads(start).states.items() if state in ("pending", "unanswered")]
    for uid in waiting[:3]:
        for operation in (Spawn(call=uid, task="Look."), FoldSubagent(uid, answer="Found it.")):
            try:
                start = apply(start, operation)
            except UserError:
                continue
            for finding in lint(start):
                if finding.severity == "refused":
                    assert any((finding.code, one) in known for one in (finding.uids or (finding.where,))), (
                        finding
                    )
