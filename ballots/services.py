"""What voters do: load, decide, record in one transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from accounts.rules import Permission, Refusal
from accounts.services import OVERTAKEN, Overtaken, log, log_at
from elections import repository as elections
from elections import services as organising
from elections.rules import Action, Election, State, check_when, check_who
from elections.turnout import tells_who, turnout
from store import keys
from store.log import Event, Repeated, as_text, utc_now
from store.table import Check, Delete, Equals, Exists, Item, Refused, Update, Write

from . import repository, rules, secrecy
from .repository import Standing
from .rules import Ballot, HasNotVoted, NotOnTheRoll, Ranks


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a form: the ballot cast, unless the form had been carried out before; and what it replaced."""

    ballot: Ballot | None
    replaced: bool = False
    acts: int = 0  # how often the voter had acted before


TRIES = 8  # how often somebody may be overtaken by their own other tabs, or by the roll
A_SEALED_PART = 200_000  # bytes of ballots in one event; an item holds 400 KB
A_BALLOT = 60  # bytes that an item needs for a ballot besides its text


def standing_of(user: User, election_name: str, form: str = "") -> Standing | None:
    """What this person is to the election. Drafts are nobody's to vote in, and so are not there."""
    names = (user.name, user.email)
    found = repository.standing(election_name, names, may_join=user.can(Permission.VOTE), form=form)
    return None if found is None or found.election.stored_state == State.DRAFT else found


def check_voter(standing: Standing, now: str) -> None:
    rules.check_voting(standing.election, now)
    if standing.voter is None:
        raise NotOnTheRoll(rules.NOT_ON_THE_ROLL)
    if standing.salt is not None:
        secrecy.check_secret(standing.salt)


# --- casting, changing, withdrawing ---


def cast(user: User, election_name: str, ranks: Ranks, form: str) -> Outcome:
    """Cast a ballot, or put it in the place of the one there is.

    `form` is a token of the form: the same form again changes nothing.
    """
    return _once(form, lambda: _cast(user, lambda: standing_of(user, election_name, form), ranks, form))


def enter_paper(actor: User, election_name: str, voter: str, ranks: Ranks, form: str) -> Outcome:
    """An organiser types in what somebody on the roll has put on paper; the log and the turnout say so.

    That they have voted already is said last: a form that would be refused anyhow must not tell it.
    """

    def read() -> Standing | None:
        found = paper_standing(election_name, voter, form)
        if found is not None:
            check_paper(actor, found)
        return found

    return _once(form, lambda: _cast(actor, read, ranks, form, paper=True))


def _once(form: str, act: Callable[[], Outcome]) -> Outcome:
    """A form that was carried out while we were at it is neither done twice nor refused for what it did itself.

    That can happen because what we read is no snapshot: the mark of the form may be older than the rest.
    """
    try:
        return act()
    except Repeated:
        return Outcome(None)
    except Refusal:
        if people.table().get(keys.once(form)) is None:
            raise
        return Outcome(None)


def paper_standing(election_name: str, voter: str, form: str = "") -> Standing | None:
    person = people.find_by_email(voter) if "@" in voter else people.find(voter)
    names = (voter, person.name, person.email) if person else (voter,)
    distinct = list({keys.fold(name): name for name in names}.values())
    may_join = person is not None and person.can(Permission.VOTE)
    return repository.standing(election_name, distinct, may_join=may_join, form=form)


def check_paper(actor: User, standing: Standing) -> None:
    election = standing.election
    check_who(organising.relation(actor, election), Action.ENTER_PAPER)
    check_when(election.state(elections.now_text()), Action.ENTER_PAPER)
    if not election.paper_ballots:
        raise rules.NotNow(_("This election takes no paper ballots."))
    if standing.voter is None:
        raise NotOnTheRoll(_("Nobody of that name is on the roll of this election."))


def check_question(actor: User, standing: Standing) -> None:
    """Before a form is sent, it is said that somebody has voted only where the roll says so, too.

    The turnout is read for whomever one asks: the time that an answer takes must not tell it either.
    """
    check_paper(actor, standing)
    check_voter(standing, elections.now_text())
    if tells_who(standing.election, turnout(standing.election.name).voted):
        _check_no_ballot(standing)


def _check_no_ballot(standing: Standing) -> None:
    if standing.voted:
        raise rules.NotNow(_("%(name)s has voted already.") % {"name": standing.voter})


def _cast(user: User, read: Callable[[], Standing | None], ranks: Ranks, form: str, *, paper: bool = False) -> Outcome:
    for _attempt in range(TRIES):
        standing, now = read(), utc_now()
        if standing is None:
            raise rules.NotThere(rules.NOT_OPEN)
        if standing.repeated:
            return Outcome(None)
        check_voter(standing, as_text(now))
        if standing.ballot_key is None:
            continue  # it was shut, and its salt destroyed, between two of our readings
        rankings = rules.ranking_from(ranks, repository.candidates_of(standing.election))
        if paper:
            _check_no_ballot(standing)
        try:
            ballot = _record_cast(user, standing, rankings, now, form, paper=paper)
        except Refused:
            continue  # the box was shut, or they voted elsewhere meanwhile: look again and decide anew
        return Outcome(ballot, standing.voted, standing.acts)
    raise Overtaken(OVERTAKEN)


