"""The few words in which a lesson speaks of what really happened: values and conditions, never results.

``{tokens sent by call 40}`` in a sentence, ``answer has "Ada"`` as a condition. A *value* is a text or a
number; unknown is ``None`` and is said as "not known". Nothing here is executed: each form is one entry of a
table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tape.counting import Counter
from tape.errors import UserError
from tape.model import Session, json_text
from tape.rules import lint
from tape.threads import threads
from tape.usage import usage
from tape.visible import visible

Value: TypeAlias = str | float | None
LONGEST: Final = 280


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run: the array after it, the endpoint's words where it refused (else empty), and why it
    ended. ``apart`` says that the array is that of a sub-agent."""

    session: Session
    refusal: str
    reason: str
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What a lesson can speak of: the array as it stands, and every run so far."""

    session: Session
    runs: Sequence[Ran] = ()

    def run(self, number: int | None) -> Ran | None:
        """A run by its number (from 1), or the last one."""
        if number is None:
            return self.runs[-1] if self.runs else None
        return self.runs[number - 1] if 1 <= number <= len(self.runs) else None


Reader: TypeAlias = Callable[[Session, "re.Match[str]"], Value]


def _answer(session: Session, _: re.Match[str]) -> Value:
    said = (m.text for m in reversed(session.messages) if m.role == "assistant" and m.text.strip())
    return next(said, None)


def _sent(session: Session, found: re.Match[str]) -> Value:
    turns = usage(session).turns
    number = len(turns) if found[1] == "the last call" else int(found[2])
    return turns[number - 1].usage.prompt if 1 <= number <= len(turns) else None


def _sent_in_all(session: Session, _: re.Match[str]) -> Value:
    prompts = [turn.usage.prompt for turn in usage(session).turns]
    known = [prompt for prompt in prompts if prompt is not None]
    return sum(known) if known and len(known) == len(prompts) else None


def _text(session: Session, found: re.Match[str]) -> Value:
    number = int(found[1])
    if number >= len(session.messages):
        return None
    entry = session.messages[number]
    return entry.text or "\n".join(json_text(block.raw) for block in entry.blocks)


def _role(session: Session, found: re.Match[str]) -> Value:
    number = int(found[1])
    return session.messages[number].role if number < len(session.messages) else None


def _system(session: Session, _: re.Match[str]) -> Value:
    return session.system if isinstance(session.system, str) else None


def _problems(session: Session) -> list[str]:
    return [f.text for f in lint(session, sending=True) if f.severity == "refused"]


def _blocks(kind: str) -> Reader:
    def count(session: Session, _: re.Match[str]) -> Value:
        return sum(head.kind == kind for entry in session.messages for head in entry.heads)

    return count


@dataclass(frozen=True, slots=True)
class Form:
    """A form of value: as people write it, what it is, its pattern, and how it is read from a session."""

    words: str
    means: str
    pattern: str
    read: Reader


FORMS: Final = (
    Form("answer", "the words of the last answer", "answer", _answer),
    Form(
        "tokens sent by call N",
        "what that call sent; also `tokens sent by the last call`",
        "tokens sent by (the last call|call (\\d{1,5}))",
        _sent,
    ),
    Form("tokens sent in all", "what all calls together sent", "tokens sent in all", _sent_in_all),
    Form(
        "tokens to send",
        "what the next call would send, as Tapedeck estimates it",
        "tokens to send",
        lambda s, _: Counter(s.model).session(s).total,
    ),
    Form(
        "tokens by MODEL",
        "the array as Tapedeck estimates it for that model",
        "tokens by ([\\w.:-]{1,60})",
        lambda s, m: Counter(m[1]).session(s).total,
    ),
    Form(
        "characters",
        "of the texts of all messages",
        "characters",
        lambda s, _: sum(len(entry.text) for entry in s.messages),
    ),
    Form("messages", "how many the array has", "messages", lambda s, _: len(s.messages)),
    Form("turns", "how many calls to the model it holds", "turns", lambda s, _: len(usage(s).turns)),
    Form("tool_uses", "how many calls of tools it holds", "tool_uses", _blocks("tool_use")),
    Form("tool_results", "how many results it holds", "tool_results", _blocks("tool_result")),
    Form("threads", "how many pairs of call and result hold", "threads", lambda s, _: len(threads(s).links)),
    Form("problems", "how much an endpoint would refuse", "problems", lambda s, _: len(_problems(s))),
    Form(
        "problem",
        "the first thing that it would refuse",
        "problem",
        lambda s, _: next(iter(_problems(s)), None),
    ),
    Form("text of message N", "its words, else its blocks as JSON", "text of message (\\d{1,6})", _text),
    Form("role of message N", "`user`, `assistant` or `system`", "role of message (\\d{1,6})", _role),
    Form("system", "the system prompt", "system", _system),
    Form("a number", "itself", "(-?\\d{1,12}(?:\\.\\d{1,6})?)", lambda s, m: float(m[1])),
)
"""The values that there are; beside them `refusal`, the endpoint's words where a run was refused."""

