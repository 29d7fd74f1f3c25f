"""Ballot files: what is written is read again, every dialect we know is understood, and mistakes are named by line."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO, StringIO

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foundation.tally.ballots import Ballots, groups_of, ranking_of
from foundation.tally.formats import FORMATS, WRITERS, BadFile, CannotWrite, File, read, write
from foundation.tally.formats.cvotes import SIGNS
from foundation.tally.methods import KINDS
from tests.rows import every_row

from .examples import random_marks
from .published import cases

FREE = ("csv", "json", "abif", "toi", "preflib", "plain")  # these hold any name and any ranking
FORBIDDEN = {"blt": '"', "cvotes": "".join(SIGNS)}


def text_of(file: File, format: str) -> str:
    return b"".join(write(file, format)).decode()


def counts(text: str | bytes, format: str | None = None) -> dict[str, int]:
    """The ballots of a small file, with names in place of numbers."""
    return named(read(text, format).ballots)


def named(ballots: Ballots) -> dict[str, int]:
    def name(number: str) -> str:
        return ballots.candidates[int(number)]

    def words(ranking: str) -> str:
        return ">".join("=".join(sorted(map(name, group.split("=")))) for group in ranking.split(">") if group)

    return {words(ranking): count for ranking, count in ballots.counts.items()}


# --- written and read again ---

ODD = "\"'>=#,;:/*^|[]{}()<-+@&\\ %019aAé\U0001f600\u05e9\u05dc\u200f\u0645\u0631"


def names(without: str = "") -> st.SearchStrategy[str]:
    letters = st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cc", "Cs"]))
    return st.text(letters, min_size=1, max_size=12).map(
        lambda text: "".join(each for each in text if each not in without).strip() or "x"
    )


@st.composite
def elections(draw: st.DrawFn, without: str = "", ties: bool = True) -> Ballots:
    candidates = draw(st.lists(names(without), min_size=1, max_size=5, unique=True))
    rankings = {}
    for _each in range(draw(st.integers(0, 5))):
        order = draw(st.permutations(range(len(candidates))))[: draw(st.integers(0, len(candidates)))]
        groups: list[list[int]] = []
        for number in order:
            if groups and ties and draw(st.booleans()):
                groups[-1].append(number)
            else:
                groups.append([number])
        rankings[ranking_of(groups)] = draw(st.integers(1, 10**9))
    return Ballots(tuple(candidates), rankings)


def assert_read_again(ballots: Ballots, format: str) -> None:
    written = b"".join(write(File(ballots), format))
    for asked in (format, None):
        again = read(written, asked)
        assert again.ballots.candidates == ballots.candidates
        assert again.ballots.normal == ballots.normal, again.format


@pytest.mark.parametrize("format", FREE)
@settings(max_examples=15, deadline=None)
@given(ballots=elections())
@example(ballots=Ballots(("count", "rank 1", "'count", "id", "=1+1", "'=2"), {"0>1=2": 3, "": 2}))
@example(ballots=Ballots(("rank 1", "rank 2"), {"1>0": 1}))
@example(ballots=Ballots(("a;b;c;d",), {"0": 1}))
@example(ballots=Ballots(('"A" B', '"', "[x]", "24/7", "5: A", "{}", "a;b;c;d"), {"0>1>2=3>4>5": 7}))
@example(ballots=Ballots(("c1", "c 1", "c1_", "ABIF", "c2"), {"1>0": 1, "2": 3}))
@example(ballots=Ballots(("#/Candidates: x", "# y", "/EMPTY_RANKING/", "||"), {"0>1>2>3": 1}))
def test_what_is_written_is_read_again(format, ballots):
    assert_read_again(ballots, format)


def test_names_that_look_like_another_format_are_still_names():
    assert_read_again(Ballots(("=[", "0,1", "a,[b]", "x/5"), {"0>1=2": 2, "3": 1}), "plain")


@pytest.mark.parametrize("format", FORBIDDEN)
@settings(max_examples=15, deadline=None)
@given(choice=st.data())
def test_what_is_written_is_read_again_with_names_the_format_can_hold(format, choice):
    assert_read_again(choice.draw(elections(without=FORBIDDEN[format])), format)


@settings(max_examples=15, deadline=None)
@given(ballots=elections(ties=False))
def test_strict_orders_are_read_again(ballots):
    assert_read_again(ballots, "soi")


@settings(max_examples=15, deadline=None)
@given(names=st.lists(names(), min_size=1, max_size=5, unique=True), count=st.integers(1, 9))
def test_complete_orders_are_read_again(names, count):
    strict = ranking_of([number] for number in range(len(names)))
    tied = ranking_of([range(len(names))])
    assert_read_again(Ballots(tuple(names), {strict: count}), "soc")
    assert_read_again(Ballots(tuple(names), {strict: count, tied: 2}), "toc")


@pytest.mark.parametrize("format", ["json", "abif", "blt", "toi"])
def test_a_title_is_read_again(format):
    file = File(Ballots(("A", "B"), {"0>1": 3}), title="Choir, “2027” #1")
    assert read(b"".join(write(file, format))).title == file.title


@pytest.mark.parametrize("format", ["json", "abif", "blt", "cvotes"])
def test_seats_are_read_again(format):
    file = File(Ballots(("A", "B", "C"), {"0>1": 3}), seats=2)
    assert read(b"".join(write(file, format))).seats == 2


@pytest.mark.parametrize("format", ["json", "abif", "cvotes"])
@pytest.mark.parametrize("rule", ["below", "no-opinion"])
def test_the_rule_for_the_unranked_is_read_again(format, rule):
    file = File(Ballots(("A", "B"), {"0>1": 3}), unranked=rule)
    assert read(b"".join(write(file, format))).unranked == rule


def test_ballots_are_never_written_in_the_order_they_were_cast():
    cast = Ballots(("A", "B"), {"1>0": 1, "0": 1, "0>1": 5})
    other = Ballots(("A", "B"), {"0>1": 5, "0": 1, "1>0": 1})
    for format in ("csv", "json", "abif", "blt", "cvotes", "toi", "plain"):
        assert text_of(File(cast), format) == text_of(File(other), format)


@pytest.mark.few(12)
@pytest.mark.parametrize("case", cases(lambda case: True))
def test_published_elections_are_read_written_and_read_again(case):
    ballots = [{"ranking": groups_of(ranking), "count": count} for ranking, count in case.ballots.counts.items()]
    stored = {"candidates": case.candidates, "method": case.method, "seats": case.seats, "ballots": ballots}
    file = read(json.dumps(stored).encode(), name=f"{case.name}.json")
    assert file.ballots.digest == case.ballots.digest
    written = dict(able_formats(file))
    assert {*FREE} - {"preflib"} <= written.keys()
    for format, text in written.items():
        again = read(text, format).ballots
        assert (again.candidates, again.counts) == (file.ballots.candidates, file.ballots.counts)
    assert again.digest == file.ballots.digest  # and so of all: the same candidates and counts have the same


def able_formats(file: File) -> Iterator[tuple[str, bytes]]:
    for format in WRITERS.keys() - {"preflib"}:  # which is one of the other four
        with suppress(CannotWrite):
            yield format, b"".join(write(file, format))


# --- marks and values ---


@settings(max_examples=15, deadline=None)
@given(chance=st.randoms(use_true_random=False))
@every_row("kind", [kind for kind in KINDS if kind != "ranked"])
def test_marks_and_values_are_read_again(kind, chance):
    ballots = random_marks(chance, kind)
    formats = ["csv", "json", "abif", *(["cat", "preflib"] if kind in ("approval", "choose", "score") else [])]
    for format in formats:
        asked = kind if format in ("cat", "preflib") else None  # in which to choose looks like approval
        again = read(b"".join(write(File(ballots, kind=kind), format)), kind=asked)
        assert (again.kind, again.ballots.candidates) == (kind, ballots.candidates), format
        assert again.ballots.normal == ballots.normal, format


@every_row(
    ("text", "kind", "read_as", "ballots"),
    [
        ("3: A/5, B/0\n1: B/2\n", None, "score", {"0@5": 3, "1@2": 1}),
        ("3: A/9, B/4\n", None, "ranked", {"0>1": 3}),
        ("3: A/5, B/2\n1: B>A\n", None, "ranked", {"0>1": 3, "1>0": 1}),
        ("3: A/5>B/2\n", "score", "score", {"0@5>1@2": 3}),
        ("3: A/5, B/2\n", "ranked", "ranked", {"0>1": 3}),
        ("3: A/9, B/4\n", "points", "points", {"0@9>1@4": 3}),
        ("3: A = B\n2: C\n", "approval", "approval", {"0=1": 3, "2": 2}),
        ("ballot_id,precinct,A,B\nb-1,,5,0\nb-2,7,,3\n", "score", "score", {"0@5": 1, "1@3": 1}),
        ("A,B\nx,\n1,x\n,0\n", "choose", "choose", {"0": 1, "0=1": 1, "": 1}),
        ("3: yes\n2: ABSTAIN\n1:\n", "yes-no", "yes-no", {"0": 3, "2": 2, "": 1}),
        (
            "# DATA TYPE: cat\n# CATEGORY NAME 1: Yes\n# CATEGORY NAME 2: No\n# ALTERNATIVE NAME 1: A\n"
            "# ALTERNATIVE NAME 2: B\n# ALTERNATIVE NAME 3: C\n13: 2,{1,3}\n4: {},{1,2,3}\n1: {1, 2}\n",
            *(None, "approval", {"1": 13, "": 4, "0=1": 1}),
        ),
        (
            "# CATEGORY NAME 1: good\n# CATEGORY NAME 2: fair\n# CATEGORY NAME 3: poor\n# ALTERNATIVE NAME 1: A\n"
            "# ALTERNATIVE NAME 2: B\n3: 2,{},1\n2: {},{1,2},{}\n",
            *(None, "score", {"1@2": 3, "0=1@1": 2}),
        ),
    ],
)
def test_marks_and_values_of_others_are_understood(text, kind, read_as, ballots):
    file = read(text, kind=kind)
    assert (file.kind, dict(file.ballots.counts)) == (read_as, ballots)


@every_row(
    ("text", "kind", "words"),
    [
        ("3: A > B\n", "approval", "These ballots are not of the kind approval: “0>1”."),
        ("3: A/6, B/1\n", "score", "not of the kind score"),
        ("3: A/1.5\n", "score", "a rating here, which is a whole number."),
        ("3: A\n1: A/3\n", "score", "a rating here, which is a whole number."),
        ("3: A/1, A/5\n", "score", "“A” is ranked twice on a ballot."),
        ("3: Ada\n", "yes-no", "no other candidates than Yes, No and Abstain."),
        ("2: Yes\n1: yes\n", "yes-no", "no other candidates than Yes, No and Abstain."),
        ("2: Yes = No\n", "yes-no", "not of the kind yes-no"),
        ("count of score ballots,A\n1,5\n", "ranked", "Line 1: These are ballots of the kind score, not rankings."),
        ("count of score ballots,A\n1,6\n", None, "not of the kind score"),
        ("count of score ballots,A\n1,x\n", None, "Line 2: “x” is not a value, which is a whole number."),
        ("count of approval ballots,A\n1,2\n", None, "Line 2: “2” is not a mark, which is 1 or x."),
        ('{"kind": "odd", "candidates": ["A"], "ballots": []}', None, "“kind” should be one of ranked, yes-no"),
        ('{"candidates": ["A"], "ballots": [{"values": 5}]}', None, "“values” should be a list of whole numbers"),
        ('{"candidates": ["A"], "ballots": [{"marks": [1]}]}', None, "There is no candidate 1"),
        ("# DATA TYPE: cat\n# ALTERNATIVE NAME 1: A\n1: 1\n", None, "The header names no categories."),
        ("# CATEGORY NAME 1: x\n" * 7 + "# ALTERNATIVE NAME 1: A\n", None, "at most 6 categories."),
        ("# CATEGORY NAME 1: x\n" * 2 + "# ALTERNATIVE NAME 1: A\n1: 1,1\n", None, "is ranked twice"),
        ("# CATEGORY NAME 1: x\n" * 2 + "# ALTERNATIVE NAME 1: A\n1: {},{},1\n", None, "more than the 2 categories"),
    ],
)
def test_marks_and_values_that_cannot_be_read_are_refused(text, kind, words):
    with pytest.raises(BadFile) as refusal:
        read(text, kind=kind)
    assert words in str(refusal.value)


# --- what a format cannot say is refused in a sentence ---

TIED = Ballots(("A", "B"), {"0=1": 1})
SHORT = Ballots(("A", "B"), {"0": 1})


@every_row(
    ("ballots", "format", "words"),
    [
        (TIED, "soi", "rank candidates as equals, which .soi cannot hold; .toi can."),
        (TIED, "soc", "rank candidates as equals, which .soc cannot hold; .toc can."),
        (SHORT, "soc", "leave candidates out, which .soc cannot hold; .soi can."),
        (SHORT, "toc", "leave candidates out, which .toc cannot hold; .toi can."),
        (Ballots(('Ada "A"',), {"0": 1}), "blt", 'The format BLT has no way to write “"” in a name: “Ada "A"”.'),
        (Ballots(("A, B",), {"0": 1}), "cvotes", "no way to write “,” in a name: “A, B”."),
        (Ballots(("A\nB",), {"0": 1}), "json", "The name “A�B” cannot be written to a file"),
        (Ballots((" A",), {"0": 1}), "csv", "The name “ A” cannot be written to a file"),
        (Ballots(("\ud800",), {"0": 1}), "plain", "cannot be written to a file"),
        (SHORT, "xlsx", "The format is one of csv, json, blt"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_before_anything_is_written(ballots, format, words):
    with pytest.raises(CannotWrite) as refusal:
        write(File(ballots), format)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("rankings", "kind"),
    [({"0>1": 1}, "soc"), ({"0": 1}, "soi"), ({"": 1}, "soi"), ({"0=1": 1}, "toc"), ({"0=1": 1, "0": 1}, "toi")],
)
def test_preflib_gets_its_narrowest_type(rankings, kind):
    assert f"# DATA TYPE: {kind}\n" in text_of(File(Ballots(("A", "B"), rankings)), "preflib")


def test_a_spreadsheet_takes_no_name_for_a_formula():
    odd = ("=1+1", "+1", "-1", "@x", "'=1", "A")
    written = text_of(File(Ballots(odd, {"0": 1})), "csv")
    header = next(csv.reader(StringIO(written.lstrip("\ufeff"))))
    assert header == ["count", "'=1+1", "'+1", "'-1", "'@x", "''=1", "A"]
    assert read(written.encode()).ballots.candidates == odd


# --- every dialect ---


def test_csv_with_ranks_under_names():
    text = "count,Ada,Bo,Cy\n5,1,2,2\n2,,7,3\n1,,,\n"
    assert counts(text, "csv") == {"Ada>Bo=Cy": 5, "Cy>Bo": 2, "": 1}


def test_csv_without_a_count_has_one_ballot_a_line():
    assert counts("Ada,Bo\n1,2\n1,2\n2,1\n", "csv") == {"Ada>Bo": 2, "Bo>Ada": 1}


def test_csv_with_names_under_ranks():
    text = "ballot id,rank 1,rank 2,rank 3,weight\nb1,Ada,Bo,,3\nb2,Bo,,Ada,1\nb3,,,,2\n"
    assert counts(text, "csv") == {"Ada>Bo": 3, "Bo>Ada": 1, "": 2}


@pytest.mark.parametrize("header", ["Choice 1,Choice 2", "1st choice,2nd choice", "preference_1,preference_2"])
def test_csv_knows_other_words_for_rank(header):
    assert counts(f"{header}\nAda,Bo\nBo\n") == {"Ada>Bo": 1, "Bo": 1}


def test_csv_with_two_columns_of_a_rank_has_equals():
    assert counts("rank 1,rank 1,rank 2\nAda,Bo,Cy\n") == {"Ada=Bo>Cy": 1}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_is_separated_by_commas_semicolons_or_tabs(separator):
    text = '"Smith, Ada";"Bo; or not";"count"\n1;2;4\n'.replace(";", separator).replace(f"Bo{separator}", "Bo;")
    assert counts(text, "csv") == {"Smith, Ada>Bo; or not": 4}


def test_csv_may_say_its_separator():
    assert counts("sep=;\nA,1;B\n1;2\n") == {"A,1>B": 1}


def test_json_of_ours():
    text = '{"title": "T", "seats": 2, "candidates": ["Ada", "Bo"], "ballots": [{"ranking": [[1], 0], "count": 2}]}'
    file = read(text)
    assert (file.title, file.seats, named(file.ballots), file.format) == ("T", 2, {"Bo>Ada": 2}, "json")


def test_json_of_published_elections_and_ballots_before_candidates():
    text = json.dumps(
        {
            "name": "Club {2027}",
            "source": {"path": ['"]}', {"deep": [[]]}]},
            "ballots": [{"ranking": [[0, 1]], "count": 2}, {"ranking": "1>0"}, {"ranking": []}],
            "rules": {"unranked": "abstain"},
            "expected": {"pairwise": [[0, 1], [2, 0]]},
            "candidates": ["Ada", "Bo\\"],
        },
        indent=2,
    )
    file = read(text)
    assert (file.title, file.unranked) == ("Club {2027}", "no-opinion")
    assert named(file.ballots) == {"Ada=Bo\\": 2, "Bo\\>Ada": 1, "": 1}


def test_json_is_read_across_the_borders_of_pieces():
    ballots = [{"ranking": [[number % 3]], "note": 'x}]"' * (number % 40)} for number in range(5000)]
    text = json.dumps({"candidates": ["A", "B", "C"], "ballots": ballots})
    assert counts(text) == {"A": 1667, "B": 1667, "C": 1666}


BLT = """
4 2                 # four candidates, two seats
-2                  # Bo has withdrawn
3 1 2=4 3 0         # equals
(b7) 1 3 - 1 0      # a mark, and a skipped rank
1 0                 /* a blank ballot,
                       and a long comment */
