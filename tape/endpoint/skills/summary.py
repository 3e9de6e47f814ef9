"""A summary of what stands before the question, made of nothing but its own words."""

from __future__ import annotations

import re

from tape.endpoint.reply import Line, Reply, item, line
from tape.endpoint.seen import Said, Seen
from tape.endpoint.skills.facts import told_name

ASKS = re.compile(r"^\s*(?:please |now )?(?:summari[sz]e|sum up|give (?:me )?a summary)\b", re.I)
LONGEST = 160
MOST = 12


def summarize(seen: Seen) -> Reply | None:
    """Asked to summarize, say who spoke, what was asked, which tools answered and what was answered last."""
    if not ASKS.search(seen.asked):
        return None
    earlier = [said for said in seen.said if said.position < seen.question.position]
    if not earlier:
        return Reply((line("There is nothing before your question to summarize."),), bare="nothing")
    lines: list[Line] = []
    name = told_name(seen)
    if name is not None:
        lines.append(line("The user's name is {name}.", name=name.value))
    asked = [said for said in earlier if said.role == "user"]
    lines += [item(line("The user said: {words}", words=_first(said))) for said in asked[-MOST:]]
    for done in seen.done[-MOST:]:
        target = next((v for v in done.call.input.values() if isinstance(v, str)), "")
        lines.append(
            item(
                line(
                    "{tool} {target} gave: {words}",
                    tool=done.call.name,
                    target=_short(target),
                    words=_short(done.text),
                )
            )
        )
    answers = [said for said in earlier if said.role == "assistant"]
    if answers:
        lines.append(item(line("The last answer was: {words}", words=_first(answers[-1]))))
    return Reply(tuple(lines), thought="I go through the array from its start and keep what matters.")


def _first(said: Said) -> str:
    return _short(said.text)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1].rsplit(' ', 1)[0]}…"
