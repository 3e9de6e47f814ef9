"""Searching: everything is found that a reading of all words finds, however the file writes it."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tape
from components.tape_view import searching
from components.tape_view.searching import Query, search
from tape.edits import Append, Delete, Replace, apply
from tape.model import Aside, Lane, Session
from tests.strategies import answer, assistant, call, session, text, user

SAID = 'He said "café\\x" <b>&amp;</b>\n日本語 🙂 Größe\ttab'


def lines(*entries: dict[str, Any], ascii: bool = False) -> Session:
    """The messages as a Claude Code file, one a line, written as that kind of program writes JSON."""
    written = [
        json.dumps(
            {"type": entry["role"], "uuid": f"u{n}", "parentUuid": None, "sessionId": "s", "message": entry},
            ensure_ascii=ascii,
        )
        for n, entry in enumerate(entries)
    ]
    return tape.load("\n".join(written).encode())


def places(found: searching.Found) -> list[str]:
    """The blocks that were found."""
    return [hit[1] for hit in found.hits]


@pytest.mark.parametrize("ascii", [True, False])
@pytest.mark.parametrize(
    "query",
    ['"café\\x"', "<b>&amp;", "</b>\n日本", "🙂", "größe", "É", 'x" <b>', "e\ttab", "日本語 🙂 G", "café"],
)
def test_what_the_file_escapes_is_found(query: str, ascii: bool) -> None:
    held = lines(
        user("nothing"),
        assistant(call("t1", "Bash", {"command": SAID, "more": [SAID]})),
        user(answer("t1", SAID)),
        assistant(text(SAID)),
        ascii=ascii,
    )
    assert places(search(held, Query(query))) == ["m1.0", "m2.0", "m3.0"]


@given(
    st.lists(st.text(st.sampled_from('abé"\\\n/<ß🙂 :,Aß.'), max_size=12), min_size=1, max_size=5),
    st.text(st.sampled_from('abé"\\\n/<ß🙂 :,A.'), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_bytes_hide_nothing(texts: list[str], query: str, case: bool, ascii: bool) -> None:
    held = lines(*(user(text(one or "-")) for one in texts), ascii=ascii)
    bare = replace(held, base=None)
    asked = Query(query, case=case)
    assert search(held, asked).json() == search(bare, asked).json()


def test_case_words_and_patterns() -> None:
    held = lines(user("The cathedral, the CAT and the concatenation of cats."))

    def starts(**how: Any) -> list[tuple[int, int]]:
        return [(hit[2], hit[3]) for hit in search(held, Query(**how)).hits]

    assert starts(text="cat") == [(4, 4)]
    assert starts(text="CAT", case=True) == [(19, 1)]
    assert starts(text="cat", word=True) == [(19, 1)]
    assert starts(text="c.t[es]", regex=True) == [(34, 2)]
    assert starts(text="c.t[es]", regex=True, word=True) == [(48, 1)]
    assert starts(text="x*", regex=True) == []


def test_edited_and_inserted_messages_are_searched_as_they_are() -> None:
    held = lines(user("old words"), assistant("kept"), user("also old words"))
    held = apply(held, Replace("m0", "new words"))
    held = apply(held, Append((user("newest words"),)))
    held = apply(held, Delete(("m2",)))
    assert places(search(held, Query("old words"))) == []
    assert places(search(held, Query("words"))) == ["m0.0", "n0.0"]


def test_a_hit_says_what_stands_around_it_and_how_often() -> None:
    found = search(session(user("one needle\nand a Needle")), Query("needle"))
    assert found.hits == [["m0", "m0.0", 4, 2, "one ", "needle", " and a Needle"]]
    assert found.times == 2


def test_what_stands_beside_the_array_is_searched() -> None:
    one = replace(
        session(user("go"), system="Be brief.", tools=[{"name": "look", "description": "briefly"}]),
        asides=(Aside("m0", 1, "hook", "in brief"), Aside(None, 2, "mode", "long")),
        lanes=(Lane(session(user("the brief")), "m1.0", "Explore"),),
    )
    found = search(one, Query("brief"))
    assert [hit[:2] for hit in found.beside] == [
        ["system", None],
        ["tools", "look"],
        ["aside", "m0"],
        ["lane", 0],
    ]
    assert found.hits == []


def test_very_many_hits_come_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "HITS", 10)
    monkeypatch.setattr(searching, "MANY", 15)
    held = lines(*(user(f"word {n}") for n in range(60)))
    seen: list[str] = []
    start: int | None = 0
    while start is not None:
        found = search(held, Query("word", start=start))
        assert len(found.hits) <= 11
        seen += places(found)
        start = found.next
    assert len(seen) == len(set(seen)) == sum(len(entry.heads) for entry in held.messages)


def test_a_pattern_that_is_none_is_said() -> None:
    found = search(session(user("a[b")), Query("[b", regex=True))
    assert found.fault.startswith("This is not a pattern: ")
    assert found.hits == []


def test_a_pattern_that_takes_for_ever_is_stopped() -> None:
    held = session(user("x" * 40 + "y"), user("fine"))
    start = time.monotonic()
    found = search(held, Query("(x+x+)+z|(?:x|x|xx)+z", regex=True), seconds=0.2)
    assert time.monotonic() - start < 5
    assert (found.fault != "") == (found.next is not None)


def test_time_is_up_between_messages() -> None:
    held = session(*(user(f"word {n}") for n in range(50)))
    found = search(held, Query("w.rd", regex=True), seconds=-1)
    assert found.next == 0
