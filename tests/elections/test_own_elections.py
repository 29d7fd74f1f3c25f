"""One's own elections: those one may vote in and those one runs, in one list, which is which."""

from __future__ import annotations

import html
import re

import pytest

from accounts import repository as people
from accounts.rules import Role
from ballots import services as voting
from elections import own_elections, repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.clock import at_its_own_moment


def rows_of(answer) -> dict[str, str]:
    page = html.unescape(answer.content.decode())
    rows = re.findall(r'<tr>\s*<th scope="row".*?</tr>', page, re.DOTALL)
    return {re.search(r"<a[^>]*>([^<]+)</a>", row)[1]: " ".join(row.split()) for row in rows}


@pytest.fixture
def ann(person):
    return person("Ann", Role.VOTER)


def test_a_voter_finds_what_they_may_vote_in_first(site, ann, opened, signed_in):  # noqa: F811
    opened("Ann", name="Open")
    opened("Ann", name="Voted")
    voting.cast(ann, "Voted", ranks(Ada=1), "form")
    opened("Ann", name="Missed")
    closing.close(people.find("the organiser"), repository.find("Missed"))
    opened(ann.email, name="By address")
    opened("Ben", name="Theirs")
    opened(name="Everybody's", electorate="everyone")
    opened("Ann", name="Later", no_voting_before="2199-01-01T00:00:00.000Z")
    draft = drafts.create(people.find("the organiser"), "A draft")
    add_voters(people.find("the organiser"), draft, ["Ann"])
    answer = signed_in(ann).get("/elections/")
    rows = rows_of(answer)
    assert set(rows) == {"Open", "Voted", "Missed", "By address", "Everybody's", "Later"}
    for name in ("Open", "By address", "Everybody's"):
        assert "Vote<" in rows[name], name
        assert "/dashboard/" not in rows[name]
    assert ">voted<" in rows["Voted"]
    assert ">did not vote<" in rows["Missed"]
    assert ">may vote<" in rows["Later"]
    page = answer.content.decode()
    assert "you run" not in page.lower()
    assert "New election" not in page


def test_lists_are_sorted_by_urgency_and_name_the_zone_of_each(site, ann, opened, signed_in, person):  # noqa: F811
    otto = person("the organiser")
    ends = {"Soon": "2198-01-01T09:00:00.000Z", "Late": "2199-01-01T09:00:00.000Z", "Endless": None}
    for name in ("Past", "Endless", "Late", "Soon"):
        opened("Ann", name=name, no_voting_after=ends.get(name), time_zone="Europe/Berlin")
    closing.close(otto, repository.find("Past"))
    at_its_own_moment(lambda: drafts.create(otto, "Draft"))
    at_its_own_moment(lambda: opened("the organiser", name="Mine to vote"))
    assert list(rows_of(signed_in(otto).get("/elections/"))) == [
        *("Mine to vote", "Soon", "Late", "Endless", "Draft", "Past"),
    ]
    everything = rows_of(signed_in(ann).get("/elections/?show=all"))
    assert [name for name in everything if name != "Mine to vote"] == ["Soon", "Late", "Endless", "Past"]
    assert "10 a.m. CET</time>" in everything["Soon"]
    assert list(rows_of(signed_in(ann).get("/elections/?q=E"))) == ["Endless"]


def test_whoever_runs_some_has_both_and_sees_which_is_which(site, opened, signed_in, person):  # noqa: F811
    otto = person("the organiser")
    opened("the organiser", name="Both")
    opened("Ben", name="Run")
    drafts.create(otto, "A draft")
    other = person("Other")
    draft = drafts.create(other, "Theirs")
    add_candidates(other, draft, [Candidate("Ada"), Candidate("Bo")])
    add_voters(other, repository.find("Theirs"), ["the organiser"])
    lifecycle.open_(other, repository.find("Theirs"), editable=False)
    rows = rows_of(signed_in(otto).get("/elections/"))
    assert set(rows) == {"Both", "Run", "A draft", "Theirs"}
    assert {name for name in rows if "You run it" in rows[name]} == {"Both", "Run", "A draft"}
    assert {name for name in rows if "Vote<" in rows[name]} == {"Both", "Theirs"}
    assert {name for name in rows if "/dashboard/" in rows[name]} == {"Both", "Run", "A draft"}


def test_the_list_is_leafed_through_without_gaps_and_without_drafts_of_others(site, ann, opened):  # noqa: F811
    for number in range(7):
        at_its_own_moment(lambda number=number: opened(*_listed(ann, number), name=f"N{number}"))
        if number != 1:
            closing.close(people.find("the organiser"), repository.find(f"N{number}"))
    for number in range(3):
        draft = drafts.create(people.find("the organiser"), f"Draft {number}")
        add_voters(people.find("the organiser"), draft, ["Ann"])
    found, cursor = own_elections.own_elections(ann, limit=2)
    names = [each.listed.name for each in found]
    assert names == ["N1"], "an older election that is open; the newest two are drafts of others"
    while cursor:
        more, cursor = own_elections.own_elections(ann, limit=2, cursor=cursor)
        names += [each.listed.name for each in more]
    assert names == ["N1", *(f"N{number}" for number in reversed(range(7)))]


def _listed(ann, number: int) -> list[str]:
    """By name, by address, or both."""
    return [["Ann"], [ann.email], ["Ann", ann.email]][number % 3]


def test_a_made_up_cursor_and_an_empty_list(site, ann, signed_in):
    browser = signed_in(ann)
    browser.raise_request_exception = False
    assert "Elections you can vote in will appear here" in browser.get("/elections/").content.decode()
    assert browser.get("/elections/?show=mine&after=nonsense").status_code == 400
    observer = signed_in("Eve", Role.OBSERVER)
    assert "?show=mine" not in observer.get("/elections/").content.decode()
    assert observer.get("/elections/?show=mine").status_code == 200
    assert "you run" not in observer.get("/elections/?show=mine").content.decode().lower()


def test_somebody_who_joined_later_does_not_find_what_was_for_those_who_were_here(site, opened, person):  # noqa: F811
    at_its_own_moment(lambda: opened(name="Everybody's", electorate="everyone"))
    assert own_elections.own_elections(person("Late", Role.VOTER), limit=9)[0] == []


def test_of_hundreds_one_has_voted_in_the_newest_are_looked_at_and_whatever_waits(site, ann, opened, monkeypatch):  # noqa: F811
    monkeypatch.setattr(own_elections, "MAX_RECENT_ELECTIONS", 1)
    at_its_own_moment(lambda: opened("Ann", name="Waits"))
    for name in ("Old", "New"):
        at_its_own_moment(lambda name=name: opened("Ann", name=name))
        voting.cast(ann, name, ranks(Ada=1), name)
    votes = own_elections.votes_of(ann, "2100-01-01T00:00:00.000Z")
    assert [each.name for each in votes.waiting] == ["Waits"]
    assert [each.name for each in votes.cast] == ["New"]
