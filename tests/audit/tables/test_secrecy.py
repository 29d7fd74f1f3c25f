"""What an auditor can copy through all pages of the tables tells nothing of who cast which secret ballot, nor which
answers to two questions are one person's."""

from __future__ import annotations

import base64
import binascii
import html
import re
import time
from urllib.parse import parse_qsl, unquote_plus, urlencode, urlsplit

import pytest
from django.test import Client

from accounts import repository as people
from accounts import services as accounts
from accounts import throttle
from accounts.rules import Role
from ballots import services as ballots
from ballots.sealing import seal_closed
from elections import repository
from elections.invitations import mailing
from elections.lifecycle import closing
from foundation.acts.rate_limits import SECONDS_PER_DAY, count
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.store import keys
from foundation.store.log.seal import Sealer
from foundation.store.schema import SCHEMA
from foundation.store.table import DATA
from operations.audit.tables import raw, relations
from tests.background import queue_mailings

from .conftest import CANDIDATES, ranks

NAME = "Board #1 🗳"
VOTERS = ("Vera #", "Vik 🦜", "Val/Lee", "voss%23")
START = ("/admin/tables/", "/admin/tables/raw/")
LINK = re.compile(r'href="(/admin/tables/[^"]*|\?[^"]*)"')
ENCODED = re.compile(r"[A-Za-z0-9_+/-]{16,}")
ALIKE = re.compile(r"GATE%23(?!00)|BY%23actor.*&sk=")  # pages of which one is looked at for all
RANKING = re.compile(r"\b\d(?:[>=]\d)+\b")


# --- the crawl ---


class Crawl:
    """Every page an auditor can reach by links, and every page that somebody with the source would try."""

    def __init__(self, client: Client, tries: set[str], follow: bool = True):
        self.client = client
        self.pages: dict[str, str] = {}
        self.texts: dict[str, str] = {}  # what stands on a page, also what is only encoded there or in its links
        waiting = [*START, *tries]
        while waiting:
            found = self.open(waiting.pop())
            waiting += found if follow else []

    def open(self, address: str) -> list[str]:
        if address in self.pages or ALIKE.search(address):
            return []
        answer = self.client.get(address)
        assert answer.status_code in (200, 404, 422), f"{address}: {answer.status_code}"
        page = answer.content.decode()
        self.pages[address] = text = main_part(html.unescape(page))
        links = [html.unescape(link) for link in LINK.findall(page)] if answer.status_code == 200 else []
        self.texts[address] = "\n".join([text, unquote_plus(text), *map(unquote_plus, links), *decoded(text)])
        return [urlsplit(address).path + link if link.startswith("?") else link for link in links]

    def leaks(self, secrets: dict[str, str]) -> set[str]:
        """The kinds of secrets on a page. What was typed into its address it may show again, as forms do."""
        typed = {address: "\n".join(value for _, value in parse_qsl(urlsplit(address).query)) for address in self.texts}
        return {
            kind
            for secret, kind in secrets.items()
            for address, text in self.texts.items()
            if secret in text and secret not in typed[address]
        }


def main_part(page: str) -> str:
    """Without what is the same on every page."""
    return page.partition("<main")[2].partition("</main>")[0] or page


def decoded(text: str) -> list[str]:
    found = []
    for each in ENCODED.findall(text):
        try:
            found.append(base64.b64decode(each + "=" * (-len(each) % 4), altchars=b"-_").decode(errors="replace"))
        except (binascii.Error, ValueError):
            continue
    return found


def what_one_would_try(site) -> set[str]:
    """The page of every item there is, of every partition and of every list of the index; and of ballots by prefix."""
    tries = set()
    for name, item in site.everything():
        short = "data" if name == DATA else "log"
        tries.add(f"/admin/tables/raw/item/?{urlencode({'table': short, 'pk': item['PK'], 'sk': item['SK']})}")
        tries.add(f"/admin/tables/raw/?{urlencode({'table': short, 'pk': item['PK']})}")
        if "GSI1PK" in item:
            tries.add(f"/admin/tables/raw/?{urlencode({'table': short, 'pk': item['GSI1PK'], 'index': 'on'})}")
    pk = keys.election(NAME).pk
    tries |= {f"/admin/tables/raw/?{urlencode({'table': 'data', 'pk': pk, 'prefix': each})}" for each in PREFIXES}
    for relation in SCHEMA.sheets.values():
        asked = {"election": NAME} if relation.of_election else {}
        tries |= {f"/admin/tables/{relation.name}{end}?{urlencode(asked)}" for end in ("/", ".csv")}
    return tries


PREFIXES = (
    "B",
    "BALLOT",
    "BALLOT#",
    "BALLOT#a",
    "QUESTION#",
    "QUESTION#02#B",
    "QUESTION#02#BALLOT#a",
    "LOTS",
    "SALT",
    "S",
    "PUBLISHED#",
    "VOTER#",
)


