"""Actions on needed skills and candidates' agreements, and the mail that asks candidates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from accounts import mail_quota
from accounts import repository as people
from accounts.models import User
from elections import repository
from elections.actions import check, record
from elections.invitations import wording
from elections.invitations.emails import unless
from elections.rules import Action, Election, NotReady, State, check_not_busy, check_when
from foundation.acts import storage
from foundation.acts.refusals import NotThere
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import now_text, table
from foundation.mail import outbox
from foundation.mail.emails import EmailTemplate
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.splitting import by_count
from foundation.store.table import Item, Update, Write
from parts.skills import repository as skills
from parts.skills.rules import NOT_THERE

from . import needs
from .needs import Agreement, Need

MAX_NEEDS = 20
MAX_AGREED_CANDIDATES = 100  # so that the snapshot of all of them fits one item
TRANSACTION_CANDIDATES = 40  # candidates: a mark and a mail each, in one transaction


def set_need(actor: User, election: Election, need: Need) -> None:
    """One per skill, replacing an earlier one. It depends on the version: of two concurrent changes, one retries."""
    retry_lost_race(partial(_set_need, actor, election, need, is_copy=False))


def copy_needs(actor: User, source: Election, draft: Election) -> None:
    """Skills that have left the catalogue since are copied as those they were merged into."""
    for need in needs.named(needs.find_needs(source.name)):
        retry_lost_race(partial(_set_need, actor, draft, need, is_copy=True))


def _set_need(actor: User, election: Election, need: Need, *, is_copy: bool) -> None:
    election = repository.find(election.name) or election
    check(actor, election, Action.SET_NEEDS)
    before = needs.find_needs(election.name)
    if not is_copy:
        skill = skills.find(need.skill)
        if skill is None or not skill.is_listed:
            raise NotThere(NOT_THERE)
        if len({each.skill for each in before} | {need.skill}) > MAX_NEEDS:
            raise NotReady(_("An election can list at most 20 skills."))
    if replace(need, name="") not in before:
        event_data = {"skill_id": need.skill, "level": need.level, "count": need.count}
        touched = repository.touched(election, candidates=True)
        record(actor, "NeedSet", election, event_data, *needs.setting(election.name, need), touched)


def drop_need(actor: User, election: Election, skill_id: str) -> None:
    """Including the needs for skills that were merged into this one."""
    check(actor, election, Action.SET_NEEDS)
    if not (gone := needs.leading_to(election.name, skill_id)):
        raise NotThere(NOT_THERE)
    writes = [*needs.dropping(election.name, gone), repository.touched(election)]
    record(actor, "NeedsDropped", election, {"skills": gone}, *writes)


# --- candidates ---


def ask_candidates(actor: User, election: Election) -> int:
    """Mail candidates with an account, once about each set of needs; returns how many."""
    check(actor, election, Action.SET_NEEDS)
    wanted = needs.named(needs.find_needs(election.name))
    waiting = needs.unasked_candidates(election, wanted, needs.agreements(election))
    mail_quota.quota_today(actor).check(len(waiting))
    skill_ids, about = [each.skill for each in wanted], {"election_name": election.name, "asked_by": actor.name}
    for some in by_count(waiting, TRANSACTION_CANDIDATES):
        now = repository.find(election.name) or election
        found = table().get_many(keys.user(each.person) for each in some)
        emails = [outbox.queued("candidate_asked", item["email"], **about) for item in found.values()]
        marks = [write for each in some for write in needs.asking(now, each, skill_ids)]
        event_data = {"candidates": [each.candidate for each in some], "accounts": [each.account for each in some]}
        writes: list[Write] = [*marks, *emails, *mail_quota.quota_today(actor).reserving(len(emails))]
        record(actor, "CandidatesAsked", now, event_data | {"skills": skill_ids}, *writes, repository.touched(now))
    return len(waiting)


def agree(person: User, election: Election, candidate: Candidate) -> None:
    """To the skills that are needed now. Until it opens, one may agree again, or withdraw. The election is given as it
    asks the question in which they stand."""
    retry_lost_race(partial(_agree, person, election, candidate))


def _agree(person: User, election: Election, candidate: Candidate) -> None:
    now = repository.find(election.name)
    election = now.at(election.number) if now and now.has_question(election.number) else election
    _check_before_opening(election)
    wanted = tuple(each.skill for each in needs.named(needs.find_needs(election.name)))
    if not wanted:
        raise NotReady(_("This election does not list any skills it needs."))
    before = needs.agreements(election)
    if len({each.candidate for each in before if each.skills} | {candidate.name}) > MAX_AGREED_CANDIDATES:
        raise NotReady(_("At most 100 candidates in an election can show their skills."))
    asked = next((each.asked for each in before if each.candidate == candidate.name), ())
    new = Agreement(candidate.name, person.name, person.created_at, wanted, asked, wanted, election.number)
    if new not in before:
        answers, touched = {"skills": list(wanted), "asked": list(asked)}, repository.touched(election, candidates=True)
        _record_answer(person, "CandidateAgreed", election, new, answers, touched)


def disagree(person: User, election: Election, candidate: Candidate) -> None:
    """Records the refusal, so that they are not asked about the same skills again."""
    _check_before_opening(election)
    wanted = tuple(each.skill for each in needs.named(needs.find_needs(election.name)))
    before = needs.agreement_of(election, candidate.name)
    asked = before.asked if before else ()
    declined = Agreement(candidate.name, person.name, person.created_at, (), asked, wanted, election.number)
    answers = {"asked": list(asked), "answered": list(wanted)}
    _record_answer(person, "CandidateDisagreed", election, declined, answers, repository.touched(election))


def _record_answer(
    person: User, event_type: str, election: Election, answer: Agreement, answers: Item, touched: Update
) -> None:
    event_data = {"candidate_name": answer.candidate, "account": answer.account, **answers}
    conditions = (
        people.is_same_account(person),
        repository.candidate_exists(election.name, answer.candidate, election.number),
    )
    record(person, event_type, election, event_data, *needs.agreeing(election, answer), touched, *conditions)


def _check_before_opening(election: Election) -> None:
    check_when(election.state(now_text()), Action.SET_NEEDS)
    check_not_busy(election, Action.CHANGE_CANDIDATES)


# --- when a person leaves ---


def forget_agreements(gone: User) -> None:
    """Their agreements go with them, including from the snapshots taken when elections opened."""
    for item in list(table().each(keys.agreed_by(gone.name))):
        retry_lost_race(partial(_forget, item))


def _forget(item: Item) -> None:
    election = repository.find(item["election_name"])
    question = needs.question_in(item)
    if election is None or not election.has_question(question):
        return  # it is being deleted, including this
    event_data = election.at(question).event_subject | {"candidate_name": item["candidate_name"]}
    touched = [repository.touched(election)] if election.stored_state == State.DRAFT else []
    writes = needs.forgetting(election.name, item["candidate_name"], question)
    storage.record(Event("plenum", "CandidateDisagreed", event_data), *writes, *touched)


EMAIL_TEMPLATES = {
    "candidate_asked": EmailTemplate(
        gettext_noop("You are a candidate in “%(election)s”: may we show your skills?"),
        (
            gettext_noop(
                "%(who)s is preparing the election “%(election)s”, in which you are a candidate. It lists skills it "
                "needs."
            ),
            gettext_noop("May your level in just these skills be shown, with the result or before?"),
            gettext_noop("If you do nothing, they are not shown, which says nothing about you."),
        ),
        lambda mail: reverse("agree", args=[mail.about["election_name"]]),
        gettext_noop("See what would be shown"),
        is_over=unless(State.DRAFT),  # candidates can only agree before it opens
        values=lambda mail: {
            "who": wording.person_label(mail.about["asked_by"]),
            "election": mail.about["election_name"],
        },
        title=gettext_noop("Question to a candidate about skills"),
    )
}
