"""A name on a roll belongs to an account: nobody gets a vote by registering a name that stands there."""

from __future__ import annotations

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as ballots
from ballots.rules import NotOnTheRoll
from elections import actions, repository, rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll import imports
from elections.roll.services import add_voters
from elections.rules import Action
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Update
from tests.clock import at_its_own_moment
from tests.people import enrol, list_as_before


@pytest.fixture
def draft(ada):
    election = drafts.create(ada, "Board", paper_ballots=True)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    return repository.find("Board")


def opened(ada, *voters):
    enrol(*voters)
    add_voters(ada, repository.find("Board"), voters)
    return lifecycle.open_(ada, repository.find("Board"), editable=False)


def address(name, *words):
    return reverse(name, args=["Board", *words])


def text_of(answer):
    return html.unescape(answer.content.decode())


def on_roll():
    return [voter.name for voter in rolls.every_voter("Board")]


def votes(user, form="form"):
    return ballots.cast(user, "Board", {"0": ["1"]}, form)


# --- coming onto the roll ---


def test_a_name_that_nobody_has_is_not_put_on_the_roll(ada, draft, signed_in):
    page = signed_in(ada)
    answer = page.post(address("roll"), {"voters": "ada\nGhost Person\nnew@example.org"})
    assert answer.status_code == 422
    assert "Nobody here has this name: Ghost Person. Use their mail address instead." in text_of(answer)
    assert on_roll() == []
    page.post(address("roll"), {"voters": "ada\nnew@example.org"})
    assert on_roll() == ["ada", "new@example.org"]


def test_each_row_of_a_list_that_names_nobody_says_so(ada, draft, signed_in):
    page, file = signed_in(ada), SimpleUploadedFile("voters.csv", b"Ghost Person\nADA\nnew@example.org\nGhost Two\n")
    preview = text_of(page.post(address("import_roll"), {"file": file}))
    assert preview.count("Nobody here has this name. Use their email address instead.") == 2
    voters = re.search(r'name="voters" value="([^"]*)"', preview)[1]
    page.post(address("import_roll"), {"voters": voters})
    assert on_roll() == ["ADA", "new@example.org"]


def test_whoever_left_between_preview_and_import_is_left_out_and_that_is_said(ada, draft, signed_in, person):
    page, owner = signed_in(ada), person("Boss", Role.OWNER)
    begun = imports.start(ada, draft, ["Ada", person("Eve").name])
    accounts.remove(owner, people.find("Eve"))
    done = page.post(address("go_on_importing", begun.digest), follow=True)
    assert "1 was left out, because nobody here has the name any longer." in text_of(done)
    assert on_roll() == ["Ada"]


def test_a_copy_takes_along_whose_account_is_there_and_says_who_is_left_out(site, ada, draft, person, signed_in):
    opened(ada, "Eve", "Bob", "kim@example.org")
    owner, eve = person("Boss", Role.OWNER), people.find("Eve")
    closing.close(ada, repository.find("Board"))
    accounts.remove(owner, eve)
    enrol("Eve")
    form = {"name": "Again"}
    said = text_of(signed_in(ada).post(address("copy_election"), form, follow=True))
    assert "Not copied to the roll, because their accounts no longer exist: 1." in said
    assert [voter.name for voter in rolls.every_voter("Again")] == ["Bob", "kim@example.org"]
    bound = site.get(keys.voter("Again", "Bob"))["account"]
    assert bound == people.find("Bob").created_at


# --- what it gives ---


def test_a_name_that_stood_on_a_roll_gives_nothing_to_who_registers_it(ada, draft, signed_in):
    list_as_before(draft, "Ghost Person")
    opened(ada)
    client = signed_in("Ghost Person", Role.VOTER)
    assert "Board" not in text_of(client.get("/")).split("<main", 1)[1]
    assert address("ballot") not in text_of(client.get(address("election")))
    assert client.get(address("ballot")).status_code == 403
    with pytest.raises(NotOnTheRoll):
        votes(people.find("Ghost Person"))


def test_a_freed_name_carries_no_right_also_where_its_entry_has_stayed(site, ada, draft, person):
    owner = person("Boss", Role.OWNER)
    opened(ada, "Eve", "Bob")
    entry = site.get(keys.voter("Board", "Eve"))
    at_its_own_moment(lambda: accounts.remove(owner, people.find("Eve")))
    site.write(people.Put(entry))  # as if it had been written while she was removed
    newcomer = person("Eve", Role.VOTER)
    with pytest.raises(NotOnTheRoll):
        votes(newcomer)
    with pytest.raises(NotOnTheRoll):
        ballots.enter_paper(ada, "Board", "Eve", {"0": ["1"]}, "paper")
    assert mailing.recipients_of([entry])["Eve"] == ("", "")


def test_what_another_has_left_under_ones_name_is_not_in_the_way(site, ada, draft, person):
    """Neither of a place by address, nor where everybody may vote."""
    actions.change(ada, draft, Action.SET_UP, electorate="everyone")
    list_as_before(repository.find("Board"), "Eve", "Kim")
    add_voters(ada, repository.find("Board"), ["kim@example.org"])
    eve = person("Eve", Role.VOTER)
    kim = at_its_own_moment(lambda: person("Kim", Role.VOTER, email="kim@example.org"))
    opened(ada)
    for left in ("Eve", "Kim"):
        site.write(Update(keys.voter("Board", left), set={"voted": True}))
    votes(eve, "1"), votes(kim, "2")
    voted = [voter.name for voter in rolls.every_voter("Board") if voter.voted]
    assert voted == ["Eve", "Eve@example.org", "Kim", "kim@example.org"]
    assert len(list(site.each(*keys.ballots("Board")))) == 2


def test_an_address_is_bound_to_whoever_confirms_it(ada, draft, person):
    opened(ada, "eve@example.org")
    votes(person("Eve", Role.VOTER, email="Eve@Example.org"))
    assert [(voter.name, voter.voted) for voter in rolls.every_voter("Board")] == [("eve@example.org", True)]


def test_on_paper_somebody_listed_long_ago_without_an_account_may_still_vote(ada, draft):
    list_as_before(draft, "Mrs. Smith")
    opened(ada)
    ballots.enter_paper(ada, "Board", "Mrs. Smith", {"0": ["1"]}, "paper")
    assert [(voter.name, voter.voted) for voter in rolls.every_voter("Board")] == [("Mrs. Smith", True)]
