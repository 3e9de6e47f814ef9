"""Reads a lesson file and checks it: a lesson, or every fault in it with its line.

What a file holds is described in ``docs/lessons.md``. Whether its operations can be carried out on its
session is found out by playing it (``tape.lessons.player``).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, Final, TypeVar, get_args

from tape.edits import from_json
from tape.edits.operations import Target
from tape.errors import UserError
from tape.lessons.model import (
    Answerer,
    Apart,
    Chart,
    Choice,
    Classic,
    Detail,
    Do,
    Kind,
    Lesson,
    Predict,
    Run,
    Show,
    Step,
)
from tape.lessons.nodes import Fault, Faulty, Node, parse
from tape.lessons.words import check_condition, check_text, check_value
from tape.samples import samples, workspaces

T = TypeVar("T")
TOP: Final = ("title", "block", "minutes", "about", "session", "question", "steps")
BESIDE: Final = ("say", "notes", "board", "minutes", "then", "now", "since")
OWN: Final[dict[Kind, tuple[str, ...]]] = {
    "show": (),
    "predict": ("choices", "number", "within", "unit"),
    "do": (),
    "run": (),
    "reveal": ("answer",),
    "say": (),
}
MOST_STEPS: Final = 200
MOST_LINES: Final = 100


def read(text: str, name: str = "lesson") -> Lesson:
    """The lesson of a file's text. Raises ``UserError`` with every fault, each with its line."""
    lesson, faults = check(text, name)
    if lesson is None:
        shown = " ".join(str(fault) for fault in faults[:8])
        more = f" And {len(faults) - 8} more." if len(faults) > 8 else ""
        raise UserError(f"This lesson cannot be used. {shown}{more}", where=name)
    return lesson


def check(text: str, name: str = "lesson") -> tuple[Lesson | None, tuple[Fault, ...]]:
    """The lesson of a file's text, or ``None`` and what is wrong with it, in the order of its lines."""
    reader = _Reader(name)
    try:
        lesson = reader.lesson(parse(text))
    except Faulty as stop:
        reader.faults.append(stop.fault)
        lesson = None
    faults = tuple(sorted(reader.faults, key=lambda fault: fault.line))
    return (None if faults else lesson), faults


