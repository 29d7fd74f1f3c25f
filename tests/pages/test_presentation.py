"""The operator's name, logo, colour, language and zone, where people meet them."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from types import SimpleNamespace
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from django.test import Client

from accounts.second_factor.authenticator_apps import app_address
from config.settings import BASE_DIR, named_sender
from elections.drafts.forms import ElectionForm
from foundation.mail.emails import compose
from parts.polls.forms import PollForm
from tests.rows import every_row

NAME = "Röstgården & Söner: Wahlen"
LOGO = str(BASE_DIR / "static" / "img" / "mark.svg")


@pytest.fixture
def ours(site, settings):
    settings.SITE_NAME, settings.SITE_LOGO, settings.SITE_COLOUR = NAME, LOGO, "#0b5394"


def words(client: Client, path: str, containing: str) -> list[str]:
    return [word for word in client.get(path).content.decode().split('"') if containing in word]


def test_programs_that_read_no_page_find_the_icon(site, client, settings):
    answer = client.get("/favicon.ico")
    assert answer["Location"].startswith("/static/img/favicon")
    assert answer["Cache-Control"] == "public, max-age=300"
    assert client.post("/favicon.ico").status_code == 405
    settings.SITE_LOGO = LOGO
    assert client.get("/favicon.ico", follow=True)["Content-Type"] == "image/svg+xml"


@every_row("path", sorted(str(each.relative_to(BASE_DIR)) for each in (BASE_DIR / "templates").rglob("*.html")))
def test_what_is_only_chosen_has_no_autocomplete(path):
    """HTML allows the attribute where something is typed."""
    wrong = r'<input(?=[^>]* type="(?:radio|checkbox|file|submit|button|image|reset)")[^>]* autocomplete='
    assert not re.search(wrong, (BASE_DIR / path).read_text())


def test_pages_carry_name_logo_and_colour(ours, client):
    page = client.get("/").content.decode()
    escaped = NAME.replace("&", "&amp;")
    assert f"· {escaped}</title>" in page
    assert f'alt=""><span dir="auto">{escaped}</span></a>' in page
    assert "Plenum</a>" not in page
    for kind, address in (("image/svg+xml", "/site/logo/"), ("text/css", "/site/colours/")):
        answer = client.get(words(client, "/", address)[0])
        assert answer.status_code == 200
        assert answer["Content-Type"].startswith(kind)
        assert "immutable" in answer["Cache-Control"]
        assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_logo_opened_by_itself_can_do_nothing(ours, client):
    answer = client.get(words(client, "/", "/site/logo/")[0])
    assert "sandbox" in answer["Content-Security-Policy"]
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert "script-src" not in answer["Content-Security-Policy"]


def test_a_site_without_its_own_has_ours(site, client):
    page = client.get("/").content.decode()
    assert "/site/" not in page
    assert "· Plenum</title>" in page
    for path in ("/site/logo/0123456789abcdef/", "/site/colours/0123456789abcdef.css"):
        assert client.get(path).status_code == 404


PNG = BASE_DIR / "static" / "img" / "apple-touch-icon.png"


@pytest.mark.parametrize(("logo", "shown"), [("", "/static/img/"), (LOGO, "/static/img/"), (PNG, "/site/logo/")])
def test_links_to_the_site_show_its_logo_if_other_sites_can_show_it(site, client, settings, logo, shown):
    """They take no SVG; then, and without a logo, it is our icon."""
    settings.SITE_LOGO = str(logo)
    (address,) = re.findall(r'<meta property="og:image" content="([^"]+)">', client.get("/").content.decode())
    assert address.startswith(f"{settings.SITE_URL}{shown}")
    if shown == "/site/logo/":
        answer = client.get(address.removeprefix(settings.SITE_URL))
        assert (answer["Content-Type"], answer["Cross-Origin-Resource-Policy"]) == ("image/png", "cross-origin")


@every_row(
    "path",
    [
        "/result/Board/card/en/2-0123.png",
        "/poll/00000000-0000-4000-8000-000000000000/card/en/2-0123.png",
        "/news/0123/card-0123.png",
    ],
)
def test_pictures_that_earlier_versions_drew_of_links_are_gone(site, client, path):
    assert client.get(path).status_code == 404


def test_another_logo_is_not_there_and_a_colour_is_told_by_its_address(ours, client, settings):
    """Of several processes one may not have heard of a new colour yet, and is asked for its sheet all the same."""
    before = words(client, "/", "/site/colours/")[0]
    settings.SITE_COLOUR = "#00695c"
    assert "#0b5394" in client.get(before).content.decode()
    assert words(client, "/", "/site/colours/")[0] != before
    others = [before.replace("0b5394", colour) for colour in ("0b5395", "ffcc00", "zzzzzz")]
    for path in (*others, "/site/logo/0123456789abcdef/"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("sender", "shown"),
    [
        ("vote@example.org", '"A \\"B\\" C" <vote@example.org>'),
        ("<vote@example.org>", '"A \\"B\\" C" <vote@example.org>'),
        ("Our votes <vote@example.org>", "Our votes <vote@example.org>"),
    ],
)
def test_a_sender_without_a_name_gets_the_sites(sender, shown):
    assert named_sender(sender, 'A "B" C') == shown


def test_mails_carry_the_name(settings):
    settings.SITE_NAME, settings.DEFAULT_FROM_EMAIL = NAME, named_sender("vote@example.org", NAME)
    about = {"number": "1", "kind": "already_registered", "to": "ada@example.org", "about": {"name": "Ada"}}
    message = compose(SimpleNamespace(**about, language="en", queued_at="", tries=0, ledger=None))
    assert message.subject.startswith(f"{NAME}: ")
    assert f"{NAME} · " in message.body
    (written,) = message_from_bytes(message.message().as_bytes(), policy=policy.default)["From"].addresses
    assert (written.display_name, written.addr_spec) == (NAME, "vote@example.org")


def test_an_authenticator_app_shows_the_name(settings):
    settings.SITE_NAME = NAME
    address = urlsplit(app_address(b"x" * 20, "Ada", "vote.example.org"))
    issuer = NAME.replace(":", " ")
    assert unquote(address.path) == f"/{issuer}:Ada (vote.example.org)"
    assert parse_qs(address.query)["issuer"] == [issuer]


def test_the_sites_language_is_for_browsers_that_ask_for_none_of_ours(site, settings, client):
    settings.LANGUAGE_CODE = "de"
    assert 'lang="de"' in client.get("/", headers={"Accept-Language": "fr"}).content.decode()
    english = client.get("/", headers={"Accept-Language": "en"}).content.decode()
    assert 'lang="en"' in english
    assert "Where a group decides" in english


@pytest.mark.parametrize("form", [ElectionForm, PollForm])
def test_forms_begin_with_the_sites_zone(settings, form):
    assert form()["time_zone"].value() is None
    settings.SITE_TIME_ZONE = "Europe/Berlin"
    assert '<option value="Europe/Berlin" selected>' in str(form()["time_zone"])
