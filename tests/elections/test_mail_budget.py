"""How many mails an organiser may have sent in a day: counted where they are queued, and refused before any is."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.urls import reverse

from accounts import mail_quota
from accounts import repository as people
from accounts import services as accounts
from accounts.mail_quota import TooManyMails
from accounts.rules import Role
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing, messages, reminders
from elections.invitations.progress import progress
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts import background
from foundation.acts.refusals import NotAllowed
from foundation.mail import outbox as mail
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog, as_text
from foundation.store.table import Refused
from tests import voting
from tests.background import queue_mailings, unfinished
from tests.people import confirm, make_owner

START = datetime.fromisoformat("2094-05-01T12:00:00+00:00")
END = as_text(START + timedelta(days=3, hours=10))


class Clock:
    """Hours since the beginning."""

    hours = 0

    def __call__(self):
        return START + timedelta(hours=self.hours)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("foundation.acts.storage.utc_now", clock)
    return clock


@pytest.fixture
def ada(person):
    return confirm(person("Ada"))


@pytest.fixture
def board(ada):
    return opened(ada, "Board", 4)


def opened(ada, name, voters):
    election = drafts.create(ada, name, secret_ballot=False, no_voting_after=END)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, [f"{name}.{n}@example.org" for n in range(voters)])
    return lifecycle.open_(ada, repository.find(name), editable=True)


def limited(person, most):
    """The person, who may have so many mails sent in a day from now on."""
    accounts.change_mail_limit(the_owner(), people.find(person.name), most)
    return people.find(person.name)


def the_owner():
    return people.find(people.owner_name() or "") or make_owner()


def queued():
    return len(mail.in_state(mail.QUEUED, 100)[0])


def send_invitation(site, voter):
    number = site.get(keys.voter("Board", voter))["invited"]
    assert mail.move(mail.find(number), mail.QUEUED, mail.SENT)


def left(person):
    return mail_quota.quota_today(people.find(person.name)).left


def address(name):
    return reverse(name, args=["Board"])


def text_of(answer):
    return answer.content.decode()


def test_what_was_reserved_too_much_is_given_back(site, ada, board, person):
    ada = limited(ada, 20)
    mailing.invite(ada, board)
    assert (left(ada), queue_mailings()) == (16, 4)
    voting.cast(confirm(person("Zoe", email="Board.0@example.org")), "Board", {"0": ["1"], "1": ["2"]}, "form")
    mailing.unsubscribe("Board", "Board.1@example.org")
    mailing.remind(ada, board)
    assert left(ada) == 13, "who has voted is not reminded; who has unsubscribed is not counted"
    assert (queue_mailings(), left(ada)) == (2, 14)


def test_where_every_member_may_vote_nothing_is_reserved_and_the_rest_goes_out_the_next_day(site, ada, clock, person):
    for name in ("Bea", "Cleo", "Dan"):
        person(name, Role.VOTER)
    drafts.create(ada, "Club", electorate="everyone", no_voting_after=END)
    add_candidates(ada, repository.find("Club"), [Candidate("Bo"), Candidate("Cy")])
    club = lifecycle.open_(ada, repository.find("Club"), editable=False)
    ada = limited(ada, 3)
    mailing.invite(ada, club)
    assert (left(ada), queue_mailings(), left(ada)) == (3, 3, 0)
    clock.hours += 24
    assert (queue_mailings(), left(ada)) == (2, 1), "Dan and the owner"


def test_a_mailing_that_does_not_fit_is_refused_before_anything_is_sent(site, ada, board, signed_in):
    ada = limited(ada, 3)
    before = [event["event_type"] for event in EventLog(site).since(0)]
    with pytest.raises(TooManyMails, match="3 of 3 mails are left"):
        mailing.invite(ada, board)
    with pytest.raises(TooManyMails):
        messages.send(ada, board, "Soon", "x")
    assert [event["event_type"] for event in EventLog(site).since(0)] == before
    assert unfinished("mail voters") == []
    assert messages.list_messages(board) == []
    client = signed_in(ada)
    assert "more than your limit for today" in text_of(client.get(address("invitation")))
    answer = client.post(address("invitation"), {"send": "4"}, follow=True)
    assert "3 of 3 mails are left" in text_of(answer)
    assert "ask an admin" in text_of(answer)
    limited(ada, 4)
    assert "The emails are on their way" in text_of(client.post(address("invitation"), {"send": "4"}, follow=True))
    assert queue_mailings() == queued() == 4
    assert left(ada) == 0


def test_invitations_reminders_messages_and_mails_sent_again_all_count(site, ada, board, clock):
    ada = limited(ada, 100)
    mailing.invite(ada, board)
    assert left(ada) == 96, "reserved before a worker has looked at it"
    queue_mailings()
    mailing.remind(ada, board)
    queue_mailings()
    messages.send(ada, board, "Soon", "x")
    queue_mailings()
    assert left(ada) == 88
    send_invitation(site, "Board.0@example.org")
    mailing.resend_invitation(ada, board, "Board.0@example.org")
    assert left(ada) == 87
    assert queued() == 12
    clock.hours += 24
    assert left(ada) == 100


def test_sending_one_again_is_refused_too(site, ada, board):
    ada = limited(ada, 4)
    mailing.invite(ada, board)
    queue_mailings()
    send_invitation(site, "Board.0@example.org")
    with pytest.raises(TooManyMails, match="0 of 4"):
        mailing.resend_invitation(ada, board, "Board.0@example.org")


def test_what_was_reserved_and_not_needed_is_given_back(site, ada, person):
    person("Hypatia", email="h@example.org")
    election = opened(ada, "Board", 2)
    add_voters(ada, election, ["Hypatia", "h@example.org"])
    ada, election = limited(ada, 10), repository.find("Board")
    mailing.invite(ada, election)
    assert left(ada) == 6
    assert queue_mailings() == 3, "somebody on the roll twice gets one mail"
    assert left(ada) == 7
    messages.send(ada, election, "Soon", "x")
    closing.close(ada, repository.find("Board"))
    assert queue_mailings() == 0
    assert left(ada) == 7


@pytest.mark.parametrize("closed", [False, True])
def test_two_workers_at_the_end_of_a_mailing_give_back_once(site, ada, board, person, closed):
    person("Hypatia", email="Board.0@example.org")
    add_voters(ada, repository.find("Board"), ["Hypatia"])
    mailing.invite(limited(ada, 10), board)
    if closed:
        closing.close(ada, repository.find("Board"))
    (seen_by_both,) = unfinished("mail voters")
    batches = [mailing.mail_batch(seen_by_both) for _worker in range(2)]
    background._commit(seen_by_both, batches[0], 0)
    with pytest.raises(Refused):
        background._commit(seen_by_both, batches[1], 0)
    assert left(ada) == (10 if closed else 6)


def test_whom_the_roll_has_gained_since_waits_for_the_next_day_if_nothing_is_left(site, ada, board, clock):
    ada = limited(ada, 5)
    mailing.invite(ada, board)
    add_voters(ada, repository.find("Board"), [f"new.{n}@example.org" for n in range(3)])
    assert queue_mailings() == 5
    assert queue_mailings() == 0
    assert left(ada) == 0
    clock.hours += 24
    assert queue_mailings() == 2
    assert queued() == 7
    assert left(ada) == 3
    assert unfinished("mail voters") == []


def test_a_mailing_whose_rest_needs_no_mail_ends_though_nothing_is_left(site, ada, board):
    mailing.invite(ada, board)
    queue_mailings()
    add_voters(ada, repository.find("Board"), ["a@example.org"])
    ada = limited(ada, mail_quota.quota_today(ada).used + 1)
    mailing.invite(ada, board)
    assert queue_mailings() == 1
    assert left(ada) == 0
    assert unfinished("mail voters") == []


def test_reminders_by_the_clock_count_for_the_owner_and_wait_for_the_next_day(site, ada, board, clock):
    mailing.invite(ada, board)
    queue_mailings()
    reminders.choose(ada, repository.find("Board"), [72])
    ada = limited(ada, 3)
    clock.hours += 24
    assert reminders.send_due_reminders() == 1
    assert queue_mailings() == 3
    assert queue_mailings() == 0
    assert left(ada) == 0
    clock.hours += 12
    assert as_text(clock())[:10] == "2094-05-03"
    assert queue_mailings() == 1
    assert unfinished("mail voters") == []
    assert progress(board).mails[1].queued == 4


def test_admins_have_no_limit_and_are_not_counted(site, person, board, settings):
    settings.MAILS_A_DAY = 0
    admin = person("admin", Role.ADMIN)
    mailing.invite(admin, opened(admin, "Prize", 4))
    assert queue_mailings() == 4
    assert site.get(keys.mails_of_day("admin", "2094-05-01")) is None
    with pytest.raises(TooManyMails):
        mailing.invite(people.find("Ada"), board)


def test_what_is_left_is_said_where_mails_are_sent(site, ada, board, signed_in):
    client = signed_in(limited(ada, 77))
    for name in ("roll", "message_voters"):
        assert "77 of 77 mails left" in text_of(client.get(address(name)))
    limited(ada, None)
    accounts.change_role(the_owner(), people.find("Ada"), Role.ADMIN)
    assert "mails left" not in text_of(client.get(address("roll")))


# --- confirmed organisers ---


def test_an_organiser_whom_nobody_has_confirmed_is_told_what_to_do(site, ada, board, signed_in):
    messages.send(ada, board, "Earlier", "words")
    accounts.confirm_organiser(the_owner(), people.find("Ada"), confirmed=False)
    client = signed_in(people.find("Ada"))
    page = client.get(address("message_voters"))
    assert page.status_code == 200
    assert "Only organisers confirmed by an admin" in text_of(page)
    assert "Earlier" in text_of(page)
    assert 'name="subject"' not in text_of(page)
    for form in ({}, {"subject": "x", "text": "x"}, {"subject": "x", "text": "x", "preview": "yes"}):
        answer = client.post(address("message_voters"), form)
        assert answer.status_code == 403
        assert "Only organisers confirmed by an admin" in text_of(answer)
    with pytest.raises(NotAllowed):
        messages.send(people.find("Ada"), board, "Soon", "x")
    assert len(messages.list_messages(board)) == 1
    mailing.invite(people.find("Ada"), board)
    assert queue_mailings() == 8, "invitations need no confirmation"
    closing.close(people.find("Ada"), repository.find("Board"))
    assert "while the election is open" in text_of(client.get(address("message_voters")))
