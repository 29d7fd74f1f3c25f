"""Casting, changing, withdrawing: what the store holds afterwards, and every refusal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import repository, rules, services
from ballots.sealing import seal_closed
from ballots.services import _record_cast
from elections import repository as elections
from elections import rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.lifecycle.closing import close_ended_elections
from elections.roll.services import add_voters
from elections.turnout.counts import turnout
from foundation.acts.background import wait
from foundation.acts.caches import SizedCache
from foundation.acts.refusals import LostRace, NotNow, Refusal
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import BadRanking
from foundation.store import keys, splitting
from foundation.store.log import as_text, utc_now
from foundation.store.table import Delete
from operations.upkeep.figures import site_sealer
from tests.at_once import at_once as all_at_once
from tests.background import finish_background

from .conftest import ranks

SECRET, OTHER = "5" * 32, "7" * 32


def ballots(name: str = "Board") -> list[rules.Ballot]:
    return list(repository.every_ballot(name))


def events(site, *kinds: str) -> list[dict]:
    return [event for event in site.each(keys.events()) if event["event_type"] in kinds]


def at_once(times: int, act: Callable[[int], Any]) -> list[Any]:
    answers = all_at_once(*(partial(act, number) for number in range(times)))
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    return answers


def in_an_hour() -> str:
    return as_text(utc_now() + timedelta(hours=1))


# --- casting ---


def test_a_public_ballot_lies_under_its_voter_with_all_that_was_said(site, person, opened):
    opened("Eve", secret_ballot=False)
    outcome = services.cast(person("Eve"), "board", ranks(Cy=7, Ada=2, Bo=2), "form 1")
    item = site.get(keys.ballot("Board", "EVE"))
    assert item["rankings"] == "0=1>2"
    assert item["confirmation"] == outcome.ballot.confirmation
    assert item["voter_name"] == "Eve"
    assert item["when_cast"] <= as_text(utc_now())
    (event,) = events(site, "BallotCast")
    assert event["event_data"] == {
        "election_name": "Board",
        "voter_name": "Eve",
        "changed": False,
        "rankings": "0=1>2",
        "confirmation": item["confirmation"],
    }


def test_a_secret_ballot_says_nothing_but_the_ranking_and_its_code(site, person, opened):
    opened("Eve")
    outcome = services.cast(person("Eve"), "Board", ranks(Bo=1), "form 1")
    (item,) = site.each(*keys.ballots("Board"))
    assert set(item) == {"PK", "SK", "rankings", "confirmation"}
    assert "eve" not in item["SK"].lower()
    (event,) = events(site, "BallotCast")
    assert event["event_data"] == {"election_name": "Board", "voter_name": "Eve", "changed": False}
    assert outcome.ballot.confirmation not in str(list(site.each(keys.events())))


def test_the_roll_the_ballots_and_the_turnout_agree(site, person, opened):
    opened("Eve", "Bob", "Kim")
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1")
    services.cast(person("Bob"), "Board", ranks(Cy=1), "2", secret=SECRET)
    services.withdraw(None, "Board", "3", secret=SECRET)
    assert [(voter.name, voter.voted) for voter in rolls.every_voter("Board")] == [
        ("Bob", True),
        ("Eve", True),
        ("Kim", False),
    ]
    assert len(ballots()) == turnout("Board").voted == turnout("Board").withdrawn == 1
    site_sealer().seal()
    assert turnout("Board").steps[-1][1] == 1


def test_a_change_replaces_a_public_ballot_and_its_code(site, person, opened):
    opened("Eve", secret_ballot=False)
    eve = person("Eve")
    first = services.cast(eve, "Board", ranks(Bo=1), "1")
    second = services.cast(eve, "Board", ranks(Cy=1), "2")
    assert not first.replaced
    assert second.replaced
    (ballot,) = ballots()
    assert ballot.rankings == "2"
    assert ballot.confirmation == second.ballot.confirmation != first.ballot.confirmation
    assert turnout("Board").voted == 1


def test_a_withdrawn_public_ballot_is_gone_and_one_may_vote_again(site, person, opened):
    opened("Eve", secret_ballot=False)
    eve = person("Eve")
    services.cast(eve, "Board", ranks(Bo=1), "1")
    services.withdraw(eve, "Board", "2")
    assert ballots() == []
    with pytest.raises(rules.HasNotVoted):
        services.withdraw(eve, "Board", "3")
    services.cast(eve, "Board", ranks(Cy=1), "4")
    assert len(ballots()) == 1


def test_a_blank_ballot_is_a_ballot(site, person, opened):
    opened("Eve")
    services.cast(person("Eve"), "Board", {}, "1")
    assert [ballot.rankings for ballot in ballots()] == [""]
    assert turnout("Board").voted == 1


# --- once ---


def test_the_same_form_twice_is_one_act_also_after_a_change(site, person, opened):
    opened("Eve", secret_ballot=False)
    eve = person("Eve")
    first = services.cast(eve, "Board", ranks(Bo=1), "1")
    assert services.cast(eve, "Board", ranks(Bo=1), "1").ballot is None
    assert ballots() == [first.ballot]
    second = services.cast(eve, "Board", ranks(Cy=1), "2")
    assert services.cast(eve, "Board", ranks(Bo=1), "1").ballot is None, "a late repetition undid a change"
    assert ballots() == [second.ballot]
    services.withdraw(eve, "Board", "3")
    services.withdraw(eve, "Board", "3")
    assert len(events(site, "BallotCast", "BallotWithdrawn")) == 3


@pytest.mark.parametrize(("form", "secret"), [("2", SECRET), ("1", SECRET), ("1", OTHER)], ids=str)
def test_two_voters_with_one_secret_or_one_form_do_not_share_a_receipt(site, person, opened, form, secret):
    """Otherwise the second would be told that their vote counts, and be the only one not to be on the roll."""
    opened("Eve", "Bob")
    first = services.cast(person("Eve"), "Board", ranks(Bo=1), "1", secret=SECRET)
    with pytest.raises(rules.NotTheirs, match="your vote was not cast"):
        services.cast(person("Bob"), "Board", ranks(Cy=1), form, secret=secret)
    assert ballots() == [first.ballot]
    assert services.cast(person("Eve"), "Board", ranks(Bo=1), "1", secret=SECRET).ballot == first.ballot
    services.cast(person("Bob"), "Board", ranks(Cy=1), "3", secret=OTHER)
    assert len(ballots()) == turnout("Board").voted == 2


def test_two_voters_with_one_secret_at_the_same_moment_do_not_share_a_receipt(site, person, opened, monkeypatch):
    """Bob has looked before Eve's ballot lay there, and writes after it."""
    opened("Eve", "Bob")
    eve, bob, record = person("Eve"), person("Bob"), services._record_cast

    def after_eve(who: Any, *arguments: Any, **options: Any) -> rules.Ballot:
        if who is bob:
            monkeypatch.setattr(services, "_record_cast", record)
            services.cast(eve, "Board", ranks(Bo=1), "1", secret=SECRET)
        return record(who, *arguments, **options)

    monkeypatch.setattr(services, "_record_cast", after_eve)
    with pytest.raises(rules.NotTheirs):
        services.cast(bob, "Board", ranks(Cy=1), "2", secret=SECRET)
    assert len(ballots()) == turnout("Board").voted == 1


