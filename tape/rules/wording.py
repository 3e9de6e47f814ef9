"""The vendors' words that several rules quote, with where and when they were last read.

They are shown as "the API says", never matched on: vendors change them without notice.
"""

from __future__ import annotations

from tape.rules.base import Seen

TP1 = Seen(
    "messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
    "`tool_use` block must have a corresponding `tool_result` block in the next message.",
    "2026-08",
    "V",
    "platform.claude.com, troubleshooting tool use; anthropics/claude-code#5060, #5989",
)
TP2 = Seen(
    "messages.{i}.content.{j}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each "
    "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
    "2026-08",
    "V",
    "anthropics/claude-code#13460, #18947; tghamm/Anthropic.SDK#184",
)
TP4 = Seen(
    "messages.{i}.content.{j}: each tool_use must have a single result. Found multiple `tool_result` blocks "
    "with id: {id}",
    "2026-11",
    "W",
    "regression tests of six independent repositories",
)
OC1 = Seen(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    "2026-11",
    "W",
    "quoted in very many issues",
)
G1 = Seen(
    "Please ensure that the number of function response parts is equal to the number of function call parts "
    "of the function call turn.",
    "2026-11",
    "W",
    "quoted in very many issues",
)
G3 = Seen(
    "Please ensure that function response turn comes immediately after a function call turn.",
    "2026-11",
    "W",
    "quoted in many issues",
)
M2 = Seen("Unexpected role '{role}' after role '{before}'", "2026-11", "V", "mistral-common 1.13.1")
M3 = Seen("Not the same number of function calls and responses", "2026-11", "V", "mistral-common 1.13.1")
B3 = Seen(
    "Expected toolResult blocks at messages.{next}.content for the following Ids: {ids}",
    "2026-11",
    "W",
    "quoted in several issues",
)
B4 = Seen(
    "The number of toolResult blocks at messages.{i}.content exceeds the number of toolUse blocks of "
    "previous turn.",
    "2026-11",
    "W",
    "quoted in several issues",
)
OR1 = Seen("No tool output found for function call {id}.", "2026-11", "W", "github/copilot-cli#4572")
