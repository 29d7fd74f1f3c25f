"""The site's page: who may write it, what is refused, who is told of whom, and what strangers see of it."""

from __future__ import annotations

import html
import re

import pytest
from django.core import mail as sent

from accounts.rules import Role
from foundation.acts import branding
from foundation.acts.storage import log, table
from foundation.photos.changing import PictureChange
from foundation.photos.photos import Encoded, Photo
from foundation.store import keys
from results.front_page import site_page
from results.front_page.site_forms import MAX_LINKS, rearrange
from results.front_page.site_page import Part
from tests.at_once import at_once
from tests.rows import every_row
from tests.test_completeness import Watched, watched  # noqa: F401 - a fixture

WORDS = {
    Part.NAME: {"name": "Röst & Söner", "colour": "#1b5e3f"},
    Part.TEXT: {"text": "We keep *bees*.\n\nAnd <script>alert(1)</script>."},
    Part.LINKS: {"links": [{"title": "Shop", "address": "https://example.org"}]},
    Part.PROJECTS: {"projects": [{"title": "Hives", "words": "Two so far.", "link": "https://example.org/hives"}]},
    Part.EXAMPLE: {"hides_example": True},
}
HERE = "/site/edit/"
TOLD = "Where a group decides"


def text_of(answer) -> str:
    return html.unescape(answer.content.decode())


def picture(name: str = "a" * 32, alt: str = "A hive") -> PictureChange:
    return PictureChange(new=Encoded(Photo(name, alt, 320, 240, (320,), "webp", ("d",)), (b"bytes",)))


def write(admin, **only) -> None:
    for part, words in WORDS.items():
        site_page.edit(admin, part, site_page.edition(site_page.find(), part), words)


def seen_in(answer) -> str:
    return re.search(r'name="seen" value="(\w+)"', answer.content.decode())[1]


def rows(*pairs: tuple[str, str], **more: str) -> dict[str, str]:
    typed = {f"{at}-{name}": each for at, pair in enumerate(pairs) for name, each in zip(KINDS, pair, strict=True)}
    return typed | more


KINDS = ("title", "address")


@pytest.fixture
def ann(person):
    return person("Ann", Role.ADMIN)


@pytest.fixture
def browser(ann, signed_in):
    return signed_in(ann)


@pytest.fixture
def save(browser):
    """Open a part, type, and save it."""

    def save(part: str, typed: dict[str, str], **more):
        seen = seen_in(browser.get(f"{HERE}{part}/"))
        return browser.post(f"{HERE}{part}/", {"seen": seen, **typed}, **more)

    return save


# --- strangers ---


@pytest.mark.needs("polls")
def test_strangers_see_what_plenum_is_until_somebody_writes_the_page(site, client, settings):
    for address in ("/", "/site/"):
        page = text_of(client.get(address))
        assert TOLD in page
        assert all(f'href="{path}"' in page for path in ("/sign-in/", "/register/", "/polls/", "/sandbox/"))
    settings.REGISTRATION = "invited"
    assert '"/register/"' not in text_of(client.get("/"))


@pytest.mark.needs("news")
def test_strangers_see_the_page_first_and_nothing_to_edit_it(ann, client):
    write(ann)
    site_page.picture(ann, picture())
    for address in ("/", "/site/"):
        page = client.get(address).content.decode()
        assert TOLD not in page
        assert '<h1 dir="auto">Röst &amp; Söner</h1>' in page
        assert "<em>bees</em>" in page
        assert "<script>alert" not in page
        assert '<a class="button quiet" href="https://example.org" rel="noopener" dir="auto">Shop</a>' in page
        assert "Two so far." in page
        assert 'alt="A hive"' in page
        assert "/site/edit/" not in page
        assert "/site/remove/" not in page
        assert 'property="og:title" content="Röst &amp; Söner"' in page
        assert 'name="description" content="We keep bees. And &lt;script&gt;alert(1)&lt;/script&gt;."' in page
        assert re.search(rf'og:image" content="http://[^"]+/picture/{"a" * 32}/320.webp"', page)
    timing = client.get("/")["Server-Timing"]
    assert 'desc="3 trips"' in timing, "for the page, for the newest public result, and for the newest posts"


def test_the_default_page_says_what_other_sites_show_of_a_link_to_it(site, client, settings):
    page = client.get("/?utm=1").content.decode()
    assert f'<link rel="canonical" href="{settings.SITE_URL}/">' in page
    assert f'<meta property="og:url" content="{settings.SITE_URL}/">' in page
    assert '<meta property="og:title" content="Plenum">' in page
    assert '<meta property="og:description" content="Plenum is for ranked-choice elections' in page
    assert f'<meta property="og:image" content="{settings.SITE_URL}/static/img/apple-touch-icon' in page


def test_a_name_alone_leaves_the_page_that_says_what_plenum_is(ann, client):
    site_page.edit(ann, Part.NAME, site_page.edition(site_page.BLANK, Part.NAME), WORDS[Part.NAME])
    assert TOLD in text_of(client.get("/"))
    assert "Röst & Söner</title>" in text_of(client.get("/"))


