"""Transcript formats: which one a file is in, reading it into sessions, and writing sessions again.

One file a format; ``FORMATS`` lists them in the order of detection.
"""

from tape.formats.detect import rank, sample_of
from tape.formats.reading import convert, dump, load, read
from tape.formats.registry import FORMATS, format_named, writable

__all__ = ["FORMATS", "convert", "dump", "format_named", "load", "rank", "read", "sample_of", "writable"]
