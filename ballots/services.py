"""What voters do and what happens to their ballots: load, decide, record in one transaction."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.access import demands_second_factor
from accounts.models import User
from accounts.rules import Permission
from ballots import emails, repository, rules
from ballots.passes import Pass, pass_for_election
from ballots.repository import Lookup, VoterContext
from ballots.rules import Ballot, Ballots, HasNotVoted, HasVoted, NotConfirmed, NotOnTheRoll
from ballots.secret import CODE_GROUPS, code, new_secret
from elections import actions, rolls, sharding
from elections import repository as elections
from elections.invitations.mailing import forgetting
from elections.invitations.voting_link import NOT_LISTED, STATION, Link, LinkRefused, check_link
from elections.roll.services import removing
from elections.rolls import NUMBER_SIGN, is_by_account, weight_fields
from elections.rules import CONFIRM, Action, Election, State, check_when, check_who
from elections.turnout.counts import tells_who, turnout
from foundation.acts.queues import process_each
from foundation.acts.refusals import NotNow, NotThere, Refusal
from foundation.acts.retry import retry_lost_race, run_once
from foundation.acts.storage import SITE, now_text, record, table
from foundation.ranking.codes import new_code
from foundation.ranking.marks import BadRanking, Ranks, is_marked, marks_from, ranks_in
from foundation.store import keys
from foundation.store.log import Event, as_text, utc_now
from foundation.store.table import Item, Write


class SignInInstead(LinkRefused):
    """An account that must sign in, because a link may not bypass its second step."""


SIGN_IN = _("This link belongs to an account with two-step sign-in. Please sign in to vote.")
NO_VOTE = _("This link belongs to an account that is not allowed to vote.")
SIGN_IN_TO_READ = _("This link belongs to an account with two-step sign-in. Please sign in to see the result.")
NO_RESULT = _("This link belongs to an account that is not allowed to see results.")


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """What a link points to: the election, the entry on its roll, and the recipient's account, if any."""

    election: Election
    entry: Item
    person: User | None

    @property
    def label(self) -> str:
        """What pages call the voter."""
        return rolls.voter_label(self.entry["voter_name"], self.entry.get("display_name", ""))


def resolve_link(link: Link, channel: str = "") -> LinkTarget:
    """Raises `LinkRefused` if the link is no longer valid."""
    at = keys.election(link.election_name)
    shards, found = sharding.read(link.election_name, lambda shards: [link.place(shards), link.account_place])
    election = elections.election_of(found[at]) if at in found else None
    entry = found.get(link.place(shards))
    election = check_link(link, election, entry, channel)
    assert entry is not None  # or the link was refused
    return LinkTarget(election, entry, _person(link, entry, found.get(link.account_place)))


def _person(link: Link, entry: Item | None, account: Item | None) -> User | None:
    """For an entry by address, its current owner; for one by name, the account it was made for."""
    if not rolls.is_by_account(link.voter):
        return people.find(account["name"]) if account else None
    person = people.user_of(account) if account else None
    if person is None or not rolls.entries_of(person, [entry] if entry else []) or not link.is_good_for(person):
        raise LinkRefused(NOT_LISTED)
    return person


def check_holder(person: User | None, *, is_seen: bool = False) -> None:
    """An account may do by link what it may do signed in, but a link bypasses no second step; an officer who has seen
    the person does."""
    if is_seen and person is not None and person.can(Permission.VOTE):
        return
    _check_account(person, Permission.VOTE, NO_VOTE, SIGN_IN)


def check_reader(person: User | None) -> None:
    """Like `check_holder`, for reading the result."""
    _check_account(person, Permission.VIEW_APPLICATION, NO_RESULT, SIGN_IN_TO_READ)


def _check_account(person: User | None, permission: Permission, refusal: str, sign_in: str) -> None:
    if person is None:
        return
    if not person.can(permission):
        raise LinkRefused(refusal)
    if person.factors or demands_second_factor(person):
        raise SignInInstead(sign_in)


