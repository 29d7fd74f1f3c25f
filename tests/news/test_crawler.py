"""Nothing of a post that cannot be seen is anywhere: every public output, at moments drawn by lot.

Each post has words of its own in its title, text, summary, tag, address and the words of its picture. Somebody opens
every address that there is and follows every link, as a stranger and as a voter. What they find is compared with what
is to be seen at that moment: no less, and no more.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest
from django.test import Client, override_settings

from accounts.models import User
from accounts.rules import Role
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts.storage import table
from foundation.photos.changing import PictureChange
from foundation.photos.photos import Encoded, Photo
from foundation.ranking.candidates import Candidate
from foundation.store.log import as_text
from parts.news import repository, services
from parts.news.rules import Post
from parts.news.services import Written
from tests.clock import stands_at
from tests.people import make_person, sign_in

from .crawler import ASKED, Walk, addresses_of

BASE = datetime.fromisoformat("2031-03-01T08:00:00.000Z")
NEVER = "9999"
STEM = re.compile(r"zephyr\d\d")
CHANCE = 16  # the same moments at every run


def at(**ahead: float) -> str:
    return as_text(BASE + timedelta(**ahead))


@dataclass(frozen=True, slots=True)
class Told:
    """What was written, what became of it, and from when on who looks may find it."""

    stem: str
    since: str
    words: dict[str, str]  # by which addresses lead to it
    slugs: tuple[str, ...]  # the one it has, and those it had
    kind: str = "dated"


class Writer:
    """Writes posts, each with words of its own."""

    def __init__(self, admin: User):
        self.admin, self.told = admin, []

    def post(self, since: str | None, election: str = "") -> Post:
        stem = f"zephyr{len(self.told):02}"
        made = services.write(self.admin, written(stem, more=len(self.told) % 2 == 1), election)
        if since:
            services.publish(self.admin, made, since)
        self.keep(stem, made, since or NEVER, (made.slug,))
        return repository.find(made.id)

    def keep(self, stem: str, post: Post, since: str, slugs: tuple[str, ...]) -> None:
        words = {"post_id": post.id, "slug": post.slug}
        words |= {"tag": post.tags[0]} if post.tags[0] != ASKED else {}
        self.told.append(Told(stem, since, words, slugs, "dated" if since != NEVER else "draft"))

    def gone(self, kind: str, act: Callable[[User, Post], object], post: Post) -> None:
        act(self.admin, post)
        self.told[-1] = replace(self.told[-1], since=NEVER, kind=kind)

    def other_words(self, post: Post) -> None:
        """From now on it says something else, at another address; what it said before is nowhere."""
        before, stem = self.told[-1], f"zephyr{len(self.told):02}"
        after = services.edit(self.admin, post, written(stem))
        self.keep(stem, after, before.since, (after.slug, *(before.slugs if post.was_dated else ())))
        self.told[-2] = Told(before.stem, NEVER, {"tag": f"{before.stem}d"}, (), "said before")

    def picture(self, post: Post) -> Photo:
        stem, number = self.told[-1].stem, f"{random.Random(post.id).getrandbits(128):032x}"
        photo = Photo(number, f"{stem}f", 1280, 720, (320, 1280), "jpg", ("1", "2"))
        services.picture(self.admin, post.id, PictureChange(Encoded(photo, (b"small", b"large"))))
        return photo


def written(stem: str, *, more: bool = True) -> Written:
    """Every other post is without a tag of its own and a summary."""
    tags, summary = ((f"{stem}d", ASKED), f"{stem}c {ASKED}") if more else ((ASKED,), "")
    return Written(f"{stem}a {ASKED}", f"The *{ASKED}* {stem}b.", tags, summary, f"{stem}e")


def write_all(writer: Writer, chance: random.Random) -> list[Photo]:
    """A site's worth of posts; answers the pictures that are gone."""
    writer.post(None)
    for since in ("2029-12-31T23:59:59.999Z", "2030-01-01T00:00:00.000Z", at(hours=-1), at()):
        writer.post(since)
    for _each in range(5):
        writer.post(at(hours=chance.uniform(1, 240)))
    for since in (at(days=-2), at(days=3)):
        writer.gone("withdrawn", services.withdraw, writer.post(since))
        writer.gone("deleted", services.delete, writer.post(since))
        writer.other_words(writer.post(since))
        writer.post(since, "Board")
        writer.picture(writer.post(since))
    writer.other_words(writer.post(None))
    return [picture_gone(writer, since) for since in (at(days=-1), at(days=2))]


def picture_gone(writer: Writer, since: str) -> Photo:
    post = writer.post(since)
    photo = writer.picture(post)
    services.picture(writer.admin, post.id, PictureChange())
    return photo


@dataclass(frozen=True, slots=True)
class Prepared:
    url: str
    told: tuple[Told, ...]
    gone: tuple[Photo, ...]
    voter: Client

    def seen(self, now: str) -> set[str]:
        return {each.stem for each in self.told if each.since <= now}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> Prepared:
    url = f"sqlite://{tmp_path_factory.mktemp('crawled')}/plenum.sqlite3"
    with override_settings(STORE_URL=url), pytest.MonkeyPatch.context() as patch:
        stands_at(patch, at())
        table().create()
        admin, voter = make_person("Boss", Role.OWNER), make_person("Eve", Role.VOTER)
        board = drafts.create(admin, "Board")
        add_candidates(admin, board, [Candidate("Ada"), Candidate("Bo")])
        add_voters(admin, board, ["Eve"])
        lifecycle.open_(admin, elections.find("Board"), editable=False)
        gone = write_all(writer := Writer(admin), random.Random(CHANCE))
        return Prepared(url, tuple(writer.told), tuple(gone), sign_in(voter))


