"""The button below a post: without an account, without a script, twice, too late, too often."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from acts.site import table
from news import like_views, repository, services
from store import keys
from tests.clock import stands_at

from .conftest import LATER
from .test_likes import counted, marks

HTMX = {"HX-Request": "true"}
FIREFOX, SAFARI = {"User-Agent": "Firefox"}, {"User-Agent": "Safari"}


def browser(agent: dict[str, str] = FIREFOX, address: str = "198.51.100.7") -> Client:
    """Of a visitor without an account, who sends our cookies and tokens as a browser does."""
    return Client(enforce_csrf_checks=True, headers=agent, REMOTE_ADDR=address)


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
    fields = {name: re.search(f'name="{name}" value="([^"]*)"', form)[1] for name in ("csrfmiddlewaretoken", "on")}
    return client.post(reverse("like_post", args=[post.id]), fields, **more)


def test_a_stranger_without_cookies_or_scripts_likes_and_takes_it_back(post):
    one, visitor = post(), browser()
    page = page_of(visitor, one)
    assert (pressed(page), said(page)) == (False, "No likes yet.")
    assert "is kept for 30 days, so that you count once. It does not say who you are" in page
    answer = press(visitor, one, page)
    assert (answer.status_code, answer["Location"]) == (303, f"/news/post/{one.slug}/#likes")
    page = page_of(visitor, one)
    assert (pressed(page), said(page)) == (True, "You like this. Press the button again to take it back.")
    press(visitor, one, page)
    assert not pressed(page_of(visitor, one))
    assert (counted(one.id), marks(one.id)) == (0, 0)


def test_the_same_browser_is_the_same_visitor_and_another_is_another(post):
    one = post()
    for client in (browser(), browser(), browser(SAFARI), browser(address="198.51.100.8")):
        press(client, one) if not pressed(page_of(client, one)) else None
    assert counted(one.id) == 3
    page = page_of(browser(SAFARI, "203.0.113.9"), one)
    assert (pressed(page), said(page)) == (False, "3 people like this.")


def test_behind_a_proxy_visitors_are_told_apart_by_their_own_address(post, settings):
    from ipaddress import ip_network

    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1/32")]
    one = post()
    for address in ("198.51.100.7", "198.51.100.8", "198.51.100.7", "2001:db8::1", "2001:db8::2"):
        client = Client(headers={"X-Forwarded-For": address, **FIREFOX})
        client.post(reverse("like_post", args=[one.id]), {"on": "yes"})
    assert counted(one.id) == 3, "two addresses of one home are one"


def test_a_member_counts_wherever_they_are_and_is_told_what_is_kept(post, signed_in, person):
    one, ada = post(), person("Ada")
    first, second = signed_in(ada), signed_in(ada)
    page = page_of(first, one)
    assert "kept with your account until you take it back" in page
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
    one, set_like = post(), services.set_like

    def too_late(who, on):
        services.delete(admin, one)
        set_like(who, on)

    monkeypatch.setattr(services, "set_like", too_late)
    assert client.post(reverse("like_post", args=[one.id]), {"on": "yes"}).status_code == 404
    assert list(table().each(keys.all_of_post(one.id))) == []
    assert marks(one.id) == 0


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["a page", "a part"])
def test_too_many_from_one_address_are_refused_with_a_sentence(post, monkeypatch, headers):
    monkeypatch.setattr(like_views, "LIKES", like_views.Limit("likes-address", 2, 10**9))
    one, visitor = post(), browser()
    for _ in range(2):
        press(visitor, one)
    answer = press(visitor, one, headers=headers)
    assert "That was tried too often." in answer.content.decode()
    assert answer.status_code == (200 if headers else 429)
    assert not pressed(page_of(visitor, one))
    assert press(browser(address="198.51.100.8"), one).status_code == 303


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