2 2 0
0
"Ada #1"            # candidate 1
"Bo"
Cy
"Di (D.)"
"Choir"  "source"  "comment"
"""


def test_blt():
    file = read(BLT)
    assert (file.format, file.seats, file.title, file.withdrawn) == ("blt", 2, "Choir", ("Bo",))
    assert file.ballots.candidates == ("Ada #1", "Cy", "Di (D.)")
    assert named(file.ballots) == {"Ada #1>Di (D.)>Cy": 3, "Cy>Ada #1": 1, "": 3}


def test_blt_on_one_line():
    text = '3 1 3 1 3 0 4 1 3 2 0 2 2 0 0 "Adam" "Basil" "Carla" "Title"'
    assert counts(text) == {"Adam>Carla": 3, "Adam>Carla>Basil": 4, "Basil": 2}


def test_blt_without_a_title():
    assert read('1 1\n1 1 0\n0\n"A"\n').title == ""


CVOTES = """# My election
#/Candidates: Ada ; Bo;Cy
#/number of seats: 2
#/Implicit Ranking: false
#/Weight allowed: true
#/Voting methods: Schulze

Ada > Bo = Cy * 42 # as it says
me@example.org, tag 2 || Cy > Zed = Ada ^7 *2
/EMPTY_RANKING/ * 3
  /EMPTY/
