"""Finds a one-place change of a Python function that would satisfy the tests in sight.

It tries small changes (another operator, another string method, a comparison, an off-by-one) and
keeps the first with which every expectation comes out right when read by ``reckon``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tape.endpoint.reckon import COMPARISONS, Expectation, Unknown, functions, result_of

OPERATORS: tuple[type[ast.operator], ...] = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
NAMED: dict[str, type[ast.operator]] = {
    "add": ast.Add,
    "plus": ast.Add,
    "subtract": ast.Sub,
    "minus": ast.Sub,
    "multiply": ast.Mult,
    "times": ast.Mult,
    "divide": ast.Div,
}
METHODS = ("upper", "lower", "title", "capitalize", "swapcase", "strip")
MOST_TRIES = 400


@dataclass(frozen=True, slots=True)
class Miss:
    """An expectation that the code does not meet, and what it gives instead."""

    expectation: Expectation
    got: Any


@dataclass(frozen=True, slots=True)
class Mend:
    """Lines to replace (exactly as they stand in the file) and what to put there instead."""

    old: str
    new: str
    line: int


def misses(source: str, wanted: Sequence[Expectation]) -> list[Miss]:
    """The expectations that ``source`` fails; those it cannot follow are left out.

    Raises ``SyntaxError`` when the source does not parse.
    """
    known = functions(ast.parse(source))
    found = []
    for expectation in wanted:
        got = _got(expectation, known)
        if got is not None and got[0] != expectation.expected:
            found.append(Miss(expectation, got[0]))
    return found


def followed(source: str, wanted: Sequence[Expectation]) -> int:
    """How many of the expectations this reader can follow in ``source``."""
    known = functions(ast.parse(source))
    return sum(_got(expectation, known) is not None for expectation in wanted)


def mend(source: str, wanted: Sequence[Expectation]) -> Mend | None:
    """The first small change with which no expectation is missed, or ``None``."""
    tree = ast.parse(source)
    known = functions(tree)
    wrong = {miss.expectation.function for miss in misses(source, wanted)}
    tries = 0
    for name in sorted(wrong & known.keys()):
        for node, changed in _changes(known[name]):
            tries += 1
            if tries > MOST_TRIES:
                return None
            if all(_meets(e, {**known, name: changed[1]}) for e in wanted if e.function in known):
                return _written(source, node, ast.unparse(changed[0]), wanted)
    return None


def by_name(source: str, function: str) -> Mend | None:
    """The change a function's name alone asks for: ``add`` that returns ``a - b`` should return ``a + b``."""
    node = functions(ast.parse(source)).get(function)
    operator = NAMED.get(function.lower())
    if node is None or operator is None:
        return None
    match node.body[-1]:
        case ast.Return(value=ast.BinOp(left=left, op=op, right=right) as wrong) if type(op) is not operator:
            return _as_lines(source, wrong, ast.unparse(ast.BinOp(left, operator(), right)))
    return None


def _got(expectation: Expectation, known: Mapping[str, ast.FunctionDef]) -> tuple[Any] | None:
    try:
        return (result_of(expectation.call, expectation.function, known),)
    except Unknown:
        return None


def _meets(expectation: Expectation, known: Mapping[str, ast.FunctionDef]) -> bool:
    got = _got(expectation, known)
    return got is not None and got[0] == expectation.expected


def _changes(
    function: ast.FunctionDef,
) -> Iterator[tuple[ast.expr, tuple[ast.expr, ast.FunctionDef]]]:
    """Every small change: the expression it stands for, its replacement, the function with it."""
    for place, node in enumerate(ast.walk(function)):
        if not isinstance(node, ast.expr):
            continue
        for replacement in _variants(node):
            changed = copy.deepcopy(function)
            target = list(ast.walk(changed))[place]
            _replace(changed, target, replacement)
            yield node, (replacement, changed)


def _variants(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            yield from (ast.BinOp(left, other(), right) for other in OPERATORS if other is not type(op))
            yield ast.BinOp(right, op, left)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            others = (other for other in COMPARISONS if other is not type(op))
            yield from (ast.Compare(left, [other()], [right]) for other in others)
        case ast.Call(func=ast.Attribute(value=owner, attr=method), args=args) if method in METHODS:
            others_named = (other for other in METHODS if other != method)
            yield from (ast.Call(ast.Attribute(owner, o, ast.Load()), args, []) for o in others_named)
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            yield ast.Constant(number + 1)
            yield ast.Constant(number - 1)


def _replace(tree: ast.AST, target: ast.AST, replacement: ast.expr) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, name, replacement)
            elif isinstance(value, list):
                value[:] = [replacement if item is target else item for item in value]


def _written(source: str, node: ast.expr, replacement: str, wanted: Sequence[Expectation]) -> Mend:
    """The change as text, in parentheses where the text around it would otherwise bind it differently."""
    change = _as_lines(source, node, replacement)
    if misses(source.replace(change.old, change.new, 1), wanted):
        return _as_lines(source, node, f"({replacement})")
    return change


def _as_lines(source: str, node: ast.expr, replacement: str) -> Mend:
    """The change as whole lines, with as many lines before them as make the old text unique."""
    lines = source.splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset :].decode()
    new = head + replacement + tail
    old = "".join(lines[first : last + 1])
    line = first + 1
    while source.count(old) > 1 and first > 0:
        first -= 1
        old, new = lines[first] + old, lines[first] + new
    return Mend(old, new, line)
