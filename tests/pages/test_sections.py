"""Which section of the navigation a page highlights."""

from __future__ import annotations

import re

import pytest

from accounts.rules import Role

CURRENT = re.compile(r'<a href="[^"]*" aria-current="page">([^<]*)</a></li>')


@pytest.mark.needs("polls", "news", "live")
@pytest.mark.parametrize(
    ("path", "section"),
    [("/", "Home"), ("/polls/", "Polls"), ("/live/", "Live"), ("/news/", "News")],
)
def test_a_visitor_sees_where_they_are(site, client, path, section):
    assert CURRENT.findall(client.get(path).content.decode()) == [section]


@pytest.mark.needs("polls", "skills", "news", "live", "questions")
@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("/elections/", "Decide"),
        ("/elections/new/", "Decide"),
        ("/polls/", "Decide"),
        ("/live/sets/", "Live"),
        ("/news/drafts/", "News"),
        ("/people/", "People"),
        ("/skills/", "People"),
    ],
)
def test_sub_pages_highlight_their_section(signed_in, path, section):
    page = signed_in("Olga", Role.OWNER).get(path)
    assert page.status_code == 200
    assert CURRENT.findall(page.content.decode())[:1] == [section]


@pytest.mark.parametrize("path", ["/help/", "/help/counting/", "/sign-in/", "/checkpoints/", "/nowhere/"])
def test_other_pages_highlight_nothing(site, client, path):
    assert CURRENT.findall(client.get(path).content.decode()) == []
