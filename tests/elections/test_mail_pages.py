"""Pages of what is mailed to voters, and of lists on their way to the roll."""

from __future__ import annotations

import html
import re
import smtplib

import pytest
from django.core import mail as sent
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing, messages
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll import views as roll_views
from elections.roll.services import add_voters
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.pages import lists
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from tests.background import finish_background, queue_mailings
from tests.people import confirm, enrol, list_as_before

FUTURE = "2999-01-01T00:00:00.000Z"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def ada(person):
    return confirm(person("Ada"))


@pytest.fixture
def page(ada, signed_in):
    return signed_in(ada)


@pytest.fixture
def board(ada):
    election = drafts.create(ada, "Board 2027", no_voting_after=FUTURE)
    add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, election, ["a@example.org", "b@example.org"])
    list_as_before(election, "unknown name")
    return lifecycle.open_(ada, repository.find("Board 2027"), editable=False)


def address(name, *words):
    return reverse(name, args=["Board 2027", *words])


def text_of(answer):
    return answer.content.decode()


def refused(email):
    message = compose(email)

    def send():
        raise smtplib.SMTPRecipientsRefused({email.to: (550, b"no")})

    message.send = send
    return message


# --- numbers ---


def cells(text):
    """The numbers in the row of invitations."""
    row = re.search(r"Invitations</th>(.*?)</tr>", text, re.DOTALL)[1]
    return [int(number) for number in re.findall(r">(\d+)<", row)]


@pytest.mark.needs("news")
def test_the_dashboard_counts_mails_in_one_read(site, page, ada, board):
    mailing.invite(ada, board)
    queue_mailings()
    answer = page.get(address("dashboard"))
    assert cells(text_of(answer)) == [2, 0, 0, 1]
    assert 'desc="6 trips"' in answer["Server-Timing"], "and one of these for posts about the election"
    send_waiting(refused)
    answer = page.get(address("dashboard"))
    assert cells(text_of(answer)) == [0, 0, 2, 1]
    assert address("roll") + "?show=failed" in text_of(answer)
    failed = text_of(page.get(address("roll"), {"show": "failed"}))
    assert failed.count("The mail server refused it: 550") == 2
    assert failed.count("Send again") == 2
    page.post(address("invite_voters"), {"voter": "a@example.org"})
    assert text_of(page.get(address("roll"), {"show": "failed"})).count("Send again") == 1
    assert cells(text_of(page.get(address("dashboard")))) == [1, 0, 1, 1]


def test_when_nothing_failed_the_page_says_so(page, board):
    assert "No mail has failed" in text_of(page.get(address("roll"), {"show": "failed"}))


# --- messages ---


def test_a_message_is_previewed_sent_and_listed(site, page, board):
    words = {"subject": " The room\nhas changed ", "text": "We meet in *room 7*. <script>x</script>"}
    preview = page.post(address("message_voters"), {**words, "preview": "yes"})
    assert "<em>room 7</em>" in text_of(preview)
    assert "<script>x" not in text_of(preview)
    assert messages.list_messages(board) == [], "a preview sends nothing"
    assert page.post(address("message_voters"), words).status_code == 302
    queue_mailings()
    send_waiting(compose)
    assert {message.subject for message in sent.outbox} == {"Plenum: Board 2027: The room has changed"}
    listed = text_of(page.get(address("message_voters")))
    assert "0 queued, 2 sent, 0 failed" in listed
    assert "<em>room 7</em>" in listed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"subject": "", "text": "x"}, "required"),
        ({"subject": "x", "text": " "}, "required"),
        ({"subject": "x" * 121, "text": "x"}, "at most 120"),
        ({"subject": "x", "text": "x" * 5001}, "at most 5000"),
    ],
)
def test_what_is_wrong_with_a_message_is_said_and_nothing_is_sent(page, board, words, sentence):
    answer = page.post(address("message_voters"), words)
    assert answer.status_code == 422
    assert sentence in text_of(answer)
    assert messages.list_messages(board) == []


def test_the_same_message_twice_in_a_row_is_a_sentence(page, board):
    words = {"subject": "Soon", "text": "x"}
    page.post(address("message_voters"), words)
    assert "already being sent" in text_of(page.post(address("message_voters"), words))


def test_a_closed_election_sends_no_messages(page, ada, board):
    closing.close(ada, board)
    assert "while the election is open" in text_of(page.get(address("message_voters")))
    assert page.post(address("message_voters"), {"subject": "x", "text": "x"}).status_code == 422
    assert messages.list_messages(board) == []


# --- reminders ---