def link_holder(request: HttpRequest, election: Election) -> str:
    """The voter on the roll whose link this browser holds, as long as the link is valid; else nobody."""
    held = pass_for_election(request, election.name)
    try:
        return resolve_link(held.link, held.channel).entry["voter_name"] if held else ""
    except LinkRefused:
        return ""


def guest_with_link(request: HttpRequest, election_name: str) -> Pass | None:
    """Who may look at the election by the link that this browser holds. Refused if the link is no longer valid."""
    held = pass_for_election(request, election_name)
    election = elections.find(election_name) if held else None
    return held if held and election and opens_result(held, election) else None


def opens_result(held: Pass, election: Election) -> bool:
    """Whether the pass is for this election. Refused if its link is no longer valid."""
    found = resolve_link(held.link, held.channel)
    check_reader(found.person)
    return held.is_of(election.name)


def context_of_pass(held: Pass, lookup: Lookup) -> VoterContext | None:
    """Of the holder of the pass, in one round trip unless they have an account."""
    link, lookup = held.link, replace(lookup, secret=held.secret or lookup.secret)
    found = repository.context_of_link(link, lookup)
    if found is None or found.home is None:
        return None
    items, home, at = found.linked_items, found.home, keys.election(link.election_name)
    check_link(link, elections.election_of(items[at]) if at in items else None, items.get(home), held.channel)
    if not held.is_of(lookup.election_name):
        return None
    person = _person(link, items.get(home), items.get(link.account_place))
    check_holder(person, is_seen=held.channel == STATION)
    if person is not None:
        found = repository.context_of_account(person, lookup)
    return found and replace(
        found, person=person, link=link, link_is_secret=bool(held.secret), home=home, linked_items=items
    )


MAX_ATTEMPTS = 8  # retries when losing a race with the voter's own tabs, or with changes of the roll

Who = User | Pass | None  # `None`: somebody who has the secret of a ballot


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a form: the ballot as it is now, if it may be shown, with what it says to each question; and what
    became of the one before."""

    ballots: Ballots
    repeated: bool = False  # the form was carried out before
    replaced: bool = False
    revision: int = 0  # that of the voter before
    context: VoterContext | None = None  # with the secret of the ballot

    @property
    def ballot(self) -> Ballot | None:
        """What it says to the first of the voter's questions, which is mostly the only one."""
        return next(iter(self.ballots.values()), None)


ALREADY_DONE = Outcome({}, repeated=True)


# --- who votes ---


def voter_context(
    who: Who, election_name: str, form: str = "", *, secret: str = "", described: bool = False, to_show: bool = False
) -> VoterContext | None:
    """The voter's context, or that of a ballot found by its secret. Drafts count as missing, as they take no votes.
    With `to_show`, the election may be a second old; no decision depends on it.
    """
    lookup = Lookup(election_name, form, secret, described)
    if isinstance(who, Pass):
        found = context_of_pass(who, lookup)
    elif who is None:
        found = repository.context_of_secret(lookup)
    else:
        found = repository.context_of_account(who, lookup, to_show=to_show)
    if found is None or found.election.stored_state == State.DRAFT or (who is None and not found.found):
        return None
    return found


def check_voter(context: VoterContext, now: str) -> None:
    """That they may cast a ballot now, or replace the one they have."""
    rules.check_voting(context.election, now)
    if context.voter is None and not context.found:
        raise NotOnTheRoll(rules.not_on_the_roll(context.election))
    has_cast = context.voted or context.found
    if has_cast and not context.election.changeable:
        raise HasVoted(rules.FINAL)
    if has_cast and not context.may_change:  # a secret ballot is replaced only with its secret
        raise HasVoted(rules.CAST_OTHERWISE if context.link_is_secret else rules.ONLY_WITH_WORDS)


# --- casting ---


