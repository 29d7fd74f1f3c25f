"""What other sites and search engines get to see: tags, the map of the site, and pages kept."""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.test import Client

from foundation.photos.changing import PictureChange
from foundation.photos.photos import Encoded, Photo
from parts.news import repository, services
from tests.clock import at_its_own_moment, stands_at

from .conftest import LATER

META = re.compile(r'<meta (?:property|name)="([^"]+)" content="([^"]*)">')
LINK = re.compile(r'<link rel="(canonical|alternate)"(?: type="([^"]+)")? href="([^"]+)"')


def said_of(client: Client, address: str) -> dict[str, str]:
    page = client.get(address).content.decode()
    return {name: unescape(said) for name, said in META.findall(page)}


def links_of(client: Client, address: str) -> dict[str, str]:
    found = LINK.findall(client.get(address).content.decode())
    return {kind or rel: href.removeprefix(settings.SITE_URL) for rel, kind, href in found}


def path(said: dict[str, str]) -> str:
    return said["og:image"].removeprefix(settings.SITE_URL)


def places(client: Client, address: str) -> list[str]:
    root = ElementTree.fromstring(client.get(address).content)
    return [place.text.removeprefix(settings.SITE_URL) for place in root.iterfind(".//{*}loc")]


# --- a link to a post ---


def test_a_link_shows_what_the_post_says(post, client):
    one = post('A "new" house & a tree', tags=("Board", "house"), summary="Come <and> see.")
    said = said_of(client, f"/news/post/{one.slug}/")
    assert (said["og:type"], said["og:title"]) == ("article", 'A "new" house & a tree')
    assert said["og:description"] == said["description"] == "Come <and> see."
    assert said["og:url"] == f"{settings.SITE_URL}/news/post/{one.slug}/"
    assert (said["article:published_time"], said["twitter:card"]) == (one.published_at, "summary")
    assert path(said).startswith("/static/img/apple-touch-icon")
    assert links_of(client, f"/news/post/{one.slug}/") == {
        "canonical": f"/news/post/{one.slug}/",
        "application/atom+xml": "/news/feed.atom",
        "application/feed+json": "/news/feed.json",
    }


def test_lists_name_their_feeds_and_the_address_to_remember(post, client):
    post(tags=("Board",))
    assert links_of(client, "/news/") == {
        "canonical": "/news/",
        "application/atom+xml": "/news/feed.atom",
        "application/feed+json": "/news/feed.json",
    }
    assert links_of(client, "/news/tag/BOARD/") == {
        "canonical": "/news/tag/Board/",
        "application/atom+xml": "/news/tag/Board/feed.atom",
        "application/feed+json": "/news/tag/Board/feed.json",
    }
    assert links_of(client, "/news/by/boss/")["application/atom+xml"] == "/news/by/Boss/feed.atom"


def test_a_post_with_a_picture_shows_that(admin, post, client):
    one = post()
    photo = Photo("0123456789abcdef" * 2, "A <house>", 1280, 720, (320, 640, 1280), "webp", ("1", "2", "3"))
    services.picture(admin, one.id, PictureChange(Encoded(photo, (b"1", b"2", b"3"))))
    said = said_of(client, f"/news/post/{one.slug}/")
    assert path(said) == photo.src(1280)
    assert (said["twitter:card"], said["og:image:alt"]) == ("summary_large_image", "A <house>")
    assert (said["og:image:width"], said["og:image:height"]) == ("1280", "720")
    (item,) = client.get("/news/feed.json").json()["items"]
    assert item["image"] == said["og:image"]
    assert item["content_html"].startswith(f'<p><img src="{said["og:image"]}" alt="A &lt;house&gt;"')


# --- the map of the site ---


