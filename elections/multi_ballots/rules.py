"""Rules of multi-question ballots: what may be done to one question alone, and what only to all of them.

A multi-question ballot binds elections together as the questions on one ballot. One of them leads: its roll, its voting
period and the shared settings apply to all. Each remains an election with its own candidates, ballots, count and proof.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from elections import opening_rules
from elections import rules as elections
from elections.rules import Action, Election, WrongState
from foundation.acts.refusals import NotNow
from foundation.pages.names import MAX_NAME_CHARS
from foundation.store.keys import fold

MAX_QUESTIONS = 20
# of all questions: browsers carry the rankings of all in one cookie, and cast them by one form
MAX_TOTAL_CANDIDATES = 1_000

# Settings that the leading election sets for all. Reminders and results are mailed for it alone.
SHARED = (
    *("secret_ballot", "electorate", "joining", "time_zone", "no_voting_before", "no_voting_after"),
    *("results_visible", "results_public", "paper_ballots", "changeable", "safeguards", "mail_votes"),
    "vote_by_link",
)
LEADER_ONLY_DEFAULTS: dict[str, Any] = {"remind_before": (), "announces": False, "letter_check": ""}

OF_LEADER = frozenset({*SHARED, *LEADER_ONLY_DEFAULTS})

# Actions on all questions of a multi-question ballot at once, and those only on the leading one.
ALL_QUESTIONS_ACTIONS = frozenset({Action.OPEN, Action.FIX, Action.EXTEND, Action.CLOSE, Action.RENAME})
LEADER_ACTIONS = frozenset(
    {
        *(Action.ADD_VOTERS, Action.REMOVE_VOTERS, Action.INVITE, Action.SET_REMINDERS, Action.ANNOUNCE),
        *(Action.ANSWER, Action.RUN_STATION),
    }
)
ALLOWED_WHILE_BUSY = frozenset({Action.LOOK, Action.SEE_ROLL, Action.ENTER_PAPER, Action.COPY})


@dataclass(frozen=True, slots=True)
class MultiBallot:
    """A stored multi-question ballot. Its questions are names of elections, in the order in which voters see them."""

    id: str
    name: str
    leader: str  # the election whose roll, window and settings are the multi-question ballot's
    questions: tuple[str, ...]
    created_at: str
    version: int = 1

    @property
    def ordered(self) -> list[str]:
        """The order of actions on all questions: the leading election last, when all others are done."""
        return [*(name for name in self.questions if not self.is_led_by(name)), self.leader]

    def is_led_by(self, name: str) -> bool:
        return fold(name) == fold(self.leader)

    def short(self, name: str) -> str:
        """The question's name without the ballot's name as a prefix."""
        return name.removeprefix(f"{self.name}: ") or name

    def place(self, name: str) -> int:
        return [fold(each) for each in self.questions].index(fold(name)) + 1


def question_key(name: str) -> str:
    """Identifies a question in the names of fields and tokens, wherever it is on the ballot."""
    return "q" + hashlib.sha256(fold(name).encode()).hexdigest()[:8]


class SharedSetting(WrongState):
    """A change of settings that the leading question has for all; `fields` are their names."""

    def __init__(self, message: str, fields: Iterable[str]):
        super().__init__(message)
        self.fields = tuple(fields)


BUSY = gettext_lazy("The questions on this ballot are being opened, extended or closed. Please try again in a moment.")


def election_name(multi_ballot_name: str, question: str) -> str:
    """The name of a new question's election: unique on the site, prefixed with as much of the ballot's as fits."""
    room = MAX_NAME_CHARS - len(f": {question}")
    if len(multi_ballot_name) > room:
        multi_ballot_name = f"{multi_ballot_name[: room - 1].rstrip()}…" if room > 1 else ""
    return f"{multi_ballot_name}: {question}" if multi_ballot_name else question


def check_many(questions: Sequence[str]) -> None:
    if not questions:
        raise NotNow(_("A ballot needs at least one question."))
    if len(questions) > MAX_QUESTIONS:
        raise NotNow(_("A ballot has at most %(most)d questions.") % {"most": MAX_QUESTIONS})


def check_candidates(count: int) -> None:
    if count > MAX_TOTAL_CANDIDATES:
        values = {"most": MAX_TOTAL_CANDIDATES, "count": count}
        raise elections.NotReady(
            _("All questions on a ballot may have at most %(most)d candidates in total; these have %(count)d.") % values
        )


def check_single_question(
    ballot: MultiBallot | None, is_at_work: bool, election: Election, action: Action, settings: Iterable[str] = ()
) -> None:
    """Refuse actions that are not for a single question, and changes of settings that are not its own; say where to
    find them."""
    if ballot is None:
        return
    if is_at_work and action not in ALLOWED_WHILE_BUSY:
        raise WrongState(BUSY)
    values = {"book": ballot.name, "leader": ballot.leader}
    if action in ALL_QUESTIONS_ACTIONS:
        raise WrongState(
            _("This is one of several questions on the ballot “%(book)s”. Do this there, for all of them.") % values
        )
    if action in LEADER_ACTIONS and not ballot.is_led_by(election.name):
        raise WrongState(
            _("The questions on the ballot “%(book)s” share one roll and one invitation: those of “%(leader)s”.")
            % values
        )
    if not ballot.is_led_by(election.name) and (shared := OF_LEADER.intersection(settings)):
        sentence = _("The questions on the ballot “%(book)s” share this setting. Change it for “%(leader)s”.")
        raise SharedSetting(sentence % values, sorted(shared))


def shared_by(leader: Election) -> dict[str, Any]:
    return {name: getattr(leader, name) for name in SHARED} | LEADER_ONLY_DEFAULTS


def as_opened(election: Election, leader: Election, sizes: opening_rules.Sizes) -> Election:
    """A question with the leader's settings and roll."""
    return opening_rules.as_opened(replace(as_led(election, leader), voter_count=leader.voter_count), sizes)


