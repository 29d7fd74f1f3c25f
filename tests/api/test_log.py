"""The event log by the API, as the pages show it to auditors."""

from __future__ import annotations

from hashlib import sha256

import pytest

from accounts.rules import Role
from foundation.acts.storage import log, table
from foundation.store.log import Event
from foundation.store.log.seal import Sealer
from foundation.store.schema import SCHEMA
from tests.api.test_elections import problem

WITH_SECRETS = next(each for each in SCHEMA.events.values() if each.withheld)


@pytest.fixture
def auditor(person, program):
    return program(person("Alma", Role.AUDITOR))


@pytest.fixture
def otto(person, program):
    otto = program(person("Otto"))
    otto.post("elections", {"name": "Board"})
    otto.post("elections/Board/candidates", {"candidates": [{"name": "Ada"}]})
    return otto


def types(answer) -> list[str]:
    return [each["type"] for each in answer.json()["items"]]


def test_events_are_listed_newest_first_and_filtered(auditor, otto):
    newest = auditor.get("log?actor=otto").json()["items"]
    assert [each["type"] for each in newest][:2] == ["CandidatesAdded", "ElectionCreated"]
    assert newest[1]["data"]["election_name"] == "Board"
    assert types(auditor.get("log?event_type=ElectionCreated")) == ["ElectionCreated"]
    assert set(types(auditor.get("log?election=board"))) == {"CandidatesAdded", "ElectionCreated"}
    assert types(auditor.get("log?until=2001-01-01")) == []
    assert types(auditor.get("log?since=2001-01-01&actor=otto"))[0] == "CandidatesAdded"
    part = auditor.get("log?limit=1&actor=otto").json()
    assert types(auditor.get(part["next"])) == ["ElectionCreated"]


def test_an_event_is_read_with_its_proof(auditor, otto):
    number = auditor.get("log?event_type=ElectionCreated").json()["items"][0]["number"]
    found = auditor.get(f"log/{number}").json()
    assert found["event"]["actor"] == "Otto"
    assert (found["intact"], len(found["digest"]), found["checkpoint"]) == (True, 64, None)
    assert problem(auditor.get("log/999999")) == (404, "not-found")
    assert problem(auditor.get("log/0")) == (404, "not-found")


def test_what_pages_hide_is_hidden(auditor):
    name = next(iter(sorted(WITH_SECRETS.withheld)))
    number = log().record(Event("somebody", WITH_SECRETS.name, {name: "a secret", "at": "now"}))
    for answer in (auditor.get(f"log/{number}"), auditor.get("log")):
        assert "a secret" not in answer.content.decode()
    assert auditor.get(f"log/{number}").json()["event"]["hidden"] == [name]


@pytest.mark.parametrize("query", ["since=yesterday", "since=2027-01-02&until=2027-01-01", "before=3", "limit=0"])
def test_a_wrong_filter_is_named(auditor, query):
    assert problem(auditor.get(f"log?{query}")) == (422, "invalid")


def test_admins_are_no_auditors(person, program, auditor):
    admin = program(person("Olga", Role.ADMIN))
    assert problem(admin.get("log")) == (403, "scope")
    person("Alma", Role.ADMIN)
    assert problem(auditor.get("log")) == (403, "not-allowed")
    assert problem(auditor.get("log/1")) == (403, "not-allowed")


# --- for whoever keeps checkpoints ---


def grow() -> None:
    """Events, of which the last makes a checkpoint public."""
    for event_type in ("ThingMade", "ThingChanged", "ElectionClosed"):
        log().record(Event("ada", event_type))
    Sealer(table()).seal()


def hashed(text: bytes) -> bytes:
    return sha256(text).digest()


def test_from_a_checkpoint_that_was_kept_the_digests_lead_to_the_next(stranger):
    """By what the API says of them alone."""
    chain = bytes(32)
    for number in (3, 6):
        grow()
        point = stranger.get("checkpoints?limit=1").json()["items"][0]
        made_of = stranger.get(f"checkpoints/{number}/digests").json()
        assert (point["first"], point["number"], made_of["previous"]) == (number - 2, number, chain.hex())
        for digest in made_of["digests"]:
            chain = hashed(chain + bytes.fromhex(digest))
        sealed_by = point["sealed_by"]
        assert point["hash"] == hashed(chain + hashed(f"plenum: sealed by\n{sealed_by}".encode())).hex()
    assert problem(stranger.get("checkpoints/7/digests")) == (404, "not-found")