def test_a_second_tab_with_the_same_secret_gets_the_receipt(site, person, opened):
    """The review draws a new form each time it is shown; its secret stays the same."""
    opened("Eve")
    outcomes = [services.cast(person("Eve"), "Board", ranks(Bo=1), form, secret=SECRET) for form in ("1", "2")]
    assert [outcome.ballot for outcome in outcomes] == ballots() * 2


def test_of_eight_tabs_one_casts_a_secret_ballot(site, person, opened):
    opened("Eve")
    eve = person("Eve")

    def cast(number: int) -> str:
        try:
            return services.cast(
                eve, "Board", ranks(Bo=1), f"form {number}", secret=f"{number:032x}"
            ).ballot.confirmation
        except rules.HasVoted:
            return ""

    codes = at_once(8, cast)
    assert [code for code in codes if code] == [ballot.confirmation for ballot in ballots()]
    assert turnout("Board").voted == len(events(site, "BallotCast")) == 1


# --- refusals ---


def test_who_is_not_on_the_roll_is_told(site, person, opened):
    opened("Eve")
    with pytest.raises(rules.NotOnTheRoll, match="not on the electoral roll"):
        services.cast(person("Bob"), "Board", ranks(Bo=1), "1")
    assert ballots() == []


def test_before_the_beginning_the_moment_is_named_in_the_zone_of_the_election(site, person, opened):
    opened("Eve", no_voting_before="2099-01-02T11:00:00.000Z", time_zone="Europe/Berlin")
    with pytest.raises(NotNow, match=r"Voting begins: Jan\. 2, 2099, noon CET \(Europe/Berlin\)"):
        services.cast(person("Eve"), "Board", ranks(Bo=1), "1")