# --- who may ---


@pytest.mark.parametrize("told", [False, True])
def test_the_example_ballot_is_on_the_page_until_it_is_hidden(save, client, told):
    if told:
        save("text", {"text": "We keep bees."})
    assert 'action="/try/"' in text_of(client.get("/"))
    answer = save("example", {}, follow=True)
    assert "Visitors do not see the example ballot." in text_of(answer)
    assert 'action="/try/"' not in text_of(client.get("/"))
    assert (TOLD in text_of(client.get("/"))) == (not told)
    assert "rank.js" not in text_of(client.get("/"))
    save("example", {"shows": "on"})
    assert 'action="/try/"' in text_of(client.get("/"))
    assert "hides_example" not in table().get(keys.SITE_PAGE)


def test_every_part_has_its_form_and_a_link_to_it(ann, browser):
    write(ann)
    assert browser.get("/site/").content.decode().count(HERE) == 2 * 5 + 1  # a link each, and one for htmx
    parts = [f"{HERE}{part}/" for part in Part]
    assert {(browser.get(part).status_code, browser.put(part).status_code) for part in parts} == {(200, 405)}
    assert browser.get(f"{HERE}made-up/").status_code == 404


def test_who_lost_the_role_meanwhile_changes_nothing(ann, person):
    person("Ann", Role.VOTER)
    with pytest.raises(site_page.Refusal):
        site_page.edit(ann, Part.TEXT, site_page.edition(site_page.BLANK, Part.TEXT), {"text": "Mine."})
    assert not site_page.find().version


# --- editing ---


def test_a_part_is_saved_and_stands_where_it_was(save, browser):
    answer = save("text", {"text": "We *are*."})
    assert answer.headers["Location"] == "/site/?edited=text"
    page = browser.get(answer.headers["Location"]).content.decode()
    assert "<em>are</em>" in page
    assert "Saved." in page
    assert site_page.find().text == "We *are*."


def test_the_preview_is_the_servers_own_and_saves_nothing(save):
    page = save("text", {"text": "We *are*.", "preview": "yes"}).content.decode()
    assert '<section class="card stack prose" aria-label="Preview"><p dir="auto">We <em>are</em>.</p>' in page
    assert not site_page.find().version


def test_a_preview_of_what_has_none_is_no_preview(save):
    assert save("links", rows(("Shop", "https://example.org"), preview="yes")).status_code == 302


def test_name_and_colour_are_everywhere_at_once(save, client, person, outbox, settings):
    save("name", {"name": ' O\'Brien "&" Söner ', "colour": "#1B5E3F"})
    for path in ("/", "/polls/", "/sign-in/", "/nowhere/"):
        page = client.get(path).content.decode()
        assert "· O&#39;Brien &#34;&amp;&#34; Söner</title>" in page
        sheet = re.search(r"/site/colours/[\w-]+\.css", page)[0]
    assert "--accent: #1b5e3f;" in client.get(sheet).content.decode()
    client.post("/password/forgotten/", {"name_or_email": person("Bo").email})
    (_to, subject, text), *_ = outbox()
    assert subject.startswith('O\'Brien "&" Söner: ')
    assert 'O\'Brien "&" Söner · ' in text
    assert sent.outbox[0].from_email.startswith('"O\'Brien \\"&\\" Söner" <')


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("x" * 61, "at most 60 characters"),
        ("x" * 10_000, "at most 400 characters"),
        ("\u202egnuhcran", "reverse its letters"),
        ("Two\u2028lines", None),
        ("\x07", "cannot contain control characters"),
        ("   ", "This field is required"),
        ("<script>alert(1)</script>", None),
    ],
)
def test_hostile_names_are_refused_or_escaped(save, client, name, sentence):
    answer = save("name", {"name": name, "colour": "#1b5e3f"})
    if sentence:
        assert answer.status_code == 422
        assert sentence in text_of(answer)
        assert not site_page.find().version
    page = client.get("/").content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "\u2028" not in page


def test_the_words_of_the_settings_are_no_name_of_its_own(save, settings):
    save("name", {"name": "Bees", "colour": "#1b5e3f"})
    save("name", {"name": settings.SITE_NAME, "colour": "#56278a"})
    page = site_page.find()
    assert (page.name, page.colour) == ("", "")
    settings.SITE_NAME = "Another"
    assert branding.site_name() == "Another"


def test_a_colour_hard_to_read_gets_a_sentence_and_one_that_would_do_by_one_click(save, browser):
    answer = save("name", {"name": "Bees", "colour": "#ffcc00"})
    assert answer.status_code == 422
    sentence = "#ffcc00 is hard to read on light pages: its contrast is 1.2 to 1 and should be at least 4.5 to 1."
    darker = re.search(r'name="darker" value="(#[0-9a-f]{6})"', answer.content.decode())[1]
    assert f"{sentence} A darker shade, {darker}, would work." in text_of(answer)
    save("name", {"name": "Bees", "colour": "#ffcc00", "darker": darker})
    assert site_page.find().colour == darker
    assert "Enter a colour like #56278a" in text_of(save("name", {"name": "Bees", "colour": "yellow"}))


