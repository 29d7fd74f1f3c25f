"""Rules of questions to candidates: who may ask, upvote and answer, and when. Pure, refusals as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from elections.panels import AnswerShown
from elections.rules import WHILE_OPEN, Election
from foundation.acts.refusals import NotAllowed, NotNow
from foundation.qa.rules import Mode, Question, keyed_digest
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Item

ASKERS = {"": _("nobody"), "voters": _("the voters"), "everyone": _("everybody who may see the election")}
TO_ALL = -1  # instead of a candidate's number
QUESTION_STEP = 100_000  # between the numbers of candidates of one question of an election and of the next
MAX_ANSWERS = 10_000  # in one election
MAX_DIGITS = 9
MARKUP_BYTES = 20  # around an answer on a page, as compressed
BY_CANDIDATE, BY_ORGANISERS = "candidate", "organisers"

OFF = _("This election takes no questions to candidates.")
OVER = _("Voting has ended: questions and answers can no longer be sent.")
ONLY_VOTERS = _("Only voters of this election can ask and upvote questions.")
NO_ANSWER = _("Write an answer first.")
TOO_MANY_ANSWERS = _("This election has %(most)d answers, which is the limit.")


@dataclass(frozen=True, slots=True)
class CandidateQuestion(Question):
    """A question to all candidates, or to one."""

    election_name: str = ""
    to: int = TO_ALL  # a candidate's number, as `AskedCandidate` has it
    name: str = ""  # of who asks, only if names were shown when it was sent
    shown_at: int = 0  # when candidates could first see it; if it is waiting, when it was sent
    asker: str = ""  # a keyed digest of the account, by which a person finds their questions in all elections

    @property
    def index(self) -> Item:
        """Where a person's own questions are listed."""
        return {"GSI1PK": keys.questions_by(self.asker).pk, "GSI1SK": self.id} if self.asker else {}

    def is_the_same(self, other: Self) -> bool:
        return (self.text, self.to) == (other.text, other.to)

    def is_for(self, candidate: int) -> bool:
        return self.to in (TO_ALL, candidate)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of one candidate to one question."""

    question: str
    candidate: int  # the number, as `AskedCandidate` has it
    text: str
    at: int
    by: str = BY_CANDIDATE
    edited: bool = False
    hidden: bool = False
    version: int = 1

    @property
    def is_by_organisers(self) -> bool:
        return self.by == BY_ORGANISERS


@dataclass(frozen=True, slots=True)
class AskedCandidate(Candidate):
    """A candidate with a number that no candidate of another question of the election has."""

    title: str = ""  # of the question they stand in, where there are several

    @property
    def label(self) -> str:
        return f"{self.name} ({self.title})" if self.title else self.name


def first_number(question: int) -> int:
    """What is added to the numbers of the candidates of a question."""
    return (question - 1) * QUESTION_STEP


def is_asked_about(question: Election) -> bool:
    """A proposal has no candidates who could answer."""
    return question.kind != "yes-no"


def scope(election_name: str) -> str:
    """What keyed ids of an election's questions depend on."""
    return f"election {keys.fold(election_name)}"


def person_key(name: str, account: str | None) -> str:
    """Somebody who asks: the name on the roll, or of the account, and which account of that name it is."""
    return f"{keys.fold(name)} {account or ''}"


def asker_mark(name: str) -> str:
    """Under which an account's questions are listed, for its owner's data and its removal."""
    return keyed_digest("questions by", keys.fold(name))[:24]


def mode(election: Election) -> Mode:
    return Mode.OPEN if election.questions_open else Mode.APPROVED


# --- who may do what, and when ---


def is_taking(election: Election, now: str) -> bool:
    """From the opening, even before voting begins, until the end."""
    return bool(election.questions_from) and election.state(now) in WHILE_OPEN


def check_taking(election: Election, now: str) -> None:
    if not election.questions_from:
        raise NotNow(OFF)
    if not is_taking(election, now):
        raise NotNow(OVER)


def is_account_of(election: Election, user: User, candidate: Candidate) -> bool:
    """Whether it is the account of the candidate's name, and not one made under that name since the election opened:
    from then on, everybody can read who stands."""
    is_older = election.opened_at is not None and user.created_at <= election.opened_at
    return is_older and keys.fold(user.name) == keys.fold(candidate.name)


def may_ask(election: Election, *, is_voter: bool) -> bool:
    return is_voter or election.questions_from == "everyone"


def check_asks(election: Election, now: str, *, is_voter: bool) -> None:
    check_taking(election, now)
    if not may_ask(election, is_voter=is_voter):
        raise NotAllowed(ONLY_VOTERS)


def number_in(typed: str) -> int | None:
    """A number as an address or a button gives it."""
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < MAX_DIGITS else None


# --- what is shown with a candidate ---


def shown_answers(
    questions: Sequence[CandidateQuestion], answers: Mapping[str, Mapping[int, Answer]], budget: int
) -> dict[int, tuple[AnswerShown, ...]]:
    """Visible answers by candidate: to the best question, and to the next best ones as far as the page has room, for
    all candidates alike."""
    shown: dict[int, list[AnswerShown]] = {}
    for question in questions:
        if not question.is_seen:
            continue
        found = [each for each in answers.get(question.id, {}).values() if not each.hidden]
        budget -= weight(question, found)
        if budget < 0 and shown:
            break
        for each in found:
            line = AnswerShown(question.text, each.text, each.edited, each.is_by_organisers)
            shown.setdefault(each.candidate, []).append(line)
    return {candidate: tuple(lines) for candidate, lines in shown.items()}


def weight(question: CandidateQuestion, answers: Iterable[Answer]) -> int:
    """In bytes that a page needs for it."""
    return len(question.text.encode()) + sum(len(each.text.encode()) + MARKUP_BYTES for each in answers)


def unanswered(
    questions: Iterable[CandidateQuestion], answers: Mapping[str, Mapping[int, Answer]], candidate: int
) -> list[CandidateQuestion]:
    """What a candidate has still to answer."""
    own = (each for each in questions if each.is_seen and each.is_for(candidate))
    return [each for each in own if candidate not in answers.get(each.id, {})]
