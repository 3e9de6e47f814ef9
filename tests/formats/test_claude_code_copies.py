"""Sessions that begin with a copy of another: opened together nothing counts twice."""

from __future__ import annotations

import pytest

import tape
from tape.model import Session
from tests.formats.claude_code_lines import Chain, text

OTHER = "0b5e5510-0000-4000-8000-000000000002"
THIRD = "0b5e5510-0000-4000-8000-000000000003"


def parent() -> Chain:
    chain = Chain()
    chain.user("u1")
    chain.reply("m1", text("a1"), usage={"input_tokens": 10, "output_tokens": 1})
    chain.user("u2")
    chain.reply("m2", text("a2"), usage={"input_tokens": 20, "output_tokens": 2})
    return chain


def resumed() -> Chain:
    chain = Chain(OTHER)
    chain.lines = [{**line, "sessionId": OTHER} for line in parent().lines]
    chain.last, chain.count = chain.lines[-1]["uuid"], 10
    chain.user("u3")
    chain.reply("m3", text("a3"), usage={"input_tokens": 30, "output_tokens": 3})
    return chain


def unrelated() -> Chain:
    chain = Chain(THIRD)
    chain.count = 30
    chain.user("something else")
    chain.reply("m1", text("and its answer"), usage={"input_tokens": 40, "output_tokens": 4})
    return chain


def sessions(*chains: Chain) -> dict[str, Session]:
    reading = tape.read([chain.bytes() for chain in chains])
    return {session.id: session for session in (one.load() for one in reading.conversations)}


def own(session: Session) -> list[str | None]:
    """The responses that are the session's own."""
    inherited = {entry.uid for entry in session.messages if entry.meta.get("inherited")}
    return [call.id for call in session.calls if call.message_uid not in inherited]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_resumed_session_marks_what_it_inherited(backwards: bool) -> None:
    chains = (parent(), resumed(), unrelated())
    found = sessions(*(reversed(chains) if backwards else chains))
    assert {id: own(session) for id, session in found.items()} == {
        parent().session: ["m1", "m2"],
        OTHER: ["m3"],
        THIRD: ["m1"],
    }
    marked = [bool(entry.meta.get("inherited")) for entry in found[OTHER].messages]
    assert marked == [True] * 4 + [False] * 2
    (note,) = found[OTHER].notes
    assert (note.kind, note.text.split(" ")[0]) == ("inherited-messages", "4")


def test_one_file_alone_inherits_nothing() -> None:
    assert own(tape.load(resumed().bytes())) == ["m1", "m2", "m3"]


def test_two_sessions_that_begin_with_the_same_words_are_no_copies() -> None:
    chains = []
    for number, session in enumerate((OTHER, THIRD)):
        chain = Chain(session)
        chain.user("hi")
        chain.reply(f"m{number}", text(f"hello {number}"))
        chains.append(chain)
    found = sessions(*chains)
    assert [own(found[OTHER]), own(found[THIRD])] == [["m0"], ["m1"]]


def test_of_two_that_went_on_from_one_beginning_the_later_is_the_copy() -> None:
    longer = parent()
    longer.user("u4", timestamp="2026-03-01T10:00:09.000Z")
    fork = resumed()
    found = sessions(longer, fork)
    assert own(found[longer.session]) == ["m1", "m2"]
    assert own(found[OTHER]) == ["m3"]


def test_lines_that_a_fork_copied_say_where_from() -> None:
    chain = Chain(OTHER)
    chain.user("u1", forkedFrom={"sessionId": parent().session, "messageUuid": "x"})
    chain.user("own")
    marks = [entry.meta.get("inherited") for entry in chain.load().messages]
    assert marks == [parent().session, None]


def test_marked_sessions_are_untouched_and_come_back_byte_for_byte() -> None:
    data = [parent().bytes(), resumed().bytes()]
    loaded = [one.load() for one in tape.read(data).conversations]
    assert [session.untouched for session in loaded] == [True, True]
    assert [tape.dump(session).data for session in loaded] == data
