"""The formats that are known, in the order in which detection asks them."""

from __future__ import annotations

from tape.errors import UserError
from tape.formats.amp import Amp
from tape.formats.anthropic_messages import AnthropicMessages
from tape.formats.antigravity import Antigravity
from tape.formats.atif import Atif
from tape.formats.autogen import AutoGen
from tape.formats.base import Format
from tape.formats.bedrock import BedrockConverse
from tape.formats.chatgpt import ChatGPTExport
from tape.formats.claude_ai import ClaudeAIExport
from tape.formats.claude_code import ClaudeCode
from tape.formats.claude_proxies import ClaudeProxies
from tape.formats.cline import Cline
from tape.formats.codex import CodexRollout
from tape.formats.codex_exec import CodexExec
from tape.formats.copilot_cli import CopilotCli
from tape.formats.cursor import CursorTranscript
from tape.formats.droid import FactoryDroid
from tape.formats.gemini import Gemini
from tape.formats.gemini_cli import GeminiCLI
from tape.formats.generic import Generic
from tape.formats.goose import Goose
from tape.formats.har import Har
from tape.formats.hermes import Hermes
from tape.formats.inspect_log import InspectLog
from tape.formats.kimi import Kimi
from tape.formats.kiro import Kiro
from tape.formats.langchain import LangChain
from tape.formats.langfuse import Langfuse
from tape.formats.langsmith import LangSmith
from tape.formats.mini_swe_agent import MiniSweAgent
from tape.formats.mux import Mux
from tape.formats.nock import Nock
from tape.formats.openai_chat import OpenAIChat
from tape.formats.openai_responses import OpenAIResponses
from tape.formats.opencode import Opencode
from tape.formats.opencode_run import OpencodeRun
from tape.formats.openhands import OpenHands
from tape.formats.openinference import OpenInference
from tape.formats.otel_genai import OtelGenAI
from tape.formats.pi import Pi
from tape.formats.plain_text import PlainText
from tape.formats.pydantic_ai import PydanticAI
from tape.formats.qwen_code import QwenCode
from tape.formats.sharegpt import ShareGPT
from tape.formats.stream_json import StreamJson
from tape.formats.swe_agent import SweAgent
from tape.formats.vcr import Vcr
from tape.formats.vercel import VercelAI
from tape.formats.vscode_chat import VsCodeChat

FORMATS: tuple[Format, ...] = (
    Atif(),
    MiniSweAgent(),
    SweAgent(),
    InspectLog(),
    ChatGPTExport(),
    ClaudeAIExport(),
    GeminiCLI(),
    Opencode(),
    VsCodeChat(),
    OpenInference(),
    OtelGenAI(),
    Langfuse(),
    LangSmith(),
    ShareGPT(),
    Kiro(),
    Hermes(),
    Amp(),
    OpenHands(),
    Goose(),
    Cline(),
    CodexRollout(),
    CodexExec(),
    QwenCode(),
    StreamJson(),
    ClaudeCode(),
    CopilotCli(),
    OpencodeRun(),
    FactoryDroid(),
    Pi(),
    CursorTranscript(),
    Kimi(),
    Antigravity(),
    Mux(),
    Har(),
    Nock(),
    Vcr(),
    ClaudeProxies(),
    PydanticAI(),
    VercelAI(),
    LangChain(),
    AutoGen(),
    Gemini(),
    BedrockConverse(),
    OpenAIResponses(),
    OpenAIChat(),
    AnthropicMessages(),
    Generic(),
    PlainText(),
)


def format_named(name: str) -> Format:
    """The format of that name. Raises ``UserError`` listing the names there are."""
    for one in FORMATS:
        if one.name == name:
            return one
    raise UserError(
        f"There is no format named {name!r}.",
        do=f"Choose one of {', '.join(one.name for one in FORMATS)}.",
    )


def writable() -> tuple[Format, ...]:
    """The formats that any session can be converted to."""
    return tuple(one for one in FORMATS if one.write is not None)
