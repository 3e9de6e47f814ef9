"""Small files of LangSmith runs for tests, one a situation; all of it is invented."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.langchain_files import DUMPED, PLAIN, again
from tests.formats.log_lines import Line, document, lines

TOOLS = [{"type": "function", "function": {"name": "tide", "parameters": {"type": "object"}}}]


def run(id: str, kind: str, inputs: Any, outputs: Any, **fields: Any) -> Line:
    """A run."""
    return {
        "id": id,
        "name": f"{kind} {id}",
        "run_type": kind,
        "inputs": inputs,
        "outputs": outputs,
        **fields,
    }


def model(id: str, given: list[Line], answer: Line, **fields: Any) -> Line:
    """A run of a model with messages dumped with their class."""
    extra = {"metadata": {"ls_model_name": "made-up-2"}, "invocation_params": {"tools": TOOLS}}
    generation = {"message": answer, "text": ""}
    return run(id, "llm", {"messages": [given]}, {"generations": [[generation]]}, extra=extra, **fields)


FIRST = model("a", DUMPED[:2], DUMPED[2])
TIDE = run("b", "tool", {"input": "{}"}, {"output": DUMPED[3]})
SECOND = model("c", DUMPED[:5], DUMPED[5])
NESTED = run("root", "chain", {"question": "tide"}, {"answer": "noon"}, child_runs=[FIRST, TIDE, SECOND])
PENDING = run("root", "chain", {}, {}, child_runs=[FIRST, TIDE])
ASKED: list[Line] = [{"role": "system", "content": "Know the sea."}, {"role": "user", "content": "The tide?"}]
CALLING: Line = {"role": "assistant", "content": None, "tool_calls": [again("c1", "tide", day=1)]}
BATCH: Line = {
    "post": [{**run("a", "llm", {"messages": ASKED}, None), "trace_id": "t"}],
    "patch": [
        {
            "id": "a",
            "trace_id": "t",
            "outputs": {
                "choices": [{"message": CALLING}],
                "usage": {"prompt_tokens": 30, "completion_tokens": 5},
            },
        }
    ],
}
GRAPH = run("g", "chain", {"messages": PLAIN[:2]}, {"messages": PLAIN}, trace_id="g")
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "langsmith-nested": ("langsmith", document(NESTED)),
    "langsmith-results-in-tool-runs": ("langsmith", json.dumps(PENDING).encode()),
    "langsmith-batch": ("langsmith", document(BATCH)),
    "langsmith-lines": ("langsmith", lines(*({**one, "trace_id": "t"} for one in (FIRST, TIDE, SECOND)))),
    "langsmith-graph": ("langsmith", document([GRAPH])),
}