def cast(who: Who, election_name: str, ranks: Ranks, form: str, *, secret: str = "", confirmed: bool = True) -> Outcome:
    """Cast a ballot, or replace the one that may be replaced.

    `form` is the form's token: sending the same form again changes nothing, and finds the ballot it cast by `secret`.
    `confirmed` is whether the voter has confirmed what elections with that safeguard ask.
    """
    outcome = _run_own(
        who, election_name, form, secret, lambda context: _cast(who, context, ranks, form, confirmed=confirmed)
    )
    if outcome is not ALREADY_DONE or (context := voter_context(who, election_name, form, secret=secret)) is None:
        return outcome
    # Nobody gets the receipt of a ballot that somebody else has cast. Nothing says who cast which ballot; but whoever
    # has not voted, by the roll, has cast none. The roll is read after the ballot was found, so it is no older.
    if who is not None and context.election.secret_ballot and not context.voted:
        raise rules.NotTheirs(rules.NOT_THEIRS)
    return replace(outcome, ballots=context.ballots, context=context)


def _run_own(
    who: Who, election_name: str, form: str, secret: str, act: Callable[[VoterContext | None], Outcome]
) -> Outcome:
    """Act on an election that may be a second old while it has its open mark (`elections.open_marks`). Without the
    mark, and before the form is refused for any reason, on the election as it is now."""

    def run() -> Outcome:
        if isinstance(who, User) and table().is_distant:
            mark = random.choice(keys.open_marks(election_name))  # noqa: S311 - only to spread the load
            lookup = Lookup(election_name, form, secret)
            if recent := repository.context_of_account(who, lookup, open_mark=mark):
                with suppress(Refusal):
                    return act(recent)
        return retry_lost_race(lambda: act(voter_context(who, election_name, form, secret=secret)), MAX_ATTEMPTS)

    return run_once(form, run, ALREADY_DONE)


def _cast(
    who: Who, context: VoterContext | None, ranks: Ranks, form: str, *, paper: bool = False, confirmed: bool = True
) -> Outcome:
    now = utc_now()
    if context is None:
        raise NotThere(rules.NOT_OPEN)
    if context.repeated or (who is not None and context.found and not context.link_is_secret):
        return ALREADY_DONE
    if paper:
        rules.check_voting(context.election, as_text(now))
    else:
        check_voter(context, as_text(now))
    if CONFIRM in context.election.safeguards and not confirmed:
        raise NotConfirmed(rules.NOT_CONFIRMED)
    rankings = answers(context, ranks)
    if context.found:
        return _replace(who, context, rankings, now, form)
    if paper:
        _check_no_ballot(context)
    if context.election.secret_ballot and not (context.secret and context.election.changeable):
        context = replace(context, secret=new_secret())  # which nobody will ever know
    ballots = _record_cast(who, context, rankings, now, form, paper=paper)
    return Outcome(ballots, replaced=context.voted, revision=context.revision, context=context)


def answers(context: VoterContext, ranks: Ranks) -> dict[int, str]:
    """What a form says to each of the voter's questions, as it is stored, or a refusal in a sentence. Of several
    questions some may be skipped: the ballot is blank there, as if none of the candidates had been marked. Whoever has
    just one votes as in an election with one: where it may be blank, so may the ballot."""
    questions = context.questions
    if not context.election.more:
        return {1: marks_from(ranks, elections.candidates_of(context.election), context.election)}
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
    who: Who, context: VoterContext, rankings: Mapping[int, str], now: datetime, form: str, *, paper: bool
) -> Ballots:
    election = context.election
    event_data: Item = {"election_name": election.name, "voter_name": context.voter, "changed": context.voted}
    if paper:
        event_data["paper"] = True
    if context.entry is None and context.account:
        event_data["account"] = context.account
    if election.secret_ballot:
        ballots = _secret_ballots(context, rankings)
    else:
        confirmation = new_code(CODE_GROUPS)
        public = partial(Ballot, confirmation=confirmation, when_cast=as_text(now), weight=context.weight)
        ballots = {number: public(text) for number, text in rankings.items()}
        answers = [[number, text] for number, text in rankings.items()]
        event_data |= {"answers": answers} if election.more else {"rankings": rankings[1]}
        event_data["confirmation"] = confirmation
        event_data |= weight_fields(context.weight)
    actor, casting = _name(who, context), repository.casting(context, ballots, paper=paper)
    mails = emails.cast_email(context, actor, paper=paper)
    record(
        Event(actor, "BallotCast", event_data),
        *casting,
        *mails,
        *_checking_actor(who, context, casting),
        once=form,
        at=now,
    )
    return ballots


