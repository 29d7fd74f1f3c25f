"""What voters do: load, decide, record in one transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from acts.queues import take_each
from acts.refusals import OVERTAKEN, Overtaken, Refusal
from acts.site import log, log_at, now_text, table
from elections import repository as elections
from elections import services as organising
from elections.rules import Action, Election, State, check_when, check_who
from elections.turnout import tells_who, turnout
from ranking.rankings import Ranks, ranking_from
from store import keys
from store.log import Event, Repeated, as_text, utc_now
from store.table import Check, Delete, Equals, Exists, Item, Missing, Put, Refused, Update, Write

from . import letters, repository, rules, secrecy
from .comparing import Cast, Flaw, Sorted, compare, compare_what_is_left
from .repository import Standing
from .rules import Ballot, HasNotVoted, NotOnTheRoll


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a form: the ballot cast, unless the form had been carried out before; and what it replaced."""

    ballot: Ballot | None
    replaced: bool = False
    acts: int = 0  # how often the voter had acted before


TRIES = 8  # how often somebody may be overtaken by their own other tabs, or by the roll
A_SEALED_PART = 200_000  # bytes of ballots in one event; an item holds 400 KB
A_HANDFUL = 50  # elections looked at in one go for ballots that an earlier version has left
A_BALLOT = 60  # bytes that an item needs for a ballot besides its text


def standing_of(user: User, election_name: str, form: str = "") -> Standing | None:
    """What this person is to the election. Drafts are nobody's to vote in, and so are not there."""
    found = repository.standing_of(user, election_name, form=form)
    return None if found is None or found.election.stored_state == State.DRAFT else found


def check_voter(standing: Standing, now: str) -> None:
    rules.check_voting(standing.election, now)
    if standing.voter is None:
        raise NotOnTheRoll(rules.not_on_the_roll(standing.election))
    if standing.salt is not None:
        secrecy.check_secret(standing.salt)


def check_own(standing: Standing, now: str) -> None:
    """As `check_voter`, of who acts themselves: nobody can change a ballot that a restore has made nobody's."""
    check_voter(standing, now)
    if standing.is_unlinked:
        raise rules.Unlinked(rules.UNLINKED)


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
        if table().get(keys.once(form)) is None:
            raise
        return Outcome(None)


def paper_standing(election_name: str, voter: str, form: str = "") -> Standing | None:
    """Of somebody with an account, all their entries; else the one that was typed, unless its account is gone."""
    person = people.find_by_email(voter) if "@" in voter else people.find(voter)
    if person is not None:
        return repository.standing_of(person, election_name, form=form)
    return repository.standing(election_name, (voter,), own=_of_no_account, form=form)


def _of_no_account(entries: list[Item]) -> list[Item]:
    return [entry for entry in entries if "account" not in entry]


def check_paper(actor: User, standing: Standing) -> None:
    election = standing.election
    check_who(organising.relation(actor, election), Action.ENTER_PAPER)
    check_when(election.state(now_text()), Action.ENTER_PAPER)
    if not election.paper_ballots:
        raise rules.NotNow(_("This election takes no paper ballots."))
    if standing.voter is None:
        raise NotOnTheRoll(_("Nobody of that name is on the roll of this election."))


def check_question(actor: User, standing: Standing) -> None:
    """Before a form is sent, it is said that somebody has voted only where the roll says so, too.

    The turnout is read for whomever one asks: the time that an answer takes must not tell it either.
    """
    check_paper(actor, standing)
    check_voter(standing, now_text())
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
        (check_voter if paper else check_own)(standing, as_text(now))
        if standing.ballot_key is None and not standing.is_unlinked:
            continue  # it was shut, and its salt destroyed, between two of our readings
        rankings = ranking_from(ranks, repository.candidates_of(standing.election))
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
    if standing.entry is None and standing.account:
        said["account"] = standing.account
    if not standing.election.secret_ballot:
        said |= {"rankings": rankings, "confirmation": ballot.confirmation}
    writes = [
        *repository.casting(standing, ballot, now, paper=paper),
        *letters.of_cast(standing, user.name, paper=paper),
    ]
    log_at(now).record(Event(user.name, "BallotCast", said), *writes, people.is_still(user), once=form)
    return ballot


def withdraw(user: User, election_name: str, form: str) -> Outcome:
    return _once(form, lambda: _withdraw(user, election_name, form))


