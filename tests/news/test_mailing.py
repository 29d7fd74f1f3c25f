"""News by mail: every post to every subscriber once, not before ten minutes are over, and never twice."""

from __future__ import annotations

import email
from email.header import decode_header, make_header

import pytest
from django.core import mail as sent

from accounts.rules import Role
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts import background
from foundation.acts.refusals import NotAllowed
from foundation.acts.storage import now_text, table
from foundation.mail import outbox as mails
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from operations.upkeep import jobs
from operations.upkeep.jobs import Leases
from operations.upkeep.management.commands.restore import Holding
from parts.news import mailing, repository, services
from parts.news.repository import MAILING
from tests.clock import stands_at
from tests.mail.servers import MailServer

from .conftest import written

NAMES = ("ann", "ben", "cleo")
EIGHT, NINE = "2094-05-03T08:00:00.000Z", "2094-05-03T09:00:00.000Z"
ALMOST, THEN = "2094-05-03T08:09:59.999Z", "2094-05-03T08:10:00.000Z"


@pytest.fixture
def clock(site, monkeypatch):
    return lambda moment: stands_at(monkeypatch, moment)


@pytest.fixture
def draft(admin, clock):
    """A draft of eight o'clock, when three people get the news by mail."""

    def make(title: str = "We have moved", **more):
        clock("2094-05-03T07:00:00.000Z")
        for name in NAMES:
            mailing.confirm(f"{name}@example.org", "en")
        clock(EIGHT)
        return services.write(admin, written(title, **more))

    return make


@pytest.fixture
def mailed(admin, draft):
    """A post that is published at eight and is to be mailed."""

    def make(*words, **more):
        made = draft(*words, **more)
        services.publish(admin, made, mails=True)
        return repository.find(made.id)

    return make


def to_whom() -> list[str]:
    """All mails about posts that were ever queued and not put aside."""
    states = (mails.QUEUED, mails.SENT, mails.FAILED)
    found = (mail for state in states for mail in mails.in_state(state, 99)[0])
    return sorted(mail.to.partition("@")[0] for mail in found if mail.kind == mailing.NEWS)


def is_due() -> bool:
    return any(item["type"] == MAILING.name for item in table().each(keys.tasks_due(keys.TASKS, now_text())))


def mail_due() -> int:
    """A turn of the worker; answers how many mails it has queued."""
    before = table().count(keys.mails(mails.QUEUED))
    background.resume_due()
    return table().count(keys.mails(mails.QUEUED)) - before


# --- ten minutes ---


def test_nothing_leaves_before_ten_minutes_and_everything_after(site, mailed, clock):
    mailed()
    clock(ALMOST)
    assert not is_due()
    assert (mail_due(), to_whom()) == (0, [])
    clock(THEN)
    assert jobs.run_job(jobs.BACKGROUND, Leases(site)).done == 1
    assert to_whom() == [*NAMES]
    assert not is_due()
    assert send_waiting(compose) == 3


def test_a_post_that_lies_ahead_is_mailed_ten_minutes_after_its_moment(admin, draft, clock):
    services.publish(admin, draft(), NINE, mails=True)
    clock("2094-05-03T09:09:59.999Z")
    assert not is_due()
    clock("2094-05-03T09:10:00.000Z")
    assert mail_due() == 3


def test_what_is_taken_back_in_time_is_not_mailed(admin, mailed, clock):
    taken, deleted = mailed("Taken back"), mailed("Deleted")
    services.withdraw(admin, taken)
    services.delete(admin, deleted)
    clock(NINE)
    assert not is_due()
    assert (mail_due(), to_whom()) == (0, [])
    assert not list(table().each(keys.all_of_post(deleted.id)))


def test_what_is_published_again_is_mailed_once(admin, mailed, clock):
    post = mailed()
    services.withdraw(admin, post)
    services.publish(admin, repository.find(post.id), mails=True)
    clock(THEN)
    assert mail_due() == 3
    for again in range(2):
        services.withdraw(admin, repository.find(post.id))
        services.publish(admin, repository.find(post.id), mails=True)
        clock(f"2094-05-0{again + 4}T08:00:00.000Z")
        assert (is_due(), mail_due(), to_whom()) == (False, 0, [*NAMES])


def test_the_mark_moves_with_the_date_and_goes_when_it_is_not_wanted(admin, mailed, clock):
    post = mailed()
    services.publish(admin, post, NINE)
    clock(THEN)
    assert not is_due()
    services.publish(admin, repository.find(post.id), "2094-05-03T07:00:00.000Z")
    clock("2094-05-03T08:19:59.999Z")
    assert not is_due(), "there are ten minutes from now on"
    clock("2094-05-03T08:20:00.000Z")
    assert is_due()
    services.publish(admin, repository.find(post.id), mails=False)
    assert not is_due()
    assert MAILING.find(post.id) is None


