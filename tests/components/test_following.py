"""Following a file that is still being written: what comes, what waits, and when it is over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import tape
from benchmarks.make_session import Maker
from components.deck import Deck
from components.following import EDITED, SHORTER, Following, continued
from components.routes import routes
from components.tape_view.index import LISTS, index
from tape.wire import request


class Writer:
    """A program that writes a session, line by line."""

    def __init__(self, path: Path) -> None:
        self.path, self.lines = path, list(Maker(60, 3).write())

    def write(self, count: int, cut: int = 0) -> bytes:
        """Writes some more lines, without the last ``cut`` bytes; gives what was left out."""
        data = b"".join(self.lines[:count])
        del self.lines[:count]
        self.append(data[: len(data) - cut])
        return data[len(data) - cut :] if cut else b""

    def append(self, data: bytes) -> None:
        """Writes bytes at the end."""
        with self.path.open("ab") as file:
            file.write(data)


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    writer = Writer(tmp_path / "session.jsonl")
    writer.write(30)
    return writer


@pytest.fixture
def deck(writer: Writer) -> Deck:
    deck = Deck(tape.load(writer.path))
    deck.following = Following(writer.path, "claude-code")
    return deck


def look(deck: Deck) -> bool:
    assert deck.following is not None
    return deck.following.look(deck)


def test_new_lines_come_to_the_deck_and_the_rest_stays_the_same(deck: Deck, writer: Writer) -> None:
    before = deck.session
    assert not look(deck)
    while writer.lines:
        writer.write(7)
        assert look(deck)
    whole = tape.load(writer.path)
    assert request(deck.session) == request(whole)
    assert deck.session.untouched
    assert deck.opened is deck.session
    kept = [entry for entry in deck.session.messages if any(entry is old for old in before.messages)]
    assert len(kept) >= len(before.messages) - 1
    assert len(deck.session.messages) > len(before.messages)


def test_what_the_view_is_told_leads_to_the_same_index(deck: Deck, writer: Writer) -> None:
    lists = {name: list(getattr(deck.version.lists, name)) for name in LISTS}
    for _ in range(5):
        seen = deck.version.number
        writer.write(9)
        assert look(deck)
        for _, changes in (patch for patch in deck.patches(10**9) if patch[0] > seen):
            for name, steps in changes.items():
                for at, removed, added in steps if name in lists else ():
                    lists[name][at : at + removed] = added
    fresh = index(deck.session, deck.session)
    assert lists == {name: getattr(fresh, name) for name in LISTS}


def test_a_torn_line_waits_for_its_rest(deck: Deck, writer: Writer) -> None:
    count = len(deck.session.messages)
    rest = writer.write(1, cut=20)
    assert not look(deck)
    assert len(deck.session.messages) == count
    writer.append(rest)
    writer.write(6)
    assert look(deck)
    assert len(deck.session.messages) > count
    assert not [note for note in deck.session.notes if note.kind in ("torn-record", "broken-record")]


def test_an_edit_ends_it_with_a_sentence(deck: Deck, writer: Writer) -> None:
    deck.apply({"op": "delete", "targets": [0]})
    writer.write(5)
    count = len(deck.session.messages)
    assert not look(deck)
    assert deck.following is not None
    assert deck.following.stopped == EDITED
    assert len(deck.session.messages) == count
    deck.undo()
    assert not look(deck)


def test_an_edit_that_was_taken_back_before_more_came_does_not(deck: Deck, writer: Writer) -> None:
    deck.apply({"op": "delete", "targets": [0]})
    deck.undo()
    writer.write(9)
    assert look(deck)


def test_a_file_that_shrinks_ends_it(deck: Deck, writer: Writer) -> None:
    writer.path.write_bytes(b"")
    assert not look(deck)
    assert deck.following is not None
    assert deck.following.stopped == SHORTER


def test_a_file_that_is_gone_ends_it(deck: Deck, writer: Writer) -> None:
    writer.path.unlink()
    assert not look(deck)
    assert deck.following is not None
    assert deck.following.stopped == SHORTER
    assert not deck.following.fresh


def test_a_sub_agent_beside_the_file_comes_too(tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "sample_sessions" / "claude-code"
    path = tmp_path / "teapot.jsonl"
    lines = (sample / "teapot.jsonl").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:12]))
    deck = Deck(tape.load(path))
    deck.following = Following(path, "claude-code")
    for part in (sample / "teapot" / "subagents").iterdir():
        (tmp_path / "teapot" / "subagents").mkdir(parents=True, exist_ok=True)
        (tmp_path / "teapot" / "subagents" / part.name).write_bytes(part.read_bytes())
    with path.open("ab") as file:
        file.write(b"".join(lines[12:]))
    assert look(deck)
    assert len(deck.session.lanes) == 1


def test_messages_that_grew_are_new_ones() -> None:
    lines = list(Maker(12, 5).write())
    before, after = tape.load(b"".join(lines[:-1])), tape.load(b"".join(lines))
    found = continued(before, after)
    assert request(found) == request(after)
    assert found.base is not None
    assert found.messages is found.base.messages


@pytest.fixture
def get(deck: Deck) -> Any:
    client = TestClient(Starlette(routes=routes()))

    def ask(**parameters: Any) -> dict[str, Any]:
        found: dict[str, Any] = client.get(f"/tape/deck/{deck.token}/live", params=parameters).json()
        return found

    return ask


def test_the_route_says_what_came(deck: Deck, writer: Writer, get: Any) -> None:
    assert get(look=0) == {"can": True, "fresh": True, "stopped": "", "v": 0, "patches": []}
    writer.write(9)
    assert get(look=0)["v"] == 0
    found = get(v=0)
    assert found["v"] == 1
    assert [patch[0] for patch in found["patches"]] == [1]
    assert get(v=1)["patches"] == []
    deck.following = None
    assert get(v=1) == {"can": False}
