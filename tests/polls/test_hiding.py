"""Polls that moderators hide and show again."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from foundation.acts.refusals import LostRace, NotNow
from parts.polls import repository, services

from .conftest import by_ida, events, vote
from .test_pages import at_leisure, send, text  # noqa: F401 - a fixture
from .test_pages import form_of as ballot_of


@pytest.fixture
def root(signed_in) -> Client:
    return signed_in("Root", Role.ADMIN)


def act(client: Client, poll, what: str):
    return client.post(f"/poll/{poll.id}/manage/{what}/")


@pytest.mark.parametrize("what", ["hide", "show"])
def test_nobody_else_hides_or_shows(made, signed_in, client, what):
    poll = made()
    assert act(signed_in("Eve"), poll, what).status_code == 403
    assert act(signed_in(people.find("Ida")), poll, what).status_code == 403
    assert act(client, poll, what)["Location"].startswith("/sign-in/")
    assert repository.find(poll.id) == poll


PAGES = ("", "voted/", "state/", "results/", "results/now/", "results/votes.csv", "embed/")


def test_a_hidden_poll_is_gone_for_all_but_its_maker_and_those_who_hid_it(made, shelf, client, root, signed_in):
    poll, ida = made(listed=True), signed_in(people.find("Ida"))
    send(client, poll, "Sushi")
    send(ida, poll, "Sushi")
    act(root, poll, "hide")
    for path in PAGES:
        answer = client.get(f"/poll/{poll.id}/{path}")
        assert answer.status_code == 410, path
        assert "Pizza" not in text(answer)
    assert "have hidden this poll" in text(client.get(f"/poll/{poll.id}/"))
    for path in ("", "voted/", "results/"):
        for somebody in (ida, root):
            assert "Nobody can vote" in text(somebody.get(f"/poll/{poll.id}/{path}", follow=True)), path
    assert "Nobody can vote" in text(ida.get(f"/poll/{poll.id}/manage/"))
    assert "Hidden" in text(ida.get("/polls/"))
    assert "Lunch" not in text(client.get("/polls/"))


def test_nobody_votes_in_a_hidden_poll(made, client, root, signed_in):
    poll, ida = made(), signed_in(people.find("Ida"))
    of_client, of_ida = ballot_of(client, poll), ballot_of(ida, poll)
    act(root, poll, "hide")
    assert send(client, poll, "Sushi", of_client).status_code == 410
    assert send(ida, poll, "Sushi", of_ida).status_code == 422
    with pytest.raises(NotNow, match="hidden this poll"):
        vote(poll, "somebody", "Sushi")
    assert list(repository.each_vote(poll)) == []


def test_whoever_made_it_without_an_account_sees_that_it_is_hidden(site, client, root, settings):
    settings.POLLS_BY_ANYBODY = True
    sent = {"title": "Lunch", "candidates": "Pizza\nSushi", "days": "30"}
    poll_id = client.post("/polls/new/", sent, follow=True).redirect_chain[-1][0].split("/")[2]
    act(root, repository.find(poll_id), "hide")
    assert "Nobody can vote" in text(client.get(f"/poll/{poll_id}/"))
    assert Client().get(f"/poll/{poll_id}/").status_code == 410


def test_a_poll_that_is_shown_again_is_as_it_was(made, client, root):
    poll = made(listed=True)
    send(client, poll, "Sushi")
    act(root, poll, "hide")
    act(root, poll, "show")
    assert client.get(f"/poll/{poll.id}/").status_code == 200
    assert "Lunch" in text(client.get("/polls/"))
    assert send(client, poll, "Pizza").status_code == 302


def test_what_is_hidden_is_not_hidden_twice(site, made, root):
    poll = made()
    act(root, poll, "hide")
    assert "not possible" in text(root.get(act(root, poll, "hide")["Location"]))
    act(root, poll, "show")
    assert "not possible" in text(root.get(act(root, poll, "show")["Location"]))
    assert [len(events(site, kind)) for kind in ("PollHidden", "PollShown")] == [1, 1]


def test_listing_a_hidden_poll_does_not_show_it(made, client, root):
    poll = made()
    act(root, poll, "hide")
    services.list_publicly(by_ida(poll), listed=True)
    assert "Lunch" not in text(client.get("/polls/"))
    act(root, poll, "show")
    assert "Lunch" in text(client.get("/polls/"))


def test_only_moderators_are_offered_to_hide_it(made, root, signed_in):
    poll = made()
    address = f"/poll/{poll.id}/manage/"
    assert f'action="{address}hide/"' in text(root.get(address))
    act(root, poll, "hide")
    assert f'action="{address}show/"' in text(root.get(address))
    assert f'action="{address}show/"' not in text(signed_in(people.find("Ida")).get(address))


def test_somebody_who_is_no_admin_any_more_hides_nothing(made, person):
    poll, admin = made(), person("Root", Role.ADMIN)
    accounts.change_role(person("Olga", Role.OWNER), admin, Role.USER)
    with pytest.raises(LostRace):
        services.hide(admin, poll)
    assert repository.find(poll.id).hidden_at is None
