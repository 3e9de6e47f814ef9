"""Writes the lines of an edited Claude Code file: whatever nothing is asked of keeps its bytes, line ends too.

Which lines stand where and hang on whom is decided in ``claude_code_weave``.
"""

from __future__ import annotations

from tape.formats.claude_code_weave import Fresh, Plan, Weaver
from tape.formats.claude_lines import Lines
from tape.json_text import Arrange, Change, Keep, New, patch, restyle
from tape.model import Session


def rewrite(lines: Lines, plan: Plan, session: Session) -> bytes:
    """The bytes of the file after the plan."""
    unmoved: list[int | Fresh] = list(range(len(lines)))
    pieces = Weaver(lines, plan, session).pieces() if plan.structural else unmoved
    written = _document(lines, plan, pieces) if lines.root is not None else _file(lines, plan, pieces)
    return lines.source.restore(written)


def _file(lines: Lines, plan: Plan, pieces: list[int | Fresh]) -> bytes:
    """A JSONL file of these lines: what stood between two neighbors still stands there."""
    source = lines.source
    body, count = source.body, len(source)
    spans = [source.span(i) for i in range(count)]
    newline = b"\r\n" if b"\r\n" in body[spans[0][1] : spans[0][1] + 2] else b"\n"
    end = body[spans[-1][1] :]
    out = [body[: spans[0][0]]]
    for number, piece in enumerate(pieces):
        last = number == len(pieces) - 1
        following = None if last else pieces[number + 1]
        if isinstance(piece, Fresh):
            out += [_fresh(lines, piece), end if last else newline]
            continue
        edits = plan.edits.get(piece)
        text = (
            patch(source.exact(piece), edits).encode("utf-8", "surrogateescape")
            if edits
            else source.raw(piece)
        )
        gap = end if piece == count - 1 else body[spans[piece][1] : spans[piece + 1][0]]
        if last:
            gap = end
        elif following != piece + 1 and b"\n" not in gap:
            gap = newline
        out += [text, gap]
    return b"".join(out)


def _fresh(lines: Lines, piece: Fresh) -> bytes:
    like = lines.source.exact(piece.like) if piece.like is not None else "{}"
    return restyle(like, piece.value).encode("utf-8", "surrogateescape")


def _document(lines: Lines, plan: Plan, pieces: list[int | Fresh]) -> bytes:
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
