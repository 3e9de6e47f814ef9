"""Breaking a pair on purpose: each way breaks what it says, and safe repairs or one undo put it right."""

from __future__ import annotations

import pytest

import tape
from tape.breaking import Break, breaks, pair_name, sound_pairs
from tape.edits import apply
from tape.edits.history import History
from tape.model import Session
from tape.repairs import fix_all_safe
from tape.rules import lint
from tape.samples import sample

WAYS = ("delete-result", "change-id", "answer-twice", "text-in-front")


def opened() -> Session:
    """A sample with one call alone and a round of two."""
    return tape.load(sample("add-function").files[0])


def refused(session: Session) -> set[str]:
    """What the Claude API would refuse."""
    return {one.code for one in lint(session) if one.severity == "refused"}


def way(session: Session, name: str, pair: int) -> Break:
    """One way of one pair."""
    return next(one for one in breaks(session, sound_pairs(session)[pair]) if one.name == name)


def test_pairs_are_named_by_tool_and_place() -> None:
    session = opened()
    assert refused(session) == set()
    names = [pair_name(session, link) for link in sound_pairs(session)]
    assert names[0] == "list_files: messages[1].content[1] → messages[2].content[0]"
    assert len(names) == 3


@pytest.mark.parametrize("pair", [0, 1, 2])
@pytest.mark.parametrize("name", WAYS)
def test_each_way_breaks_what_it_says_and_can_be_mended(name: str, pair: int) -> None:
    session = opened()
    chosen = way(session, name, pair)
    broken = apply(session, chosen.operation)
    assert refused(broken) == set(chosen.codes)
    link = sound_pairs(session)[pair]
    about = [one for one in lint(broken) if one.code in chosen.codes]
    assert any({link.call_uid, link.result_uid} & set(one.uids) for one in about)
    mended, done = fix_all_safe(broken)
    assert done
    assert refused(mended) == set()


@pytest.mark.parametrize("name", WAYS)
def test_one_undo_brings_it_back(name: str) -> None:
    history = History(opened())
    start = history.session
    history.apply(way(start, name, 1).operation)
    assert history.undo() is start


def test_a_new_id_is_one_that_nobody_bears() -> None:
    session = opened()
    once = apply(session, way(session, "change-id", 1).operation)
    assert way(once, "change-id", 1).operation != way(session, "change-id", 1).operation
    again = apply(once, way(once, "change-id", 1).operation)
    ids = [head.id for entry in again.messages for head in entry.heads if head.kind == "tool_result"]
    assert len(set(ids)) == len(ids)


def test_what_is_broken_already_is_not_offered() -> None:
    session = tape.load(sample("three-calls-two-results").files[0])
    assert len(sound_pairs(session)) == 2
