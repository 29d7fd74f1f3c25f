"""Replays events about ballots: for each event type, the same writes as the live act."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from django.utils.translation import gettext_lazy as _

from acts.storage import table
from elections import rolls, sharding
from elections.replay import election_of, turned_out
from elections.rules import Election
from store import keys
from store.replay import DoesNotFit, Happened, Step, like
from store.schema import EventType
from store.splitting import by_count
from store.table import Check, Delete, Item, Put, Write

from . import repository, services
from .items import by_code
from .repository import Standing
from .rules import Ballot
from .station import repository as stations
from .station.rules import Station


def standing_of(event: Happened) -> Standing:
    """Who is not on the roll joins where everyone may."""
    election, voter, account = election_of(event), event.data["voter_name"], event.data.get("account")
    entry = table().get(sharding.voter_key(election, voter))
    name = entry["voter_name"] if entry else voter if election.electorate == "everyone" else None
    if name != voter:
        raise DoesNotFit(f"is about {voter}, who is not on the roll by then.")
    if not election.is_for(rolls.groups_of(entry or {})):
        raise DoesNotFit(f"is about {voter}, who is in none of the groups that may vote.")
    bound = account if rolls.is_by_account(voter) else None
    return Standing(election, voter, entry, account=bound)


def cast(event: Happened) -> Iterator[Step]:
    standing, event_data = standing_of(event), event.data
    if standing.voted != event_data["changed"]:
        raise DoesNotFit(
            f"takes {standing.voter} for somebody who has{'' if event_data['changed'] else ' not'} voted by then."
        )
    paper = bool(event_data.get("paper", False))
    if standing.election.secret_ballot:
        yield [*repository.recording_vote(standing, paper=paper), *turned_out(event)]
    else:
        ballot = Ballot(event_data["rankings"], event_data["confirmation"], event.when, rolls.weight_of(event_data))
        yield [*repository.casting(standing, ballot, paper=paper), *turned_out(event)]


def changed(event: Happened) -> Iterator[Step]:
    more, weight = int(event.data.get("again", False)), rolls.weight_of(event.data)
    yield [repository.recording_replacement(election_of(event), more, weight), *turned_out(event)]


def withdrawn(event: Happened) -> Iterator[Step]:
    """A secret ballot names nobody."""
    if (election := election_of(event)).secret_ballot:
        yield [repository.recording_replacement(election, -1, rolls.weight_of(event.data)), *turned_out(event)]
        return
    standing = standing_of(event)
    if not standing.voted:
        raise DoesNotFit(f"is about {standing.voter}, who has not voted by then.")
    yield [*repository.withdrawing(standing), *turned_out(event)]


def sealed(event: Happened) -> Iterator[Step]:
    """The ballots of a secret election enter the log when it is closed, and so they come back here."""
    election, ballots = election_of(event), event.data["ballots"]
    for some in by_count(ballots):
        yield [_secret(election, each) for each in some]
    yield services.publishing(election, event.data["part"] - 1, ballots)


def _secret(election: Election, ballot: Item) -> Put:
    place = by_code({"PK": keys.election_shard(election.name, 0, election.shards), **ballot})
    return Put({"PK": place.pk, "SK": place.sk, **ballot})


def published(election: Election) -> Iterator[Step]:
    """The ballots of a public election are in the log one by one; when it is sealed, they are published together."""
    with closing(repository.sort_ballots(election)) as box:
        for number, some in enumerate(services.split_into_parts(box)):
            yield services.publishing(election, number, repository.as_published(some))


def station_opened(event: Happened) -> Iterator[Step]:
    election, data = election_of(event), event.data
    yield [stations.opening(Station(election.name, data["station"], data["name"], event.when))]


def station_closed(event: Happened) -> Iterator[Step]:
    station = stations.find(event.data["election_name"], event.data["station"])
    if station is None:
        raise DoesNotFit(f"closes the polling station {event.data['name']}, which is not open by then.")
    yield [stations.closing(station)]


EVENTS = (
    EventType("BallotCast", cast, "election_name voter_name:person changed:bool rankings paper:bool account "
              "weight:int", "confirmation"),
    EventType("BallotChanged", changed, "election_name again:bool weight:int"),
    EventType("BallotWithdrawn", withdrawn, "election_name voter_name:person account weight:int"),
    EventType("BallotsSealed", sealed, "election_name part:int parts:int ballots:list",
              inside="confirmation rankings weight"),
    EventType("StationOpened", station_opened, "election_name station name",
              sentence=_("%(who)s opened the polling station “%(name)s”.")),
    EventType("StationClosed", station_closed, "election_name station name",
              sentence=_("%(who)s closed the polling station “%(name)s”.")),
)  # fmt: skip


# --- what one event takes more than one transaction for ---


def is_emptying(writes: Sequence[Write]) -> bool:
    """The ballots of a sealed secret election go after it, a batch at a time: they are published by then."""
    gone = [each.key for each in writes if isinstance(each, Delete)]
    checks = [each.key for each in writes if isinstance(each, Check)]
    is_sealed = [like(each) for each in checks] == [like(keys.sealing(""))]
    return is_sealed and all(like(each) == like(keys.ballot("", "")) for each in gone)


STEPS = (is_emptying,)
