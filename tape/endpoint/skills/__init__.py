"""The scripted model's skills, in the order they are tried. The first that answers wins.

A skill is a function from what can be seen of the request (``Seen``) to a ``Reply``, or ``None`` when the
question is not for it. To read the script, read these files: each docstring says what its skill does.
"""

from __future__ import annotations

from collections.abc import Callable

from tape.endpoint.reply import Reply
from tape.endpoint.seen import Seen
from tape.endpoint.skills.anytool import use_tool
from tape.endpoint.skills.arithmetic import arithmetic
from tape.endpoint.skills.code import check_code
from tape.endpoint.skills.facts import name, other_facts
from tape.endpoint.skills.files import list_files, read_files, run_tests
from tape.endpoint.skills.repair import repair
from tape.endpoint.skills.sight import what_i_see
from tape.endpoint.skills.smalltalk import greet, who_am_i
from tape.endpoint.skills.summary import summarize
from tape.endpoint.skills.tickets import follow_examples, ticket

Skill = Callable[[Seen], Reply | None]

SKILLS: tuple[Skill, ...] = (
    summarize,
    arithmetic,
    repair,
    check_code,
    run_tests,
    read_files,
    list_files,
    ticket,
    name,
    other_facts,
    who_am_i,
    greet,
    follow_examples,
    use_tool,
    what_i_see,
)
