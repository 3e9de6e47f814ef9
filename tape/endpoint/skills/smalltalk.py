"""Who is speaking, and a word of greeting."""

from __future__ import annotations

import re

from tape.endpoint.manner import own_name
from tape.endpoint.reply import Reply, line
from tape.endpoint.seen import Seen

ASK_SELF = re.compile(
    r"\bwho are you\b|\bwhat are you\b|\bwhat(?:'s|’s| is) your name\b"
    r"|\bare you (?:a|an|real|human|claude|gpt|ai)\b",
    re.I,
)
GREETING = re.compile(r"\s*(?:hi|hello|hey|good (?:morning|day|evening)|greetings)\b[\s\w,!.]{0,20}$", re.I)
THANKS = re.compile(r"\s*(?:many )?(?:thanks|thank you|thx|cheers)\b[\s\w,!.]{0,20}$", re.I)


def who_am_i(seen: Seen) -> Reply | None:
    """Asked who is speaking, say so openly: a script. The system prompt may give it a name."""
    if not ASK_SELF.search(seen.asked):
        return None
    truth = line("I am a script, not a language model: I answer from the messages array alone.")
    name = own_name(seen)
    if name is None:
        return Reply((truth,), bare="a script")
    return Reply((line("I am {name}: the system prompt calls me that.", name=name), truth), bare=name)


def greet(seen: Seen) -> Reply | None:
    """A greeting gets a greeting, and thanks get a welcome."""
    if THANKS.match(seen.asked):
        return Reply((line("You are welcome."),))
    if not GREETING.match(seen.asked):
        return None
    return Reply(
        (
            line("Hello!"),
            line("Ask me a sum, tell me your name, or give me tools and name a file to check."),
        )
    )
