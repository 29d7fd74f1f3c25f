"""Pages of polls: making, voting, results, running; the stranger, the wrong role, the wrong method, bad input."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from foundation.acts.rate_limits import Limit
from foundation.acts.refusals import LostRace
from foundation.acts.storage import log
from foundation.store import keys
from foundation.store.table import Delete
from parts.polls import counting, repository, result_views, services, voters
from parts.polls.counting import seal_what_is_over
from results.pictures import pictures_of
from tests.clock import at_its_own_moment, stands_at

from .conftest import by_ida, events, in_hours, ranks, vote

FORM = {
    "title": "Lunch on Friday",
    "candidates": "Pizza\nSushi\nTacos",
    "description": "",
    "ends": "",
    "time_zone": "",
    "days": "30",
}


@pytest.fixture(autouse=True)
def at_leisure(monkeypatch):
    """Tests are quicker than people."""
    monkeypatch.setattr(voters, "MIN_VOTING_SECONDS", 0)


def text(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def form_of(client: Client, poll) -> dict[str, str]:
    """What the page would send besides the ranks."""
    page = client.get(f"/poll/{poll.id}/").content.decode()
    return dict(re.findall(r'type="hidden" name="(acts|token|shown)" value="([^"]*)"', page))


def send(client: Client, poll, ranking: str, form: dict[str, str] | None = None, **more: str):
    boxes = {f"rank-{number}": typed[0] for number, typed in ranks(poll, ranking).items()}
    return client.post(f"/poll/{poll.id}/", (form or form_of(client, poll)) | boxes | more)


def stored(poll) -> list[str]:
    return sorted(item["rankings"] for item in repository.each_vote(poll))


# --- making ---


def test_a_poll_is_made_and_its_page_hands_it_on(site, signed_in):
    ida = signed_in("Ida")
    answer = ida.post("/polls/new/", FORM | {"listed": "on"})
    page = text(ida.get(answer["Location"]))
    (listed,) = repository.list_page(keys.made_by("Ida"), limit=9)[0]
    poll = repository.find(listed.id)
    assert f"/poll/{poll.id}/</code>" in page
    assert poll.code in page
    assert "<svg" in page
    assert "Lunch on Friday" in text(Client().get("/polls/"))


def test_an_end_is_understood_in_the_makers_zone(site, signed_in):
    ida = signed_in("Ida")
    tomorrow = in_hours(24)[:10]
    answer = ida.post("/polls/new/", FORM | {"ends": f"{tomorrow}T18:00", "time_zone": "Asia/Kolkata"})
    poll = repository.find(answer["Location"].split("/")[2])
    assert poll.expires_at == f"{tomorrow}T12:30:00.000Z"


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("title", "", "required"),
        ("title", "x" * 401, "400"),
        ("title", "x" * 201, "at most 200"),
        ("candidates", "Pizza", "at least two"),
        ("candidates", "Pizza\npizza\n PIZZA ", "at least two different"),
        ("candidates", "\n".join(f"Dish {number}" for number in range(51)), "at most 50"),
        ("candidates", f"Pizza\n{'x' * 201}", "Line 2"),
        ("description", "x" * 5001, "5000"),
        ("ends", "2199-07-01T18:00", "time zone"),
        ("ends", "tomorrow", "like this"),
        ("days", "9999", "9999"),
        ("time_zone", "Mars/Olympus", "Mars"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(site, signed_in, field, typed, words):
    answer = signed_in("Ida").post("/polls/new/", FORM | {field: typed})
    assert answer.status_code == 422
    assert words in text(answer)
    assert "Sushi" in text(answer) or field == "candidates"
    assert events(site, "PollCreated") == []


@pytest.mark.parametrize(("end", "words"), [("2020-01-01T10:00", "passed already"), ("2199-01-01T10:00", "a year")])
def test_an_end_lies_ahead_and_not_too_far(site, signed_in, end, words):
    answer = signed_in("Ida").post("/polls/new/", FORM | {"ends": end, "time_zone": "UTC"})
    assert answer.status_code == 422
    assert words in text(answer)


def test_names_that_are_there_twice_are_one(site, signed_in):
    answer = signed_in("Ida").post("/polls/new/", FORM | {"candidates": "1. Pizza\n2. PIZZA\n3. Sushi"})
    poll = repository.find(answer["Location"].split("/")[2])
    assert [each.name for each in poll.candidates] == ["Pizza", "Sushi"]


def test_strangers_make_polls_only_where_the_site_allows_it(site, client, settings):
    assert client.get("/polls/new/")["Location"].startswith("/sign-in/")
    assert client.post("/polls/new/", FORM)["Location"].startswith("/sign-in/")
    settings.POLLS_BY_ANYBODY = True
    answer = client.post("/polls/new/", FORM, follow=True)
    page = text(answer)
    assert page.index("Share the link") < page.index('id="poll-link"') < page.index('id="private-link"')
    link = re.search(r"http://[^/]+(/poll/[^/]+/manage/key/[^/<]+/)", page)[1]
    assert "only way to manage this poll" in page
    elsewhere = Client()
    manage = link.split("key/")[0]
    assert elsewhere.get(manage)["Location"].startswith("/sign-in/")
    assert elsewhere.get(link)["Location"] == manage
    assert elsewhere.get(manage).status_code == 200
    assert Client().get(link[:-4] + "xyz/").status_code == 404


@pytest.mark.deep
def test_a_maker_in_a_hurry_is_slowed_down(site, signed_in, monkeypatch):
    ida = signed_in("Ida")
    for _ in range(20):
        assert ida.post("/polls/new/", FORM).status_code == 302
    answer = ida.post("/polls/new/", FORM)
    assert answer.status_code == 422
    assert "too often" in text(answer)


def test_somebody_makes_only_so_many_polls_in_a_day(site, signed_in, monkeypatch):
    monkeypatch.setattr(services, "MADE_IN_A_DAY", replace(services.MADE_IN_A_DAY, most=2))
    ida, eve = signed_in("Ida"), signed_in("Eve")
    answers = [ida.post("/polls/new/", FORM).status_code for _ in range(3)]
    assert answers == [302, 302, 422]
    assert eve.post("/polls/new/", FORM).status_code == 302


# --- the code ---


def test_a_code_leads_to_its_poll_however_it_is_typed(made, client):
    poll = made()
    for typed in (poll.code, poll.code.lower(), f"{poll.code[:3]}-{poll.code[3:]}"):
        assert client.get(f"/p/{typed}/")["Location"] == f"/poll/{poll.id}/"
    assert client.get("/p/??????/").status_code == 404
    assert client.get(f"/p/{'9' * 500}/").status_code == 404


def test_a_code_of_digits_alone_which_older_polls_may_have_leads_there_too(made, client, monkeypatch):
    monkeypatch.setattr(services, "new_code", lambda: "449384")
    poll = made()
    assert client.get("/p/449384/", follow=True).request["PATH_INFO"] == f"/poll/{poll.id}/"


def test_without_live_sessions_a_number_is_a_code_like_others(site, client, monkeypatch):
    monkeypatch.setattr("parts.polls.services.OTHER_CODES", [])
    assert client.get("/p/123456/").status_code == 404


def test_whoever_tries_codes_is_slowed_down(site, client, made):
    poll = made()
    answers = [client.get(f"/p/A{number:05d}/").status_code for number in range(61)]
    assert set(answers[:60]) == {404}
    assert answers[60] == 429
    assert client.get(f"/p/{poll.code}/").status_code == 302, "who knows a code is let through"


# --- voting ---


def test_a_stranger_votes_sees_the_vote_and_changes_it(made, client):
    poll = made()
    answer = send(client, poll, "Sushi>Pizza")
    assert answer["Location"] == f"/poll/{poll.id}/voted/"
    page = text(client.get(answer["Location"]))
    assert "Your vote is counted." in page
    assert page.index("Sushi</b>") < page.index("Pizza</b>")
    assert 'value="1"' in text(client.get(f"/poll/{poll.id}/"))
    assert "Your vote was changed" in text(client.get(send(client, poll, "Tacos")["Location"]))
    assert stored(poll) == ["2"]


def test_one_browser_has_one_vote_and_another_browser_another(made, client):
    poll = made()
    for _ in range(3):
        send(client, poll, "Sushi")
    assert stored(poll) == ["1"]
    send(Client(), poll, "Pizza")
    assert stored(poll) == ["0", "1"]


def test_the_cookie_is_for_the_server_alone_and_not_in_the_store(site, made, client):
    poll = made()
    send(client, poll, "Sushi")
    cookie = client.cookies[voters.COOKIE]
    assert cookie["httponly"]
    assert (cookie["samesite"], cookie["path"]) == ("Lax", "/poll/")
    number = cookie.value.split(":")[0]
    assert number not in str(list(site.everything()))


def test_a_forged_cookie_is_no_voter(made, client):
    poll = made()
    form = form_of(client, poll)
    client.cookies[voters.COOKIE] = "made-up:signature"
    answer = send(client, poll, "Sushi", form)
    assert answer.status_code == 422
    assert "cookie" in text(answer)
    assert stored(poll) == []
    assert send(client, poll, "Sushi").status_code == 302, "the refusal brought a good one"


def test_a_double_click_is_one_vote(site, made, client):
    poll = made()
    form = form_of(client, poll)
    send(client, poll, "Sushi", form)
    answer = send(client, poll, "Sushi", form)
    assert "already sent this form" in text(client.get(answer["Location"]))
    assert len(events(site, "PollVoteCast")) == 1


def test_of_two_tabs_the_later_wins_and_is_told(made, client):
    poll = made()
    first, second = form_of(client, poll), form_of(client, poll)
    send(client, poll, "Sushi", first)
    answer = send(client, poll, "Pizza", second)
    assert "in another window in the meantime" in text(client.get(answer["Location"]))
    assert client.get(f"/poll/{poll.id}/state/").json() == {"acts": 2}
    assert stored(poll) == ["0"]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"rank-7": "1"}, "not in this poll"),
        ({"rank-": "1"}, "not in this poll"),
        ({}, "at least one"),
        ({"rank-0": "first"}, "whole number"),
        ({"rank-0": ["1", "2"]}, "ranked twice"),
    ],
)
def test_a_vote_that_is_none_is_refused_in_a_sentence(made, client, sent, words):
    poll = made()
    answer = client.post(f"/poll/{poll.id}/", form_of(client, poll) | sent)
    assert answer.status_code == 422
    assert words in text(answer)
    assert stored(poll) == []


def test_a_candidate_with_a_number_of_very_many_digits_is_none(made, client):
    poll = made()
    sent = urlencode(form_of(client, poll) | {"rank-" + "9" * 5000: "1"})
    answer = client.post(f"/poll/{poll.id}/", sent, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 422


def test_what_was_typed_is_still_there_after_a_refusal(made, client):
    poll = made()
    answer = client.post(f"/poll/{poll.id}/", form_of(client, poll) | {"rank-0": "3", "rank-1": "x"})
    page = text(answer)
    assert re.search(r'name="rank-0"[^>]*value="3"', page)
    assert re.search(r'name="rank-1"[^>]*value="x"', page)


def test_nobody_votes_in_a_poll_that_does_not_exist(site, client):
    for path in ("", "voted/", "state/", "results/", "results/now/", "results/votes.csv", "manage/", "manage/key/x/"):
        assert client.get(f"/poll/00000000-0000-4000-8000-000000000000/{path}").status_code == 404, path
    assert client.post("/poll/00000000-0000-4000-8000-000000000000/", {"rank-0": "1"}).status_code == 404
    assert client.get("/poll/not-a-number/").status_code == 404


def test_a_poll_that_ran_out_says_so_and_keeps_what_was_typed(made, client, monkeypatch):
    poll = made(expires_at=in_hours(1))
    form = form_of(client, poll)
    late = in_hours(2)
    stands_at(monkeypatch, late)
    answer = send(client, poll, "Sushi", form)
    assert answer.status_code == 422
    assert "This poll is closed." in text(answer)
    assert re.search(r'name="rank-1"[^>]*value="1"', text(answer))
    assert stored(poll) == []
    assert "See the results" in text(client.get(f"/poll/{poll.id}/"))


def test_a_program_that_fills_every_field_is_refused(made, client):
    poll = made()
    answer = send(client, poll, "Sushi", website="https://example.org")
    assert answer.status_code == 422
    assert "leave the hidden field empty" in text(answer)
    assert stored(poll) == []


def test_what_is_quicker_than_a_person_is_asked_again_and_then_taken(made, client, monkeypatch):
    monkeypatch.setattr(voters, "MIN_VOTING_SECONDS", 3600)
    poll = made()
    answer = send(client, poll, "Sushi")
    assert answer.status_code == 422
    assert "That was very fast" in text(answer)
    again = dict(re.findall(r'type="hidden" name="(acts|token|shown)" value="([^"]*)"', answer.content.decode()))
    monkeypatch.setattr(voters, "MIN_VOTING_SECONDS", 0)
    assert send(client, poll, "Sushi", again).status_code == 302


def test_a_page_serves_the_browser_it_was_shown_to_and_no_other(made, client):
    poll, other = made(), Client()
    seen = form_of(client, poll)
    other.get(f"/poll/{poll.id}/")
    answer = send(other, poll, "Sushi>Pizza", seen)
    assert answer.status_code == 422
    assert "opened in another browser" in text(answer)
    assert re.search(r'name="rank-1"[^>]*value="1"', text(answer)), "the ranking is still there"
    assert stored(poll) == []
    again = dict(re.findall(r'type="hidden" name="(acts|token|shown)" value="([^"]*)"', answer.content.decode()))
    assert send(other, poll, "Sushi>Pizza", again).status_code == 302
    assert send(client, poll, "Pizza", seen).status_code == 302


def test_where_accounts_vote_a_page_serves_the_account_it_was_shown_to(made, person, signed_in):
    poll, eve, bob = made(sign_in=True), signed_in("Eve", Role.VOTER), signed_in("Bob", Role.VOTER)
    seen = form_of(eve, poll)
    assert "opened in another browser" in text(send(bob, poll, "Sushi", seen))
    assert send(eve, poll, "Sushi", seen).status_code == 302


def test_the_page_does_not_tell_where_the_vote_lies(site, made, client):
    poll = made()
    form = form_of(client, poll)
    send(client, poll, "Sushi", form)
    (vote_,) = repository.each_vote(poll)
    told = "".join(base64.urlsafe_b64decode(each + "==").decode("latin-1") for each in form["shown"].split(":")[:1])
    assert vote_["SK"].removeprefix("VOTE#") not in told


@pytest.mark.parametrize("shown", ["", "made-up", "a:b:c"])
def test_a_page_that_we_never_showed_is_not_taken_at_once(made, client, shown):
    poll = made()
    answer = send(client, poll, "Sushi", form_of(client, poll) | {"shown": shown})
    assert answer.status_code == 422
    assert stored(poll) == []


def test_the_stamp_of_one_poll_is_no_good_in_another(made, client):
    poll, other = made(), made()
    answer = send(client, poll, "Sushi", form_of(client, other))
    assert answer.status_code == 422


def test_a_flood_from_one_address_is_stopped_in_one_poll_and_not_in_others(made, settings):
    settings.POLL_VOTES_PER_ADDRESS = 3
    poll, other = made(), made()
    for _ in range(3):
        assert send(Client(), poll, "Sushi").status_code == 302
    answer = send(Client(), poll, "Sushi")
    assert answer.status_code == 422
    assert "too often" in text(answer)
    assert send(Client(), other, "Sushi").status_code == 302
    assert send(Client(REMOTE_ADDR="192.0.2.7"), poll, "Sushi").status_code == 302
    assert len(stored(poll)) == 4


def test_candidates_stand_in_an_order_that_is_steady_for_one_voter(made, client):
    poll = made(*(f"Dish {number}" for number in range(12)))
    send(client, poll, "Dish 3")  # by now the browser is known
    orders = [re.findall(r"rank-(\d+)", text(client.get(f"/poll/{poll.id}/"))) for _ in range(2)]
    assert orders[0] == orders[1]
    assert sorted(orders[0], key=int) != orders[0]


# --- with an account only ---


def test_where_an_account_is_needed_strangers_are_asked_to_sign_in(made, client):
    poll = made(sign_in=True)
    page = client.get(f"/poll/{poll.id}/")
    assert "Sign in to vote" in text(page)
    answer = client.post(f"/poll/{poll.id}/", {"rank-0": "1"})
    assert answer["Location"] == f"/sign-in/?next=/poll/{poll.id}/"


def test_one_account_has_one_vote_in_every_browser(site, made, person, signed_in):
    poll, eve = made(sign_in=True), person("Eve", Role.VOTER)
    send(signed_in(eve), poll, "Pizza")
    other = signed_in(eve)
    assert re.search(r'name="rank-0"[^>]*value="1"', text(other.get(f"/poll/{poll.id}/")))
    send(other, poll, "Sushi")
    assert stored(poll) == ["1"]
    assert "Eve" not in str(events(site, "PollVoteCast"))
    assert {each["actor"] for each in log().since(0) if each["event_type"] == "PollVoteCast"} == {"@voter"}


def test_an_observer_may_look_and_not_vote(made, signed_in):
    poll = made(sign_in=True)
    olaf = signed_in("Olaf", Role.OBSERVER)
    assert "does not allow you to vote" in text(olaf.get(f"/poll/{poll.id}/"))
    assert olaf.post(f"/poll/{poll.id}/", {"rank-0": "1", "shown": "made up"}).status_code == 422
    assert stored(poll) == []


# --- results ---


def test_the_results_stand_side_by_side_and_keep_themselves_up_to_date(made, shelf, client):
    poll = made()
    vote(poll, "a", "Pizza>Sushi")
    page = text(client.get(f"/poll/{poll.id}/results/"))
    assert "All three methods agree: Pizza." in page
    for label in ("Instant runoff", "Borda", "Schulze"):
        assert label in page
    address = re.search(r'hx-get="([^"]+)"', page)[1]
    assert client.get(address).status_code == 204
    vote(poll, "b", "Sushi")
    vote(poll, "c", "Sushi")
    part = text(client.get(address))
    assert "All three methods agree: Sushi." in part
    assert "<html" not in part


def test_two_reads_give_the_same_page(made, shelf, client):
    poll = made()
    for voter, ranking in {"a": "Pizza", "b": "Sushi", "c": "Tacos"}.items():
        vote(poll, voter, ranking)
    pages = {re.sub(r"csrf\w+\W+\w+\W+\w+", "", text(client.get(f"/poll/{poll.id}/results/now/"))) for _ in range(3)}
    assert len(pages) == 1
    assert "A tie" in pages.pop()


def test_the_count_is_put_together_once_for_all_who_look(made, shelf, client, monkeypatch):
    poll, drawn = made(), []
    monkeypatch.setattr(
        counting, "pictures_of", lambda result, words: drawn.append(result) or pictures_of(result, words)
    )
    vote(poll, "a", "Pizza>Sushi")
    before = text(client.get(f"/poll/{poll.id}/results/"))
    assert "1 vote" in before
    assert len(drawn) == len(counting.METHODS["ranked"])
    assert "1 vote" in text(Client().get(f"/poll/{poll.id}/results/"))
    assert text(client.get(f"/poll/{poll.id}/results/now/")) in before
    assert len(drawn) == len(counting.METHODS["ranked"])
    vote(poll, "b", "Sushi>Pizza")
    assert "2 votes" in text(client.get(f"/poll/{poll.id}/results/"))
    assert "2 votes" in text(client.get(f"/poll/{poll.id}/results/now/"))
    assert len(drawn) == 2 * len(counting.METHODS["ranked"])


def test_hidden_results_are_shown_after_the_vote_and_at_the_end(made, shelf, client):
    poll = made(results_hidden=True)
    vote(poll, "a", "Pizza>Sushi")
    stranger = Client()
    for path in ("results/", "results/now/", "results/votes.csv", "results/result.json"):
        answer = stranger.get(f"/poll/{poll.id}/{path}")
        assert answer.status_code == 403, path
        assert "Pizza" not in text(answer)
    send(client, poll, "Pizza")
    assert client.get(f"/poll/{poll.id}/results/").status_code == 200
    services.close(by_ida(poll))
    for path in ("results/", "results/votes.csv"):
        assert stranger.get(f"/poll/{poll.id}/{path}").status_code == 200


def test_pictures_on_another_site_use_up_no_exports(made, shelf, client, monkeypatch):
    monkeypatch.setattr(result_views, "EXPORTS_ALLOWED", Limit("poll-exports", 1, 600))
    address, by_picture = (
        f"/poll/{made().id}/results/votes.csv",
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": "image"},
    )
    assert [client.get(address, headers=by_picture).status_code for _ in range(2)] == [404, 404]
    assert client.get(address).status_code == 200


def test_whoever_watches_is_led_to_the_end(made, shelf, client):
    poll = made()
    services.close(by_ida(poll))
    answer = client.get(f"/poll/{poll.id}/results/now/", headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == f"/poll/{poll.id}/results/"
    page = text(client.get(f"/poll/{poll.id}/results/"))
    assert "hx-get" not in page
    assert "Nobody has voted yet." in page


def test_a_large_poll_that_is_over_is_the_workers_to_count(made, shelf, client, monkeypatch):
    monkeypatch.setattr("parts.polls.counting.MAX_VOTES_COUNTED_IN_REQUEST", 0)
    ended = []
    monkeypatch.setattr("parts.polls.result_views.seconds_until_next", lambda end: ended.append(end) or 7)
    poll = made()
    vote(poll, "a", "Pizza")
    services.close(by_ida(poll))
    answer = client.get(f"/poll/{poll.id}/results/")
    assert answer.status_code == 202
    assert "being counted" in text(answer)
    assert 'http-equiv="refresh" content="7"' in text(answer)
    assert ended == [repository.find(poll.id).ended]
    seal_what_is_over()
    assert client.get(f"/poll/{poll.id}/results/").status_code == 200


def test_votes_that_do_not_fit_together_break_no_page(site, made, shelf, client):
    poll = made()
    vote(poll, "a", "Pizza")
    services.close(by_ida(poll))
    site.write(Delete(keys.vote(poll.id, voters.id_of(poll.id, "a"))))
    assert client.get(f"/poll/{poll.id}/results/").status_code == 202


def test_files_that_there_are_not_are_not_found(made, shelf, client):
    poll = made()
    assert client.get(f"/poll/{poll.id}/results/votes.exe").status_code == 404


# --- running it ---


def test_the_maker_closes_opens_moves_and_deletes(made, signed_in):
    poll, ida = made(), signed_in(people.find("Ida"))
    manage = f"/poll/{poll.id}/manage/"
    assert "Close it" in text(ida.get(f"{manage}close/"))
    ida.post(f"{manage}close/")
    assert not repository.find(poll.id).is_open(in_hours(0))
    ida.post(f"{manage}reopen/", {"ends": ""})
    assert repository.find(poll.id).is_open(in_hours(0))
    soon = in_hours(24)[:16]
    ida.post(f"{manage}extend/", {"ends": soon})
    assert repository.find(poll.id).expires_at == f"{soon}:00.000Z"
    assert ida.post(f"{manage}extend/", {"ends": in_hours(2)[:16]}).status_code == 422
    ida.post(f"{manage}list/", {"listed": "yes"})
    assert repository.find(poll.id).listed
    assert "for good" in text(ida.get(f"{manage}delete/"))
    assert ida.post(f"{manage}delete/")["Location"] == "/polls/"
    assert repository.find(poll.id) is None
    assert ida.get(manage).status_code == 404


HOOKS = ("", "close/", "reopen/", "extend/", "delete/")


def test_nobody_else_runs_it(made, signed_in, client):
    poll = made()
    eve = signed_in("Eve")
    for act in HOOKS:
        assert eve.get(f"/poll/{poll.id}/manage/{act}").status_code == 403
        assert client.get(f"/poll/{poll.id}/manage/{act}")["Location"].startswith("/sign-in/")
    for act in (*HOOKS[1:], "list/"):
        assert eve.post(f"/poll/{poll.id}/manage/{act}").status_code == 403
        assert client.post(f"/poll/{poll.id}/manage/{act}")["Location"].startswith("/sign-in/")
    assert repository.find(poll.id) == poll


def test_an_admin_moderates(made, signed_in):
    poll, root = made(listed=True), signed_in("Root", Role.ADMIN)
    page = text(root.get(f"/poll/{poll.id}/manage/"))
    assert "Close the poll" in page
    assert "Move the end" not in page
    root.post(f"/poll/{poll.id}/manage/list/", {"listed": "no"})
    assert not repository.find(poll.id).listed
    root.post(f"/poll/{poll.id}/manage/list/", {"listed": "yes"})
    assert not repository.find(poll.id).listed
    assert root.post(f"/poll/{poll.id}/manage/delete/").status_code == 302
    assert repository.find(poll.id) is None


def test_two_who_act_at_once_are_told(made):
    poll = made()
    runner = by_ida(poll)
    services.list_publicly(by_ida(poll), listed=True)
    for act in (partial(services.extend, end=in_hours(3)), services.close, services.delete):
        with pytest.raises(LostRace):
            act(runner)


def test_somebody_who_deletes_what_was_changed_meanwhile_is_told(made, signed_in, monkeypatch):
    poll, ida = made(), signed_in(people.find("Ida"))
    before = services.find_runner(poll.id, people.find("Ida"), "")
    services.list_publicly(before, listed=True)
    monkeypatch.setattr(services, "find_runner", lambda *_: before)
    assert ida.post(f"/poll/{poll.id}/manage/delete/")["Location"] == f"/poll/{poll.id}/manage/"
    assert repository.find(poll.id) is not None


def test_lists_are_sorted_by_urgency_and_name_the_zone_of_each(made, signed_in):
    closed = at_its_own_moment(lambda: made(title="Closed"))
    services.close(services.find_runner(closed.id, people.find("Ida"), ""))
    for title, hours in (("Soon", 1), ("Late", 50), ("Endless", None)):
        ends = in_hours(hours) if hours else None
        at_its_own_moment(lambda title=title, ends=ends: made(title=title, expires_at=ends, time_zone="Asia/Tokyo"))
    page = text(signed_in(people.find("Ida")).get("/polls/"))
    assert re.findall(r">(Soon|Late|Endless|Closed)</a>", page) == ["Soon", "Late", "Endless", "Closed"]
    assert len(re.findall(r"JST</time>", page)) == 2


def test_lists_are_leafed_through_by_cursor(made, client, monkeypatch):
    monkeypatch.setattr("foundation.pages.paging.PAGE_ROWS", 2)
    for number in range(3):
        at_its_own_moment(lambda number=number: made(title=f"Poll {number}", listed=True))
    first = text(client.get("/polls/"))
    assert "Poll 2" in first
    assert "Poll 0" not in first
    older = re.search(r'href="([^"]+)" rel="next"', first)[1].replace("&amp;", "&")
    assert "Poll 0" in text(client.get(older))
    client.raise_request_exception = False
    assert client.get("/polls/?after=made-up").status_code == 400


def test_in_a_poll_options_are_called_options(made, client, signed_in):
    poll = made()
    for voter, ranking in (("a", "Pizza>Sushi"), ("b", "Pizza>Tacos"), ("c", "Sushi>Pizza")):
        vote(poll, voter, ranking)
    ida = signed_in("Ida")
    pages = [ida.get("/polls/new/"), *(client.get(f"/poll/{poll.id}/{each}") for each in ("", "results/"))]
    pages += [ida.get(f"/poll/{poll.id}/manage/")]
    send(client, poll, "Tacos")
    pages += [client.get(f"/poll/{poll.id}/voted/")]
    for page in pages:
        assert page.status_code == 200
        found = re.findall(".{40}andidate.{40}", re.sub("<[^>]*>", " ", text(page)))
        assert found == []
    assert "Options are compared in pairs" in text(pages[2])