def test_the_map_has_every_post_that_can_be_seen_year_by_year(post, draft, client):
    draft("Draft")
    post("Ahead", LATER)
    for year in (2019, 2021):
        for number in range(3):
            post(f"Post {number} of {year}", f"{year}-0{number + 1}-01T00:00:00.000Z")
    post("Now & then")
    (this,) = {repository.published(limit=1)[0][0].published_at[:4]}
    parts = ["/sitemap/pages.xml", f"/sitemap/{this}.xml", "/sitemap/2021.xml", "/sitemap/2019.xml"]
    assert places(client, "/sitemap.xml") == parts
    assert places(client, f"/sitemap/{this}.xml") == ["/news/post/now-then/"]
    assert places(client, "/sitemap/2021.xml") == [f"/news/post/post-{number}-of-2021/" for number in range(3)]
    assert "1 trips" in client.get("/sitemap/2021.xml")["Server-Timing"]
    assert "4 trips" in client.get("/sitemap.xml")["Server-Timing"], "one for each year, and one more"
    assert {"/", "/news/"} <= set(places(client, "/sitemap/pages.xml"))
    for year in ("2020", "2100", "0", "99999999999999999999"):
        assert client.get(f"/sitemap/{year}.xml").status_code == 404


def test_a_year_begins_and_ends_at_midnight(post, client):
    post("Last", "2021-12-31T23:59:59.999Z")
    post("First", "2022-01-01T00:00:00.000Z")
    assert places(client, "/sitemap/2021.xml") == ["/news/post/last/"]
    assert places(client, "/sitemap/2022.xml") == ["/news/post/first/"]


def test_the_map_says_when_it_is_another(admin, post, client, monkeypatch):
    post("Seen", "2021-01-01T00:00:00.000Z")
    post("Ahead", LATER)
    for address in ("/sitemap.xml", "/sitemap/pages.xml", "/sitemap/2021.xml"):
        answer = client.get(address)
        assert answer["Cache-Control"] == "public, max-age=300"
        assert client.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    before = client.get("/sitemap.xml")["ETag"]
    stands_at(monkeypatch, LATER)
    assert client.get("/sitemap.xml", headers={"If-None-Match": before}).status_code == 200


def test_search_engines_are_told_of_the_map(site, client):
    assert f"Sitemap: {settings.SITE_URL}/sitemap.xml\n" in client.get("/robots.txt").content.decode()
    assert client.get(places(client, "/sitemap.xml")[0]).status_code == 200


# --- pages that a stranger has already ---


@pytest.fixture
def looking(post, client) -> Client:
    """A stranger's browser that has been here before."""
    post(tags=("Board",))
    client.get("/news/")
    return client


@pytest.mark.parametrize("address", ["/news/", "/news/post/we-have-moved/", "/news/tag/board/", "/news/by/boss/"])
def test_a_stranger_who_has_the_page_is_told_so(looking, address):
    answer = looking.get(address)
    assert answer["Cache-Control"] == "private, no-cache"
    assert looking.get(address)["ETag"] == answer["ETag"], "the token of a form is written differently each time"
    again = looking.get(address, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert looking.head(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    in_german = looking.get(address, headers={"If-None-Match": answer["ETag"], "Accept-Language": "de"})
    assert in_german.status_code == 200


def test_another_browser_gets_a_page_with_its_own_token(looking):
    answer = looking.get("/news/")
    assert Client().get("/news/", headers={"If-None-Match": answer["ETag"]}).status_code == 200


def test_a_changed_page_is_sent(admin, looking):
    answer = looking.get("/news/")
    at_its_own_moment(lambda: services.withdraw(admin, repository.published(limit=1)[0][0]))
    again = looking.get("/news/", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, b"We have moved" in again.content) == (200, False)


def test_a_feed_knows_nobody(post, signed_in):
    post()
    one, other = signed_in("Eve").get("/news/feed.atom"), Client().get("/news/feed.atom")
    assert (one.content, one["ETag"]) == (other.content, other["ETag"])
    assert (dict(one.cookies), "Cookie" in one["Vary"]) == ({}, False)


def test_nobody_keeps_the_pages_of_somebody(post, signed_in):
    post()
    client = signed_in("Eve")
    for address in ("/news/", "/news/post/we-have-moved/"):
        answer = client.get(address)
        assert (answer["Cache-Control"], "ETag" in answer) == ("private, no-store", False)