def as_led(election: Election, leader: Election) -> Election:
    """A question as it opens: with the settings of the one that leads."""
    return election if fold(election.name) == fold(leader.name) else replace(election, **shared_by(leader))


def missing(question: Election, candidates: int, now: str) -> str:
    """What a question lacks before the multi-question ballot can open; empty if it is ready."""
    try:
        opening_rules.check_opening(question, candidates, now)
    except elections.NotReady as refusal:
        return str(refusal)
    return ""


def check_opening(lacking: Iterable[tuple[str, str]]) -> None:
    """Name every question that is not ready, each with all it lacks."""
    if found := [f"{name}: {sentence}" for name, sentence in lacking if sentence]:
        raise elections.NotReady(" ".join(found))


# --- changes; each returns the changed multi-question ballot ---


def with_questions(ballot: MultiBallot, names: Sequence[str]) -> MultiBallot:
    there = {fold(each) for each in ballot.questions}
    questions = (*ballot.questions, *(name for name in names if fold(name) not in there))
    check_many(questions)
    return replace(ballot, questions=questions)


def without(ballot: MultiBallot, name: str) -> MultiBallot | None:
    """None if it was the last. If it led, the first of the others leads from now on."""
    left = tuple(each for each in ballot.questions if fold(each) != fold(name))
    if not left:
        return None
    return replace(ballot, questions=left, leader=left[0] if ballot.is_led_by(name) else ballot.leader)


def moved(ballot: MultiBallot, name: str, *, up: bool) -> MultiBallot:
    at = ballot.place(name) - 1
    to = at - 1 if up else at + 1
    if not 0 <= to < len(ballot.questions):
        return ballot
    order = list(ballot.questions)
    order[at], order[to] = order[to], order[at]
    return replace(ballot, questions=tuple(order))
