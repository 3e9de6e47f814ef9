"""What an endpoint would refuse, and why: ``lint`` and the registry of its rules.

Mending is the business of ``tape.repairs``. Rules work on heads and look into bodies only where they must.
"""

from __future__ import annotations

from dataclasses import replace

from tape.derived import once
from tape.errors import UserError
from tape.model import Session
from tape.rules.base import RANK, Finding, Rule, Seen, Severity
from tape.rules.caching import CacheMarkPlacement, CacheTtlOrder, TooManyCacheMarks
from tape.rules.content import (
    BlankText,
    CitationsInUser,
    DocumentInAssistant,
    EmptyMessage,
    EmptyText,
)
from tape.rules.content_form import UnknownBlock, UnknownField
from tape.rules.order import ConsecutiveRoles, EmptyArray, FirstNotUser, UnknownRole
from tape.rules.order_end import PrefillTrailingSpace, PrefillUnsupported
from tape.rules.order_system import MisplacedSystem, SystemFirstInMessages, UnsupportedSystemRole
from tape.rules.pairing import (
    LateToolResult,
    OrphanToolResult,
    ResultNotFirst,
    SplitToolResults,
    UnansweredToolUse,
)
from tape.rules.pairing_ids import BadToolUseId, DuplicateToolResult, DuplicateToolUseId
from tape.rules.pairing_roles import UnpairedServerTool, WrongRoleBlock
from tape.rules.sending import as_sent
from tape.rules.size import ContextOverflow, MaxTokensOverCap, RequestTooLarge, SamplingParams
from tape.rules.size_images import ImageTooLarge, TooManyImages
from tape.rules.thinking import ThinkingGap, ThinkingModified, ThinkingPrefixChanged
from tape.rules.thinking_place import (
    EmptySignedThinking,
    ReasoningUnpaired,
    ThinkingMisplaced,
    ThinkingMissing,
)
from tape.rules.tools import ForcedToolChoice, ToolChoiceWithoutTools, ToolsRequired, UndeclaredTool
from tape.rules.tools_inputs import ArgumentsNotString, InputNotObject, InvalidArgumentsJson
from tape.rules.tools_names import BadToolName, DuplicateToolName
from tape.rules.view import ENDPOINTS, LABELS, View

__all__ = ["ENDPOINTS", "LABELS", "RULES", "Finding", "Rule", "Seen", "Severity", "lint"]

RULES: tuple[Rule, ...] = (
    UnansweredToolUse(),
    OrphanToolResult(),
    LateToolResult(),
    SplitToolResults(),
    DuplicateToolUseId(),
    DuplicateToolResult(),
    ResultNotFirst(),
    WrongRoleBlock(),
    UnpairedServerTool(),
    BadToolUseId(),
    EmptyArray(),
    UnknownRole(),
    ConsecutiveRoles(),
    FirstNotUser(),
    SystemFirstInMessages(),
    MisplacedSystem(),
    UnsupportedSystemRole(),
    PrefillUnsupported(),
    PrefillTrailingSpace(),
    EmptyText(),
    BlankText(),
    EmptyMessage(),
    UnknownBlock(),
    UnknownField(),
    DocumentInAssistant(),
    CitationsInUser(),
    ThinkingModified(),
    ThinkingPrefixChanged(),
    ThinkingGap(),
    ThinkingMissing(),
    ThinkingMisplaced(),
    EmptySignedThinking(),
    ReasoningUnpaired(),
    BadToolName(),
    DuplicateToolName(),
    InputNotObject(),
    ArgumentsNotString(),
    InvalidArgumentsJson(),
    ForcedToolChoice(),
    ToolChoiceWithoutTools(),
    ToolsRequired(),
    UndeclaredTool(),
    TooManyCacheMarks(),
    CacheTtlOrder(),
    CacheMarkPlacement(),
    TooManyImages(),
    ImageTooLarge(),
    RequestTooLarge(),
    ContextOverflow(),
    MaxTokensOverCap(),
    SamplingParams(),
)


def lint(
    session: Session, endpoint: str = "anthropic", model: str | None = None, *, sending: bool = False
) -> tuple[Finding, ...]:
    """What ``endpoint`` would refuse in this session, or take at a cost; the gravest first.

    Within one severity findings come in the order the endpoint would report them, so that the first refused
    one is its answer. ``model`` replaces the session's own. ``sending`` says that this very array is about
    to be sent: a call that still waits at its end is then refused. What sending itself mends in a session of
    another provider's form is no refusal (``tape.rules.sending``). Raises ``UserError`` for an unknown
    endpoint.
    """
    if endpoint not in ENDPOINTS:
        known = ", ".join(ENDPOINTS)
        raise UserError(f"There are no rules for the endpoint {endpoint}.", do=f"Known ones are {known}.")
    found = _found(session, endpoint, model or session.model, sending)
    return tuple([replace(one, session=session) for one in found])


@once
def _found(session: Session, endpoint: str, model: str | None, sending: bool) -> tuple[Finding, ...]:
    """The findings, without the session that they are of, so that it can keep them."""
    view = View(session, endpoint, model, sending)
    found = [one for rule in RULES if endpoint in rule.on for one in rule.check(view)]
    judged = as_sent(session, endpoint, found)
    ranked = sorted(judged, key=lambda one: (RANK[one.severity], one.order))
    return tuple([replace(one, session=None) for one in ranked])
