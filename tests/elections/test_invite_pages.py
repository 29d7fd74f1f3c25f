"""The page on which voters are invited and reminded: numbers, the mail, own words, a test, one button."""

from __future__ import annotations

import html
import re

import pytest
from django.core import mail as sent
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as voting
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import emails, mailing, wording
from elections.invitations.mailing import INVITED
from elections.invitations.progress import progress
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts.storage import now_text
from foundation.mail import outbox
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Update
from tests.at_once import at_once
from tests.background import finish_background, queue_mailings, unfinished
from tests.clock import stands_at
from tests.people import confirm, list_as_before, make_owner

FUTURE = "2999-01-01T00:00:00.000Z"


@pytest.fixture
def ada(person):
    return confirm(person("Ada", email="ada@example.org"))


@pytest.fixture
def board(ada, person):
    """Four voters who have three addresses, and one who has none."""
    person("Hypatia", email="H@example.org")
    election = drafts.create(ada, "Board 2027", no_voting_after=FUTURE)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ["a@example.org", "b@example.org", "h@example.org", "Hypatia"])
    list_as_before(election, "unknown name")
    return lifecycle.open_(ada, repository.find("Board 2027"), editable=False)


@pytest.fixture
def page(ada, signed_in):
    return signed_in(ada)


def address(name="invitation"):
    return reverse(name, args=["Board 2027"])


def text_of(answer):
    return html.unescape(answer.content.decode())


def tiles(text):
    return [int(number.replace(",", "")) for number in re.findall(r"</dt><dd>([\d,]+)</dd>", text)]


def queued():
    return list(outbox.table().each(keys.mails(outbox.QUEUED)))


def send(page, number, **more):
    return text_of(page.post(address(), {"send": str(number), **more}, follow=True))


# --- the numbers ---


def test_the_numbers_on_the_page_are_those_of_the_voters_whose_turn_it_is(page, ada, board):
    assert tiles(text_of(page.get(address()))) == [5, 5, 0, 500]
    assert "Mail 5 voters" in text_of(page.get(address()))
    assert "The emails are on their way." in send(page, 5)
    assert "These mails are on their way." in text_of(page.get(address())), "and nothing asks to be pressed again"
    assert 'name="send"' not in text_of(page.get(address()))
    assert queue_mailings() == len(queued()) == 3
    after = text_of(page.get(address()))
    assert tiles(after) == [0, 5, 5, 1, 497]
    assert "Everybody on the roll is invited." in after
    add_voters(ada, repository.find(board.name), ["c@example.org", "H@example.org"])
    assert "Mail 1 voter" in text_of(page.get(address()))


def test_more_than_was_shown_is_not_mailed(page, ada, board):
    add_voters(ada, repository.find(board.name), ["c@example.org"])
    assert "More people are due for this mail now" in send(page, 5)
    assert "More people are due for this mail now" in send(page, "no number")
    assert unfinished("mail voters") == []


def test_pressed_twice_the_button_sends_once(page, board):
    send(page, 5)
    assert "already being sent" in send(page, 5)
    queue_mailings()
    assert "has already been invited, so nothing was sent" in send(page, 5)
    assert len(queued()) == 3
    kinds = [event["event_type"] for event in EventLog(outbox.table()).since(0)]
    assert kinds.count("VotersInvited") == 1


def test_a_reminder_counts_those_who_have_not_voted_only_where_that_may_be_told(page, ada, board, person):
    mailing.invite(ada, board)
    queue_mailings()
    remind = {"what": "reminder"}
    hypatia = people.find("Hypatia")
    voting.cast(hypatia, board.name, {"0": ["1"]}, "1")
    shown = text_of(page.get(address(), remind))
    assert "Remind 5 voters" in shown
    assert "leaving anyone out would reveal" in shown
    assert "is still open, and Ada invites everybody" in shown, "the mail that would be sent"
    outbox.table().write(Update(keys.gate(board.name, 0), add={"voted": 2}))
    shown = text_of(page.get(address(), remind))
    assert "leaving anyone out would reveal" not in shown
    assert "you have not voted yet" in shown
    before = len(queued())
    assert "Remind 2 voters" in shown, "as the gate says"
    send(page, 2, **remind)
    assert queue_mailings() == len(queued()) - before > 0
    shown = text_of(page.get(address(), remind))
    assert "Nobody is left to remind." in shown or tiles(shown)[0] == 1, "who voted before has had no reminder"


def test_who_has_left_the_roll_is_counted_no_more(page, ada, board, person):
    add_voters(ada, repository.find(board.name), [person("Eve", Role.VOTER).name])
    for send_all in (mailing.invite, mailing.remind):
        send_all(ada, repository.find(board.name))
        queue_mailings()
    accounts.remove(make_owner(), people.find("Eve"))
    finish_background()
    add_voters(ada, repository.find(board.name), ["new@example.org"])
    assert "Mail 1 voter" in text_of(page.get(address()))
    send(page, 1)
    assert queue_mailings() == 1
    assert "Remind 1 voter" in text_of(page.get(address(), {"what": "reminder"}))


