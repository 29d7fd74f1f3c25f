"""Messages to everybody on the roll, and the numbers that say what became of mails."""

from __future__ import annotations

import smtplib
from collections import Counter
from functools import partial

import pytest
from django.core import mail as sent

from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing, messages
from elections.invitations.progress import failures, progress
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import WrongState
from foundation.acts.refusals import NotAllowed
from foundation.mail import outbox as mail
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Update
from tests.background import finish_background, queue_mailings
from tests.clock import at_its_own_moment
from tests.people import confirm, list_as_before
from tests.races.overtaken import lost

NOBODY = "unknown name"


@pytest.fixture
def ada(person):
    return confirm(person("Ada"))


def opened(ada, voters):
    election = drafts.create(ada, "Board 2027")
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, [name for name in voters if name != NOBODY])
    list_as_before(election, *(name for name in voters if name == NOBODY))
    return lifecycle.open_(ada, repository.find("Board 2027"), editable=False)


def deliver(compose=compose):
    """Send what waits; answers how many mails each address got."""
    sent.outbox.clear()
    queue_mailings()
    send_waiting(compose)
    return Counter(message.to[0] for message in sent.outbox)


def numbers(counts):
    return (counts.queued, counts.sent, counts.failed, counts.nowhere)


# --- messages ---


def test_a_message_reaches_everybody_once_and_newcomers_when_it_is_sent_again(site, ada, person):
    person("Hypatia", email="h@example.org")
    election = opened(ada, ["Hypatia", "a@example.org", NOBODY])
    messages.send(ada, election, "The room has changed", "We meet in *room 7*.")
    assert deliver() == {"h@example.org": 1, "a@example.org": 1}
    message = sent.outbox[0]
    assert message.subject == "Plenum: Board 2027: The room has changed"
    assert "Ada, who runs the election" in message.body
    assert "We meet in *room 7*." in message.body
    assert "<em>room 7</em>" in message.alternatives[0][0]
    add_voters(ada, repository.find(election.name), ["late@example.org"])
    again = repository.find(election.name)
    at_its_own_moment(lambda: messages.send(ada, again, "The room has changed", "We meet in *room 7*."))
    assert deliver() == {"late@example.org": 1}
    messages.send(ada, repository.find(election.name), "The room has changed again", "Room 8.")
    assert deliver() == {"h@example.org": 1, "a@example.org": 1, "late@example.org": 1}
    newest, first = messages.list_messages(election)
    assert (newest.subject, numbers(newest.mails)) == ("The room has changed again", (0, 3, 0, 1))
    assert (first.subject, numbers(first.mails)) == ("The room has changed", (0, 3, 0, 1))


def test_somebody_on_the_roll_by_name_and_by_address_gets_one_mail(site, ada, person):
    person("Hypatia", email="H@example.org")
    voters = ["h@example.org", "Hypatia", *(f"in between {n:02}@example.org" for n in range(40))]
    election = opened(ada, voters)
    messages.send(ada, election, "Once", "is enough")
    mailing.invite(ada, election)
    queue_mailings()
    queued = Counter((item["kind"], item["to"].lower()) for item in site.each(keys.mails(mail.QUEUED)))
    assert len(queued) == 82
    assert set(queued.values()) == {1}
    assert progress(election).mails[0].queued == 41


def test_the_log_says_that_a_message_was_sent_but_not_what_it_says(site, ada):
    election = opened(ada, ["a@example.org"])
    messages.send(ada, election, "Soon", "The secret word is swordfish.")
    (event,) = (event for event in EventLog(site).since(0) if event["event_type"] == "VotersMessaged")
    assert (event["event_data"]["subject"], event["event_data"]["on_roll"]) == ("Soon", 1)
    assert "swordfish" not in str(event)
    queue_mailings()
    (item,) = site.each(keys.mails(mail.QUEUED))
    assert "swordfish" not in str(item), "mails at rest have no text"


def test_whoever_wants_no_reminders_still_gets_messages(site, ada):
    election = opened(ada, ["a@example.org"])
    mailing.unsubscribe(election.name, "a@example.org")
    messages.send(ada, election, "Soon", "Please look.")
    assert deliver() == {"a@example.org": 1}


