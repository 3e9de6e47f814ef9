"""The laws of edits, over generated arrays and operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tape.edits import (
    Append,
    Delete,
    Insert,
    InsertBlock,
    Merge,
    Move,
    Operation,
    Replace,
    SetSystem,
    SetTools,
    apply,
    from_json,
    sentence,
    to_json,
)
from tape.edits.changes import changes
from tape.edits.history import History
from tape.edits.preview import ACTS, preview
from tape.errors import UserError
from tape.model import Session
from tape.rules import lint
from tape.wire import request
from tests.strategies import (
    PIXEL,
    TOOLS,
    answer,
    assistant,
    call,
    session,
    sessions,
    text,
    user,
    well_formed,
    words,
)

MESSAGES = (
    user("and"),
    user(answer("toolu_1"), text("and"), PIXEL),
    assistant(text("yes"), call("toolu_1")),
    {"role": "robot", "content": []},
)
Draw = Callable[[st.SearchStrategy[Any]], Any]
PAIRING = {
    "unanswered-tool-use",
    "orphan-tool-result",
    "late-tool-result",
    "result-not-first",
    "duplicate-tool-use-id",
    "duplicate-tool-result",
    "unpaired-server-tool",
    "wrong-role-block",
}


@st.composite
def targets(draw: Draw, session: Session) -> Any:
    """A message or block of the session, named in one of the ways a target may be named."""
    i = draw(st.integers(0, len(session.messages) - 1))
    entry = session.messages[i]
    names: list[Any] = [i, entry.uid, f"messages[{i}]"]
    for j, head in enumerate(entry.heads):
        names += [head.uid, f"messages[{i}].content[{j}]"]
    return draw(st.sampled_from(names))


@st.composite
def operations(draw: Draw, session: Session) -> Operation:
    """Any operation; most can be carried out on the session, some are refused."""
    count = len(session.messages)
    message = draw(st.sampled_from(MESSAGES))
    if not count:
        return Append((message,))
    at = draw(st.integers(0, count))
    several = tuple(draw(st.lists(targets(session), min_size=1, max_size=3)))
    one = several[0]
    value = draw(st.sampled_from([draw(words), text("new"), message, {"role": "assistant"}]))
    into = draw(st.one_of(st.none(), st.integers(0, count - 1)))
    operation: Operation = draw(
        st.sampled_from(
            [
                Append((message, user("and"))),
                Insert(at, message),
                InsertBlock(one, draw(st.integers(0, 3)), text("x")),
                Delete(several, partners=draw(st.booleans()), thinking=draw(st.booleans())),
                Replace(one, value, force=draw(st.booleans())),
                Move(one, at, into),
                SetSystem(draw(st.sampled_from([None, "x", [text("y")]]))),
                SetTools(draw(st.sampled_from([None, (), ({"name": TOOLS[0]},)]))),
                Merge(several),
            ]
        )
    )
    return operation


@settings(max_examples=120, deadline=None)
@given(data=st.data(), start=sessions())
def test_an_operation_is_pure_and_is_carried_out_whole_or_not_at_all(
    data: st.DataObject, start: Session
) -> None:
    operation = data.draw(operations(start))
    body = request(start)
    assert from_json(to_json(operation)) == operation
    history = History(start)
    try:
        after = history.apply(operation)
    except UserError:
        assert history.session is start
    else:
        assert history.undo() is start
        again = apply(start, operation)
        assert request(again) == request(after)
        assert [m.uid for m in again.messages] == [m.uid for m in after.messages]
        assert sentence(start, operation).split()[0] in ACTS
        touched = changes(after, start)
        for entry in after.messages:
            if entry.uid not in touched.edited | touched.inserted:
                assert any(entry is old for old in start.messages)
    assert request(start) == body


@settings(max_examples=80, deadline=None)
@given(data=st.data(), start=sessions())
def test_uids_stay_unique(data: st.DataObject, start: Session) -> None:
    for _ in range(3):
        try:
            start = apply(start, data.draw(operations(start)))
        except UserError:
            continue
        blocks = [head.uid for entry in start.messages for head in entry.heads]
        assert len(set(blocks)) == len(blocks)
        assert len({entry.uid for entry in start.messages}) == len(start.messages)
        assert blocks == [block.uid for entry in start.messages for block in entry.blocks]


@settings(max_examples=80, deadline=None)
@given(data=st.data(), start=sessions())
def test_deleting_with_partners_breaks_no_pair(data: st.DataObject, start: Session) -> None:
    if not start.messages:
        return
    several = tuple(data.draw(st.lists(targets(start), min_size=1, max_size=3)))
    before = {(f.code, uid) for f in lint(start) for uid in f.uids}
    for finding in lint(apply(start, Delete(several))):
        if finding.severity == "refused" and finding.code in PAIRING:
            assert any((finding.code, uid) in before for uid in finding.uids), finding


@settings(max_examples=40, deadline=None)
@given(data=st.data(), start=well_formed().map(lambda array: session(*array)))
def test_a_whole_array_stays_whole_under_deletion(data: st.DataObject, start: Session) -> None:
    for _ in range(3):
        if start.messages:
            start = apply(start, Delete((data.draw(targets(start)),)))
            refused = [f for f in lint(start) if f.severity == "refused"]
            assert [f.code for f in refused if f.code != "empty-array"] == []


@settings(max_examples=40, deadline=None)
@given(data=st.data(), start=sessions())
def test_a_preview_speaks_of_what_then_happens(data: st.DataObject, start: Session) -> None:
    operation = data.draw(operations(start))
    try:
        after = apply(start, operation)
    except UserError:
        return
    found = preview(start, operation)
    gone = {f"messages[{i}]" for i, m in enumerate(start.messages) if all(m is not n for n in after.messages)}
    assert gone <= set(found.before)
    known = {head.uid for entry in after.messages for head in entry.heads}
    assert not known & {one.uid for one in found.takes_along}