def test_the_closing_moment_itself_is_too_late(site, person, opened, monkeypatch):
    end = utc_now().replace(microsecond=0) + timedelta(hours=1)
    opened("Eve", no_voting_after=as_text(end))
    eve = person("Eve")
    monkeypatch.setattr(services, "utc_now", lambda: end - timedelta(milliseconds=1))
    services.cast(eve, "Board", ranks(Bo=1), "1", secret=SECRET)
    monkeypatch.setattr(services, "utc_now", lambda: end)
    for act in (
        lambda: services.cast(eve, "Board", ranks(Cy=1), "2"),
        lambda: services.cast(None, "Board", ranks(Cy=1), "3", secret=SECRET),
        lambda: services.withdraw(None, "Board", "4", secret=SECRET),
    ):
        with pytest.raises(NotNow, match="closed"):
            act()
    assert [ballot.rankings for ballot in ballots()] == ["1"]


def test_an_end_is_moved_without_a_gate(site, person, opened, monkeypatch):
    """So voting is never in the way of it; whoever comes after the old end and before the new one gets in."""
    election = opened("Eve", no_voting_after=in_an_hour())
    gates = site.get_many(elections.gates_of(election).keys("Board"))
    later = utc_now() + timedelta(hours=3)
    lifecycle.extend(people.find("the organiser"), election, as_text(later))
    assert site.get_many(elections.gates_of(election).keys("Board")) == gates
    monkeypatch.setattr(services, "utc_now", lambda: later - timedelta(hours=1))
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1")
    monkeypatch.setattr(services, "utc_now", lambda: later)
    with pytest.raises(NotNow, match="closed"):
        services.cast(person("Eve"), "Board", ranks(Cy=1), "2")


def test_nothing_enters_a_closed_box(site, person, opened):
    opened("Eve", "Bob")
    eve, bob = person("Eve"), person("Bob")
    services.cast(eve, "Board", ranks(Bo=1), "1")
    before = services.voter_context(bob, "Board")
    closing.close(people.find("the organiser"), elections.find("Board"))
    with pytest.raises(NotNow, match="closed"):
        services.cast(eve, "Board", ranks(Cy=1), "2")
    with pytest.raises(LostRace):
        _record_cast(bob, before, {1: "1"}, utc_now(), "3", paper=False)
    assert len(ballots()) == 1


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"9": ["1"]}, "not a candidate"),
        ({"x": ["1"]}, "not a candidate"),
        ({"0": ["1", "2"]}, "Ada is ranked twice"),
        ({"0": ["0"]}, "whole number"),
        ({"0": ["-1"]}, "whole number"),
        ({"0": ["1.5"]}, "whole number"),
        ({"0": ["first"]}, "whole number"),
        ({"0": ["٣"]}, "whole number"),
        ({"0": ["9" * 5000]}, "whole number"),
    ],
)
def test_what_is_not_a_ranking_is_refused_in_a_sentence(site, person, opened, typed, sentence):
    opened("Eve")
    with pytest.raises(BadRanking, match=sentence):
        services.cast(person("Eve"), "Board", typed, "1")
    assert ballots() == []


def test_a_candidate_who_came_later_can_be_ranked_at_once(site, person, opened):
    election = opened("Eve", editable=True)
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1", secret=SECRET)
    add_candidates(people.find("the organiser"), election, [Candidate("Di")])
    services.cast(None, "Board", {"3": ["1"], "1": ["2"]}, "2", secret=SECRET)
    assert [ballot.rankings for ballot in ballots()] == ["3>1"]


# --- who one is on the roll ---


def test_somebody_listed_by_address_votes_with_their_account(site, person, opened):
    opened("eve@example.org")
    eve = person("Eve")
    services.cast(eve, "Board", ranks(Bo=1), "1")
    assert [voter.voted for voter in rolls.every_voter("Board")] == [True]


