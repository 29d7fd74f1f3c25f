"""Questions to candidates: asking, review, answers, and what pages of others show of them.

Asking and upvoting record no events; the other events name ids only.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from ballots.guest_views import Meanwhile
from elections import repository as elections
from elections.actions import check, record
from elections.dashboard.concerns import Waiting
from elections.rules import Action, Election, State
from foundation.acts import storage
from foundation.acts.refusals import NotNow, NotThere
from foundation.acts.retry import retried, retry_lost_race
from foundation.acts.storage import SITE, now_text, table, unchanged, write
from foundation.acts.tokens import create_token, read_token
from foundation.qa import rules as question_rules
from foundation.qa import services as questions
from foundation.qa import store
from foundation.qa.rules import ALREADY_CHANGED, NOT_THERE, Fate, author_id
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Key, Update, Write

from . import emails, rules
from . import repository as asked
from .rules import BY_CANDIDATE, BY_ORGANISERS, TO_ALL, Answer, AskedCandidate, CandidateQuestion

MAX_LISTED = 200  # of the open elections, the newest


@dataclass(frozen=True, slots=True)
class Asker:
    """Somebody who looks at an election's questions, and perhaps asks: with an account, or with a voting link."""

    election: Election
    person: str  # as `rules.person_key`; only keyed digests of it are stored
    is_voter: bool
    user: User | None = None


# --- by voters ---


def ask(asker: Asker, own: Sequence[CandidateQuestion], sent: int, text: str, to: int, at: int) -> CandidateQuestion:
    """Send a validated question to one candidate or to all; idempotent for the same text."""
    election, user = asker.election, asker.user
    if to != TO_ALL and all(each.number != to for each in asked.candidates_of(election)):
        raise NotNow(ALREADY_CHANGED)

    def check_limits(known: Sequence[CandidateQuestion]) -> None:
        rules.check_asks(election, now_text(), is_voter=asker.is_voter)
        question_rules.check_limits(known, sent)

    def new(id_: str) -> CandidateQuestion:
        name = user.name if user and election.questions_named else ""  # stored only if names are shown
        mark = rules.asker_mark(user.name) if user else ""
        author = author_id(rules.scope(election.name), asker.person)
        question = CandidateQuestion(id_, text, author, at, election_name=election.name)
        question = replace(question, to=to, name=name, asker=mark, shown_at=at)
        return question_rules.with_initial_fate(question, rules.mode(election))

    question = questions.send(asked.board(election.name), asker.person, own, check_limits, new)
    if question.is_seen and question not in own:
        emails.schedule(election)
    return question


def upvote(asker: Asker, question: CandidateQuestion | None, *, on: bool) -> bool:
    """Upvote a visible question of another person, or take it back; idempotent. Return whether anything changed."""
    rules.check_asks(asker.election, now_text(), is_voter=asker.is_voter)
    return questions.upvote(asked.board(asker.election.name), asker.person, question, on=on)


# --- by organisers ---


@retried
def review(actor: User, election: Election, question: str, *, show: bool) -> None:
    """Approve a question or show it again, or hide it with its answers."""
    check(actor, election, Action.REVIEW_QUESTIONS)
    before = asked.find_question(election.name, question)
    if before is None:
        raise NotThere(NOT_THERE)
    fate = Fate.SHOWN if show else Fate.HIDDEN
    if fate == before.fate or not before.text:
        raise NotNow(ALREADY_CHANGED)
    after = replace(before, fate=fate, shown_at=asked.now_ms() if show else before.shown_at)
    writes = store.moderating(asked.board(election.name), before, after)
    kind = "CandidateQuestionShown" if show else "CandidateQuestionHidden"
    record(actor, kind, election, {"question": question}, *writes, asked.counting_change(election))
    if show:
        emails.schedule(election)


@retried
def review_answer(actor: User, election: Election, question: str, candidate: int, *, show: bool) -> None:
    check(actor, election, Action.REVIEW_QUESTIONS)
    before = asked.find_answer(election.name, question, candidate)
    if before is None or before.hidden != show or not before.text:
        raise NotNow(ALREADY_CHANGED)
    writes = asked.answering(election, before, replace(before, hidden=not show))
    kind = "CandidateAnswerShown" if show else "CandidateAnswerHidden"
    _record_answer(actor.name, kind, election, question, candidate, *writes)


@retried
def erase(actor: User, election: Election, question: str, candidate: int | None = None) -> None:
    """Delete the text of a hidden question, with the name of who asked, or that of a hidden answer, for good."""
    check(actor, election, Action.REVIEW_QUESTIONS)
    if candidate is not None:
        answer = asked.find_answer(election.name, question, candidate)
        if answer is None or not answer.hidden or not answer.text:
            raise NotNow(ALREADY_CHANGED)
        writes = asked.answering(election, answer, replace(answer, text=""))
        return _record_answer(actor.name, "CandidateAnswerErased", election, question, candidate, *writes)
    before = asked.find_question(election.name, question)
    if before is None or before.fate != Fate.HIDDEN or not before.text:
        raise NotNow(ALREADY_CHANGED)
    writes = store.moderating(asked.board(election.name), before, replace(before, text="", name="", asker=""))
    writes = [*writes, asked.counting_change(election)]
    return record(actor, "CandidateQuestionErased", election, {"question": question}, *writes)


