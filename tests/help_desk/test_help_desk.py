"""Requests to organisers: who may ask, what is told to whom, the answers, and the common cases in one click."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.core import mail as sent
from django.test import Client
from django.urls import reverse

from accounts.repository import REMOVAL
from accounts.rules import Role
from accounts.services import remove_self
from ballots.passes import Pass
from ballots.sealing import seal_closed
from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.invitations.emails import make_forecast
from elections.invitations.mailing import REMINDED
from elections.invitations.progress import progress
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager
from elections.roll.services import add_voters
from elections.rules import WrongState
from elections.turnout.counts import turnout
from elections.voter_lists import Details
from foundation.acts.rate_limits import SECONDS_PER_DAY, TooOften
from foundation.acts.refusals import NotAllowed, NotNow, Refusal
from foundation.acts.storage import log, now_text, table
from foundation.mail import bounces
from foundation.mail import outbox as mails
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.parts import parts
from foundation.ranking.candidates import Candidate
from foundation.store import keys, round_trips
from foundation.store.log import as_text
from foundation.store.table import Update
from parts.help_desk import repository as requests
from parts.help_desk import rules, services
from parts.help_desk.askers import delivery
from parts.help_desk.repository import FORGETTING, TELLING
from parts.help_desk.rules import ANSWERED, WAITING, Asker, InboxFull
from parts.letters import services as letters
from parts.letters.views import help_address
from tests.at_once import at_once
from tests.background import queue_mailings
from tests.clock import stands_at
from tests.people import confirm
from tests.races.overtaken import lost
from tests.switching import switch
from tests.voting import cast, link_to

FUTURE = "2999-01-01T00:00:00.000Z"
NAME = "Board 2027"
STRANGER = Asker("Zoë", "zoe@example.net")
NASTY = "<script>alert(1)</script> \u202eevil\u202c שלום #%/ 🦊"


@pytest.fixture
def ada(person):
    return confirm(person("Ada", email="ada@example.org"))


@pytest.fixture
def make(ada):
    def make(name=NAME, **settings):
        settings = {"no_voting_after": FUTURE, "vote_by_link": True, **settings}
        election = drafts.create(ada, name, **settings)
        add_candidates(ada, election, [Candidate("Bo"), Candidate("Cy")])
        voters = ["a@example.org", "b@example.org", "c@example.org", "d@example.org"]
        add_voters(ada, election, voters)
        return lifecycle.open_(ada, repository.find(name), editable=False)

    return make


@pytest.fixture
def board(make):
    return make()


@pytest.fixture
def page(ada, signed_in):
    return signed_in(ada)


@pytest.fixture
def clock(monkeypatch):
    """Moves the time on by so much."""
    return lambda **by: stands_at(monkeypatch, later(**by))


def later(**by):
    return as_text(datetime.fromisoformat(now_text()) + timedelta(**by))


def pass_of(voter):
    return Pass(link_to(NAME, voter))


def text_of(answer):
    return html.unescape(answer.content.decode())


def ask(election, asker=STRANGER, text="Where is my mail?", network="10.0.0.1", mark=None):
    mark = mark or f"form {len(list(table().each(keys.help_requests(election.name))))} {asker.address}"
    services.ask(election, asker, text, network=network, mark=mark)
    return waiting(election)[-1]


def waiting(election, state=WAITING):
    return requests.list_requests(election.name, state, limit=100)[0]


def address(route="ask_for_help", *more, name=NAME):
    return reverse(route, args=[name, *more])


def sending(**more):
    return {"name": "Zoë", "address": "zoe@example.net", "text": "Where is my mail?", **more}


def answering(page, asked, act, **given):
    return page.post(address("request", asked.id), {"act": act, "version": asked.version, **given}, follow=True)


def events(*types):
    return [each for each in log().since(0) if each["event_type"] in types]


# --- asking ---


def test_anybody_asks_and_the_organisers_see_who(client, board, page):
    answer = client.post(address(), sending(), follow=True)
    assert "The answer will be emailed to zoe@example.net" in text_of(answer)
    (asked,) = waiting(board)
    assert (asked.asker.name, asked.asker.address, asked.asker.is_known) == ("Zoë", "zoe@example.net", False)
    inbox = text_of(page.get(address("requests")))
    assert "Zoë" in inbox
    assert "not signed in" in inbox
    assert "anyone can type this name" in text_of(page.get(address("request", asked.id)))


def test_somebody_signed_in_is_known_and_sees_the_answer_on_the_page(board, signed_in, page, person):
    grace = signed_in(person("Grace", email="grace@example.org"))
    assert 'name="address"' not in text_of(grace.get(address()))
    grace.post(address(), {"text": "Am I right here?"})
    (asked,) = waiting(board)
    assert (asked.asker.account, asked.asker.address) == ("Grace", "grace@example.org")
    answering(page, asked, "reply", text="You are.")
    assert "You are." in text_of(grace.get(address()))
    assert "You are." not in text_of(signed_in("Linus").get(address())), "nobody else sees it"


def test_a_later_account_of_the_name_sees_nothing_of_it(board):
    ask(board, Asker("Grace", "grace@example.org", "Grace", "2020-01-01"))
    assert len(requests.own_requests(NAME, "Grace", "2020-01-01")) == 1
    assert requests.own_requests(NAME, "Grace", "2021-01-01") == []


def test_the_holder_of_a_voting_link_is_known_until_the_link_ends(client, ada, board):
    link = link_to(NAME, "a@example.org")
    client.post(reverse("vote_by_link", args=[link.token]))
    assert "a@example.org" in text_of(client.get(address()))
    client.post(address(), {"text": "My ballot is empty."})
    (asked,) = waiting(board)
    assert (asked.asker.voter, asked.asker.address) == ("a@example.org", "a@example.org")
    mailing.resend_invitation(ada, board, "a@example.org")
    assert "You are asking as" not in text_of(client.get(address())), "a stolen link that was replaced says nothing"


def test_drafts_and_elections_that_do_not_exist_have_no_help_desk(client, ada, page):
    drafts.create(ada, "Secret plan")
    for who in (client, page):
        assert who.get(address(name="Secret plan")).status_code == 404
        assert who.get(address(name="Nowhere")).status_code == 404


def test_bad_input_keeps_what_was_typed(client, board):
    answer = client.post(address(), sending(address="nonsense"))
    assert answer.status_code == 422
    assert "Where is my mail?" in text_of(answer)
    assert client.post(address(), sending(text="x" * (rules.MAX_TEXT_CHARS + 1))).status_code == 422
    assert client.put(address()).status_code == 405
    assert waiting(board) == []


def test_a_form_sent_twice_or_at_once_is_one_request(client, board):
    for _again in range(2):
        client.post(address(), sending(token="the same"))
    assert len(waiting(board)) == 1
    at_once(*(lambda: ask(board, mark="another") for _ in range(3)))
    assert len(waiting(board)) == requests.waiting(NAME) == 2


def test_the_page_and_its_cost_are_the_same_on_the_roll_or_not(board, person):
    person("Grace", email="grace@example.org")
    seen = []
    for typed in ("a@example.org", "z@example.org", "grace@example.org", "a@example.org"):
        with round_trips.count_round_trips() as counted:
            answer = Client().post(address(), sending(address=typed), follow=True)
        without = re.sub(r'(csrfmiddlewaretoken|token)" value="[^"]*"|nonce="[^"]*"', "", text_of(answer))
        seen.append((without.replace(typed, "them"), counted.count))
    assert len(waiting(board)) == len(seen)
    for each in seen:
        assert each == seen[0]


@pytest.fixture
def seen(monkeypatch):
    """The keys that are read from now on."""
    seen, real = [], type(table()).get_many

    def get_many(self, places):
        places = list(places)
        seen.extend(places)
        return real(self, places)

    monkeypatch.setattr(type(table()), "get_many", get_many)
    return seen


def test_asking_reads_no_entry_of_the_roll(board, seen):
    Client().post(address(), sending(address="a@example.org"))
    assert waiting(board)
    assert not [place for place in seen if place.sk.startswith("VOTER#")]


def test_after_the_close_people_may_ask_for_a_month(board, ada, clock):
    closed = closing.close(ada, board)
    ask(closed)
    clock(days=rules.DAYS_AFTER_CLOSE, minutes=1)
    with pytest.raises(NotNow):
        ask(closed)
    assert "help desk is closed" in text_of(Client().get(address()))


@pytest.mark.needs("letters")
def test_somebody_who_came_in_by_the_code_of_a_letter_says_where_the_answer_goes(ada, board, client, page):
    add_voters(ada, board, ["4711@"], {"4711@": Details("Ann", postal=("Lane 1",))})
    (letter,) = letters.print_batch(ada, repository.find(NAME), 1, 10)
    client.post(reverse("enter_code"), {"code": letter.code})
    assert "You are asking as" in text_of(client.get(address()))
    client.post(address(), sending())
    (asked,) = waiting(board)
    assert (asked.asker.voter, asked.asker.address) == ("4711@", "zoe@example.net")
    assert "with the code of a letter" in text_of(page.get(address("request", asked.id)))
    services.forget_requests_of("zoe@example.net")
    assert waiting(board) == [], "found by the address, not by a number that is somebody else's in another election"


# --- floods ---


def test_strangers_of_a_busy_network_wait_for_a_day_at_most(client, board, monkeypatch):
    monkeypatch.setattr(rules, "PER_NETWORK", replace(rules.PER_NETWORK, most=1))
    ask(board, network="127.0.0.1")
    answer = client.post(address(), sending(address="neighbour@example.net"))
    assert answer.status_code == 422
    assert re.search(r"Please try again in \d+ (minute|hour)s?\.", text_of(answer))
    assert "Where is my mail?" in text_of(answer), "what was written is kept"
    assert rules.PER_NETWORK.seconds == SECONDS_PER_DAY
    waits = [str(TooOften(seconds)) for seconds in (1, 7200, 7201, SECONDS_PER_DAY)]
    assert [each.split(" in ")[1] for each in waits] == ["1 minute.", "120 minutes.", "3 hours.", "24 hours."]


def test_somebody_who_asks_again_and_again_is_stopped_for_a_while_alone(board):
    for number in range(rules.PER_SENDER.most):
        ask(board, mark=f"again {number}")
    with pytest.raises(TooOften):
        ask(board, mark="once more")
    ask(board, Asker("Neighbour", "neighbour@example.net"))


def test_a_full_inbox_takes_no_more_from_strangers_and_keeps_what_it_has(board):
    asked = ask(board)
    table().write(Update(keys.help_desk(NAME), set={"strangers": rules.MAX_WAITING_OF_STRANGERS}))
    with pytest.raises(InboxFull):
        ask(board)
    ask(board, Asker("Ann", "ann@example.org", "Ann", "2020"))
    assert waiting(board)[0] == asked


def test_organisers_get_one_mail_an_hour_and_no_request_is_left_out(board, outbox, clock):
    for number in range(3):
        ask(board, Asker("x", f"{number}@example.net"))
    TELLING.advance(NAME)
    assert [(to, text.count("3 requests are waiting")) for to, _subject, text in outbox()] == [("ada@example.org", 1)]
    ask(board, Asker("x", "late@example.net"))
    assert TELLING.find(NAME).due > now_text(), "the next mail waits"
    clock(hours=1, minutes=1)
    TELLING.advance(NAME)
    assert len(outbox()) == 2
    assert "4 requests" in outbox()[-1][2]


def test_every_organiser_is_told_and_nobody_if_all_is_answered(board, ada, person, outbox):
    add_manager(ada, board, person("Max", email="max@example.org").name)
    asked = ask(board)
    TELLING.advance(NAME)
    services.reply(ada, repository.find(NAME), asked, "Here.")
    assert "requests_waiting" not in [mail for mail, *_ in outbox()]
    tos = [to for to, _subject, _text in outbox()]
    assert "zoe@example.net" in tos
    assert "max@example.org" not in tos, "what was answered meanwhile is no news"
    ask(board, Asker("x", "other@example.net"))
    TELLING.advance(NAME)
    assert {"ada@example.org", "max@example.org"} <= {to for to, _subject, _text in outbox()}


# --- answering ---


def test_an_answer_is_mailed_in_the_language_of_the_asker(board, page, outbox):
    german = Client(headers={"accept-language": "de"})
    german.post(address(), sending())
    (asked,) = waiting(board)
    assert asked.language == "de"
    answering(page, asked, "reply", text="Look into *spam*.")
    (_to, _subject, text), *others = [each for each in outbox() if each[0] == "zoe@example.net"]
    assert others == []
    assert "Look into *spam*." in text
    assert "Where is my mail" not in text, "nobody can have their own words mailed to others"
    assert waiting(board) == []
    (done,) = waiting(board, ANSWERED)
    assert done.replies[0].text == "Look into *spam*."
    answering(page, done, "reply", text="And again.")
    assert len(waiting(board, ANSWERED)[0].replies) == 2
    assert requests.waiting(NAME) == 0


def test_who_looked_before_another_answered_is_told(board, ada):
    asked = ask(board)
    reply = partial(services.reply, ada, board, asked)
    lost(partial(reply, "Slow"), to=partial(reply, "Quick"))
    assert [each.text for each in waiting(board, ANSWERED)[0].replies] == ["Quick"]


def test_who_looked_before_the_last_place_was_taken_gets_none(board):
    desk = keys.help_desk(NAME)
    table().write(Update(desk, set={"strangers": rules.MAX_WAITING_OF_STRANGERS - 1}))
    acts = [partial(ask, board, Asker("x", f"{n}@x.org"), mark=f"last {n}") for n in range(2)]
    assert isinstance(lost(*acts, touching=desk), InboxFull)
    assert table().get(desk)["strangers"] == rules.MAX_WAITING_OF_STRANGERS


def test_after_an_answer_the_next_request_is_one_click_away(board, page):
    first, second = ask(board), ask(board, Asker("Ann", "ann@example.net"))
    answer = page.post(address("request", first.id), {"act": "dismiss", "version": 1})
    assert answer.url == address("requests")
    assert address("request", second.id) in text_of(page.get(answer.url))


def test_the_longest_words_in_every_field_arrive_whole_and_harmless(client, board, page, outbox):
    """A character may be several: those of a family are seven, of four bytes each."""
    family = "👩‍👩‍👧‍👦" * (rules.MAX_TEXT_CHARS // 7) + "🦊" * (rules.MAX_TEXT_CHARS % 7)
    markup = (NASTY + "<img src=x onerror=alert(1)>" * 200)[: rules.MAX_TEXT_CHARS]
    for text in (family, markup):
        client.post(address(), sending(text=text, name="🦊" * 100))
        asked = waiting(board)[0]
        assert asked.text == text.strip()
        answering(page, asked, "reply", text=text)
        answering(page, waiting(board, ANSWERED)[0], "reply", text=text)
        done = requests.find(NAME, asked.id)
        assert [each.text for each in done.replies] == [text.strip()] * 2
        shown = page.get(address("request", asked.id))
        assert shown.status_code == 200
        assert "<img src=x" not in shown.content.decode()
    assert len([each for each in outbox() if each[0] == "zoe@example.net"]) == 4
    for each in sent.outbox:
        assert all("<img src=x" not in html and "<script" not in html for html, _type in each.alternatives)
    asked = ask(board, mark="the last")
    answering(page, asked, "add", listed_as="zoe@example.net", reason="🦊" * rules.MAX_REASON_CHARS)
    assert events("VotersAdded")[-1]["event_data"]["reason"] == "🦊" * rules.MAX_REASON_CHARS


def test_closing_without_an_answer_sends_nothing(board, page, outbox):
    asked = ask(board)
    answering(page, asked, "dismiss")
    assert [to for to, *_ in outbox() if to == "zoe@example.net"] == []
    assert waiting(board) == []
    answer = answering(page, waiting(board, ANSWERED)[0], "dismiss")
    assert answer.status_code == 422


def test_unconfirmed_organisers_cannot_write_to_any_address_they_type(board, person, signed_in, make):
    eve = person("Eve", email="eve@example.org")
    own = drafts.create(eve, "Bait", no_voting_after=FUTURE)
    add_candidates(eve, own, [Candidate("Bo"), Candidate("Cy")])
    add_voters(eve, own, ["v@example.org"])
    own = lifecycle.open_(eve, repository.find("Bait"), editable=False)
    asked = ask(own, Asker("Victim", "victim@example.net"))
    with pytest.raises(NotAllowed):
        services.reply(eve, own, asked, "Buy my watches")
    known = ask(own, Asker("v@example.org", "v@example.org", voter="v@example.org"))
    services.reply(eve, own, known, "Gladly.")


def test_only_those_who_run_it_read_and_answer(client, board, signed_in, person, outbox):
    asked = ask(board)
    auditor = signed_in(person("Aud", Role.AUDITOR))
    admin = signed_in(person("Adm", Role.ADMIN))
    for who in (signed_in("Grace"), auditor, admin):
        for route, more in (("requests", ()), ("request", (asked.id,))):
            assert who.get(address(route, *more)).status_code in (403, 404)
            assert who.post(address(route, *more), {"act": "dismiss", "version": 1}).status_code in (403, 404)
    assert client.get(address("requests")).status_code == 302
    assert waiting(board) == [asked]


def test_a_request_of_another_election_is_not_found_here(board, make, page):
    make("Other")
    asked = ask(board)
    assert page.get(reverse("request", args=["Other", asked.id])).status_code == 404
    assert page.get(address("request", "nothing")).status_code == 404


def test_an_unknown_act_and_a_forged_version_change_nothing(board, page):
    asked = ask(board)
    assert page.post(address("request", asked.id), {"act": "burn", "version": 1}).status_code in (404, 422)
    assert page.post(address("request", asked.id), {"act": "dismiss", "version": "x"}).status_code == 422
    assert page.post(address("request", asked.id), {"act": "dismiss", "version": 7}).status_code == 422
    assert waiting(board) == [asked]


# --- what is known about the voter ---


def test_what_is_known_is_what_the_roll_page_shows(board, ada, page, outbox):
    asked = ask(board, Asker("Ann", "a@example.org"))
    assert "not yet" in text_of(page.get(address("request", asked.id)))
    mailing.invite(ada, board)
    queue_mailings()
    outbox()
    known = delivery(board, turnout(board).voted, ["a@example.org"])
    assert known.mail.state == mails.SENT
    assert known.invited_at
    assert known.voted is None, "with no vote yet, nothing is said"
    text = text_of(page.get(address("request", asked.id)))
    assert "Sent" in text
    assert "it would reveal who has voted" in text


def test_a_bounce_is_known(board, ada, page, outbox):
    mailing.invite(ada, board)
    queue_mailings()
    outbox()
    bounced = delivery(board, turnout(board).voted, ["a@example.org"]).mail
    bounces.record_report(bounces.Report(bounced.number, bounces.BOUNCED, "550 no such mailbox"))
    asked = ask(board, Asker("Ann", "a@example.org"))
    shown = text_of(page.get(address("request", asked.id)))
    assert delivery(board, turnout(board).voted, ["a@example.org"]).mail.state == mails.FAILED
    assert "no such mailbox" in shown


def test_whether_somebody_has_voted_is_shown_where_the_roll_page_shows_it(make, ada, page):
    board = make(secret_ballot=True)
    asked = ask(board, Asker("Ann", "a@example.org"))
    for number, voter in enumerate("abc"):
        assert delivery(board, turnout(board).voted, ["a@example.org"]).voted is None
        cast(pass_of(f"{voter}@example.org"), NAME, {"0": ["1"]}, f"form {number}")
    assert delivery(board, turnout(board).voted, ["a@example.org"]).voted is True
    assert delivery(board, turnout(board).voted, ["d@example.org"]).voted is False
    assert "<dt>Has voted</dt><dd>yes</dd>" in text_of(page.get(address("request", asked.id)))


def test_another_voter_can_be_picked_by_search(board, page):
    asked = ask(board)
    assert "Nobody with this account or address" in text_of(page.get(address("request", asked.id)))
    found = text_of(page.get(address("request", asked.id), {"q": "b@"}))
    assert "This is the voter: b@example.org" in re.sub(r"<[^>]+>", "", found)
    picked = text_of(page.get(address("request", asked.id), {"voter": "b@example.org"}))
    assert "<bdi>b@example.org</bdi>" in picked


@pytest.mark.needs("letters")
@pytest.mark.few(3)
@pytest.mark.parametrize("typed", ["x" * 5000, "\x00", "\u202e🦊", "%", "@", "#REQUEST#"])
def test_a_guessed_voter_is_nobody(board, page, typed):
    asked = ask(board)
    for given in ({"voter": typed}, {"q": typed}, {"do": typed}, {"voter": typed, "do": "correct"}):
        assert page.get(address("request", asked.id), given).status_code == 200
    for act in ("link", "letter", "correct"):
        given = {"act": act, "version": 1, "voter": typed, "address": "new@example.org"}
        assert page.post(address("request", asked.id), given).status_code == 422
    assert waiting(board) == [asked]


# --- common cases ---


def test_a_new_link_is_sent_and_the_old_one_ends(board, page, outbox):
    asked = ask(board)
    old = link_to(NAME, "a@example.org")
    answer = answering(page, asked, "link", voter="a@example.org")
    assert "A new invitation is on its way" in text_of(answer)
    assert {"a@example.org", "zoe@example.net"} <= {to for to, *_ in outbox()}
    assert Client().get(reverse("vote_by_link", args=[old.token])).status_code == 410
    assert waiting(board, ANSWERED)[0].replies[0].act == rules.LINK
    assert len(events("VoterInvitedAgain")) == 1


def test_a_dead_link_leads_to_the_help_desk(board, ada, client):
    old = link_to(NAME, "a@example.org")
    mailing.resend_invitation(ada, board, "a@example.org")
    assert address() in text_of(client.get(reverse("vote_by_link", args=[old.token])))


def test_a_dead_link_leads_only_where_somebody_answers(board, ada, client, clock, make):
    known, of_none = link_to(NAME, "a@example.org"), "/vote/made-up/"
    made_up = text_of(client.get(of_none))
    assert "Your invitation or letter says where to ask" in made_up
    assert "/election/" not in made_up
    mailing.resend_invitation(ada, board, "a@example.org")
    dead = reverse("vote_by_link", args=[known.token])
    closing.close(ada, board)
    assert address() in text_of(client.get(dead))
    clock(days=rules.DAYS_AFTER_CLOSE, minutes=1)
    assert address() not in text_of(client.get(dead)), "the help desk is closed"
    lifecycle.delete(ada, repository.find(NAME))
    make()
    page = client.get(dead)
    assert (page.status_code, address() in text_of(page)) == (410, False), "another election has that name now"


def test_a_corrected_address_replaces_the_old_with_all_it_had(ada, make, page, outbox):
    board = make()
    table().write(Update(keys.voter(NAME, "a@example.org"), set={"display_name": "Ann"}))
    mailing.invite(ada, board)
    queue_mailings()
    outbox()
    old = link_to(NAME, "a@example.org")
    asked = ask(board)
    answer = answering(page, asked, "correct", voter="a@example.org", address="ann@example.net")
    assert "The address is corrected" in text_of(answer)
    on_roll = rolls.on_roll(board, ["a@example.org", "ann@example.net"])
    assert list(on_roll) == ["ann@example.net"]
    assert on_roll["ann@example.net"].display_name == "Ann"
    after = repository.find(NAME)
    assert after.voter_count == board.voter_count
    assert "ann@example.net" in {to for to, *_ in outbox()}
    assert Client().get(reverse("vote_by_link", args=[old.token])).status_code == 410
    (event,) = events("VoterAddressCorrected")
    assert event["event_data"]["address"] == "ann@example.net"
    counts = progress(after).invited
    assert counts.voters == 4, "as many are invited as before"
    assert counts.failed == 0


def test_an_address_stays_once_its_voter_has_voted(ada, make):
    board = make(secret_ballot=False)
    cast(pass_of("a@example.org"), NAME, {"0": ["1"]}, "form")
    asked = ask(board)
    with pytest.raises(WrongState, match="has voted"):
        services.correct_address(ada, board, asked, "a@example.org", "new@example.org")
    services.correct_address(ada, board, asked, "b@example.org", "new@example.org")


def test_while_it_is_secret_who_has_voted_nobody_learns_it_by_correcting(ada, make):
    board = make(secret_ballot=True)
    first = ask(board)
    services.correct_address(ada, board, first, "d@example.org", "dd@example.org")  # before the first vote
    asked, refused = ask(board), set()
    cast(pass_of("a@example.org"), NAME, {"0": ["1"]}, "form")
    for voter in ("a@example.org", "b@example.org", "nobody@example.org"):
        with pytest.raises(WrongState) as refusal:
            services.correct_address(ada, board, asked, voter, "new@example.org")
        refused.add(str(refusal.value))
    assert len(refused) == 1, "the same for who has voted, who has not, and who is not there"


@pytest.mark.parametrize("voted_first", [True, False])
def test_of_a_vote_and_a_correction_the_first_stays(ada, make, voted_first):
    board = make(secret_ballot=False)
    vote = partial(cast, pass_of("a@example.org"), NAME, {"0": ["1"]}, "form")
    correct = partial(services.correct_address, ada, board, ask(board), "a@example.org", "new@example.org")
    lost(*((correct, vote) if voted_first else (vote, correct)))
    (voter,) = rolls.on_roll(board, ["a@example.org", "new@example.org"]).values()
    assert (voter.name, voter.voted) == (("a@example.org", True) if voted_first else ("new@example.org", False))


def test_an_address_cannot_become_one_that_is_listed_nor_an_account_be_renamed(ada, make, person):
    board = make()
    asked = ask(board)
    for voter, new, word in (
        ("a@example.org", "B@example.org", "already"),
        ("a@example.org", "A@EXAMPLE.org", "already"),
        ("Grace", "new@example.org", "not listed by an address"),
        ("4711@", "new@example.org", "not listed by an address"),
        ("zz@example.org", "new@example.org", "not on the roll"),
    ):
        with pytest.raises(WrongState, match=word):
            services.correct_address(ada, board, asked, voter, new)


def test_an_address_to_correct_to_is_filled_in_when_somebody_writes_from_another(board, page):
    asked = ask(board)
    form = {"voter": "a@example.org", "do": "correct"}
    assert 'value="zoe@example.net"' in text_of(page.get(address("request", asked.id), form))
    own = ask(board, Asker("Ann", "A@example.org"))
    assert 'value="A@example.org"' not in text_of(page.get(address("request", own.id), {"do": "correct"}))


def test_whoever_is_on_the_roll_is_not_put_there_once_more(board, page):
    own = ask(board, Asker("Ann", "A@Example.org"))
    assert "do=add" not in text_of(page.get(address("request", own.id)))
    assert "do=add" in text_of(page.get(address("request", ask(board).id)))


@pytest.mark.parametrize(
    ("listed", "typed"),
    [
        ("zoe@example.org", "ZOE@Example.org"),
        ("mike@example.org", "mi\u212ae@example.org"),  # a Kelvin sign
        ("zoe@bücher.example", "Zoe@xn--bcher-kva.example"),
        ("zoe@example.org", " zoe@example.org\u200b"),
    ],
)
def test_other_spellings_of_an_address_on_the_roll_are_not_added(ada, board, page, listed, typed):
    add_voters(ada, board, [listed])
    before = repository.find(NAME).voter_count
    answer = answering(page, ask(board), "add", listed_as=typed, reason="member")
    assert answer.status_code == 422
    assert "on the roll already" in text_of(answer)
    assert repository.find(NAME).voter_count == before


def test_somebody_is_put_on_the_roll_with_a_reason(board, page, outbox):
    asked = ask(board)
    answer = answering(page, asked, "add", listed_as="zoe@example.net", reason="member since May")
    assert "is now on the roll" in text_of(answer)
    assert list(rolls.on_roll(board, ["zoe@example.net"])) == ["zoe@example.net"]
    added = events("VotersAdded")[-1]["event_data"]
    assert (added["reason"], added["request"]) == ("member since May", asked.id)
    subjects = [subject for to, subject, _text in outbox() if to == "zoe@example.net"]
    assert len(subjects) == 2, "the answer, and the invitation"
    answer = answering(page, ask(board, mark="again"), "add", listed_as="zoe@example.net", reason="again")
    assert "on the roll already" in text_of(answer)
    assert answering(page, waiting(board)[0], "add", listed_as="Nobody", reason="x").status_code == 422


def test_who_looked_before_another_answered_puts_nobody_on_the_roll(board, ada):
    asked = ask(board)
    accept = partial(services.add, ada, board, asked, "zoe@example.net", "lives here")
    lost(accept, to=partial(services.dismiss, ada, board, asked))
    assert not rolls.on_roll(board, ["zoe@example.net"])


# --- where it shows ---


def test_the_history_has_what_organisers_did_and_no_flood_of_requests(board, page, ada):
    for number in range(3):
        asked = ask(board, Asker("x", f"{number}@example.net"))
    services.reply(ada, board, asked, "private words")
    services.dismiss(ada, board, ask(board))
    text = text_of(page.get(reverse("history", args=[NAME])))
    assert "Ada answered a request." in text
    assert "Ada closed a request without an answer." in text
    assert "RequestSent" not in text
    assert "private words" not in text + repr(events("RequestSent", "RequestAnswered"))


def test_the_dashboard_and_the_home_page_say_how_many_wait(board, page, ada):
    mailing.invite(ada, board)
    queue_mailings()
    assert "waiting for an answer" not in text_of(page.get(reverse("dashboard", args=[NAME])))
    ask(board)
    for where in (reverse("dashboard", args=[NAME]), reverse("home")):
        assert "1 request is waiting for an answer." in text_of(page.get(where))


@pytest.mark.needs("letters")
def test_a_refused_code_tells_nothing_of_any_election(board, client):
    answer = client.post("/code/", {"code": "0000-0000-0000", "answer": ""})
    assert answer.status_code == 422
    assert "Your invitation or letter says where to ask" in text_of(answer)
    assert "/election/" not in text_of(answer)


def test_the_public_result_leads_there_as_long_as_somebody_answers(make, ada, client, clock):
    board, path = make(results_public=True), reverse("shared", args=[NAME])
    assert address() in text_of(client.get(path))
    closing.close(ada, board)
    seal_closed()
    first = client.get(path)
    assert "counted" in text_of(first)
    assert address() in text_of(first)
    clock(days=rules.DAYS_AFTER_CLOSE, minutes=1)
    assert address() not in text_of(client.get(path, headers={"If-None-Match": first["ETag"]}))


@pytest.mark.needs("letters")
def test_invitations_and_letters_name_the_page(board, ada, page, outbox):
    add_voters(ada, board, ["4711@"], {"4711@": Details("Ann", postal=("Lane 1",))})
    mailing.invite(ada, repository.find(NAME))
    queue_mailings()
    text = next(text for to, _subject, text in outbox() if to == "a@example.org")
    assert f"Trouble voting? Ask the organisers:\nhttp://127.0.0.1:8000{address()}\n" in text
    (mail,) = (each for each in sent.outbox if each.to == ["a@example.org"])
    assert f'<a href="http://127.0.0.1:8000{address()}"' in mail.alternatives[0][0]
    printed = page.post(address("print_letters"), {"batch": "1", "most": "50", "how": "page", "sender": ""})
    assert "Trouble voting? Ask the organisers:" in text_of(printed)
    assert f">http://127.0.0.1:8000/election/{NAME}/help/</bdi>" in text_of(printed)


# --- personal data ---


def test_everything_is_deleted_some_time_after_the_close(board, ada, clock):
    ask(board)
    task = FORGETTING.find(NAME)
    assert task.due > now_text()
    closing.close(ada, board)
    FORGETTING.advance(NAME)
    assert waiting(board)
    clock(days=rules.RETENTION_DAYS + 1)
    FORGETTING.advance(NAME)
    assert waiting(board) == []
    assert list(table().each(keys.requests_sent_by("zoe@example.net"))) == []
    assert table().get(keys.help_desk(NAME)) is None
    assert FORGETTING.find(NAME) is None


def test_a_removed_account_leaves_no_request_behind(board, ada, person):
    grace = person("Grace", email="grace@example.org")
    ask(board, Asker("Grace", grace.email, grace.name, grace.created_at), text="secret words")
    ask(board, Asker("G", grace.email), text="typed by hand")
    ask(board, text="of somebody else")
    remove_self(grace)
    for task in REMOVAL.unfinished():
        REMOVAL.advance(task.subject)
    assert [each.text for each in waiting(board)] == ["of somebody else"]
    assert requests.waiting(NAME) == 1


def test_deleting_the_election_deletes_its_requests(board, ada):
    ask(board)
    closed = closing.close(ada, board)
    lifecycle.delete(ada, repository.find(closed.name))
    repository.DELETING.advance(NAME)
    assert list(table().each(keys.all_of_election(NAME))) == []
    FORGETTING.advance(NAME)
    TELLING.advance(NAME)


def test_no_mail_to_nowhere(board, ada):
    asked = ask(board, Asker("4711", "", voter="4711@"))
    services.reply(ada, board, asked, "Words")
    assert not [each for each in table().each(keys.mails(mails.QUEUED)) if each["kind"] == "request_answered"]


def test_mails_count_against_the_quota_of_the_organiser(board, ada, settings):
    settings.MAILS_A_DAY = 0
    asked = ask(board)
    with pytest.raises(Refusal, match="daily limit"):
        services.reply(ada, board, asked, "Words")
    assert waiting(board) == [asked]


@pytest.mark.needs("letters")
def test_a_letter_is_replaced_for_somebody_who_has_lost_it(make, ada, page):
    board = make()
    add_voters(ada, board, ["4711@"], {"4711@": Details("Ann <b>", postal=("Lane 1",))})
    (letter,) = letters.print_batch(ada, repository.find(NAME), 1, 10)
    assert letters.find_by_code(NAME, letter.code)
    asked = ask(board)
    shown = text_of(page.get(address("request", asked.id), {"voter": "4711@"}))
    assert "Replace the letter" in shown
    assert "Send a new link" not in shown
    answer = answering(page, asked, "letter", voter="4711@")
    assert "The letter no longer works" in text_of(answer)
    assert letters.find_by_code(NAME, letter.code) is None
    (done,) = waiting(board, ANSWERED)
    assert done.replies[0].act == rules.LETTER
    with pytest.raises(Refusal):
        services.send_letter(ada, board, asked, "4711@")
    assert len(events("LetterReissued")) == 1


def test_a_reminder_is_due_for_whose_address_was_corrected(board, ada):
    for mail_all in (mailing.invite, mailing.remind):
        mail_all(ada, repository.find(NAME))
        queue_mailings()
        send_waiting(compose)
    assert make_forecast(repository.find(NAME), REMINDED).due == 0
    services.correct_address(ada, board, ask(board), "a@example.org", "new@example.org")
    assert make_forecast(repository.find(NAME), REMINDED).due == 1


def test_somebody_added_gets_the_invitation_to_the_address_of_their_account(board, ada, person, outbox):
    grace = person("Grace", email="grace@example.org")
    asked = ask(board, Asker("Grace", grace.email, "Grace", grace.created_at))
    services.add(ada, board, asked, "Grace", "new here")
    assert rolls.on_roll(board, ["Grace"])["grace"].account == grace.created_at
    assert [to for to, subject, _text in outbox() if "vote" in subject] == ["grace@example.org"]
    assert progress(repository.find(NAME)).invited.voters == 1


# --- switched off ---


def turn(*, on: bool) -> None:
    switch("help_desk", on=on)


def shown_to_voters_and_organisers(client, page, dead):
    """Every page of the core from which the help desk can be reached."""
    looks = (
        (client, f"/sign-in/?next=/election/{NAME}/"),
        (client, reverse("my_link")),
        (client, reverse("election_my_link", args=[NAME])),
        (client, reverse("enter_code")),
        (client, reverse("your_link")),
        (client, reverse("vote_by_link", args=[link_to(NAME, "b@example.org").token])),
        (client, reverse("vote_by_link", args=[dead.token])),
        (client, reverse("vote_by_link", args=["made-up"])),
        (client, reverse("shared", args=[NAME])),
        (page, "/"),
        (page, reverse("election", args=[NAME])),
        (page, reverse("dashboard", args=[NAME])),
        (page, reverse("roll", args=[NAME])),
    )
    return {path: text_of(who.get(path)) for who, path in looks}


WORDS = re.compile("Board%202027/(help|requests)/|where to ask the organisers|waiting for an answer")


@pytest.mark.needs("letters")
def test_switched_off_nothing_leads_there_and_all_comes_back(client, ada, make, page, outbox):
    board = make(results_public=True)
    dead = link_to(NAME, "a@example.org")
    mailing.resend_invitation(ada, board, "a@example.org")
    asked = ask(board)
    outbox()
    on = shown_to_voters_and_organisers(client, page, dead)
    assert [path for path, text in on.items() if not WORDS.search(text)] == []
    turn(on=False)
    off = shown_to_voters_and_organisers(client, page, dead)
    assert [path for path, text in off.items() if WORDS.search(text)] == []
    assert [who.get(address(*where)).status_code for who, *where in ((client,), (page, "requests"))] == [404, 404]
    assert page.post(address("request", asked.id), {"act": "dismiss", "version": 1}).status_code == 404
    turn(on=True)
    again = shown_to_voters_and_organisers(client, page, dead)
    assert [path for path, text in again.items() if not WORDS.search(text)] == []
    assert client.get(address()).status_code == 200
    assert waiting(board) == [asked]


def test_switched_off_invitations_and_letters_do_not_name_it(board, ada, outbox):
    mailing.resend_invitation(ada, board, "a@example.org")
    assert address() in outbox()[-1][2]
    assert f"/election/{NAME}/help/" in help_address(board)
    turn(on=False)
    mailing.resend_invitation(ada, board, "b@example.org")
    to, _subject, text = outbox()[-1]
    assert (to, "Trouble voting?" in text, address() in text) == ("b@example.org", False, False)
    assert help_address(board) == ""


def test_switched_off_organisers_are_told_later(board, outbox, monkeypatch):
    ask(board)
    turn(on=False)
    assert not TELLING.start(NAME)
    assert outbox() == []
    turn(on=True)
    stands_at(monkeypatch, later(hours=2))
    TELLING.advance(NAME)
    assert [to for to, *_ in outbox()] == ["ada@example.org"]


def test_what_switching_off_would_interrupt(board, ada):
    (desk,) = (part for part in parts() if part.label == "help_desk")
    assert list(desk.running()) == []
    first, _second = ask(board), ask(board, Asker("Niels", "niels@example.net"))
    assert list(desk.running()) == ["2 requests are waiting for an answer."]
    services.dismiss(ada, board, first)
    assert list(desk.running()) == ["1 request is waiting for an answer."]
