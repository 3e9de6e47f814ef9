"""Changing values inside raw JSON text: nothing but the touched value may differ."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.json_spans import find
from tape.json_text import Arrange, Change, InsertAt, Keep, New, Remove, Set, patch, restyle, same

ODD = (
    '{"a": 5e-06, "b":0.000005,\t"c": "\\u003cb\\u003e",\r\n'
    ' "d": [1.0,2 , -0.0], "e": {"x": 1E2, "y": "ü"}}\r\n'
)

scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=6))
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)
containers = st.lists(values, min_size=1, max_size=5) | st.dictionaries(
    st.text(max_size=4), values, min_size=1, max_size=5
)
styles = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 1, 2, 4, "\t"]),
        "ensure_ascii": st.booleans(),
        "separators": st.sampled_from([(",", ":"), (", ", ": ")]),
    }
)


def paths(value: Any, prefix: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all values below a document."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, inner in below for path in ((*prefix, key), *paths(inner, (*prefix, key)))]


def put(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """A copy of the document with another value at the path."""
    if not path:
        return new
    if isinstance(value, dict):
        return {k: put(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    return [put(v, path[1:], new) if i == path[0] else v for i, v in enumerate(value)]


@given(document=containers, style=styles, new=values, data=st.data())
def test_setting_a_value_touches_only_its_bytes(document: Any, style: Any, new: Any, data: Any) -> None:
    text = json.dumps(document, **style)
    path = data.draw(st.sampled_from(paths(document)))
    start, end = find(text, path)
    done = patch(text, [Set(path, new)])
    assert same(json.loads(done), put(document, path, new))
    assert done[:start] == text[:start]
    assert done.endswith(text[end:])
    if same(json.loads(text[start:end]), new):
        assert done == text


@given(document=st.lists(values, max_size=5), style=styles, data=st.data())
def test_arranging_an_array_keeps_the_text_of_its_elements(document: Any, style: Any, data: Any) -> None:
    text = json.dumps({"messages": document, "n": 1}, **style)
    order = data.draw(st.permutations(range(len(document))))
    kept = order[: data.draw(st.integers(0, len(document)))]
    spans = [text[slice(*find(text, ("messages", i)))] for i in kept]
    done = patch(text, [Arrange(("messages",), (*(Keep(i) for i in kept), New("new")))])
    assert same(json.loads(done), {"messages": [*(document[i] for i in kept), "new"], "n": 1})
    assert [done[slice(*find(done, ("messages", i)))] for i in range(len(kept))] == spans


@given(document=containers, style=styles)
def test_removing_and_keeping_everything(document: Any, style: Any) -> None:
    text = json.dumps(document, **style)
    keys = list(document) if isinstance(document, dict) else range(len(document))
    assert json.loads(patch(text, [Remove((key,)) for key in keys])) == type(document)()
    assert patch(text, []) == text
    if isinstance(document, list):
        assert patch(text, [Arrange((), tuple(Keep(i) for i in range(len(document))))]) == text


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([Set(("e", "y"), "z")], ODD.replace('"ü"', '"z"')),
        ([Set(("a",), 5e-06)], ODD),
        ([Set(("d", 1), 7)], ODD.replace("2 ", "7 ")),
        ([Set(("c",), "<i>")], ODD.replace("\\u003cb\\u003e", "\\u003ci\\u003e")),
        ([Set(("e",), {"x": 100.0, "y": "ü", "k": "&"})], ODD.replace('"ü"', '"ü", "k": "\\u0026"')),
        ([Remove(("b",))], ODD.replace('"b":0.000005,\t', "")),
        ([InsertAt(("d",), 3, 4)], ODD.replace("-0.0", "-0.0,4")),
    ],
)
def test_numbers_escapes_spacing_and_line_ends_stay(edits: list[Any], expected: str) -> None:
    assert patch(ODD, edits) == expected


def test_new_members_take_the_style_of_their_neighbors() -> None:
    pretty = '[\r\n  {"role": "user", "content": "a"},\r\n  {"role": "user", "content": "b"}\r\n]'
    done = patch(pretty, [InsertAt((), 2, {"role": "user", "content": ["é"]})])
    assert done == pretty.replace("\r\n]", ',\r\n  {"role": "user", "content": ["é"]}\r\n]')
    nested = json.dumps({"messages": [{"role": "user"}]}, indent=4)
    done = patch(nested, [InsertAt(("messages",), 0, {"role": "x"})])
    assert done == json.dumps({"messages": [{"role": "x"}, {"role": "user"}]}, indent=4)
    assert patch('{"a":[]}', [InsertAt(("a",), 0, {"b": [1, 2]})]) == '{"a":[{"b":[1,2]}]}'
    assert patch('{"m":["\\u00e9"]}', [InsertAt(("m",), 1, "ß")]) == '{"m":["\\u00e9","\\u00df"]}'


def test_several_edits_at_once_speak_of_the_text_before() -> None:
    text = '{"m": [{"a": 1}, {"a": 2}, {"a": 3}], "z": 0}'
    edits = [
        Remove(("m", 0)),
        Set(("m", 1, "a"), 9),
        InsertAt(("m",), 3, {"a": 4}),
        Set(("z",), 1),
        Set(("y",), 2),
    ]
    assert patch(text, edits) == '{"m": [{"a": 9}, {"a": 3}, {"a": 4}], "z": 1, "y": 2}'
    moved = Arrange(("m",), (Keep(2), Change(0, {"a": 5, "b": 6}), Change(1, edits=(Set(("a",), 7),))))
    assert patch(text, [moved]) == '{"m": [{"a": 3}, {"a": 5, "b": 6}, {"a": 7}], "z": 0}'


@pytest.mark.parametrize(
    "edits",
    [
        [Set(("x", "y"), 1)],
        [Remove(("x",))],
        [InsertAt(("a",), 0, 1)],
        [InsertAt(("d",), 9, 1)],
        [Set(("d", 7), 1)],
        [Arrange(("d",), (Keep(7),))],
    ],
)
def test_a_path_that_is_not_there_is_an_error(edits: list[Any]) -> None:
    with pytest.raises(KeyError):
        patch(ODD, edits)


def test_edits_that_overlap_are_an_error() -> None:
    with pytest.raises(ValueError, match="overlap"):
        patch(ODD, [Set(("e",), 1), Set(("e", "x"), 2)])


def test_the_last_of_two_equal_keys_counts() -> None:
    assert patch('{"a": 1, "a": 2}', [Set(("a",), 3)]) == '{"a": 1, "a": 3}'
    assert patch('{"a": 1, "a": 2, "b": 1}', [Remove(("a",))]) == '{"b": 1}'


def test_what_stands_before_a_break_can_be_changed() -> None:
    text = '{"m": [{"a": "x"}, {"a": "y"'
    assert patch(text, [Set(("m", 0, "a"), "z")]) == text.replace("x", "z")
    assert patch(text, [Set(("m", 1, "a"), "z")]) == text.replace("y", "z")
    assert patch(text, [Arrange(("m",), (Keep(1),))]) == '{"m": [{"a": "y"'
    with pytest.raises(KeyError):
        patch(text, [Set(("m", 2, "a"), "z")])


def test_lone_surrogates_and_bad_bytes_are_no_difference() -> None:
    text = b'{"a": ["caf\xe9 \\ud83d"], "b": 1}'.decode("utf-8", "surrogateescape")
    done = patch(text, [Set(("a",), ["caf\ufffd \ufffd", "more"])])
    assert done.encode("utf-8", "surrogateescape") == b'{"a": ["caf\xe9 \\ud83d", "more"], "b": 1}'


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ('{"q": "x"}', {"q": "y", "n": [1, 2]}, '{"q": "y", "n": [1, 2]}'),
        ('{"q":"x"}', {"q": "y", "n": [1, 2]}, '{"q":"y","n":[1,2]}'),
        ("", {"q": 1}, '{"q": 1}'),
        ("{}", {"q": 1}, '{"q": 1}'),
        ('{"q": "unfin', {"q": 1}, '{"q": 1}'),
    ],
)
def test_json_inside_a_string_keeps_its_spacing(text: str, value: Any, expected: str) -> None:
    assert restyle(text, value) == expected


def test_time_is_linear() -> None:
    import time

    def took(count: int) -> float:
        text = json.dumps({"messages": [{"role": "user", "content": "x" * 200}] * count})
        started = time.perf_counter()
        patch(text, [Set(("messages", count - 1, "content"), "y"), Remove(("messages", 0))])
        return time.perf_counter() - started

    small, large = min(took(2_000) for _ in range(3)), min(took(20_000) for _ in range(3))
    assert large < 40 * small
