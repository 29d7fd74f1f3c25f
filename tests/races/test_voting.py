"""Every race that a condition on a write decides, one step at a time: one looked before, and writes after another.

Races with threads look for mistakes that nobody knows of, and find those that are known by luck. This finds them for
certain.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.models import User
from accounts.rules import Role
from ballots import services as ballots
from ballots.repository import every_ballot, every_published
from ballots.rules import HasVoted
from ballots.sealing import seal_closed
from elections import repository as elections
from elections import rolls
from elections.lifecycle import closing
from elections.turnout.counts import turnout
from foundation.acts.refusals import LostRace, NotNow, Refusal
from foundation.acts.storage import log
from foundation.store import keys
from parts.polls import counting
from parts.polls import repository as polls
from parts.polls import services as polling
from results import services as results
from tests import voting
from tests.ballots.conftest import ranks
from tests.polls.conftest import by_ida, vote

from .overtaken import overtaken_by


def events(kind: str) -> list[dict]:
    return [event["event_data"] for event in log().since(0) if event["event_type"] == kind]


def organiser() -> User:
    user = people.find("the organiser")
    assert user
    return user


def close(name: str = "Board") -> None:
    closing.close(organiser(), elections.find(name))


# --- ballots ---


@pytest.mark.parametrize("voters", ["listed", "everyone"])
def test_of_two_devices_that_cast_in_secret_the_first_counts(person, opened, voters):
    """Each draws a secret of its own, so the second ballot would lie beside the first."""
    eve = person("Eve", Role.VOTER)
    opened(*(["Eve"] if voters == "listed" else []), electorate=voters)
    first = partial(ballots.cast, eve, "Board", ranks(Ada=1), "first", secret="6" * 32)
    with overtaken_by(first), pytest.raises(HasVoted):
        ballots.cast(eve, "Board", ranks(Bo=1), "second", secret="5" * 32)
    assert [ballot.rankings for ballot in every_ballot("Board")] == ["0"]
    assert turnout("Board").voted == 1
    assert len(events("BallotCast")) == 1


@pytest.mark.parametrize("is_secret", [True, False])
@pytest.mark.parametrize("electorate", ["listed", "everyone"])
@pytest.mark.parametrize(
    ("before", "slow", "quick", "left"),
    [
        ("", "cast", "cast", 1),
        ("cast", "cast", "cast", 1),
        ("cast", "cast", "withdraw", 1),
        ("cast", "withdraw", "cast", 0),
        ("cast", "withdraw", "withdraw", 0),
        ("cast withdraw", "cast", "cast", 1),
    ],
)
def test_two_windows_of_one_voter_leave_one_ballot_or_none(
    person, opened, is_secret, electorate, before, slow, quick, left
):
    """Cast, changed and withdrawn, with the same words: whatever they do, turnout, roll and ballots agree."""
    eve = person("Eve", Role.VOTER)
    opened(*(["Eve"] if electorate == "listed" else []), secret_ballot=is_secret, electorate=electorate)
    acts = {
        "cast": lambda form: voting.cast(eve, "Board", ranks(Bo=1), form),
        "withdraw": lambda form: voting.withdraw(eve, "Board", form),
    }
    for number, act in enumerate(before.split()):
        acts[act](f"before {number}")
    with overtaken_by(partial(acts[quick], "quick")), suppress(Refusal):
        acts[slow]("slow")
    assert len(list(every_ballot("Board"))) == turnout("Board").voted == left
    marked = sum(voter.voted for voter in rolls.every_voter("Board"))
    assert marked == (1 if is_secret else left), "the roll tells that somebody cast in secret, not that they withdrew"


@pytest.mark.parametrize("is_secret", [True, False])
def test_who_looked_before_the_close_is_too_late_after_it(person, opened, is_secret):
    opened("Eve", secret_ballot=is_secret)
    eve = person("Eve")
    with overtaken_by(close), pytest.raises(NotNow, match="closed"):
        voting.cast(eve, "Board", ranks(Bo=1), "late")
    assert list(every_ballot("Board")) == []


@pytest.mark.parametrize("act", ["cast", "withdraw"])
def test_nor_does_anybody_change_a_ballot_after_the_close(person, opened, act):
    opened("Eve", secret_ballot=True)
    eve = person("Eve")
    voting.cast(eve, "Board", ranks(Bo=1), "in time")
    late = {
        "cast": partial(voting.cast, eve, "Board", ranks(Cy=1), "late"),
        "withdraw": partial(voting.withdraw, eve, "Board", "late"),
    }
    with overtaken_by(close), pytest.raises(NotNow, match="closed"):
        late[act]()
    assert [ballot.rankings for ballot in every_ballot("Board")] == ["1"]


def test_whose_account_goes_while_they_cast_has_cast_nothing(person, opened):
    eve, admin = person("Eve", Role.VOTER), person("admin", Role.ADMIN)
    opened(electorate="everyone")
    with overtaken_by(lambda: accounts.remove(admin, eve)), pytest.raises(Refusal):
        ballots.cast(eve, "Board", ranks(Bo=1), "late")
    assert list(every_ballot("Board")) == []


# --- results ---


@pytest.mark.parametrize("is_secret", [True, False])
def test_a_sealed_result_is_not_written_over(site, person, opened, is_secret):
    opened("Eve", secret_ballot=is_secret)
    voting.cast(person("Eve"), "Board", ranks(Bo=1), "form")
    close()
    election, sealed = elections.find("Board"), []

    def first() -> None:
        results.seal_result(election)
        sealed.append(site.get(keys.result("Board")))

    with overtaken_by(first, touching=keys.result("Board")):
        results.seal_result(election)
    assert [site.get(keys.result("Board"))] == sealed
    assert len(events("ResultSealed")) == 1


def test_of_two_workers_who_empty_a_box_each_ballot_is_published_once(site, person, opened):
    opened("Eve", "Bob", "Kim")
    for name in ("Eve", "Bob", "Kim"):
        voting.cast(person(name), "Board", ranks(Bo=1), name)
    cast = sorted(ballot.confirmation for ballot in every_ballot("Board"))
    close()
    results.seal_result(elections.find("Board"))
    with overtaken_by(seal_closed, touching=keys.sealing("Board")):
        seal_closed()
    assert [ballot["confirmation"] for ballot in every_published("Board")] == cast
    assert list(site.each(*keys.ballots("Board"))) == []


# --- polls ---


@pytest.mark.parametrize("before", [0, 1])
def test_of_two_windows_that_vote_in_a_poll_one_vote_is_left(made, before):
    poll = made()
    for number in range(before):
        vote(poll, "a", "Tacos", f"before {number}")
    with overtaken_by(lambda: vote(poll, "a", "Sushi", "quick")):
        assert vote(poll, "a", "Pizza", "slow") == before + 1
    (found,) = polls.each_vote(poll)
    assert (found["rankings"], found["acts"]) == ("0", before + 2)
    assert polls.with_gates(poll.id)[1] == 1
    assert [each["changed"] for each in events("PollVoteCast")] == [False] + [True] * (before + 1)


def test_who_looked_before_a_poll_was_closed_votes_no_more(made):
    poll = made()
    with overtaken_by(lambda: polling.close(by_ida(poll))), pytest.raises(Refusal):
        vote(poll, "a", "Pizza")
    assert list(polls.each_vote(poll)) == []
    assert polls.with_gates(poll.id)[1] == 0


def test_a_poll_is_closed_once(made):
    poll = made()
    with overtaken_by(lambda: polling.close(by_ida(poll))), pytest.raises(LostRace):
        polling.close(by_ida(poll))
    assert len(events("PollClosed")) == 1


def test_a_sealed_poll_is_not_written_over(site, made):
    poll = made()
    vote(poll, "a", "Pizza")
    polling.close(by_ida(poll))
    place, sealed = keys.poll_result(poll.id), []

    def first() -> None:
        counting.seal(poll.id)
        sealed.append(site.get(place))

    with overtaken_by(first, touching=place):
        counting.seal(poll.id)
    assert [site.get(place)] == sealed
    assert len(events("PollResultSealed")) == 1


def test_a_poll_opened_again_is_not_sealed_by_who_looked_before(site, made):
    poll = made()
    vote(poll, "a", "Pizza")
    polling.close(by_ida(poll))
    place = keys.poll_result(poll.id)
    with overtaken_by(lambda: polling.reopen(by_ida(poll), None), touching=place):
        assert not counting.seal(poll.id)
    assert site.get(place) is None
