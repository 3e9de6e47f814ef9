"""Any other tool: call it when the question's words fit its name or description, then repeat its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tape.endpoint.reply import Ask, Reply, line
from tape.endpoint.seen import Declared, Seen
from tape.endpoint.verbs import NAMES

COMMON = (
    "the a an of in on at to for with and or is are was be it this that what which who how do does did can "
    "could you your me my i we our get got give tell please from by as into any all use tool returns given"
)
KNOWN_NAMES = frozenset(name for names in NAMES.values() for name in names)


def use_tool(seen: Seen) -> Reply | None:
    """Pick the declared tool that shares most words with the question and fill its input from the question.

    Once its result is in the array, say what it says.
    """
    results = seen.since_question()
    if results:
        last = [done for done in results if done.position == results[-1].position]
        return Reply(
            tuple(
                line("{name} failed: {text}", name=done.call.name, text=_short(done.text))
                if done.is_error
                else line("{name} says: {text}", name=done.call.name, text=_short(done.text))
                for done in last
            ),
            bare=_short(last[-1].text),
        )
    scores = [(len(_words(f"{t.name} {t.description}") & _words(seen.asked)), t) for t in seen.tools]
    usable = [(score, tool) for score, tool in scores if tool.name.lower() not in KNOWN_NAMES]
    score, best = max(usable, key=lambda pair: pair[0], default=(0, None))
    if best is None or not score:
        return None
    return Reply((line("I will ask {name}.", name=best.name),), (call(best, seen.asked),))


def call(tool: Declared, question: str) -> Ask:
    """A call of ``tool`` whose required inputs are filled from the question as far as it goes."""
    names = tool.required or tuple(tool.properties)[:1]
    return Ask(tool.name, {name: _fill(tool.properties.get(name), question) for name in names})


def _fill(schema: object, question: str) -> object:
    shape: Mapping[str, Any] = schema if isinstance(schema, dict) else {}
    choices = shape.get("enum")
    if isinstance(choices, list) and choices:
        named = (c for c in choices if isinstance(c, str) and c.lower() in question.lower())
        return next(named, choices[0])
    numbers = re.findall(r"(?<![\w.])-?\d{1,15}(?:\.\d{1,15})?(?![\w.]*\d)", question[:1000])
    match shape.get("type"):
        case "integer":
            return int(float(numbers[0])) if numbers else 1
        case "number":
            return float(numbers[0]) if numbers else 1.0
        case "boolean":
            return True
        case "array":
            return []
        case "object":
            return {}
    return _phrase(question)


def _phrase(question: str) -> str:
    """What a text input most likely wants: quoted words, else capitalized ones, else the question."""
    quoted = re.search(r"[\"“'`]([^\"”'`]{1,200})[\"”'`]", question)
    if quoted:
        return quoted[1]
    capitals = re.search(r"(?<=\w )([A-Z][\w-]*(?: [A-Z][\w-]*)*)", question.replace(" I ", " "))
    return capitals[1] if capitals else question.strip().rstrip("?")[:200]


def _words(text: str) -> set[str]:
    found = re.findall(r"[a-z]{3,}", re.sub(r"([a-z])([A-Z])", r"\1 \2", text[:4000]).lower())
    return {word.rstrip("s") for word in found if word not in COMMON.split()}


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 400 else text[:399] + "…"
