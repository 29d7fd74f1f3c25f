"""What a post is: addresses, tags, reading time, and when it can be seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parts.news import rules
from parts.news.rules import Post, PostState
from tests.rows import every_row

POST = Post("1", "Title", "title", "Ada", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")


@every_row(
    ("title", "slug"),
    [
        ("We have moved!", "we-have-moved"),
        ("Grüße aus Köln", "gruesse-aus-koeln"),
        ("Réunion à 9 h", "reunion-a-9-h"),
        ("صوتوا الآن", "صوتوا-الآن"),
        ("投票 2026", "投票-2026"),
        ("मतदान केंद्र", "मतदान-केंद्र"),
        ("การเลือกตั้ง", "การเลือกตั้ง"),
        ("❤️ 投票", "投票"),
        ("!!!", "post"),
        ("🎉", "post"),
        ("a" * 200, "a" * rules.MAX_SLUG_CHARS),
    ],
)
def test_an_address_says_what_the_post_is_about(title, slug):
    assert rules.slug_of(title) == slug
    assert rules.is_slug(slug)


def test_the_next_of_the_same_title_has_a_number_and_is_no_longer():
    assert rules.slug_of("News", "2") == "news-2"
    assert len(rules.slug_of("a" * 200, "12")) == rules.MAX_SLUG_CHARS
    assert rules.slug_of("a" * 200, "12").endswith("a-12")


@pytest.mark.parametrize("typed", ["", "Two words", "a/b", "a" * 81, "<b>", "ends-"])
def test_what_is_no_address(typed):
    assert not rules.is_slug(typed)


def test_tags_are_parted_by_commas_and_each_is_there_once():
    assert rules.parse_tags(" #Board,  open   source; BOARD,,\nélan ") == ("Board", "open source", "élan")
    assert rules.parse_tags(" , ") == ()


def test_a_post_can_be_seen_from_its_moment_on():
    assert POST.state("2026-01-01T00:00:00.000Z") == PostState.DRAFT
    dated = replace(POST, published_at="2026-05-03T09:00:00.000Z")
    assert dated.state("2026-05-03T08:59:59.999Z") == PostState.SCHEDULED
    assert dated.state("2026-05-03T09:00:00.000Z") == PostState.PUBLISHED


@pytest.mark.parametrize(("words", "minutes"), [(0, 1), (220, 1), (330, 2), (2200, 10)])
def test_reading_takes_at_least_a_minute(words, minutes):
    assert replace(POST, words=words).minutes == minutes
