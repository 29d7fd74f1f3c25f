"""`verify` on a site where things have really happened. What else is named: tests/store/test_seal.py."""

from __future__ import annotations

import re
import sqlite3

import pytest
from django.core.management.base import CommandError

from accounts.rules import Role
from ballots import services as ballots
from ballots.sealing import seal_closed
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.log.search import Query, search
from foundation.store.table import LOG, Delete, Key, Put, Update
from operations.upkeep.jobs import LOG as LOG_JOB
from operations.upkeep.jobs import Leases

from .test_commands import run


@pytest.fixture
def log(site, person):
    """A secret election from draft to result, all of it sealed."""
    owner = person("Olga", Role.OWNER)
    election = drafts.create(owner, "Board")
    add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo")])
    voters = {number: person(f"v{number}", Role.VOTER) for number in (1, 2)}
    add_voters(owner, election, ["v1", "v2"])
    opened = lifecycle.open_(owner, repository.find("Board"), editable=False)
    for number in (1, 2):
        ballots.cast(voters[number], "Board", {"0": ["1"]}, f"form {number}")
    closing.close(owner, opened)
    seal_closed()
    assert re.fullmatch(r"\d+ event numbers sealed\.", run("seal"))
    assert run("verify").startswith("All events up to 12 are as sealed")
    return EventLog(site)


def types(log):
    return {event["event_type"]: event["event_id"] for event in log.since(0)}


def place(log, number):
    event = log.find(number)
    return Key(event["PK"], event["SK"], LOG)


@pytest.fixture
def flaw(log):
    def verify(*arguments):
        with pytest.raises(CommandError) as error:
            run("verify", *arguments)
        return str(error.value)

    return verify


def test_one_byte_of_one_event_changed_in_the_file_is_named(site, log, flaw):
    number = types(log)["VotersAdded"]
    site.close()
    with sqlite3.connect(site.path) as file:
        (table,) = file.execute(
            "SELECT name FROM sqlite_master WHERE name LIKE '%event_log%' AND type = 'table'"
        ).fetchone()
        columns = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
        where = f"{columns[0]} = 'EVENTS' AND {columns[1]} LIKE '{keys.sequence(number)}#%'"
        (row,) = file.execute(f"SELECT * FROM {table} WHERE {where}").fetchall()
        position, body = next((n, value) for n, value in enumerate(row) if n > 1 and value and b"v2" in _bytes(value))
        changed = _bytes(body).replace(b"v2", b"v3", 1)
        value = changed if isinstance(body, bytes) else changed.decode()
        assert file.execute(f"UPDATE {table} SET {columns[position]} = ? WHERE {where}", (value,)).rowcount == 1
    file.close()
    assert flaw() == f"Event {number} is not what was sealed."


def _bytes(value):
    return value if isinstance(value, bytes) else str(value).encode()


def test_an_edited_item_of_the_index_is_named_and_the_log_is_said_to_be_whole(site, log, flaw, capsys):
    number = types(log)["ElectionClosed"]
    item = keys.log_index("actor", "olga", 1)
    left = [each for each in site.get(item)["numbers"] if each != number]
    site.write(Update(item, set={"numbers": left}))
    assert flaw() == (
        f"But pages may not find all events. Event {number} is missing from the index by actor. "
        "“plenum seal --reindex” makes the index again from the log."
    )
    assert run("seal", "--reindex") == "Nothing new to seal.\nThe index of the log was rebuilt up to event 12."
    assert run("verify").startswith("All events up to 12 are as sealed")
    assert number in [event["event_id"] for event in search(site, Query(actor="Olga")).events]


def test_a_whole_log_made_anew_does_not_fit_what_somebody_has_kept(site, log, flaw):
    newest = log.newest_checkpoint()
    kept = f"--checkpoint={newest['event_id']}:{newest['hash']}"
    assert run("verify", kept)
    site.write(Update(place(log, 3), set={"actor": "mallory"}))
    for checkpoint in [*site.each(keys.checkpoints()), *site.each(keys.public_checkpoints())]:
        site.write(Delete(Key(checkpoint["PK"], checkpoint["SK"], LOG)))
    site.write(Delete(keys.SYNC))
    run("seal", "--reindex")
    assert run("verify"), "the log alone cannot show this"
    assert flaw(kept) == "The log up to event 12 is not the one whose checkpoint was published."


def test_reindexing_waits_for_no_worker_and_says_so(site, log):
    with Leases(site).held(LOG_JOB.name), pytest.raises(CommandError, match="A worker is sealing"):
        run("seal", "--reindex")


def test_an_empty_log_can_be_indexed(site):
    assert run("seal", "--reindex") == "Nothing new to seal.\nThe index of the log was rebuilt up to event 0."


def test_a_ballot_edited_after_sealing_is_named(site, log, flaw):
    assert run("verify").endswith("Closed elections that are as sealed: 1.")
    item = site.get(keys.published("Board", 0))
    item["ballots"][0]["rankings"] = "1>0"
    site.write(Put(item))
    code = item["ballots"][0]["confirmation"]
    assert flaw() == f"Election “Board”: the ballot {code} among the published ballots is not what was sealed."
