"""Casting, changing and withdrawing a ballot."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from acts.refusals import LostRace, NotNow, NotThere, Refusal
from acts.retry import retry_lost_race, run_once
from acts.storage import now_text, record, table
from ballots import emails, repository, rules, secrecy
from ballots.passes import Pass
from ballots.repository import Standing
from ballots.rules import Ballot, HasNotVoted, NotOnTheRoll
from elections import actions
from elections import repository as elections
from elections.rules import Action, State, check_when, check_who
from elections.turnout.counts import tells_who, turnout
from ranking.rankings import Ranks, ranking_from
from store import keys
from store.log import Event, as_text, utc_now
from store.table import Item, Write

from .by_link import standing_by

MAX_ATTEMPTS = 8  # retries when losing a race with the voter's own tabs, or with changes of the roll


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a form: the ballot cast, unless the form was a repeat; and what it replaced."""

    ballot: Ballot | None
    replaced: bool = False
    acts: int = 0  # how often the voter had acted before


ALREADY_DONE = Outcome(None)  # of a form that was carried out before


# --- who votes ---


def standing_of(
    who: User | Pass, election_name: str, form: str = "", *, described: bool = False, to_show: bool = False
) -> Standing | None:
    """The voter's standing. Drafts count as missing, as they take no votes. With `to_show`, the election may be a
    second old; no decision depends on it.
    """
    if isinstance(who, Pass):
        found = standing_by(who, election_name, form, described=described)
    else:
        found = repository.read_standing(election_name, who, form=form, described=described, to_show=to_show)
    return None if found is None or found.election.stored_state == State.DRAFT else found


def check_voter(standing: Standing, now: str) -> None:
    rules.check_voting(standing.election, now)
    if standing.voter is None:
        raise NotOnTheRoll(rules.not_on_the_roll(standing.election))
    if standing.salt is not None:
        secrecy.check_secret(standing.salt)


def check_own_ballot(standing: Standing, now: str) -> None:
    """As `check_voter`, for voters themselves: a ballot unlinked by a restore cannot be changed."""
    check_voter(standing, now)
    if standing.is_unlinked:
        raise rules.Unlinked(rules.UNLINKED)


# --- casting ---


def cast(who: User | Pass, election_name: str, ranks: Ranks, form: str, *, called: str | None = None) -> Outcome:
    """Cast a ballot, or replace the existing one.

    `form` is the form's token: sending the same form again changes nothing. `called` is what the email calls the
    ballot; if empty, no email is sent.
    """
    return _run_own(who, election_name, form, lambda standing: _cast(who, standing, ranks, form, called=called))


def _run_own(who: User | Pass, election_name: str, form: str, act: Callable[[Standing | None], Outcome]) -> Outcome:
    """Act on an election that may be a second old while it has its open mark (`elections.open_marks`). Without the
    mark, and before the form is refused for any reason, on the election as it is now."""

    def run() -> Outcome:
        if isinstance(who, User) and table().is_distant:
            mark = random.choice(keys.open_marks(election_name))  # noqa: S311 - only to spread the load
            if recent := repository.read_standing(election_name, who, form=form, open_mark=mark):
                with suppress(Refusal):
                    return act(recent)
        return retry_lost_race(lambda: act(standing_of(who, election_name, form)), MAX_ATTEMPTS)

    return run_once(form, run, ALREADY_DONE)


def _cast(
    who: User | Pass,
    standing: Standing | None,
    ranks: Ranks,
    form: str,
    *,
    paper: bool = False,
    called: str | None = None,
) -> Outcome:
    now = utc_now()
    if standing is None:
        raise NotThere(rules.NOT_OPEN)
    if standing.repeated:
        return ALREADY_DONE
    (check_voter if paper else check_own_ballot)(standing, as_text(now))
    if not standing.has_ballot_key and not standing.is_unlinked:
        raise LostRace  # it was shut, and its salt destroyed, between two of our readings
    rankings = ranking_from(ranks, elections.candidates_of(standing.election))
    if paper:
        _check_no_ballot(standing)
    mails = emails.cast_email(standing, _name(who, standing), paper=paper, called=called)
    ballot = _record_cast(who, standing, rankings, now, form, *mails, paper=paper)
    return Outcome(ballot, standing.voted, standing.acts)


