"""Screens of a session in a frame: on the sites that its hosts allow, and nowhere else."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from live import repository
from live.services import correcting
from pages.sharing import checked_hosts
from questions.question import Type

SCREENS = ("screen", "scoreboard")


def shown(game, page: str):
    return Client().get(reverse(page, args=[game.id, game.screen_token]))


@pytest.mark.parametrize("page", SCREENS)
def test_no_site_may_show_it_unless_a_host_allows_it(made, page):
    answer = shown(made(), page)
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
    assert answer["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("page", SCREENS)
@pytest.mark.parametrize("type_", [Type.TRIVIA, Type.ASSEMBLY])
def test_on_an_allowed_site_it_has_no_forms_and_no_cookies(made, hana, page, type_):
    game = made(type_)
    address = reverse("game_frames", args=[game.id])
    assert hana.post(address, {"hosts": "https://www.example.org/\r\nintranet.example.org:8443"}).status_code == 302
    assert repository.load(game.id)[0].frame_hosts == "www.example.org intranet.example.org:8443"
    answer = shown(game, page)
    policy = answer["Content-Security-Policy"]
    assert "frame-ancestors https://www.example.org https://intranet.example.org:8443;" in policy
    assert "script-src 'self'" in policy
    assert "X-Frame-Options" not in answer
    assert not answer.cookies
    assert b"<form" not in answer.content
    assert f"/screen/{game.screen_token}/" in hana.get(address).content.decode()
    hana.post(address, {"hosts": ""})
    assert "frame-ancestors 'none'" in shown(game, page)["Content-Security-Policy"]


def test_other_pages_of_the_session_stay_unframed(made, hana):
    game = made()
    correcting.allow_frames(game.id, "Hana", "www.example.org")
    for page in ("host_game", "remote", "game_players", "game_frames"):
        answer = hana.get(reverse(page, args=[game.id]))
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
        assert answer["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    "typed",
    [
        "*",
        "'self'",
        "example",
        "*.example.org",
        "www.example.org/path",
        "a.example; script-src *",
        "http://www.example.org",
        "www.example.org:0",
        "www.example.org:x",
        "-a.example.org",
        "a..example.org",
        "x" * 70 + ".example.org",
    ],
)
def test_what_is_not_a_host_name(made, hana, typed):
    game = made()
    answer = hana.post(reverse("game_frames", args=[game.id]), {"hosts": typed})
    assert answer.status_code == 422
    assert repository.load(game.id)[0].frame_hosts == ""


def test_host_names_are_written_as_in_the_dns():
    assert checked_hosts("WWW.Example.ORG www.example.org Wähler.example") == "www.example.org xn--whler-gra.example"
    assert checked_hosts("") == ""


def test_only_hosts_choose(made, signed_in):
    game = made()
    address = reverse("game_frames", args=[game.id])
    for method in ("get", "post"):
        assert getattr(signed_in("Eve"), method)(address).status_code in (403, 404)
        assert getattr(Client(), method)(address).status_code == 302
