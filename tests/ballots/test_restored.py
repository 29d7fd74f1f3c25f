"""A secret election that was open when a backup was made: what was cast counts, and nobody votes twice."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from acts.refusals import NotNow
from acts.storage import table
from ballots import repository, rules, secrecy, services
from elections import repository as elections
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import closing
from results import proof
from results import services as results
from store import keys
from store.table import Update
from upkeep.replay import check, quietly

from .conftest import ranks

SENTENCE = "Since then this site has been restored from a backup"


@pytest.fixture
def restored(settings, tmp_path) -> Callable[..., str]:
    """Put a restored backup in the place of the site, by the commands; answers what was said about it."""
    made = []

    def restore(by: str = "restore") -> str:
        said, file = StringIO(), str(tmp_path / f"backup {len(made)}.jsonl.gz")
        before, target = settings.STORE_URL, f"sqlite://{tmp_path}/restored {len(made)}.sqlite3"
        made.append(target)
        if by == "restore":
            call_command("backup", file, stdout=said, stderr=said)
            with gzip.open(file) as lines:
                assert b'"SK":"SALT"' not in lines.read()
            settings.STORE_URL = target
            call_command("restore", file, stdout=said, stderr=said)
        else:
            call_command("transfer", before, target, stdout=said, stderr=said)
            settings.STORE_URL = target
        return said.getvalue()

    return restore


@pytest.fixture
def voted(site, person, opened, restored):
    """Eve and Bob have voted before the backup; Flo and Gus have not."""

    def vote(by: str = "restore") -> str:
        opened("Eve", "Bob", "Flo", "Gus")
        for name in ("Eve", "Bob", "Flo", "Gus"):
            person(name)
        for name in ("Eve", "Bob"):
            services.cast(people.find(name), "Board", ranks(Bo=1), name)
        return restored(by)

    return vote


def box() -> list[rules.Ballot]:
    return list(repository.every_ballot("Board"))


def told(kind: str) -> list[dict]:
    return [event for event in table().each(keys.events()) if event["event_type"] == kind]


@pytest.mark.parametrize("by", ["restore", "transfer"])
def test_whoever_has_voted_has_voted_for_good_and_others_vote_as_ever(voted, by):
    assert "Open secret elections: 1. Ballots cast in them so far count" in voted(by)
    eve, flo = people.find("Eve"), people.find("Flo")
    for act in (
        lambda: services.cast(eve, "Board", ranks(Cy=1), "again"),
        lambda: services.withdraw(eve, "Board", "back"),
    ):
        with pytest.raises(rules.Unlinked, match=SENTENCE):
            act()
    assert repository.ballot_of(services.standing_of(eve, "Board")) is None
    first = services.cast(flo, "Board", ranks(Ada=1), "first").ballot
    services.cast(flo, "Board", ranks(Cy=1), "changed")
    services.withdraw(flo, "Board", "withdrawn")
    last = services.cast(flo, "Board", ranks(Cy=1), "last").ballot
    assert first.confirmation != last.confirmation
    assert repository.ballot_of(services.standing_of(flo, "Board")) == last
    assert sorted(ballot.rankings for ballot in box()) == ["1", "1", "2"]
    assert [event["event_data"] for event in told("BallotsUnlinked")] == [{"election_name": "Board"}]


def test_all_ballots_are_counted_and_everything_agrees(voted):
    voted()
    services.cast(people.find("Flo"), "Board", ranks(Cy=1), "1")
    assert check(table(), quietly).first == ()
    closing.close(people.find("the organiser"), elections.find("Board"))
    services.seal_closed()
    assert results.find("Board").seal.ballots == 3
    assert box() == []
    assert proof.check_sealed(elections.find("Board")) is None
    assert check(table(), quietly).first == ()


def test_the_pages_say_what_has_happened(voted, signed_in):
    voted()
    client = signed_in(people.find("Eve"))
    page = client.get("/election/Board/ballot/")
    assert (page.status_code, SENTENCE in page.content.decode()) == (403, True)
    assert SENTENCE in client.get("/election/Board/ballot/receipt/").content.decode()
    page = client.post("/election/Board/ballot/cast/", {"rank-0": "1", "token": "t"})
    assert (page.status_code, SENTENCE in page.content.decode()) == (422, True)
    page = client.post("/election/Board/ballot/withdraw/", {"token": "u"})
    assert (page.status_code, SENTENCE in page.content.decode()) == (403, True)
    assert len(box()) == 2
    organiser = signed_in(people.find("the organiser"))
    words = "restored from a backup while this election was open"
    assert words in organiser.get("/election/Board/dashboard/").content.decode()
    history = organiser.get("/election/Board/history/").content.decode()
    assert re.search(r"does not link secret ballots to voters", history)
    closing.close(people.find("the organiser"), elections.find("Board"))
    assert "nobody can now tell which ballot is whose" in client.get("/election/Board/ballot/receipt/").content.decode()


def test_no_paper_ballot_is_typed_in_for_somebody_who_has_voted(site, person, opened, restored):
    opened("Eve", "Bob", paper_ballots=True)
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1")
    restored()
    organiser = people.find("the organiser")
    with pytest.raises(NotNow, match="already voted"):
        services.enter_paper(organiser, "Board", "Eve", ranks(Cy=1), "paper")
    services.enter_paper(organiser, "Board", "Bob", ranks(Cy=1), "paper")
    assert sorted(ballot.rankings for ballot in box()) == ["1", "2"]


def test_who_is_removed_leaves_a_ballot_that_nobody_can_tell_from_others(voted):
    voted()
    owner = accounts.make_demo_person("the owner", Role.OWNER, "", "a long password")
    accounts.remove(people.find("the owner") or owner, people.find("Bob"))
    assert len(box()) == 2
    closing.close(people.find("the organiser"), elections.find("Board"))
    services.seal_closed()
    assert results.find("Board").seal.ballots == 2


def test_a_second_restore_cuts_the_ties_of_the_time_between_too(voted, restored):
    voted()
    services.cast(people.find("Flo"), "Board", ranks(Cy=1), "1")
    restored()
    for name in ("Eve", "Flo"):
        with pytest.raises(rules.Unlinked):
            services.cast(people.find(name), "Board", ranks(Cy=1), f"{name} again")
    services.cast(people.find("Gus"), "Board", ranks(Ada=1), "2")
    assert len(box()) == 4
    assert elections.find("Board").restores == 2
    assert check(table(), quietly).first == ()


def test_elections_that_are_public_or_not_open_are_left_alone(site, person, opened, restored):
    opened("Eve", name="Public", secret_ballot=False)
    services.cast(person("Eve"), "Public", ranks(Bo=1), "1")
    drafts.create(people.find("the organiser"), "Draft")
    opened("Eve", name="Past")
    closing.close(people.find("the organiser"), elections.find("Past"))
    assert "Secret elections" not in restored()
    services.cast(people.find("Eve"), "Public", ranks(Cy=1), "2")
    assert told("BallotsUnlinked") == []


def test_a_new_salt_is_made_once(voted):
    voted()
    salt = table().get(keys.salt("Board"))
    assert secrecy.unlink_all() == 0
    assert table().get(keys.salt("Board")) == salt


def test_what_was_written_before_there_were_restores_is_read_as_ever(site, person, opened):
    """An entry on the roll has the attribute only if there was one, and an election that lacks it has seen none."""
    opened("Eve")
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1")
    site.write(Update(keys.election("Board"), set={"name": "Board"}, remove=("restores",)))
    assert "restores" not in site.get(keys.voter("Board", "Eve"))
    services.cast(people.find("Eve"), "Board", ranks(Cy=1), "2")
    assert [ballot.rankings for ballot in box()] == ["2"]


def test_a_copy_of_an_election_has_a_past_of_its_own(voted):
    voted()
    organiser = people.find("the organiser")
    copy = copying.copy(organiser, elections.find("Board"), "Board again")
    assert elections.find(copy.name).restores == 0
