"""The dashboard of an election, and the pages of its heavy acts, as those who run it meet them."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from accounts.rules import Role
from ballots.sealing import seal_closed
from elections import repository
from elections.candidates import add_candidates
from elections.dashboard.next_step import Button, NextStep
from elections.drafts import services as drafts
from elections.invitations import mailing, messages
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager
from elections.roll.services import add_voters
from foundation.acts.storage import table
from foundation.mail import outbox
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Update
from tests.background import queue_mailings
from tests.people import confirm

FUTURE = "2999-01-01T00:00:00.000Z"
VOTERS = ["a@example.org", "b@example.org", "c@example.org"]


@pytest.fixture
def ada(person):
    return confirm(person("Ada"))


@pytest.fixture
def page(ada, signed_in):
    return signed_in(ada)


def made(ada, name="Board", voters=VOTERS, **settings):
    election = drafts.create(ada, name, **{"no_voting_after": FUTURE, **settings})
    add_candidates(ada, election, [Candidate("Bo", "Yes."), Candidate("Cy")])
    if voters:
        add_voters(ada, election, voters)
    return repository.find(name)


def opened(ada, name="Board", voters=VOTERS, **settings):
    return lifecycle.open_(ada, made(ada, name, voters, **settings), editable=False)


def sealed(ada, *arguments, **settings):
    election = opened(ada, *arguments, **settings)
    closing.close(ada, election)
    seal_closed()
    return repository.find(election.name)


def at(route, name="Board"):
    return reverse(route, args=[name])


def text_of(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def loud(text):
    """What the next step's loud button says; nothing, if there is none."""
    card = re.search(r'<section id="next-step".*?</section>', text)[0]
    return re.findall(r'<a class="button" href="[^"]*">([^<]*)</a>', card)


def shown(page, route="dashboard", name="Board"):
    return text_of(page.get(at(route, name)))


def test_the_next_step_changes_when_it_is_done(page, ada):
    election = drafts.create(ada, "Board", no_voting_after=FUTURE)
    assert loud(shown(page)) == ["Add candidates"]
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    assert loud(shown(page)) == ["Add voters"]
    add_voters(ada, repository.find("Board"), VOTERS)
    assert loud(shown(page)) == ["Open the election"]
    election = lifecycle.open_(ada, repository.find("Board"), editable=False)
    assert loud(shown(page)) == ["Invite voters"]
    assert f'class="button" href="{at("invitation")}"' in shown(page)
    assert "3 of 3 voters have not been invited yet." in shown(page)
    mailing.invite(ada, election)
    assert loud(shown(page)) == []
    assert "Invitations are on their way" in shown(page)
    queue_mailings()
    assert loud(shown(page)) == []
    assert "Everyone is invited. 0 of 3 have voted." in shown(page)
    closing.close(ada, election)
    assert "The ballots are being counted." in shown(page)
    seal_closed()
    assert loud(shown(page)) == ["Mail the result"]


def test_mails_under_way_are_counted_as_they_go_and_reminding_is_one_press_away(page, ada):
    made(ada, no_voting_after=FUTURE)
    assert "Remind now" not in shown(page)
    election = lifecycle.open_(ada, repository.find("Board"), editable=False)
    before = shown(page)
    assert "No mails have been sent yet." in before
    assert "Remind now" not in before
    assert "every 3s" not in before
    mailing.invite(ada, election)
    assert "every 3s" in shown(page)
    queue_mailings()
    assert "Invitations: 0 of 3 sent" in shown(page)
    send_waiting(compose)
    after = shown(page)
    assert "every 3s" not in after
    assert f'href="{at("invitation")}?what=reminder">Remind now</a>' in after
    mailing.remind(ada, repository.find("Board"))
    under_way = shown(page)
    assert "The mails are being prepared." in under_way
    assert "Remind now" not in under_way
    assert "Reminders" not in under_way


def test_the_roll_of_a_draft_says_how_many_it_has(page, ada):
    made(ada)
    assert "3 voters are on the list." in shown(page, "roll")


