"""Casting, changing and withdrawing a ballot."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.utils.translation import gettext as _

from accounts import repository as people
from accounts.models import User
from ballots import emails, repository, rules
from ballots.passes import Pass
from ballots.repository import Standing
from ballots.rules import Ballot, Ballots, HasNotVoted, HasVoted, NotConfirmed, NotOnTheRoll
from ballots.secret import CODE_GROUPS, code, new_secret
from elections import actions
from elections import repository as elections
from elections.rolls import NUMBER_SIGN, is_by_account, weight_fields
from elections.rules import CONFIRM, Action, State, check_when, check_who
from elections.turnout.counts import tells_who, turnout
from foundation.acts.refusals import NotNow, NotThere, Refusal
from foundation.acts.retry import retry_lost_race, run_once
from foundation.acts.storage import SITE, now_text, record, table
from foundation.ranking.codes import new_code
from foundation.ranking.marks import BadRanking, Ranks, is_marked, marks_from, ranks_in
from foundation.store import keys
from foundation.store.log import Event, as_text, utc_now
from foundation.store.table import Item, Write

from .by_link import standing_by

MAX_ATTEMPTS = 8  # retries when losing a race with the voter's own tabs, or with changes of the roll

Who = User | Pass | None  # `None`: somebody who has the secret of a ballot


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a form: the ballot as it is now, if it may be shown, with what it says to each question; and what
    became of the one before."""

    ballots: Ballots
    repeated: bool = False  # the form was carried out before
    replaced: bool = False
    acts: int = 0  # how often the voter had acted before
    standing: Standing | None = None  # with the secret of the ballot

    @property
    def ballot(self) -> Ballot | None:
        """What it says to the first of the voter's questions, which is mostly the only one."""
        return next(iter(self.ballots.values()), None)


ALREADY_DONE = Outcome({}, repeated=True)


# --- who votes ---


def standing_of(
    who: Who, election_name: str, form: str = "", *, secret: str = "", described: bool = False, to_show: bool = False
) -> Standing | None:
    """The voter's standing, or that of a ballot found by its secret. Drafts count as missing, as they take no votes.
    With `to_show`, the election may be a second old; no decision depends on it.
    """
    if isinstance(who, Pass):
        found = standing_by(who, election_name, form, secret=secret, described=described)
    else:
        read = partial(repository.read_standing, election_name, who, form=form, secret=secret)
        found = read(described=described, to_show=to_show)
    if found is None or found.election.stored_state == State.DRAFT or (who is None and not found.found):
        return None
    return found


def check_voter(standing: Standing, now: str) -> None:
    """That they may cast a ballot now, or replace the one they have."""
    rules.check_voting(standing.election, now)
    if standing.voter is None and not standing.found:
        raise NotOnTheRoll(rules.not_on_the_roll(standing.election))
    check_not_final(standing)


def check_not_final(standing: Standing) -> None:
    """A ballot that was cast can be replaced only if the election lets voters do so and, if it is secret, only with its
    secret."""
    if not standing.voted and not standing.found:
        return
    if not standing.election.changeable:
        raise HasVoted(rules.FINAL)
    if not standing.may_change:
        raise HasVoted(rules.CAST_OTHERWISE if standing.link_is_secret else rules.ONLY_WITH_WORDS)


# --- casting ---


def cast(
    who: Who,
    election_name: str,
    ranks: Ranks,
    form: str,
    *,
    secret: str = "",
    confirmed: bool = True,
) -> Outcome:
    """Cast a ballot, or replace the one that may be replaced.

    `form` is the form's token: sending the same form again changes nothing, and finds the ballot it cast by `secret`.
    `confirmed` is whether the voter has confirmed what elections with that safeguard ask.
    """

    def act(standing: Standing | None) -> Outcome:
        return _cast(who, standing, ranks, form, confirmed=confirmed)

    outcome = _run_own(who, election_name, form, secret, act)
    if outcome is ALREADY_DONE and (standing := standing_of(who, election_name, form, secret=secret)) is not None:
        _check_theirs(who, standing)
        return replace(outcome, ballots=standing.ballots, standing=standing)
    return outcome


def _check_theirs(who: Who, standing: Standing) -> None:
    """Nobody gets the receipt of a ballot that somebody else has cast. Nothing says who cast which ballot; but whoever
    has not voted, by the roll, has cast none. The roll is read after the ballot was found, so it is no older."""
    if who is not None and standing.election.secret_ballot and not standing.voted:
        raise rules.NotTheirs(rules.NOT_THEIRS)


