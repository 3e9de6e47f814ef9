"""Writes the tables of README.md that list what the code registers: ``python -m docs.tables``.

A table stands between two comments of its name. A test fails while README and the registries disagree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tape.formats import FORMATS
from tape.rules import RULES

README = Path(__file__).resolve().parent.parent / "README.md"
EVIDENCE = {"files": "real files", "documentation": "documentation only"}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def formats() -> str:
    """The formats that are read, and whether each is written."""
    rows = (
        [
            f"`{one.name}`",
            one.label,
            one.written_by,
            "yes" if one.write else "as it came",
            EVIDENCE[one.evidence],
        ]
        for one in FORMATS
    )
    return table(["name", "what it is", "written by", "written", "proven on"], rows)


def rules() -> str:
    """The rules and what each finds."""
    return table(["code", "what it finds"], ([f"`{rule.code}`", rule.title] for rule in RULES))


def filled(readme: str) -> str:
    """README with every table as the registries have it now."""
    for name, made in (("formats", formats()), ("rules", rules())):
        readme = re.sub(
            f"(<!-- {name} -->\n).*?(<!-- end of {name} -->)",
            lambda found, made=made: f"{found[1]}{made}\n{found[2]}",  # type: ignore[misc]
            readme,
            flags=re.DOTALL,
        )
    return readme


if __name__ == "__main__":
    README.write_text(filled(README.read_text("utf-8")), "utf-8")
