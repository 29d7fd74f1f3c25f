"""Mails where everybody here may vote: to all who have not voted, each once, whoever works on it and whoever dies."""

from __future__ import annotations

from collections import Counter

import pytest
from django.core import mail as sent
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from ballots import services as voting
from ballots.sealing import seal_closed
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import emails, messages, recipients, reminders
from elections.invitations import mailing as invitations
from elections.invitations.mailing import ANNOUNCED, INVITED, MESSAGED, REMINDED, TIMED, window_of
from elections.invitations.recipients import Window
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts import background
from foundation.acts.storage import now_text, table
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Delete, Key, Refused
from results import mailing as mailing
from tests.background import queue_mailings, unfinished
from tests.clock import at_its_own_moment, stands_at
from tests.people import confirm

NAMES = ("Bea", "Cleo", "Dan", "Eve")
FUTURE = "2999-01-01T00:00:00.000Z"


@pytest.fixture
def ada(person):
    return confirm(person("Ada"))


@pytest.fixture
def club(ada, person):
    """An election that is open to Ada, four voters and a guest by address, but not to somebody who only looks."""

    def make(**settings):
        for name in NAMES:
            person(name, Role.VOTER)
        person("Olga", Role.OBSERVER)
        election = drafts.create(ada, "Club", electorate="everyone", mail_votes=False, **settings)
        add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
        add_voters(ada, repository.find("Club"), ["guest@example.org"])
        return at_its_own_moment(lambda: lifecycle.open_(ada, repository.find("Club"), editable=False))

    return make


def vote(*names: str) -> None:
    for name in names:
        voting.cast(people.find(name), "Club", {"0": ["1"]}, f"form of {name}")


def address_of(name: str) -> str:
    return people.find(name).email


def delivered() -> Counter[str]:
    """Whom mails went to since the last look."""
    queue_mailings()
    send_waiting(compose)
    found = Counter(message.to[0] for message in sent.outbox)
    sent.outbox.clear()
    return found


def once(*names: str) -> dict[str, int]:
    return {address_of(name) if "@" not in name else name: 1 for name in names}


def test_inviting_and_reminding_reach_those_who_have_not_voted(ada, club):
    election = club(secret_ballot=False)
    vote("Bea")
    assert emails.make_forecast(election, INVITED).due is None, "nobody counts them"
    invitations.invite(ada, election)
    assert delivered() == once("Ada", "Cleo", "Dan", "Eve", "guest@example.org")
    vote("Cleo")
    invitations.invite(ada, election)
    assert delivered() == {}, "nobody twice, also not who has come onto the roll by voting"
    assert emails.make_forecast(election, INVITED).before == 5
    invitations.remind(ada, election)
    assert delivered() == once("Ada", "Dan", "Eve", "guest@example.org")
    invitations.remind(ada, election)
    assert delivered() == {}


def test_nobody_is_mailed_twice_when_the_outbox_has_forgotten_the_first_mail(ada, club):
    election = club(secret_ballot=False)
    invitations.invite(ada, election)
    assert sum(delivered().values()) == 6
    for state in ("sent", "queued"):
        for item in list(table().each(keys.mails(state))):
            table().write(Delete(Key(item["PK"], item["SK"])))
    invitations.invite(ada, election)
    assert delivered() == {}


def test_those_who_join_later_are_asked_later_where_they_may_vote(ada, club, person):
    election = club(secret_ballot=False, joining=True)
    at_its_own_moment(lambda: invitations.invite(ada, election))
    delivered()
    person("Late", Role.VOTER)
    invitations.invite(ada, election)
    assert delivered() == once("Late")


def test_whoever_came_too_late_for_this_election_is_not_asked(ada, club, person):
    election = club(secret_ballot=False)
    person("Late", Role.VOTER)
    invitations.invite(ada, election)
    assert address_of("Late") not in delivered()


def test_while_it_may_not_be_told_who_voted_nobody_is_left_out(ada, club):
    election = club()
    vote("Bea", "Cleo")
    invitations.invite(ada, election)
    assert sum(delivered().values()) == 6


def test_once_it_may_be_told_who_voted_they_are_left_out(ada, club):
    election = club()
    vote("Bea", "Cleo", "Dan")
    invitations.invite(ada, election)
    assert delivered() == once("Ada", "Eve", "guest@example.org")


