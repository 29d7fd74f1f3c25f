"""Inviting and reminding: everybody once, whoever works on it and whoever dies."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.core import mail as sent

from accounts import repository as people
from ballots import services as voting
from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing as invitations
from elections.invitations.progress import invited_voters, progress
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import WrongState
from foundation.acts.tokens import read_token
from foundation.mail import outbox as mail
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys, round_trips
from foundation.store.table import Update
from tests.background import queue_mailings, unfinished
from tests.people import list_as_before

NOBODY = "unknown name"


def opened(ada, voters, **settings):
    election = drafts.create(ada, "Board 2027", **settings)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, [name for name in voters if name != NOBODY])
    list_as_before(election, *(name for name in voters if name == NOBODY))
    return lifecycle.open_(ada, repository.find("Board 2027"), editable=False)


def deliver():
    queue_mailings()
    send_waiting(compose)
    return Counter(message.to[0] for message in sent.outbox)


def test_everybody_new_is_invited_once(site, ada, person):
    person("Hypatia", email="h@example.org")
    election = opened(ada, ["Hypatia", "new@example.org", NOBODY])
    invitations.invite(ada, election)
    assert deliver() == {"h@example.org": 1, "new@example.org": 1}
    add_voters(ada, election, ["late@example.org"])
    invitations.invite(ada, election)
    assert deliver() == {"h@example.org": 1, "new@example.org": 1, "late@example.org": 1}
    found = invited_voters(rolls.list_voters(election.name, limit=9)[0])
    shown = {entry["voter_name"]: (mail_of, "invited" in entry) for entry, mail_of in found}
    assert shown["Hypatia"][0].state == mail.SENT
    assert shown[NOBODY] == (None, True)


def test_only_those_who_were_invited_and_have_not_voted_are_reminded_once(site, ada):
    election = opened(ada, ["a@example.org", "b@example.org", "c@example.org"], secret_ballot=False)
    invitations.remind(ada, election)
    assert deliver() == {}, "nobody was invited yet"
    invitations.invite(ada, election)
    deliver()
    site.write(Update(keys.voter(election.name, "a@example.org"), set={"voted": True}))
    token = re.findall(r"/no-reminders/(\S+)/", compose_reminder("b@example.org"))[0]
    assert invitations.unsubscribe(*read_token(invitations.UNSUBSCRIBE, token, None))
    sent.outbox.clear()
    for _ in range(2):
        invitations.remind(ada, election)
        assert deliver() == {"c@example.org": 1}


def test_while_it_may_not_be_told_who_voted_a_reminder_goes_to_all_who_were_invited(site, ada, person):
    """Whom it left out would show: in how many mails went out, and in whose failed."""
    names = ("Eve", "Bob", "Kim")
    voters = [person(name) for name in names]
    election = opened(ada, names, remind_before=(24,))
    invitations.invite(ada, election)
    deliver()
    voting.cast(voters[0], election.name, {"0": ["1"]}, "1")
    deliver()  # what voters are told of their own ballots
    sent.outbox.clear()
    invitations.remind(ada, election)
    assert deliver() == {f"{name}@example.org": 1 for name in names}
    subject = "Plenum: Still open: please vote now: Board 2027 (invited by Ada)"
    assert {message.subject for message in sent.outbox} == {subject}
    assert all("have already voted" in message.body for message in sent.outbox)
    assert all("no-reminders" in message.body for message in sent.outbox)


def test_once_three_have_voted_only_the_others_are_reminded(site, ada, person):
    names = ("Eve", "Bob", "Kim", "Liz")
    voters = [person(name) for name in names]
    election = opened(ada, names)
    invitations.invite(ada, election)
    deliver()
    for voter in voters[:3]:
        voting.cast(voter, election.name, {"0": ["1"]}, voter.name)
    deliver()
    sent.outbox.clear()
    invitations.remind(ada, election)
    assert deliver() == {"Liz@example.org": 1}
    assert sent.outbox[0].subject == "Plenum: Reminder: please vote now: Board 2027 (invited by Ada)"


def compose_reminder(to):
    about = {"election_name": "Board 2027", "voter": to, "invited_by": "Ada"}
    email = mail.Mail("1", "vote_reminder", to, about, "en", mail.QUEUED, "", "", 0, "2026-11-15T00:00:00Z")
    message = compose(email)
    assert "List-Unsubscribe" in message.extra_headers
    return message.body


def test_a_second_request_while_mails_are_being_queued_is_a_sentence(ada):
    election = opened(ada, ["a@example.org"])
    invitations.invite(ada, election)
    with pytest.raises(WrongState, match="already being sent"):
        invitations.invite(ada, election)


def test_an_address_without_an_account_gets_one_by_the_link_and_sees_the_election(site, ada, client):
    election = opened(ada, ["new@example.org"])
    invitations.invite(ada, election)
    deliver()
    path = re.findall(r"http://[^/\s]+(/invited/\S+)", sent.outbox[0].body)[0]
    assert client.get("/me/").status_code == 302, "the link alone signs nobody in"
    client.post(path, {"name": "New", "password": "correct horse battery"})
    assert people.find("New").email == "new@example.org"
    assert "Board 2027" in client.get("/").content.decode()


def test_the_roll_page_sends_again(site, ada, signed_in):
    page = signed_in(ada)
    election = opened(ada, ["a@example.org"])
    invitations.invite(ada, election)
    assert deliver() == {"a@example.org": 1}
    assert "Sent" in page.get("/election/Board 2027/roll/").content.decode()
    page.post("/election/Board 2027/roll/invite/", {"voter": "A@example.org"})
    assert deliver() == {"a@example.org": 2}
    answer = page.post("/election/Board 2027/roll/invite/", {"voter": "nobody"}, follow=True)
    assert "is not on the roll" in answer.content.decode()
    closing.close(ada, repository.find(election.name))
    with pytest.raises(WrongState):
        invitations.remind(ada, repository.find(election.name))


def test_mails_of_an_election_that_closed_meanwhile_are_not_queued(site, ada):
    election = opened(ada, ["a@example.org"])
    invitations.invite(ada, election)
    closing.close(ada, repository.find(election.name))
    assert queue_mailings() == 0
    assert unfinished("mail voters") == []


def test_the_way_out_of_reminders_needs_a_button_and_a_link_of_ours(client, ada):
    opened(ada, ["a@example.org"])
    link = "/no-reminders/" + invitations.unsubscribe_token("Board 2027", "a@example.org") + "/"
    assert client.get(link).status_code == 200
    assert "You will get no more reminders" in client.post(link).content.decode()
    assert client.post("/no-reminders/made-up/").status_code == 410


def test_how_many_are_not_invited_yet_is_known_by_the_numbers_alone(site, ada, person):
    person("Hypatia", email="H@example.org")
    election = opened(ada, ["h@example.org", "Hypatia", "b@example.org", NOBODY])
    election = repository.find(election.name)
    assert progress(election).uninvited(election) == election.voter_count == 4
    invitations.invite(ada, election)
    assert sum(deliver().values()) == 2, "two of the four have one address, and one has none"
    assert progress(election).uninvited(election) == 0
    invitations.resend_invitation(ada, election, "b@example.org")
    add_voters(ada, repository.find(election.name), ["late@example.org", "later@example.org"])
    election = repository.find(election.name)
    assert progress(election).uninvited(election) == 2
    invitations.resend_invitation(ada, election, "late@example.org")
    assert progress(election).uninvited(election) == 1
    with round_trips.count_round_trips() as asked:
        progress(election).uninvited(election)
    assert asked.count == 1