def test_what_does_not_fit_into_today_has_no_button(page, ada, board):
    accounts.change_mail_limit(make_owner(), ada, 2)
    shown = text_of(page.get(address()))
    assert "more than your limit for today" in shown
    assert 'name="send"' not in shown
    assert "2 of 2 mails are left" in send(page, 5)


def test_a_draft_shows_the_mail_and_sends_none(page, ada):
    draft = drafts.create(ada, "Board 2027")
    add_voters(ada, draft, ["a@example.org"])
    shown = text_of(page.get(address()))
    assert "as soon as the election is open" in shown
    assert 'name="send"' not in shown
    assert "Nobody can invite voters" in send(page, 1)


def test_an_election_that_closed_meanwhile_sends_nothing_more(page, ada, board):
    closing.close(ada, board)
    assert "while the election is open" in text_of(page.get(address()))
    for form in ({"send": "3"}, {"test": "yes"}):
        assert "while the election is in the state" in text_of(page.post(address(), form, follow=True))
    assert page.post(address(), {"text": "x", "answers": "me"}).status_code == 422
    assert (queued(), wording.find_own_text(board.name).text) == ([], "")


# --- what the mail says ---


def test_the_page_shows_the_mail_in_text_and_html_as_it_will_be_sent(page, ada, board):
    page.post(address(), {"text": "Come *early*.", "answers": "me"})
    shown = text_of(page.get(address()))
    assert "ada@example.org; all recipients see this address" in shown
    frame = page.get(address("invitation_mail"))
    send(page, 5)
    queue_mailings()
    send_waiting(compose)
    message = next(each for each in sent.outbox if each.to == ["H@example.org"] or each.to == ["h@example.org"])
    assert message.subject in shown
    assert message.body.strip().replace("Hello,", "Hello Ada,") in shown
    assert message.alternatives[0][0].replace("Hello,", "Hello Ada,") == frame.content.decode()
    assert message.reply_to == ["ada@example.org"]


def test_the_mail_in_the_frame_can_do_nothing(page, board):
    frame, around = page.get(address("invitation_mail")), page.get(address())
    policy = frame["Content-Security-Policy"]
    assert "sandbox" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'self'" in policy
    assert frame["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-src 'self'" in around["Content-Security-Policy"]
    assert "style-src 'self';" in around["Content-Security-Policy"], "the page itself takes no styles in elements"
    assert around["X-Frame-Options"] == "DENY"


def test_no_token_stands_in_what_an_organiser_is_shown(page, ada, board):
    add_voters(ada, repository.find(board.name), ["Ada"])
    for what in ("invitation", "reminder"):
        shown = text_of(page.get(address(), {"what": what}))
        assert not re.search(r"/(vote|invited|no-reminders)/", shown)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"text": "x" * 2001, "answers": "me"}, "at most 2000"),
        ({"text": "x", "answers": "eve@example.org"}, "not one of the available choices"),
        ({"text": "x"}, "required"),
        ({"text": "x", "answers": "as before"}, "not one of the available choices"),
    ],
)
def test_what_is_wrong_with_the_words_is_said_and_nothing_is_kept(page, board, form, sentence):
    answer = page.post(address(), form)
    assert answer.status_code == 422
    assert sentence in text_of(answer)
    assert wording.find_own_text(board.name) == wording.OwnText()


@pytest.mark.parametrize("button", [{"send": "5"}, {"test": "yes"}])
def test_whichever_button_is_pressed_the_words_are_saved_first(page, board, button):
    shown = text_of(page.get(address()))
    assert len(re.findall(r'<form method="post" class="stack">', shown)) == 1, "one form for words and buttons"
    page.post(address(), {"text": "Come *early*.", "answers": "me", **button})
    assert wording.find_own_text(board.name).text == "Come *early*."
    queue_mailings()
    send_waiting(compose)
    assert sent.outbox
    assert all("Come *early*." in message.body for message in sent.outbox)


@pytest.mark.parametrize("button", [{"send": "5"}, {"test": "yes"}])
def test_words_that_are_refused_stay_typed_and_nothing_is_sent(page, board, button):
    answer = page.post(address(), {"text": "y" * 2001, "answers": "me", **button})
    assert answer.status_code == 422
    assert "y" * 2001 in text_of(answer)
    assert unfinished("mail voters") == queued() == []


def test_saving_the_words_is_one_event_without_them_and_saving_them_again_is_none(page, board, site):
    for _ in range(2):
        assert page.post(address(), {"text": "Come early.", "answers": "nobody"}).status_code == 302
    (event,) = (each for each in EventLog(site).since(0) if each["event_type"] == "InvitationWorded")
    assert "Come early." not in str(event)
    assert event["event_data"]["answers_to_organiser"] is False


