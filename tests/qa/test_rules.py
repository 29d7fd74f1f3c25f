"""Questions: what is taken, and what a list of words holds back."""

from __future__ import annotations

import pytest

from foundation.acts.refusals import NotNow
from foundation.qa import rules
from tests.rows import every_row

# --- what is taken ---


@every_row(
    ("typed", "kept"),
    [
        ("  Why\n\nnow? ", "Why now?"),
        ("W\u202ehy\u200b?\x00", "Why?"),
        ("می‌خواهم؟", "می‌خواهم؟"),
        ("👩‍👩‍👧‍👦?", "👩‍👩‍👧‍👦?"),
        ("é̀̂?", "é̀̂?"),
        ("x" * 300, "x" * 300),
    ],
)
def test_a_question_is_one_line_of_what_can_be_seen(typed, kept):
    assert rules.parse_question(typed) == kept


@every_row(
    "typed",
    ["", " \n ", "\u200b\u202e", "\u3164\u3164", "\u2800", "\u200d", "\ufe0f", "\u0301", "x" * 301, "Z" + "\u0300" * 5],
)
def test_nothing_endless_invisible_or_towering_is_taken(typed):
    with pytest.raises(NotNow):
        rules.parse_question(typed)


def test_an_answer_may_have_no_words():
    assert rules.parse_answer("  ") == ""
    assert rules.parse_answer(" Yes,\nsoon. ") == "Yes, soon."
    with pytest.raises(NotNow):
        rules.parse_answer("x" * 1001)


# --- the list of words ---


@every_row(
    "text",
    [
        "You idiot!",
        "IDIOT",
        "ídïőt?",
        "i\u200dd\u200diot",
        "i\u0336d\u0336i\u0336o\u0336t\u0336",
        "ｉｄｉｏｔ",
        "an_idiot_here",
        "id\u034fiot",
        "Two  words, then",
        "MASSE und Maß",
    ],
)
def test_whole_words_of_the_list_are_found_however_they_are_written(text):
    assert rules.has_blocked_word(text, ("Idiot", "two words", "Ｍaß"))


@every_row("text", ["idiotic", "words two", "two, more words", "क", "Massachusetts", ""])
def test_parts_of_words_are_no_words(text):
    assert not rules.has_blocked_word(text, ("Idiot", "two words", "Maß", "कि", "!?", ""))


def test_letters_that_need_their_marks_keep_them():
    assert rules.has_blocked_word("यह कि?", ["कि"])
    assert not rules.has_blocked_word("यह का?", ["कि"])
    assert not rules.has_blocked_word("か", ["が"])
