"""What a ballot file holds, what is refused, the box that rankings are counted in as it is read, and its lines."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO, IncrementalNewlineDecoder
from itertools import chain
from typing import Protocol

from ..ballots import BadBallot, Ballots, ranking_of, text_of

MAX_VOTES_PER_LINE = 10**12  # on one line; more is a slip of the hand, or mischief
MAX_SEATS = 10_000
VALUED = ("score", "points")  # kinds of ballot that give values; all others but rankings have marks
CACHE_CHARS = 32_000_000  # characters of lines already read, so that an equal line need not be read again


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a file is read before it is refused, so that no file can fill the memory or never end."""

    bytes: int = 1024**3
    line: int = 1_000_000  # characters
    candidates: int = 500
    name: int = 1_000  # characters
    rankings: int = 2_000_000  # distinct ones
    characters: int = 200_000_000  # of all distinct rankings together


class BadFile(ValueError):
    """A file that cannot be read as ballots: in which line, where there is one, and why."""

    def __init__(self, line: int | None, reason: str):
        super().__init__(reason if line is None else f"Line {line}: {reason}")
        self.line = line
        self.reason = reason


class NotRecognised(BadFile):
    """A file whose format cannot be detected."""


class CannotWrite(ValueError):
    """Ballots that a format cannot express."""


@dataclass(frozen=True, slots=True)
class File:
    """Ballots, and what else a file says of the election. None is what a file does not say."""

    ballots: Ballots
    seats: int | None = None
    title: str = ""
    unranked: str | None = None  # "below" or "no-opinion"
    kind: str | None = None  # of ballot, as foundation/tally/methods.py names it; ranked, if a file does not say
    withdrawn: tuple[str, ...] = ()  # named in the file, and left out of the ballots
    notes: tuple[str, ...] = ()  # what a reader should know: say, that a header does not add up
    format: str = field(default="", compare=False)


class Roster:
    """The candidates of a file, numbered as they appear."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self.numbers: dict[str, int] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.numbers)

    def add(self, typed: str, line: int | None) -> int:
        """A candidate named for the first time, and only once."""
        name = clean_name(typed, line, self.limits)
        if name in self.numbers:
            raise BadFile(line, f"“{excerpt(name)}” is named twice among the candidates.")
        if len(self.numbers) >= self.limits.candidates:
            raise BadFile(line, f"A file has at most {self.limits.candidates} candidates.")
        self.numbers[name] = len(self.numbers)
        return self.numbers[name]

    def number(self, typed: str, line: int | None) -> int:
        """A candidate's number; a new one's too, in a file that names its candidates on the ballots."""
        known = self.numbers.get(typed.strip())
        return self.add(typed, line) if known is None else known


class BallotCounter:
    """The ballot box: rankings are counted as they are read, and equal lines are read once."""

    def __init__(self, limits: Limits):
        self.limits, self.roster = limits, Roster(limits)
        self.counts: dict[str, int] = {}
        self.characters = 0
        self.read: dict[str, tuple[str, int]] = {}
        self.cached_chars = 0

    def count_repeated(self, text: str) -> bool:
        """Count a line that was read before, if it was."""
        known = self.read.get(text)
        if known is None:
            return False
        self.counts[known[0]] += known[1]
        return True

    def count_line(self, text: str, groups: Sequence[Sequence[int]], count: int, line: int) -> None:
        """Count what a line was parsed to, and remember it for equal lines."""
        self.cache_line(text, self.count_ranking(groups, count, line), count)

    def count_ranking(self, groups: Sequence[Sequence[int]], count: int, line: int | None) -> str:
        """Count a ranking, given as groups of equals, best first; returns it in canonical form."""
        return self.count_text(self.canonical(groups, line), count, line)

    def canonical(self, groups: Sequence[Sequence[int]], line: int | None) -> str:
        ranking = _strict_ranking(groups)
        if ranking is None:
            try:
                ranking = ranking_of(groups)
            except BadBallot:
                ((number, _times),) = Counter(number for group in groups for number in group).most_common(1)
                names = self.roster.names
                who = f"“{excerpt(names[number])}”" if number < len(names) else f"Candidate {number}"
                raise BadFile(line, f"{who} is ranked twice on a ballot.") from None
        return ranking

    def count_values(self, values: Mapping[int, int], kind: str, count: int, line: int | None) -> str:
        """Count what a ballot gives each candidate: a value, or 1 for a mark; returns it in canonical form."""
        ballot = text_of(values) if kind in VALUED else ranking_of([[each for each in values if values[each]]])
        return self.count_text(ballot, count, line)

    def count_text(self, ballot: str, count: int, line: int | None) -> str:
        if ballot not in self.counts:
            self.characters += len(ballot)
            if len(self.counts) >= self.limits.rankings:
                raise BadFile(line, f"A file has at most {self.limits.rankings} different rankings.")
            if self.characters > self.limits.characters:
                raise BadFile(line, "The rankings of this file are too many and too long to be counted together.")
            self.counts[ballot] = 0
        self.counts[ballot] += count
        return ballot

    def cache_line(self, text: str, ranking: str, count: int) -> None:
        """Cache what a line parsed to. The cache is cleared when full."""
        self.cached_chars += len(text) + 100
        if self.cached_chars > CACHE_CHARS:
            self.read.clear()
            self.cached_chars = len(text) + 100
        self.read[text] = (ranking, count)

    def ballots(self) -> Ballots:
        """Everything that was counted. There must be candidates."""
        if not self.roster.names:
            raise BadFile(None, "This file names no candidates.")
        return Ballots(self.roster.names, {ranking: count for ranking, count in self.counts.items() if count})


DIGITS = tuple(map(str, range(1000)))


def _strict_ranking(groups: Sequence[Sequence[int]]) -> str | None:
    """What `ranking_of` gives for a ballot without equals, as most are, in a third of the time; None for any other."""
    numbers = [group[0] for group in groups if len(group) == 1]
    if len(numbers) < len(groups) or len(set(numbers)) < len(numbers) or max(numbers, default=0) >= len(DIGITS):
        return None
    return ">".join([DIGITS[number] for number in numbers])


# --- words and numbers ---

LINE_ENDS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def clean_name(typed: str, line: int | None, limits: Limits) -> str:
    """A candidate's name without surrounding white space."""
    name = typed.strip()
    if not name:
        raise BadFile(line, "A candidate has no name.")
    if len(name) > limits.name:
        raise BadFile(line, f"A candidate's name has more than {limits.name} characters.")
    if has_unwritable(name):
        raise BadFile(line, f"The name “{excerpt(name)}” has a control character.")
    return name


