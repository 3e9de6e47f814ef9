"""Small files of AutoGen for tests, one a situation; all of it is invented."""

from __future__ import annotations

from tests.formats.log_lines import Line, document, lines


def call(id: str, name: str, arguments: str) -> Line:
    """A call."""
    return {"id": id, "name": name, "arguments": arguments}


def result(id: str, name: str, content: str, *, is_error: bool = False) -> Line:
    """What came back."""
    return {"content": content, "name": name, "call_id": id, "is_error": is_error}


CALLS = [call("c1", "tide", '{"day": 1}'), call("c2", "moon", '{"day": 2}')]
BACK = [result("c1", "tide", "at noon"), result("c2", "moon", "no such day", is_error=True)]
CONTEXT: list[Line] = [
    {"content": "Know the sea.", "type": "SystemMessage"},
    {"content": ["When is the tide?", {"data": "aGk="}], "source": "user", "type": "UserMessage"},
    {"content": CALLS, "thought": "Ask for both", "source": "sailor", "type": "AssistantMessage"},
    {"content": BACK, "type": "FunctionExecutionResultMessage"},
    {"content": "High tide is at noon.", "thought": None, "source": "sailor", "type": "AssistantMessage"},
]
USED: Line = {"prompt_tokens": 40, "completion_tokens": 6}
EVENTS: list[Line] = [
    {"source": "user", "models_usage": None, "type": "TextMessage", "content": "When is the tide?"},
    {"source": "sailor", "models_usage": None, "type": "ThoughtEvent", "content": "Ask for both"},
    {"source": "sailor", "models_usage": USED, "type": "ToolCallRequestEvent", "content": CALLS},
    {"source": "sailor", "models_usage": None, "type": "ToolCallExecutionEvent", "content": BACK},
    {"source": "sailor", "type": "ToolCallSummaryMessage", "content": "both, in one line"},
    {"source": "sailor", "models_usage": USED, "type": "TextMessage", "content": "High tide is at noon."},
]


def state(*context: Line) -> Line:
    """The saved state of one agent."""
    held = {"type": "AssistantAgentState", "llm_context": {"messages": list(context)}}
    return {"type": "ChatAgentContainerState", "agent_state": held}


TEAM: Line = {
    "type": "TeamState",
    "agent_states": {"sailor": state(*CONTEXT), "mate": state(*CONTEXT[1:2], CONTEXT[-1])},
}
SITUATIONS: dict[str, tuple[str, bytes]] = {
    "autogen-context": ("autogen", document(CONTEXT)),
    "autogen-events": ("autogen", document({"messages": EVENTS, "stop_reason": None})),
    "autogen-event-lines": ("autogen", lines(*EVENTS)),
    "autogen-team-state": ("autogen", document(TEAM)),
}
