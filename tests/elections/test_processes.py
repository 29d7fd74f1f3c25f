"""Organisers in several processes at once: what is left, some order of their acts explains."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from config.settings import BASE_DIR
from elections import repository, rolls
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import State
from ranking.candidates import Candidate
from store.log import EventLog
from tests.people import enrol


@pytest.mark.deep
def test_acts_of_four_processes_are_explained_by_the_order_of_the_log(site, settings, person):
    ada = person("Ada")
    election = drafts.create(ada, "Board")
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    enrol("Hypatia")
    add_voters(ada, election, ["Hypatia"])
    lifecycle.open_(ada, repository.find("Board"), editable=True)
    environment = {**os.environ, "STORE_URL": settings.STORE_URL, "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-m", "tests.elections.organiser", "4"]
    told = subprocess.run(command, cwd=BASE_DIR, env=environment, stdout=subprocess.PIPE, check=True, timeout=240)
    acknowledged = json.loads(told.stdout)

    flags, voters, candidates, description = (True, True), {"Hypatia"}, {"Bo", "Cy"}, ""
    for event in EventLog(site).since(0):
        said = event["event_data"]
        if event["event_type"] == "VotersAdded" and said["voters"] != ["Hypatia"]:
            assert flags[1], "nobody is put on the roll of a closed election"
            voters |= set(said["voters"])
        elif event["event_type"] == "CandidatesAdded" and said["candidates"][0]["name"] not in ("Bo", "Cy"):
            assert flags == (True, True), "no candidate is added once they are fixed"
            candidates |= {each["name"] for each in said["candidates"]}
        elif event["event_type"] == "ElectionUpdated" and "description" in said:
            assert flags == (True, True)
            description = said["description"]
        elif event["event_type"] == "ElectionUpdated" and "allow_edit" in said:
            assert flags == (True, True)
            flags = (False, True)
        elif event["event_type"] == "ElectionClosed":
            assert flags[1], "it is closed once"
            flags = (False, False)

    left = repository.find("Board")
    assert (left.allow_edit, left.allow_vote) == flags
    assert repository.description_of(left.name).description == description
    assert {voter.name for voter in rolls.every_voter("Board")} == voters
    assert {each.name for each in repository.candidates("Board")} == candidates
    assert {words for words in acknowledged if words.endswith("@example.org")} == voters - {"Hypatia"}
    assert {words for words in acknowledged if words.startswith("cand")} == candidates - {"Bo", "Cy"}
    assert sum(words.startswith("fix") for words in acknowledged) <= 1
    closed = any(words.startswith("close") for words in acknowledged)  # they are one person, who may press it twice
    assert closed == (left.stored_state == State.CLOSED)
