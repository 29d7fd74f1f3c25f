"""Questions of a room: what is taken, the order, and what hosts may do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foundation.acts.refusals import NotNow
from foundation.qa.rules import Fate, Mode, best_first, check_upvotable, with_initial_fate
from parts.live import moderation
from parts.live.moderation import QaAction, QaQuestion, QaSettings
from parts.live.rules import Phase
from tests.rows import every_row

ON = QaSettings(is_on=True)


def asked(id_: str = "q1", fate: Fate = Fate.SHOWN, **more) -> QaQuestion:
    return QaQuestion(id_, "Why?", "ada", **{"at": 1, "fate": fate, **more})


# --- what is taken ---


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
    new = with_initial_fate(replace(asked(), text=text), mode, ("idiot",))
    assert (new.fate, new.held) == (fate, held)


def test_without_a_choice_the_host_looks_first_and_nobody_is_named():
    assert QaSettings() == QaSettings(is_on=False, mode=Mode.APPROVED, named=False)


# --- how many ---


def test_how_many_somebody_may_send():
    some = [asked(f"q{number}", Fate.SHOWN) for number in range(19)]
    moderation.check_sends(ON, Phase.QUESTION, some)
    with pytest.raises(NotNow, match="20 questions"):
        moderation.check_sends(ON, Phase.QUESTION, [*some, asked("q19")])
    waiting = [asked(f"q{number}", Fate.WAITING) for number in range(5)]
    moderation.check_sends(ON, Phase.WAITING, waiting[:4])
    with pytest.raises(NotNow, match="are waiting"):
        moderation.check_sends(ON, Phase.WAITING, waiting)
    with pytest.raises(NotNow, match="is full"):
        moderation.check_sends(replace(ON, sent=2_000), Phase.WAITING, [])
    for qa, phase in ((QaSettings(), Phase.WAITING), (ON, Phase.ENDED)):
        with pytest.raises(NotNow):
            moderation.check_sends(qa, phase, [])


# --- upvotes and order ---


def test_who_may_upvote_what():
    check_upvotable(asked(), "ben")
    check_upvotable(asked(fate=Fate.ANSWERED), "ben")
    unseen = [asked(fate=Fate.WAITING), asked(fate=Fate.HIDDEN), None]
    for found, who in ((asked(), "ada"), *((each, "ben") for each in unseen)):
        with pytest.raises(NotNow):
            check_upvotable(found, who)
    for qa, phase in ((ON, Phase.ENDED), (QaSettings(), Phase.QUESTION)):
        with pytest.raises(NotNow):
            moderation.check_takes(qa, phase)


def test_most_upvotes_first_then_the_oldest_and_what_is_answered_last():
    some = [asked("q1", at=3), asked("q2", at=2), asked("q3", at=1), asked("q4", Fate.ANSWERED, at=0)]
    numbers = {"q1": 2, "q4": 9}
    assert [each.id for each in best_first(some, numbers)] == ["q4", "q1", "q3", "q2"]
    assert [each.id for each in moderation.open_first(some, numbers)] == ["q1", "q3", "q2", "q4"]


# --- hosts ---


def test_what_is_offered_is_exactly_what_changes_something():
    for fate in Fate:
        for up in ("", "q1"):
            qa, question = replace(ON, on_screen=up), asked(fate=fate)
            for act in QaAction:
                is_offered = act in moderation.offered(qa, question)
                after = moderation.moderated(question, act, "Because."), moderation.screen_after(qa, question, act)
                assert not is_offered or after != (question, up), (fate, up, act)
                if not is_offered:
                    with pytest.raises(NotNow):
                        moderation.check_offered(qa, question, act)


def test_what_is_hidden_leaves_the_big_screen_and_nothing_else_does():
    qa = replace(ON, on_screen="q1")
    assert moderation.screen_after(qa, asked("q1"), QaAction.HIDE) == ""
    assert moderation.screen_after(qa, asked("q2"), QaAction.HIDE) == "q1"
    assert moderation.screen_after(qa, asked("q1"), QaAction.ANSWER) == "q1"
    assert moderation.screen_after(qa, asked("q2"), QaAction.PUT_UP) == "q2"
    assert moderation.moderated(asked(fate=Fate.ANSWERED, answer="No."), QaAction.SHOW).answer == ""
