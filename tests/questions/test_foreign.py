"""Questions of other programs: each kind becomes what it can be here, and every row has its verdict."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foundation.pages.lists import NotAList, Verdict
from parts.questions import formats, rules
from parts.questions.formats import Format
from parts.questions.formats.exports import EXAMPLES, questions_csv, questions_gift
from parts.questions.formats.gift_import import plain
from parts.questions.formats.rows import ImportedFile, Row
from parts.questions.question import MAX_QUESTIONS, Kind, Question, flaws, tidied
from tests.rows import every_row

from .conftest import CAPITAL, MANY, MEET, RATE
from .foreign_files import AIKEN, GIFT
from .test_rules import EMPTY, FULL, NOW

RIVERS = "Rivers and seas"


def read(raw: bytes | str, chosen: Format | None = None, full=EMPTY) -> ImportedFile:
    return formats.read(raw.encode() if isinstance(raw, str) else raw, full, chosen=chosen)[1]


def row(raw: bytes | str, chosen: Format) -> Row:
    (found,) = read(raw, chosen).rows
    return found


def one(raw: bytes | str, chosen: Format) -> Question:
    question = row(raw, chosen).question
    assert question, row(raw, chosen).reason
    return question


def reasons(read_: ImportedFile) -> dict[str, str]:
    return {each.title: each.reason for each in read_.rows if each.verdict == Verdict.INVALID}


def choice(title: str, options: tuple[str, ...], *right: int, **more) -> Question:
    return Question(title, Kind.CHOICE, options=options, right=right, **more)


# --- GIFT ---


def test_gift_of_every_kind():
    found = read(GIFT)
    assert found.new == [
        choice("Which river of Europe is the longest?", ("Volga", "Danube", "Rhine"), 0, category=RIVERS),
        choice(
            "Which of these flow into the North Sea?",
            ("Elbe", "Rhine", "Oder", "Danube"),
            *(0, 1),
            detail="Choose all & no other.",
            category=RIVERS,
        ),
        choice("The Caspian Sea is a lake.", ("True", "False"), 0, category=RIVERS),
        choice("The Dead Sea is salty.", ("True", "False"), 1, category=RIVERS),
        choice("The _____ flows through Rome.", ("Po", "Tiber", "Arno"), 1, category=RIVERS),
        Question("Who found the sources of the Nile?", category=RIVERS),
        Question("Two plus two is _____.", category=RIVERS),
        Question("Write about a river you know.", category=RIVERS),
        choice(
            "What is 2 ~ 2 = {4} # a:b \\ end?",
            ("a=b", "c~d", "{e}"),
            1,
            detail="A second line.",
            category="Signs/In text",
        ),
    ]
    assert reasons(found) == {
        "How many kilometres has the Rhine?": "Numerical questions are not supported.",
        "How deep is Lake Constance at most?": "Numerical questions are not supported.",
        "Match them.": "Matching questions are not supported.",
        "The questions that follow are about seas.": "It is text without answers, so it is not a question.",
    }
    notes = {each.line: each.note for each in found.rows if each.note}
    assert list(notes) == [5, 18, 24, 26]
    assert "feedback is left out" in notes[5]
    assert "Partly right answers count as wrong" in notes[5]
    assert "free text is not graded" in notes[26]


@every_row("end", ["\r\n", "\r"])
def test_gift_with_other_line_ends_and_a_mark_at_its_beginning(end):
    assert read("\ufeff" + GIFT.replace("\n", end)).new == read(GIFT).new


def test_gift_in_the_encodings_of_old_editors():
    for encoding in ("cp1252", "utf-16"):
        assert read("Wäre das gut? {~Ja =Nein}".encode(encoding)).new == [choice("Wäre das gut?", ("Ja", "Nein"), 1)]


GIFTS = {
    "[markdown]**Why** so?{}": Question("**Why** so?"),
    "::[plain] name::[plain]Is <b> a tag?{}": Question("Is <b> a tag?"),
    "Is 1 < 2 &amp; x<sup>2</sup> > H<sub>2</sub>O?{}": Question("Is 1 < 2 & x² > H₂O?"),
    "Wrapped\n  over\n// no word of this\nlines? {\n~a\n=b\n}": choice("Wrapped over lines?", ("a", "b"), 1),
    "One\\nTwo\\n\\nThree{}": Question("One", detail="Two\n\nThree"),
    "Both?{=a =b ~c}": choice("Both?", ("a", "b", "c"), 0, 1),
    "None?{~a ~b}": choice("None?", ("a", "b")),
    "Thirds?{~%33.33333%a ~%33.33333%b ~%33.33333%c ~%-50%d}": choice("Thirds?", ("a", "b", "c", "d"), 0, 1, 2),
    "Marked?{=%100%a ~[html]<i>b</i>}": choice("Marked?", ("a", "b"), 0),
    "$CATEGORY: top/Signs//Marks\nWhich?{~a =b}": choice("Which?", ("a", "b"), 1, category="Signs/Marks"),
    f"$CATEGORY: $course$/top/{'x' * 99}/Last\nWhich?{{~a =b}}": choice("Which?", ("a", "b"), 1, category="Last"),
    f"::Short::{'x' * 301}{{}}": Question("Short", detail="x" * 301),
}


@every_row("text", GIFTS)
def test_what_a_text_in_gift_becomes(text):
    assert one(text, Format.GIFT) == GIFTS[text]


WRONG_GIFTS = {
    "Never closed {~a =b": "Its braces { } do not match.",
    "Wrong } way {": "Its braces { } do not match.",
    "{~a} and {=b}": "Questions with several gaps",
    "{~a =b}": "Question: Enter a question.",
    "Same?{~a =A}": "Option 2: The same as option 1.",
    "Empty?{~a ~ =b}": "Option 2: It is empty.",
    "Many?{=0" + "".join(f"~{number}" for number in range(1, 12)) + "}": "Enter 2 to 10 options; there are 12.",
    "Picture <img src='x.png'>?{~a =b}": "Questions with pictures, sound or video",
    "Picture?{~a =<IMG SRC\\=x>b}": "Questions with pictures, sound or video",
    "x" * 301 + "{}": "Question: At most 300 characters; these are 301.",
    "Long?{=" + "x" * 201 + "~a}": "Option 1: At most 200 characters; these are 201.",
    "x" * 30_000: "It is too long for a question.",
    "Many?{=a" + "~b" * 60 + "}": "It is too long for a question.",
}


@every_row("text", WRONG_GIFTS)
def test_what_is_wrong_with_a_text_in_gift_is_said(text):
    assert row(text, Format.GIFT).reason.startswith(WRONG_GIFTS[text])


def test_one_bad_block_refuses_no_other():
    found = read("First?{~a =b}\n\nSecond {\n\nThird?{T}\n\n}\n\nFirst?{~a =b}\n\nFourth?{}")
    assert [each.verdict for each in found.rows] == [*[Verdict.NEW, Verdict.INVALID] * 2, Verdict.REPEATED, Verdict.NEW]
    assert "line 1" in found.rows[4].reason


# --- GIFT, there and back ---


def gift(*questions: Question) -> str:
    return "".join(questions_gift(rules.added(EMPTY, questions, NOW)))


def test_what_gift_does_not_have_is_left_out_and_named():
    text = "".join(questions_gift(FULL))
    assert "// [seconds:20]\n// [school:Geography]\n// [instruction:Pick one.]\n[plain]What is the capital" in text
    assert "\t~Cusco\n\t=Lima\n\t~Quito\n}" in text
    remarks = text.partition("Left out, because GIFT does not support them:\n")[2]
    assert remarks == f"// Ranking: {MEET.title}\n// Rating from 1 to 5: {RATE.title}\n"
    assert read(text).new == [each for each in MANY if each not in (MEET, RATE)]


def test_several_right_answers_share_a_hundred_in_gift():
    text = gift(choice("Which?", ("a", "b", "c", "d"), 0, 1, 3))
    assert "~%33.33333%a\n\t~%33.33333%b\n\t~%-100%c\n\t~%33.33333%d" in text


def test_a_text_cannot_be_taken_for_signs_of_gift():
    nasty = choice(
        "// $CATEGORY: {=a} ::b:: [html]<b> # ####",
        ("[html]x", "%50%y", "=z", "~", "a -> b", "// c", "\\n"),
        *(1, 6),
        detail="::\n\n$CATEGORY: x\n// y\n}\t\\",
        category="/a//b/",
        school="] [seconds:5] \\",
        custom_instruction="one\n\n// two]",
        seconds=0,
    )
    plain_one = Question("top", category="top")
    assert read(gift(nasty, plain_one), Format.GIFT).new == [nasty, plain_one]


WORDS = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("~=#{}:\\/[]%$ \n&<>n")), max_size=14
)
QUESTIONS = st.builds(
    Question,
    title=WORDS,
    kind=st.sampled_from([Kind.TEXT, Kind.CHOICE]),
    detail=WORDS,
    category=WORDS,
    school=WORDS,
    custom_instruction=WORDS,
    options=st.lists(WORDS, max_size=5).map(tuple),
    right=st.sets(st.integers(0, 4)).map(tuple),
    seconds=st.integers(0, 3600),
)


def can_be_kept(question: Question) -> bool:
    is_right = all(place < len(question.options) for place in question.right) and all(question.options)
    return is_right and not list(flaws(question))


def without_options(question: Question) -> Question:
    text = Question(question.title, detail=question.detail, category=question.category, seconds=question.seconds)
    return question if question.kind == Kind.CHOICE else text


@pytest.mark.deep
@settings(max_examples=40, deadline=None)
@given(st.lists(QUESTIONS, max_size=4))
def test_any_question_that_gift_holds_comes_back(typed):
    kept = [each for each in map(tidied, map(without_options, typed)) if can_be_kept(each)]
    questions = rules.added(EMPTY, {rules.comparison_key(each): each for each in kept}.values(), NOW).questions
    assert read(gift(*questions), Format.GIFT).new == list(questions)


# --- Aiken ---


def test_aiken_with_points_and_with_brackets():
    assert read(AIKEN).new == [
        choice("Which lake is the largest?", ("Baikal", "Caspian Sea", "Victoria"), 1),
        choice("Which is the highest mountain of the Alps?", ("Eiger", "Matterhorn", "Mont Blanc", "Ortler"), 2),
    ]
    assert read("\ufeff" + AIKEN.replace("\n", "\r\n")).new == read(AIKEN).new


def test_aiken_without_blank_lines_or_with_more():
    assert read(AIKEN.replace("\n\n", "\n")).new == read(AIKEN).new
    assert read(AIKEN.replace("\n", "\n\n")).new == read(AIKEN).new
    assert one("Which?\nOf these.\nA. x\nB. y\nANSWER: A, B", Format.AIKEN) == choice(
        "Which?", ("x", "y"), *(0, 1), detail="Of these."
    )


WRONG_AIKEN = {
    "Which?\nA. x\nB. y": "Its ANSWER: line is missing or has no letter.",
    "Which?\nA. x\nB. y\nANSWER:": "Its ANSWER: line is missing or has no letter.",
    "Which?\nA. x\nB. y\nANSWER: C": "Right answers: There is no option “C”.",
    "Which?\nA. x\nC. y\nANSWER: C": "Its options are not lettered A, B, C",
    "Which?\nANSWER: A": "It has no options",
    "A. x\nB. y\nANSWER: B": "Question: Enter a question.",
    "Which?\nA. x\nB.\nANSWER: A": "Option 2: It is empty.",
    "Which?\nA. x\nB. x\nANSWER: A": "Option 2: The same as option 1.",
    "Which?\n" + "A. x\n" * 60: "It is too long for a question.",
}


@every_row("text", WRONG_AIKEN)
def test_what_is_wrong_with_a_question_in_aiken_is_said(text):
    assert row(text, Format.AIKEN).reason.startswith(WRONG_AIKEN[text])


def test_a_question_without_its_answer_does_not_take_the_next_along():
    found = read(f"About lakes\n\nNo answer?\nA. x\nB. y\n\n{AIKEN}Left over")
    kinds = [(each.line, each.verdict) for each in found.rows]
    wrong, new = Verdict.INVALID, Verdict.NEW
    assert kinds == [(1, wrong), (3, wrong), (7, new), (13, new), (19, wrong)]


# --- HTML ---

HTML = {
    "<pre>x = 1\\ny = 2</pre><!-- no --><style>p \\{\\}</style>Which?": ("x = 1", "y = 2\nWhich?"),
    "Which?<br/>This.": ("Which?", "This."),
    "One\\ntwo?": ("One two?", ""),
    "<p>Is a<c & d>b?</p>": ("Is a<c & d>b?", ""),
    "<script>1</script><ul><li>Here&nbsp;it <EM>is</EM></li><li>so</li></ul>": ("Here it is", "so"),
    "One <unknown> &#99999999999; &lt;b&gt;": ("One <unknown> \ufffd <b>", ""),
}


@every_row("html", HTML)
def test_words_of_html_become_plain(html):
    title, detail = HTML[html]
    assert one(f"[html]{html}{{}}", Format.GIFT) == Question(title, detail=detail)


# --- which format ---


@every_row(
    ("name", "raw", "format_"),
    [
        ("", GIFT, Format.GIFT),
        ("questions.txt", AIKEN, Format.AIKEN),
        ("", "".join(questions_csv(EXAMPLES)), Format.CSV),
        ("", '\n\n"title";"option1"\nANSWER: {x};b', Format.CSV),
        ("Questions.GIFT", "No question", Format.GIFT),
        ("questions.gift.txt", gift(CAPITAL), Format.GIFT),
    ],
)
def test_the_format_is_found_out(name, raw, format_):
    assert formats.detected(raw.encode() if isinstance(raw, str) else raw, name) == format_


def test_what_looks_like_nothing_is_said_to():
    with pytest.raises(NotAList, match="not look like a file of questions"):
        read("Dear all,\nsee you on Monday.")
    with pytest.raises(NotAList, match="not plain text"):
        read(b"\xd0\xcf\x11\xe0\0\0\0\1an old spreadsheet")
    with pytest.raises(NotAList, match="save it as CSV"):
        read(b"PK\x03\x04\x14\0\6\0a new one")


def test_whoever_knows_better_chooses():
    assert one("Is {this} a title?", Format.GIFT).kind == Kind.TEXT
    assert read("title\nIs {this} a title?", Format.CSV).new == [Question("Is {this} a title?")]


@every_row("format_", [Format.GIFT, Format.AIKEN])
def test_texts_have_bounds_too(format_):
    with pytest.raises(NotAList, match=f"at most {MAX_QUESTIONS} questions"):
        read("Which?\n\n" * 201, format_)
    with pytest.raises(NotAList, match="at most 5 MB"):
        read("x" * (5 * 1024 * 1024 + 1), format_)
    with pytest.raises(NotAList, match="at most 50000 lines"):
        read("\n" * 50_001, format_)


def test_what_the_set_has_already_is_known_whatever_the_file():
    found = read("What is the capital of Peru?\\nIt lies on the coast.{~Cusco =Lima ~Quito}", Format.GIFT, FULL)
    assert [each.verdict for each in found.rows] == [Verdict.THERE]


# --- anything at all ---

SEEDS = [GIFT.encode(), AIKEN.encode()]
PIECES = [b"{", b"}", b"~", b"=", b"#", b"::", b"\\", b"%5%", b"\n\n", b"//", b"<![CDATA[", b"]]>", b"<!--", b"<text>"]
PIECES += [
    b"&#" + b"9" * 5_000 + b";",
    b"</question>",
    b"ANSWER:",
    b"A. ",
    b"\0",
    b"\xff",
    b"[html]",
    b"<pre>",
    b"\xed\xa0\x80",
]


@st.composite
def spoilt(draw) -> bytes:
    """A file of some format, with something put in, taken out or repeated in some places."""
    raw = draw(st.sampled_from(SEEDS))
    for _time in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(raw)))
        put = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=3), st.just(raw[at : at + 90])))
        raw = raw[:at] + put + raw[at + draw(st.sampled_from([0, 0, 1, 2, 40])) :]
    return raw


def judge_rows(raw: bytes, chosen: Format | None) -> None:
    """Either the whole is refused, or every row has a verdict, with a reason or a right question."""
    try:
        _format, found = formats.read(raw, EMPTY, chosen=chosen)
    except NotAList:
        return
    for each in found.rows:
        assert bool(each.reason) == (each.verdict != Verdict.NEW)
        assert each.verdict != Verdict.NEW or (each.question and not list(flaws(each.question)))
        assert (each.title + each.reason + each.note).encode() is not None
    assert len(found.rows) <= MAX_QUESTIONS


@pytest.mark.deep
@settings(max_examples=40, deadline=None)
@given(spoilt(), st.sampled_from([None, *Format]))
def test_no_spoilt_file_breaks_a_reader(raw, chosen):
    judge_rows(raw, chosen)
    judge_rows(raw, None)


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_break_a_reader(raw):
    for chosen in (None, *Format):
        judge_rows(raw, chosen)


@settings(max_examples=30, deadline=None)
@given(st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("<>/&;#!- psubre")), max_size=60))
@example("<!-- <p>")
@example("<SCRIPT>a</script>b")
def test_any_text_becomes_plain(text):
    assert plain(text) == plain(text).strip()
