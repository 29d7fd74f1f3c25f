"""A poll that becomes an election: what goes along, who may do it, and what is said when the name is taken."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from elections import repository as elections
from elections.drafts import services as drafts
from parts.polls import repository

from .conftest import vote
from .test_pages import text


def elect(client: Client, poll, name: str):
    return client.post(f"/poll/{poll.id}/manage/election/", {"name": name})


def test_question_description_and_candidates_go_along_and_votes_do_not(made, signed_in):
    poll, ida = made(description="We are *twenty*.", time_zone="Europe/Berlin"), signed_in(people.find("Ida"))
    vote(poll, "a", "Sushi")
    assert f'href="/poll/{poll.id}/manage/election/"' in text(ida.get(f"/poll/{poll.id}/manage/"))
    assert 'value="Lunch on Friday"' in text(ida.get(f"/poll/{poll.id}/manage/election/"))
    answer = elect(ida, poll, "Lunch on Friday")
    assert "Your draft is ready" in text(ida.get(answer["Location"]))
    draft = elections.find("Lunch on Friday")
    assert (draft.owner_name, draft.time_zone) == ("Ida", "Europe/Berlin")
    assert elections.description_of(draft.name).description == "We are *twenty*."
    names = [each.name for each in elections.candidates(draft.name)]
    assert sorted(names) == ["Pizza", "Sushi", "Tacos"]
    assert draft.stored_state.name == "DRAFT"
    assert repository.find(poll.id) == poll


def test_fifty_candidates_go_along_in_their_order(made, signed_in):
    poll = made(*(f"Dish {number}" for number in range(50)))
    elect(signed_in(people.find("Ida")), poll, "Dishes")
    numbered = sorted(elections.candidates("Dishes"), key=lambda each: each.number)
    assert [each.name for each in numbered] == [each.name for each in poll.candidates]


def test_a_name_that_is_taken_is_said_and_kept(made, signed_in, person):
    poll = made()
    drafts.create(person("Eve"), "Lunch")
    answer = elect(signed_in(people.find("Ida")), poll, "LUNCH")
    assert answer.status_code == 422
    assert "already an election with that name" in text(answer)
    assert 'value="LUNCH"' in text(answer)


@pytest.mark.parametrize("name", ["", "x" * 401])
def test_a_name_that_is_none_is_refused(made, signed_in, name):
    assert elect(signed_in(people.find("Ida")), made(), name).status_code == 422


def test_nobody_makes_an_election_of_another_persons_poll(made, signed_in, client):
    poll = made()
    for role in (Role.USER, Role.ADMIN):
        somebody = signed_in(f"the {role.name}", role)
        assert somebody.get(f"/poll/{poll.id}/manage/election/").status_code == 403
        assert elect(somebody, poll, "Mine").status_code == 403
    assert elect(client, poll, "Mine")["Location"].startswith("/sign-in/")
    assert elections.find("Mine") is None


def test_whoever_has_the_private_link_signs_in_first(site, settings, signed_in, person):
    settings.POLLS_BY_ANYBODY = True
    eve, voter = signed_in("Eve"), signed_in("Vera", Role.VOTER)
    sent = {"title": "Lunch", "candidates": "Pizza\nSushi", "days": "30"}
    stranger = Client()
    page = text(stranger.post("/polls/new/", sent, follow=True))
    link = re.search(r"http://[^/]+(/poll/([^/]+)/manage/key/[^/<]+/)", page)
    poll = repository.find(link[2])
    assert "Turn it into an election" in page
    assert elect(stranger, poll, "Lunch")["Location"] == f"/sign-in/?next=/poll/{poll.id}/manage/election/"
    assert elect(eve, poll, "Lunch").status_code == 403
    for client in (eve, voter):
        client.get(link[1])
    assert elect(voter, poll, "Lunch").status_code == 403
    assert elect(eve, poll, "Lunch")["Location"] == "/election/Lunch/dashboard/"
    assert elections.find("Lunch").owner_name == "Eve"
