"""B44: one tool result of ten million characters on one line freezes nothing and is not held by the index."""

from __future__ import annotations

import time
import tracemalloc

import tape
from tape.model import ToolResult
from tests.formats.claude_code_lines import Chain, text, use

SIZE = 10_000_000


def test_b44_loads_within_three_seconds_and_comes_back_whole() -> None:
    chain = Chain()
    for n in range(6):
        chain.user(f"question {n}")
        chain.reply(f"m{n}", use(f"t{n}"))
        chain.result(f"t{n}", "x" * SIZE if n == 3 else "short")
    chain.reply("last", text("done"))
    data = chain.bytes()
    assert len(chain.lines) == 19
    start = time.perf_counter()
    session = tape.load(data)
    assert time.perf_counter() - start < 3
    (big,) = [head for entry in session.messages for head in entry.heads if head.chars > 1000]
    assert (big.kind, big.chars) == ("tool_result", SIZE)
    result = session.messages[11].blocks[0]
    assert isinstance(result, ToolResult)
    assert len(result.text) == SIZE
    assert tape.dump(session).data == data


def test_b44_the_index_does_not_hold_the_text() -> None:
    chain = Chain()
    chain.reply("m1", use("t"))
    chain.result("t", "x" * SIZE)
    data = chain.bytes()
    tracemalloc.start()
    session = tape.load(data)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(session.messages) == 2
    assert held < SIZE / 10