def has_unwritable(name: str) -> bool:
    """Control characters (they could play tricks with a terminal), and halves of characters."""
    return not name.isprintable() and any(unicodedata.category(each) in ("Cc", "Cs") for each in name)


def clean_title(typed: str) -> str:
    """A title on one line, not endlessly long."""
    text = "".join("�" if unicodedata.category(each) == "Cs" else each for each in typed[:1000])
    return LINE_ENDS.sub(" ", text).strip()


def excerpt(text: str) -> str:
    """The input, short and harmless enough to be quoted in a sentence."""
    safe = "".join("�" if unicodedata.category(each) in ("Cc", "Cs") else each for each in text[:61])
    return safe if len(text) <= 60 else f"{safe[:60]}…"


def parse_whole_number(typed: str, line: int | None, what: str, most: int = MAX_VOTES_PER_LINE, least: int = 0) -> int:
    """A whole number as text, such as a count of ballots."""
    digits = typed.strip()
    if not (digits.isascii() and digits.isdigit()):
        raise BadFile(line, f"“{excerpt(digits)}” is not {what}, which is a whole number.")
    number = int(digits) if len(digits) <= 100 else most + 1
    return check_range(number, line, what, most, least)


def check_range(number: int, line: int | None, what: str, most: int = MAX_VOTES_PER_LINE, least: int = 0) -> int:
    if number > most:
        raise BadFile(line, f"This is too large for {what}: at most {most}.")
    if number < least:
        raise BadFile(line, f"{number} is too small for {what}: at least {least}.")
    return number


def seats_of(typed: str, line: int | None) -> int:
    return parse_whole_number(typed, line, "a number of seats", MAX_SEATS, 1)


# --- Writing ---


def by_count(ballots: Ballots) -> Iterator[tuple[str, int]]:
    """The most frequent rankings first. Never in the order they were cast, which might reveal who cast them."""
    yield from sorted(
        ((ranking, n) for ranking, n in ballots.counts.items() if n), key=lambda each: (-each[1], each[0])
    )


def refuse_odd_names(names: Iterable[str]) -> None:
    for name in names:
        if not name or name != name.strip() or has_unwritable(name):
            raise CannotWrite(
                f"The name “{excerpt(name)}” cannot be written to a file: "
                "a name has no control characters, and no white space around it."
            )


def refuse_signs(names: Iterable[str], signs: Iterable[str], format: str) -> None:
    """Refuse names with what the format needs for itself."""
    for name in names:
        for sign in signs:
            if sign in name:
                raise CannotWrite(f"The format {format} has no way to write “{sign}” in a name: “{excerpt(name)}”.")


# --- from bytes to lines: UTF-8, UTF-16, UTF-32 or Windows-1252, line ends of every kind, a bit at a time ---


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
    size, piece = 0, bytearray()  # whole pieces, even of a stream that comes in drops: the first shows the kind of file
    while more := stream.read(CHUNK_BYTES - len(piece)):
        piece += more
        size += len(more)
        if size > limits.bytes:
            raise BadFile(None, f"This file has more than {limits.bytes} bytes.")
        if len(piece) >= CHUNK_BYTES:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


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
            known = encoding if encoding == "cp1252" else error.encoding  # which calls this one by another name
            yield error.object[: error.start].decode(known, "ignore")
            raise _NotText from None
        undecided = undecided and text.isascii() and not decoder.getstate()[0]
        yield text
    if decoder.getstate()[0]:
        raise _NotText  # it ends in the middle of a letter


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
