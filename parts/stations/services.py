"""Opening and closing polling stations, pairing a browser, and letting one voter after the other into the booth.

What a visit writes is gone when it ends: the mark of the voter's link on the roll, and everything at the station. No
event names a voter, so afterwards nobody can tell who voted here.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from accounts.rules import Permission
from ballots.rules import NotOnTheRoll, check_voting, for_others
from elections import actions, rolls, sharding
from elections import repository as elections
from elections.invitations.voting_link import LINKS, SECRET_BYTES, STATION, Link, are_unchanged, with_link
from elections.rules import Action, Election, check_who
from elections.turnout.counts import tells_who, turnout
from foundation.acts.refusals import NotAllowed, NotNow
from foundation.acts.retry import retried, run_once
from foundation.acts.storage import now_text, record, write
from foundation.store.log import Event, as_text, utc_now
from foundation.store.table import Exists, Item, Key, Missing, Update, Write
from parts.letters import services as letters

from . import repository, rules
from .rules import Booth, Busy, Device, NoStation, Occupied, Station, Visit

MAX_FOUND = 20  # voters that a search at the desk shows


# --- stations ---


def open_(actor: User, election: Election, name: str, form: str) -> None:
    def act() -> None:
        actions.check(actor, election, Action.RUN_STATION)
        if election.electorate != "listed":
            raise NotNow(rules.LISTED_ONLY)
        if len(repository.every(election.name)) >= rules.MAX_STATIONS:
            raise NotNow(rules.TOO_MANY % {"most": rules.MAX_STATIONS})
        now = utc_now()
        station = Station(election.name, secrets.token_urlsafe(8), name, as_text(now))
        code = repository.storing_code(station, now.timestamp())
        record(_event(actor, "StationOpened", station), repository.opening(station), code, once=form, at=now)

    run_once(form, act, None)


def _event(actor: User, kind: str, station: Station) -> Event:
    about = {"election_name": station.election_name, "station": station.id, "name": station.name}
    return Event(actor.name, kind, about)


@retried
def close(actor: User, election: Election, station_id: str) -> None:
    """The visit in its booth ends with it. This is possible after the election has closed, too."""
    check_who(actions.relation(actor, election), Action.RUN_STATION)
    station = _current(election.name, station_id)
    event = _event(actor, "StationClosed", station)
    record(event, repository.closing(station), repository.dropping_code(station), *_unmarking(station))


def _current(election_name: str, station_id: str) -> Station:
    station = repository.find(election_name, station_id)
    if station is None:
        raise NoStation(_("This polling station has been closed."))
    return station


@retried
def renew_code(actor: User, election: Election, station_id: str) -> None:
    """For another browser: as soon as it is used, the earlier browser is no longer the booth."""
    actions.check(actor, election, Action.RUN_STATION)
    station = _current(election.name, station_id)
    after = replace(station, turn=station.turn + 1)
    code = repository.storing_code(after, utc_now().timestamp())
    write(repository.changing(station, turn=after.turn), repository.dropping_code(station), code)


@retried
def pair(typed: str) -> Device:
    """The browser that types the code becomes the booth; whoever was in the one before is out."""
    station = repository.find_by_code(typed)
    if station is None:
        raise NoStation(rules.WRONG_CODE)
    device = Device(station.election_name, station.id, secrets.token_hex(SECRET_BYTES))
    pairing = repository.changing(station, device=device.hash, paired=station.turn, remove=repository.VISIT)
    write(pairing, repository.dropping_code(station), *_unmarking(station))
    return device


@retried
def leave(device: Device, typed: str) -> None:
    """The browser stops being the booth, by whoever paired it: voters do not know the code. Whoever was in it is
    out."""
    station = repository.find(device.election_name, device.station_id)
    if station is None or station.device != device.hash:
        return
    if not repository.is_code_of_device(station, typed):
        raise NoStation(rules.NOT_ITS_CODE)
    write(repository.changing(station, remove=("device", *repository.VISIT)), *_unmarking(station))


# --- at the desk ---


def find_by_letter(election: Election, code: str) -> str:
    """Who is on the roll with a letter of this code."""
    voter = letters.find_by_code(election.name, code)
    if voter is None:
        raise NotOnTheRoll(_("No letter for this election has this code. A newer letter may have replaced it."))
    return voter.name


def let_in(actor: User, election: Election, station_id: str, voter: str, *, instead: bool = False) -> None:
    """Ends the visit of whoever was let in before: if they have begun to vote, only where this voter comes `instead`.
    So does the visit of the same voter in another booth. Somebody who may not vote puts nobody out."""
    actions.check(actor, election, Action.RUN_STATION)
    check_voting(election, now_text())
    _entitled(election, voter)
    before = _current(election.name, station_id)
    if before.booth == Booth.VOTING and not instead:
        raise Occupied(rules.OCCUPIED)
    if before.visit is not None:
        end_visit(election.name, station_id, before.visit.hash)
    _let_in(election, station_id, voter)


@retried
def _let_in(election: Election, station_id: str, voter: str) -> None:
    station, (entry, address) = _current(election.name, station_id), _entitled(election, voter)
    if not station.device:
        raise NotNow(rules.NOT_PAIRED)
    if station.visit is not None:
        raise Busy(rules.BUSY)
    name = entry["voter_name"]
    link = Link(election.name, election.created_at, name, secrets.token_hex(SECRET_BYTES), address)
    label = rolls.voter_label(name, entry.get("display_name", ""))
    visit = Visit(link.hash, repository.sealed_visitor(name, link.secret, address, label), now_text())
    marked = Update(
        Key(entry["PK"], entry["SK"]), set={LINKS: with_link(entry, STATION, link)}, when=are_unchanged(entry)
    )
    fields = {"visit": visit.hash, "visitor": visit.visitor, "since": visit.since}
    write(repository.changing(station, **fields), marked)


def _entitled(election: Election, voter: str) -> tuple[Item, str]:
    """The entry of somebody who may vote here now, and the address of their account if they are listed by its name."""
    entry = sharding.read_with_entry(election.name, voter)[1]
    if entry is None:
        raise NotOnTheRoll(_("Nobody with that name is on the roll for this election."))
    if not election.questions_for(rolls.groups_of(entry)):
        raise NotOnTheRoll(for_others(election))
    name = entry["voter_name"]
    person = people.find_by_email(name) if rolls.is_by_address(name) else None
    if rolls.is_by_account(name):
        person = people.find(name)
        if person is None or not rolls.belongs_to(person, entry):
            raise NotOnTheRoll(_("The account of this person no longer exists."))
    if person is not None and not person.can(Permission.VOTE):
        raise NotAllowed(_("The account of this person is not allowed to vote."))
    _check_not_final(election, entry, person)
    return entry, person.email if person and "account" in entry else ""


def _check_not_final(election: Election, entry: Item, person: User | None) -> None:
    """Before they are in the booth, say that they have voted only where the roll shows it too. Elsewhere the booth
    tells them, and nobody else. The turnout is read in every case, so that the time taken does not reveal it."""
    is_told = tells_who(election, turnout(election).voted)
    found = rolls.find_with_entry(election.name, person) if person else None
    has_voted = entry["voted"] or bool(found and found[1] and found[1].voted)
    may_replace = election.changeable and not election.secret_ballot
    if has_voted and is_told and not may_replace:
        label = rolls.voter_label(entry["voter_name"], entry.get("display_name", ""))
        raise NotNow(_("%(name)s has already voted.") % {"name": label})


def take_back(actor: User, election: Election, station_id: str) -> None:
    actions.check(actor, election, Action.RUN_STATION)
    end_visit(election.name, station_id)


# --- in the booth ---


def pick_up(device: Device, now: str) -> tuple[Link, str, Device]:
    """The link of whoever was let in, once; what pages call them; and what the browser holds from now on. Raises
    `Busy` if there is nobody, or if another window was faster."""
    station = repository.find(device.election_name, device.station_id)
    visit = station.visit if station and station.device == device.hash else None
    election = elections.find(device.election_name)
    if station is None or visit is None or visit.is_picked_up or election is None:
        raise Busy(rules.BUSY)
    voter, secret, address, label = repository.visitor_of(visit)
    unpicked = Exists() & repository.if_unchanged(station) & Missing("picked")  # the secret is gone with it
    fields = {"visitor": repository.sealed_visitor(voter), "since": now, "picked": True}
    picked = Update(repository.place(station), set=fields, when=unpicked)
    write(picked, refusals={0: Busy(rules.BUSY)})
    link = Link(election.name, election.created_at, voter, secret, address)
    return link, label, replace(device, visit=visit.hash, active_at=now)


@retried
def end_visit(election_name: str, station_id: str, visit: str = "") -> None:
    """The booth is free, and the roll as if nobody had come. With `visit`, only if it is still that one."""
    station = repository.find(election_name, station_id)
    if station is None or station.visit is None or visit not in ("", station.visit.hash):
        return
    write(repository.changing(station, remove=repository.VISIT), *_unmarking(station))


def end_visits(election: Election) -> None:
    """When the election has closed, also where nobody has looked at the booth since."""
    for station in repository.every(election.name):
        end_visit(election.name, station.id)


def _unmarking(station: Station) -> list[Write]:
    """Take the link of the current visit off the roll, if it is still there."""
    if station.visit is None:
        return []
    voter = repository.visitor_of(station.visit)[0]
    entry = sharding.read_with_entry(station.election_name, voter)[1] if voter else None
    if entry is None or [STATION, station.visit.hash] not in map(list, entry.get(LINKS, ())):
        return []
    others = [list(each) for each in entry[LINKS] if each[0] != STATION]
    change = {"set": {LINKS: others}} if others else {"remove": (LINKS,)}
    return [Update(Key(entry["PK"], entry["SK"]), **change, when=are_unchanged(entry))]
