"""Writes ``docs/rules.md`` from the rules themselves: ``python -m tape.rules.docs > docs/rules.md``.

A test fails while the file and the rules disagree.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from tape.capabilities import as_of
from tape.rules import LABELS, RULES, Rule
from tape.rules.base import Seen
from tape.rules.sending import MENDED

SIGNS = {"refused": "✗", "risky": "!", "hint": "·", None: ""}
MARKS = {"V": "verified", "W": "seen in the wild", "O": "an older API state"}
FAMILIES = {
    "pairing": "Calls and their results",
    "order": "Roles and their order",
    "content": "What a message holds",
    "thinking": "Thinking",
    "tools": "Tools",
    "caching": "Caching",
    "size": "Sizes",
}
HEAD = """# Rules

What each endpoint refuses, why, and what mends it. This file is written by `python -m tape.rules.docs`.

- ✗ **refused**: the call fails. ! **risky**: accepted here, refused elsewhere or at a cost. · **hint**: good
  to know.
- A finding may be milder than its rule: a call that only waits at the end of a transcript is a hint, and
  where a rule depends on a model that Tapedeck does not know, it says so and is risky.
- A session of another provider's form is carried into the Anthropic form when it is sent. What that mends is
  no refusal in it, only in an array that is in the Anthropic form already: *Carried over* says how.
- Vendors are quoted as last seen in the month of the source, or in 2026-11, when these texts were collected,
  where it has no date; wording changes, and nothing matches on it.
  *Verified*: in the vendor's current documentation or code, or probed. *Seen in the wild*: quoted by several
  independent users. *An older API state*: helps to recognize old logs.
- What depends on a model comes from `tape/data/models.json`, checked up to {as_of}; context windows come from
  genai-prices.
- `strict` is the portable array: it starts with the user and alternates, as older APIs and many chat
  templates demand.
"""


def page() -> str:
    """The whole page as Markdown."""
    lines = [HEAD.format(as_of=as_of()), *_matrix()]
    family = ""
    for rule in RULES:
        name = type(rule).__module__.rpartition(".")[2].partition("_")[0]
        if name != family:
            family = name
            lines += ["", f"## {FAMILIES[name]}"]
        lines += ["", *_rule(rule)]
    return "\n".join(lines) + "\n"


def _matrix() -> Iterator[str]:
    yield f"| code | {' | '.join(LABELS)} |"
    yield f"| --- |{' :-: |' * len(LABELS)}"
    for rule in RULES:
        signs = " | ".join(SIGNS[rule.on.get(endpoint)] for endpoint in LABELS)
        yield f"| [`{rule.code}`](#{rule.code}) | {signs} |"


def _rule(rule: Rule) -> Iterator[str]:
    yield f"### {rule.code}"
    yield ""
    yield f"**{rule.title}.** {_flowing(inspect.getdoc(type(rule)) or '')}"
    yield ""
    yield f"*Why:* {rule.why}"
    for rank in ("refused", "risky", "hint"):
        endpoints = [LABELS[name] for name, found in rule.on.items() if found == rank]
        if endpoints:
            yield ""
            yield f"*{rank.capitalize()}:* {', '.join(endpoints)}"
    if rule.repair:
        yield ""
        yield f"*Repair:* {rule.repair}"
    if rule.code in MENDED:
        severity, how = MENDED[rule.code]
        yield ""
        yield f"*Carried over:* {severity}. {how}"
    yield ""
    if rule.example.startswith("{"):
        yield from ("```json", rule.example, "```")
    else:
        yield f"*Example:* {rule.example}."
    told: dict[Seen, list[str]] = {}
    for name, seen in rule.seen.items():
        told.setdefault(seen, []).append(_vendor(name))
    for seen, names in told.items():
        who = ", ".join(dict.fromkeys(names))
        yield ""
        yield f"{who}, last seen {seen.last_seen} ({MARKS[seen.mark]}; {seen.source}):"
        yield ""
        yield f"> {_code(seen.text)}"


def _vendor(name: str) -> str:
    """Whose words an entry of ``Rule.seen`` are: the endpoint's that its name starts with, or Claude's."""
    return next((label for endpoint, label in LABELS.items() if name.startswith(endpoint)), "Claude API")


def _flowing(text: str) -> str:
    """Docstring text without its line ends inside paragraphs, its double backticks made single."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return "\n\n".join(paragraphs).replace("``", "`")


def _code(text: str) -> str:
    """Text as inline code, whatever backticks it has itself."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


if __name__ == "__main__":
    sys.stdout.write(page())
