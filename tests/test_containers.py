"""Archives and compressed files: what is unpacked, what is refused and how, and packing them again."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import zstandard

import tape
from tape.archives import RATIO, Archive
from tape.containers import open_all
from tape.edits import from_json
from tape.errors import UserError

ARRAY = [{"role": "user", "content": "Is the kettle on?"}, {"role": "assistant", "content": "It is."}]
TEXT = json.dumps(ARRAY).encode()
WORDS = {"op": "replace", "target": "messages[1].content[0]", "value": "It is not."}
PACKERS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "gzip": (gzip.compress, gzip.decompress),
    "bzip2": (bz2.compress, bz2.decompress),
    "zstandard": (
        zstandard.ZstdCompressor().compress,
        lambda data: zstandard.ZstdDecompressor().decompress(data),
    ),
}
ONE_STREAM = pytest.mark.parametrize(("pack", "unpack"), PACKERS.values(), ids=PACKERS)


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return out.getvalue()


def zstandard_zip(name: str, data: bytes) -> bytes:
    """A zip with one member of method 93, which ``zipfile`` cannot make: its numbers are set by hand."""
    packed = zstandard.ZstdCompressor().compress(data)
    whole = bytearray(zipped({name: packed}, zipfile.ZIP_STORED))
    import struct
    import zlib

    central = whole.rindex(b"PK\x01\x02")
    for method, crc, size in ((8, 14, 22), (central + 10, central + 16, central + 24)):
        struct.pack_into("<H", whole, method, 93)
        struct.pack_into("<I", whole, crc, zlib.crc32(data))
        struct.pack_into("<I", whole, size, len(data))
    return bytes(whole)


def edited(data: bytes) -> bytes:
    return tape.dump(tape.apply(tape.load(data), from_json(WORDS))).data


@ONE_STREAM
def test_a_compressed_file_is_read_and_comes_back_as_it_was(pack: Any, unpack: Any) -> None:
    data = pack(TEXT)
    session = tape.load(data, name="talk.json.packed")
    assert [entry.text for entry in session.messages] == ["Is the kettle on?", "It is."]
    assert tape.dump(session).data == data


@ONE_STREAM
def test_an_edit_is_packed_the_same_way(pack: Any, unpack: Any) -> None:
    assert unpack(edited(pack(TEXT))) == TEXT.replace(b"It is.", b"It is not.")


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_a_torn_compressed_file_is_read_as_far_as_it_goes(pack: Callable[[bytes], bytes]) -> None:
    entries = ({"role": "user", "content": f"{i} {i * i * 7919}"} for i in range(30_000))
    data = pack(b"".join(json.dumps(entry).encode() + b"\n" for entry in entries))
    reading = tape.read(data[: len(data) * 2 // 3])
    assert len(reading.conversations[0].load().messages) > 1000
    # A frame of zstandard that just ends is no fault of its own: the torn last record tells.
    assert {"damaged-archive", "torn-record"} & {note.kind for note in reading.notes}


def test_a_compressed_file_without_a_whole_block_is_refused() -> None:
    with pytest.raises(UserError, match="cannot be unpacked"):
        tape.read(bz2.compress(TEXT)[:40])


def test_every_transcript_of_a_zip_is_a_conversation() -> None:
    data = zipped({"a.json": TEXT, "notes.md": b"# nothing", "b.json": TEXT, "cat.png": b"\x89PNG\r\n\x1a\n"})
    reading = tape.read(data, name="both.zip")
    assert [len(one.load().messages) for one in reading.conversations] == [2, 2]
    assert tape.dump(reading.conversations[1].load()).data == data


def test_an_edit_changes_its_member_and_copies_the_others() -> None:
    members = {"first.txt": b"kept " * 100, "talk/a.json": TEXT, "z.bin": bytes(range(256))}
    with zipfile.ZipFile(io.BytesIO(edited(zipped(members)))) as after:
        assert after.testzip() is None
        assert after.namelist() == list(members)
        assert after.read("talk/a.json") == TEXT.replace(b"It is.", b"It is not.")
        assert {n: after.read(n) for n in ("first.txt", "z.bin")} == {
            n: members[n] for n in ("first.txt", "z.bin")
        }


def test_zstandard_members_are_read_and_kept() -> None:
    data = zstandard_zip("talk.json", TEXT)
    assert tape.dump(tape.load(data)).data == data
    changed = edited(data)
    assert [entry.text for entry in tape.load(changed).messages] == ["Is the kettle on?", "It is not."]


@pytest.mark.parametrize("name", ["../out.json", "/etc/out.json", "a/../../out.json", "C:/out.json"])
def test_a_name_that_leaves_its_folder_is_left_out(name: str) -> None:
    reading = tape.read(zipped({name: TEXT, "good.json": TEXT}))
    assert len(reading.conversations) == 1
    assert [note.where for note in reading.notes if note.kind == "member-left-out"] == [name]


def test_a_member_that_unpacks_too_much_is_left_out() -> None:
    bomb = zipped({"bomb.json": b'{"a": "' + b"0" * 30_000_000 + b'"}'}, zipfile.ZIP_LZMA)
    assert len(bomb) * RATIO < 30_000_000
    with pytest.raises(UserError, match="unpacks to 30,000,009 bytes"):
        tape.read(bomb)


def test_a_compressed_file_that_unpacks_too_much_is_refused() -> None:
    with pytest.raises(UserError, match="unpacks to more"):
        tape.read(zstandard.ZstdCompressor().compress(b'["' + b" " * 40_000_000 + b'"]'))


def test_a_member_is_never_read_past_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAPEDECK_MAX_BYTES", "1000")
    with pytest.raises(UserError, match="unpacks to more than 4,000 bytes"):
        Archive(zipped({"a.json": json.dumps(list(range(2000))).encode()})).read("a.json")


@pytest.mark.parametrize("data", [b"PK\x03\x04 and then nothing of a zip", zipped({"a.png": b"\x89PNG"})])
def test_a_zip_with_nothing_in_it_says_so(data: bytes) -> None:
    with pytest.raises(UserError, match="zip file"):
        tape.read(data)


def test_archives_in_archives_end_somewhere() -> None:
    data = TEXT
    for _ in range(5):
        data = zipped({"inner.zip": data})
    with pytest.raises(UserError, match="too many deep"):
        tape.read(data)
    assert len(tape.load(gzip.compress(zipped({"inner.json": TEXT}))).messages) == 2


def test_an_edit_goes_through_every_layer() -> None:
    changed = edited(gzip.compress(zipped({"in/talk.json.gz": gzip.compress(TEXT)})))
    with zipfile.ZipFile(io.BytesIO(gzip.decompress(changed))) as after:
        assert gzip.decompress(after.read("in/talk.json.gz")) == TEXT.replace(b"It is.", b"It is not.")


@pytest.mark.parametrize(
    ("tables", "owner", "advice"),
    [
        (("ItemTable", "cursorDiskKV"), "Cursor", "agent-transcripts"),
        (("ItemTable",), "VS Code", "Chat: Export Chat"),
        (("session", "message", "part", "project"), "opencode", "opencode export"),
        (("session_v2", "session_message"), "opencode", "opencode export"),
        (("agent_sessions", "agent_messages"), "OpenAI Agents", "agent_messages"),
        (("sessions", "messages"), "Goose", "goose session export"),
        (("checkpoints", "writes"), "LangGraph", "messages_to_dict"),
        (("plants",), "tables plants", "Export the session"),
    ],
)
def test_a_database_is_named_with_how_to_export(
    tmp_path: Path, tables: tuple[str, ...], owner: str, advice: str
) -> None:
    path = tmp_path / "state.db"
    database = sqlite3.connect(path)
    for table in tables:
        database.execute(f"create table {table} (id text)")
    database.commit()
    database.close()
    with pytest.raises(UserError, match="SQLite database") as caught:
        open_all(path)
    assert owner in caught.value.what
    assert advice in caught.value.do
    assert caught.value.where == "state.db"


def test_rows_of_a_parquet_file_are_conversations(tmp_path: Path) -> None:
    rows = [
        {"messages": [*ARRAY, {"role": "user", "content": f"Number {i}", "name": "Ann"}], "id": i}
        for i in range(3)
    ]
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    reading = tape.read(path)
    assert len(reading.conversations) == 3
    session = reading.conversations[1].load()
    assert [entry.text for entry in session.messages] == ["Is the kettle on?", "It is.", "Number 1"]
    assert tape.dump(session).data == path.read_bytes()
    changed = tape.dump(tape.apply(session, from_json(WORDS))).data
    after = pyarrow.parquet.read_table(io.BytesIO(changed))
    assert after.schema == pyarrow.parquet.read_table(path).schema
    assert [row["messages"][1]["content"] for row in after.to_pylist()] == ["It is.", "It is not.", "It is."]


def test_a_damaged_parquet_file_says_so() -> None:
    with pytest.raises(UserError, match="Parquet file cannot be read"):
        tape.read(b"PAR1" + b"\x00" * 40)
