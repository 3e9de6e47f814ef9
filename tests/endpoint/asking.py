"""Asks the scripted model: requests from messages, and a loop over a workspace held in memory."""

from __future__ import annotations

from typing import Any

from tape.endpoint.scripted import Answer, answer
from tape.samples import workspace
from tape.tools.files import FileTool, file_tools, reading_tools
from tape.tools.memory import MemoryWorkspace
from tests.strategies import Entry, assistant, user

SHELL = {
    "name": "run_bash",
    "description": "Run a command.",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}},
}


def body(*messages: Entry, **more: Any) -> dict[str, Any]:
    """A request body with these messages."""
    return {"model": "any", "max_tokens": 4000, "messages": list(messages), **more}


def turns(*texts: str) -> list[Entry]:
    """Messages that alternate, the first one the user's."""
    return [user(text) if n % 2 == 0 else assistant(text) for n, text in enumerate(texts)]


def words(*messages: Entry, **more: Any) -> str:
    """The text that the scripted model answers these messages with."""
    given = answer(body(*messages, **more))
    return "".join(block["text"] for block in given.content if block["type"] == "text")


def calls(given: Answer) -> list[tuple[str, dict[str, Any]]]:
    """Name and input of every tool call of an answer."""
    return [(b["name"], b["input"]) for b in given.content if b["type"] == "tool_use"]


def declared(tools: tuple[FileTool, ...]) -> list[dict[str, Any]]:
    """Tools as a request declares them."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in tools
    ]


READING = declared(reading_tools(MemoryWorkspace({})))
WRITING = declared(file_tools(MemoryWorkspace({})))


class Harness:
    """The smallest loop: carries calls out over a sample workspace until an answer asks for none.

    ``shell`` gives the output of each command it is asked to run, in order. ``messages`` is the whole array.
    """

    def __init__(self, name: str, *shell: str, writing: bool = False) -> None:
        self.files = MemoryWorkspace(workspace(name), name)
        self.tools = file_tools(self.files) if writing else reading_tools(self.files)
        self.declared = declared(self.tools) + ([SHELL] if shell else [])
        self.shell = list(shell)
        self.messages: list[Entry] = []

    def ask(self, question: str) -> str:
        """Put a question, run until the end, and give the last answer's text."""
        self.messages.append(user(question))
        return self.go_on()

    def go_on(self) -> str:
        """Run on from the array as it stands."""
        for _ in range(12):
            given = answer(body(*self.messages, tools=self.declared))
            self.messages.append(assistant(*given.content))
            if given.stop_reason != "tool_use":
                return given.content[-1]["text"]
            self.messages.append(user(*(self._result(b) for b in given.content if b["type"] == "tool_use")))
        raise AssertionError("no end after twelve turns")

    def asked(self) -> list[list[tuple[str, dict[str, Any]]]]:
        """The calls of each assistant message so far."""
        return [
            [(b["name"], b["input"]) for b in m["content"] if b["type"] == "tool_use"]
            for m in self.messages
            if m["role"] == "assistant"
        ]

    def _result(self, call: dict[str, Any]) -> dict[str, Any]:
        if call["name"] == "run_bash":
            text, failed = self.shell.pop(0), False
        else:
            tool = next(tool for tool in self.tools if tool.name == call["name"])
            output = tool.run(call["input"])
            text, failed = output.text, output.is_error
        return {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": failed}
