"""Tokens estimated from text where a file has no counts. Everything here is an estimate and is labelled so.

Prices are in ``tape.pricing``, recorded counts in ``tape.usage``. Sources, as of 2026-11:

- characters per token: Anthropic's model table (1M tokens of the tokenizer of Claude 4.7 and later are about
  2.5M characters, of the one before 3.4M); measured on source code (2.3 and 3.1 characters, GPT 3.7) and on
  JSON (GPT 3.0). A model that is not known gets 3.5. Good to about 25 %.
- pictures: ``ceil(width / 28) * ceil(height / 28)`` after scaling to the model's longest side and cap (the
  vision page); never from the length of their base64.
- signs of East Asian scripts: one token each (0.6 to 1.5 was measured).
- what tools add: the pricing page, for the models it lists.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tape.capabilities import Model, model_named
from tape.image_size import size_of_base64
from tape.model import (
    Block,
    Document,
    Head,
    Image,
    Json,
    Message,
    Other,
    Session,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    json_text,
)
from tape.sampling import judged
from tape.wire import tool_json

WHOLE = 2_000_000
SAMPLE = 200
FRAME = 4
IMAGE = 1_600
DOCUMENT = 3_000
TOOLS = 350
SIDE, CAP = 1568, 1568
DATA_URI = re.compile(r"data:image/[\w.+-]{1,40};base64,([A-Za-z0-9+/=_\r\n-]{64,})")
WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Characters per token by kind of content."""

    prose: float
    code: float
    json: float