def _withdraw(user: User, election_name: str, form: str) -> Outcome:
    for _attempt in range(TRIES):
        standing, now = standing_of(user, election_name, form), utc_now()
        if standing is None:
            raise rules.NotThere(rules.NOT_OPEN)
        if standing.repeated:
            return Outcome(None)
        check_own(standing, as_text(now))
        if standing.ballot_key is None:
            continue
        if not standing.voted:
            raise HasNotVoted(rules.NOTHING_CAST)
        try:
            _record_withdrawal(user.name, standing, now, *letters.of_withdrawal(standing), once=form)
        except Refused:
            continue
        return Outcome(None, standing.voted, standing.acts)
    raise Overtaken(OVERTAKEN)


def _record_withdrawal(actor: str, standing: Standing, now: datetime, *also: Write, once: str | None = None) -> None:
    said = {"election_name": standing.election.name, "voter_name": standing.voter}
    writes = [*repository.withdrawal(standing, now), *also]
    log_at(now).record(Event(actor, "BallotWithdrawn", said), *writes, once=once)


# --- when somebody leaves ---


def take_along(gone: User) -> None:
    """The ballots of somebody who was removed go with them where the election is still open; so does their place."""
    names = (gone.name, gone.email)
    listed = [(item["election_name"], name) for name in names for item in _elections_of(name)]
    take_each(listed, lambda each: _take_ballot(*each))
    take_each(listed, lambda each: _take_place(*each) if each[1] == gone.name else None)


def _elections_of(voter: str) -> Iterator[Item]:
    return table().each(keys.elections_of_voter(voter))


def _take_ballot(election_name: str, voter: str) -> None:
    for _attempt in range(TRIES):
        standing, now = repository.standing(election_name, (voter,)), utc_now()
        if standing is None or not standing.voted or not standing.election.takes_votes(as_text(now)):
            return
        if standing.is_unlinked:
            return  # it is one of those cast before a restore, and nobody can tell which
        if standing.ballot_key is None:
            continue  # it was shut, and its salt destroyed, between two of our readings
        with suppress(Refused):
            _record_withdrawal("plenum", standing, now)
            return
    if not _is_nobodys(standing):
        raise Overtaken(OVERTAKEN)


def _is_nobodys(standing: Standing) -> bool:
    """Whether nobody can tell which ballot is theirs although the election is open: it counts, and stays."""
    return standing.ballot_key is None


def _take_place(election_name: str, voter: str) -> None:
    """A name that is free again must not stand on a roll; with a ballot that stays, it does, and is nobody's."""
    for _attempt in range(TRIES):
        election, entry = elections.find(election_name), table().get(keys.voter(election_name, voter))
        if election is None or election.state(now_text()) == State.CLOSED:
            return
        if entry is None or entry["voted"]:
            return
        gone = Delete(keys.voter(election_name, voter), when=Equals("voted", False))
        event = Event("plenum", "VotersRemoved", {"election_name": election.name, "voters": [voter]})
        with suppress(Refused):
            log().record(event, gone, elections.touched(election, -1))
            return
    raise Overtaken(OVERTAKEN)


# --- after a restore ---


def unlink_all() -> int:
    """Give every open secret election a salt that has none, as in a store filled from a backup; answers how many.

    What was cast before stays in the box and counts.
    """
    names = [item["name"] for item in table().each(keys.elections())]
    return sum(_unlink(election) for name in names if (election := elections.find(name)) is not None)


def _unlink(election: Election) -> bool:
    is_open = election.state(now_text()) in (State.EDITABLE, State.OPEN)
    if not election.secret_ballot or not is_open:
        return False
    event = Event("plenum", "BallotsUnlinked", {"election_name": election.name})
    try:
        log().record(event, *unlinking(election), secrecy.new_salt(election))
    except Refused:
        return False  # it has its salt
    return True


def unlinking(election: Election) -> list[Write]:
    return elections.change(election, replace(election, restores=election.restores + 1))


# --- sealing ---


_log = logging.getLogger("plenum.ballots")


class CannotSeal(Exception):
    """Something about the ballots is not as it must be; the election waits until somebody has looked."""


with_sealing: list[Callable[[Election], None]] = []  # what other apps make of the ballots of a closed election


def seal_what_is_closed(only: str | None = None) -> int:
    """Seal closed elections, and empty the ballot boxes of the secret ones. Any number may do it at once; each part
    enters the log once. Who waits for a page about one election leaves its box to the worker."""
    if only is None:
        return take_each(list(table().each(keys.SEALING)), lambda mark: _seal_or_say(mark["election_name"]))
    with suppress(CannotSeal):
        return _seal_or_say(only, empty=False)
    return 0


