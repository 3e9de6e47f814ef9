"""Tickets. Earlier answers in the array set the format; without any, this one is chatty."""

from __future__ import annotations

from tape.endpoint.imitation import Example, format_of, imitate
from tape.endpoint.reply import Line, Reply, line, polite, verbatim
from tape.endpoint.seen import Seen
from tape.endpoint.triage import is_ticket, triage


def ticket(seen: Seen) -> Reply | None:
    """Handle a ticket the way the earlier answers in the array did, if they have a format to follow."""
    if not is_ticket(seen.asked):
        return None
    copied = imitated(seen, seen.asked)
    if copied is not None:
        return Reply((copied,), thought="The earlier answers show the format; I follow it.")
    return Reply(
        (
            polite(line("Thanks for passing this ticket on!")),
            *about(seen.asked),
            line("A good next step would be to {action}.", action=triage(seen.asked).action),
            polite(line("If you want a fixed format, show me an example or two and I will follow it.")),
        ),
        bare=triage(seen.asked).topic,
    )


def follow_examples(seen: Seen) -> Reply | None:
    """Two or more earlier answers in one fixed format: give the next one in the same format."""
    examples = _examples(seen)
    shapes = {format_of(example.answered) for example in examples[-2:]}
    if len(examples) < 2 or len(shapes) != 1:
        return None
    copied = imitated(seen, seen.asked)
    return Reply((copied,), thought="The earlier answers show the format; I follow it.") if copied else None


def imitated(seen: Seen, text: str) -> Line | None:
    """An answer about ``text`` in the format of the earlier answers, or ``None`` when they have none."""
    answer = imitate(_examples(seen), text)
    return None if answer is None else verbatim(answer)


def about(text: str) -> tuple[Line, ...]:
    """What a ticket is about, in prose."""
    found = triage(text)
    return (
        line("It sounds like a {topic} matter of {level} urgency.", topic=found.topic, level=found.level),
        line("In short: “{gist}”.", gist=found.gist),
    )


def needs(path: str, text: str) -> Line:
    """One line on a ticket's file: what it is about, and what it needs."""
    found = triage(text)
    return line(
        "{path}: “{gist}”, a {topic} matter of {level} urgency. It needs someone to {action}.",
        path=path,
        gist=found.gist,
        topic=found.topic,
        level=found.level,
        action=found.action,
    )


def _examples(seen: Seen) -> list[Example]:
    """The questions before this one with the answers that directly follow them."""
    pairs = zip(seen.said, seen.said[1:], strict=False)
    return [
        Example(first.text, second.text)
        for first, second in pairs
        if first.role == "user" and second.role == "assistant" and second.position < seen.question.position
    ]