def _run_own(
    who: Who, election_name: str, form: str, secret: str, act: Callable[[Standing | None], Outcome]
) -> Outcome:
    """Act on an election that may be a second old while it has its open mark (`elections.open_marks`). Without the
    mark, and before the form is refused for any reason, on the election as it is now."""

    def run() -> Outcome:
        if isinstance(who, User) and table().is_distant:
            mark = random.choice(keys.open_marks(election_name))  # noqa: S311 - only to spread the load
            if recent := repository.read_standing(election_name, who, form=form, secret=secret, open_mark=mark):
                with suppress(Refusal):
                    return act(recent)
        return retry_lost_race(lambda: act(standing_of(who, election_name, form, secret=secret)), MAX_ATTEMPTS)

    return run_once(form, run, ALREADY_DONE)


def _cast(
    who: Who,
    standing: Standing | None,
    ranks: Ranks,
    form: str,
    *,
    paper: bool = False,
    confirmed: bool = True,
) -> Outcome:
    now = utc_now()
    if standing is None:
        raise NotThere(rules.NOT_OPEN)
    if standing.repeated or (who is not None and standing.found and not standing.link_is_secret):
        return ALREADY_DONE
    if paper:
        rules.check_voting(standing.election, as_text(now))
    else:
        check_voter(standing, as_text(now))
    if CONFIRM in standing.election.safeguards and not confirmed:
        raise NotConfirmed(rules.NOT_CONFIRMED)
    rankings = answers(standing, ranks)
    if standing.found:
        return _replace(who, standing, rankings, now, form)
    if paper:
        _check_no_ballot(standing)
    if standing.election.secret_ballot and not (standing.secret and standing.election.changeable):
        standing = replace(standing, secret=new_secret())  # which nobody will ever know
    mails = emails.cast_email(standing, _name(who, standing), paper=paper)
    ballots = _record_cast(who, standing, rankings, now, form, *mails, paper=paper)
    return Outcome(ballots, replaced=standing.voted, acts=standing.acts, standing=standing)


def answers(standing: Standing, ranks: Ranks) -> dict[int, str]:
    """What a form says to each of the voter's questions, as it is stored, or a refusal in a sentence. Of several
    questions some may be skipped: the ballot is blank there, as if none of the candidates had been marked. Whoever has
    just one votes as in an election with one: where it may be blank, so may the ballot."""
    questions = standing.questions
    if not standing.election.more:
        return {1: marks_from(ranks, elections.candidates_of(standing.election), standing.election)}
    sent = {each.number: ranks_in(ranks, each.number) for each in questions}
    if sum(map(len, sent.values())) < len(ranks):
        raise BadRanking(_("The ballot answers a question that is not for you."))
    marked = {number: own for number, own in sent.items() if is_marked(own) or len(questions) == 1}
    if not marked:
        raise BadRanking(_("You have not answered any question yet."))
    return {
        each.number: marks_from(sent[each.number], elections.candidates_of(each), each) if each.number in marked else ""
        for each in questions
    }


def _record_cast(
    who: Who, standing: Standing, rankings: Mapping[int, str], now: datetime, form: str, *mails: Write, paper: bool
) -> Ballots:
    election = standing.election
    event_data: Item = {"election_name": election.name, "voter_name": standing.voter, "changed": standing.voted}
    if paper:
        event_data["paper"] = True
    if standing.entry is None and standing.account:
        event_data["account"] = standing.account
    if election.secret_ballot:
        ballots = _secret_ballots(standing, rankings)
    else:
        confirmation = new_code(CODE_GROUPS)
        public = partial(Ballot, confirmation=confirmation, when_cast=as_text(now), weight=standing.weight)
        ballots = {number: public(text) for number, text in rankings.items()}
        said = {"answers": [[number, text] for number, text in rankings.items()]}
        event_data |= (said if election.more else {"rankings": rankings[1]}) | {"confirmation": confirmation}
        event_data |= weight_fields(standing.weight)
    actor, casting = _name(who, standing), repository.casting(standing, ballots, paper=paper)
    writes = [*casting, *mails, *_checking_actor(who, standing, casting)]
    record(Event(actor, "BallotCast", event_data), *writes, once=form, at=now)
    return ballots


def _secret_ballots(standing: Standing, rankings: Mapping[int, str]) -> Ballots:
    """Each question has a code of its own, so that published answers are not joined."""
    secret, name = standing.secret, standing.election.name
    return {
        number: Ballot(text, code(secret, name, number), weight=standing.weight) for number, text in rankings.items()
    }


def _name(who: Who, standing: Standing) -> str:
    """Who acts, for the log: an account, or else a name on the roll. The account of a voter who came by link, with a
    letter or to a polling station is named as if they had signed in, so the log does not tell how they came."""
    person = who if isinstance(who, User) else standing.person
    return person.name if person else standing.voter or SITE