def test_whoever_is_not_confirmed_sends_the_standard_words(board, ada):
    accounts.confirm_organiser(make_owner(), ada, confirmed=False)
    client = Client()
    client.force_login(people.find("Ada"))
    shown = client.get(address())
    assert "Only organisers confirmed by an admin" in text_of(shown)
    assert 'name="text"' not in text_of(shown)
    answer = client.post(address(), {"text": "Win a prize", "answers": "me"})
    assert answer.status_code == 403
    assert wording.find_own_text(board.name).text == ""
    assert "The emails are on their way." in send(client, 5)


def test_one_click_asks_the_admins_and_once_is_enough(board, ada, person, signed_in):
    owner, admin = make_owner(), person("Al", Role.ADMIN, email="al@example.org")
    accounts.confirm_organiser(owner, ada, confirmed=False)
    client = signed_in(people.find("Ada"))
    for name in ("invitation", "message_voters"):
        assert "Ask an admin" in text_of(client.get(address(name)))
    for _ in range(2):
        answer = client.post(reverse("ask_admin"), {"next": address()})
        assert (answer.status_code, answer["Location"]) == (302, address())
    at_once(*[lambda: accounts.ask_for_confirmation(people.find("Ada"))] * 2)
    mails = [each for each in outbox.in_state(outbox.QUEUED, 9)[0] if each.kind == "organiser_asks"]
    assert sorted(each.to for each in mails) == sorted((owner.email, admin.email))
    assert reverse("person", args=["Ada"]) in compose(mails[0]).body
    shown = text_of(client.get(address()))
    assert "The admins have been asked to confirm you." in shown
    assert "Ask an admin" not in shown
    assert "They have asked for this." in text_of(signed_in(admin).get(reverse("person", args=["Ada"])))


def test_asking_leads_nowhere_else_and_is_for_organisers_who_need_it(ada, person, signed_in):
    answer = signed_in(ada).post(reverse("ask_admin"), {"next": "https://example.org/"})
    assert (answer["Location"], outbox.in_state(outbox.QUEUED, 9)[0]) == (reverse("me"), []), "is confirmed already"
    assert signed_in(person("Vic", Role.VOTER)).post(reverse("ask_admin")).status_code == 403


def test_an_own_subject_is_one_line_and_not_too_long(page, board):
    page.post(address(), {"subject": "Come\n and\tvote", "text": "", "answers": "nobody"})
    assert wording.find_own_text(board.name).subject == "Come and vote"
    assert "Come and vote" in text_of(page.get(address()))
    answer = page.post(address(), {"subject": "x" * 121, "text": "kept", "answers": "nobody"})
    assert (answer.status_code, "kept" in text_of(answer)) == (422, True)


# --- a test mail ---


def test_a_test_mail_goes_to_oneself_alone_and_is_marked(page, ada, board, settings, monkeypatch):
    stands_at(monkeypatch, now_text())  # mails are counted by the day
    page.post(address(), {"text": "Come *early*.", "answers": "nobody"})
    for what in ("invitation", "reminder"):
        answer = page.post(address(), {"test": "yes", "what": what}, follow=True)
        assert "The test mail to ada@example.org is on its way." in text_of(answer)
    assert send_waiting(compose) == 2
    for message in sent.outbox:
        assert message.to == ["ada@example.org"]
        assert message.subject.startswith("Plenum: Test: ")
        assert "only you get" in message.body
        assert "Come *early*." in message.body
        assert f"{settings.SITE_URL}/election/Board%202027/" in message.body
        assert not re.search(r"/(vote|invited|no-reminders)/", message.body)
    assert progress(board).mails == [], "it is no invitation"
    assert tiles(text_of(page.get(address())))[-1] == 498, "it counts like other mails"
    assert emails.make_forecast(board, INVITED).due == 5


def test_a_test_mail_can_be_had_of_a_draft_and_not_without_end(page, ada, monkeypatch):
    drafts.create(ada, "Board 2027")
    monkeypatch.setattr(emails, "TESTS", emails.Limit("test mails to oneself", 1, 3600))
    page.post(address(), {"test": "yes"})
    assert send_waiting(compose) == 1
    assert "tried too often" in text_of(page.post(address(), {"test": "yes"}, follow=True))


def test_a_test_mail_does_not_go_past_the_days_limit(page, ada, board):
    accounts.change_mail_limit(make_owner(), ada, 0)
    assert "0 of 0 mails are left" in text_of(page.post(address(), {"test": "yes"}, follow=True))
    assert queued() == []


# --- who ---


def test_the_other_pages_lead_here(page, board):
    for name in ("roll", "dashboard"):
        assert f'href="{address()}"' in text_of(page.get(address(name)))
