"""Whatever people do, in whatever order: the log makes the state there is."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from accounts import repository as people
from accounts import services as accounts
from accounts.models import User
from accounts.rules import Role
from ballots import services as ballots
from ballots.sealing import seal_closed
from elections import actions
from elections import repository as elections
from elections.candidates import add_candidates, remove_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.invitations import mailing, reminders
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager, hand_over, remove_manager
from elections.roll.services import add_voters
from elections.rules import Action, Election
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table, use_table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import as_text, utc_now
from foundation.store.log.seal import Sealer
from operations.upkeep import figures
from operations.upkeep.replay import check, temporary_store
from tests.background import queue_mailings

PEOPLE, ELECTIONS = 5, 3
ROLES = (Role.NO_ACCESS, Role.VOTER, Role.USER, Role.ADMIN)


class NotThere(Exception):
    """Whoever, or whatever, an act is about is not there yet, or any more."""


def person(number: int) -> User:
    if (user := people.find(f"Person {number % PEOPLE}")) is None:
        raise NotThere
    return user


def owner() -> User:
    name = people.owner_name()
    assert name is not None
    return people.find(name)


def organiser(election: Election) -> User:
    if (user := people.find(election.owner_name)) is None:
        raise NotThere
    return user


def an_election(number: int) -> Election:
    if (election := elections.find(f"Election {number % ELECTIONS}")) is None:
        raise NotThere
    return election


def another_election(number: int) -> str:
    return f"Election {(number + 1) % ELECTIONS}"


def form() -> str:
    return f"form {table().count(keys.events())}"


# --- what happens to people ---


def comes(number: int, more: int) -> None:
    accounts.make_demo_person(f"Person {number % PEOPLE}", ROLES[more % 4], "", "correct horse")


def goes(number: int, more: int) -> None:
    accounts.remove(owner(), person(number))


def gets_a_role(number: int, more: int) -> None:
    accounts.change_role(owner(), person(number), [*ROLES, Role.OWNER][more % 5])


def says_who_they_are(number: int, more: int) -> None:
    accounts.change_profile(person(number), f"No. {more % 2}", "")


# --- what happens to elections ---


def is_made(number: int, more: int) -> None:
    settings = {"secret_ballot": bool(more & 1), "electorate": "everyone" if more & 2 else "listed"}
    settings |= {"results_visible": "live"} if not more & 1 else {}
    made = drafts.create(person(more), f"Election {number % ELECTIONS}", paper_ballots=True, **settings)
    add_candidates(person(more), made, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    names = [f"Person {each}" for each in range(more % PEOPLE + 1)]
    add_voters(person(more), made, [name for name in names if people.find(name)])


def is_opened(number: int, more: int) -> None:
    election = an_election(number)
    lifecycle.open_(organiser(election), election, editable=bool(more & 1))


def is_described(number: int, more: int) -> None:
    election = an_election(number)
    actions.change(organiser(election), election, Action.DESCRIBE, description=f"Words {more % 3}")


def gets_a_candidate(number: int, more: int) -> None:
    election = an_election(number)
    add_candidates(organiser(election), election, [Candidate(f"Candidate {more}")])


def loses_a_candidate(number: int, more: int) -> None:
    election = an_election(number)
    remove_candidates(organiser(election), election, ("Cy", f"Candidate {more}")[more & 1])


def gets_an_end(number: int, more: int) -> None:
    election = an_election(number)
    lifecycle.extend(organiser(election), election, as_text(utc_now() + timedelta(days=20 * (more + 1))))


def gets_reminders(number: int, more: int) -> None:
    election = an_election(number)
    reminders.choose(organiser(election), election, [24] if more & 1 else [])


def gets_a_manager(number: int, more: int) -> None:
    election = an_election(number)
    add_manager(organiser(election), election, person(more).name)


def loses_a_manager(number: int, more: int) -> None:
    election = an_election(number)
    remove_manager(organiser(election), election, person(more).name)


def changes_hands(number: int, more: int) -> None:
    election = an_election(number)
    hand_over(organiser(election), election, person(more).name)


def is_renamed(number: int, more: int) -> None:
    election = an_election(number)
    name = election.name.upper() if more & 1 else another_election(number)
    drafts.rename(organiser(election), election, name)


def is_copied(number: int, more: int) -> None:
    election = an_election(number)
    copying.copy(organiser(election), election, another_election(number))


def is_mailed_about(number: int, more: int) -> None:
    election = an_election(number)
    mailing.invite(organiser(election), election)
    queue_mailings()
    mailing.unsubscribe(election.name, f"Person {more % PEOPLE}")


def is_deleted(number: int, more: int) -> None:
    election = an_election(number)
    lifecycle.delete(organiser(election), election)


def is_closed(number: int, more: int) -> None:
    election = an_election(number)
    closing.close(organiser(election), election)
    if more & 1:
        seal_closed()


# --- what voters do ---


def is_voted_in(number: int, more: int) -> None:
    ranks = {str(each): [str((more >> each) % 3 + 1)] for each in range(3)}
    ballots.cast(person(more), an_election(number).name, ranks, form())


def is_voted_in_on_paper(number: int, more: int) -> None:
    election = an_election(number)
    ballots.enter_paper(organiser(election), election.name, person(more).name, {"0": ["1"]}, form())


def loses_a_ballot(number: int, more: int) -> None:
    ballots.withdraw(person(more), an_election(number).name, form())


def is_sealed(number: int, more: int) -> None:
    seal_closed()
    Sealer(table(), figures.COUNTED).seal()
    figures.update(table())


RARE = (comes, goes, gets_a_role, says_who_they_are, is_renamed, is_copied, is_deleted, is_closed, is_sealed)
USUAL = (is_made, is_opened, is_opened, is_voted_in, is_voted_in, is_voted_in, loses_a_ballot, is_voted_in_on_paper)
OTHERS = (
    *(is_described, gets_a_candidate, loses_a_candidate, gets_an_end, gets_reminders),
    *(gets_a_manager, loses_a_manager, changes_hands, is_mailed_about),
)
HOOKS = RARE + OTHERS + 2 * USUAL


def begin() -> None:
    accounts.make_demo_person("Owner", Role.OWNER, "", "correct horse")
    for number in range(PEOPLE - 1):
        comes(number, 2)
    is_made(0, 2)
    is_opened(0, 0)
    is_made(1, 3)


@pytest.mark.deep
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.randoms(use_true_random=True))  # evenly spread; a seed is all it takes to see a failure again
def test_whatever_people_do_the_log_makes_the_state_there_is(chance):
    with temporary_store() as table, use_table(table):
        begin()
        for _ in range(25):
            act, number, more = chance.choice(HOOKS), chance.randrange(6), chance.randrange(8)
            with suppress(Refusal, NotThere):
                act(number, more)
                event(act.__name__)
        verdict = check(table)
        assert verdict.first == ()
        assert verdict.events == table.count(keys.events())