def test_a_worker_that_dies_after_any_handful_loses_nobody_and_mails_nobody_twice(ada, club, monkeypatch):
    election = club(secret_ballot=False)
    monkeypatch.setattr(invitations, "TRANSACTION_VOTERS", 2)
    invitations.invite(ada, election)
    steps = 0
    while waiting := unfinished("mail voters"):
        (task,) = waiting
        batches = [invitations.mail_batch(task) for _worker in range(2)]
        background._commit(task, batches[0], 0)
        with pytest.raises(Refused):
            background._commit(task, batches[1], 0)  # another worker that has read the same place
        steps += 1
    assert steps > 3
    assert delivered() == once("Ada", *NAMES, "guest@example.org")


def test_what_does_not_fit_into_today_goes_out_tomorrow(ada, club, settings, monkeypatch):
    """Automatic reminders have nothing reserved: they stop in the middle of the people, and go on there."""
    election = club(secret_ballot=False)
    stands_at(monkeypatch, now_text())
    invitations.invite(ada, election)
    assert sum(delivered().values()) == 6
    settings.MAILS_A_DAY = 9
    mailing_of = invitations.mailing_task(election, TIMED, "Ada", moment=FUTURE, reserved=0)
    table().write(mailing_of)
    assert sum(delivered().values()) == 3
    assert unfinished("mail voters")
    settings.MAILS_A_DAY = 500
    assert sum(delivered().values()) == 3


def test_results_and_messages_go_to_all_of_them_once(ada, club):
    election = club(secret_ballot=False)
    vote("Bea")
    messages.send(ada, election, "Hello", "Come *early*.")
    messages_to = delivered()
    assert messages_to == once("Ada", *NAMES, "guest@example.org")
    messages.send(ada, election, "Hello", "Come *early*.")
    assert delivered() == {}
    closing.close(ada, election)
    seal_closed()
    recipients.opt_out(address_of("Dan"))
    mailing.mail_result(ada, repository.find("Club"))
    assert delivered() == once("Ada", "Bea", "Cleo", "Eve", "guest@example.org")


def test_whoever_wants_no_more_of_them_is_not_reminded(ada, club, client):
    election = club(secret_ballot=False)
    invitations.invite(ada, election)
    delivered()
    table().write(invitations.mailing_task(election, TIMED, "Ada", moment=FUTURE))
    queue_mailings()
    send_waiting(compose)
    to_dan = next(message for message in sent.outbox if message.to == [address_of("Dan")])
    sent.outbox.clear()
    link = to_dan.extra_headers["List-Unsubscribe"].strip("<>").removeprefix("http://127.0.0.1:8000")
    assert client.post(link).status_code == 200
    invitations.remind(ada, election)
    assert address_of("Dan") not in delivered()


@pytest.mark.parametrize(
    ("kind", "counts", "window"),
    [
        (INVITED, {}, Window("", "9")),
        (INVITED, {"invited_until": "3"}, Window("3", "9")),
        (REMINDED, {}, Window("", "")),
        (REMINDED, {"invited_until": "3", "reminded_until": "2"}, Window("2", "3")),
        (MESSAGED, {"messaged_until": "4"}, Window("4", "9")),
        (ANNOUNCED, {"invited_until": "3"}, Window("", "9")),
        (TIMED, {}, Window("", "")),
        (TIMED, {"first_invited": "3", "invited_until": "3"}, Window("", "3")),
        (TIMED, {"first_invited": "3", "invited_until": "6"}, Window("", "3")),
        (TIMED, {"first_invited": "6", "invited_until": "6"}, Window("", "")),
    ],
)
def test_for_whom_of_them_a_mailing_is(kind, counts, window):
    assert window_of(kind, counts, "5", "9") == window


def test_the_overview_asks_for_invitations_and_the_page_sends_them(ada, club, signed_in):
    club(secret_ballot=False)
    vote("Bea")
    page = signed_in(ada)
    assert "Nobody has been invited by mail yet." in page.get(reverse("dashboard", args=["Club"])).content.decode()
    assert "Send the invitations" in page.get(reverse("invitation", args=["Club"])).content.decode()
    page.post(reverse("invitation", args=["Club"]), {"send": "0"})
    assert "Invitations are on their way." in page.get(reverse("dashboard", args=["Club"])).content.decode()
    assert sum(delivered().values()) == 5


def test_by_the_clock_those_who_have_not_voted_are_reminded(ada, club, monkeypatch):
    election = club(secret_ballot=False, remind_before=(24,), no_voting_after=FUTURE)
    invitations.invite(ada, election)
    delivered()
    vote("Bea", "Cleo", "Dan", "Eve")
    stands_at(monkeypatch, "2998-12-31T12:00:00.000Z")
    assert reminders.send_due_reminders() == 1
    assert delivered() == once("Ada", "guest@example.org")