def _record_cast(user: User, standing: Standing, rankings: str, now: datetime, form: str, *, paper: bool) -> Ballot:
    when = None if standing.election.secret_ballot else as_text(now)
    ballot = Ballot(rankings, secrecy.new_confirmation(), when)
    said: Item = {"election_name": standing.election.name, "voter_name": standing.voter, "changed": standing.voted}
    if paper:
        said["paper"] = True
    if not standing.election.secret_ballot:
        said |= {"rankings": rankings, "confirmation": ballot.confirmation}
    writes = repository.casting(standing, ballot, now, paper=paper)
    log_at(now).record(Event(user.name, "BallotCast", said), *writes, _still_here(user), once=form)
    return ballot


def _still_here(user: User) -> Check:
    """Nobody votes who was removed meanwhile."""
    return Check(keys.user(user.name), Exists())


def withdraw(user: User, election_name: str, form: str) -> Outcome:
    return _once(form, lambda: _withdraw(user, election_name, form))


def _withdraw(user: User, election_name: str, form: str) -> Outcome:
    for _attempt in range(TRIES):
        standing, now = standing_of(user, election_name, form), utc_now()
        if standing is None:
            raise rules.NotThere(rules.NOT_OPEN)
        if standing.repeated:
            return Outcome(None)
        check_voter(standing, as_text(now))
        if standing.ballot_key is None:
            continue
        if not standing.voted:
            raise HasNotVoted(rules.NOTHING_CAST)
        try:
            _record_withdrawal(user.name, standing, now, once=form)
        except Refused:
            continue
        return Outcome(None, standing.voted, standing.acts)
    raise Overtaken(OVERTAKEN)


def _record_withdrawal(actor: str, standing: Standing, now: datetime, *, once: str | None = None) -> None:
    said = {"election_name": standing.election.name, "voter_name": standing.voter}
    log_at(now).record(Event(actor, "BallotWithdrawn", said), *repository.withdrawal(standing, now), once=once)


# --- when somebody leaves ---


def take_along(gone: User) -> None:
    """The ballots of somebody who was removed go with them where the election is still open; so does their place."""
    for name in (gone.name, gone.email):
        for item in list(people.table().each(keys.elections_of_voter(name))):
            _take_ballot(item["election_name"], name)
            if name == gone.name:
                _take_place(item["election_name"], name)


def _take_ballot(election_name: str, voter: str) -> None:
    for _attempt in range(TRIES):
        standing, now = repository.standing(election_name, (voter,), may_join=False), utc_now()
        if standing is None or not standing.voted or not standing.election.takes_votes(as_text(now)):
            return
        with suppress(Refused):
            _record_withdrawal("plenum", standing, now)
            return


def _take_place(election_name: str, voter: str) -> None:
    """A name that is free again must not carry a right to vote."""
    for _attempt in range(TRIES):
        election = elections.find(election_name)
        if election is None or election.state(elections.now_text()) == State.CLOSED:
            return
        place = keys.voter(election_name, voter)
        event = Event("plenum", "VotersRemoved", {"election_name": election.name, "voters": [voter]})
        with suppress(Refused):
            log().record(event, Delete(place, when=Equals("voted", False)), elections.touched(election, -1))
            return


# --- sealing ---


_log = logging.getLogger("plenum.ballots")


class CannotSeal(Exception):
    """Something about the ballots is not as it must be; the election waits until somebody has looked."""


with_sealing: list[Callable[[Election], None]] = []  # what other apps make of the ballots of a closed election


def seal_what_is_closed(only: str | None = None) -> int:
    """Put the ballots of closed secret elections into the log. Any number may do it at once; each part enters once."""
    names = [only] if only else [mark["election_name"] for mark in people.table().each(keys.SEALING)]
    waiting = [election for name in names if (election := elections.find(name)) is not None]
    for election in waiting:
        try:
            _seal(election)
        except CannotSeal as error:  # one such election must not keep the others from being sealed
            _log.error("not sealed", extra={"words": str(error)})
    return len(waiting)


def _seal(election: Election) -> None:
    place = keys.sealing(election.name)
    mark = people.table().get(place)
    if mark is None:
        return
    parts = sealed_parts(election)
    for number, lines in enumerate(parts[mark["parts"] :], mark["parts"]):
        try:
            _seal_part(election, number, len(parts), [repository.published(line) for line in lines])
        except Refused:
            return  # another worker is at it
    for seal in with_sealing:
        seal(election)
    if election.secret_ballot:
        people.table().forget_deleted()
    with suppress(Refused):  # then another worker has finished it
        people.table().write(Delete(place, when=Equals("parts", len(parts))))


def _seal_part(election: Election, number: int, parts: int, ballots: list[Item]) -> None:
    """Publish some ballots. Those of a secret election enter the log here; those of a public one are in it already."""
    writes = publishing(election, number, ballots)
    if not election.secret_ballot:
        return people.table().write(*writes)
    said = {"election_name": election.name, "part": number + 1, "parts": parts, "ballots": ballots}
    still_there = Check(keys.election(election.name), Exists())
    log().record(Event("plenum", "BallotsSealed", said), *writes, still_there)
    return None


def publishing(election: Election, number: int, ballots: list[Item]) -> list[Write]:
    """Refused if another worker has published this part."""
    taken = Update(keys.sealing(election.name), set={"parts": number + 1}, when=Equals("parts", number))
    return [repository.publication(election, number, ballots), taken]


def sealed_parts(election: Election) -> list[list[str]]:
    """The ballots of a closed election, sorted by confirmation: an order that says nothing of when they came."""
    parts: list[list[str]] = [[]]
    size = 0
    for line in sorted(repository.lines(election.name)):
        if size > A_SEALED_PART:
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line.encode()) + A_BALLOT
    return parts