def test_others_say_what_follows_the_sealing(page, ada, monkeypatch):
    asked = []
    step = NextStep("tell", "Tell everybody.", Button("Tell them", "/tell/"))
    steps = [lambda user, election: asked.append((user.name, election.name)) or step]
    monkeypatch.setattr("elections.dashboard.views.ONCE_SEALED", steps)
    opened(ada, "Open")
    assert loud(shown(page, name="Open")) == ["Invite voters"]
    sealed(ada)
    assert loud(shown(page)) == ["Tell them"]
    assert asked == [("Ada", "Board")]


def offers(text):
    routes = "open_election close_election extend rename_election copy_election hand_over_election delete_election"
    return {route for route in routes.split() if f'href="{at(route)}"' in text}


def test_what_each_is_offered(page, ada, signed_in):
    election = made(ada)
    helper, admin = signed_in("Helper"), signed_in("Root", Role.ADMIN)
    add_manager(ada, election, "Helper")
    of_draft = {"open_election", "rename_election", "copy_election", "hand_over_election", "delete_election"}
    assert offers(shown(page)) == of_draft
    assert offers(shown(helper)) == {"copy_election"}
    assert offers(shown(admin)) == {"hand_over_election", "delete_election"}
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    assert offers(shown(page)) == {*of_draft - {"open_election", "rename_election"}, "close_election", "extend"}
    assert offers(shown(helper)) == {"copy_election"}
    assert offers(shown(admin)) == {"hand_over_election", "delete_election", "close_election"}
    assert signed_in("Stranger").get(at("dashboard")).status_code == 403


def test_deleting_is_in_a_quiet_menu(page, ada):
    made(ada)
    text = shown(page)
    assert "danger" not in text
    menu = re.search(r'<details class="menu.*?</details>', text)[0]
    assert at("delete_election") in menu
    assert at("delete_election") not in text.replace(menu, "")


# --- the turnout ---


def test_the_turnout_is_large_with_axes_and_a_table(page, ada):
    opened(ada, voters=VOTERS[:2])
    assert "0%" in shown(page)
    table().write(Update(keys.gate("Board", 0), add={"voted": 1, "h500000": 1}))
    text = shown(page)
    assert '<b class="large">50%</b>' in text
    assert "<b>1</b> of 2 voters have voted" in text
    assert '<polyline class="grown"' in text
    assert "As a table" in text
    assert '<polyline class="grown"' in shown(page, "turnout")


# --- opening, closing, deleting ---


def test_opening_says_everything_first(page, ada):
    made(ada, voters=["Ada", *VOTERS], time_zone="Europe/Berlin", vote_by_link=False)
    text = shown(page, "open_election")
    for words in ("2 candidates", "4 voters on the roll", "3 of them are listed by mail address", "Europe/Berlin"):
        assert words in text
    assert "Candidates without a statement: 1." in text
    assert "Opening sends no mail" in text
    assert "Open it</button>" in text
    assert page.post(at("open_election"), {}).status_code == 302
    assert page.post(at("open_election"), {}).status_code == 422, "twice is said at the form"


CYRILLIC_ANNA = "\u0410nna"


def test_candidates_whose_names_look_alike_are_pointed_out_before_voting_ends(page, ada):
    election = made(ada, voters=["Ada"])
    add_candidates(ada, election, [Candidate(name) for name in ("Anna", CYRILLIC_ANNA, "Stem", "Stern")])
    warning = f"because their names look alike: Anna, {CYRILLIC_ANNA}."
    assert warning in text_of(page.get(at("dashboard")))
    assert warning in shown(page, "open_election")
    lifecycle.open_(ada, repository.find(election.name), editable=False)
    assert warning in text_of(page.get(at("dashboard")))
    closing.close(ada, repository.find(election.name))
    assert warning not in text_of(page.get(at("dashboard")))


@pytest.mark.parametrize("names", [("Stem", "Stern"), ("Müller", "Muller"), ("Анна", "Борис")])
def test_names_that_can_be_told_apart_are_not(page, ada, names):
    add_candidates(ada, made(ada, voters=["Ada"]), [Candidate(name) for name in names])
    assert "look alike" not in text_of(page.get(at("dashboard")))


