"""What you told me. Names and other facts are known only while some message in the array says them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tape.endpoint.reply import Line, Reply, line
from tape.endpoint.seen import Said, Seen
from tape.endpoint.skills.sight import count_line

NAME = r"([^\W\d_][\w'’-]{0,30}(?: [A-Z][\w'’-]{0,30}){0,2})"
TOLD_NAME = (
    re.compile(rf"\b(?i:my name(?:'s| is|’s)) {NAME}"),
    re.compile(rf"\b(?i:call me|I am called) {NAME}"),
    re.compile(r"\b(?:I'm|I’m|I am|This is) ([A-Z][\w'’-]{1,30})(?=\s*(?:[.!,;]|$|\band\b|\bfrom\b))"),
    re.compile(rf"\b(?i:the user(?:'s|’s) name is|the user is called) {NAME}"),
    re.compile(r"\b[Nn]ice to meet you, ([A-Z][\w'’-]{1,30})"),
)
YOUR_NAME = re.compile(rf"\b(?i:your name is) {NAME}")
"""In an answer; a user who says it speaks of the assistant."""
NO_NAME = "not a an the here sorry back done sure fine ok okay unknown what"
ASK_NAME = re.compile(
    r"\bwhat(?:'s|’s| is| was) my name\b|\bwho am i\b|\b(?:do you )?(?:know|remember|recall) my name\b"
    r"|\bsay my name\b|\bmy name\s*\?",
    re.I,
)
TOLD = re.compile(r"\b[Mm]y ((?!name\b)[a-z][a-z' ]{1,40}?) (?:is called|is|are) (?!not\b)([^.!?;\n]{1,80})")
ASK = re.compile(
    r"\b(?:what|who|which|where|when)(?:'s|’s| is| are| was)? (?:is )?my ([a-z][a-z' ]{1,40}?)\s*\?", re.I
)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something a message says about the user, and which message (``None``: the system prompt)."""

    value: str
    position: int | None


def name(seen: Seen) -> Reply | None:
    """Asked for your name, look for a message that says it. Told your name, greet you by it."""
    if ASK_NAME.search(seen.asked):
        fact = told_name(seen)
        if fact is None:
            return Reply(
                (
                    line("I cannot know your name: nothing in this array says it."),
                    count_line(seen),
                ),
                bare="unknown",
                thought="I look through every message for a name and find none.",
            )
        return Reply((line("Your name is {name}.", name=fact.value), _source(fact)), bare=fact.value)
    fact = _name_in(seen.question)
    if fact is not None and len(seen.asked) < 200:
        return Reply((line("Nice to meet you, {name}.", name=fact.value),), bare=fact.value)
    return None


def other_facts(seen: Seen) -> Reply | None:
    """Asked for something of yours ("what is my favorite color?"), look for the message that says it."""
    asked = ASK.search(seen.asked)
    if asked is None:
        told = TOLD.search(seen.asked) if "?" not in seen.asked and len(seen.asked) < 200 else None
        if told is None:
            return None
        return Reply(
            (line("I see: your {thing} is {value}.", thing=told[1], value=told[2].strip()),), bare="ok"
        )
    thing = _plain(asked[1])
    for said in reversed(seen.said):
        for told in reversed(list(TOLD.finditer(said.text))):
            if _plain(told[1]) == thing and said.position != seen.question.position:
                value = told[2].strip()
                lines = (
                    line("Your {thing} is {value}.", thing=asked[1], value=value),
                    _source(Fact(value, said.position)),
                )
                return Reply(lines, bare=value)
    return Reply(
        (line("I cannot know your {thing}: nothing in this array says it.", thing=asked[1]),), bare="unknown"
    )


def told_name(seen: Seen) -> Fact | None:
    """The user's name: as you last said it, else as an answer repeats it, else from the system prompt."""
    for role in ("user", "assistant"):
        for said in reversed(seen.by(role)):
            fact = _name_in(said)
            if fact is not None:
                return fact
    fact = _name_in(Said(-1, "user", seen.system))
    return Fact(fact.value, None) if fact is not None else None


def _name_in(said: Said) -> Fact | None:
    patterns = TOLD_NAME if said.role == "user" else (*TOLD_NAME, YOUR_NAME)
    for pattern in patterns:
        for match in pattern.finditer(said.text):
            value = match[1].strip(" '’-")
            if value and value.split()[0].lower() not in NO_NAME.split():
                return Fact(value[0].upper() + value[1:], said.position)
    return None


def _source(fact: Fact) -> Line:
    if fact.position is None:
        return line("The system prompt says so.")
    return line("Message {position} says so.", position=fact.position)


def _plain(thing: str) -> str:
    return (
        re.sub(r"\W+", " ", thing.lower()).replace("favourite", "favorite").replace("colour", "color").strip()
    )
