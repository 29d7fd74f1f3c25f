"""Feeds: what a reader's own program makes of them, and who is told that there is nothing new."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from xml.etree import ElementTree

import feedparser
import pytest
from django.conf import settings as chosen
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as some

from parts.news import feeds, repository, services
from parts.news.feeds import Entry, Feed, Picture, as_atom, as_json
from parts.news.rules import Post
from tests.clock import at_its_own_moment, stands_at
from tests.rows import every_row

from .conftest import LATER, written

POST = Post("1", "Title", "title", "Ada", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")
DATED = replace(POST, published_at="2026-05-03T09:00:00.000Z", excerpt="Words.", tags=("Board",))
PICTURE = Picture("https://plenum.test/picture/1/1280.jpg", "image/jpeg", 'A "house" & a tree', 1280, 720)
HARD = [
    "a & b < c > d",
    "]]>",
    "<script>",
    "👩‍👩‍👧 ✓",
    "صوتوا الآن",
    "\u202eevil",
    "a\x00b\x0bc\x1b\ufffe\ud800",
    "&amp;lt;",
    "投票",
]
SITE = chosen.SITE_URL
ATOM, JSON = "/news/feed.atom", "/news/feed.json"


def feed_of(*entries: Entry) -> Feed:
    return Feed("News · Plenum", "Plenum", "https://plenum.test/news/", "https://plenum.test/news/feed.atom", entries)


def entry_of(post: Post, html: str = "<p>Words.</p>", picture: Picture | None = None) -> Entry:
    return Entry(post, f"https://plenum.test/news/post/{post.slug}/", html, picture)


def read(atom: bytes) -> feedparser.FeedParserDict:
    parsed = feedparser.parse(atom, sanitize_html=False)
    assert not parsed.bozo, parsed.get("bozo_exception")
    return parsed


def titles(client: Client, address: str = JSON) -> list[str]:
    return [item["title"] for item in client.get(address).json()["items"]]


# --- what comes out ---


def test_a_readers_program_reads_all_of_an_entry():
    revised = replace(DATED, revised_at="2026-06-01T10:00:00.000Z", changed_at="2026-07-01T00:00:00.000Z")
    parsed = read(
        as_atom(feed_of(entry_of(revised, '<p>See <a href="https://a.test/?b=1&amp;c">it</a>.</p>', PICTURE)))
    )
    assert (parsed.version, parsed.feed.title, parsed.feed.author) == ("atom10", "News · Plenum", "Plenum")
    assert {link.rel: link.href for link in parsed.feed.links} == {
        "self": "https://plenum.test/news/feed.atom",
        "alternate": "https://plenum.test/news/",
    }
    (entry,) = parsed.entries
    assert (entry.title, entry.author, entry.summary) == ("Title", "Ada", "Words.")
    assert [tag.term for tag in entry.tags] == ["Board"]
    assert entry.link == "https://plenum.test/news/post/title/"
    assert entry.published_parsed[:4] == (2026, 5, 3, 9)
    assert entry.updated_parsed[:4] == parsed.feed.updated_parsed[:4] == (2026, 6, 1, 10), "an edit alone is not new"
    assert 'href="https://a.test/?b=1&amp;c"' in entry.content[0].value
    assert 'alt="A &quot;house&quot; &amp; a tree"' in entry.content[0].value
    assert [each.href for each in entry.enclosures] == [PICTURE.address]


def test_what_json_feed_requires_is_there():
    said = json.loads(as_json(feed_of(entry_of(DATED, picture=PICTURE))))
    assert said["version"] == "https://jsonfeed.org/version/1.1"
    assert said["title"]
    assert (said["home_page_url"], said["feed_url"]) == (feed_of().page, feed_of().address)
    (item,) = said["items"]
    assert isinstance(item["id"], str)
    assert item["content_html"].endswith("<p>Words.</p>")
    assert (item["url"], item["title"], item["summary"]) == (entry_of(DATED).address, "Title", "Words.")
    assert (item["date_published"], item["date_modified"]) == (DATED.published_at, DATED.updated_at)
    assert (item["authors"], item["tags"], item["image"]) == ([{"name": "Ada"}], ["Board"], PICTURE.address)


def test_an_entry_is_the_same_whatever_changes():
    moved = Entry(replace(DATED, title="New", slug="new"), "https://elsewhere.test/new/", "")
    assert moved.id == entry_of(DATED).id != entry_of(replace(DATED, id="2")).id
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", moved.id)


def test_a_feed_without_posts_is_a_feed():
    parsed = read(as_atom(feed_of()))
    assert parsed.feed.updated_parsed[0] == 1970, "not now: it would be another feed at every look"
    assert json.loads(as_json(feed_of()))["items"] == []


def test_a_post_whose_author_has_left_is_the_sites():
    left = entry_of(replace(DATED, author=""))
    root = ElementTree.fromstring(as_atom(feed_of(left)))
    assert len(root.findall("{*}author")) == 1
    assert root.findall("{*}entry/{*}author") == []
    assert "authors" not in json.loads(as_json(feed_of(left)))["items"][0]


@every_row("words", HARD)
def test_whatever_people_type_arrives(words):
    arrives = feeds.valid_xml(words)
    entry = entry_of(replace(DATED, title=words, author=words, summary=words, tags=(words,)), f"<p>{arrives}</p>")
    root = ElementTree.fromstring(as_atom(replace(feed_of(entry), title=words)))
    assert root.findtext("{*}entry/{*}title") == root.findtext("{*}title") == arrives
    assert root.find("{*}entry/{*}category").get("term") == arrives
    assert root.findtext("{*}entry/{*}content") == f"<p>{arrives}</p>"
    (item,) = json.loads(as_json(feed_of(entry)))["items"]
    assert (item["title"], item["summary"]) == (arrives, arrives)


@settings(max_examples=25)
@given(some.text(), some.text(some.characters(max_codepoint=0x110), max_size=20))
def test_every_text_at_all_is_xml(title, tag):
    entry = entry_of(replace(DATED, title=title, summary=tag, tags=(tag,)), title)
    ElementTree.fromstring(as_atom(feed_of(entry)))
    json.loads(as_json(feed_of(entry)))


# --- as the site answers ---


def test_the_newest_twenty_and_nothing_that_is_not_there_yet(post, draft, client):
    draft("Draft")
    post("Ahead", LATER)
    for number in range(22):
        post(f"Post {number}", f"2020-01-{number + 1:02}T00:00:00.000Z", text=f"Text *{number}*.")
    parsed = read(client.get(ATOM).content)
    assert [entry.title for entry in parsed.entries] == [f"Post {number}" for number in range(21, 1, -1)]
    assert parsed.entries[0].content[0].value == '<p dir="auto">Text <em>21</em>.</p>'
    assert titles(client) == [entry.title for entry in parsed.entries]
    assert parsed.entries[0].link == f"{SITE}/news/post/post-21/"
    assert "2 trips" in client.get(ATOM)["Server-Timing"]


def test_a_tag_and_an_author_have_feeds_of_their_own(post, client):
    post("On the board", tags=("Open Source",))
    post("Something else")
    post("Ahead", LATER, tags=("secret",))
    assert titles(client, "/news/tag/open%20source/feed.json") == ["On the board"]
    feed = read(client.get("/news/tag/OPEN%20SOURCE/feed.atom").content).feed
    assert feed.title == "Open Source · News · Plenum", "as it is spelt, not as it was asked for"
    assert feed.link == f"{SITE}/news/tag/Open%20Source/"
    assert titles(client, "/news/by/boss/feed.json") == ["Something else", "On the board"]
    assert read(client.get("/news/by/Boss/feed.atom").content).feed.title == "Boss · News · Plenum"
    for nothing in ("tag/secret", "tag/never", "by/nobody"):
        assert [client.get(f"/news/{nothing}/feed.{kind}").status_code for kind in ("atom", "json")] == [404, 404]


@pytest.mark.parametrize("address", [ATOM, JSON])
def test_who_has_it_is_told_so_and_no_text_is_read(post, client, address):
    post(text="Who sits there, and for how long. " * 50)  # more than a packet, so it is compressed
    answer = client.get(address)
    assert answer["Cache-Control"] == "public, max-age=300"
    assert not answer.cookies
    again = client.get(address, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", answer["ETag"])
    assert "1 trips" in again["Server-Timing"]
    head = client.head(address)
    assert (head.status_code, head.content, head["ETag"]) == (200, b"", answer["ETag"])
    packed = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert client.get(address, headers={"If-None-Match": packed["ETag"]}).status_code == 304


def test_every_change_is_another_edition(admin, post, client, monkeypatch):
    one, ahead = post("One"), post("Ahead", "2094-05-03T07:00:00.000Z")
    editions = [client.get(ATOM)["ETag"]]

    def then(act=None):
        if act:
            at_its_own_moment(act)
        editions.append(client.get(ATOM)["ETag"])

    then(lambda: services.edit(admin, repository.find(one.id), written("Quietly")))
    then(lambda: services.edit(admin, repository.find(one.id), written("Loudly"), revised=True))
    two = post("Two")
    then()
    then(lambda: services.withdraw(admin, repository.find(two.id)))
    then(lambda: services.delete(admin, repository.find(one.id)))
    stands_at(monkeypatch, ahead.published_at)
    then()
    assert all(before != after for before, after in pairwise(editions))
    assert editions[4] == editions[2], "what was taken back leaves the feed as it was"
    assert titles(client) == ["Ahead"]
    services.write(admin, written("Unseen"))
    assert client.get(ATOM)["ETag"] == editions[-1]


def test_who_asks_by_date_is_told_only_of_the_very_date(admin, post, client, monkeypatch):
    one, _two = post("One", "2020-01-01T00:00:00.000Z"), post("Two", "2020-01-02T00:00:00.000Z")
    now = datetime.fromisoformat(repository.published(limit=1)[0][0].changed_at)
    assert "Last-Modified" not in client.get(ATOM), "it may change again in the same second"
    stands_at(monkeypatch, (now + timedelta(seconds=2)).isoformat())
    answer = client.get(ATOM)
    by_date = {"If-Modified-Since": answer["Last-Modified"]}
    assert client.get(ATOM, headers=by_date).status_code == 304
    assert client.get(ATOM, headers={"If-Modified-Since": "Wed, 01 Jan 2098 00:00:00 GMT"}).status_code == 200
    assert client.get(ATOM, headers={**by_date, "If-None-Match": '"another"'}).status_code == 200
    services.edit(admin, one, written("Quietly"))
    stands_at(monkeypatch, (now + timedelta(seconds=5)).isoformat())
    assert client.get(ATOM, headers=by_date).status_code == 200


def test_programs_only_look(site, client):
    assert client.post(ATOM).status_code == 405
    assert read(client.get(ATOM).content).entries == []
    assert client.get(ATOM)["Content-Type"] == "application/atom+xml; charset=utf-8"
    assert client.get(JSON)["Content-Type"] == "application/feed+json; charset=utf-8"
