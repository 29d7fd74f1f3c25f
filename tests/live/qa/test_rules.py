"""Questions of a room: what is taken, what a list of words holds back, the order, and what hosts may do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acts.refusals import NotNow
from live import qa_rules as rules
from live.qa_rules import Act, Fate, Mode, QaQuestion, QaSettings
from live.rules import Phase
from tests.rows import every_row

ON = QaSettings(is_on=True)


def asked(id_: str = "q1", fate: Fate = Fate.SHOWN, **more) -> QaQuestion:
    return QaQuestion(id_, "Why?", "ada", **{"at": 1, "fate": fate, **more})


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


@every_row(
    ("mode", "text", "fate", "held"),
    [
        (Mode.OPEN, "You idiot", Fate.SHOWN, False),
        (Mode.WORDS, "You idiot", Fate.WAITING, True),
        (Mode.WORDS, "Why?", Fate.SHOWN, False),
        (Mode.APPROVED, "You idiot", Fate.WAITING, False),
        (Mode.APPROVED, "Why?", Fate.WAITING, False),
    ],
)
def test_how_a_question_begins(mode, text, fate, held):
    new = rules.with_initial_fate(replace(ON, mode=mode, words=("idiot",)), replace(asked(), text=text))
    assert (new.fate, new.held) == (fate, held)


def test_without_a_choice_the_host_looks_first_and_nobody_is_named():
    assert QaSettings() == QaSettings(is_on=False, mode=Mode.APPROVED, named=False)


# --- how many ---


def test_how_many_somebody_may_send():
    some = [asked(f"q{number}", Fate.SHOWN) for number in range(19)]
    rules.check_sends(ON, Phase.QUESTION, some)
    with pytest.raises(NotNow, match="20 questions"):
        rules.check_sends(ON, Phase.QUESTION, [*some, asked("q19")])
    waiting = [asked(f"q{number}", Fate.WAITING) for number in range(5)]
    rules.check_sends(ON, Phase.WAITING, waiting[:4])
    with pytest.raises(NotNow, match="are waiting for the host"):
        rules.check_sends(ON, Phase.WAITING, waiting)
    with pytest.raises(NotNow, match="is full"):
        rules.check_sends(replace(ON, sent=2_000), Phase.WAITING, [])
    for qa, phase in ((QaSettings(), Phase.WAITING), (ON, Phase.ENDED)):
        with pytest.raises(NotNow):
            rules.check_sends(qa, phase, [])


# --- upvotes and order ---


def test_who_may_upvote_what():
    rules.check_upvotes(ON, Phase.QUESTION, asked(), "ben")
    rules.check_upvotes(ON, Phase.QUESTION, asked(fate=Fate.ANSWERED), "ben")
    for qa, phase, found, who in (
        (ON, Phase.QUESTION, asked(), "ada"),
        (ON, Phase.QUESTION, asked(fate=Fate.WAITING), "ben"),
        (ON, Phase.QUESTION, asked(fate=Fate.HIDDEN), "ben"),
        (ON, Phase.QUESTION, None, "ben"),
        (ON, Phase.ENDED, asked(), "ben"),
        (QaSettings(), Phase.QUESTION, asked(), "ben"),
    ):
        with pytest.raises(NotNow):
            rules.check_upvotes(qa, phase, found, who)


def test_most_upvotes_first_then_the_oldest_and_what_is_answered_last():
    some = [asked("q1", at=3), asked("q2", at=2), asked("q3", at=1), asked("q4", Fate.ANSWERED, at=0)]
    numbers = {"q1": 2, "q4": 9}
    assert [each.id for each in rules.best_first(some, numbers)] == ["q4", "q1", "q3", "q2"]
    assert [each.id for each in rules.open_first(some, numbers)] == ["q1", "q3", "q2", "q4"]


# --- hosts ---


def test_what_is_offered_is_exactly_what_changes_something():
    for fate in Fate:
        for up in ("", "q1"):
            qa, question = replace(ON, on_screen=up), asked(fate=fate)
            for act in Act:
                is_offered = act in rules.offered(qa, question)
                after = rules.moderated(question, act, "Because."), rules.screen_after(qa, question, act)
                assert not is_offered or after != (question, up), (fate, up, act)
                if not is_offered:
                    with pytest.raises(NotNow):
                        rules.check_offered(qa, question, act)


def test_what_is_hidden_leaves_the_big_screen_and_nothing_else_does():
    qa = replace(ON, on_screen="q1")
    assert rules.screen_after(qa, asked("q1"), Act.HIDE) == ""
    assert rules.screen_after(qa, asked("q2"), Act.HIDE) == "q1"
    assert rules.screen_after(qa, asked("q1"), Act.ANSWER) == "q1"
    assert rules.screen_after(qa, asked("q2"), Act.PUT_UP) == "q2"
    assert rules.moderated(asked(fate=Fate.ANSWERED, answer="No."), Act.SHOW).answer == ""