def _secret_ballots(context: VoterContext, rankings: Mapping[int, str]) -> Ballots:
    """Each question has a code of its own, so that published answers are not joined."""
    secret, name = context.secret, context.election.name
    return {
        number: Ballot(text, code(secret, name, number), weight=context.weight) for number, text in rankings.items()
    }


def _name(who: Who, context: VoterContext) -> str:
    """Who acts, for the log: an account, or else a name on the roll. The account of a voter who came by link, with a
    letter or to a polling station is named as if they had signed in, so the log does not tell how they came."""
    person = who if isinstance(who, User) else context.person
    return person.name if person else context.voter or SITE


def _checking_actor(who: Who, context: VoterContext, written: Sequence[Write]) -> list[Write]:
    """Checks that the actor may still act as when `context` was read."""
    if isinstance(who, Pass):
        return repository.checking_link(context, written)
    return [people.is_same_account(who)] if who else []


# --- changing and withdrawing a secret ballot: the log says that it happened, and nobody knows who did it ---


def _replace(who: Who, context: VoterContext, rankings: Mapping[int, str], now: datetime, form: str) -> Outcome:
    was_withdrawn, ballots = not context.ballots, _secret_ballots(context, rankings)
    event_data = {"again": True, **_counted(context)} if was_withdrawn else {}
    _record_replacement("BallotChanged", event_data, who, context, ballots, now, form)
    return Outcome(ballots, replaced=True, context=context)


def _counted(context: VoterContext) -> Item:
    """What the log says of a ballot that counts again or no more: how many times, and in which of several questions."""
    asked = {"questions": [each.number for each in context.questions]} if context.election.more else {}
    return weight_fields(context.weight) | asked


def _record_replacement(
    kind: str, event_data: Item, who: Who, context: VoterContext, ballots: Ballots, now: datetime, form: str
) -> None:
    event_data = {"election_name": context.election.name, **event_data}
    writes = repository.replacing(context, ballots)
    record(Event(SITE, kind, event_data), *writes, *_checking_actor(who, context, writes), once=form, at=now)


def withdraw(who: Who, election_name: str, form: str, *, secret: str = "") -> Outcome:
    return _run_own(who, election_name, form, secret, lambda context: _withdraw(who, context, form))


def _withdraw(who: Who, context: VoterContext | None, form: str) -> Outcome:
    now = utc_now()
    if context is None:
        raise NotThere(rules.NOT_OPEN)
    if context.repeated:
        return ALREADY_DONE
    check_voter(context, as_text(now))
    if not context.ballots if context.election.secret_ballot else not context.voted:
        raise HasNotVoted(rules.NOTHING_CAST)
    if context.election.secret_ballot:
        _record_replacement("BallotWithdrawn", _counted(context), who, context, {}, now, form)
    else:
        also = _checking_actor(who, context, repository.withdrawing(context)) if isinstance(who, Pass) else []
        also += emails.email(emails.WITHDRAWN, context)
        record_withdrawal(_name(who, context), context, now, *also, once=form)
    return Outcome({}, replaced=True, revision=context.revision)


def record_withdrawal(actor: str, context: VoterContext, now: datetime, *also: Write, once: str | None = None) -> None:
    """Of a public ballot."""
    event_data = {"election_name": context.election.name, "voter_name": context.voter}
    writes = [*repository.withdrawing(context), *also]
    record(Event(actor, "BallotWithdrawn", event_data), *writes, once=once, at=now)


# --- on paper ---