def test_somebody_listed_twice_votes_once(site, person, opened):
    """By name and by address: also if the second entry comes after they have voted."""
    election = opened("eve@example.org")
    eve = person("Eve")
    services.cast(eve, "Board", ranks(Bo=1), "1")
    add_voters(people.find("the organiser"), election, ["Eve"])
    with pytest.raises(rules.HasVoted):
        services.cast(eve, "Board", ranks(Cy=1), "2")
    assert len(ballots()) == turnout("Board").voted == 1


def test_two_entries_at_once_still_vote_once(site, person, opened):
    election = opened("eve@example.org")
    eve = person("Eve")
    before = services.voter_context(eve, "Board", secret=SECRET)
    add_voters(people.find("the organiser"), election, ["Eve"])
    between = services.voter_context(eve, "Board", secret=OTHER)
    _record_cast(eve, before, {1: "1"}, utc_now(), "1", paper=False)
    with pytest.raises(LostRace):
        _record_cast(eve, between, {1: "2"}, utc_now(), "2", paper=False)
    assert len(ballots()) == 1


def test_where_everybody_may_vote_the_roll_grows_with_the_ballots(site, person, opened):
    eve = person("Eve", Role.VOTER)
    opened(electorate="everyone")
    services.cast(eve, "Board", ranks(Bo=1), "1")
    assert [(voter.name, voter.voted) for voter in rolls.every_voter("Board")] == [("Eve", True)]
    with pytest.raises(rules.NotOnTheRoll):
        services.cast(person("Otto", Role.OBSERVER), "Board", ranks(Bo=1), "2")


# --- the secret of a ballot ---


def test_who_has_the_secret_changes_the_ballot_and_nobody_learns_who_it_was(site, person, opened):
    opened("Eve", "Bob")
    first = services.cast(person("Eve"), "Board", ranks(Bo=1), "1", secret=SECRET)
    roll, mails = list(site.each(*keys.voters("Board"))), site.count(keys.mails("queued"))
    second = services.cast(None, "board", ranks(Cy=1), "2", secret=SECRET)
    assert second.replaced
    assert (second.ballot.rankings, second.ballot.confirmation) == ("2", first.ballot.confirmation)
    assert ballots() == [second.ballot]
    (event,) = events(site, "BallotChanged")
    assert (event["actor"], event["event_data"]) == ("plenum", {"election_name": "Board"})
    assert list(site.each(*keys.voters("Board"))) == roll
    assert site.count(keys.mails("queued")) == mails
    assert turnout("Board").voted == 1


def test_the_roll_says_of_a_secret_election_who_has_voted_and_nothing_else(site, person, opened):
    opened("Eve", "Bob", paper_ballots=True)
    before = {item["voter_name"]: item for item in site.each(*keys.voters("Board"))}
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1", secret=SECRET)
    services.enter_paper(people.find("the organiser"), "Board", "Bob", ranks(Bo=1), "2")
    assert list(site.each(*keys.voters("Board"))) == [before[name] | {"voted": True} for name in ("Bob", "Eve")]
    assert SECRET not in str([*site.each(keys.events()), *site.each(*keys.ballots("Board"))])


def test_without_the_secret_not_even_the_voter_reaches_a_secret_ballot(site, person, opened):
    opened("Eve")
    eve = person("Eve")
    services.cast(eve, "Board", ranks(Bo=1), "1", secret=SECRET)
    for secret in ("", OTHER):
        with pytest.raises(rules.HasVoted, match="not even this site"):
            services.cast(eve, "Board", ranks(Cy=1), f"2 {secret}", secret=secret)
    with pytest.raises(rules.HasVoted):
        services.withdraw(eve, "Board", "3")
    with pytest.raises(Refusal):
        services.cast(None, "Board", ranks(Cy=1), "4", secret=OTHER)
    with pytest.raises(Refusal):
        services.withdraw(None, "Board", "5", secret=OTHER)
    assert [ballot.rankings for ballot in ballots()] == ["1"]


