"""The button below a post: without an account, without a script, twice, too late, too often."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from foundation.acts.rate_limits import Limit
from foundation.acts.storage import table
from foundation.store import keys
from parts.news import likes, repository, services, views
from tests.clock import stands_at

from .conftest import LATER
from .test_likes import counted, marks

HTMX = {"HX-Request": "true"}


def browser(address: str = "198.51.100.7") -> Client:
    """Of a visitor without an account, who sends our cookies and tokens as a browser does; all of them are alike."""
    return Client(enforce_csrf_checks=True, headers={"User-Agent": "Firefox"}, REMOTE_ADDR=address)


def page_of(client: Client, post) -> str:
    return client.get(reverse("post", args=[post.slug])).content.decode()


def pressed(page: str) -> bool:
    return re.search(r'id="like" aria-pressed="(\w+)"', page)[1] == "true"


def said(page: str) -> str:
    found = re.search(r'id="likes-said" role="status">(.*?)</div>', page, re.DOTALL)[1]
    return " ".join(re.sub("<[^>]+>", " ", found).split())


def press(client: Client, post, page: str | None = None, **more):
    """Send the form as the page has it."""
    form = page_of(client, post) if page is None else page
    form = form[form.index('id="like-form"') :]
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[: form.index("</form>")]))
    return client.post(reverse("like_post", args=[post.id]), fields, **more)


def test_a_stranger_without_scripts_likes_and_takes_it_back(post):
    one, visitor = post(), browser()
    page = page_of(visitor, one)
    assert (pressed(page), said(page)) == (False, "No likes yet.")
    assert "a random number so that you count only once" in page
    assert likes.COOKIE not in visitor.cookies, "who only reads is not told apart from others"
    answer = press(visitor, one, page)
    cookie = answer.cookies[likes.COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 30 * 24 * 3600)
    assert cookie.value not in str(list(table().everything())), "the store has only a code made of it"
    assert (answer.status_code, answer["Location"]) == (303, f"/news/post/{one.slug}/#likes")
    page = page_of(visitor, one)
    assert (pressed(page), said(page)) == (True, "You like this. Press the button again to take it back.")
    press(visitor, one, page)
    assert not pressed(page_of(visitor, one))
    assert (counted(one.id), marks(one.id)) == (0, 0)


def test_of_two_equal_phones_behind_one_address_neither_undoes_what_the_other_likes(post):
    one, ada, bo = post(), browser(), browser()
    press(ada, one)
    page = page_of(bo, one)
    assert (pressed(page), said(page)) == (False, "1 person likes this.")
    bo.post(reverse("like_post", args=[one.id]), {"on": "no", "csrfmiddlewaretoken": bo.cookies["csrftoken"].value})
    assert (counted(one.id), pressed(page_of(ada, one))) == (1, True)
    press(bo, one, page)
    assert (counted(one.id), pressed(page_of(ada, one)), pressed(page_of(bo, one))) == (2, True, True)


def test_wherever_a_browser_is_it_is_the_same_visitor(post):
    one, visitor = post(), browser()
    press(visitor, one)
    visitor.defaults["REMOTE_ADDR"] = "203.0.113.9"
    assert pressed(page_of(visitor, one))


def test_a_double_click_before_the_cookie_is_there_counts_once(post):
    one, visitor = post(), browser()
    page = page_of(visitor, one)
    for _click in range(2):
        visitor.cookies.pop(likes.COOKIE, None)
        press(visitor, one, page)
    assert counted(one.id) == 1


def test_whoever_throws_the_cookie_away_each_time_is_soon_refused(post, monkeypatch):
    assert max(limit.most for limit in views.NEW_BROWSERS) < views.LIKES.most
    monkeypatch.setattr(views, "NEW_BROWSERS", (Limit("likes-new-browsers", 3, 10**9),))
    one, known = post(), browser()
    press(known, one)
    assert [press(browser(), one).status_code for _each in range(4)] == [303, 303, 429, 429]
    assert counted(one.id) == 3
    assert press(known, one).status_code == 303, "who has the cookie is not counted as new"
    assert press(browser("2001:db8::1"), one).status_code == 303, "others are not kept from it"


def test_a_member_counts_wherever_they_are_and_is_told_what_is_kept(post, signed_in, person):
    one, ada = post(), person("Ada")
    first, second = signed_in(ada), signed_in(ada)
    page = page_of(first, one)
    assert "stored with your account until you take it back" in page
    press(first, one, page)
    press(second, one, page)
    assert counted(one.id) == 1, "the page of another device was old, and says what it said"
    assert pressed(page_of(second, one))
    assert not pressed(page_of(browser(), one))


def test_two_tabs_and_a_double_click_do_not_undo_each_other(post):
    one, visitor = post(), browser()
    tab, other = page_of(visitor, one), page_of(visitor, one)
    for page in (tab, tab, other):
        press(visitor, one, page)
    assert counted(one.id) == 1
    tab, other = page_of(visitor, one), page_of(visitor, one)
    for page in (tab, other, tab):
        press(visitor, one, page)
    assert counted(one.id) == 0


def test_a_script_gets_the_part_alone(post):
    one, visitor = post(), browser()
    answer = press(visitor, one, headers=HTMX)
    part = answer.content.decode()
    assert (answer.status_code, "<html" in part, pressed(part)) == (200, False, True)
    assert said(part) == "You like this. Press the button again to take it back."
    again = press(visitor, one, part, headers=HTMX)
    assert (pressed(again.content.decode()), counted(one.id)) == (False, 0)


def test_only_a_form_of_ours_likes(client, post):
    one = post()
    address = reverse("like_post", args=[one.id])
    for method in ("get", "head", "put", "delete"):
        assert getattr(client, method)(address, {"on": "yes"}).status_code == 405, "nothing that fetches ahead likes"
    assert browser().post(address, {"on": "yes"}).status_code == 403, "without our token"
    for said_ in ({}, {"on": ""}, {"on": "1"}, {"on": "toggle"}):
        assert client.post(address, said_).status_code == 400
    assert counted(one.id) == 0


def test_what_cannot_be_seen_cannot_be_liked(client, admin, post, draft, monkeypatch):
    seen, ahead = post("Seen"), post("Ahead", LATER)
    form, one = page_of(browser(), seen), draft("Draft")
    for each in (one.id, ahead.id, "no-such-post"):
        assert client.post(reverse("like_post", args=[each]), {"on": "yes"}).status_code == 404
    assert counted(one.id) == counted(ahead.id) == 0
    services.withdraw(admin, seen)
    assert client.post(reverse("like_post", args=[seen.id]), {"on": "yes"}).status_code == 404
    services.delete(admin, repository.find(seen.id))
    assert client.post(reverse("like_post", args=[seen.id]), {"on": "yes"}).status_code == 404
    stands_at(monkeypatch, LATER)
    assert client.post(reverse("like_post", args=[ahead.id]), {"on": "yes"}).status_code == 303
    assert "like-form" in form


def test_a_post_that_goes_at_the_same_moment_is_not_there(client, admin, post, monkeypatch):
    one, set_like = post(), likes.set_like

    def too_late(who, on):
        services.delete(admin, one)
        set_like(who, on)

    monkeypatch.setattr(likes, "set_like", too_late)
    assert client.post(reverse("like_post", args=[one.id]), {"on": "yes"}).status_code == 404
    assert list(table().each(keys.all_of_post(one.id))) == []
    assert marks(one.id) == 0


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["a page", "a part"])
def test_too_many_from_one_address_are_refused_with_a_sentence(post, monkeypatch, headers):
    monkeypatch.setattr(views, "LIKES", Limit("likes-address", 2, 10**9))
    one, visitor = post(), browser()
    for _ in range(2):
        press(visitor, one)
    answer = press(visitor, one, headers=headers)
    assert "That was tried too often." in answer.content.decode()
    assert answer.status_code == (200 if headers else 429)
    assert not pressed(page_of(visitor, one))
    assert press(browser("198.51.100.8"), one).status_code == 303


def test_the_page_is_for_one_browser_and_reads_no_mark_where_there_is_none(post):
    one, visitor = post(), browser()
    first = visitor.get(reverse("post", args=[one.slug]))
    press(visitor, one, first.content.decode())
    second = visitor.get(reverse("post", args=[one.slug]))
    assert [re.search(r'"(\d+) trips"', answer["Server-Timing"])[1] for answer in (first, second)] == ["2", "3"]
    for answer in (first, second):
        assert "Cookie" in answer["Vary"]
        assert "private" in answer["Cache-Control"]


def test_lists_say_nothing_of_likes(client, post):
    one = post()
    client.post(reverse("like_post", args=[one.id]), {"on": "yes"})
    assert "like" not in re.sub("(?s)<head>.*?</head>", "", client.get("/news/").content.decode()).lower()