def enter_paper(actor: User, election_name: str, voter: str, ranks: Ranks, form: str) -> Outcome:
    """An organiser enters a paper ballot for a voter on the roll; the log and the turnout record that. In a secret
    election it is final.

    That the person has already voted is checked last, so that a form refused for another reason does not reveal it.
    """

    def act() -> Outcome:
        found = paper_voter_context(election_name, voter, form)
        if found is not None:
            check_paper(actor, found)
        return _cast(actor, found, ranks, form, paper=True)

    return run_once(form, lambda: retry_lost_race(act, MAX_ATTEMPTS), ALREADY_DONE)


def paper_voter_context(election_name: str, voter: str, form: str = "") -> VoterContext | None:
    """With an account, all entries of the person; otherwise the entry that was typed, unless its account is gone."""
    person = people.find_by_email(voter) if "@" in voter else people.find(voter)
    lookup = Lookup(election_name, form)
    found = repository.context_of_account(person, lookup) if person else repository.context_of_entry(voter, lookup)
    if found is not None and found.voter is None and is_by_account(voter):  # then it may be a member number
        person, found = None, repository.context_of_entry(f"{voter}{NUMBER_SIGN}", lookup)
    is_gone = person is None and found is not None and "account" in (found.entry or {})
    return replace(found, voter=None, entry=None) if found is not None and is_gone else found


def check_paper(actor: User, context: VoterContext) -> None:
    election = context.election
    check_who(actions.relation(actor, election), Action.ENTER_PAPER)
    check_when(election.state(now_text()), Action.ENTER_PAPER)
    if not election.paper_ballots:
        raise NotNow(_("This election does not accept paper ballots."))
    if context.voter is None:
        sentence = _("Nobody with that name is on the roll for this election.")
        is_for_some = not election.questions_for(())
        raise NotOnTheRoll(f"{sentence} {rules.for_others(election)}" if is_for_some else sentence)


def check_paper_voter(actor: User, context: VoterContext) -> None:
    """Before the form is sent, reveal that a person has voted only where the roll shows it too.

    The turnout is read in every case, so that the response time does not reveal it either.
    """
    check_paper(actor, context)
    rules.check_voting(context.election, now_text())
    if tells_who(context.election, turnout(context.election).voted):
        _check_no_ballot(context)


def _check_no_ballot(context: VoterContext) -> None:
    if context.voted:
        raise NotNow(_("%(name)s has already voted.") % {"name": context.label})


def remove_ballots_of(gone: User) -> None:
    """Withdraw the public ballots of a removed person where voting is still open, and take them off those rolls. A
    secret ballot stays, and so does the mark on the roll that they voted: else there would be more ballots than voters.

    Only those who have not voted can be taken off, so it tells who has. Where the roll page does not say so, everybody
    stays.
    """
    names = (gone.name, gone.email)
    listed = [(item["election_name"], name) for name in names for item in table().each(keys.elections_of_voter(name))]
    for remove in (_withdraw_public_ballot, _remove_from_roll):
        process_each(listed, partial(_retry, remove))
    process_each(names, rolls.forget_display_names)


def _retry(remove: Callable[[str, str], None], listed: tuple[str, str]) -> None:
    retry_lost_race(partial(remove, *listed), MAX_ATTEMPTS)


def _withdraw_public_ballot(election_name: str, voter: str) -> None:
    context, now = repository.context_of_entry(voter, Lookup(election_name)), utc_now()
    if context is None or not context.voted or not context.election.takes_votes(as_text(now)):
        return
    if not context.election.secret_ballot:
        record_withdrawal(SITE, context, now)


def _remove_from_roll(election_name: str, voter: str) -> None:
    """A freed name must not stay on a roll, and the person must get no more mail about it. Where a ballot remains, or
    nobody may know whether one does, so does the name."""
    item, entry = sharding.read_with_entry(election_name, voter)
    election = elections.election_of(item) if item else None
    if election is None or election.state(now_text()) == State.CLOSED or entry is None or entry["voted"]:
        return
    voted = turnout(election).voted
    if voted and not tells_who(election, voted):
        return
    event = Event(SITE, "VotersRemoved", {"election_name": election.name, "voters": [voter]})
    record(event, *removing(election, [voter]), *forgetting(election, entry))
