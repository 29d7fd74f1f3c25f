"""Files that mean no good, or came to harm: they are refused with a sentence, soon, and without filling the memory."""

from __future__ import annotations

import json
import time
import tracemalloc
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.tally.ballots import Ballots
from foundation.tally.formats import BadFile, File, Limits, read, write
from foundation.tally.majorities import ABSTAIN, NO, YES
from foundation.tally.methods import KINDS as METHODS_OF
from foundation.tally.methods import count
from tests.rows import every_row

FORMATS = ("csv", "json", "blt", "abif", "cvotes", "preflib", "plain")
BALLOTS = Ballots(("Ada", "Bo-1", "Zoë"), {"0>1=2": 31, "2": 4, "": 2, "1>0": 1})
SMALL = Limits(bytes=100_000, line=500, candidates=10, name=50, rankings=20, characters=2_000)


class Endless:
    """A stream that begins somehow and then repeats itself, so many times."""

    def __init__(self, beginning: bytes, repeated: bytes, times: int):
        self.waiting, self.repeated, self.times = beginning, repeated, times

    def read(self, size: int, /) -> bytes:
        while len(self.waiting) < size and self.times:
            some = min(self.times, size // len(self.repeated) + 1)
            self.waiting += self.repeated * some
            self.times -= some
        piece, self.waiting = self.waiting[:size], self.waiting[size:]
        return piece


def refusal(source, format: str | None = None, limits: Limits | None = None) -> str:
    with pytest.raises(BadFile) as refused:
        read(source, format, limits=limits)
    return str(refused.value)


# --- anything at all is either ballots or a sentence ---


def assert_ballots_or_sentence(raw: bytes, format: str | None, kind: str | None = None) -> None:
    try:
        file = read(raw, format, limits=SMALL, kind=kind)
    except BadFile as refused:
        sentence = str(refused)
        assert sentence.endswith("."), sentence
        assert len(sentence) < 400
        assert not any(unicodedata.category(letter) == "Cc" for letter in sentence)
    else:
        assert file.ballots.candidates
        assert file.ballots.digest
        for name in file.ballots.candidates:
            assert name == name.strip() != ""
        assert kind in (None, file.kind)
        for method in METHODS_OF[file.kind or "ranked"]:
            assert count(file.ballots, method, seats=file.seats or 1).total == file.ballots.total


KIND = st.sampled_from([None, *METHODS_OF])


@pytest.mark.few(3)
@pytest.mark.parametrize("format", [*FORMATS, None])
@settings(max_examples=30, deadline=None)
@given(raw=st.binary(max_size=200), kind=KIND)
def test_any_bytes_are_ballots_or_a_sentence(format, raw, kind):
    assert_ballots_or_sentence(raw, format, kind)


SIGNS = st.text(st.sampled_from("0123 :;,>=\"'[]{}()#/*^|-\n\\aAé\t"), max_size=60)


@pytest.mark.deep
@pytest.mark.parametrize("format", [*FORMATS, None])
@settings(max_examples=40, deadline=None)
@given(text=SIGNS, kind=KIND)
def test_any_signs_are_ballots_or_a_sentence(format, text, kind):
    assert_ballots_or_sentence(text.encode(), format, kind)


@pytest.mark.few(3)
@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=25, deadline=None)
@given(where=st.floats(0, 1), cut=st.integers(0, 6), put=SIGNS.map(lambda text: text[:4]))
def test_a_damaged_file_is_ballots_or_a_sentence(format, where, cut, put):
    whole = b"".join(write(File(BALLOTS), format))
    place = int(where * len(whole))
    assert_ballots_or_sentence(whole[:place] + put.encode() + whole[place + cut :], format)