_OF_RUN = re.compile(r"(.*?) (?:of|in|before|after) run (\d{1,3})$")
_HAS = re.compile(r"(.+?) (has|lacks|is|is not) \"([^\"]{1,300})\"$")
_COMPARES = re.compile(r"(.+?) (=|<|>) (.+)$")
_RAN = re.compile(r"(refused|accepted)(?: in run (\d{1,3}))?$")
_BRACES = re.compile(r"\{([^{}]{1,200})\}")
_ARITHMETIC = re.compile(r"(.+?) ([/−-]) (.+)$")


def value(words: str, facts: Facts) -> Value:
    """The value that the words stand for; ``None`` where the array does not hold it.

    Raises ``UserError`` for words that stand for nothing.
    """
    words = words.strip()
    parts = _ARITHMETIC.match(words)
    if parts is not None:
        left, right = value(parts[1], facts), value(parts[3], facts)
        if not isinstance(left, int | float) or not isinstance(right, int | float):
            return None
        if parts[2] == "/":
            return left / right if right else None
        return left - right
    of_run = _OF_RUN.match(words)
    words, number = (of_run[1], int(of_run[2])) if of_run is not None else (words, None)
    ran = facts.run(number)
    if words == "refusal":
        return ran.refusal if ran is not None and ran.refusal else None
    session = facts.session if number is None else ran.session if ran is not None else None
    for form in FORMS:
        found = re.fullmatch(form.pattern, words)
        if found is not None:
            return None if session is None else form.read(session, found)
    raise UserError(f'"{words}" is no value.', do=f"Values are {known()}.")


def known() -> str:
    """The values that there are, for people."""
    return ", ".join([*(form.words for form in FORMS), "refusal"])


def holds(condition: str, facts: Facts) -> bool:
    """Whether a condition holds: ``yes``, ``no``, ``refused``, ``accepted``, ``answer has "Ada"``,
    ``answer lacks "Ada"``, ``role of message 2 is "user"``, ``tool_uses > 2``.

    Raises ``UserError`` for one that is not of these forms. What is not known has, is and exceeds nothing.
    """
    condition = condition.strip()
    if condition in ("yes", "no"):
        return condition == "yes"
    ran = _RAN.match(condition)
    if ran is not None:
        found = facts.run(int(ran[2]) if ran[2] else None)
        return found is not None and bool(found.refusal) == (ran[1] == "refused")
    has = _HAS.match(condition)
    if has is not None:
        return _compare_text(value(has[1], facts), has[2], has[3])
    compares = _COMPARES.match(condition)
    if compares is not None:
        left, right = value(compares[1], facts), value(compares[3], facts)
        if not isinstance(left, int | float) or not isinstance(right, int | float):
            return False
        return left < right if compares[2] == "<" else left > right if compares[2] == ">" else left == right
    raise UserError(
        f'"{condition}" is no condition.',
        do='Conditions are yes, no, refused, accepted, answer has "Ada", tool_uses > 2 and the like.',
    )


def _compare_text(found: Value, how: str, text: str) -> bool:
    if how in ("lacks", "is not"):
        return not _compare_text(found, "has" if how == "lacks" else "is", text)
    if found is None:
        return False
    said = spoken(found).casefold()
    return text.casefold() in said if how == "has" else said == text.casefold()


def filled(text: str, facts: Facts) -> str:
    """A sentence with the values in its braces put in. Raises ``UserError`` for words that are no value."""
    return _BRACES.sub(lambda found: _short(spoken(value(found[1], facts))), text)


def spoken(found: Value) -> str:
    """A value as people read it: ``12,840``, ``6.4``, a text with its acting characters made visible."""
    if found is None:
        return "not known"
    if isinstance(found, str):
        return visible(found)
    if float(found).is_integer():
        return f"{int(found):,}"
    return f"{found:,.1f}" if abs(found) < 100 else f"{found:,.0f}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def check_value(words: str) -> None:
    """Raises ``UserError`` where the words stand for no value."""
    value(words, _NOTHING)


def check_condition(condition: str) -> None:
    """Raises ``UserError`` where the condition is of no known form."""
    holds(condition, _NOTHING)


def check_text(text: str) -> None:
    """Raises ``UserError`` where braces of a text hold what is no value, or do not close."""
    filled(text, _NOTHING)
    if _BRACES.sub("", text).count("{") or _BRACES.sub("", text).count("}"):
        raise UserError("A brace is open or alone.", do="Values stand in braces: {answer}.")


_NOTHING = Facts(Session(messages=()), (Ran(Session(messages=()), "", "end_turn"),))
