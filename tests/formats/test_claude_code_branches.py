"""Prompts that were taken back and asked anew: which branch is the session, and what becomes of the other."""

from __future__ import annotations

import tape
from tests.formats.claude_code_lines import Chain, shape, text, use


def asked_twice() -> Chain:
    chain = Chain()
    chain.user("hello")
    shared = chain.reply("m1", text("hi"))
    chain.user("read a")
    chain.reply("m2", use("a"), usage={"input_tokens": 10, "output_tokens": 3})
    chain.result("a")
    chain.add("system", subtype="turn_duration")
    chain.user("read b", parent=shared)
    chain.reply("m3", use("b"), usage={"input_tokens": 11, "output_tokens": 4})
    chain.result("b")
    return chain


def test_the_branch_that_went_on_last_is_the_session() -> None:
    session = asked_twice().load()
    assert [words for _, words in shape(session)] == [["hello"], ["hi"], ["read b"], ["use:b"], ["res:b"]]
    (branch,) = session.branches
    assert branch.name == "read a"
    assert (branch.at, [m.text for m in branch.messages]) == ("m1", ["read a", "", ""])
    assert [m.uid for m in branch.messages] == ["m5", "m6", "m7"]
    assert [b.uid for b in branch.messages[2].blocks] == ["m7.0"]


def test_what_a_left_branch_cost_was_spent() -> None:
    session = asked_twice().load()
    assert [(call.message_uid, call.id) for call in session.calls] == [
        ("m6", "m2"),
        ("m1", "m1"),
        ("m3", "m3"),
    ]
    assert session.model == "claude-test-1"
    assert [(a.after, a.kind) for a in session.asides] == [("m7", "turn_duration")]


def test_lines_count_once_whichever_branch_they_are_in() -> None:
    report = asked_twice().load().report
    assert report is not None
    assert (report.records, report.in_messages, report.merged, report.aside_counts) == (
        9,
        8,
        0,
        {"system/turn_duration": 1},
    )


def test_the_time_decides_and_not_the_place_in_the_file() -> None:
    chain = asked_twice()
    chain.lines[4]["timestamp"] = "2026-03-01T11:00:00.000Z"
    session = chain.load()
    assert [words for _, words in shape(session)][2:] == [["read a"], ["use:a"], ["res:a"]]
    assert [m.text for m in session.branches[0].messages][:1] == ["read b"]


def test_forks_inside_a_left_branch_are_branches_of_their_own() -> None:
    chain = Chain()
    root = chain.user("root")
    chain.user("left", parent=root)
    inner = chain.reply("m1", text("l"))
    chain.user("left, first", parent=inner)
    chain.user("left, second", parent=inner)
    chain.user("kept", parent=root)
    session = chain.load()
    assert [words for _, words in shape(session)] == [["root"], ["kept"]]
    found = {branch.messages[0].text: (branch.at, len(branch.messages)) for branch in session.branches}
    assert found == {"left": ("m0", 3), "left, first": ("m3", 1)}


def test_parallel_calls_and_shared_parents_of_other_lines_are_no_forks() -> None:
    chain = Chain()
    chain.user("go")
    first = chain.reply("m1", use("a"))
    second = chain.reply("m1", use("b"), parent=first)
    chain.result("a", parent=first)
    chain.result("b", parent=second)
    last = chain.reply("m2", text("ok"))
    chain.user("skill text", parent=last, isMeta=True)
    chain.user("<local-command-stdout>x</local-command-stdout>", parent=last)
    chain.add("attachment", attachment={"type": "queued_command", "prompt": "and?"}, parent=last)
    chain.user("next", parent=last)
    session = chain.load()
    assert session.branches == ()
    assert len(session.messages) == 8


def test_first_prompts_without_a_parent_are_no_fork() -> None:
    chain = Chain()
    chain.user("one", parent=None)
    chain.user("two", parent=None)
    assert chain.load().branches == ()


def test_a_compaction_in_a_left_branch_stays_there() -> None:
    chain = Chain()
    root = chain.user("root")
    left = chain.user("left", parent=root)
    chain.add("system", subtype="compact_boundary", parent=None, logicalParentUuid=left)
    chain.user("This session is being continued …", isCompactSummary=True)
    chain.user("kept", parent=root)
    session = chain.load()
    assert [words for _, words in shape(session)] == [["root"], ["kept"]]
    assert [m.meta.get("compact_summary") for m in session.branches[0].messages] == [None, True]


def test_untouched_branches_come_back_byte_for_byte() -> None:
    data = asked_twice().bytes()
    assert tape.dump(tape.load(data)).data == data
