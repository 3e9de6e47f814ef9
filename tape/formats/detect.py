"""Which format a file is in: asks every format what it makes of a sample, and ranks the answers.

Goes by content alone. Between formats that are equally sure the order of the registry decides.
"""

from __future__ import annotations

from tape.formats.base import Format, Guess, Sample
from tape.formats.generic import NAME as GENERIC
from tape.formats.registry import FORMATS
from tape.records import Broken, Source

RECORDS = 400
FIRST = 300
CHARACTERS = 64_000
MARKER = 3


def sample_of(source: Source) -> Sample:
    """What detection may look at of a source: the document, of a list 400 items (the first 300, and some of
    all behind them), or the first 400 records that are JSON."""
    text = source.body[: 4 * CHARACTERS].decode("utf-8", "replace")[:CHARACTERS]
    if source.container == "json":
        document = source.document
        if isinstance(document, list) and len(document) > RECORDS:
            step = -(-(len(document) - FIRST) // (RECORDS - FIRST))
            document = document[:FIRST] + document[FIRST::step]
        return Sample("json", source.name, text, document, (document,))
    found = []
    for i in range(min(len(source), RECORDS)):
        try:
            found.append(source.json(i))
        except Broken:
            continue
    return Sample(source.container, source.name, text, None, tuple(found))


def rank(sample: Sample) -> list[tuple[Format, Guess]]:
    """The formats that the sample may be in, the surest first. Never empty: plain text always fits.

    Wrappers that nobody described are not looked for where a marker was found.
    """
    found: list[tuple[Format, Guess]] = []
    for one in FORMATS:
        if one.name == GENERIC and any(guess.score == MARKER for _, guess in found):
            continue
        if (guess := one.sniff(sample)) is not None:
            found.append((one, guess))
    return sorted(found, key=lambda pair: -pair[1].score)