def test_a_withdrawn_secret_ballot_does_not_count_and_its_secret_votes_again(site, person, opened):
    opened("Eve", "Bob")
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1", secret=SECRET)
    services.withdraw(None, "Board", "2", secret=SECRET)
    services.withdraw(None, "Board", "2", secret=SECRET)
    (item,) = site.each(*keys.ballots("Board"))
    assert set(item) == {"PK", "SK", "withdrawn"}
    assert (ballots(), turnout("Board").voted, turnout("Board").withdrawn) == ([], 0, 1)
    with pytest.raises(rules.HasNotVoted):
        services.withdraw(None, "Board", "3", secret=SECRET)
    services.cast(None, "Board", ranks(Cy=1), "4", secret=SECRET)
    assert ([ballot.rankings for ballot in ballots()], turnout("Board").voted, turnout("Board").withdrawn) == (
        ["2"],
        1,
        0,
    )
    kinds = [event["event_type"] for event in events(site, "BallotCast", "BallotWithdrawn", "BallotChanged")]
    assert kinds == ["BallotCast", "BallotWithdrawn", "BallotChanged"]
    site_sealer().seal()
    assert turnout("Board").steps[-1][1] == 1


def test_a_withdrawn_ballot_is_neither_published_nor_left_in_the_box(site, person, opened):
    opened("Eve", "Bob")
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1", secret=SECRET)
    services.cast(person("Bob"), "Board", ranks(Cy=1), "2", secret=OTHER)
    services.withdraw(None, "Board", "3", secret=SECRET)
    closing.close(people.find("the organiser"), elections.find("Board"))
    assert seal_closed() == 1
    (sealed,) = events(site, "BallotsSealed")
    assert [each["rankings"] for each in sealed["event_data"]["ballots"]] == ["2"]
    (result,) = events(site, "ResultSealed")
    assert (result["event_data"]["ballots"], result["event_data"]["withdrawn"]) == (1, 1)
    assert list(site.each(*keys.ballots("Board"))) == []


def test_a_late_repetition_of_a_change_undoes_no_later_one(site, person, opened):
    opened("Eve")
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1", secret=SECRET)
    services.cast(None, "Board", ranks(Cy=1), "2", secret=SECRET)
    third = services.cast(None, "Board", ranks(Ada=1), "3", secret=SECRET)
    assert services.cast(None, "Board", ranks(Cy=1), "2", secret=SECRET).ballot == third.ballot
    assert services.cast(people.find("Eve"), "Board", ranks(Bo=1), "1", secret=SECRET).ballot == third.ballot
    assert ballots() == [third.ballot]


@pytest.mark.parametrize("secret_ballot", [True, False])
def test_where_votes_are_final_nothing_changes_one(site, person, opened, secret_ballot):
    """And of a secret ballot nothing is left by which anybody could prove it."""
    opened("Eve", changeable=False, secret_ballot=secret_ballot)
    eve = person("Eve")
    outcome = services.cast(eve, "Board", ranks(Bo=1), "1", secret=SECRET)
    assert services.cast(eve, "Board", ranks(Bo=1), "1", secret=SECRET).repeated
    for act in (
        lambda: services.cast(eve, "Board", ranks(Cy=1), "2"),
        lambda: services.withdraw(eve, "Board", "3"),
        lambda: services.cast(None, "Board", ranks(Cy=1), "4", secret=SECRET),
    ):
        with pytest.raises(Refusal):
            act()
    assert ballots() == [outcome.ballot]
    assert services.voter_context(None, "Board", secret=SECRET) is None


def test_at_close_the_ballots_enter_the_log_in_no_order(site, person, opened):
    names = [f"voter {number}" for number in range(12)]
    opened(*names)
    cast = [services.cast(person(name), "Board", ranks(Bo=1, Cy=2), name).ballot for name in names]
    closing.close(people.find("the organiser"), elections.find("Board"))
    assert seal_closed() == 1
    assert seal_closed() == 0
    (event,) = events(site, "BallotsSealed")
    codes = [ballot["confirmation"] for ballot in event["event_data"]["ballots"]]
    assert codes == sorted(ballot.confirmation for ballot in cast)


def test_many_ballots_are_sealed_in_parts_each_once_also_by_several_workers(site, person, opened, monkeypatch):
    monkeypatch.setattr(splitting, "PART_BYTES", 300)
    names = [f"voter {number}" for number in range(20)]
    opened(*names)
    for name in names:
        services.cast(person(name), "Board", ranks(Bo=1), name)
    closing.close(people.find("the organiser"), elections.find("Board"))
    at_once(4, lambda _: seal_closed())
    seal_closed()
    sealed = [event["event_data"] for event in events(site, "BallotsSealed")]
    assert [each["part"] for each in sealed] == list(range(1, sealed[0]["parts"] + 1))
    assert sum(len(each["ballots"]) for each in sealed) == 20