def test_what_nobody_wants_mailed_and_what_has_an_old_date_is_not(admin, draft, clock):
    services.publish(admin, draft("Quiet"))
    services.publish(admin, draft("Quieter"), mails=False)
    services.publish(admin, draft("Old"), "2094-05-03T07:59:59.999Z", mails=True)
    clock(NINE)
    assert not is_due()


def test_who_confirmed_after_it_was_published_is_not_mailed_about_it(mailed, clock):
    mailed()
    clock("2094-05-03T08:05:00.000Z")
    mailing.confirm("late@example.org", "en")
    clock(THEN)
    assert mail_due() == 3
    assert to_whom() == [*NAMES]


# --- between the queue and the mailbox ---


def in_state(state: str) -> list[str]:
    return sorted(mail.to.partition("@")[0] for mail in mails.in_state(state, 99)[0])


def test_who_leaves_is_not_sent_what_waits_nor_when_they_come_back(mailed, clock):
    mailed()
    clock(THEN)
    mail_due()
    mailing.leave("ann@example.org")
    mailing.leave("ben@example.org")
    mailing.confirm("ben@example.org", "en")
    assert send_waiting(compose) == 1
    assert (in_state(mails.SENT), in_state(mails.ASIDE), in_state(mails.FAILED)) == (["cleo"], ["ann", "ben"], [])


def put_off(admin, post) -> None:
    services.publish(admin, post, "2094-06-01T08:00:00.000Z")


@pytest.mark.parametrize("act", [services.withdraw, put_off])
def test_what_is_taken_back_or_put_off_while_it_leaves_stops(admin, mailed, clock, monkeypatch, act):
    monkeypatch.setattr(mailing, "SLICE_SUBSCRIBERS", 1)
    post = mailed()
    clock(THEN)
    assert not MAILING.advance(post.id, batches=1, grace=0)
    assert len(to_whom()) == 1
    act(admin, post)
    assert mail_due() == 0
    assert not is_due()
    assert send_waiting(compose) == 0
    assert len(in_state(mails.ASIDE)) == 1
    services.publish(admin, repository.find(post.id), mails=True)
    clock(NINE)
    assert not is_due(), "what was begun is not begun again"


def test_a_mail_says_what_the_post_says_by_then(admin, mailed, clock):
    post = mailed("We have moovd", text="word " * 500)
    clock(THEN)
    mail_due()
    services.edit(admin, post, written("We have moved", "word " * 700, summary="To Mill Lane."))
    send_waiting(compose)
    message = sent.outbox[0]
    assert message.subject.endswith(": We have moved")
    for text in (message.body, message.alternatives[0].content):
        for words in ("We have moved", "To Mill Lane.", "3 minutes to read", "/news/post/we-have-moovd/", "/leave/"):
            assert words in text


def test_subscribers_are_written_to_in_their_language(mailed, clock):
    clock("2094-05-03T06:00:00.000Z")
    mailing.confirm("dora@example.org", "de")
    mailed()
    clock(THEN)
    mail_due()
    while send_waiting(compose):  # what a slow machine has not begun in time waits for the next turn
        pass
    texts = {message.to[0]: message.body for message in sent.outbox}
    assert texts["dora@example.org"].startswith("We have moved\n\nHallo,")
    assert texts["ann@example.org"].startswith("We have moved\n\nHello,")


HOSTILE = "Free\r\nBcc: eve@example.org\r\n\r\n<script>alert(1)</script> %(x)s {{ y }} \u2028 Ünï"


def test_what_a_server_is_given_has_all_headers_and_none_of_a_hostile_title(mailed, clock, settings):
    settings.SITE_URL = "https://vote.example.org"
    mailed(HOSTILE, slug="free")
    clock(THEN)
    mail_due()
    with MailServer() as server:
        settings.EMAIL_BACKEND, settings.EMAIL_TIMEOUT = "foundation.mail.smtp.EmailBackend", 20
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        assert send_waiting(compose) == 3
    assert sorted(server.receivers) == [f"{name}@example.org" for name in NAMES]
    message = email.message_from_string(server.taken[0][1])
    assert message["List-Id"] == "<news.vote.example.org>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["List-Unsubscribe"].strip().startswith("<https://vote.example.org/news/by-mail/leave/")
    assert (message["Precedence"], message["Bcc"], message["Auto-Submitted"]) == ("bulk", None, None)
    assert str(make_header(decode_header(message["Subject"]))).endswith("Ünï")
    html = next(part for part in message.walk() if part.get_content_type() == "text/html")
    assert "<script>" not in str(html.get_payload())


# --- never twice ---


