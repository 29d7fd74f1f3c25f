"""Polls on other sites: frames, pictures, previews of links, oEmbed."""

from __future__ import annotations

import io
import json
import re
from xml.etree import ElementTree

import pytest
from django.test import Client
from PIL import Image

from polls import live_count, services
from polls.sealing import seal

from .conftest import by_ida, vote
from .test_pages import at_leisure, ranks, send, text  # noqa: F401 - a fixture

SITE = "http://testserver"


@pytest.fixture(autouse=True)
def ours(settings):
    settings.SITE_URL = SITE


def hidden_fields(page: str) -> dict[str, str]:
    return dict(re.findall(r'type="hidden" name="(acts|token|shown)" value="([^"]*)"', page))


# --- the frame ---


def test_any_site_may_frame_the_small_page_and_no_other_page(made, shelf, client):
    poll = made()
    answer = client.get(f"/poll/{poll.id}/embed/")
    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "script-src 'none'" in answer["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer
    for path in ("", "voted/", "results/", "report/"):
        other = client.get(f"/poll/{poll.id}/{path}")
        assert "frame-ancestors 'none'" in other["Content-Security-Policy"]


def test_a_frame_without_our_cookie_leads_to_the_poll_and_sets_none(made, shelf, client):
    poll = made()
    answer = client.get(f"/poll/{poll.id}/embed/")
    page = text(answer)
    assert f'href="{SITE}/poll/{poll.id}/" target="_blank"' in page
    assert "<form" not in page
    assert not answer.cookies


def test_where_our_cookie_arrives_one_votes_in_the_frame_and_changes_it(made, shelf, client):
    poll = made()
    client.get(f"/poll/{poll.id}/")
    page = text(client.get(f"/poll/{poll.id}/embed/"))
    assert "<form" in page
    answer = client.post(f"/poll/{poll.id}/embed/", hidden_fields(page) | {"rank-1": "1"})
    assert answer["Location"] == f"/poll/{poll.id}/embed/"
    page = text(client.get(answer["Location"]))
    assert "Your vote is counted." in page
    assert "All three methods agree: Sushi." in page
    assert "<form" not in page
    again = text(client.get(f"/poll/{poll.id}/embed/?change"))
    client.post(f"/poll/{poll.id}/embed/", hidden_fields(again) | {"rank-0": "1"})
    assert "All three methods agree: Pizza." in text(client.get(f"/poll/{poll.id}/embed/"))


def test_a_vote_that_is_refused_in_the_frame_is_kept_there(made, shelf, client):
    poll = made()
    client.get(f"/poll/{poll.id}/")
    page = text(client.get(f"/poll/{poll.id}/embed/"))
    answer = client.post(f"/poll/{poll.id}/embed/", hidden_fields(page) | {"rank-0": "x", "rank-1": "2"})
    assert answer.status_code == 422
    assert "whole number" in text(answer)
    assert re.search(r'name="rank-1"[^>]*value="2"', text(answer))
    assert "frame-ancestors *" in answer["Content-Security-Policy"]


def test_a_poll_for_accounts_is_not_voted_in_from_a_frame(made, shelf, signed_in):
    poll, eve = made(sign_in=True), signed_in("Eve")
    eve.get(f"/poll/{made().id}/")
    assert "<form" not in text(eve.get(f"/poll/{poll.id}/embed/"))


def test_hidden_results_are_hidden_in_frames_too(made, shelf, client):
    poll = made(results_hidden=True)
    vote(poll, "a", "Sushi")
    assert "agree" not in text(client.get(f"/poll/{poll.id}/embed/"))
    send(client, poll, "Sushi")
    assert "agree: Sushi" in text(client.get(f"/poll/{poll.id}/embed/"))
    services.close(by_ida(poll))
    page = text(Client().get(f"/poll/{poll.id}/embed/"))
    assert "How it ended" in page
    assert "agree: Sushi" in page
    assert ">Vote</a>" not in page


# --- pictures ---


def drawn(client: Client, poll) -> str:
    answer = client.get(f"/poll/{poll.id}/results.svg")
    assert answer["Content-Type"].startswith("image/svg+xml")
    return "".join(ElementTree.fromstring(answer.content).itertext())


def test_the_picture_shows_how_it_stands(made, shelf, client):
    poll = made()
    assert "Nobody has voted yet." in drawn(client, poll)
    vote(poll, "a", "Sushi>Pizza")
    vote(poll, "b", "Sushi")
    said = drawn(client, poll)
    assert "All three methods agree" in said
    assert "2 votes" in said
    assert said.index("Sushi") < said.index("Tacos")
    answer = client.get(f"/poll/{poll.id}/results.svg")
    assert answer["Cache-Control"] == "public, max-age=5"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Cookie" not in answer.get("Vary", "")


def test_the_picture_of_hidden_results_waits_for_the_end_also_for_those_who_voted(made, shelf, client):
    poll = made(results_hidden=True)
    send(client, poll, "Sushi")
    answer = client.get(f"/poll/{poll.id}/results.svg")
    assert answer.status_code == 403
    assert "Sushi" not in text(answer)
    services.close(by_ida(poll))
    assert "Sushi" in drawn(Client(), poll)


def test_any_text_can_stand_in_the_picture(made, shelf, client):
    poll = made("<script>&\x0b", "פיצה", "x" * 200, title="<b>\u0000 & “”")
    vote(poll, "a", "פיצה")
    assert "פיצה" in drawn(client, poll)
    assert "<script>&" in drawn(client, poll)


def test_while_a_large_poll_is_counted_the_picture_says_so(made, shelf, client, monkeypatch):
    monkeypatch.setattr(live_count, "MAX_VOTES_COUNTED_IN_REQUEST", 0)
    poll = made()
    vote(poll, "a", "Sushi")
    services.close(by_ida(poll))
    answer = client.get(f"/poll/{poll.id}/results.svg")
    assert answer.status_code == 202
    assert "being counted" in text(answer)


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


@pytest.mark.few(2)
@pytest.mark.parametrize("names", [("Pizza", "Sushi"), ("פיצה", "寿司")])
@pytest.mark.parametrize("path", ["", "results/"])
def test_a_link_to_a_poll_that_is_over_shows_how_it_ended(made, shelf, client, names, path):
    poll = made(*names)
    vote(poll, "a", names[0])
    services.close(by_ida(poll))
    seal(poll.id)
    said = meta(client.get(f"/poll/{poll.id}/{path}").content.decode())
    assert said["description"] == f"All three methods agree: {names[0]}."
    answer = client.get(said["image"].removeprefix(SITE))
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    assert "immutable" in answer["Cache-Control"]


def test_there_is_no_picture_of_a_result_that_is_not_there(made, shelf, client):
    poll = made()
    vote(poll, "a", "Pizza")
    assert client.get(f"/poll/{poll.id}/card/en/1-made-up.png").status_code == 404
    services.close(by_ida(poll))
    seal(poll.id)
    image = meta(client.get(f"/poll/{poll.id}/").content.decode())["image"].removeprefix(SITE)
    assert client.get(image).status_code == 200
    for wrong in (image.replace("/en/", "/xx/"), image.replace("/2-", "/1-")):
        assert client.get(wrong).status_code == 404


# --- oEmbed ---


def ask(client: Client, **asked: str):
    return client.get("/oembed", asked)


def test_a_program_that_was_given_a_link_learns_how_to_show_the_poll(made, client):
    poll = made(title='Lunch "on" <Friday>')
    page = client.get(f"/poll/{poll.id}/").content.decode()
    found = re.search(r'type="application/json\+oembed" href="([^"]+)"', page)[1].replace("&amp;", "&")
    said = json.loads(client.get(found.removeprefix(SITE)).content)
    assert (said["version"], said["type"], said["title"]) == ("1.0", "rich", poll.title)
    assert (said["width"], said["height"]) == (600, 480)
    assert f'src="{SITE}/poll/{poll.id}/embed/"' in said["html"]
    assert "<Friday>" not in said["html"]


def test_it_fits_into_the_room_there_is(made, client):
    address = f"{SITE}/poll/{made().id}/"
    said = ask(client, url=address, maxwidth="320", maxheight="90000").json()
    assert (said["width"], said["height"]) == (320, 480)
    assert ask(client, url=address, maxwidth="-1").json()["width"] == 600


def test_links_to_its_other_pages_are_known_too(made, client):
    poll = made()
    for path in ("results/", "embed/", "voted/"):
        assert ask(client, url=f"{SITE}/poll/{poll.id}/{path}").json()["title"] == poll.title


def test_nobody_can_try_codes_here(made, client):
    assert ask(client, url=f"{SITE}/p/{made().code}/").status_code == 404


@pytest.mark.parametrize(
    "address",
    [
        "",
        "poll",
        "http://[",
        SITE,
        f"{SITE}/elections/",
        f"{SITE}/p/MADEUP/",
        f"{SITE}/poll/00000000-0000-4000-8000-000000000000/",
        "https://elsewhere.example{path}",
        "https://testserver{path}",
        SITE + "{path}manage/",
    ],
)
def test_of_what_is_not_ours_nothing_is_known(made, client, address):
    assert ask(client, url=address.replace("{path}", f"/poll/{made().id}/")).status_code == 404


def test_another_form_than_json_is_not_offered(made, client):
    assert ask(client, url=f"{SITE}/poll/{made().id}/", format="xml").status_code == 501


def test_makers_find_what_to_put_into_their_own_pages(made, signed_in):
    from accounts import repository as people

    poll = made()
    page = text(signed_in(people.find("Ida")).get(f"/poll/{poll.id}/manage/"))
    assert f"&lt;iframe src=&#34;{SITE}/poll/{poll.id}/embed/&#34;" in page