# --- closing ---


def test_every_ballot_in_time_has_a_lower_number_than_the_close(site, person, opened):
    names = [f"voter {number}" for number in range(24)]
    opened(*names, secret_ballot=False)
    voters = [person(name) for name in names]
    owner = people.find("the organiser")

    def act(number: int) -> None:
        if number == 12:
            closing.close(owner, elections.find("Board"))
        else:
            with suppress(NotNow):
                services.cast(voters[number], "Board", ranks(Bo=1), names[number])

    at_once(24, act)
    kinds = [event["event_type"] for event in events(site, "BallotCast", "ElectionClosed")]
    assert kinds[-1] == "ElectionClosed"
    assert kinds.count("BallotCast") == len(ballots()) == turnout("Board").voted


def test_who_was_voting_while_it_was_being_closed_gets_in_and_counts_and_nobody_who_came_later(site, person, opened):
    election = opened("Eve", "Bob")
    eve, bob = person("Eve"), person("Bob")
    before = services.voter_context(eve, "Board")
    begun = closing.CLOSING.begin(election, "the organiser")
    with pytest.raises(NotNow, match="closed"):
        services.cast(bob, "Board", ranks(Bo=1), "1")
    with pytest.raises(Refusal, match="Closed"):
        services.enter_paper(people.find("the organiser"), "Board", "Bob", ranks(Bo=1), "1")
    _record_cast(eve, before, {1: "1"}, utc_now(), "2", paper=False)
    closing.CLOSING.finish(begun)
    assert [event["event_type"] for event in events(site, "BallotCast", "ElectionClosed")] == [
        "BallotCast",
        "ElectionClosed",
    ]
    assert (turnout("Board").voted, len(ballots())) == (1, 1)
    assert seal_closed() == 1


def test_whoever_was_cut_off_closing_it_may_click_again(site, opened):
    election = opened("Eve")
    closing.CLOSING.begin(election, "the organiser")
    closing.close(people.find("the organiser"), election)
    assert len(events(site, "ElectionClosed")) == 1
    with pytest.raises(Refusal, match="Closed"):
        closing.close(people.find("the organiser"), election)


def test_a_close_that_was_interrupted_is_finished_by_the_clock(site, person, opened):
    election = opened("Eve", "Bob")
    eve = person("Eve")
    services.cast(eve, "Board", ranks(Bo=1), "1")
    closing.CLOSING.begin(election, "the organiser")
    with pytest.raises(NotNow, match="closed"):
        services.cast(eve, "Board", ranks(Cy=1), "2")
    assert close_ended_elections() == 1
    (event,) = events(site, "ElectionClosed")
    assert event["actor"] == "the organiser"
    assert seal_closed() == 1


# --- leaving ---


def test_who_is_removed_takes_open_public_ballots_along_and_leaves_others(site, person, opened):
    owner = person("the owner", Role.OWNER)
    for name in ("Board", "Past", "Secret"):
        opened("Eve", "Bob", name=name, secret_ballot=name == "Secret")
        services.cast(people.find("Eve") or person("Eve"), name, ranks(Bo=1), name)
    closing.close(people.find("the organiser"), elections.find("Past"))
    accounts.remove(owner, people.find("Eve"))
    assert ballots("Board") == []
    assert turnout("Board").voted == 0
    assert [voter.name for voter in rolls.every_voter("Board")] == ["Bob"]
    assert elections.find("Board").voter_count == 1
    assert len(ballots("Past")) == len(ballots("Secret")) == turnout("Secret").voted == 1
    assert [(voter.name, voter.voted) for voter in rolls.every_voter("Secret")] == [("Bob", False), ("Eve", True)]
    closing.close(people.find("the organiser"), elections.find("Secret"))
    assert seal_closed("Secret") == 1


def test_a_removal_that_was_interrupted_is_finished_by_the_clock(site, person, opened, monkeypatch):
    owner = person("the owner", Role.OWNER)
    opened("Eve", "Bob", secret_ballot=False)
    services.cast(person("Eve"), "Board", ranks(Bo=1), "1")
    monkeypatch.setattr(people.REMOVAL, "do", lambda task: wait(60))
    accounts.remove(owner, people.find("Eve"))
    monkeypatch.undo()
    assert len(ballots()) == 1
    assert finish_background("remove person") == 1
    assert ballots() == []
    assert finish_background("remove person") == 0


