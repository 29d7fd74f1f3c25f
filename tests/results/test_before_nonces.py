"""What was written before there were nonces, commitments and public checkpoints keeps working, and tells no more."""

from __future__ import annotations

import json
from io import BytesIO

import pytest

from accounts import repository as people
from acts.site import acting_on
from elections import repository as elections
from elections import services as organising
from results import bundle, proof, services
from results.committing import roll_digest
from store import keys
from store.backup import backup, restore
from store.log.seal import verify
from store.sqlite import SqliteTable
from store.table import LOG, Item, Put, Table, Update
from tests.publishing import forget_what_is_public, seal_publicly, without_nonces
from tests.results.test_bundle import (  # noqa: F401 - fixtures
    CYCLE,
    finish,
    held,
    roll_in,
    unpacked,
    verdict,
)
from upkeep import replay
from upkeep.sealer import site_sealer


@pytest.fixture(params=[True, False], ids=["secret", "public"])
def old(request, held, site, monkeypatch) -> Table:  # noqa: F811
    """A site whose one election was sealed with a plain digest of its roll, in a log without nonces."""
    with monkeypatch.context() as patched:
        without_nonces(patched)
        patched.setattr("tests.results.test_bundle.finish", lambda name: close(site, name))
        held(CYCLE, secret_ballot=request.param)
    site_sealer().seal()
    forget_what_is_public(site)
    return site


def close(site: Table, name: str) -> None:
    """Close it, and make of its sealed result what it would have been."""
    organising.close(people.find("the organiser"), elections.find(name))
    assert services.find(name).report is not None
    event = sealed(site)
    said = {key: value for key, value in event["event_data"].items() if key != "roll_commitment"}
    said |= {"roll_digest": roll_digest(elections.find(name), said["ballots"])}
    site.write(Put({**event, "event_data": said}, table=LOG))
    site.write(Update(keys.result(name), set={"voted": said["ballots"]}, remove=("roll_secret",)))


def sealed(site: Table) -> Item:
    return next(each for each in site.each(keys.events()) if each["event_type"] == "ResultSealed")


def flaw() -> str | None:
    return proof.check_sealed(elections.find("Board"))


def test_it_is_still_what_was_sealed(old):
    assert "nonce" not in sealed(old)
    assert verify(old).flaw is None
    assert flaw() is None
    voter = keys.voter("Board", "voter 0")
    old.write(Update(voter, set={"voted": False}))
    assert flaw() == "Election “Board”: the roll is not what was sealed: who is on it, or who has voted."


def test_it_has_a_bundle_as_soon_as_there_is_a_public_checkpoint(old, verdict):  # noqa: F811
    with pytest.raises(bundle.NotSealedYet):
        unpacked()
    seal_publicly(old)
    files = unpacked()
    status, said = verdict(files)
    assert status == 0, said
    assert len(roll_in(files)) == len(CYCLE) + 1
    assert not any({"nonce", "commitment"} & set(each) for each in json.loads(files["roll.json"])["voters"])


def test_the_log_alone_leads_to_the_same(old):
    found = replay.check(old, replay.quietly)
    assert found.first == ()


def test_another_digest_of_the_roll_does_not_follow_from_the_log(old):
    event = sealed(old)
    old.write(Put({**event, "event_data": {**event["event_data"], "roll_digest": "0" * 64}}, table=LOG))
    assert "(roll_digest)" in str(replay.check(old, replay.quietly).first[0])


def test_a_backup_of_it_is_whole(old, tmp_path):
    file = BytesIO()
    backup(old, file)
    file.seek(0)
    copy = SqliteTable(f"{tmp_path}/copy.sqlite3")
    copy.create()
    restore(copy, file)
    assert verify(copy) == verify(old)
    with acting_on(copy):
        assert flaw() is None


def test_a_roll_whose_secret_is_gone_is_not_taken_for_an_old_one(held, site):  # noqa: F811
    held(CYCLE)
    assert flaw() is None
    site.write(Update(keys.result("Board"), set={"voted": len(CYCLE)}, remove=("roll_secret",)))
    assert "the secret is gone without which its roll" in flaw()