def test_what_is_missing_is_named_and_there_is_no_button(page, ada):
    drafts.create(ada, "Board")
    text = shown(page, "open_election")
    assert "At least two are needed." in text
    assert "At least one is needed." in text
    assert "Open it</button>" not in text
    assert at("candidates") in text
    answer = page.post(at("open_election"), {})
    assert answer.status_code == 422
    assert "at least two candidates" in text_of(answer)


def test_closing_says_who_has_not_voted(page, ada):
    opened(ada)
    table().write(Update(keys.gate("Board", 0), add={"voted": 1}))
    text = shown(page, "close_election")
    assert "2 of 3 have not voted. There are" in text
    assert '<button class="button danger">Close for good</button>' in text
    table().write(Update(keys.gate("Board", 0), add={"voted": 2}))
    text = shown(page, "close_election")
    assert "Everyone has voted." in text
    assert '<button class="button">Close for good</button>' in text
    assert page.post(at("close_election")).status_code == 302
    assert page.delete(at("close_election")).status_code == 405


def test_deleting_says_what_goes(page, ada):
    election = opened(ada, results_public=True)
    mailing.invite(ada, election)
    messages.send(ada, election, "Hello", "All")
    queue_mailings()
    send_waiting(compose)
    closing.close(ada, election)
    text = shown(page, "delete_election")
    assert re.findall(r"<dd>(\d+)</dd>", text) == ["2", "3", "0", "6"]
    assert "/result/Board/" not in text, "nothing is published before it is sealed"
    seal_closed()
    text = shown(page, "delete_election")
    assert "/result/Board/; that page will be deleted, too." in text
    assert "Check how long you must keep" in text
    assert at("bundle") in text
    answer = page.post(at("delete_election"), {"name": "Bored"})
    assert (answer.status_code, "That name does not match" in text_of(answer)) == (422, True)
    assert page.post(at("delete_election"), {"name": "Board"}).status_code == 302


# --- mails after the close ---


def test_what_was_mailed_can_be_read_after_the_close(page, ada, signed_in):
    election = opened(ada)
    helper = signed_in("Helper")
    add_manager(ada, election, "Helper")
    mailing.invite(ada, election)
    messages.send(ada, election, "The room", "Room *7*")
    queue_mailings()
    send_waiting(compose)
    closing.close(ada, repository.find("Board"))
    text = shown(page)
    assert f'href="{at("message_voters")}"' in text
    assert "Mails to voters" in text
    for reader in (page, helper):
        read = shown(reader, "message_voters")
        assert "<em>7</em>" in read
        assert "0 queued, 3 sent, 0 failed" in read
        assert re.search(r"Invitations</th>.*?>3<", read)
        assert "<textarea" not in read
    answer = page.post(at("message_voters"), {"subject": "More", "text": "More"})
    assert "while the election is in the state “Closed”" in text_of(answer)


def test_a_helper_who_is_not_confirmed_reads_them_too(page, ada, signed_in):
    unconfirmed = signed_in("Helper")
    add_manager(ada, opened(ada), "Helper")
    closing.close(ada, repository.find("Board"))
    answer = unconfirmed.get(at("message_voters"))
    assert (answer.status_code, "No messages yet." in text_of(answer)) == (200, True)


def state_of(page):
    return re.search(r'<a href="\?state=(\w+)" aria-current="page"', text_of(page.get("/mails/")))[1]


def test_the_mails_of_the_site_open_on_what_somebody_has_to_see_to(site, person, signed_in):
    page, ada = signed_in(person("Boss", Role.OWNER)), confirm(person("Ada"))
    assert state_of(page) == "sent"
    election = opened(ada)
    mailing.invite(ada, election)
    queue_mailings()
    assert state_of(page) == "queued"
    send_waiting(compose)
    assert state_of(page) == "sent"
    (mail, *_others), _cursor = outbox.in_state(outbox.SENT, limit=3)
    table().write(Update(keys.mail(mail.number), set={"state": outbox.FAILED, "GSI1PK": keys.mails(outbox.FAILED).pk}))
    assert state_of(page) == "failed"
