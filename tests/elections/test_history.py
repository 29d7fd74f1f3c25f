"""The history of an election: organisers' acts exactly, voters' acts as counts, and nothing else."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, date, datetime, timedelta
from html import unescape
from pathlib import Path

import pytest

from accounts.rules import Role
from ballots import services as ballots
from ballots.sealing import seal_closed
from elections import actions, history, repository
from elections.candidates import add_candidates, edit_candidate, remove_candidates
from elections.drafts import services as drafts
from elections.history import Position, history_entries, organiser_events, votes_by_day
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager, hand_over, remove_manager
from elections.roll.services import add_voters
from elections.rules import Action
from foundation.acts.storage import table
from foundation.acts.tokens import create_token
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import Event, EventLog, utc_now
from foundation.store.log.seal import Sealer
from foundation.store.schema import SCHEMA
from foundation.store.table import Update
from tests.people import enrol


@pytest.fixture
def organiser(person):
    return person("Olga")


@pytest.fixture
def opened(organiser):
    """An election of Olga's with three voters, in which Ada and Bo stand."""

    def make(name="Board", **settings):
        election = drafts.create(organiser, name, **settings)
        add_candidates(organiser, election, [Candidate("Ada"), Candidate("Bo")])
        enrol("v1", "v2")
        add_voters(organiser, election, ["v1", "v2", "late@example.org"])
        return lifecycle.open_(organiser, repository.find(name), editable=False)

    return make


def cast(person, election, *names):
    for name in names:
        ballots.cast(person(name, Role.VOTER), election, {"0": ["1"]}, secrets.token_hex(8))


def page_of(client, name="Board", query=""):
    answer = client.get(f"/election/{name}/history/{query}")
    assert answer.status_code == 200
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())).split())


def sentences(name="Board"):
    election = repository.find(name)
    standing = [each.name for each in repository.candidates(name)]
    return [act.sentence for act in history_entries(organiser_events(Position(name), 50)[0], election, {1: standing})]


# --- what organisers did ---


def test_a_history_from_draft_to_result(site, organiser, opened, person, signed_in):
    election = opened(no_voting_after="2199-01-01T12:00:00.000Z", time_zone="Europe/Berlin")
    cast(person, "Board", "v1", "v2")
    election = lifecycle.extend(organiser, repository.find("Board"), "2199-02-01T12:00:00.000Z")
    closing.close(organiser, election)
    seal_closed()
    assert sentences() == [
        "The site counted 2 ballots and sealed the result.",
        "Olga closed the election before its planned end, Feb. 1, 2199, 1 p.m. CET.",
        "Olga set the end of voting to Feb. 1, 2199, 1 p.m. CET.",
        "Olga opened the election.",
        "Olga added 3 voters to the roll.",
        "Olga added candidates: Ada, Bo.",
        "Olga created the draft.",
    ]
    Sealer(site).seal()
    page = page_of(signed_in("reader", Role.OBSERVER))
    seal = site.get(keys.result("Board"))
    assert seal["digest"] in page
    assert seal["report_digest"] in page
    assert EventLog(site).newest_public()["hash"] in page
    assert re.search(r"Votes by day .* 2 Votes cast", page)


def test_voters_are_numbers_only(site, opened, person, signed_in):
    opened()
    cast(person, "Board", "v1", "v2")
    Sealer(site).seal()
    page = page_of(signed_in("reader"))
    for name in ("v1", "v2", "late@", "BallotCast"):
        assert name not in page


def test_what_a_draft_held_is_not_told(site, organiser, opened, signed_in):
    election = drafts.create(organiser, "Board", description="secret plans")
    add_candidates(organiser, election, [Candidate("Mallory"), Candidate("Ada"), Candidate("Bo")])
    edit_candidate(organiser, repository.find("Board"), Candidate("Mallory", "once stood"))
    remove_candidates(organiser, repository.find("Board"), "Mallory")
    drafts.rename(organiser, repository.find("Board"), "Council")
    actions.change(organiser, repository.find("Council"), Action.DESCRIBE, description="other plans")
    assert sentences("Council") == [
        "Olga changed: description.",
        "Olga renamed the draft.",
        "Olga removed 1 candidate.",
        "Olga edited the statement or link of a former candidate.",
        "Olga added candidates: Ada, Bo. 1 more is no longer a candidate.",
        "Olga created the draft.",
    ]


def test_a_long_list_of_voters_is_one_line(organiser, opened):
    election = opened()
    add_voters(organiser, election, [f"voter.{number}@example.org" for number in range(200)])
    events, _ = organiser_events(Position("Board"), 50)
    first = history_entries(events, election, {1: ["Ada"]})[0]
    assert first.sentence == "Olga added 200 voters to the roll."
    assert first.number - first.first == 2