def test_who_was_removed_meanwhile_cannot_vote(site, person, opened):
    opened("Eve")
    eve = person("Eve")
    context = services.voter_context(eve, "Board")
    site.write(Delete(keys.user("Eve")))
    with pytest.raises(LostRace):
        _record_cast(eve, context, {1: "1"}, utc_now(), "1", paper=False)
    assert ballots() == []


# --- what is kept of candidates ---


def test_what_a_process_keeps_of_candidates_is_bounded_by_what_is_said_about_them(opened, person, monkeypatch):
    memory = SizedCache(500_000, elections._bytes_of)
    monkeypatch.setattr(elections, "_known_candidates", memory)
    owner = person("the organiser")
    for number in range(6):
        election = drafts.create(owner, f"Long {number}")
        add_candidates(owner, election, [Candidate(name, "x" * 19_000) for name in ("A", "B")])
        found = elections.candidates_of(elections.find(election.name))
        assert [len(each.statement) for each in found] == [19_000, 19_000]
    assert 0 < memory.weight <= 500_000
    assert len(memory._entries) == 6
    heavy = drafts.create(owner, "Very long")
    add_candidates(owner, heavy, [Candidate(str(each), "x" * 19_000) for each in range(8)])
    assert len(elections.candidates_of(elections.find("Very long"))) == 8
    assert len(memory._entries) == 6, "one that is too heavy is read each time"


# --- paper ---


def test_a_paper_ballot_is_marked_in_the_log_and_in_the_turnout(site, person, opened):
    opened("Eve", "mail@example.org", paper_ballots=True)
    owner = people.find("the organiser")
    services.enter_paper(owner, "Board", "mail@example.org", ranks(Bo=1), "1")
    (event,) = events(site, "BallotCast")
    assert (event["actor"], event["event_data"]["voter_name"]) == ("the organiser", "mail@example.org")
    assert event["event_data"]["paper"] is True
    assert (turnout("Board").voted, turnout("Board").paper) == (1, 1)


def test_a_paper_ballot_never_replaces_one(site, person, opened):
    opened("Eve", paper_ballots=True)
    owner, eve = people.find("the organiser"), person("Eve")
    services.cast(eve, "Board", ranks(Bo=1), "1")
    with pytest.raises(NotNow, match="has already voted"):
        services.enter_paper(owner, "Board", "eve", ranks(Cy=1), "2")
    with pytest.raises(NotNow, match="has already voted"):
        services.enter_paper(owner, "Board", "Eve@example.org", ranks(Cy=1), "3")
    assert [ballot.rankings for ballot in ballots()] == ["1"]


def test_a_secret_paper_ballot_is_final(site, person, opened):
    opened("Eve", paper_ballots=True)
    services.enter_paper(people.find("the organiser"), "Board", "Eve", ranks(Bo=1), "1")
    with pytest.raises(rules.HasVoted):
        services.cast(person("Eve"), "Board", ranks(Cy=1), "2", secret=SECRET)
    assert (turnout("Board").voted, turnout("Board").paper) == (1, 1)


def test_a_voter_may_change_what_was_entered_for_them_in_public(site, person, opened):
    opened("Eve", paper_ballots=True, secret_ballot=False)
    owner, eve = people.find("the organiser"), person("Eve")
    services.enter_paper(owner, "Board", "Eve", ranks(Bo=1), "1")
    assert services.enter_paper(owner, "Board", "Eve", ranks(Bo=1), "1").ballot is None, "a double click"
    services.cast(eve, "Board", ranks(Cy=1), "2")
    assert (turnout("Board").voted, turnout("Board").paper) == (1, 0)


def test_paper_only_where_the_election_allows_it_and_only_for_the_roll(site, person, opened):
    opened("Eve")
    opened("Eve", name="Other", paper_ballots=True)
    owner = people.find("the organiser")
    with pytest.raises(NotNow, match="does not accept paper"):
        services.enter_paper(owner, "Board", "Eve", ranks(Bo=1), "1")
    with pytest.raises(rules.NotOnTheRoll):
        services.enter_paper(owner, "Other", "Bob", ranks(Bo=1), "2")
    with pytest.raises(Exception, match="may not enter paper ballots"):
        services.enter_paper(person("Mallory"), "Other", "Eve", ranks(Bo=1), "3")