@pytest.fixture(autouse=True)
def crawled(prepared, settings, monkeypatch) -> Prepared:
    """Lists of a few, so that they have several pages."""
    settings.STORE_URL = prepared.url
    monkeypatch.setattr("parts.news.views.PAGE_ROWS", 5)
    return prepared


def moments(told: tuple[Told, ...]) -> list[str]:
    """Just before something is to be seen, and just then; and some time or other."""
    chance = random.Random(CHANCE)
    since = chance.choice([each.since for each in told if at() < each.since < NEVER])
    before = as_text(datetime.fromisoformat(since) - timedelta(milliseconds=1))
    return [before, since, at(hours=chance.uniform(80, 240))]


def leaks(walk: Walk, prepared: Prepared, now: str) -> list[tuple[str, str]]:
    """Words of what cannot be seen, and where they stand."""
    hidden = {each.stem for each in prepared.told} - prepared.seen(now)
    hidden |= {word for photo in prepared.gone for word in (photo.id, photo.alt)}
    return [(word, address) for word in sorted(hidden) for address in walk.seeing(word)]


@pytest.mark.deep
@pytest.mark.seconds(5)
@pytest.mark.parametrize("number", range(3))
def test_whoever_looks_finds_what_can_be_seen_and_nothing_else(crawled, monkeypatch, number):
    now = moments(crawled.told)[number]
    stands_at(monkeypatch, now)
    walk = Walk(crawled.voter if number % 2 else Client()).everywhere()
    assert leaks(walk, crawled, now) == []
    assert broken(walk) == []
    for output, stems in expected(crawled, now).items():
        assert found(walk, output) == stems, output


def expected(prepared: Prepared, now: str) -> dict[str, set[str]]:
    """By what an address begins with, what is to be found there."""
    seen = prepared.seen(now)
    newest = sorted((each.since, each.stem) for each in prepared.told if each.stem in seen)[-20:]
    feed = {stem for _since, stem in newest}
    lists = {r"/news/(\?after=.*)?", r"/news/by/Boss/(\?after=.*)?", rf"/news/tag/{ASKED}/(\?after=.*)?"}
    feeds = {rf"/news/{place}feed.{kind}" for place in ("", "by/Boss/", f"tag/{ASKED}/") for kind in ("atom", "json")}
    return {**dict.fromkeys((*lists, r"/news/post/.*", r"/sitemap/.*"), seen), **dict.fromkeys(feeds, feed)}


def found(walk: Walk, output: str) -> set[str]:
    bodies = (body for address, body in walk.bodies.items() if re.fullmatch(output, address))
    return {stem for body in bodies for stem in STEM.findall(body)}


def broken(walk: Walk) -> list[tuple[str, int]]:
    """Addresses about news that somebody was led to, and that are not there."""
    ours = ("/news/", "/sitemap", "/picture/")
    answers = ((address, answer.status_code) for address, answer in walk.answers.items() if address.startswith(ours))
    return [(address, status) for address, status in answers if status not in (200, 302, 403, 405)]


@pytest.mark.deep
def test_whoever_guesses_an_address_cannot_tell_what_is_hidden_from_what_is_not_there(crawled, monkeypatch):
    stands_at(monkeypatch, now := moments(crawled.told)[0])
    made_up = {"post_id": "0123456789abcdef", "slug": "no-such-post", "tag": "no-such-tag", "edition": "made-up"}
    hidden = {each.kind: each for each in crawled.told if each.since > now}
    assert set(hidden) == {"draft", "dated", "withdrawn", "deleted", "said before"}
    for client, kinds in ((Client(), list(hidden)), (crawled.voter, ["draft", "dated"])):
        plain = [answers(client, address) for address in addresses_of(made_up)]
        for kind in kinds:
            words = made_up | hidden[kind].words
            assert [answers(client, address) for address in addresses_of(words)] == plain, kind
    assert answers(Client(), "/news/post/no-such-post/")[0] == 404


def answers(client: Client, address: str) -> tuple[int, int]:
    """To whoever looks, and to whoever wants to do something."""
    return client.get(address).status_code, client.post(address).status_code


@pytest.mark.deep
def test_an_address_that_a_post_had_leads_to_it_once_it_can_be_seen(crawled, monkeypatch):
    moved = sorted((each for each in crawled.told if len(each.slugs) > 1), key=lambda each: each.since)
    stands_at(monkeypatch, moved[0].since)
    answers = [Client().get(f"/news/post/{each.slugs[1]}/") for each in moved]
    assert [answer.status_code for answer in answers] == [301, 404]
    assert answers[0]["Location"] == f"/news/post/{moved[0].slugs[0]}/"


@pytest.mark.deep
def test_pictures_that_are_gone_are_nowhere(crawled):
    assert {Client().get(photo.src(width)).status_code for photo in crawled.gone for width in photo.widths} == {404}