CLAUDE = {"2026": Ratio(2.5, 2.3, 2.3), "2023": Ratio(3.4, 3.1, 3.1)}
GPT = Ratio(4.0, 3.7, 3.0)
UNKNOWN = Ratio(3.5, 3.5, 3.5)
OPENAI = re.compile(r"(?:^|/)(?:gpt|chatgpt|o\d|codex)[-\d]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated tokens of a session: of the system prompt, the tool list (with what the API adds for it), and
    of each message. ``method`` says how they were found, for people, and ``ratio`` that it was by characters
    per token, which is good to about 25 %. ``read`` is how many messages were read; ``error``, where not all
    were, how far the sum of the messages may be off for that, as a share of it; ``in_parts`` says that long
    texts were judged by parts of them.
    """

    system: int
    tools: int
    messages: tuple[int, ...]
    method: str = ""
    ratio: bool = True
    read: int = 0
    error: float | None = None
    in_parts: bool = False

    @property
    def sampled(self) -> bool:
        """Whether some messages were judged by their length alone."""
        return self.read < len(self.messages)

    @property
    def total(self) -> int:
        """What a request with all of it would send."""
        return self.system + self.tools + sum(self.messages)


class Counted(NamedTuple):
    """Tokens of each message, how many of the messages were read, and the error of a sample (a share)."""

    tokens: tuple[int, ...]
    read: int
    error: float | None


class Counter:
    """Estimates tokens as one model's tokenizer would count them; an unknown model gets the middle.

    ``whole`` is up to how many characters every message is read; ``in_parts`` whether a text was not.
    """

    whole = WHOLE
    in_parts = False

    def __init__(self, model: str | None = None) -> None:
        self.row: Model | None = model_named(model)
        self.ratio = UNKNOWN
        if self.row is not None and self.row.tokenizer is not None:
            self.ratio = CLAUDE[self.row.tokenizer]
        elif model and OPENAI.search(model):
            self.ratio = GPT

    @property
    def method(self) -> str:
        """How tokens are found, for people."""
        prose, code, json = self.ratio.prose, self.ratio.code, self.ratio.json
        return f"{prose} characters a token of prose, {code} of code, {json} of JSON"

    def text(self, text: str, ratio: float | None = None) -> int:
        """Tokens of a text; a picture hidden in it as a data URI counts as a picture."""
        count = 0.0
        if "data:image/" in text:
            count += sum(self.image(found[1]) for found in DATA_URI.finditer(text))
            text = DATA_URI.sub("", text)
        return math.ceil(count + self.plain(text, ratio or self.ratio.prose))

    def plain(self, text: str, ratio: float) -> float:
        """Tokens of a text without pictures, by its characters; signs of East Asia are one each."""
        length = len(text)
        wide = 0 if text.isascii() else length - len(WIDE.sub("", text))
        return wide + (length - wide) / ratio

    def json(self, value: Json) -> int:
        """Tokens of a JSON value."""
        return self.text(json_text(value), self.ratio.json)

    def image(self, data: str | None) -> int:
        """Tokens of a base64 picture, by its size; a bounded middle where its header does not say."""
        found = size_of_base64(data) if data else None
        return self.pixels(*found) if found else IMAGE

    def pixels(self, width: int, height: int) -> int:
        """Tokens of a picture of this size, after it was scaled down as the API does it."""
        side = self.row.image_side if self.row and self.row.image_side else SIDE
        cap = self.row.image_tokens if self.row and self.row.image_tokens else CAP
        scale = min(1.0, side / max(width, height))
        return min(cap, math.ceil(width * scale / 28) * math.ceil(height * scale / 28))

    def block(self, block: Block) -> int:
        """Tokens of a content block, read whole."""
        match block:
            case Text(text=text):
                return self.text(text)
            case Thinking():
                return self.text(block.text) if block.text else math.ceil(len(block.data or "") / 8)
            case ToolUse():
                return self.text(block.name) + self.json(block.input)
            case ToolResult(content=str() as content):
                return self.text(content, self.ratio.code)
            case ToolResult(content=tuple() as content):
                return sum(
                    self.text(b.text, self.ratio.code) if isinstance(b, Text) else self.block(b)
                    for b in content
                )
            case Image():
                return self.image(block.data)
            case Document():
                return self.text(block.text) if block.text is not None else DOCUMENT
            case Other():
                return self.json(block.value)
        return 0

    def message(self, message: Message) -> int:
        """Tokens of a message, read whole, with the frame around it."""
        return FRAME + sum(self.block(block) for block in message.blocks)

    def message_by_heads(self, message: Message) -> int:
        """Tokens of a message by the lengths in its heads, without reading it."""
        return FRAME + sum(self.head(head) for head in message.heads)

    def head(self, head: Head) -> int:
        """Tokens of a block by what its head says, without reading it."""
        match head.kind:
            case "image":
                return IMAGE
            case "tool_result":
                return math.ceil(head.chars / self.ratio.code) + (IMAGE if "image" in head.flags else 0)
            case "tool_use" | "other":
                return math.ceil(head.chars / self.ratio.json)
            case "document" if not head.chars:
                return DOCUMENT
        return math.ceil(head.chars / self.ratio.prose)

    def system(self, session: Session) -> int:
        """Tokens of the top-level system prompt; 0 where there is none."""
        if session.system is None:
            return 0
        return FRAME + (
            self.text(session.system) if isinstance(session.system, str) else self.json(session.system)
        )

    def tools(self, session: Session) -> int:
        """Tokens of the tool list with what the API adds for tools; 0 where there is none."""
        if not session.tools:
            return 0
        choice = session.params.get("tool_choice")
        forced = isinstance(choice, dict) and choice.get("type") in ("any", "tool")
        overhead = self.row.tool_overhead if self.row else None
        added = overhead[forced] if overhead else TOOLS
        return added + sum(self.json(tool_json(tool)) for tool in session.tools)

    def messages(self, messages: Sequence[Message]) -> Counted:
        """Tokens of each message.

        Up to ``whole`` characters every message is read. Beyond, a stratified sample of about 200 is, by kind
        and size, and the others are judged by their heads times what the sample showed those to be off by.
        """
        chars = sum(h.chars for m in messages for h in m.heads if h.kind != "image")
        if chars <= self.whole or len(messages) <= SAMPLE:
            return Counted(tuple(self.message(m) for m in messages), len(messages), None)
        rough = [self.message_by_heads(m) for m in messages]
        kinds = [(_main_kind(m), n.bit_length() // 2) for m, n in zip(messages, rough, strict=True)]
        found = judged(rough, kinds, lambda i: self.message(messages[i]), SAMPLE)
        return Counted(found.values, found.measured, found.error)

    def session(self, session: Session) -> Estimate:
        """Tokens of everything that a request of this session would send."""
        found = self.messages(session.messages)
        return Estimate(
            system=self.system(session),
            tools=self.tools(session),
            messages=found.tokens,
            method=self.method,
            ratio=type(self) is Counter,
            read=found.read,
            error=found.error,
            in_parts=self.in_parts,
        )


def _main_kind(message: Message) -> str:
    return max(message.heads, key=lambda head: head.chars).kind if message.heads else ""