MARKED = {  # ballots of each kind
    "yes-no": Ballots((YES, NO, ABSTAIN), {"0": 61, "1": 20, "": 4}),
    "choose": Ballots(BALLOTS.candidates, {"0=1": 31, "2": 4, "": 2}),
    "approval": Ballots(BALLOTS.candidates, {"0=1=2": 31, "2": 4, "": 2}),
    "score": Ballots(BALLOTS.candidates, {"0=1@5>2@3": 31, "2@1": 4, "": 2}),
    "points": Ballots(BALLOTS.candidates, {"0@7>2@3": 31, "2@10": 4, "": 2}),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("format", ["csv", "json", "abif", "cat"])
@settings(max_examples=25, deadline=None)
@given(where=st.floats(0, 1), cut=st.integers(0, 6), put=SIGNS.map(lambda text: text[:4]), data=st.data())
@every_row("kind", MARKED)
def test_a_damaged_file_of_marks_is_ballots_or_a_sentence(format, kind, where, cut, put, data):
    if format == "cat" and kind in ("yes-no", "points"):
        return  # it cannot hold them
    whole = b"".join(write(File(MARKED[kind], kind=kind), format))
    place, asked = int(where * len(whole)), data.draw(st.sampled_from([None, kind]))
    assert_ballots_or_sentence(whole[:place] + put.encode() + whole[place + cut :], format, asked)


RECORD = json.dumps(
    {
        "@type": "CVR.CastVoteRecordReport",
        "Election": [
            {
                "Candidate": [{"@id": "c1", "Name": "Ada"}, {"@id": "c2", "Name": "Bo"}],
                "Contest": [
                    {
                        "@id": "m",
                        "VoteVariation": "approval",
                        "ContestSelection": [{"@id": f"s{n}", "CandidateIds": [f"c{n}"]} for n in (1, 2)],
                    }
                ],
            }
        ],
        "CVR": [
            {
                "CurrentSnapshotId": "x",
                "CVRSnapshot": [
                    {
                        "@id": "x",
                        "CVRContest": [
                            {
                                "ContestId": "m",
                                "CVRContestSelection": [
                                    {
                                        "ContestSelectionId": "s1",
                                        "SelectionPosition": [{"HasIndication": "yes", "NumberVotes": 1, "Rank": 1}],
                                    }
                                ],
                            }
                        ],
                    }
                ],
            }
        ],
    }
)


@pytest.mark.deep
@settings(max_examples=150, deadline=None)
@given(where=st.floats(0, 1), cut=st.integers(0, 6), put=SIGNS.map(lambda text: text[:4]), kind=KIND)
def test_a_damaged_record_of_votes_is_ballots_or_a_sentence(where, cut, put, kind):
    place = int(where * len(RECORD))
    assert_ballots_or_sentence(f"{RECORD[:place]}{put}{RECORD[place + cut :]}".encode(), "json", kind)


def walk(value, path=()):
    """Every place in a record."""
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from walk(part, (*path, key))


@pytest.mark.parametrize("odd", [None, True, 5, -1, "x", [], {}, [[]], {"@id": 1}, 10**30])
def test_a_record_with_an_odd_part_is_ballots_or_a_sentence(odd):
    for path in walk(json.loads(RECORD)):
        record = part = {"root": json.loads(RECORD)}
        for key in ("root", *path)[:-1]:
            part = part[key]
        part[("root", *path)[-1]] = odd
        assert_ballots_or_sentence(json.dumps(record["root"]).encode(), "json")


@pytest.mark.parametrize("format", ["json", "blt"])
def test_a_file_that_was_cut_off_is_refused(format):
    whole = b"".join(write(File(BALLOTS, title="T"), format)).rstrip()
    for end in range(len(whole) - (4 if format == "blt" else 0)):  # the title at the end of a BLT may be missing
        with pytest.raises(BadFile):
            read(whole[:end], format)


def test_a_preflib_file_that_was_cut_off_has_a_note():
    whole = b"".join(write(File(BALLOTS), "toi"))
    assert read(whole[: whole.rindex(b"\n", 0, -1) + 1], "toi").notes


# --- limits ---


@pytest.mark.few(3)
@pytest.mark.parametrize("format", FORMATS)
def test_a_file_that_never_ends_is_refused(format):
    assert "more than 100000 bytes" in refusal(Endless(b"", b"\n", 10**9), format, SMALL)


@every_row("format", [*FORMATS, None])
def test_a_line_that_never_ends_is_refused(format):
    beginning = b'{"candidates": ["' if format == "json" else b"1: "
    words = refusal(Endless(beginning, b"ab", 10**9), format, Limits(line=100_000))
    assert "more than 100000 characters" in words


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("csv", ",".join(f"n{number}" for number in range(11))),
        ("json", '{"candidates": [' + ",".join(f'"n{number}"' for number in range(11)) + "]}"),
        ("blt", "11 1\n"),
        ("abif", "1: " + ">".join(f"n{number}" for number in range(11))),
        ("cvotes", "#/Candidates: " + ";".join(f"n{number}" for number in range(11))),
        ("preflib", "\n".join(f"# ALTERNATIVE NAME {number}: n{number}" for number in range(11))),
        ("plain", "\n".join(f"1: n{number}" for number in range(11))),
    ],
)
def test_too_many_candidates_are_refused(format, text):
    assert "at most 10" in refusal(text, format, SMALL)