# --- by candidates ---


@retried
def answer(who: User | None, election: Election, candidate: AskedCandidate, question: str, text: str, at: int) -> None:
    """Answer a question or change the answer: the candidate, signed in or by an answer link, for whom `who` is none;
    or an organiser on their behalf."""
    by = BY_CANDIDATE
    if who is not None and not rules.is_account_of(election, who, candidate):
        check(who, election, Action.ANSWER_QUESTIONS)
        by = BY_ORGANISERS
    rules.check_taking(elections.find(election.name) or election, now_text())
    found = asked.find_question(election.name, question)
    if found is None or not found.is_seen or not found.is_for(candidate.number):
        raise NotNow(NOT_THERE)
    new = Answer(question, candidate.number, text, at, by)
    before = asked.find_answer(election.name, question, candidate.number)
    if before and (before.text, before.by) == (text, by):
        return
    if before:
        new = replace(new, at=before.at, edited=True, hidden=before.hidden, version=before.version)
    elif sum(map(len, asked.read_cached(election).answers.values())) >= rules.MAX_ANSWERS:
        raise NotNow(rules.TOO_MANY_ANSWERS % {"most": rules.MAX_ANSWERS})
    writes = [*asked.answering(election, before, new), store.checking_unchanged(asked.board(election.name), found)]
    _record_answer(who.name if who else SITE, "CandidateAnswered", election, question, candidate.number, *writes)


def _record_answer(who: str, kind: str, election: Election, question: str, candidate: int, *writes: Write) -> None:
    data = {"election_name": election.name, "question": question, "candidate": candidate}
    storage.record(Event(who, kind, data), *writes, asked.counting_change(election))


# --- answer links, for candidates without an account ---


def make_link(actor: User, election: Election, candidate: int) -> None:
    """A new link for a candidate; an earlier one is no longer valid."""
    check(actor, election, Action.ANSWER_QUESTIONS)
    if all(each.number != candidate for each in asked.candidates_of(election)):
        raise NotThere(NOT_THERE)
    link = asked.linking(election, candidate, secrets.token_urlsafe(9))
    record(actor, "AnswerLinkMade", election, {"candidate": candidate}, link)


def revoke_link(actor: User, election: Election, candidate: int) -> None:
    check(actor, election, Action.ANSWER_QUESTIONS)
    record(actor, "AnswerLinkRevoked", election, {"candidate": candidate}, asked.unlinking(election, candidate))


def link_token(election: Election, candidate: int, turn: str) -> str:
    return create_token("answer", election.name, election.created_at, str(candidate), turn)


def resolve_token(token: str) -> tuple[Election, AskedCandidate] | None:
    """What an answer link is for, if it is still valid."""
    parts = read_token("answer", token, None)
    if not parts or len(parts) != 4:
        return None
    name, created_at, number, turn = parts
    election = elections.find(name)
    if election is None or election.created_at != created_at or asked.link_turn(name, int(number)) != turn:
        return None
    found = next((each for each in asked.candidates_of(election) if each.number == int(number)), None)
    return (election, found) if found else None


# --- when a person leaves ---


def forget_asker(gone: User) -> None:
    """Their questions stay, without their name and without what leads from their account to them."""

    def forget(place: Key) -> None:
        item = table().get(place)
        before = asked.question_from_item(item) if item else None
        if before is not None and before.asker:
            bare = {"name": "", "asker": ""}
            write(Update(place, set=bare, remove=("GSI1PK", "GSI1SK"), add={"version": 1}, when=unchanged(before)))

    for item in list(table().each(keys.questions_by(rules.asker_mark(gone.name)))):
        retry_lost_race(partial(forget, Key(item["PK"], item["SK"])))


# --- what pages of others show ---


def to_review(election: Election) -> Waiting | None:
    """On the dashboard."""
    count = asked.count_waiting(election)
    if not count:
        return None
    sentence = ngettext(
        "%(count)d question to candidates is waiting for review.",
        "%(count)d questions to candidates are waiting for review.",
        count,
    )
    return Waiting(
        "questions", sentence % {"count": count}, "review_questions", _("Review questions"), "REVIEW_QUESTIONS"
    )


def before_voting(election: Election, now: str) -> Meanwhile | None:
    """Behind a voting link."""
    if not rules.is_taking(election, now):
        return None
    sentence = _(
        "Voting has not begun yet. Until then you can ask the candidates questions; to vote, open this link again."
    )
    return Meanwhile(sentence, reverse("candidate_questions", args=[election.name]), _("Questions to the candidates"))


def running() -> Iterator[str]:
    """On the page that switches it off."""
    now, (listed, _older) = now_text(), elections.list_elections(state=State.OPEN, limit=MAX_LISTED)
    found = elections.open_elections([each.name for each in listed], now)
    if taking := sum(rules.is_taking(each, now) for each in found):
        sentence = ngettext(
            "In %(count)d open election, candidates can be asked questions.",
            "In %(count)d open elections, candidates can be asked questions.",
            taking,
        )
        yield sentence % {"count": taking}
