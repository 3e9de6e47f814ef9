"""What a request body must look like before its array can be judged: fields and their types.

The wording follows the API's own (``messages.0.content: Field required``), which names a path in the body
as it was sent. Whether the array is in order is the business of ``tape.rules``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

REQUIRED = {"max_tokens": int, "messages": list, "model": str}
OPTIONAL: dict[str, type | tuple[type, ...]] = {
    "metadata": dict,
    "stop_sequences": list,
    "stream": bool,
    "system": (str, list),
    "temperature": (int, float),
    "thinking": dict,
    "tool_choice": dict,
    "tools": list,
    "top_k": int,
    "top_p": (int, float),
}
FURTHER = frozenset(
    {"cache_control", "container", "context_management", "diagnostics", "fallbacks", "inference_geo"}
    | {"mcp_servers", "output_config", "output_format", "service_tier", "speed"}
)
"""Fields of the API (SDK 2.14) that this endpoint accepts and does not look at."""

BLOCKS: dict[str, dict[str, type]] = {
    "text": {"text": str},
    "image": {"source": dict},
    "document": {"source": dict},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
    "server_tool_use": {"id": str, "name": str, "input": dict},
}
OTHER_BLOCKS = frozenset(
    {"search_result", "container_upload", "compaction", "mcp_tool_use", "tool_reference", "fallback"}
    | {"tool_addition", "tool_removal"}
)
IN_WORDS: dict[type, str] = {
    bool: "boolean",
    dict: "dictionary",
    float: "number",
    int: "integer",
    list: "list",
    str: "string",
}


def problem(body: object, *, counting: bool = False) -> str | None:
    """The first thing wrong with the shape of a body, or ``None``. ``counting`` needs no ``max_tokens``."""
    if not isinstance(body, dict):
        return "Input should be a valid dictionary"
    return next(_problems(body, counting), None)


def _problems(body: Mapping[str, Any], counting: bool) -> Iterator[str]:
    for name, kind in REQUIRED.items():
        if name not in body:
            if not (counting and name == "max_tokens"):
                yield f"{name}: Field required"
        else:
            yield from _typed(name, body[name], kind)
    if isinstance(limit := body.get("max_tokens"), int) and limit < 0:
        yield "max_tokens: Input should be greater than or equal to 0"
    for name, kinds in OPTIONAL.items():
        if name in body:
            yield from _typed(name, body[name], kinds)
    for name in body.keys() - REQUIRED.keys() - OPTIONAL.keys() - FURTHER:
        yield f"{name}: Extra inputs are not permitted"
    yield from _system(body.get("system"))
    yield from _tools(body.get("tools", []))
    for index, message in enumerate(body["messages"]):
        yield from _message(f"messages.{index}", message)


def _message(path: str, message: object) -> Iterator[str]:
    if not isinstance(message, dict):
        yield f"{path}: Input should be a valid dictionary"
        return
    for name, kinds in (("role", str), ("content", (str, list))):
        if name not in message:
            yield f"{path}.{name}: Field required"
        else:
            yield from _typed(f"{path}.{name}", message[name], kinds)
    content = message.get("content")
    if isinstance(content, list):
        for index, block in enumerate(content):
            yield from _block(f"{path}.content.{index}", block)


def _block(path: str, block: object) -> Iterator[str]:
    if not isinstance(block, dict):
        yield f"{path}: Input should be a valid dictionary"
        return
    kind = block.get("type")
    if not isinstance(kind, str):
        yield f"{path}.type: Field required"
    elif kind in BLOCKS:
        for name, wanted in BLOCKS[kind].items():
            if name not in block:
                yield f"{path}.{kind}.{name}: Field required"
            else:
                yield from _typed(f"{path}.{kind}.{name}", block[name], wanted)
        if kind == "tool_result" and block.get("content") is not None:
            yield from _result(f"{path}.{kind}.content", block["content"])
    elif kind not in OTHER_BLOCKS and not kind.endswith("_tool_result"):
        tags = ", ".join(f"'{tag}'" for tag in sorted(BLOCKS.keys() | OTHER_BLOCKS))
        yield f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}"


def _result(path: str, content: object) -> Iterator[str]:
    yield from _typed(path, content, (str, list))
    if isinstance(content, list):
        for index, block in enumerate(content):
            yield from _block(f"{path}.{index}", block)


def _system(system: object) -> Iterator[str]:
    if isinstance(system, list):
        for index, block in enumerate(system):
            yield from _block(f"system.{index}", block)


def _tools(tools: Sequence[object]) -> Iterator[str]:
    for index, tool in enumerate(tools):
        if not isinstance(tool, dict):
            yield f"tools.{index}: Input should be a valid dictionary"
        elif tool.get("type", "custom") == "custom":
            for name, kind in (("name", str), ("input_schema", dict)):
                if name not in tool:
                    yield f"tools.{index}.custom.{name}: Field required"
                else:
                    yield from _typed(f"tools.{index}.custom.{name}", tool[name], kind)


def _typed(path: str, value: object, kinds: type | tuple[type, ...]) -> Iterator[str]:
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        yield f"{path}: Input should be a valid {IN_WORDS[wanted[-1]]}"