Bo>Ada ^2
"""


def test_cvotes():
    file = read(CVOTES)
    assert (file.format, file.seats, file.unranked) == ("cvotes", 2, "no-opinion")
    assert named(file.ballots) == {"Ada>Bo=Cy": 42, "Cy>Ada": 14, "": 4, "Bo>Ada": 2}


def test_cvotes_leaves_weights_alone_unless_they_are_allowed():
    assert counts("#/Candidates: A;B\nA > B ^7 * 2\n") == {"A>B": 2}


def test_cvotes_without_candidates_takes_them_from_the_votes():
    assert counts("tag || A > B * 2\nC\n") == {"A>B": 2, "C": 1}


def test_cvotes_with_its_writers_default_of_a_hundred_seats_says_none():
    assert read("#/Candidates: A;B\n#/Number of Seats: 100\nA\n").seats is None


ABIF = """# Section 1
{"title": "Capital", "version": 1}
{max_rating: 5}
=Mem:[Memphis, TN]
Nash:[Nashville #1]
="K":"Knox \\"K\\" ville"
10:
42: Mem>Nash=K  # a comment
3: [Memphis, TN]>"Knox \\"K\\" ville" : { "precinct": 51 }
26: Nash/5, Mem/2, K/5
5: Mem/1 > K/5
4: Mem,K
2: Other Place
"""


def test_abif():
    file = read(ABIF)
    assert (file.format, file.title) == ("abif", "Capital")
    assert file.ballots.candidates == ("Memphis, TN", "Nashville #1", 'Knox "K" ville', "Other Place")
    mem, nash, knox = file.ballots.candidates[:3]
    assert named(file.ballots) == {
        "": 10,
        f"{mem}>{knox}={nash}": 42,
        f"{mem}>{knox}": 3 + 5,
        f"{knox}={nash}>{mem}": 26,
        f"{knox}={mem}": 4,
        "Other Place": 2,
    }


def test_abif_may_leave_the_last_of_a_ballot_without_a_score():
    assert counts("2: B/10, A/200, C\n1: A/3\n", "abif") == {"A>B>C": 2, "A": 1}
    with pytest.raises(BadFile, match="needs a rating here"):
        read("1: A/5, B\n", "abif", kind="score")


def test_abif_may_name_its_candidates_after_the_ballots():
    assert counts("5: a>b\n=b:[Bo]\n=a:[Ada]\n", "abif") == {"Ada>Bo": 5}


PREFLIB = """# FILE NAME: 1.toi
# TITLE: Choir
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 17
# NUMBER UNIQUE ORDERS: 3
# ALTERNATIVE NAME 1: Ada: the first, really
# ALTERNATIVE NAME 3: Cy
# ALTERNATIVE NAME 2: Bo
13: 1,{2,3}
3:3, 1
1: {}
"""
OLD_PREFLIB = "3\n1,Ada, really\n2,Bo\n3,Cy\n16,16,2\n13,1,{2,3}\n3,3,1\n"


def test_preflib():
    file = read(PREFLIB)
    assert (file.format, file.title, file.notes) == ("preflib", "Choir", ())
    ada = "Ada: the first, really"
    assert named(file.ballots) == {f"{ada}>Bo=Cy": 13, f"Cy>{ada}": 3, "": 1}


def test_preflib_with_the_old_header():
    file = read(OLD_PREFLIB)
    assert (file.format, file.notes) == ("preflib", ())
    assert named(file.ballots) == {"Ada, really>Bo=Cy": 13, "Cy>Ada, really": 3}


def test_preflib_with_a_header_that_does_not_add_up_says_so():
    note = "The header says 17 voters, but the file has 16 ballots."
    assert read(PREFLIB.replace("1: {}\n", "")).notes == (note,)


def test_plain_lines():
    text = '# from the forum\n5: Ada > Bo = Cy\n\nBo\n2:\n0: Di\n1: "A > B" = "say ""x""" > Bo\n'
    file = read(text)
    assert file.format == "plain"
    assert file.ballots.candidates == ("Ada", "Bo", "Cy", "Di", "A > B", 'say "x"')
    assert named(file.ballots) == {"Ada>Bo=Cy": 5, "Bo": 1, "": 2, 'A > B=say "x">Bo': 1}


def test_plain_lines_are_written_so_that_they_can_be_taken_apart():
    names = ("# y", "A", "B > C")
    assert text_of(File(Ballots(names, {"0>1": 2, "": 1})), "plain") == '0: "# y" = A = "B > C"\n2: "# y" > A\n1:\n'


@pytest.mark.parametrize(
    ("format", "text", "count"),
    [
        ("csv", "count,A,B\n5,1,2\n5,1,2\n", 10),
        ("json", '{"candidates":["A","B"],"ballots":[%s,%s]}' % (('{"ranking":"0>1","count":5}',) * 2), 10),
        ("blt", '2 1\n(a) 5 1 2 0\n(b) 5 1 2 0\n5 1 2 0 5 1 2 0\n0\n"A"\n"B"\n', 20),
        ("abif", "5: A>B\n5: A>B\n", 10),
        ("cvotes", "#/Weight Allowed: true\nme || A > B ^5 * 2\nyou || A > B ^5 * 2 # again\n", 20),
        ("preflib", "# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n5: 1,2\n5: 1,2\n", 10),
        ("plain", "5: A > B\n5: A > B\n", 10),
    ],
)
def test_a_line_that_stands_twice_counts_twice(format, text, count):
    assert counts(text, format) == {"A>B": count}


# --- which format it is ---


@every_row("format", ["csv", "json", "blt", "abif", "cvotes", "soc", "soi", "toc", "toi"])
def test_the_ending_of_the_name_decides(format):
    file = File(Ballots(("A", "B"), {"0>1": 2}))
    found = read(b"".join(write(file, format)), name=f"some/FILE.{format.upper()}")
    assert found.format == ("preflib" if format in ("soc", "soi", "toc", "toi") else format)
    assert found.ballots == file.ballots


@every_row(
    ("text", "format"),
    [
        ("42:Memphis>Nashville\n26:Nashville>Memphis", "plain"),
        ("A > B\nB > A", "plain"),
        ("A > B * 5", "cvotes"),
        ("ABIF 1.0\n5: A>B", "abif"),
        ('27: "Doña"/5, [Steven]/2', "abif"),
        ("A,B\n1,2", "csv"),
        ('1 1\n1 1 0\n0\n"A"', "blt"),
        ('{"title": "T"}\n5: A>B', "abif"),
        ('{"candidates": ["A"], "ballots": []}', "json"),
        ("2\n1,A\n2,B\n3,3,1\n3,1,2", "preflib"),
    ],
)
def test_the_look_decides_where_the_name_does_not(text, format):
    assert read(text, name="ballots.txt").format == format


@pytest.mark.parametrize("text", ["Dear voters", "", "\n\n", "# only a comment"])
def test_what_is_no_ballot_file_is_refused(text):
    with pytest.raises(BadFile, match=r"was not recognised|empty"):
        read(text)


def test_a_format_we_do_not_know_is_refused():
    with pytest.raises(BadFile, match="one of csv, json"):
        read("x", "pdf")
    assert "pdf" not in FORMATS


# --- letters and line ends ---

UMLAUT = "3: Zoë > Bo\n2: Bo\n"


@every_row("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
@every_row("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends_of_every_kind(encoding, end):
    assert counts(UMLAUT.replace("\n", end).encode(encoding)) == {"Zoë>Bo": 3, "Bo": 2}


def test_other_separators_of_lines_belong_to_names():
    assert counts("3: A\u2028B > C\n".encode(), "plain") == {"A\u2028B>C": 3}


def test_a_stream_may_come_in_the_smallest_pieces():
    class Drops(BytesIO):
        def read(self, size: int = -1, /) -> bytes:
            return super().read(1)

    for format in ("csv", "json", "blt", "abif", "cvotes", "toi", "plain"):
        ballots = Ballots(("Zoë", "מרים", "😀"), {"0>1=2": 3, "2": 1, "": 2})
        assert read(Drops(b"".join(write(File(ballots), format))), format).ballots.normal == ballots.normal


# --- mistakes ---

HEAD = "# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n"
OBJECT = '{"candidates": ["A", "B"],\n "ballots": [\n%s]}'
XML = "XML is not read. Cast vote records (NIST SP 1500-103) are read in JSON."
MISTAKES = [
    ("plain", "1: A\n1: A > > B", 2, "A name is missing in “A > > B”."),
    ("plain", "1: A > B > A", 1, "“A” is ranked twice on a ballot."),
    ("plain", '1: A\n\n2: "A > B', 3, 'A quotation mark is out of place or not closed in “"A > B”.'),
    ("plain", f"{'9' * 30}: A", 1, "This is too large for a number of ballots: at most 1000000000000."),
    ("plain", "1: A\x07B", 1, "The name “A�B” has a control character."),
    ("plain", "# nobody", None, "This file names no candidates."),
    ("csv", "A,B\n1,x", 2, "“x” is not a rank, which is a whole number."),
    ("csv", "A,B\n1,0", 2, "0 is too small for a rank: at least 1."),
    ("csv", "A,A\n1,2", 1, "“A” is named twice among the candidates."),
    ("csv", "A,,B\n1,2", 1, "Column 2 has no heading: each column is called by its candidate"),
    ("csv", ",A,B\nAnn,1,2", 1, "Column 1 has no heading: each column is called by its candidate, and one that names"),
    ("csv", "A,B\n1,2\n1,2,3", 3, "This line has more than the 2 columns of the first one."),
    ("csv", 'A,B\n"1,2', 2, "A quotation mark is out of place or not closed."),
    ("csv", "count,A\n1.5,1", 2, "“1.5” is not a number of ballots, which is a whole number."),
    ("csv", "rank 1,rank 2\nA,A", 2, "“A” is ranked twice on a ballot."),
    ("csv", "", None, "This file names no candidates."),
    ("json", "[1]", 1, "This is no JSON object: it should begin with {."),
    ("json", '{"candidates": ["A"]}', None, "This file has no “ballots”."),
    (
        "json",
        '{"Version": "5.10.50.85", "Sessions": [{"Original": {}}]}',
        None,
        "This looks like Dominion's CvrExport.json, which is not read. Cast vote records are read as in NIST",
    ),
    ("json", '{"candidates": ["A"],\n"candidates": []}', 2, "“candidates” appears twice in this file."),
    ("json", '{"candidates": [1], "ballots": []}', 1, "A candidate's name should be a text in quotation marks."),
    ("json", '{"candidates": [], "ballots": []}', None, "This file names no candidates."),
    ("json", OBJECT % '{"ranking": [[2]]}', 3, "There is no candidate 2: their places run from 0 to 1."),
    ("json", OBJECT % '{"ranking": [[-1]]}', 3, "-1 is too small for a candidate's place in the list: at least 0."),
    ("json", OBJECT % '{"ranking": [[0], [0]]}', 3, "“A” is ranked twice on a ballot."),
    ("json", OBJECT % '{"ranking": "0>x"}', 3, "“0>x” is not a ranking such as 0>1=2."),
    ("json", OBJECT % '{"ranking": [], "count": 1.5}', 3, "“1.5” is not a number of ballots, which is a whole number."),
    ("json", OBJECT % '{"ranking": [], "count": true}', 3, "“True” is not a number of ballots"),
    ("json", OBJECT % '[["A"]]', 3, "A ballot should be an object such as"),
    ("json", OBJECT % '{"ranking": {}}', 3, "A ranking should be a list of groups"),
    ("json", OBJECT % '{"ranking": 0,}', 3, "is not JSON."),
    ("json", OBJECT % '{"ranking":\n [[0],\n [1]]},\n{"ranking": 7.5}', 6, "A ranking should be a list of groups"),
    ("json", '{"x": [\n"]\\"",\n{}],\n"title": }', 4, "A value is missing."),
    ("json", OBJECT % "{} {}", 3, "A ballot should be an object such as"),
    ("json", OBJECT % '{"ranking": []} {}', 3, "A comma or ] is expected here."),
    ("json", '{"candidates": ["A"],\n\n"ballots": [', 3, "The file ends"),
    ("json", '{"title": }', 1, "A value is missing."),
    (
        "json",
        '{"seats": 0, "candidates": ["A"], "ballots": []}',
        1,
        "0 is too small for a number of seats: at least 1.",
    ),
    ("json", '{"candidates": ["\\ud800"], "ballots": []}', 1, "has a control character."),
    ("json", '{"candidates": ["A"], "ballots": []}\n{}', 2, "There is more after the end of the JSON object."),
    ("blt", "", None, "The file ends before its ballots do: a line with only 0 ends them."),
    ("blt", "2 x", 1, "“x” is not a number of seats, which is a whole number."),
    ("blt", "0 1", 1, "0 is too small for a number of candidates: at least 1."),
    ("blt", "2 1\n1 3 0", 2, "There is no candidate 3: they are numbered from 1 to 2."),
    (
        "blt",
        "2 1\n[nick ada bo]\n1 ada bo 0",
        2,
        "“[nick” begins an option of OpaVote. Options in square brackets are not",
    ),
    ("blt", "2 1\n1 1 1 0", 2, "Candidate 1 is ranked twice on a ballot."),
    ("blt", "2 1\n1 1 2\n1 2 0", 2, "A ballot does not end with 0."),
    ("blt", "2 1\n1 1 0\n1 2 0\n", 3, "The file ends before its ballots do"),
    ("blt", '2 1\n1 1 0\n0\n"A"\n', 4, "The names of 1 candidates are missing at the end."),
    ("blt", '2 1\n1 1 0\n0\n1 2 0\n"A"\n"B"', 4, "A candidate's name in quotation marks is expected here, not “1”."),
    ("blt", '1 1\n1 1 0\n0\n"A "B" C"\n', 4, "A quotation mark or a bracket is out of place."),
    ("blt", '2 1\n-1 -2\n0\n"A"\n"B"\n', None, "Every candidate of this file has withdrawn."),
    ("abif", "1: A\nnonsense", 2, "“nonsense” is no ballot (5: A>B), no candidate (=A:[Ada]) and no {data}."),
    ("abif", "1: A>", 1, "A name is missing or odd in “1: A>”."),
    ("abif", "1: A*1,B*2", 1, "“*1,B*2” should be >, = or a comma and another candidate."),
    ("abif", "1: A/5,B,C/1", 1, "Some candidates on this ballot have a rating and some have none; only the last may."),
    ("abif", "1: A/5,B,C", 1, "Some candidates on this ballot have a rating and some have none; only the last may."),
    *((each, '<?xml version="1.0"?>\n<CastVoteRecordReport/>', 1, XML) for each in ("csv", "json", "plain", None)),
    (None, '\n<cdf:CastVoteRecordReport xmlns:cdf="x">', 1, XML),
    ("abif", "=A:[Ada]\n=A:[Bo]", 2, "The candidate “A” has two lines."),
    ("abif", "=A:[Ada]\n=B:[Ada]", 2, "“Ada” is named twice among the candidates."),
    ("abif", "=A:[Ada]\n1: A>[Ada]", None, "“Ada” is ranked twice on a ballot."),
    ("cvotes", "#/Candidates A", 1, "A parameter is a name, a colon and a value"),
    ("cvotes", "#/Candidates: A;B;A", 1, "“A” is named twice among the candidates."),
    ("cvotes", "#/Implicit Ranking: maybe", 1, "“maybe” should be true or false."),
    ("cvotes", "A > B\n#/Candidates: A;B", 2, "Parameters must come before the first vote."),
    ("cvotes", "#/Candidates: A;B\nA < B", 2, "“A < B” is not a candidate's name."),
    ("cvotes", "#/Candidates: A;B\nA > B * 8 ^7", 2, "“* 8 ^7” is not a weight and a number of votes, such as ^7 * 2."),
    ("cvotes", "#/Candidates: A;B\nA > B > A", 2, "“A” is ranked twice on a ballot."),
    ("cvotes", "#/Candidates: A;B\nA > > B", 2, "A name is missing."),
    ("cvotes", "#/Candidates: A;B\nA > /EMPTY/", 2, "“/EMPTY/” is not a candidate's name."),
    ("cvotes", "#/Candidates: A;B\ntag ||  # nothing", 2, "There are tags, but no vote after them."),
    ("preflib", HEAD + "1: 1,3", 3, "There is no candidate 3 in the header."),
    ("preflib", HEAD + "1: 1,{2", 3, "“1,{2” is not an order such as 1,{2,3},4."),
    ("preflib", HEAD + "1: 1,", 3, "“1,” is not an order such as 1,{2,3},4."),
    ("preflib", HEAD + "1: 1,1", 3, "“A” is ranked twice on a ballot."),
    ("preflib", HEAD + "1, 1", 3, "A line is a count, a colon and an order"),
    ("preflib", HEAD + "# ALTERNATIVE NAME 2: C", 3, "Candidate 2 is named twice."),
    ("preflib", "# DATA TYPE: wmd\n", 1, "PrefLib's data type wmd does not hold ballots."),
    ("preflib", "2\n1,A\n", None, "The names of the candidates should follow, but the file ends."),
    ("preflib", "1\nA\n", 2, "A candidate is a number, a comma and a name."),
]


@every_row(("format", "text", "line", "words"), MISTAKES)
def test_a_mistake_is_named_with_its_line_and_reason(format, text, line, words):
    with pytest.raises(BadFile) as refusal:
        read(text, format)
    assert (refusal.value.line, words in str(refusal.value)) == (line, True), str(refusal.value)
    assert str(refusal.value).startswith("" if line is None else f"Line {line}: ")


@every_row(
    ("kind", "format", "words"),
    [
        ("approval", "blt", "The format blt holds rankings only."),
        ("score", "plain", "holds rankings only."),
        ("score", "toi", "holds rankings only."),
        ("points", "preflib", "cannot hold these ballots"),
        (None, "cat", "cannot hold these ballots"),
    ],
)
def test_a_format_for_rankings_does_not_take_marks_nor_the_other_way_round(kind, format, words):
    with pytest.raises(CannotWrite, match=words):
        write(File(Ballots(("A", "B"), {"0@2": 1} if kind in ("score", "points") else {"0": 1}), kind=kind), format)