def test_reminders_are_chosen_on_a_page_of_their_own_while_it_is_open(page, board):
    assert "No automatic reminders" in text_of(page.get(address("dashboard")))
    assert page.post(address("choose_reminders"), {"remind_before": ["3", "72"]}).status_code == 302
    assert repository.find(board.name).remind_before == (72, 3)
    assert "3 days before the end, 3 hours before the end" in text_of(page.get(address("dashboard")))
    assert page.post(address("choose_reminders"), {"remind_before": ["5"]}).status_code == 422
    form = text_of(page.get(address("choose_reminders")))
    assert re.findall(r'value="(\d+)"[^>]*checked', form) == ["72", "3"]


# --- lists on their way ---


@pytest.fixture
def slowly(monkeypatch):
    """Every request takes one step of an import."""
    for name in ("SHORT_IMPORT_SECONDS", "PROGRESS_STEP_SECONDS", "UNSCRIPTED_STEP_SECONDS"):
        monkeypatch.setattr(roll_views, name, 0)


VOTERS = [f"someone.{n:03}@example.org" for n in range(250)]


def test_a_long_list_is_taken_on_step_by_step_by_a_script(page, board, slowly):
    answer = page.post(address("import_roll"), {"voters": "\n".join(VOTERS)})
    place = answer["Location"]
    shown = text_of(page.get(place))
    assert 'value="90" max="250"' in shown
    assert 'hx-trigger="load' in shown
    step = page.post(place, headers=HTMX)
    assert 'value="180" max="250"' in text_of(step)
    assert "go-on" in step["HX-Trigger-After-Settle"]
    done = page.post(place, headers=HTMX)
    assert done["HX-Redirect"] == address("roll")
    assert "250 voters added." in text_of(page.get(address("roll")))
    assert repository.find(board.name).voter_count == 253
    assert 'value="250" max="250"' in text_of(page.get(place))
    assert page.post(place, headers=HTMX)["HX-Redirect"] == address("roll"), "a second tab comes to the same end"
    assert repository.find(board.name).voter_count == 253


def test_without_scripts_a_button_takes_it_on(page, board, slowly):
    place = page.post(address("import_roll"), {"voters": "\n".join(VOTERS)})["Location"]
    assert page.post(place)["Location"] == place
    assert "Continue an interrupted list: 180 of 250 voters" in text_of(page.get(address("import_roll")))
    assert page.post(place)["Location"] == address("roll")
    assert repository.find(board.name).voter_count == 253


def test_a_short_list_is_there_at_once(page, board):
    answer = page.post(address("import_roll"), {"voters": "\n".join(VOTERS)}, follow=True)
    assert "250 voters added." in text_of(answer)


def test_names_that_look_like_headings_or_have_commas_come_through_the_preview(page, board):
    odd = ["voter 1", "Doe, Jane", "a;b", 'the "one"', "=sum"]
    enrol(*odd)
    raw = "".join(lists.as_csv(["name"], ([name] for name in odd))).encode()
    preview = text_of(page.post(address("import_roll"), {"file": SimpleUploadedFile("voters.csv", raw)}))
    hidden = html.unescape(re.search(r'name="voters" value="([^"]*)"', preview)[1])
    page.post(address("import_roll"), {"voters": hidden})
    assert {voter.name for voter in rolls.every_voter(board.name)} >= set(odd)


def test_the_page_to_import_a_list_does_not_begin_with_a_complaint(page, board):
    assert page.get(address("import_roll")).status_code == 200


def test_an_import_of_an_election_that_closed_meanwhile_is_a_sentence(page, ada, board, slowly):
    place = page.post(address("import_roll"), {"voters": "\n".join(VOTERS)})["Location"]
    closing.close(ada, repository.find(board.name))
    assert page.post(place, headers=HTMX)["HX-Redirect"] == address("roll")
    assert "while the election is in the state" in text_of(page.get(address("roll")))
    assert repository.find(board.name).voter_count == 93


def test_the_roll_found_by_script_is_the_same_page(page, board):
    found = text_of(page.get(address("roll"), {"q": "a@"}, headers=HTMX))
    assert 'id="voters"' in found
    assert "a@example.org" in found
    assert "b@example.org" not in found
    assert "Nobody found" in text_of(page.get(address("roll"), {"q": "zzz"}))


def test_nothing_of_an_import_is_left_when_the_election_is_deleted(site, page, ada, board, slowly):
    page.post(address("import_roll"), {"voters": "\n".join(VOTERS)})
    lifecycle.delete(ada, repository.find(board.name))
    assert finish_background("delete election") == 1
    assert list(site.each(keys.all_of_election(board.name))) == []
