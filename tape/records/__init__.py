"""The bytes of one file and where its JSON records are.

``open_source`` gives a ``Source``. What a record means is the business of the formats; unpacking archives is
that of ``tape.containers``.
"""

from tape.records.decoding import loads
from tape.records.made import Made, line_of
from tape.records.opening import LIMIT_BYTES, LIMIT_PATH, check_size, limit, open_source, read_bytes
from tape.records.source import Broken, Outer, Source

__all__ = [
    "LIMIT_BYTES",
    "LIMIT_PATH",
    "Broken",
    "Made",
    "Outer",
    "Source",
    "check_size",
    "limit",
    "line_of",
    "loads",
    "open_source",
    "read_bytes",
]
