"""Cookies over HTTPS have a prefix, by which browsers know how safely they were set; others are not believed."""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from accounts.rules import Role
from config.middleware import prefix_of, prefixed_cookies
from foundation.ranking import ranking_cookie
from foundation.ranking.drafts import GUEST_COOKIE
from parts.live import players
from parts.news import likes
from parts.polls import views as polls
from parts.polls import voters
from tests.people import PASSWORD


@pytest.fixture
def over_https(settings):
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = settings.LANGUAGE_COOKIE_SECURE = True


def is_accepted(name: str, cookie) -> bool:
    """By the rules of RFC 6265bis."""
    if name.startswith("__Host-"):
        return bool(cookie["secure"]) and cookie["path"] == "/" and not cookie["domain"]
    return name.startswith("__Secure-") and bool(cookie["secure"])


def test_every_cookie_of_a_sign_in_is_one_that_browsers_accept(site, person, over_https):
    person("Ada", Role.USER)
    client = Client()
    client.post("/language/", {"language": "de", "next": "/"}, secure=True)
    client.get("/sign-in/", secure=True)
    client.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD}, secure=True)
    assert {name for name in client.cookies if not is_accepted(name, client.cookies[name])} == set()
    assert {"__Host-plenum_session", "__Host-csrftoken", "__Host-django_language"} <= client.cookies.keys()
    assert client.get("/me/", secure=True).status_code == 200, "and they are understood when they come back"


def answered(response, **cookies):
    """What a view behind the middleware sees of these cookies, and what the browser gets."""
    seen = []

    def view(request):
        seen.append(request.COOKIES)
        return response

    request = RequestFactory().get("/")
    request.COOKIES = cookies
    return seen, prefixed_cookies(view)(request).cookies


def test_only_cookies_with_the_right_prefix_are_believed(over_https):
    sent = {
        "plenum_session": "planted over HTTP",
        "__Secure-csrftoken": "planted by another host of the domain",
        "__Host-django_language": "de",
        "__Host-ranking": "of no page",
        "__Secure-ranking": "ours",
    }
    (seen,), _ = answered(HttpResponse(), **sent)
    assert seen == {"django_language": "de", "ranking": "ours"}


def test_a_cookie_for_some_pages_keeps_its_path_and_all_else(over_https):
    response = HttpResponse()
    response.set_cookie("plenum_seat_x", "a b;c", path="/live/x/", max_age=60, httponly=True, samesite="Lax")
    response.delete_cookie("ranking", path="/ballot/", samesite="Lax")
    _, cookies = answered(response)
    seat = SimpleCookie(cookies["__Secure-plenum_seat_x"].OutputString())["__Secure-plenum_seat_x"]
    assert (seat.value, seat["path"], seat["max-age"]) == ("a b;c", "/live/x/", "60")
    assert (seat["httponly"], seat["samesite"], seat["secure"]) == (True, "Lax", True)
    gone = cookies["__Secure-ranking"]
    assert (gone["secure"], gone["max-age"], gone["path"]) == (True, 0, "/ballot/")


def test_cookies_for_all_pages_belong_to_the_host_and_others_to_their_path():
    for name in ("sessionid", "csrftoken", "messages", "plenum_known", GUEST_COOKIE):
        assert prefix_of(name) == "__Host-"
    some = (likes.COOKIE, voters.COOKIE, polls.KEY_COOKIE, ranking_cookie.COOKIE, players.cookie_name("x"))
    assert {prefix_of(name) for name in some} == {"__Secure-"}


def test_below_a_path_no_cookie_claims_the_host(settings):
    settings.FORCE_SCRIPT_NAME = "/votes"
    assert prefix_of("plenum_session") == "__Secure-"


def test_on_a_local_site_without_https_nothing_is_renamed(site):
    client = Client()
    client.get("/sign-in/")
    assert "csrftoken" in client.cookies


def test_a_browser_gets_the_token_of_its_forms_once_and_another_when_it_signs_in(site, person):
    person("Ada", Role.USER)
    client = Client()
    first, again = client.get("/sign-in/"), client.get("/sign-in/")
    assert "csrftoken" in first.cookies
    assert "csrftoken" not in again.cookies
    assert "Cookie" in again["Vary"], "though its form has a token that is made of the cookie"
    signed_in = client.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})
    assert signed_in.cookies["csrftoken"].value != first.cookies["csrftoken"].value


@pytest.mark.parametrize("planted", ["", "too short", "x" * 64])
def test_a_token_that_is_none_is_replaced(site, planted):
    client = Client()
    client.cookies["csrftoken"] = planted
    assert client.get("/sign-in/").cookies["csrftoken"].value != planted