def _seal_or_say(name: str, *, empty: bool = True) -> bool:
    """Whether there is such an election. If it cannot be sealed, the operator is told why."""
    election = elections.find(name)
    try:
        if election is not None:
            _seal(election)
        if election is not None and empty:
            _empty(election)
    except CannotSeal as error:
        _log.error("not sealed", extra={"words": str(error)})
        raise
    return election is not None


def _seal(election: Election) -> None:
    place = keys.sealing(election.name)
    mark = table().get(place)
    if mark is None or mark.get("removing"):
        return
    parts = sealed_parts(election)
    for number, lines in enumerate(parts[mark["parts"] :], mark["parts"]):
        try:
            _seal_part(election, number, len(parts), [repository.published(line) for line in lines])
        except Refused:
            return  # another worker is at it
    for seal in with_sealing:
        seal(election)
    if not election.secret_ballot:
        with suppress(Refused):  # then another worker has finished it
            table().write(Delete(place, when=Equals("parts", len(parts))))


def _seal_part(election: Election, number: int, parts: int, ballots: list[Item]) -> None:
    """Publish some ballots. Those of a secret election enter the log here; those of a public one are in it already."""
    writes = publishing(election, number, ballots)
    if not election.secret_ballot:
        return table().write(*writes)
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


# --- emptying the box ---
# Under their pseudonyms the ballots of a secret election would be found again by whoever has the salt of an early copy
# and the site's secret. So they go once they are published; the mark of the sealing says that they are about to.


def _empty(election: Election) -> None:
    place = keys.sealing(election.name)
    found = table().get_many([place, keys.result(election.name)])
    if not election.secret_ballot or len(found) < 2:
        return  # it is not sealed yet, or all is done
    try:
        _let_go(election, found[place])
        for handful in repository.emptying(election.name):
            table().write(*handful)
        table().write(Delete(place, when=repository.IS_EMPTIED))
    except Refused:
        return  # another worker was at it, and has finished it


def _let_go(election: Election, mark: Item) -> None:
    """See that everything is published, and only then say that the ballots may go."""
    if mark.get("removing"):
        return _check_published(election, compare_what_is_left)
    place = keys.sealing(election.name)
    try:
        _check_published(election, compare)
    except CannotSeal:
        if table().get(place) == mark:
            raise
        return None  # another worker has begun to empty it meanwhile
    is_sealed = Check(keys.result(election.name), Exists())
    table().write(Update(place, set={"removing": True}, when=Exists()), is_sealed)
    return None


def _check_published(election: Election, compare: Callable[[Iterable[Cast], Iterable[Cast], str], None]) -> None:
    """Read the published ballots back before anything goes that they were made from."""
    with closing(Sorted()) as box:
        repository.read_box(election.name, box)
        try:
            compare(map(Cast.of, repository.every_published(election.name)), box, "in the ballot box")
        except Flaw as flaw:
            raise CannotSeal(f"Election “{election.name}”: {flaw} The box is left as it is.") from None


def are_old_boxes_full() -> bool:
    """Whether there are closed elections of which nobody has looked yet whether an earlier version has sealed them."""
    is_done = (table().get(keys.emptied()) or {}).get("done")
    return not is_done and bool(table().page(elections.list_of(State.CLOSED), limit=1).items)


def empty_old_boxes() -> int:
    """Find the ballots that an earlier version has left in the boxes of sealed elections, some elections at a time."""
    place = keys.emptied()
    before = table().get(place) or {}
    page = table().page(elections.list_of(State.CLOSED), limit=A_HANDFUL, cursor=before.get("cursor"))
    found = sum(_is_to_be_emptied(item["name"]) for item in page.items)
    after = {"cursor": page.cursor} if page.cursor else {"done": True}
    table().write(Put({"PK": place.pk, "SK": place.sk, **after}))
    return found


def _is_to_be_emptied(name: str) -> bool:
    """Whether its box is to be emptied by the mark that it gets."""
    election = elections.find(name)
    if election is None or not election.secret_ballot or not _is_left_full(name):
        return False
    try:
        _check_published(election, compare)
        mark = elections.to_be_sealed(election)
        table().write(Put(mark.item | {"removing": True}, when=Missing()))
    except CannotSeal as error:
        _log.error("not emptied", extra={"words": str(error)})
        return False
    except Refused:
        return False
    return True


def _is_left_full(name: str) -> bool:
    marks = table().get_many([keys.sealing(name), keys.result(name)])
    has_ballots = bool(table().page(keys.ballots(name), limit=1).items)
    return list(marks) == [keys.result(name)] and has_ballots
