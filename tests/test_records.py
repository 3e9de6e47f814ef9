"""Framing: what is a record, where it stands, and that nothing in a file makes reading raise."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tape.errors import UserError
from tape.records import Broken, Source, loads, open_source
from tape.records.elements import elements

ODD_ENDS = '{"a": "x\u2028y\u2029\u0085z"}'.encode()
TWO = b'{"a": 1}\n{"b": 2}\n'


def raws(source: Source) -> list[bytes]:
    return [source.raw(i) for i in range(len(source))]


@pytest.mark.parametrize(
    ("data", "container", "expected", "lines"),
    [
        (TWO, "jsonl", [b'{"a": 1}', b'{"b": 2}'], [1, 2]),
        (b'{"a": 1}', "json", [b'{"a": 1}'], [1]),
        (b'{"a": 1}\n', "json", [b'{"a": 1}'], [1]),
        (b'\n\n  {"a": 1}\r\n\r\n{"b": 2}\r\n', "jsonl", [b'{"a": 1}', b'{"b": 2}'], [3, 5]),
        (b'\xef\xbb\xbf{"a": 1}\n{"b": 2}', "jsonl", [b'{"a": 1}', b'{"b": 2}'], [1, 2]),
        (b'{"a": 1}{"b": 2}\n{"c": 3}', "jsonl", [b'{"a": 1}', b'{"b": 2}', b'{"c": 3}'], [1, 1, 2]),
        (b'{"a": "}{"}\n{"b": "} {"}', "jsonl", [b'{"a": "}{"}', b'{"b": "} {"}'], [1, 2]),
        (b'{\n"a": 1\n}\n{\n"b": 2\n}', "jsonl", [b'{\n"a": 1\n}', b'{\n"b": 2\n}'], [1, 4]),
        (b'{\n  "a": [\n1]\n}\n', "json", [b'{\n  "a": [\n1]\n}'], [1]),
        (b"hello\nworld", "text", [b"hello\nworld"], [1]),
        (b"warning: x\n" + TWO, "jsonl", [b"warning: x", b'{"a": 1}', b'{"b": 2}'], [1, 2, 3]),
        (ODD_ENDS + b'\n{"b": 2}', "jsonl", [ODD_ENDS, b'{"b": 2}'], [1, 2]),
        (b'data: {"a": 1}\n\ndata: [DONE]\n', "sse", [b'{"a": 1}'], [1]),
        (b'event: x\ndata: {"a": 1}\n\n: ping\n\ndata: {"b": 2}', "sse", [b'{"a": 1}', b'{"b": 2}'], [2, 6]),
        (b'event: a\r\ndata: {"a": 1}\r\n\r\n{"b": 2}\r\n', "sse", [b'{"a": 1}', b'{"b": 2}'], [2, 4]),
    ],
)  # fmt: skip
def test_records_are_framed(data: bytes, container: str, expected: list[bytes], lines: list[int]) -> None:
    source = open_source(data)
    assert source.container == container
    assert raws(source) == expected
    assert [source.line(i) for i in range(len(source))] == lines


def test_an_event_of_several_lines_is_one_record_and_has_its_name() -> None:
    source = open_source(b'event: big\ndata: {"a":\ndata: 1}\n\ndata: {"b": 2}\n\n')
    assert [source.json(i) for i in range(2)] == [{"a": 1}, {"b": 2}]
    assert [source.event(i) for i in range(2)] == ["big", None]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read_and_given_back(encoding: str) -> None:
    bom = {"utf-16": b"", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[encoding]
    data = bom + '{"a": "é"}\n{"b": 2}'.encode(encoding)
    source = open_source(data)
    assert [source.json(i) for i in range(2)] == [{"a": "é"}, {"b": 2}]
    assert source.restore(bytes(source.body)) == data
    assert [note.kind for note in source.notes()] == ["encoding"]


def test_a_torn_last_record_leaves_the_others_alone() -> None:
    source = open_source(TWO + b'{"c": "unfin')
    assert [source.json(i) for i in range(2)] == [{"a": 1}, {"b": 2}]
    with pytest.raises(Broken, match="line 3: unterminated string"):
        source.json(2)
    assert source.text(2) == '{"c": "unfin'
    assert [(note.where, note.kind) for note in source.notes()] == [("line 3", "torn-record")]


def test_a_broken_record_in_the_middle_leaves_the_others_alone() -> None:
    source = open_source(b'{"a": 1}\n{"b": oops}\n{"c": 3}\n')
    assert [source.broken(i) is None for i in range(3)] == [True, False, True]
    assert [(note.where, note.kind) for note in source.notes()] == [("line 2", "broken-record")]


def test_a_broken_first_record_does_not_make_it_a_document() -> None:
    source = open_source(b'{"a": \n{"b": 2}\n{"c": 3}\n')
    assert source.container == "jsonl"
    assert len(source) == 3


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'[{"role": "a"}, {"role": "b", "content": "un', [{"role": "a"}, {"role": "b", "content": "un"}]),
        (b'[{"role": "a"}, {"role": @, "x": 1}, {"role": "c"}]', [{"role": "a"}, {}, {"role": "c"}]),
        (b'{"m": [{"r": 1}, {"r": [1, 2', {"m": [{"r": 1}, {"r": [1, 2]}]}),
        (b'{"m": "caf\\u00', {"m": "caf"}),
        (b"[@", []),
        (b"{", {}),
    ],
)
def test_a_broken_document_is_read_as_far_as_it_goes(data: bytes, expected: object) -> None:
    source = open_source(data)
    assert source.document == expected
    assert source.broken(0) is not None
    assert source.notes()[0].kind in ("torn-record", "broken-record")


def test_lone_surrogates_and_bad_bytes_become_replacement_characters_with_a_note() -> None:
    source = open_source(b'{"a": "\\ud83d x \\ud83d\\ude00"}\n{"a": "caf\xe9"}\n{"a": "\\\\ud83d"}\n')
    assert [source.json(i)["a"] for i in range(3)] == ["\ufffd x 😀", "caf\ufffd", "\\ud83d"]
    assert [(n.where, n.kind) for n in source.notes()] == [
        ("line 1", "lone-surrogate"),
        ("line 2", "not-utf-8"),
    ]
    assert source.exact(1).encode("utf-8", "surrogateescape") == source.raw(1)
    assert loads('"\\ude00"') == "\ufffd"


def test_numbers_keep_their_value() -> None:
    source = open_source(
        b'{"a": 123456789012345678901234567890, "b": NaN, "c": 1e400, "d": 18446744073709551615}'
    )
    assert source.document["a"] == 123456789012345678901234567890
    assert source.document["d"] == 18446744073709551615
    assert source.document["b"] != source.document["b"]


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [150, 250, 900, 100_000])
def test_deep_nesting_is_broken_and_no_crash(opening: str, depth: int) -> None:
    closing = "]" if opening == "[" else "1" + "}"
    text = opening * depth + (closing if opening == "[" else "1") + closing[-1] * (depth - (opening == "["))
    source = open_source(f'{{"a": 1}}\n{text}\n{{"b": 2}}'.encode())
    assert (source.broken(1) is None) == (depth == 150)
    assert source.json(2) == {"b": 2}
    open_source(text.encode()).document  # noqa: B018


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b" \r\n\t ", "nothing but blanks"),
        (b"\xef\xbb\xbf\n", "nothing but blanks"),
        (bytes(range(32)) * 20, "not text"),
    ],
)
def test_nothing_to_show_is_a_user_error(data: bytes, words: str) -> None:
    with pytest.raises(UserError, match=words):
        open_source(data, "x.json")


def test_paths_and_open_files(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(TWO)
    with path.open("rb") as file:
        opened = [
            open_source(path),
            open_source(str(path)),
            open_source(file),
            open_source(io.BytesIO(TWO), "a.jsonl"),
        ]
    assert [(source.name, raws(source)) for source in opened] == [("a.jsonl", [b'{"a": 1}', b'{"b": 2}'])] * 4
    with pytest.raises(UserError, match="cannot be read"):
        open_source(tmp_path / "none.json")
    with pytest.raises(UserError, match="folder"):
        open_source(tmp_path)


def test_the_limit_is_said_and_can_be_raised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(TWO)
    monkeypatch.setenv("TAPEDECK_MAX_BYTES", "10")
    for source in (TWO, path, io.BytesIO(TWO)):
        with pytest.raises(UserError, match=r"limit of 10 bytes.*TAPEDECK_MAX_BYTES"):
            open_source(source)
    monkeypatch.setenv("TAPEDECK_MAX_BYTES", "1_000")
    assert len(open_source(TWO)) == 2


def test_a_large_file_is_mapped_and_indexed_in_little_time_and_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    line = json.dumps({"role": "user", "content": "x" * 1000}).encode() + b"\n"
    path.write_bytes(line * 30_000)
    started = time.perf_counter()
    source = open_source(path)
    assert time.perf_counter() - started < 5
    assert not isinstance(source.data, bytes)
    assert len(source) == 30_000
    assert source.line(29_999) == 30_000
    assert source.raw(17) == line[:-1]


def test_a_line_of_ten_megabytes_is_one_record() -> None:
    text = "y" * 10_000_000
    source = open_source(b'{"a": 1}\n{"t": "' + text.encode() + b'"}\n')
    assert source.json(1) == {"t": text}


@given(st.binary(min_size=1, max_size=200))
def test_any_bytes_are_records_or_a_user_error(data: bytes) -> None:
    try:
        source = open_source(data)
    except UserError:
        return
    assert source.restore(bytes(source.body)) == data
    spans = [source.span(i) for i in range(len(source))]
    assert spans == sorted(spans)
    assert all(start < end for start, end in spans)
    for i in range(len(source)):
        source.broken(i)
        source.text(i)
    assert isinstance(source.notes(), tuple)


ENCODABLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(
    st.lists(st.dictionaries(ENCODABLE, ENCODABLE, max_size=3), min_size=2, max_size=6),
    st.sampled_from(["\n", "\r\n", "\n\n", "", " "]),
    st.booleans(),
)
def test_what_was_written_is_read(values: list[dict[str, str]], between: str, ascii: bool) -> None:
    text = between.join(json.dumps(value, ensure_ascii=ascii) for value in values)
    source = open_source(text.encode("utf-8"))
    read = [source.json(i) for i in range(len(source))]
    assert read == values


ONE: Final = {"title": 'a {"title": 1} \\" b', "n": 1, "nodes": [{"id": 1}, {"id": "x"}]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([ONE, ONE]),
        json.dumps([ONE, ONE], indent=1).replace('"title":', '"title" \t:'),
        json.dumps([{"id": i, "name": "x", "inner": [{"id": 7, "text": '{"id"'}]} for i in range(3)]),
        json.dumps([{"id": "a", "k": "b", "inner": [{"id": "a", "k": "c"}]}] * 2),
        json.dumps([{"id": {"id": 1}}, {"id": 2}]),
        json.dumps([{"a": 1}, {"b": 1}, 3, "{", []]),
        '[{"a": 1, "x": [{"a": 2}]}, {"\\u0061": 3}]',
        '[{"é": 1}, {"\\u00e9": {"é": 3}}]',
        '\ufeff\n [ {"a" : 1} \n, {"a":2}\n ] \n',
        '[{"a": 1, "a": 2}, {"a": {"b": 1}}]',
        '[{"": 1}, {"": 2}]',
    ],
)
def test_the_elements_of_an_array_are_records(text: str) -> None:
    """They hold what the array holds, each on its line."""
    source = Source(text.encode())
    found = elements(source)
    assert found is not None
    assert [json.loads(found.raw(i)) for i in range(len(found))] == source.document
    body = bytes(found.body)
    assert [found.line(i) for i in range(len(found))] == [
        body[: found.span(i)[0]].count(b"\n") + 1 for i in range(len(found))
    ]


@pytest.mark.parametrize("text", ['{"a": [1]}', "[]", '[{"a": 1}, {"a": 2', '[{"a": 1}, {"a": }]'])
def test_what_is_no_whole_array_has_no_elements(text: str) -> None:
    """Broken ones stay one record."""
    assert elements(Source(text.encode())) is None
