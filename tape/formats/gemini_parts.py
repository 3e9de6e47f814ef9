"""Parts of the Gemini API as parts of messages: the key of a part says what it is, in camel or snake case.

A thought's signature may stand on any part and must go back unchanged: it stays in the part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from tape.formats.parts import (
    Part,
    below,
    call_part,
    dropped,
    other_part,
    picture,
    result_part,
    text_part,
    thinking_part,
    word,
)
from tape.model import Block, Document, Image, Json, Place, Text, Thinking, ToolResult, ToolUse

SAID: Final = ("output", "result", "content", "text", "error")
"""Under which key of a response its words stand, where it is an object with that one key."""
KEYS: Final[Mapping[str, tuple[str, str]]] = {
    "call": ("functionCall", "function_call"),
    "answer": ("functionResponse", "function_response"),
    "data": ("inlineData", "inline_data"),
    "file": ("fileData", "file_data"),
    "code": ("executableCode", "executable_code"),
    "ran": ("codeExecutionResult", "code_execution_result"),
}


def held(part: Json, what: str) -> tuple[str, dict[str, Json]] | None:
    """The key and the object of a part that is of this kind."""
    for key in KEYS[what]:
        found = part.get(key) if isinstance(part, dict) else None
        if isinstance(found, dict):
            return key, found
    return None


def answers(content: Json) -> bool:
    """Whether a content holds the result of a call."""
    parts = content.get("parts") if isinstance(content, dict) else None
    return isinstance(parts, list) and any(held(part, "answer") for part in parts)


def content_parts(content: Json, place: Place) -> Sequence[Part]:
    """What a content holds; a string, or a part without a list, as old dumps have it, too."""
    given = content.get("parts") if isinstance(content, dict) else content
    where = below(place, "parts") if isinstance(content, dict) else place
    if isinstance(given, str):
        return [text_part(given, where)] if given else []
    if isinstance(given, dict):
        return part_parts(given, where)
    several = given if isinstance(given, list) else []
    return [one for i, part in enumerate(several) for one in part_parts(part, below(where, i))]


def part_parts(part: Json, place: Place) -> Sequence[Part]:
    """One part. One without words, that only carries a signature, is nothing of its own."""
    if isinstance(part, str):
        return [text_part(part, place)]
    if not isinstance(part, dict):
        return [other_part(part, "part", place)]
    text = part.get("text")
    if isinstance(text, str):
        signature = word(part, "thoughtSignature") or word(part, "thought_signature")
        where = below(place, "text")
        if part.get("thought"):
            return [thinking_part(text, where, home=place, raw=part, signature=signature)]
        return [text_part(text, where, home=place, raw=part)] if text or signature is None else []
    if (call := held(part, "call")) is not None:
        key = call[0]
        return [call_part(part, place, name=(key, "name"), input=(key, "args"), id=(key, "id"))]
    if (answer := held(part, "answer")) is not None:
        return [answer_part(part, place, answer[0], answer[1])]
    if (code := held(part, "code")) is not None:
        name = "language" if isinstance(code[1].get("language"), str) else "code"
        return [
            call_part(part, place, name=(code[0], name), input=(code[0], "code"), wrap="code", server=True)
        ]
    if (ran := held(part, "ran")) is not None:
        failed = word(ran[1], "outcome") not in ("OUTCOME_OK", None)
        made = result_part(part, place, content=(ran[0], "output"), error=failed or None)
        assert isinstance(made.block, ToolResult)
        block = replace(made.block, server=True, type="code_execution_tool_result")
        return [replace(made, block=block)]
    return [Part(_media(part, place), (), dropped(place))]


def answer_part(part: Json, place: Place, key: str, answer: Mapping[str, Json]) -> Part:
    """The result of a call: its words where the response is an object with one key, else JSON."""
    response = answer.get("response")
    path: tuple[str, ...] = (key, "response")
    only = next(iter(response), "") if isinstance(response, dict) and len(response) == 1 else ""
    if only in SAID and isinstance(response, dict) and isinstance(response[only], str):
        path = (*path, only)
    failed = isinstance(response, dict) and bool(response.get("error")) and "output" not in response
    return result_part(
        part, place, content=path, id=(key, "id"), error=failed or None, tool=word(answer, "name")
    )


def _media(part: dict[str, Json], place: Place) -> Block:
    data, file = held(part, "data"), held(part, "file")
    if data is not None:
        media = word(data[1], "mimeType") or word(data[1], "mime_type") or ""
        if media.startswith("image/"):
            return picture(data[1].get("data"), place, part, media)
        return Document(media_type=media or None, data=word(data[1], "data"), place=place, raw=part)
    if file is not None:
        media = word(file[1], "mimeType") or word(file[1], "mime_type") or ""
        uri = word(file[1], "fileUri") or word(file[1], "file_uri")
        if media.startswith("image/"):
            return picture(uri, place, part)
        return Document(media_type=media or None, ref=uri, place=place, raw=part)
    return other_part(part, next(iter(part), "part"), place).block


def joined_parts(text: str, thought: bool, value: Json, place: Place) -> Sequence[Part]:
    """The words of a stream, joined: they stand in many records, so they cannot be changed there."""
    block: Block = (
        Thinking(text=text, place=place, raw=value) if thought else Text(text=text, place=place, raw=value)
    )
    return [Part(block)]


def make_content(role: str, blocks: Sequence[Block], names: Mapping[str, str]) -> Json | None:
    """A content of some blocks; ``None`` where one of them has no form here. ``names`` are those of the calls
    before it by id, which a result must quote."""
    made = [_made(block, names) for block in blocks]
    if not made or any(one is None for one in made):
        return None
    return {"role": "model" if role == "assistant" else "user", "parts": made}


def _made(block: Block, names: Mapping[str, str]) -> Json | None:
    match block:
        case Text():
            return {"text": block.text}
        case ToolUse(input=dict()) if not block.server:
            return {"functionCall": {**_own(block.id, block), "name": block.name, "args": block.input}}
        case ToolResult() if not block.server and block.tool_use_id in names:
            key = "error" if block.is_error else "output"
            own = _own(block.tool_use_id, block)
            name = names[block.tool_use_id]
            return {"functionResponse": {**own, "name": name, "response": {key: block.text}}}
        case Image(source="base64"):
            return {"inlineData": {"mimeType": block.media_type, "data": block.data}}
    return None


def _own(id: str, block: ToolUse | ToolResult) -> dict[str, Json]:
    return {} if block.generated_id else {"id": id}


def names_in(contents: Sequence[Json]) -> dict[str, str]:
    """The names of the calls in some contents, by id."""
    found: dict[str, str] = {}
    for content in contents:
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else ():
            call = held(part, "call")
            if call is not None and (id := word(call[1], "id")):
                found[id] = word(call[1], "name") or ""
    return found
