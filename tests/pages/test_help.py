"""The start page of the help, and its search."""

from __future__ import annotations

import re

import pytest

from foundation.pages.site_views import MAX_QUERY_CHARS, topics


def results(page: str) -> list[str]:
    return re.findall(r'<div><a href="([^"]*)">', page)


def test_it_lists_every_help_page(client):
    page = client.get("/help/").content.decode()
    for topic in topics():
        assert f'href="/help/{topic}/"' in page
        assert client.get(f"/help/{topic}/").status_code == 200
    assert results(page) == []


@pytest.mark.needs("skills")
@pytest.mark.parametrize(
    ("query", "address"),
    [("meek", "/help/counting/#stv-meek"), ("CATALOGUE", "/help/skills/"), ("endorsements skills", "/help/skills/")],
)
def test_it_searches_all_of_them(client, query, address):
    page = client.get("/help/", {"q": query}).content.decode()
    assert address in results(page)


def test_results_are_in_the_language_of_the_reader(client):
    client.cookies["django_language"] = "de"
    page = client.get("/help/", {"q": "Stimmzettel"}).content.decode()
    assert "/help/secrecy/" in results(page)


@pytest.mark.parametrize("query", ["zzzz", "<b>", "x" * 5000, "😀", "\x00"])
def test_a_search_without_results_says_so(client, query):
    page = client.get("/help/", {"q": query}).content.decode()
    assert results(page) == []
    assert "Nothing found" in page
    assert "<b>&" not in page
    assert f'value="{"x" * (MAX_QUERY_CHARS + 1)}' not in page


def test_an_empty_search_shows_the_pages(client):
    assert "Nothing found" not in client.get("/help/", {"q": "  "}).content.decode()
