"""Nobody can tell who used which channel: not from a page, a file, the API, a mail, the log or the store, even with the
site's key. (Paper is the exception: the log says so.)

Worlds are copies of one site in which the same people vote in the same order, each through another channel. What was
sent, printed and opened before is the same in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core import mail as sent
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.api.operations import route_name
from accounts.rules import Role
from ballots import services
from ballots.sealing import seal_closed
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.voter_lists import Details
from foundation.acts import background, storage
from foundation.acts.storage import table
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from operations.audit import views as audit
from operations.upkeep.doctor import health
from parts.letters import services as letters
from parts.stations import repository as stations
from parts.stations import services as at_station
from tests.api.program import program_of
from tests.background import finish_background, queue_mailings
from tests.copies import copy_of
from tests.people import sign_in
from tests.test_routes import OPERATIONS

from .oracle import MADE_UP, Question, World, every_form, every_page, told_apart
from .test_pages import PAGE, vote

MOMENT = datetime(2126, 5, 4, 12, 30, tzinfo=UTC)  # at which everybody votes, in every world
NAME, ORGANISER = "Board", "the organiser"
LINK = re.compile(r"https?://[^/\s]+(/vote/\S+)")
ACCOUNT, MAIL, REQUESTED, STATION, LETTER, SHOWN = "account", "mail", "on request", "station", "letter", "letter shown"
# Of each kind of voter there is one for every channel that they have. In the next world, everybody comes by another.
CHANNELS = {
    "listed by name": (ACCOUNT, MAIL, REQUESTED, STATION),
    "with an account": (ACCOUNT, MAIL, REQUESTED, STATION),  # and listed by their address
    "by address": (MAIL, REQUESTED, STATION),
    "by number": (LETTER, STATION, SHOWN),
    "not invited": (ACCOUNT, STATION),
}
NAMES = {
    "listed by name": "Named {}",
    "with an account": "member{}@example.org",
    "by address": "guest{}@example.org",
    "by number": "471{}@",
    "not invited": "late{}@example.org",
}
WORLDS = range(max(map(len, CHANNELS.values())))
VOTERS = {NAMES[kind].format(n): (kind, n) for kind, channels in CHANNELS.items() for n in range(len(channels))}
ASKING = {ORGANISER: Role.USER, "the auditor": Role.AUDITOR, "the owner": Role.OWNER}
# Tokens, digests and times: what differs by chance, or because everybody votes a moment after the one before.
CHANCE = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{10}\b|(?![a-z_-]{16,}(?![\w-]))[\w-]{16,}", re.ASCII)


def of_kind(*kinds: str) -> list[str]:
    return [voter for voter, (kind, _number) in VOTERS.items() if kind in kinds]


def channel_of(voter: str, world: int) -> str:
    kind, number = VOTERS[voter]
    return CHANNELS[kind][(number + world) % len(CHANNELS[kind])]


@dataclass
class Site:
    """Everybody has the means of every channel that they have, and nobody has voted."""

    path: Path
    browsers: dict[str, Client]
    booth: Client
    doors: dict[tuple[str, str], str]  # the links in their mails, by voter and channel
    codes: dict[str, str]  # on their letters

    def world(self, number: int, folder: Path) -> World:
        """In which everybody has voted, by their channel in this world."""
        path = copy_of(self.path, folder / f"{number}.sqlite3")
        use(path)
        for voter in VOTERS:
            COME[channel_of(voter, number)](self, voter)
        return World(path, self.browsers, use)


def use(path: Path) -> None:
    django_settings.STORE_URL = f"sqlite://{path}"  # the fixture would keep every one that there was


@pytest.fixture
def board(site, settings, monkeypatch, person) -> Site:
    for module in (storage, services, at_station, health, audit):
        monkeypatch.setattr(module, "utc_now", lambda: MOMENT)
    browsers = {name: sign_in(person(name, role)) for name, role in reversed(ASKING.items())}
    browsers["a program"] = program_of(people.find("the owner")).client
    addresses = {}
    for voter in of_kind("listed by name", "with an account", "not invited"):
        account = person(voter.split("@")[0].title(), email=voter if "@" in voter else None)
        browsers[voter], addresses[voter] = sign_in(account), account.email
    addresses |= {voter: voter for voter in of_kind("by address")}
    owner = people.find(ORGANISER)
    election = drafts.create(owner, NAME, vote_by_link=True)
    add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo")])
    details = {voter: Details(f"Member {voter}", postal=("Main Street 1",)) for voter in of_kind("by number")}
    late = of_kind("not invited")
    add_voters(owner, election, [voter for voter in VOTERS if voter not in late], details)
    election = lifecycle.open_(owner, elections.find(NAME), editable=True)
    codes = {each.voter.name: each.code for each in letters.print_batch(owner, election, 1, 50)}
    mailing.invite(owner, election)
    invited = {voter: address for voter, address in addresses.items() if voter not in late}
    doors = {(voter, MAIL): door for voter, door in doors_of(invited).items()}
    for address in invited.values():
        Client().post(reverse("my_link"), {"email": address})
    doors |= {(voter, REQUESTED): door for voter, door in doors_of(invited).items()}
    add_voters(owner, elections.find(NAME), late)
    at_station.open_(owner, election, "Booth 1", "form")
    (station,) = stations.every(NAME)
    booth = Client()
    booth.post(reverse("pair_booth"), {"code": stations.code_for(station)})
    return Site(Path(settings.STORE_URL.removeprefix("sqlite://")), browsers, booth, doors, codes)


def mails() -> dict[str, str]:
    """What arrives now, by address."""
    sent.outbox.clear()
    background.resume_due(lane=keys.LINK_TASKS)
    queue_mailings()
    send_waiting(compose)
    return {each.to[0]: f"{each.subject}\n{each.body}" for each in sent.outbox}


def doors_of(addresses: Mapping[str, str]) -> dict[str, str]:
    arrived = mails()
    return {voter: LINK.search(arrived[address])[1] for voter, address in addresses.items()}


# --- the channels ---


def signed_in(board: Site, voter: str) -> None:
    vote(board.browsers[voter], rank_0="1")


def by_mail(board: Site, voter: str, channel: str = MAIL) -> None:
    client = Client()
    assert client.post(board.doors[voter, channel])["Location"] == PAGE
    vote(client, rank_0="1")


def on_request(board: Site, voter: str) -> None:
    by_mail(board, voter, REQUESTED)


def by_letter(board: Site, voter: str) -> None:
    client = Client()
    assert client.post(reverse("enter_code"), {"code": board.codes[voter]})["Location"] == PAGE
    vote(client, rank_0="1")


def in_the_booth(board: Site, voter: str) -> None:
    desk = [NAME, stations.every(NAME)[0].id]
    assert board.browsers[ORGANISER].get(reverse("station_desk", args=desk), {"q": voter.rstrip("@")})
    board.browsers[ORGANISER].post(reverse("let_in", args=desk), {"voter": voter}, follow=True)
    _vote_in(board.booth)


def with_the_letter(board: Site, voter: str) -> None:
    desk = [NAME, stations.every(NAME)[0].id]
    board.browsers[ORGANISER].post(reverse("let_in_by_letter", args=desk), {"code": board.codes[voter]}, follow=True)
    _vote_in(board.booth)


def _vote_in(booth: Client) -> None:
    assert booth.post(reverse("start_voting"))["Location"] == PAGE
    vote(booth, rank_0="1")
    booth.post(reverse("finish_voting"))


COME: dict[str, Callable[[Site, str], None]] = {
    **{ACCOUNT: signed_in, MAIL: by_mail, REQUESTED: on_request},
    **{LETTER: by_letter, STATION: in_the_booth, SHOWN: with_the_letter},
}


# --- what there is to see ---


def traces() -> list[str]:
    """All items of the store, and every mail, without what is chance. Each vote is counted at a gate chosen by lot."""
    found = [(name, item) for name, item in table().everything() if not str(item["SK"]).startswith("GATE#")]
    return sorted(CHANCE.sub("·", str(each)) for each in (*found, *mails().items()))


def differing(one: list[str], other: list[str]) -> list[str]:
    return sorted({*one} ^ {*other})


def close() -> None:
    closing.close(people.find(ORGANISER), elections.find(NAME))
    seal_closed()
    finish_background()


def questions(about: list[str]) -> Iterator[Question]:
    for who in ASKING:
        yield from (each for each in every_page(who, NAME, about) if who == ORGANISER or each.route != "person")
    for route, (methods, words) in OPERATIONS.items():
        if "GET" in methods and not MADE_UP & set(words):
            yield Question("a program", route_name(route), tuple({"draft": NAME}.get(word, word) for word in words))


@pytest.mark.needs("letters", "stations")
@pytest.mark.seconds(10)
def test_neither_the_store_nor_a_mail_tells_who_used_which_channel(board, tmp_path):
    """Nor can whoever has the site's key: wrong tries with a code are counted under what can be derived from it; those
    that succeed leave nothing."""
    while_open, closed, tries = [], [], counted_tries()
    for number in WORLDS:
        board.world(number, tmp_path)
        assert counted_tries() == tries
        while_open.append(traces())
        close()
        closed.append(traces())
    assert len({channel_of(voter, number) for voter in VOTERS for number in WORLDS}) == len(COME)
    for found in (while_open, closed):
        assert [differing(found[0], other) for other in found[1:]] == [[], [], []]


def counted_tries() -> set[str]:
    return {item["PK"] for _name, item in table().everything() if item["PK"].startswith("THROTTLE#")}


@pytest.mark.deep
@pytest.mark.seconds(20)
@pytest.mark.parametrize("is_closed", [False, True])
def test_no_page_tells_who_used_which_channel(board, tmp_path, is_closed):
    asked = list(questions([voter for voter, (_kind, number) in VOTERS.items() if number == 0]))
    worlds = []
    for number in (0, 1):
        worlds.append(board.world(number, tmp_path))
        if is_closed:
            close()
        answer(worlds[-1], [*asked, *([] if is_closed else every_form(ORGANISER, NAME, [*VOTERS][:2]))])
    assert len(asked) > 100
    assert told_apart(*worlds, shows_gates) == []


def answer(world: World, asked: list[Question]) -> None:
    world.ask(asked)
    world.answers = {each: CHANCE.sub("·", answer) for each, answer in world.answers.items()}


def shows_gates(question: Question) -> bool:
    """Whether the answer shows how many votes were counted at each of an election's gates, which is chance."""
    return question.route == "raw_tables" and ("pk", keys.election(NAME).pk) in question.asked