def test_an_old_preflib_file_may_not_announce_too_many_candidates():
    assert "too large for a number of candidates" in refusal("11\n1,A\n", "preflib", SMALL)


@pytest.mark.parametrize("format", ["csv", "json", "abif", "cvotes", "toi", "plain", "blt"])
def test_too_many_different_rankings_are_refused(format):
    names = tuple("ABCDE")
    rankings = {f"{a}>{b}": 1 for a in range(5) for b in range(5) if a != b} | {"0": 1, "1": 1}
    written = b"".join(write(File(Ballots(names, rankings)), format))
    assert "A file has at most 20 different rankings." in refusal(written, format, SMALL)


def test_rankings_that_are_too_long_together_are_refused():
    names = [f"n{number}" for number in range(10)]
    rankings = [names[start:] + names[:start] for start in range(10)]
    text = "\n".join(f"1: {' > '.join(ranking)}" for ranking in rankings)
    few = Limits(rankings=20, characters=100)
    assert "too many and too long" in refusal(text, "plain", few)


def test_a_name_that_is_too_long_is_refused():
    assert refusal(f"1: {'x' * 51}", "plain", SMALL) == "Line 1: A candidate's name has more than 50 characters."


@every_row("digits", ["9" * 20, "9" * 100_000])
@every_row(
    ("format", "text"),
    [
        ("csv", "count,A\n%s,1"),
        ("json", '{"candidates": ["A"], "ballots": [{"ranking": [[0]], "count": %s}]}'),
        ("json", '{"candidates": ["A"], "ballots": [{"ranking": "%s"}]}'),
        ("blt", "1 1\n%s 1 0"),
        ("blt", "%s 1"),
        ("abif", "%s: A"),
        ("cvotes", "A * %s"),
        ("preflib", "# ALTERNATIVE NAME 1: A\n%s: 1"),
        ("preflib", "# ALTERNATIVE NAME 1: A\n1: %s"),
        ("plain", "%s: A"),
    ],
)
def test_enormous_numbers_are_refused(format, text, digits):
    assert refusal(text % digits, format)


# --- time and memory ---