def test_who_runs_it_is_told(organiser, opened, person):
    election = opened()
    person("Max")
    add_manager(organiser, election, "Max")
    remove_manager(organiser, repository.find("Board"), "Max")
    hand_over(organiser, repository.find("Board"), "Max")
    assert sentences()[:3] == [
        "Olga handed the election over to Max.",
        "Olga removed Max as a manager.",
        "Olga made Max a manager.",
    ]


@pytest.mark.needs("skills")
@pytest.mark.few(8)
@pytest.mark.parametrize(
    ("event_type", "said", "sentence"),
    [
        ("ElectionCreated", {"copied_from": "x"}, "Ada created the draft as a copy of another election."),
        ("ElectionUpdated", {"allow_edit": False}, "Ada locked the list of candidates: no more can be added."),
        (
            "ElectionUpdated",
            {"no_voting_after": None},
            "Ada removed the end: it stays open until an organiser closes it.",
        ),
        ("ElectionUpdated", {"method": "irv", "seats": 1}, "Ada changed: seats, method."),
        ("ElectionUpdated", {"something_new": 1}, "Ada changed the settings."),
        ("ElectionOpened", {"editable": True}, "Ada opened the election; candidates may still be added."),
        ("CandidatesAdded", {"candidates": [{"name": "gone"}]}, "Ada added 1 candidate."),
        ("CandidateEdited", {"candidate_name": "STANDS"}, "Ada edited the statement or link of STANDS."),
        ("CandidatePictured", {"candidate_name": "STANDS"}, "Ada changed the picture of STANDS."),
        ("CandidateAgreed", {"candidate_name": "STANDS"}, "A candidate agreed to show skills."),
        ("NeedSet", {"skill_id": "tea"}, "Ada added or changed a needed skill."),
        ("VotersRemoved", {"voters": ["a@b"]}, "Ada removed 1 voter from the roll."),
        ("VotersInvited", {}, "Ada invited the voters who had not been invited yet."),
        ("VotersReminded", {"hours_before": 3}, "Ada sent the automatic reminder."),
        ("InvitationWorded", {"words": "0f"}, "Ada changed the text of the invitation."),
        ("InvitationTested", {}, "Ada sent themselves a test mail."),
        ("VotersMessaged", {"subject": "secret"}, "Ada sent a message to all voters."),
        ("VoterInvitedAgain", {"voter": "a@b"}, "Ada sent one voter the invitation again."),
        ("SomethingNew", {"voter": "a@b"}, "Ada did something the log calls “SomethingNew”."),
    ],
)
def test_every_type_of_event_has_a_sentence(opened, event_type, said, sentence):
    event = {"event_id": 1, "actor": "Ada", "when_occurred": "2026-11-15T12:00:00.000Z", "event_type": event_type}
    (act,) = history_entries([event | {"event_data": {"election_name": "Board", **said}}], opened(), {1: ["stands"]})
    assert act.sentence == sentence


# --- one election and no other ---


def test_an_earlier_election_of_that_name_is_not_in_it(site, organiser, opened):
    lifecycle.delete(organiser, opened())
    Sealer(site).seal()
    drafts.create(organiser, "board")
    Sealer(site).seal()
    assert sentences("Board") == ["Olga created the draft."]


def test_a_name_that_was_taken_over_brings_nothing_along(site, organiser):
    drafts.create(organiser, "One")
    drafts.rename(organiser, repository.find("One"), "Two")
    drafts.create(organiser, "One")
    lifecycle.delete(organiser, repository.find("Two"))
    drafts.rename(organiser, repository.find("One"), "Two")
    Sealer(site).seal()
    assert sentences("Two") == ["Olga renamed the draft.", "Olga created the draft."]
    assert [event["event_id"] for event in organiser_events(Position("Two"), 50)[0]] == [6, 4]


def test_a_name_that_came_back_is_followed_through(site, organiser):
    drafts.create(organiser, "One")
    drafts.rename(organiser, repository.find("One"), "Two")
    drafts.rename(organiser, repository.find("Two"), "One")
    drafts.rename(organiser, repository.find("One"), "ONE")
    Sealer(site).seal()
    assert [event["event_id"] for event in organiser_events(Position("one"), 50)[0]] == [5, 4, 3, 2]


