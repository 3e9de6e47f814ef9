"""The samples: counted by hand, byte-equal again, made again by their program, and named in the index."""

from __future__ import annotations

import pytest

import tape
from sample_sessions.generate import FOLDER, files
from tape.errors import UserError
from tape.samples import sample, samples, workspace

NAMES = [one.name for one in samples()]

# messages, user, assistant, calls, results, links, turns
COUNTED = {
    "add-function": (6, 3, 3, 3, 3, 3, 3),
    "forgets": (2, 1, 1, 0, 0, 0, 1),
    "remembers": (4, 2, 2, 0, 0, 0, 2),
    "times-three": (4, 2, 2, 0, 0, 0, 2),
    "two-tickets": (4, 2, 2, 2, 2, 2, 2),
    "few-shot": (6, 3, 3, 0, 0, 0, 3),
    "fix-the-test": (12, 6, 6, 6, 6, 6, 6),
    "dangling-call": (3, 2, 1, 1, 0, 0, 1),
    "three-calls-two-results": (3, 2, 1, 3, 2, 2, 1),
    "openai-form": (5, 2, 2, 2, 2, 2, 2),
    "claude-code": (17, 9, 8, 5, 5, 5, 8),
}
REFUSED = {
    "dangling-call": ["unanswered-tool-use"],
    "three-calls-two-results": ["unanswered-tool-use"],
}


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_those_counted_by_hand(name: str) -> None:
    session = sample(name).load()
    heads = [head.kind for entry in session.messages for head in entry.heads]
    roles = [entry.role for entry in session.messages]
    assert (
        len(session.messages),
        roles.count("user"),
        roles.count("assistant"),
        heads.count("tool_use"),
        heads.count("tool_result"),
        len(tape.threads(session).links),
        len(tape.turns(session)),
    ) == COUNTED[name]


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_sample_is_written_byte_for_byte(name: str) -> None:
    one = sample(name)
    assert tape.dump(one.load()).data == one.files[0].read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_only_the_broken_samples_would_be_refused(name: str) -> None:
    session = sample(name).load()
    endpoint = "openai-chat" if session.format == "openai-chat" else "anthropic"
    refused = [f.code for f in tape.lint(session, endpoint) if f.severity == "refused"]
    assert refused == REFUSED.get(name, [])


def test_the_claude_code_sample_has_a_sub_agent_a_branch_and_a_compaction() -> None:
    session = sample("claude-code").load()
    assert [len(lane.session.messages) for lane in session.lanes] == [4]
    assert [len(branch.messages) for branch in session.branches] == [2]
    assert sum(bool(entry.meta.get("compact_summary")) for entry in session.messages) == 1


def test_the_samples_are_what_their_program_writes() -> None:
    assert {path: (FOLDER / path).read_text("utf-8") for path in files()} == files()


def test_the_index_names_every_file_and_every_file_is_in_the_index() -> None:
    named = {path.relative_to(FOLDER).as_posix() for one in samples() for path in one.files}
    assert named == set(files())
    assert len(NAMES) == len(set(NAMES))


@pytest.mark.parametrize("name", sorted({one.workspace for one in samples() if one.workspace}))
def test_workspaces_hold_text_files(name: str) -> None:
    assert all(text and not path.startswith(("/", ".")) for path, text in workspace(name).items())


@pytest.mark.parametrize("name", ["../workspaces/tickets", "..", "/etc", "tickets/", "", "nothing"])
def test_only_listed_workspaces_are_opened(name: str) -> None:
    with pytest.raises(UserError, match="There is no workspace"):
        workspace(name)


def test_an_unknown_sample_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UserError, match="add-function"):
        sample("nothing")
