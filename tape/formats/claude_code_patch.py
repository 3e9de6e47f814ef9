"""Writes the lines of an edited Claude Code file: what nothing is asked of keeps its bytes, line ends too.

Which lines stand where and hang on whom is decided in ``claude_code_weave``.
"""

from __future__ import annotations

from tape.containers import repack
from tape.formats.claude_code_weave import Fresh, Piece, Plan
from tape.formats.claude_lines import Lines
from tape.formats.lines import Item, Line, NewLine, relined
from tape.json_text import Arrange, Change, Keep, New, patch


def rewrite(lines: Lines, plan: Plan, pieces: list[Piece]) -> bytes:
    """The bytes of the file with these lines in this order, and the plan's edits done to them."""
    written = _document(lines, plan, pieces) if lines.root is not None else _file(lines, plan, pieces)
    return repack(lines.source, lines.source.restore(written))


def _file(lines: Lines, plan: Plan, pieces: list[Piece]) -> bytes:
    """A JSONL file of these lines."""
    items: list[Item] = []
    for piece in pieces:
        if isinstance(piece, Fresh):
            items.append(NewLine(piece.value))
        else:
            items.append(Line(piece, tuple(plan.edits.get(piece, ()))))
    return relined(lines.source, items)


def _document(lines: Lines, plan: Plan, pieces: list[Piece]) -> bytes:
    """A document whose array has these items."""
    source, root = lines.source, lines.root or ()
    start, end = source.span(0)
    items: list[Keep | Change | New] = []
    for piece in pieces:
        if isinstance(piece, Fresh):
            items.append(New(piece.value))
        elif piece in plan.edits:
            items.append(Change(piece, edits=tuple(plan.edits[piece])))
        else:
            items.append(Keep(piece))
    text = patch(source.exact(0), [Arrange(root, tuple(items))])
    return source.body[:start] + text.encode("utf-8", "surrogateescape") + source.body[end:]