def _record_cast(
    who: User | Pass, standing: Standing, rankings: str, now: datetime, form: str, *mails: Write, paper: bool
) -> Ballot:
    when = None if standing.election.secret_ballot else as_text(now)
    ballot = Ballot(rankings, secrecy.new_confirmation(), when)
    event_data: Item = {
        "election_name": standing.election.name,
        "voter_name": standing.voter,
        "changed": standing.voted,
    }
    if paper:
        event_data["paper"] = True
    if standing.entry is None and standing.account:
        event_data["account"] = standing.account
    if not standing.election.secret_ballot:
        event_data |= {"rankings": rankings, "confirmation": ballot.confirmation}
    actor, casting = _name(who, standing), repository.casting(standing, ballot, paper=paper)
    writes = [*casting, *mails, *_checking_actor(who, standing, casting)]
    record(Event(actor, "BallotCast", event_data), *writes, once=form, at=now)
    return ballot


def _name(who: User | Pass, standing: Standing) -> str:
    """The voter's name in the log; for a link, the name on the roll. Whether they came by link is not recorded."""
    return (standing.voter or who.voter) if isinstance(who, Pass) else who.name


def _checking_actor(who: User | Pass, standing: Standing, written: Sequence[Write]) -> list[Write]:
    """Checks that the actor may still act as when `standing` was read."""
    return repository.checking_link(standing, written) if isinstance(who, Pass) else [people.is_same_account(who)]


# --- withdrawing ---


def withdraw(who: User | Pass, election_name: str, form: str) -> Outcome:
    return _run_own(who, election_name, form, lambda standing: _withdraw(who, standing, form))


def _withdraw(who: User | Pass, standing: Standing | None, form: str) -> Outcome:
    now = utc_now()
    if standing is None:
        raise NotThere(rules.NOT_OPEN)
    if standing.repeated:
        return ALREADY_DONE
    check_own_ballot(standing, as_text(now))
    if not standing.has_ballot_key:
        raise LostRace
    if not standing.voted:
        raise HasNotVoted(rules.NOTHING_CAST)
    also = emails.withdrawal_email(standing)
    if isinstance(who, Pass):
        also += repository.checking_link(standing, repository.withdrawing(standing))
    record_withdrawal(_name(who, standing), standing, now, *also, once=form)
    return Outcome(None, standing.voted, standing.acts)


def record_withdrawal(actor: str, standing: Standing, now: datetime, *also: Write, once: str | None = None) -> None:
    event_data = {"election_name": standing.election.name, "voter_name": standing.voter}
    writes = [*repository.withdrawing(standing), *also]
    record(Event(actor, "BallotWithdrawn", event_data), *writes, once=once, at=now)


# --- on paper ---


def enter_paper(actor: User, election_name: str, voter: str, ranks: Ranks, form: str) -> Outcome:
    """An organiser enters a paper ballot for a voter on the roll; the log and the turnout record that.

    That the person has already voted is checked last, so that a form refused for another reason does not reveal it.
    """

    def act() -> Outcome:
        found = paper_standing(election_name, voter, form)
        if found is not None:
            check_paper(actor, found)
        return _cast(actor, found, ranks, form, paper=True)

    return run_once(form, lambda: retry_lost_race(act, MAX_ATTEMPTS), ALREADY_DONE)


def paper_standing(election_name: str, voter: str, form: str = "") -> Standing | None:
    """With an account, all entries of the person; otherwise the entry that was typed, unless its account is gone."""
    person = people.find_by_email(voter) if "@" in voter else people.find(voter)
    found = repository.read_standing(election_name, person or voter, form=form)
    is_gone = person is None and found is not None and "account" in (found.entry or {})
    return replace(found, voter=None, entry=None) if found is not None and is_gone else found


def check_paper(actor: User, standing: Standing) -> None:
    election = standing.election
    check_who(actions.relation(actor, election), Action.ENTER_PAPER)
    check_when(election.state(now_text()), Action.ENTER_PAPER)
    if not election.paper_ballots:
        raise NotNow(_("This election does not accept paper ballots."))
    if standing.voter is None:
        raise NotOnTheRoll(_("Nobody with that name is on the roll for this election."))


def check_paper_voter(actor: User, standing: Standing) -> None:
    """Before the form is sent, reveal that a person has voted only where the roll shows it too.

    The turnout is read in every case, so that the response time does not reveal it either.
    """
    check_paper(actor, standing)
    check_voter(standing, now_text())
    if tells_who(standing.election, turnout(standing.election).voted):
        _check_no_ballot(standing)


def _check_no_ballot(standing: Standing) -> None:
    if standing.voted:
        raise NotNow(_("%(name)s has already voted.") % {"name": standing.voter})