# --- a small election with two questions ---


@pytest.fixture
def day(site, person, opened, signed_in, monkeypatch):
    """A secret election in which all have voted; sessions, mails, invitations and a registration lie about."""
    monkeypatch.setattr(raw, "PAGE_ROWS", 7)  # so that pages end everywhere
    monkeypatch.setattr(relations, "PAGE_ROWS", 7)
    users = [person(name) for name in VOTERS]
    election = opened(NAME, *VOTERS, questions=["Colour"])
    mailing.invite(people.find("the organiser"), election)
    queue_mailings()
    send_waiting(compose)
    accounts.invite(people.find("the organiser"), "guest@example.org", Role.VOTER)
    accounts.register("Newcomer", "new@example.org", "a long password of theirs", "192.0.2.1")
    count(throttle.RESET.per_account, VOTERS[0], time.time() + SECONDS_PER_DAY)  # its hour does not end meanwhile
    for number, user in enumerate(users):
        signed_in(user)
        order = [(number + step) % 3 for step in range(3)]
        said = ranks(*order) | {"2:0": ["1"], "2:1": [str(number + 1)]}
        ballots.cast(user, NAME, said, f"{number:x}f0e1d2c3b4a5968778695a4b3c2d1e0"[:32])
    Sealer(site).seal()
    return site


def close(site) -> None:
    closing.close(people.find("the organiser"), repository.find(NAME))
    seal_closed()
    Sealer(site).seal()


KINDS_OF_SECRETS = {"key", "hash", "its salt", "session salt", "session", "once", "throttle"}
KINDS_OF_SECRETS |= {"pending", "password of a registration", "lots"}


def secrets_of(site) -> dict[str, str]:
    """What no page may show, each with what it is."""
    found: dict[str, str] = {}
    for _, item in site.everything():
        head, _, rest = item["PK"].partition("#")
        if "BALLOT#" in item["SK"]:
            found[item["SK"].rpartition("#")[2]] = "key"
        if item["SK"] == "LOTS":
            found[item["secret"]] = "lots"
        if head == "USER" and "hash" in item:
            found |= {item["hash"]: "hash", item["salt"]: "its salt", item["session_salt"]: "session salt"}
        if head == "SESSIONS":
            found[item["SK"]] = "session"
        if head in ("ONCE", "THROTTLE", "PENDING"):
            found[rest] = head.lower()
        if head == "PENDING":
            found[item["password"]] = "password of a registration"
    return found


def codes_of(site) -> set[str]:
    boxes = [*keys.ballots(NAME), *keys.ballots(NAME, question=2)]
    return {item["confirmation"] for box in boxes for item in site.each(box)}


# --- the promise ---


@pytest.mark.seconds(8)
def test_while_it_is_open_no_page_shows_a_ballot_in_any_form(day, auditor):
    crawl, secrets = Crawl(auditor, what_one_would_try(day)), secrets_of(day)
    assert set(secrets.values()) == KINDS_OF_SECRETS
    assert crawl.leaks(secrets) == set()
    assert len(codes_of(day)) == 2 * len(VOTERS)
    assert crawl.leaks(dict.fromkeys(codes_of(day), "code")) == set()
    assert not [address for address, text in crawl.pages.items() if RANKING.search(text)]
    assert len(crawl.pages) > 100
    assert all(any(name in text for text in crawl.pages.values()) for name in (*VOTERS, *CANDIDATES))


@pytest.mark.deep
def test_after_the_close_ballots_are_shown_by_code_and_nothing_beside_one_names_a_voter(day, auditor):
    before, codes = secrets_of(day), codes_of(day)
    close(day)
    crawl = Crawl(auditor, what_one_would_try(day))
    assert crawl.leaks(before | secrets_of(day)) == {"lots"}, "whose secret is told with the result"
    together = [row for text in crawl.pages.values() for row in rows_of(text) if any(code in row for code in codes)]
    assert {code for code in codes if any(code in row for row in together)} == codes
    assert not [row for row in together if any(name in row for name in VOTERS)]


def test_after_the_close_ballots_come_in_the_order_of_their_codes(day, auditor):
    codes = codes_of(day)
    close(day)
    found = []
    for number in (1, 2):
        text = auditor.get("/admin/tables/ballots.csv", {"election": NAME, "question": number}).content.decode()
        own = re.findall(r"[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}", text)
        assert own == sorted(own)
        found += own
    assert set(found) == codes
    assert len(found) == len(codes)


def test_looking_changes_nothing(day, auditor):
    before = list(day.everything())
    for address in (*START, "/admin/tables/voters/?" + urlencode({"election": NAME}), "/admin/tables/events/"):
        assert auditor.get(address).status_code == 200
    assert list(day.everything()) == before


def rows_of(text: str) -> list[str]:
    return re.findall(r"<tr\b.*?</tr>", text, re.DOTALL) or text.splitlines()
