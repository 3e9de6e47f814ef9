"""A lesson as one page to print: its cards and threads, its questions with room to answer, the answers last.

The lesson is played on the embedded endpoint for it, so that everything on paper is what really happens. One
HTML document without scripts; every string of the session and of the lesson is escaped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from tape.errors import UserError
from tape.lessons.model import Lesson, Predict, Step
from tape.lessons.player import Player
from tape.lessons.verdict import Verdict
from tape.model import Block, Document, Image, Session, Text, Thinking, ToolResult, ToolUse, json_text
from tape.threads import threads
from tape.visible import visible

LONGEST = 420
MOST_CARDS = 12
LETTERS = "abcdefghijklmnopqrstuvwxyz"
STYLE = Path(__file__).with_suffix(".css")


@dataclass(slots=True)
class _Asked:
    """A question and, once it was revealed, what is right."""

    number: int
    text: str
    right: str = ""
    why: list[str] = field(default_factory=list)


def handout(lesson: Lesson) -> str:
    """The lesson as an HTML document. Raises ``UserError`` where a step of it cannot be carried out."""
    player = Player(lesson)
    asked: list[_Asked] = []
    steps: list[str] = []
    before: Session | None = None
    while True:
        steps.append(_step(player, asked, player.now.session is not before))
        before = player.now.session
        if player.at_end:
            break
        _move_on(player)
    title = _text(f"{lesson.block}: {lesson.title}" if lesson.block else lesson.title)
    answers = "".join(
        f"<li value={one.number}><b>{_text(one.text)}</b><br>{_text(' '.join([one.right, *one.why]))}</li>"
        for one in asked
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE.read_text('utf-8')}</style></head><body><h1>{title}</h1>"
        f'<p class="about">{_text(lesson.about)} {lesson.minutes:g} minutes. '
        f"<b>In the end you can answer: {_text(lesson.question)}</b></p>"
        f"{''.join(steps)}"
        f'<section class="answers"><h1>Answers</h1><ol>{answers}</ol></section></body></html>\n'
    )


def answer_to(lesson: Lesson, index: int) -> str:
    """What the question of a step (from 0) turns out to be, when the lesson is played on to where it is
    revealed; empty where nothing is revealed or a step cannot be carried out."""
    player = Player(lesson)
    try:
        while not player.at_end:
            _move_on(player)
            verdict = player.verdict() if player.now.index > index else None
            if verdict is not None:
                return " ".join(filter(None, (verdict.right, player.answer)))
    except UserError:
        return ""
    return ""


def _move_on(player: Player) -> None:
    """One step on; what a class would be asked is passed without an answer."""
    following = player.now.index + 1
    if player.waits and player.step.kind != "predict":
        player.forward()
    else:
        player.play_to(min(following, len(player.lesson.steps) - 1), done=_tells(player.lesson, following))


def _tells(lesson: Lesson, index: int) -> bool:
    """Whether a step is complete as soon as it is reached."""
    return index >= len(lesson.steps) or lesson.steps[index].kind in ("say", "show", "reveal")


def _step(player: Player, asked: list[_Asked], changed: bool) -> str:
    step, now = player.step, player.now
    if step.kind in ("do", "run") and not now.done:
        return ""
    verdict = player.verdict()
    if verdict is not None and asked:
        _reveal(asked[-1], verdict, player.answer)
    parts = [f'<span class="n">{now.index + 1}</span>', f'<p class="said">{_text(_words(player, step))}</p>']
    if step.kind == "do" and step.text:
        parts.append(f'<p class="will">{_text(player.will_do)}</p>')
    if step.classic is not None:
        old, new = step.classic.then, step.classic.now
        parts.append(
            f'<div class="classic"><p><b>Then</b><br>{_text(old)}</p>'
            f"<p><b>Now, since {_text(step.classic.since)}</b><br>{_text(new)}</p></div>"
        )
    if isinstance(step.detail, Predict):
        asked.append(_Asked(now.index + 1, step.text))
        parts.append(_question(step.detail))
    if changed and now.session.messages:
        parts.append(_array(now.session))
    return f'<div class="step">{"".join(parts)}</div>'


def _words(player: Player, step: Step) -> str:
    """The sentence of a step; of one that reveals what the class predicted, what happened stands with the
    answers on the last page."""
    return "What happened?" if step.kind == "reveal" else player.text


def _reveal(question: _Asked, verdict: Verdict, answer: str) -> None:
    question.right = verdict.right
    if answer:
        question.why.append(answer)


def _question(asked: Predict) -> str:
    if asked.choices:
        return f'<ul class="choices">{"".join(f"<li>{_text(c.text)}</li>" for c in asked.choices)}</ul>'
    return f'<p class="line">{_text(asked.unit)}</p>'


def _array(session: Session) -> str:
    """The messages as rows, the pairs as lines beside them; of a long array the last rows."""
    first = max(0, len(session.messages) - MOST_CARDS)
    pairs = threads(session)
    lanes = _lanes(session)
    letters: dict[str, str] = {}
    for i, link in enumerate(pairs.links):
        letters[link.call_uid] = letters[link.result_uid] = LETTERS[i % len(LETTERS)]
    rows = []
    if isinstance(session.system, str) and not first:
        rows.append(_row("system", "system", f"<p>{_text(_cut(session.system))}</p>", "", len(lanes)))
    if first:
        rows.append(_row("", "…", f"<p>{first} earlier messages</p>", "", len(lanes)))
    for i, entry in enumerate(session.messages[first:], first):
        cells = "".join(_lane(lane, i) for lane in lanes)
        body = "".join(_block(block, letters.get(block.uid, "")) for block in entry.blocks)
        rows.append(_row(entry.role, f"{i} {entry.role}", body, cells, len(lanes)))
    return f'<table class="array">{"".join(rows)}</table>'


def _row(role: str, name: str, body: str, cells: str, lanes: int) -> str:
    lane = cells or '<td class="lane"></td>' * lanes
    return f'<tr class="{role}">{lane}<td class="role">{_text(name)}</td><td>{body}</td></tr>'


def _lanes(session: Session) -> list[tuple[int, int]]:
    """The rows that a pair runs from and to, each pair in a lane of its own; to -1 where a call is alone. At
    most six: paper is narrow."""
    pairs = threads(session)
    found = [(pairs.positions[k.call_uid][0], pairs.positions[k.result_uid][0]) for k in pairs.links]
    alone = [(pairs.positions[one.uid][0], -1) for one in pairs.unlinked]
    return [*found, *alone][-6:]


def _lane(lane: tuple[int, int], row: int) -> str:
    start, end = lane
    if end == -1:
        return f'<td class="lane">{"<i class=lost></i>" if row == start else ""}</td>'
    kind = "from" if row == start else "to" if row == end else "" if start < row < end else None
    return f'<td class="lane">{"" if kind is None else f"<i class={kind or chr(34) * 2}></i>"}</td>'


def _block(block: Block, letter: str) -> str:
    mark = f'<span class="id">thread {letter}</span>' if letter else ""
    match block:
        case Text(text=text):
            return f"<p>{_text(_cut(text))}</p>"
        case Thinking():
            return (
                f'<div class="strip thought"><p>{_text(_cut(block.text or "(thinking, sealed)"))}</p></div>'
            )
        case ToolUse():
            said = _text(_cut(f"calls {block.name} {json_text(block.input)}"))
            return f'<div class="strip call">{mark}<p>{said}</p></div>'
        case ToolResult():
            word = "error" if block.is_error else "result"
            return f'<div class="strip result">{mark}<p>{word}: {_text(_cut(block.text))}</p></div>'
        case Image() | Document():
            return f"<p>({type(block).__name__.lower()})</p>"
    return f"<p>{_text(_cut(json_text(block.raw)))}</p>"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _text(text: str) -> str:
    return escape(visible(text))
