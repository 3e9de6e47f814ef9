"""Compactions of Codex: the replacement is the array from the cut on, and it is patched where it stands."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tape
from tape.context import Counts
from tape.edits import from_json
from tape.model import Message, Session
from tape.report import report
from tape.turns import turns
from tape.window import window_parts
from tests.formats.codex_files import (
    CODEX_META,
    CODEX_TURN,
    SITUATIONS,
    codex,
    codex_call,
    codex_counted,
    codex_output,
    codex_said,
)
from tests.formats.log_lines import lines

DATA = SITUATIONS["codex-compacted"][1]
SUMMARY = "Another language model started to solve this problem.\nThe list is written."


def said(session: Session) -> list[tuple[str, str, str]]:
    """Each message as its role, its text, and what a compaction did to it."""
    return [(entry.role, entry.text, _mark(entry)) for entry in session.messages]


def _mark(entry: Message) -> str:
    marks = ("cut" if entry.restarts else "", "carried", "compact_summary")
    return " ".join(mark for mark in marks if mark == "cut" or (mark and entry.meta.get(mark)))


def test_the_array_after_the_cut_is_the_replacement() -> None:
    session = tape.load(DATA)
    assert said(session) == [
        ("user", "write a list", ""),
        ("assistant", "", ""),
        ("user", "", ""),
        ("assistant", "Done.", ""),
        ("user", "write a list", "cut carried"),
        ("user", SUMMARY, "compact_summary"),
        ("user", "sort it", ""),
        ("assistant", "Sorted.", ""),
    ]
    assert [(turn.sent_from, turn.new_from, turn.at) for turn in turns(session)] == [
        (0, 0, 1),
        (0, 1, 3),
        (4, 4, 7),
    ]
    assert [(note.where, note.kind) for note in session.notes] == [("line 9", "compacted")]
    assert not session.branches


def test_window_and_context_begin_at_the_cut() -> None:
    session = tape.load(DATA)
    uids = {uid for part in window_parts(session) for uid in part.uids}
    assert uids == {"m4", "m5", "m6", "m7"}
    unspent = lines(*(one for one in map(json.loads, DATA.splitlines()) if "info" not in one["payload"]))
    now, source = Counts(tape.load(unspent)).context_now()
    assert source == "estimated"
    whole = lines(*(one for one in map(json.loads, unspent.splitlines()) if one["type"] != "compacted"))
    assert now != Counts(tape.load(whole)).context_now()[0]


def test_what_is_carried_over_is_no_new_work() -> None:
    session = tape.load(DATA)
    counts = report(tape.read(DATA), session, 0)["counts"]
    assert (counts["compactions"], counts["turns"], counts["responses"]) == (1, 3, 3)
    assert [turn.exchange for turn in turns(session)] == [1, 1, 2]


@pytest.mark.parametrize(
    ("operation", "path", "value"),
    [
        (
            {"op": "replace", "target": "m4.0", "value": "write two lists"},
            ("replacement_history", 0, "content", 0, "text"),
            "write two lists",
        ),
        (
            {"op": "replace", "target": "m5.0", "value": f"{SUMMARY} Twice."},
            ("message",),
            "The list is written. Twice.",
        ),
    ],
)
def test_an_edit_behind_the_cut_is_done_in_place(
    operation: dict[str, Any], path: tuple[str | int, ...], value: str
) -> None:
    changed = tape.apply(tape.load(DATA), from_json(operation))
    dumped = tape.dump(changed)
    assert dumped.losses == ()
    before, after = DATA.splitlines(), dumped.data.splitlines()
    assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [8]
    found: Any = json.loads(after[8])["payload"]
    for step in path:
        found = found[step]
    assert found == value


@pytest.mark.parametrize(("target", "left"), [("m4", ["m5"]), ("m5", ["m4"])])
def test_a_message_of_the_replacement_can_go_alone(target: str, left: list[str]) -> None:
    session = tape.load(DATA)
    changed = tape.apply(session, from_json({"op": "delete", "targets": [target]}))
    dumped = tape.dump(changed)
    assert dumped.losses == ()
    (kept,) = json.loads(dumped.data.splitlines()[8])["payload"]["replacement_history"]
    texts = {entry.uid: entry.text for entry in session.messages}
    assert [kept["content"][0]["text"]] == [texts[uid] for uid in left]


def test_an_edit_before_the_cut_leaves_the_replacement() -> None:
    changed = tape.apply(tape.load(DATA), from_json({"op": "replace", "target": "m0.0", "value": "draw"}))
    before, after = DATA.splitlines(), tape.dump(changed).data.splitlines()
    assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [1, 2]


def compacted(message: str, *history: Any) -> Session:
    """A session with one compaction, its replacement being these items."""
    record = codex("compacted", message=message, replacement_history=list(history))
    data = lines(
        CODEX_META,
        codex_said("user", "a"),
        codex_said("assistant", "b"),
        record,
        codex_said("assistant", "c"),
    )
    session = tape.load(data)
    assert tape.dump(session).data == data
    return session


def test_a_sealed_summary_is_a_block_that_is_kept() -> None:
    kept = codex_said("user", "a")["payload"]
    session = compacted("", kept, {"type": "compaction", "id": "cmp", "encrypted_content": "c2VhbGVk"})
    assert [(e.role, [h.kind for h in e.heads], _mark(e)) for e in session.messages[2:]] == [
        ("user", ["text"], "cut carried"),
        ("user", ["other"], "compact_summary"),
        ("assistant", ["text"], ""),
    ]
    assert [note.kind for note in session.notes] == ["compacted"]


def test_a_reply_that_was_carried_over_is_no_call() -> None:
    kept = [codex_said("user", "a")["payload"], codex_said("assistant", "b")["payload"]]
    session = compacted("", *kept)
    assert said(session)[2:] == [
        ("user", "a", "cut carried"),
        ("assistant", "b", "carried"),
        ("assistant", "c", ""),
    ]
    assert [(turn.sent_from, turn.at) for turn in turns(session)] == [(0, 1), (2, 4)]
    assert [call.message_uid for call in session.calls] == ["m1", "m4"]


def test_a_round_that_was_carried_over_pairs_with_itself() -> None:
    kept = [codex_said("user", "a"), codex_call("c1", command=["ls"]), codex_output("c1", "a.txt")]
    session = compacted("", *(one["payload"] for one in kept))
    assert [link.state for link in tape.threads(session).links] == ["ok"]
    assert not tape.threads(session).unlinked


def test_a_record_of_old_versions_has_the_summary_alone() -> None:
    session = compacted("They said a.")
    assert said(session)[2:] == [("user", "They said a.", "cut compact_summary"), ("assistant", "c", "")]
    changed = tape.apply(session, from_json({"op": "replace", "target": "m2.0", "value": "All said."}))
    assert json.loads(tape.dump(changed).data.splitlines()[3])["payload"]["message"] == "All said."


@pytest.mark.parametrize("history", [[], ["x", 5, None], [{"type": "ghost_snapshot"}]])
def test_a_record_without_messages_is_an_aside(history: list[Any]) -> None:
    session = compacted("", *history)
    assert [entry.text for entry in session.messages] == ["a", "b\nc"] or len(session.messages) == 2
    assert [aside.kind for aside in session.asides][-1] == "compacted"
    assert report(tape.read(tape.dump(session).data), session, 0)["counts"]["compactions"] == 1


def test_two_compactions_cut_twice() -> None:
    first = codex("compacted", message="", replacement_history=[codex_said("user", "a")["payload"]])
    second = codex("compacted", message="", replacement_history=[codex_said("user", "a")["payload"]])
    told = [
        codex_said("user", "a"),
        codex_said("assistant", "b"),
        first,
        codex_said("assistant", "c"),
        second,
    ]
    session = tape.load(
        lines(CODEX_META, CODEX_TURN, *told, codex_said("assistant", "d"), codex_counted(9, 0, 1, 0))
    )
    assert [(turn.sent_from, turn.at) for turn in turns(session)] == [(0, 1), (2, 3), (4, 5)]