def _checking_actor(who: Who, standing: Standing, written: Sequence[Write]) -> list[Write]:
    """Checks that the actor may still act as when `standing` was read."""
    if isinstance(who, Pass):
        return repository.checking_link(standing, written)
    return [people.is_same_account(who)] if who else []


# --- changing and withdrawing a secret ballot: the log says that it happened, and nobody knows who did it ---


def _replace(who: Who, standing: Standing, rankings: Mapping[int, str], now: datetime, form: str) -> Outcome:
    was_withdrawn, ballots = not standing.ballots, _secret_ballots(standing, rankings)
    event_data = {"again": True, **_counted(standing)} if was_withdrawn else {}
    _record_replacement("BallotChanged", event_data, who, standing, ballots, now, form)
    return Outcome(ballots, replaced=True, standing=standing)


def _counted(standing: Standing) -> Item:
    """What the log says of a ballot that counts again or no more: how many times, and in which of several questions."""
    asked = {"questions": [each.number for each in standing.questions]} if standing.election.more else {}
    return weight_fields(standing.weight) | asked


def _record_replacement(
    kind: str, event_data: Item, who: Who, standing: Standing, ballots: Ballots, now: datetime, form: str
) -> None:
    event_data = {"election_name": standing.election.name, **event_data}
    writes = repository.replacing(standing, ballots)
    record(Event(SITE, kind, event_data), *writes, *_checking_actor(who, standing, writes), once=form, at=now)


def withdraw(who: Who, election_name: str, form: str, *, secret: str = "") -> Outcome:
    return _run_own(who, election_name, form, secret, lambda standing: _withdraw(who, standing, form))


def _withdraw(who: Who, standing: Standing | None, form: str) -> Outcome:
    now = utc_now()
    if standing is None:
        raise NotThere(rules.NOT_OPEN)
    if standing.repeated:
        return ALREADY_DONE
    check_voter(standing, as_text(now))
    if not standing.ballots if standing.election.secret_ballot else not standing.voted:
        raise HasNotVoted(rules.NOTHING_CAST)
    if standing.election.secret_ballot:
        _record_replacement("BallotWithdrawn", _counted(standing), who, standing, {}, now, form)
    else:
        also = _checking_actor(who, standing, repository.withdrawing(standing)) if isinstance(who, Pass) else []
        also += emails.withdrawal_email(standing)
        record_withdrawal(_name(who, standing), standing, now, *also, once=form)
    return Outcome({}, replaced=True, acts=standing.acts)


def record_withdrawal(actor: str, standing: Standing, now: datetime, *also: Write, once: str | None = None) -> None:
    """Of a public ballot."""
    event_data = {"election_name": standing.election.name, "voter_name": standing.voter}
    writes = [*repository.withdrawing(standing), *also]
    record(Event(actor, "BallotWithdrawn", event_data), *writes, once=once, at=now)


# --- on paper ---


def enter_paper(actor: User, election_name: str, voter: str, ranks: Ranks, form: str) -> Outcome:
    """An organiser enters a paper ballot for a voter on the roll; the log and the turnout record that. In a secret
    election it is final.

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
    if found is not None and found.voter is None and is_by_account(voter):  # then it may be a member number
        person, found = None, repository.read_standing(election_name, f"{voter}{NUMBER_SIGN}", form=form)
    is_gone = person is None and found is not None and "account" in (found.entry or {})
    return replace(found, voter=None, entry=None) if found is not None and is_gone else found


def check_paper(actor: User, standing: Standing) -> None:
    election = standing.election
    check_who(actions.relation(actor, election), Action.ENTER_PAPER)
    check_when(election.state(now_text()), Action.ENTER_PAPER)
    if not election.paper_ballots:
        raise NotNow(_("This election does not accept paper ballots."))
    if standing.voter is None:
        sentence = _("Nobody with that name is on the roll for this election.")
        is_for_some = not election.questions_for(())
        raise NotOnTheRoll(f"{sentence} {rules.for_others(election)}" if is_for_some else sentence)


def check_paper_voter(actor: User, standing: Standing) -> None:
    """Before the form is sent, reveal that a person has voted only where the roll shows it too.

    The turnout is read in every case, so that the response time does not reveal it either.
    """
    check_paper(actor, standing)
    rules.check_voting(standing.election, now_text())
    if tells_who(standing.election, turnout(standing.election).voted):
        _check_no_ballot(standing)


def _check_no_ballot(standing: Standing) -> None:
    if standing.voted:
        raise NotNow(_("%(name)s has already voted.") % {"name": standing.label})