# --- rows ---


def test_rows_are_saved_in_their_order_without_empty_ones(save):
    save("links", rows(("Shop", "https://example.org"), ("", ""), ("Write", "mailto:bees@example.org")))
    assert [(link.title, link.address) for link in site_page.find().links] == [
        ("Shop", "https://example.org"),
        ("Write", "mailto:bees@example.org"),
    ]
    save("projects", {"0-title": "Hives", "0-words": "Two.", "0-link": ""})
    (project,) = site_page.find().projects
    assert (project.title, project.words, project.link) == ("Hives", "Two.", "")


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "//example.org", "http://example.org", "example", "mailto:x", " "],
)
def test_links_lead_to_pages_and_mailboxes_alone(save, address):
    answer = save("links", rows(("Shop", "https://example.org"), ("Evil", address)))
    assert answer.status_code == 422
    assert 'value="Shop"' in answer.content.decode(), "nothing that was typed is lost"
    assert not site_page.find().version


def test_there_is_room_for_twelve(save, browser):
    pair = ("Shop", "https://example.org")
    assert "at most 12" in text_of(save("links", rows(*[pair] * 13)))
    assert save("links", rows(*[pair] * MAX_LINKS)).status_code == 302
    assert 'value="add"' not in browser.get(f"{HERE}links/").content.decode()


def test_buttons_move_rows_and_save_nothing(save):
    three = rows(("A", "not yet"), ("B", ""), ("C", ""))
    page = save("links", three | {"arrange": "up-2"}).content.decode()
    assert re.findall(r'name="\d-title" value="(\w)"', page) == ["A", "C", "B"]
    assert 'value="not yet"' in page
    assert re.search(r'value="up-1" autofocus', page)
    page = save("links", three | {"arrange": "remove-0"}).content.decode()
    assert re.findall(r'name="\d-title" value="(\w)"', page) == ["B", "C"]
    assert 'name="3-title"' in save("links", three | {"arrange": "add"}).content.decode()
    assert not site_page.find().version


@every_row("act", ["up-0", "down-2", "up-9", "up--1", "up-", "nonsense", "remove-9", "down-99999999999"])
def test_buttons_that_lead_nowhere_change_nothing(act):
    three = [{"title": each} for each in "ABC"]
    assert rearrange(three, act)[0] == three


# --- two at once ---


def test_the_second_of_two_is_told_and_loses_nothing(save, browser, ann):
    seen = seen_in(browser.get(f"{HERE}text/"))
    save("text", {"text": "Of the first."})
    answer = browser.post(f"{HERE}text/", {"text": "Of the second.", "seen": seen})
    page = text_of(answer)
    assert answer.status_code == 422
    assert "Someone else has changed this since you started." in page
    assert "Of the first.</p>" in page
    assert "Of the second.</textarea>" in page
    assert site_page.find().text == "Of the first."
    browser.post(f"{HERE}text/", {"text": "Of the second.", "seen": seen_in(answer)})
    assert site_page.find().text == "Of the second."


def test_two_at_two_parts_are_not_in_each_others_way(ann):
    seen = {part: site_page.edition(site_page.BLANK, part) for part in WORDS}
    acts = [lambda part=part: site_page.edit(ann, part, seen[part], WORDS[part]) for part in WORDS]
    assert not [each for each in at_once(*acts) if isinstance(each, Exception)]
    page = site_page.find()
    assert {part: site_page.part_data(page, part) for part in WORDS} == WORDS
    assert page.version == len(WORDS)


def test_for_htmx_what_is_wrong_is_swapped_in_and_a_name_loads_the_page_anew(save):
    htmx = {"headers": {"HX-Request": "true"}}
    assert save("links", rows(("Evil", "javascript:x")), **htmx).status_code == 200
    answer = save("name", {"name": "Bees", "colour": "#1b5e3f"}, **htmx)
    assert answer.headers["HX-Redirect"] == "/site/?edited=name"


# --- going ---


def test_the_page_goes_with_its_picture_after_a_question(ann, browser, client):
    write(ann)
    site_page.picture(ann, picture())
    assert "Visitors will see the default front page again" in text_of(browser.get("/site/remove/"))
    assert site_page.find().version
    browser.post("/site/remove/")
    assert not site_page.find().version
    assert log().table.get(keys.photo("a" * 32, 320)) is None
    assert TOLD in text_of(client.get("/"))
    assert "· Plenum</title>" in text_of(client.get("/"))
    assert "This page is still empty." in text_of(browser.post("/site/remove/", follow=True))


def test_a_new_picture_takes_the_bytes_of_the_old_one_along(ann):
    site_page.picture(ann, picture())
    site_page.picture(ann, picture("b" * 32))
    assert [log().table.get(keys.photo(each * 32, 320)) is None for each in "ab"] == [True, False]
    site_page.picture(ann, PictureChange(seen=site_page.find().photo, alt="Two hives"))
    assert site_page.find().photo.alt == "Two hives"
    site_page.picture(ann, PictureChange())
    assert site_page.find().photo is None
