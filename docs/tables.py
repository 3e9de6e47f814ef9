"""Writes the table of formats in README.md from their registry: ``python -m docs.tables``.

It stands between two comments. A test fails while README and the registry disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tape.formats import FORMATS

README = Path(__file__).resolve().parent.parent / "README.md"
BEGIN, END = "<!-- formats -->\n", "<!-- end of formats -->\n"
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


def filled(readme: str) -> str:
    """README with the table as the registry has it now."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{formats()}\n{END}{after}"


if __name__ == "__main__":
    README.write_text(filled(README.read_text("utf-8")), "utf-8")
