"""Works out what a small Python function returns by walking its syntax tree; it never runs anything.

It knows arithmetic, comparisons, a few builtins and string methods, ``if``, assignment and ``return``.
Whatever else it meets, and whatever would grow too large, ends in ``Unknown``: no guess is made.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

STEPS = 2_000
LONGEST = 10_000
LARGEST = 10**30


class Unknown(Exception):
    """The function does something that this reader does not follow."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """``assert function(arguments) == expected`` as a test file writes it; ``text`` is that comparison."""

    function: str
    call: ast.Call
    expected: Any
    text: str


BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
BUILTINS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "len": len,
    "max": max,
    "min": min,
    "round": round,
    "sorted": sorted,
    "str": str,
    "sum": sum,
}
STRING_METHODS = frozenset(
    {"upper", "lower", "title", "capitalize", "swapcase", "casefold", "strip", "lstrip", "rstrip"}
    | {"replace", "split", "join", "startswith", "endswith", "removeprefix", "removesuffix"}
)


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions that a module defines at its top level, by name."""
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def expectations(tree: ast.Module) -> list[Expectation]:
    """Every ``assert f(…) == value`` (either way round, and ``assertEqual``) with a literal value."""
    found: list[Expectation] = []
    for node in ast.walk(tree):
        pair: tuple[ast.expr, ast.expr] | None = None
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare):
            test = node.test
            if len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
                pair = (test.left, test.comparators[0])
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "assertEqual":
            pair = (node.args[0], node.args[1]) if len(node.args) >= 2 else None
        if pair is not None:
            found += _expectation(*pair) or _expectation(pair[1], pair[0])
    return found


def _expectation(call: ast.expr, value: ast.expr) -> list[Expectation]:
    if not isinstance(call, ast.Call):
        return []
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    try:
        expected = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return []
    shown = f"{name}({', '.join(ast.unparse(a) for a in call.args)}) == {ast.unparse(value)}"
    return [Expectation(name, call, expected, shown)]


def result_of(call: ast.Call, name: str, known: Mapping[str, ast.FunctionDef]) -> Any:
    """What calling ``name`` with the literal arguments of ``call`` returns. Raises ``Unknown``."""
    reader = _Reader(known)
    try:
        return reader.call(name, [reader.value(arg, {}) for arg in call.args])
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError, RecursionError) as error:
        raise Unknown(str(error)) from error


@dataclass(slots=True)
class _Reader:
    known: Mapping[str, ast.FunctionDef]
    steps: int = 0

    def call(self, name: str, values: list[Any]) -> Any:
        function = self.known.get(name)
        if function is None:
            raise Unknown(f"no function {name} in sight")
        names = [arg.arg for arg in function.args.args]
        if len(names) != len(values):
            raise Unknown(f"{name} is called with {len(values)} values")
        _, value = self.body(function.body, dict(zip(names, values, strict=True)))
        return value

    def body(self, statements: list[ast.stmt], names: dict[str, Any]) -> tuple[bool, Any]:
        for statement in statements:
            self.step()
            match statement:
                case ast.Return(value=value):
                    return True, None if value is None else self.value(value, names)
                case ast.If():
                    branch = statement.body if self.value(statement.test, names) else statement.orelse
                    returned, value = self.body(branch, names)
                    if returned:
                        return True, value
                case ast.Assign(targets=[ast.Name(id=target)], value=value):
                    names[target] = self.value(value, names)
                case ast.Expr(value=ast.Constant()) | ast.Pass():
                    continue
                case _:
                    raise Unknown(type(statement).__name__)
        return False, None

    def value(self, node: ast.expr, names: dict[str, Any]) -> Any:
        self.step()
        match node:
            case ast.Constant(value=value):
                return _small(value)
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.List(elts=items):
                return [self.value(item, names) for item in items]
            case ast.Tuple(elts=items):
                return tuple(self.value(item, names) for item in items)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand, names)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self.value(operand, names)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return _binary(op, self.value(left, names), self.value(right, names))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                return COMPARISONS[type(op)](self.value(left, names), self.value(right, names))
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.value(body if self.value(test, names) else other, names)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                values = [self.value(arg, names) for arg in args]
                return _small(BUILTINS[name](*values)) if name in BUILTINS else self.call(name, values)
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=args, keywords=[]):
                return self.method(self.value(owner, names), method, [self.value(a, names) for a in args])
            case ast.Subscript(value=owner, slice=index):
                return self.value(owner, names)[self.index(index, names)]
        raise Unknown(type(node).__name__)

    def method(self, owner: Any, method: str, values: list[Any]) -> Any:
        if not isinstance(owner, str) or method not in STRING_METHODS:
            raise Unknown(method)
        if method in {"join", "replace"} and _size(owner) * max(map(_size, values), default=1) > LONGEST:
            raise Unknown("too long")
        return _small(getattr(owner, method)(*values))

    def index(self, node: ast.expr, names: dict[str, Any]) -> Any:
        if not isinstance(node, ast.Slice):
            return self.value(node, names)
        parts = (None if p is None else self.value(p, names) for p in (node.lower, node.upper, node.step))
        return slice(*parts)

    def step(self) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise Unknown("too many steps")


def _binary(op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(op, ast.Mod) and isinstance(left, str):
        raise Unknown("string formatting")
    if isinstance(op, ast.Mult) and not (_is_number(left) and _is_number(right)):
        times = left if _is_number(left) else right
        if not isinstance(times, int) or times * max(_size(left), _size(right)) > LONGEST:
            raise Unknown("too long")
    return _small(BINARY[type(op)](left, right))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | tuple) else 1


def _small(value: Any) -> Any:
    """The value itself. Raises ``Unknown`` when it is larger than this reader is willing to hold."""
    if isinstance(value, int) and abs(value) > LARGEST:
        raise Unknown("too large")
    if _size(value) > LONGEST:
        raise Unknown("too long")
    return value
