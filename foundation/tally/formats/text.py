"""From bytes to lines: UTF-8, UTF-16, UTF-32 or Windows-1252, line ends of every kind, a bit at a time."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from io import BytesIO, IncrementalNewlineDecoder
from itertools import chain
from typing import Protocol

from .file import BadFile, Limits

CHUNK_BYTES = 64 * 1024
MARKS = (  # longest first: that of UTF-32 begins as that of UTF-16 does
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

Lines = Iterator[tuple[int, str]]


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Text:
    """A file's text: its beginning, to recognise it by, and all of it, once."""

    def __init__(self, source: bytes | str | Stream, limits: Limits):
        self.limits = limits
        pieces = _decoded(_raw(source, limits))
        self.head = next(pieces, "")
        self._pieces = chain([self.head], pieces)

    def pieces(self) -> Iterator[str]:
        """The text in pieces that may end anywhere; line ends are \\n."""
        return self._pieces

    def lines(self) -> Lines:
        """The lines with their numbers, without their ends."""
        number, rest = 0, ""
        for piece in self._pieces:
            *whole, rest = (rest + piece).split("\n")
            for line in whole:
                number += 1
                yield number, self._bounded(number, line)
            self._bounded(number + 1, rest)
        if rest:
            yield number + 1, rest

    def _bounded(self, number: int, line: str) -> str:
        if len(line) > self.limits.line:
            raise BadFile(number, f"This line has more than {self.limits.line} characters.")
        return line


def _raw(source: bytes | str | Stream, limits: Limits) -> Iterator[bytes]:
    given = source.encode("utf-8", "replace") if isinstance(source, str) else source
    stream = BytesIO(given) if isinstance(given, bytes) else given
    size = 0
    while piece := _piece(stream):
        size += len(piece)
        if size > limits.bytes:
            raise BadFile(None, f"This file has more than {limits.bytes} bytes.")
        yield piece


def _piece(stream: Stream) -> bytes:
    """A whole piece, even of a stream that comes in drops: the first must show what kind of file it is."""
    piece = bytearray()
    while len(piece) < CHUNK_BYTES and (more := stream.read(CHUNK_BYTES - len(piece))):
        piece += more
    return bytes(piece)


def _decoded(raw: Iterator[bytes]) -> Iterator[str]:
    """The text with every line end as \\n; a file that is no text is refused where it stops being one."""
    first = next(raw, b"")
    newlines, line = IncrementalNewlineDecoder(None, translate=True), 1
    try:
        for piece in _decode(chain([first], raw), _encoding(first)):
            text = newlines.decode(piece)
            if "\0" in text:
                line += text[: text.index("\0")].count("\n")
                raise _NotText
            line += text.count("\n")
            yield text
    except _NotText:
        raise BadFile(line, "This is not plain text. If it is a spreadsheet, save it as CSV first.") from None
    if rest := newlines.decode("", final=True):
        yield rest


class _NotText(Exception):
    """Bytes that are no letters, after all text before them was handed on."""


def _decode(raw: Iterator[bytes], encoding: str) -> Iterator[str]:
    """Text that is not UTF-8 from its first odd letter on is what old Windows programs write."""
    decoder, undecided = codecs.getincrementaldecoder(encoding)(), encoding == "utf-8"
    for piece in raw:
        waiting = decoder.getstate()[0]
        try:
            text = decoder.decode(piece)
        except UnicodeDecodeError as error:
            if undecided and error.object[: error.start].isascii():
                yield from _decode(chain([waiting + piece], raw), "cp1252")
                return
            yield from _up_to(error, encoding)
        undecided = undecided and text.isascii() and not decoder.getstate()[0]
        yield text
    if decoder.getstate()[0]:
        raise _NotText  # it ends in the middle of a letter


def _up_to(error: UnicodeDecodeError, encoding: str) -> Iterator[str]:
    known = encoding if encoding == "cp1252" else error.encoding  # which calls this one by another name
    yield error.object[: error.start].decode(known, "ignore")
    raise _NotText


def _encoding(first: bytes) -> str:
    """What the file says of itself by its first bytes; else what its bytes look like."""
    for mark, encoding in MARKS:
        if first.startswith(mark):
            return encoding
    even, odd = first[0:4096:2].count(0), first[1:4096:2].count(0)
    if min(even, odd) * 10 < max(even, odd) and max(even, odd) * 8 > len(first[:4096]):
        return "utf-16-be" if even > odd else "utf-16-le"  # line ends and Latin letters have a NUL in the same half
    return "utf-8"


def without_blank(lines: Lines, comment: str | None = None) -> Lines:
    """The lines that say something, without white space around it; a comment starts a line with its mark."""
    for number, line in lines:
        text = line.strip()
        if text and not (comment and text.startswith(comment)):
            yield number, text
