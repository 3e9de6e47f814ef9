"""Real Claude Code files: their counts as counted by hand, their bytes back, their links."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import tape
from tape.model import Session, head_of


class Counts(NamedTuple):
    """What ``SOURCES.md`` counts: a user message that only carries results is not one of ``user``."""

    records: int
    user: int
    assistant: int
    calls: int
    results: int


SUBAGENTS = "claude-code-subagents/50a7220d-7250-46f3-b38e-b716ce25032e"
# Counted line by line in an editor; records are the lines of the file.
HAND_COUNTS = {
    "claude-code/parallel-tools.jsonl": Counts(39, 7, 4, 6, 6),
    "claude-code/sdk-compaction.jsonl": Counts(26, 7, 4, 0, 0),
    "claude-code/attachments-redacted-thinking.jsonl": Counts(13, 2, 2, 2, 1),
    f"{SUBAGENTS}.jsonl": Counts(7, 1, 2, 1, 1),
    f"{SUBAGENTS}/subagents/agent-a21e2f5.jsonl": Counts(19, 1, 2, 1, 1),
}
FILES = pytest.mark.parametrize("name", HAND_COUNTS)
Corpus = Callable[[str], Path]


def counted(session: Session) -> Counts:
    heads = [head for entry in session.messages for head in entry.heads]
    assert session.report is not None
    return Counts(
        session.report.records,
        sum(
            entry.role == "user" and any(head.kind != "tool_result" for head in entry.heads)
            for entry in session.messages
        ),
        sum(entry.role == "assistant" for entry in session.messages),
        sum(head.kind == "tool_use" for head in heads),
        sum(head.kind == "tool_result" for head in heads),
    )


@FILES
def test_counts_are_those_of_a_hand_count(corpus: Corpus, name: str) -> None:
    reading = tape.read(corpus(name))
    assert (reading.format, reading.confidence) == ("claude-code", 3)
    assert counted(reading.conversations[0].load()) == HAND_COUNTS[name]


@FILES
def test_every_record_is_accounted_for(corpus: Corpus, name: str) -> None:
    session = tape.load(corpus(name))
    report = session.report
    assert report is not None
    assert report.in_messages + sum(report.aside_counts.values()) == report.records
    assert (report.unknown, report.broken, session.notes) == ({}, (), ())
    assert len(session.asides) == sum(report.aside_counts.values())


@FILES
def test_untouched_files_come_back_byte_for_byte(corpus: Corpus, name: str) -> None:
    assert tape.dump(tape.load(corpus(name))).data == corpus(name).read_bytes()


@FILES
def test_heads_say_what_the_bodies_hold(corpus: Corpus, name: str) -> None:
    for entry in tape.load(corpus(name)).messages:
        for head, made in zip(entry.heads, map(head_of, entry.blocks), strict=True):
            assert (head.kind, head.uid, head.id, head.name) == (made.kind, made.uid, made.id, made.name)
            assert (head.chars, head.lines) == (made.chars, made.lines)


def test_results_between_the_lines_of_a_reply_join_behind_it(corpus: Corpus) -> None:
    session = tape.load(corpus("claude-code/parallel-tools.jsonl"))
    kinds = [[head.kind for head in session.messages[i].heads] for i in (10, 11, 12, 13)]
    assert kinds == [
        ["text", "thinking", "tool_use", "tool_use"],
        ["tool_result", "tool_result"],
        ["tool_use", "tool_use"],
        ["tool_result", "tool_result"],
    ]
    assert [link.state for link in tape.threads(session).links] == ["ok"] * 6
    assert tape.threads(session).unlinked == ()
    assert [entry.uid for entry in session.messages if entry.meta.get("interrupted")] == ["m5", "m14"]


def test_compaction_is_an_aside_and_its_summary_a_flagged_message(corpus: Corpus) -> None:
    session = tape.load(corpus("claude-code/sdk-compaction.jsonl"))
    boundary = next(aside for aside in session.asides if aside.kind == "compact_boundary")
    assert boundary.after == "m5"
    assert boundary.text == "Conversation compacted (trigger manual, preTokens 26634)"
    assert [entry.uid for entry in session.messages if entry.meta.get("compact_summary")] == ["m6"]
    assert [entry.uid for entry in session.messages if entry.meta.get("synthetic")] == ["m10"]
    assert [call.message_uid for call in session.calls] == ["m1", "m3", "m5"]
    assert session.model == "claude-haiku-4-5-20251001"


def test_an_unanswered_call_stays_open(corpus: Corpus) -> None:
    session = tape.load(corpus("claude-code/attachments-redacted-thinking.jsonl"))
    assert [(one.id, one.state) for one in tape.threads(session).unlinked] == [
        ("chatcmpl-tool-b6d05b0ebdda9e0b", "pending")
    ]
    assert [aside.kind for aside in session.asides if aside.injected] == ["skill_listing"]


def test_the_sub_agent_in_the_folder_is_a_lane_of_its_call(corpus: Corpus) -> None:
    session = tape.load(corpus(f"{SUBAGENTS}.jsonl"))
    (lane,) = session.lanes
    assert (lane.spawned_by, lane.agent, lane.session.id) == ("m1.1", "Bash", "a21e2f5")
    assert lane.session.title == "Run sleep 10 command"
    assert [entry.role for entry in lane.session.messages] == ["user", "assistant", "user", "assistant"]
    uids = [entry.uid for one in (session, lane.session) for entry in one.messages]
    assert len(set(uids)) == len(uids)
    assert tape.dump(lane.session).data == corpus(f"{SUBAGENTS}/subagents/agent-a21e2f5.jsonl").read_bytes()
