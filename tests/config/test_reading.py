"""What readers and search engines find on every public page, dates as they write them, and refusals in words."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from html import unescape

import pytest
from django.test import Client
from django.utils.formats import date_format
from django.utils.translation import override

from config.settings import BASE_DIR

PUBLIC = (
    *("/", "/sign-in/", "/register/", "/password/forgotten/", "/sandbox/", "/polls/", "/news/", "/news/by-mail/"),
    *("/live/", "/join/", "/checkpoints/", "/help/secrecy/", "/help/live/", "/help/news/", "/style/"),
)


def said(head: str, what: str) -> list[str]:
    return [unescape(each) for each in re.findall(what, head)]


@pytest.mark.needs
def test_every_public_page_says_what_it_is(site):
    """What Lighthouse asks of a page besides speed: one heading, a title and a description of its own, its language."""
    pages = {path: Client().get(path).content.decode() for path in PUBLIC}
    assert {path: len(re.findall("<h1[ >]", page)) for path, page in pages.items()} == dict.fromkeys(PUBLIC, 1)
    heads = [page.partition("</head>")[0] for page in pages.values()]
    for what in ("<title>(.*?)</title>", '<meta name="description" content="([^"]*)">'):
        found = [said(head, what) for head in heads]
        assert {len(each) for each in found} == {1}
        texts = Counter(each[0] for each in found)
        assert [text for text, times in texts.items() if times > 1] == []
    assert [text for text in texts if not 20 <= len(text) <= 200] == []
    for head in heads:
        assert said(head, '<html lang="([^"]+)"') == ["en"]
        assert said(head, '<meta name="viewport" content="([^"]*)">') == ["width=device-width, initial-scale=1"]


# --- dates as their reader writes them ---


@pytest.mark.parametrize(
    ("asked", "language", "written"),
    [
        ("", "en", "Nov. 16, 2026, 6:05 p.m."),
        ("en-US,en;q=0.9", "en", "Nov. 16, 2026, 6:05 p.m."),
        ("en-GB,en;q=0.9", "en-gb", "16 November 2026, 18:05"),
        ("en-AU", "en-gb", "16 November 2026, 18:05"),
        ("fr,en-IE;q=0.8,en;q=0.5", "en-gb", "16 November 2026, 18:05"),
        ("de-AT,en-GB;q=0.5", "de", "16. November 2026 18:05"),
        ("tlh", "en", "Nov. 16, 2026, 6:05 p.m."),
    ],
)
def test_dates_are_written_as_their_reader_writes_them(site, asked, language, written):
    page = Client(headers={"accept-language": asked} if asked else {}).get("/help/secrecy/")
    assert f'lang="{language}"' in page.content.decode()
    assert "Accept-Language" in page["Vary"]
    with override(language):
        assert date_format(datetime(2026, 11, 16, 18, 5, tzinfo=UTC), "DATETIME_FORMAT") == written


def test_who_has_chosen_a_language_keeps_it(site):
    browser = Client(headers={"accept-language": "en-GB"})
    browser.post("/language/", {"language": "en", "next": "/"})
    assert 'lang="en"' in browser.get("/help/secrecy/").content.decode()


def test_every_time_on_a_page_has_its_zone():
    """Where a template writes a time by a filter, the zone stands beside it or over its column."""
    written = re.compile(r'\|(?:date|time)\("(?:SHORT_DATETIME_FORMAT|DATETIME_FORMAT|TIME_FORMAT)"')
    lines = [
        f"{path.relative_to(BASE_DIR)}: {line.strip()}"
        for path in (BASE_DIR / "templates").rglob("*.html")
        for line in path.read_text().splitlines()
        if written.search(line) and "UTC" not in line
    ]
    assert lines == []


# --- refusals ---


def test_a_wrong_method_is_refused_on_a_page(site):
    answer = Client().put("/sign-in/")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, POST")
    assert "cannot be opened directly" in answer.content.decode()
    assert Client().post("/sandbox/nowhere/").status_code == 404
    assert Client().delete("/healthz").content == b""