def test_messages_have_a_limit_and_an_organiser(ada, person, monkeypatch):
    election = opened(ada, ["a@example.org"])
    with pytest.raises(NotAllowed):
        messages.send(person("Stranger"), election, "Soon", "x")
    monkeypatch.setattr(messages, "MAX_MESSAGES_PER_ELECTION", 2)
    for n in range(2):
        messages.send(ada, election, f"Message {n}", "x")
    with pytest.raises(WrongState, match="at most 2"):
        messages.send(ada, election, "One more", "x")
    deliver()
    messages.send(ada, election, "Message 0", "x")
    closing.close(ada, repository.find(election.name))
    with pytest.raises(WrongState):
        messages.send(ada, repository.find(election.name), "Message 1", "x")


def test_a_message_whose_election_was_deleted_is_not_sent(site, ada):
    election = opened(ada, ["a@example.org"])
    messages.send(ada, election, "Soon", "x")
    queue_mailings()
    lifecycle.delete(ada, repository.find(election.name))
    assert deliver() == {}
    (failed,) = mail.in_state(mail.FAILED, limit=9)[0]
    assert failed.reason == "gone"
    assert finish_background("delete election") == 1
    assert list(site.each(keys.all_of_election(election.name))) == [], "and nothing of it comes back"


# --- numbers ---


def refusing(*addresses):
    """A mail server that refuses these."""

    def composed(email):
        message = compose(email)
        if email.to in addresses:
            message.send = lambda: (_ for _ in ()).throw(smtplib.SMTPRecipientsRefused({email.to: (550, b"no")}))
        return message

    return composed


def test_every_mail_is_counted_in_the_state_it_is_in(site, ada, person):
    person("Hypatia", email="h@example.org")
    election = opened(ada, ["Hypatia", "a@example.org", "b@example.org", NOBODY])
    assert [numbers(each) for each in progress(election).mails] == []
    mailing.invite(ada, election)
    queue_mailings()
    assert numbers(progress(election).mails[0]) == (3, 0, 0, 1)
    deliver(refusing("b@example.org"))
    assert numbers(progress(election).mails[0]) == (0, 2, 1, 1)
    (failed,) = failures(election, limit=9)[0]
    assert (failed.voter, failed.kind, failed.reason, failed.detail) == (
        "b@example.org",
        "invited",
        "refused",
        "550 no",
    )
    mailing.resend_invitation(ada, election, "B@example.org")
    assert numbers(progress(election).mails[0]) == (1, 2, 0, 1)
    assert failures(election, limit=9)[0] == []
    deliver()
    assert numbers(progress(election).mails[0]) == (0, 3, 0, 1)
    mailing.remind(ada, election)
    deliver()
    assert numbers(progress(election).mails[1]) == (0, 3, 0, 1)


def test_a_mail_the_worker_died_over_is_counted_as_failed(site, ada):
    election = opened(ada, ["a@example.org"])
    mailing.invite(ada, election)
    queue_mailings()
    (item,) = site.each(keys.mails(mail.QUEUED))
    site.write(
        Update(
            keys.mail(item["number"]), set={"state": mail.SENDING, "GSI1PK": keys.mails(mail.SENDING).pk, "lease": 1}
        )
    )
    deliver()
    assert numbers(progress(election).mails[0]) == (0, 0, 1, 0)
    assert failures(election, limit=9)[0][0].reason == "unknown"


def test_mails_of_a_deleted_election_are_not_counted_for_the_next_of_its_name(site, ada):
    election = opened(ada, ["a@example.org"])
    mailing.invite(ada, election)
    queue_mailings()
    lifecycle.delete(ada, repository.find(election.name))
    again = opened(ada, ["a@example.org"])
    mailing.invite(ada, again)
    queue_mailings()
    assert numbers(progress(again).mails[0]) == (1, 0, 0, 0)
    assert deliver() == {"a@example.org": 2}, "one for each election"
    assert numbers(progress(again).mails[0]) == (0, 1, 0, 0)


def test_of_two_presses_that_look_at_once_one_sends(site, ada):
    election = opened(ada, ["a@example.org"])
    lost(*[partial(mailing.resend_invitation, ada, election, "a@example.org")] * 2)
    assert deliver() == {"a@example.org": 1}


def test_voters_are_invited_once(site, ada):
    election = opened(ada, ["a@example.org"])
    lost(*[partial(mailing.invite, ada, election)] * 2)
    assert deliver() == {"a@example.org": 1}


def test_a_voter_without_an_address_cannot_be_mailed_again(ada):
    election = opened(ada, [NOBODY])
    with pytest.raises(WrongState, match="no account named unknown name"):
        mailing.resend_invitation(ada, election, NOBODY)