LONG_CHARS = 100_000
BOMBS = [
    ("json", "[" * LONG_CHARS),
    ("json", '{"a":' * LONG_CHARS),
    ("json", '{"rules": ' + "[" * LONG_CHARS + "]" * LONG_CHARS + "}"),
    ("json", '{"x": ' + "[" * LONG_CHARS + "]" * LONG_CHARS + "}"),
    ("json", '{"candidates": ["' + "\\" * LONG_CHARS),
    ("json", "{" + " " * LONG_CHARS),
    ("json", '{"ballots": [{' + '"a":' * LONG_CHARS),
    ("abif", "{" + " " * LONG_CHARS + "x"),
    ("abif", "{" + "[" * LONG_CHARS),
    ("abif", "a" + " " * LONG_CHARS + '"'),
    ("abif", "=" + "a " * LONG_CHARS),
    ("abif", "1: " + "a" + " " * LONG_CHARS + "!"),
    ("abif", '1: "' + "\\a" * LONG_CHARS),
    ("preflib", "#" + " " * LONG_CHARS + "x\n1: 1"),
    ("preflib", "# ALTERNATIVE NAME 1: A\n1: {" + "1," * LONG_CHARS),
    ("cvotes", "#/" + " " * LONG_CHARS + "x"),
    ("cvotes", "A " + "* 1 " * LONG_CHARS),
    ("cvotes", "A ^" + " " * LONG_CHARS + "x"),
    ("blt", "(" * LONG_CHARS),
    ("blt", '2 1\n1 1 0\n0\n"' + " " * LONG_CHARS),
    ("blt", "1 1\n" + "/*" * LONG_CHARS),
    ("plain", '1: "' + '""' * LONG_CHARS + "x"),
    ("plain", "1: " + ">" * LONG_CHARS),
    ("plain", "1: " + " " * LONG_CHARS + ">"),
    ("csv", '"' * (LONG_CHARS + 1)),
    ("csv", "," * LONG_CHARS + "\n1"),
    ("csv", "'" * LONG_CHARS + "\n1"),
]


@pytest.mark.deep
@pytest.mark.parametrize(("format", "text"), BOMBS)
@pytest.mark.parametrize("named", [True, False])
def test_a_file_made_to_take_forever_does_not(format, text, named):
    begin = time.process_time()
    assert len(refusal(text, format if named else None)) < 400
    assert time.process_time() - begin < 3


@pytest.mark.deep
@pytest.mark.parametrize(
    ("format", "beginning", "repeated"),
    [
        ("csv", b"count,A,B\n", b"1,1,2\n1,,1\n"),
        ("json", b'{"candidates":["A","B"],"ballots":[{"ranking":[0]}', b',{"ranking":[[0],[1]]},{"ranking":[[1]]}'),
        ("blt", b"2 1\n", b"1 1 2 0\n(b) 1 2 0\n"),
        ("abif", b"", b"1: A>B\n1: B\n"),
        ("cvotes", b"", b"A > B\ntag || B\n"),
        ("preflib", b"# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n", b"1: 1,2\n1: 2\n"),
        ("plain", b"", b"A > B\n2: B\n"),
    ],
)
def test_memory_grows_with_different_rankings_not_with_ballots(format, beginning, repeated):
    ending = {"json": b"]}", "blt": b'0\n"A"\n"B"\n'}.get(format, b"")
    tracemalloc.start()
    try:
        file = read(Chained(Endless(beginning, repeated, 20_000), ending), format)
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert file.ballots.total >= 40_000
    assert len(file.ballots.counts) <= 3
    assert peak < 3_000_000


class Chained:
    """A stream, and then some more."""

    def __init__(self, first: Endless, rest: bytes):
        self.first, self.rest = first, rest

    def read(self, size: int, /) -> bytes:
        if piece := self.first.read(size):
            return piece
        piece, self.rest = self.rest, b""
        return piece


# --- what is no text ---


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"1: A\n2: B\0\n", 2),
        (b"PK\x03\x04\0\0\0\0", 1),
        ("1: Zoë\n2: ".encode() + b"\xe9\n", 2),
        (b"1: A\n2: \x81\n", 2),
        ("1: A\r2: Zoë\r3: ".encode() + b"\xff\r", 3),
        (b"\xff\xfe" + "1: A\n2: B".encode("utf-16-le") + b"\x00\xd8", 2),
    ],
)
def test_what_is_no_text_is_refused_where_it_stops_being_one(raw, line):
    words = "This is not plain text. If it is a spreadsheet, save it as CSV first."
    assert refusal(raw, "plain") == f"Line {line}: {words}"