@pytest.mark.parametrize("sealed", [True, False])
def test_pages_go_on_under_the_old_name(site, organiser, signed_in, monkeypatch, sealed):
    monkeypatch.setattr(history, "PAGE_ROWS", 2)
    drafts.create(organiser, "Old")
    for number in range(3):
        actions.change(organiser, repository.find("Old"), Action.DESCRIBE, description=f"text {number}")
    drafts.rename(organiser, repository.find("Old"), "New")
    for number in range(3):
        actions.change(organiser, repository.find("New"), Action.DESCRIBE, description=f"words {number}")
    if sealed:
        Sealer(site).seal()
    client, query, found = signed_in(organiser), "", []
    while query is not None:
        page = client.get(f"/election/New/history/{query}").content.decode()
        found += re.findall(r"Olga [^<]*", page)
        older = re.search(r'href="/election/New/history/([^"]+)" rel="next"', page)
        query = unescape(older[1]) if older else None
    changed = ["Olga changed: description."] * 3
    assert found == [*changed, "Olga renamed the draft.", *changed, "Olga created the draft."]


def test_a_place_of_another_election_is_refused(site, organiser, opened, signed_in):

    opened()
    drafts.create(organiser, "Secret draft")
    client = signed_in("reader")
    client.raise_request_exception = False
    for token in ("forged", create_token("history", "Secret draft", "Secret draft", "99"), create_token("x", "Board")):
        assert client.get("/election/Board/history/", {"after": token}).status_code == 400


def test_a_draft_has_a_history_for_those_who_run_it(site, organiser, signed_in):
    drafts.create(organiser, "Board")
    assert "Olga created the draft." in page_of(signed_in(organiser))
    assert signed_in("stranger").get("/election/Board/history/").status_code == 404
    assert signed_in("admin", Role.ADMIN).get("/election/Board/history/").status_code == 200
    assert signed_in("watcher", Role.OBSERVER).get("/election/nothing/history/").status_code == 404


def test_only_auditors_are_led_to_the_log(site, opened, signed_in):
    opened()
    assert "/admin/log/" not in signed_in("reader").get("/election/Board/history/").content.decode()
    assert "/admin/log/" in signed_in("auditor", Role.AUDITOR).get("/election/Board/history/").content.decode()


def test_a_million_casts_are_not_waded_through(site, opened, monkeypatch):
    election = opened()
    log = EventLog(site)
    for number in range(300):
        log.record(Event(f"voter {number}", "BallotCast", {"election_name": "Board", "voter_name": "x"}))
    Sealer(site).seal()
    read = []
    get_many = site.get_many
    monkeypatch.setattr(site, "get_many", lambda *a, **k: read.append(found := get_many(*a, **k)) or found)
    assert len(organiser_events(Position(election.name), 50)[0]) == 4
    assert sum(map(len, read)) < 10


# --- what voters did ---


def test_a_day_is_shown_when_it_is_over(opened):
    election = opened()
    today = utc_now().replace(hour=12)
    for days, votes in ((-2, 3), (-1, -1), (0, 5)):
        hour = int((today + timedelta(days=days)).timestamp()) // 3600
        table().write(Update(keys.turnout("Board"), add={f"h{hour}": votes}))
    before, yesterday = ((today + timedelta(days=days)).date() for days in (-2, -1))
    assert votes_by_day(election, today) == [(before, 3), (yesterday, -1)]
    assert votes_by_day(election, today + timedelta(days=1))[-1] == (today.date(), 5)


def test_when_it_is_closed_the_last_day_is_shown_too(organiser, opened, person):
    election, now = opened(), utc_now()
    cast(person, "Board", "v1")
    assert votes_by_day(election, now) == []
    closed = closing.close(organiser, election)
    assert [votes for _, votes in votes_by_day(closed, now)] == [1]


def test_hours_and_days_that_are_counted_fall_on_the_right_day(opened):
    election = opened()
    late = datetime(2026, 11, 15, 23, 30, tzinfo=UTC)
    hour, day = int(late.timestamp()) // 3600, int(late.timestamp()) // 86400
    table().write(Update(keys.turnout("Board"), add={f"h{hour}": 1, f"d{day}": 2}))
    assert votes_by_day(election, late + timedelta(days=2)) == [(date(2026, 11, 15), 3)]


def test_the_day_at_hand_is_not_on_the_page(opened, person, signed_in):
    opened()
    cast(person, "Board", "v1", "v2")
    page = page_of(signed_in("reader"))
    assert "None to show yet." in page
    assert "A day is shown when it is over" in page


def test_no_sentence_is_missing_of_what_organisers_record():
    """Every type of event that the code records of an election, but for what is about ballots or its end."""
    here = Path(history.__file__).parent
    files = [*here.rglob("*.py"), here.parent / "results" / "services.py"]
    kind = re.compile(r'"((?:Election|Manager|Candidate|Voter|Result)[a-z]*[A-Z][A-Za-z]+)"')
    recorded = {name for file in files for name in kind.findall(file.read_text())}
    assert {"ElectionOpened", "VotersAdded", "ResultSealed", "ManagerRemoved"} <= recorded
    assert {name for name in recorded & SCHEMA.events.keys() if not SCHEMA.events[name].sentence} == {"ElectionDeleted"}
