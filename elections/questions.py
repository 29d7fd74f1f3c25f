"""Asking several questions in one election: add one, take one out, change their order. Only in a draft."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import User
from elections import repository, rules
from elections.actions import check, record
from elections.candidates.services import remove_candidates
from elections.rules import Action, Election, Question
from foundation.acts.refusals import LostRace
from foundation.acts.versions import next_version
from foundation.store.table import Write

CANDIDATES_AT_ONCE = 10  # removed with their pictures in one transaction, with room for the election and who runs it


def add_question(
    actor: User, election: Election, title: str, *, first_title: str = "", mark: str | None = None, **settings: Any
) -> Election:
    """Ask another question; returns the election as it asks it. The first one gets a title, too, once it is no longer
    alone: the name of the election, unless another is given. Idempotent for the same `mark` of a form."""
    check(actor, election, Action.SET_UP)
    whole = election.at(1)
    if len(whole.questions) >= rules.MAX_QUESTIONS:
        raise rules.WrongState(_("An election has at most %(most)d questions.") % {"most": rules.MAX_QUESTIONS})
    number = max((each.number for each in whole.more), default=1) + 1
    after = replace(
        whole,
        title=first_title or whole.title or whole.name,
        more=(*whole.more, Question(number, title, **settings)),
        order=(*whole.order, number) if whole.order else (),
    )
    rules.check_titles(after)
    return _change(actor, whole, after, mark=mark).at(number)


def remove_question(actor: User, question: Election) -> Election:
    """With its candidates, the last few of them together with it. The first one stays as long as there are others:
    everything else is stored with it."""
    check(actor, question, Action.SET_UP)
    if question.number == 1:
        raise rules.WrongState(_("The first question cannot be removed. Change it instead, or remove the others."))
    names = [each.name for each in repository.candidates(question.name, question.number)]
    while len(names) > CANDIDATES_AT_ONCE:
        some, names = names[:CANDIDATES_AT_ONCE], names[CANDIDATES_AT_ONCE:]
        remove_candidates(actor, question, some)
        question = _as_now(question)
    whole = question.at(1)
    more = tuple(each for each in whole.more if each.number != question.number)
    order = tuple(each for each in whole.order if each != question.number) if more else ()
    after = replace(whole, more=more, order=order, title=whole.title if more else "")
    gone = [write for name in names for write in repository.removing_candidate(question.name, name, question.number)]
    return _change(actor, whole, after, *gone)


def _as_now(question: Election) -> Election:
    now = repository.find(question.name)
    if now is None or not now.has_question(question.number):
        raise LostRace
    return now.at(question.number)


def move_question(actor: User, question: Election, *, up: bool) -> Election:
    """Exchange it with the one before it or after it on the ballot."""
    check(actor, question, Action.SET_UP)
    order = [each.number for each in question.questions]
    at = order.index(question.number)
    other = at - 1 if up else at + 1
    if not 0 <= other < len(order):
        return question
    order[at], order[other] = order[other], order[at]
    whole = question.at(1)
    return _change(actor, whole, replace(whole, order=tuple(order))).at(question.number)


def _change(actor: User, before: Election, after: Election, *also: Write, mark: str | None = None) -> Election:
    fields = {name: getattr(after, name) for name in ("title", "more", "order")}
    different = {name: value for name, value in fields.items() if getattr(before, name) != value}
    writes = (*repository.change(before, after), *also)
    record(actor, "ElectionUpdated", before, repository.storable(different), *writes, once=mark)
    return next_version(before, after)