def test_a_worker_that_knows_only_the_old_date_does_not_mail(admin, mailed, clock):
    """As it is while the index lags behind."""
    post = mailed()
    (seen_before,) = (each for each in table().each(keys.TASKS) if each["type"] == MAILING.name)
    clock(THEN)
    services.publish(admin, post, NINE)
    background._take_turn(background.task_of(seen_before))
    assert (to_whom(), MAILING.find(post.id).due) == ([], "2094-05-03T09:10:00.000Z")


def test_a_restored_store_mails_nothing_that_was_due(mailed, admin, clock):
    due, ahead = mailed("Due"), mailed("Ahead")
    services.publish(admin, ahead, "2094-06-01T08:00:00.000Z")
    clock(NINE)
    holding = Holding()
    for _table, item in table().everything():
        holding.notice(item)
    assert holding.put_aside()[1] == 1
    assert not is_due()
    assert MAILING.find(ahead.id)
    services.publish(admin, repository.find(due.id), mails=True)
    assert mailing.is_begun(due.id)
    assert MAILING.find(due.id) is None


# --- who may ---


@pytest.fixture
def otto_and_post(admin, person, clock):
    """An organiser, and what they wrote about their election."""
    clock(EIGHT)
    otto = person("Otto")
    add_candidates(otto, drafts.create(otto, "Board"), [Candidate("Bo"), Candidate("Cy")])
    add_voters(otto, elections.find("Board"), ["Boss"])
    lifecycle.open_(otto, elections.find("Board"), editable=False)
    return otto, services.write(otto, written(), "Board")


def test_only_admins_have_posts_mailed(admin, otto_and_post):
    otto, post = otto_and_post
    assert mailing.mail_offer(otto, post) is None
    with pytest.raises(NotAllowed):
        services.publish(otto, post, mails=True)
    services.publish(admin, post, mails=True)
    services.publish(otto, repository.find(post.id), NINE)
    assert MAILING.find(post.id).due == "2094-05-03T09:10:00.000Z", "it moves with the date"


def test_a_draft_is_mailed_unless_somebody_says_otherwise(admin, draft, clock):
    post = draft()
    assert mailing.mail_offer(admin, post) == mailing.MailOffer(3, is_on=True)
    services.publish(admin, post, mails=False)
    assert not mailing.mail_offer(admin, repository.find(post.id)).is_on
    services.publish(admin, repository.find(post.id), mails=True)
    assert mailing.mail_offer(admin, repository.find(post.id)).is_on
    clock(THEN)
    mail_due()
    assert mailing.mail_offer(admin, repository.find(post.id)) == mailing.MailOffer(3, is_on=False, is_begun=True)


def test_the_log_says_whether_a_post_was_to_be_mailed_and_no_address(admin, mailed, clock, person):
    person("Eve", Role.VOTER)
    post = mailed()
    clock(THEN)
    mail_due()
    services.withdraw(admin, repository.find(post.id))
    services.publish(admin, repository.find(post.id), mails=True)
    said = [item["event_data"] for item in table().each(keys.events())]
    assert [each["mails"] for each in said if "mails" in each] == [True, False]
    assert "ann@" not in str(said)


# --- the page on which it is chosen ---


def test_whoever_publishes_is_asked_and_the_box_is_kept_while_the_date_is_chosen(admin, draft, signed_in):
    browser, post = signed_in(admin), draft()
    path = f"/news/{post.id}/publish/"
    page = browser.get(path).content.decode()
    assert "Mail it to 3 subscribers" in page
    assert page.count('-hint" checked') == 2
    chosen = {"at": "2094-05-03T12:00", "time_zone": "UTC", "mails_asked": "yes"}
    assert '-hint" checked' not in browser.get(path, chosen).content.decode()
    assert "Subscribers get a mail ten minutes later" in browser.get(path, chosen | {"mails": "on"}).content.decode()
    past = browser.get(path, chosen | {"mails": "on", "at": "2020-05-03T12:00"}).content.decode()
    assert "a date in the past is not mailed" in past
    browser.post(path, {"version": str(post.version), **chosen})
    assert MAILING.find(post.id) is None
    browser.post(path, {"version": "1", **chosen, "mails": "on", "at": "2094-05-03T13:00"})
    assert MAILING.find(post.id).due == "2094-05-03T13:10:00.000Z"


def test_a_box_that_an_organiser_makes_up_mails_nobody(otto_and_post, signed_in):
    otto, post = otto_and_post
    browser = signed_in(otto)
    assert "mails_asked" not in browser.get(f"/news/{post.id}/publish/").content.decode()
    browser.post(f"/news/{post.id}/publish/", {"version": "0", "mails_asked": "yes", "mails": "on"})
    assert MAILING.find(post.id) is None
    assert repository.find(post.id).published_at is None