class _Reader:
    """Reads one file. A part that is wrong is left out and its fault kept, so that all are found at once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.faults: list[Fault] = []

    def kept(self, act: Callable[[], T], otherwise: T) -> T:
        """What ``act`` gives; where it finds a fault that is kept, and ``otherwise`` is used."""
        try:
            return act()
        except Faulty as stop:
            self.faults.append(stop.fault)
            return otherwise

    def lesson(self, root: Node) -> Lesson:
        top = _mapping(root, "A lesson")
        self.known(root, TOP, "A lesson")
        for key in ("title", "minutes", "session", "question", "steps"):
            if key not in top:
                self.faults.append(Fault(root.line, f'A lesson needs the key "{key}".'))
        minutes = self.number(top, "minutes")
        steps = tuple(self.steps(top["steps"])) if "steps" in top else ()
        needed = sum(step.minutes for step in steps)
        if needed > minutes > 0:
            line = root.keys["minutes"]
            self.faults.append(Fault(line, f"The steps take {needed:g} minutes, the lesson has {minutes:g}."))
        return Lesson(
            name=self.name,
            title=self.word(top, "title"),
            minutes=minutes,
            question=self.word(top, "question"),
            steps=steps,
            source=self.kept(lambda: _source(top["session"]), "") if "session" in top else "",
            block=self.word(top, "block"),
            about=self.word(top, "about"),
        )

    def steps(self, node: Node) -> Iterable[Step]:
        if not isinstance(node.value, list) or not node.value:
            self.faults.append(Fault(node.line, '"steps" must be a list of steps.'))
            return
        if len(node.value) > MOST_STEPS:
            self.faults.append(Fault(node.line, f"A lesson has at most {MOST_STEPS} steps."))
            return
        asked = False
        for one in node.value:
            step = self.kept(lambda one=one: self.step(one), None)  # type: ignore[misc]
            if step is None:
                continue
            if step.kind == "reveal" and not asked and step.answer:
                self.faults.append(Fault(step.line, 'There is no question before this "answer".'))
            asked = asked or step.kind == "predict"
            yield step

    def step(self, node: Node) -> Step:
        fields = _mapping(node, "A step")
        kinds = [kind for kind in OWN if kind != "say" and kind in fields]
        if len(kinds) > 1:
            raise Faulty(node.line, f"A step is of one kind; this one has {' and '.join(kinds)}.")
        kind: Kind = kinds[0] if kinds else "say"
        self.known(
            node, (*BESIDE, *((kind,) if kind != "say" else ()), *OWN[kind]), f'A step of kind "{kind}"'
        )
        text = self.word(fields, kind if kind in ("predict", "reveal") else "say")
        if not text and kind not in ("show", "do", "run"):
            raise Faulty(node.line, 'A step needs something to say: the key "say".')
        detail = self.kept(lambda: _detail(kind, fields, node), None)
        answer = self.word(fields, "answer")
        for said in (text, answer):
            self.kept(lambda said=said: _tried(node, check_text, said), None)  # type: ignore[misc]
        return Step(
            kind=kind,
            text=text,
            detail=detail,
            answer=answer,
            notes=self.word(fields, "notes"),
            board=self.word(fields, "board"),
            minutes=self.number(fields, "minutes"),
            classic=self.kept(lambda: _classic(fields, node), None),
            line=node.line,
        )

    def known(self, node: Node, keys: tuple[str, ...], what: str) -> None:
        for key, line in node.keys.items():
            if key not in keys:
                near = difflib.get_close_matches(key, keys, 1)
                advice = f' Did you mean "{near[0]}"?' if near else f" It may have {', '.join(keys)}."
                self.faults.append(Fault(line, f'{what} has no key "{key}".{advice}'))

    def word(self, fields: dict[str, Node], key: str) -> str:
        return self.kept(lambda: _word(fields[key], key), "") if key in fields else ""

    def number(self, fields: dict[str, Node], key: str) -> float:
        return self.kept(lambda: _number(fields[key], key), 0.0) if key in fields else 0.0


def _detail(kind: Kind, fields: dict[str, Node], node: Node) -> Detail:
    match kind:
        case "show":
            return _show(fields["show"])
        case "predict":
            return _predict(fields, node)
        case "do":
            return _do(fields["do"])
        case "run":
            return _run(fields["run"])
    return None


def _show(node: Node) -> Show:
    fields = _only(node, "show", ("cards", "thread", "turn", "chart"))
    chart = fields.get("chart")
    turn = int(_number(fields["turn"], "turn")) if "turn" in fields else None
    if turn is not None and turn < 1:
        raise Faulty(fields["turn"].line, "Turns are counted from 1.")
    return Show(
        cards=tuple(_target(one, "cards") for one in _list(fields["cards"], "cards"))
        if "cards" in fields
        else (),
        thread=_target(fields["thread"], "thread") if "thread" in fields else None,
        turn=turn,
        chart=_one_of(chart, "chart", get_args(Chart)) if chart is not None else None,
    )


def _predict(fields: dict[str, Node], node: Node) -> Predict:
    if ("choices" in fields) == ("number" in fields):
        raise Faulty(node.line, 'A prediction has either "choices" or a "number".')
    if "number" in fields:
        words = _word(fields["number"], "number")
        _tried(fields["number"], check_value, words)
        within = _number(fields["within"], "within") if "within" in fields else 20.0
        return Predict(
            number=words, within=within, unit=_word(fields["unit"], "unit") if "unit" in fields else ""
        )
    choices = tuple(_choice(one) for one in _list(fields["choices"], "choices"))
    if not 2 <= len(choices) <= 6:
        raise Faulty(fields["choices"].line, "A prediction has two to six choices.")
    if len({choice.text for choice in choices}) < len(choices):
        raise Faulty(fields["choices"].line, "Two choices say the same.")
    if all(choice.when == "no" for choice in choices):
        raise Faulty(fields["choices"].line, 'No choice can be right: give one the key "when".')
    return Predict(choices)


def _choice(node: Node) -> Choice:
    if isinstance(node.value, str):
        return Choice(node.value, "no")
    fields = _only(node, "choice", ("text", "when"))
    if "text" not in fields:
        raise Faulty(node.line, 'A choice needs the key "text".')
    when = _word(fields["when"], "when") if "when" in fields else "no"
    if "when" in fields:
        _tried(fields["when"], check_condition, when)
    return Choice(_word(fields["text"], "text"), when)


def _do(node: Node) -> Do:
    listed = node.value if isinstance(node.value, list) else [node]
    if not listed:
        raise Faulty(node.line, '"do" needs an operation.')
    restore = listed[0].value == "restore"
    rest = listed[1:] if restore else listed
    for one in rest:
        _tried(one, from_json, one.json())
    return Do(tuple(one.json() for one in rest), restore)


def _run(node: Node) -> Run:
    if isinstance(node.value, str):
        return Run(_one_of(node, "run", ("once", "loop", "resume")))
    fields = _only(node, "run", ("mode", "lines", "times", "endpoint", "model", "workspace", "apart"))
    workspace = _one_of(fields["workspace"], "workspace", workspaces()) if "workspace" in fields else None
    lines = _list(fields["lines"], "lines") if "lines" in fields else []
    times = int(_number(fields["times"], "times")) if "times" in fields else 1
    if not 1 <= times * max(1, len(lines)) <= MOST_LINES:
        raise Faulty(node.line, f"A run says at most {MOST_LINES} lines.")
    return Run(
        mode=_one_of(fields["mode"], "mode", ("once", "loop", "resume")) if "mode" in fields else "loop",
        lines=tuple(_word(one, "lines") for one in lines),
        times=times,
        endpoint=_one_of(fields["endpoint"], "endpoint", get_args(Answerer))
        if "endpoint" in fields
        else "anthropic",
        model=_word(fields["model"], "model") if "model" in fields else None,
        workspace=workspace,
        apart=_apart(fields["apart"]) if "apart" in fields else None,
    )


def _apart(node: Node) -> Apart:
    fields = _only(node, "apart", ("call", "task", "system"))
    for key in ("call", "task"):
        if key not in fields:
            raise Faulty(node.line, f'A run apart needs the key "{key}".')
    system = _word(fields["system"], "system") if "system" in fields else None
    return Apart(_target(fields["call"], "call"), _word(fields["task"], "task"), system)


def _classic(fields: dict[str, Node], node: Node) -> Classic | None:
    given = [key for key in ("then", "now", "since") if key in fields]
    if not given:
        return None
    if len(given) < 3:
        raise Faulty(
            node.line, '"then", "now" and "since" stand together: what held, what holds, since when.'
        )
    since = _word(fields["since"], "since")
    try:
        date.fromisoformat(since)
    except ValueError:
        raise Faulty(fields["since"].line, '"since" must be a date like 2024-10-08.') from None
    return Classic(_word(fields["then"], "then"), _word(fields["now"], "now"), since)


def _source(node: Node) -> Any:
    if isinstance(node.value, str):
        return _one_of(node, "session", tuple(one.name for one in samples()))
    body = _mapping(node, "A session")
    for key in ("messages", "tools"):
        if key in body and not all(isinstance(one.value, dict) for one in _list(body[key], key)):
            raise Faulty(body[key].line, f'"{key}" must be a list of objects.')
    if "messages" not in body:
        raise Faulty(node.line, 'A session needs the key "messages"; it may be an empty list.')
    return node.json()


def _tried(node: Node, act: Callable[[Any], object], value: Any) -> None:
    try:
        act(value)
    except UserError as fault:
        raise Faulty(node.line, fault.sentence) from None


def _only(node: Node, what: str, keys: tuple[str, ...]) -> dict[str, Node]:
    fields = _mapping(node, f'"{what}"')
    for key, line in node.keys.items():
        if key not in keys:
            raise Faulty(line, f'"{what}" has no key "{key}". It may have {", ".join(keys)}.')
    return fields


def _mapping(node: Node, what: str) -> dict[str, Node]:
    if not isinstance(node.value, dict):
        raise Faulty(node.line, f"{what} must be a mapping of keys to values.")
    return node.value


def _list(node: Node, what: str) -> list[Node]:
    if not isinstance(node.value, list):
        raise Faulty(node.line, f'"{what}" must be a list.')
    return node.value


def _word(node: Node, key: str) -> str:
    if not isinstance(node.value, str) or not node.value.strip():
        raise Faulty(node.line, f'"{key}" must be a text.')
    return node.value.strip()


def _number(node: Node, key: str) -> float:
    value = node.json()
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1e9:
        raise Faulty(node.line, f'"{key}" must be a number that is not negative.')
    return float(value)


def _target(node: Node, key: str) -> Target:
    value = node.json()
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise Faulty(node.line, f'"{key}" must be a uid ("m3"), a position ("messages[3]") or a message number.')


def _one_of(node: Node, key: str, words: tuple[str, ...]) -> Any:
    if node.value not in words:
        raise Faulty(node.line, f'"{key}" must be one of {", ".join(words)}.')
    return node.value
