"""Polls on other sites: frames, previews of links."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from parts.polls import services
from parts.polls.counting import seal

from .conftest import by_ida, vote
from .test_pages import at_leisure, ranks, send, text  # noqa: F401 - a fixture

SITE = "http://testserver"


@pytest.fixture(autouse=True)
def ours(settings):
    settings.SITE_URL = SITE


# --- the frame ---


def test_any_site_may_frame_the_small_page_and_no_other_page(made, shelf, client):
    poll = made()
    answer = client.get(f"/poll/{poll.id}/embed/")
    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "script-src 'none'" in answer["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer
    for path in ("", "voted/", "results/"):
        other = client.get(f"/poll/{poll.id}/{path}")
        assert "frame-ancestors 'none'" in other["Content-Security-Policy"]


def test_a_frame_leads_to_the_poll_sets_no_cookie_and_has_no_form(made, shelf, client):
    poll = made()
    client.get(f"/poll/{made().id}/")
    answer = client.get(f"/poll/{poll.id}/embed/")
    page = text(answer)
    assert f'href="{SITE}/poll/{poll.id}/" target="_blank"' in page
    assert "<form" not in page
    assert not answer.cookies
    assert client.post(f"/poll/{poll.id}/embed/", {"rank-0": "1"}).status_code == 405


def test_hidden_results_are_hidden_in_frames_too(made, shelf, client):
    poll = made(results_hidden=True)
    vote(poll, "a", "Sushi")
    assert "agree" not in text(client.get(f"/poll/{poll.id}/embed/"))
    services.close(by_ida(poll))
    page = text(Client().get(f"/poll/{poll.id}/embed/"))
    assert "How it ended" in page
    assert "agree: Sushi" in page
    assert ">Vote</a>" not in page


# --- previews of links ---


def meta(page: str) -> dict[str, str]:
    return dict(re.findall(r'<meta property="og:([^"]+)" content="([^"]*)">', page))


def test_a_link_to_an_open_poll_says_what_is_asked(static_files, made, client):
    poll = made(description="We are *twenty*.")
    said = meta(client.get(f"/poll/{poll.id}/").content.decode())
    assert said["title"] == "Lunch on Friday"
    assert said["description"] == "We are twenty."
    assert said["url"] == f"{SITE}/poll/{poll.id}/"
    assert client.get(said["image"].removeprefix(SITE)).status_code == 200
    assert "Options: Pizza, Sushi" in meta(client.get(f"/poll/{made().id}/").content.decode())["description"]


@pytest.mark.parametrize("path", ["", "results/"])
def test_a_link_to_a_poll_that_is_over_shows_how_it_ended(made, shelf, client, path):
    poll = made()
    vote(poll, "a", "Pizza")
    services.close(by_ida(poll))
    seal(poll.id)
    said = meta(client.get(f"/poll/{poll.id}/{path}").content.decode())
    assert said["description"] == "All three methods agree: Pizza."
    assert said["image"].startswith(f"{SITE}/static/img/apple-touch-icon")


def test_makers_find_what_to_put_into_their_own_pages(made, signed_in):
    from accounts import repository as people

    poll = made()
    page = text(signed_in(people.find("Ida")).get(f"/poll/{poll.id}/manage/"))
    assert f"&lt;iframe src=&#34;{SITE}/poll/{poll.id}/embed/&#34;" in page
