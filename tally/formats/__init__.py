"""Ballot files: every format is a module that reads text into a `File` and writes one as text.

`read(source, format, name)` takes bytes, text or a stream and recognises the format by the name's ending, else by the
first lines. `write(file, format)` hands out bytes piece by piece, and refuses with a sentence what a format cannot
express.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from . import abif, blt, csv_file, cvotes, json_file, plain, preflib
from .file import BadFile, CannotWrite, File, Limits, NotRecognised, refuse_odd_names
from .recognise import recognise
from .text import Stream, Text

__all__ = ["FORMATS", "WRITERS", "BadFile", "CannotWrite", "File", "Limits", "NotRecognised", "read", "write"]

MODULES = {
    "csv": csv_file,
    "json": json_file,
    "blt": blt,
    "abif": abif,
    "cvotes": cvotes,
    "preflib": preflib,
    "plain": plain,
}
READERS: Mapping[str, Callable[[Text, Limits], File]] = {
    format: module.read for format, module in MODULES.items()
} | dict.fromkeys(preflib.TYPES, preflib.read)
WRITERS: Mapping[str, Callable[[File], Iterator[str]]] = {
    format: module.write for format, module in MODULES.items()
} | {type: partial(preflib.write, type=type) for type in preflib.TYPES}

FORMATS = tuple(READERS)
BATCH_LINES = 1000  # lines that are handed out together


def read(
    source: bytes | str | Stream, format: str | None = None, name: str = "", *, limits: Limits | None = None
) -> File:
    """The ballots of a file. They are counted as they are read: memory grows with different rankings only."""
    bounds = limits or Limits()
    text = Text(source, bounds)
    chosen = format or recognise(name, text.head)
    if chosen not in READERS:
        raise BadFile(None, f"The format is one of {', '.join(FORMATS)}, not {chosen}.")
    return replace(READERS[chosen](text, bounds), format=chosen)


def write(file: File, format: str) -> Iterator[bytes]:
    """The file in a format. What cannot be written is refused before anything is."""
    if format not in WRITERS:
        raise CannotWrite(f"The format is one of {', '.join(WRITERS)}, not {format}.")
    refuse_odd_names(file.ballots.candidates)
    pieces = WRITERS[format](file)
    pieces = chain([next(pieces)], pieces)
    return iter(lambda: "".join(islice(pieces, BATCH_LINES)).encode(), b"")


PUBLIC = "file plain text"
