"""Parquet files as lines of JSON, one a row, and back under the same schema.

Columns that a row does not have are left out: Parquet writes every key of a nested value as null.
"""

from __future__ import annotations

import io
import json
from typing import Any, Final

from tape.errors import UserError
from tape.model import Json
from tape.notes import Note
from tape.records import LIMIT_BYTES, Outer, limit
from tape.records.framing import Buffer

MAGIC: Final = b"PAR1"


class Rows:
    """A Parquet file. Raises ``UserError`` where it is damaged, too large, or pyarrow is not installed."""

    def __init__(self, data: Buffer, name: str = "", *, outer: Outer | None = None, member: str = "") -> None:
        self.data, self.name, self.outer, self.member = data, name, outer, member
        self.notes: list[Note] = []
        try:
            import pyarrow
            import pyarrow.parquet as parquet
        except ImportError:
            raise UserError(
                "Parquet files are read with pyarrow, which is not installed.",
                where=name,
                do="Run pip install pyarrow, or write the rows as JSONL.",
            ) from None
        try:
            file = parquet.ParquetFile(io.BytesIO(data))
            groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
            if sum(group.total_byte_size for group in groups) > limit(LIMIT_BYTES) * 2:
                raise UserError(
                    f"The rows are larger than {limit(LIMIT_BYTES) * 2:,} bytes.",
                    where=name,
                    do="Write some of the rows as JSONL and open that.",
                )
            self._table: Any = file.read()
        except (OSError, ValueError, pyarrow.ArrowException) as fault:
            text = str(fault).splitlines()[0][:200] if str(fault) else type(fault).__name__
            raise UserError(
                f"The Parquet file cannot be read ({text}).", where=name, do="Get it again."
            ) from None

    def lines(self) -> bytes:
        """The rows as JSONL."""
        return b"".join(_line(row) + b"\n" for row in self._table.to_pylist())

    def replaced(self, member: str, data: bytes) -> bytes:
        """New rows (JSONL) as a Parquet file of the same schema; a row that did not change keeps its values,
        whatever their types are."""
        import pyarrow
        import pyarrow.parquet as parquet

        known = {_line(row): row for row in self._table.to_pylist()}
        rows = [known.get(line) or json.loads(line) for line in data.split(b"\n") if line.strip()]
        out = io.BytesIO()
        parquet.write_table(pyarrow.Table.from_pylist(rows, schema=self._table.schema), out)
        return out.getvalue()


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(_present(row), ensure_ascii=False, default=_plain).encode("utf-8", "replace")


def _present(value: Json) -> Json:
    """The value without members that are null."""
    if isinstance(value, dict):
        return {key: _present(inner) for key, inner in value.items() if inner is not None}
    return [_present(inner) for inner in value] if isinstance(value, list) else value


def _plain(value: object) -> str:
    return f"({len(value)} bytes)" if isinstance(value, bytes) else str(value)
