"""Sub-agents: lines inside the session, files of their own, and the call that started each."""

from __future__ import annotations

import json
from pathlib import Path

import tape
from tape.formats.claude_code_files import companions
from tape.model import Session
from tests.formats.claude_code_lines import SESSION, Chain, shape, text, use


def main_file(**result: object) -> Chain:
    chain = Chain()
    chain.user("look into it")
    chain.reply(
        "m1", use("task", "Task", prompt="find the bug", description="Bug hunt", subagent_type="Explore")
    )
    chain.result("task", "found", toolUseResult={"status": "completed", **result})
    chain.reply("m2", text("done"))
    return chain


def agent_file(agent: str = "a1", prompt: str = "find the bug") -> Chain:
    chain = Chain(agentId=agent)
    chain.count = 100
    chain.user(prompt, isSidechain=True, parent=None)
    chain.reply("s1", use("grep", "Grep"), isSidechain=True)
    chain.result("grep", isSidechain=True)
    chain.reply("s2", text("found"), isSidechain=True)
    return chain


def load(*files: bytes) -> Session:
    return tape.load(list(files))


def test_a_file_is_linked_by_the_agent_id_that_the_result_names() -> None:
    session = load(main_file(agentId="a1").bytes(), agent_file(prompt="other words").bytes())
    (lane,) = session.lanes
    assert (lane.spawned_by, lane.agent, lane.session.title) == ("m1.0", "Explore", "Bug hunt")
    assert shape(lane.session)[1:3] == [("assistant", ["use:grep"]), ("user", ["res:grep"])]
    assert len(session.messages) == 4


def test_a_file_is_linked_by_its_prompt_where_no_id_is_named() -> None:
    (lane,) = load(main_file().bytes(), agent_file().bytes()).lanes
    assert lane.spawned_by == "m1.0"


def test_an_agent_that_nobody_called_is_a_lane_with_a_note() -> None:
    session = load(main_file(agentId="other").bytes(), agent_file(prompt="else").bytes())
    assert [lane.spawned_by for lane in session.lanes] == [None]
    assert [note.kind for note in session.notes] == ["unlinked-agent"]


def test_sidechain_lines_inside_the_session_are_a_lane() -> None:
    chain = main_file()
    inside = agent_file()
    chain.lines[2:2] = [{k: v for k, v in line.items() if k != "agentId"} for line in inside.lines]
    data = chain.bytes()
    session = tape.load(data)
    assert [words for _, words in shape(session)] == [["look into it"], ["use:task"], ["res:task"], ["done"]]
    (lane,) = session.lanes
    assert (lane.spawned_by, len(lane.session.messages)) == ("m1.0", 4)
    assert lane.session.messages[0].uid == "m4"
    assert session.report is not None
    assert (session.report.in_messages, session.report.merged) == (8, 0)
    assert tape.dump(session).data == data


def test_two_agents_at_once_are_two_lanes_even_when_their_lines_alternate() -> None:
    chain = Chain()
    chain.reply("m1", use("t1", "Task", prompt="one"), use("t2", "Task", prompt="two"))
    tails: dict[str, str | None] = {"one": None, "two": None}
    for step in range(2):
        for name in tails:
            words = name if step == 0 else f"{name} again"
            tails[name] = chain.user(words, isSidechain=True, parent=tails[name])
    session = chain.load()
    assert [(lane.spawned_by, len(lane.session.messages)) for lane in session.lanes] == [
        ("m0.0", 2),
        ("m0.1", 2),
    ]


def test_a_file_that_is_all_sub_agent_is_its_own_session() -> None:
    session = tape.load(agent_file().bytes())
    assert (len(session.messages), session.lanes, session.title) == (4, (), "find the bug")


def test_agents_of_agents_hang_on_the_call_in_their_lane() -> None:
    outer = agent_file("a1")
    outer.reply("s3", use("inner", "Agent", prompt="deeper"), isSidechain=True)
    outer.result("inner", toolUseResult={"agentId": "a2"}, isSidechain=True)
    inner = agent_file("a2", "deeper")
    session = load(main_file(agentId="a1").bytes(), outer.bytes(), inner.bytes())
    call = session.lanes[0].session.messages[4]
    assert [lane.spawned_by for lane in session.lanes] == ["m1.0", call.blocks[0].uid]
    uids = [m.uid for one in (session, *(lane.session for lane in session.lanes)) for m in one.messages]
    assert len(uids) == len(set(uids)) == 4 + 6 + 4


def test_progress_names_the_call_of_an_agent_that_is_still_at_work() -> None:
    chain = Chain()
    chain.reply("m1", use("t1", "Agent", prompt="not the same words"))
    chain.add("progress", parentToolUseID="t1", data={"type": "agent_progress", "agentId": "a1"})
    (lane,) = load(chain.bytes(), agent_file("a1").bytes()).lanes
    assert lane.spawned_by == "m0.0"


def folder(root: Path) -> Path:
    session = root / f"{SESSION}.jsonl"
    session.write_bytes(main_file(agentId="a1").bytes())
    inside = root / SESSION / "subagents"
    inside.mkdir(parents=True)
    (inside / "agent-a1.jsonl").write_bytes(agent_file("a1").bytes())
    (inside / "agent-a1.meta.json").write_text(json.dumps({"agentType": "explorer", "spawnDepth": 1}))
    return session


def test_opening_a_path_finds_the_agents_in_its_folder(tmp_path: Path) -> None:
    session = tape.load(folder(tmp_path))
    (lane,) = session.lanes
    assert (lane.spawned_by, lane.agent) == ("m1.0", "explorer")
    assert session.notes == ()


def test_opening_a_path_finds_the_agents_beside_it_that_name_it(tmp_path: Path) -> None:
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(main_file(agentId="a1").bytes())
    (tmp_path / "agent-a1.jsonl").write_bytes(agent_file("a1").bytes())
    (tmp_path / "agent-a2.jsonl").write_bytes(agent_file("a2").bytes().replace(SESSION.encode(), b"another"))
    assert [found.name for found in companions(path)] == ["agent-a1.jsonl"]
    assert len(tape.load(path).lanes) == 1


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(agent_file("a1").bytes())
    project = tmp_path / "project"
    inside = project / SESSION / "subagents"
    inside.mkdir(parents=True)
    (inside / "agent-a1.jsonl").symlink_to(outside)
    (inside / "agent-a2.jsonl").mkdir()
    (inside / "agent-a3.jsonl").touch()
    path = project / f"{SESSION}.jsonl"
    path.write_bytes(main_file().bytes())
    assert companions(path) == ()


def test_an_agent_file_brings_nobody_along(tmp_path: Path) -> None:
    folder(tmp_path)
    agent = tmp_path / SESSION / "subagents" / "agent-a1.jsonl"
    assert companions(agent) == ()
    assert len(tape.load(agent).messages) == 4
