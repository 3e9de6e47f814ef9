"""Reading what small functions return, without running them."""

from __future__ import annotations

import ast

import pytest

from tape.endpoint.mend import mend, misses
from tape.endpoint.reckon import Unknown, expectations, functions, result_of


def reckon(source: str, call: str) -> object:
    """What a call returns, by reading the source."""
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    return result_of(node, ast.unparse(node.func), functions(ast.parse(source)))


@pytest.mark.parametrize(
    ("source", "call", "value"),
    [
        ("def f(a, b):\n    return a // b + a % b", "f(7, 2)", 4),
        ("def f(s):\n    return s.strip().title()", "f(' ab cd ')", "Ab Cd"),
        ("def f(n):\n    if n < 0:\n        return -n\n    return n", "f(-3)", 3),
        ("def f(n):\n    m = n * 2\n    return m if m > 4 else 0", "f(3)", 6),
        ("def f(xs):\n    return sum(xs) / len(xs)", "f([1, 2])", 1.5),
        ("def g(n):\n    return n + 1\ndef f(n):\n    return g(g(n))", "f(1)", 3),
        ("def f(s):\n    return s[::-1] + s[0]", "f('abc')", "cbaa"),
        ("def f():\n    'Says nothing.'", "f()", None),
    ],
)
def test_small_functions_are_followed(source: str, call: str, value: object) -> None:
    assert reckon(source, call) == value


@pytest.mark.parametrize(
    "body",
    [
        "return open('/etc/passwd').read()",
        "return __import__('os').system('true')",
        "return (lambda: 1)()",
        "return a.__class__",
        "return 'x' * 10 ** 9",
        "return 'x' * (999999 * 999999)",
        "return f(a)",
        "while True:\n        pass",
        "return '%999999999d' % a",
        "return 'a,b'.join([1])",
        "return a / 0",
        "return ('x' * 9999).replace('x', 'y' * 9999)",
    ],
)
def test_whatever_else_is_unknown(body: str) -> None:
    with pytest.raises(Unknown):
        reckon(f"def f(a):\n    {body}\n", "f(1)")


def test_expectations_are_read_either_way_round() -> None:
    source = "def test():\n    assert f(1) == 2\n    assert [3] == g('a')\n    self.assertEqual(h(), 'x')\n"
    assert [e.text for e in expectations(ast.parse(source))] == ["f(1) == 2", "g('a') == [3]", "h() == 'x'"]


@pytest.mark.parametrize(
    ("source", "test", "fixed"),
    [
        ("def f(a, b):\n    return a - b\n", "assert f(2, 3) == 5", "    return a + b\n"),
        ("def f(a, b):\n    return b - a\n", "assert f(5, 3) == 2", "    return a - b\n"),
        ("def f(s):\n    return s.lower()\n", "assert f('a') == 'A'", "    return s.upper()\n"),
        (
            "def f(n):\n    return n > 3\n",
            "assert f(3) == True\nassert f(4) == True\nassert f(2) == False",
            "    return n >= 3\n",
        ),
        ("def f(n):\n    return n + 2\n", "assert f(1) == 2\nassert f(5) == 6", "    return n + 1\n"),
        ("def f(a, b):\n    return 2 * a * b\n", "assert f(3, 4) == 14", None),
    ],
)
def test_one_small_change_satisfies_the_tests(source: str, test: str, fixed: str | None) -> None:
    wanted = expectations(ast.parse(test))
    change = mend(source, wanted)
    if fixed is not None:
        assert change is not None
        assert change.new == fixed
    if change is not None:
        assert source.count(change.old) == 1
        assert misses(source.replace(change.old, change.new), wanted) == []


def test_a_line_that_stands_twice_is_changed_in_the_right_place() -> None:
    source = "def f(a, b):\n    return a - b\n\n\ndef g(a, b):\n    return a - b\n"
    change = mend(source, expectations(ast.parse("assert f(2, 1) == 1\nassert g(2, 1) == 3")))
    assert change is not None
    first, second = source.split("def g")
    assert source.replace(change.old, change.new) == first + "def g" + second.replace("-", "+")
