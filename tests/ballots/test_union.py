"""A union of 300 elects its board: by mail, by letter, at a polling station, and with help. Every vote is cast through
the pages, here as a browser without scripts sends them, and in Chromium in tests/fuzz/union.py."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.core import mail as sent
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from acts import background
from acts.storage import log, table
from ballots import repository as ballots
from ballots.services import seal_closed
from ballots.station import repository as stations
from elections import repository as elections
from elections import rolls
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.help_desk import repository as requests
from elections.help_desk.rules import WAITING
from elections.invitations import mailing
from elections.invitations.voting_link import LINKS
from elections.letters import services as letters
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.turnout.counts import turnout
from mail.emails import compose
from mail.sending import send_waiting
from ranking.candidates import Candidate
from store import keys
from tests.background import finish_background, queue_mailings

from .test_pages import PAGE, fields_of, text_of, vote

NAME = "Board"
BY_MAIL = [f"mail{number}@example.org" for number in range(200)]
BY_LETTER = [f"{number}@" for number in range(1, 61)]
AT_STATION = [f"hall{number}@example.org" for number in range(15)] + [f"{number}@" for number in range(101, 116)]
LOST_MAIL = [f"lost{number}@example.org" for number in range(4)]
MISTYPED = {f"typo{number}@example.org": f"right{number}@example.org" for number in range(2)}
FORGOTTEN = [f"forgotten{number}@example.org" for number in range(2)]  # not on the roll, though they should be
LOST_LETTER = ["201@", "202@"]
STOLEN = "60@"  # whose letter somebody else has taken
LISTED = [*BY_MAIL, *BY_LETTER, *AT_STATION, *LOST_MAIL, *MISTYPED, *LOST_LETTER]
VOTERS = [*(each for each in LISTED if each not in MISTYPED), *MISTYPED.values(), *FORGOTTEN]
LINK = re.compile(r"https?://[^/\s]+(/vote/\S+/)")


def rank_of(voter: str) -> int:
    """Whom they rank first: in shares that no mistake leaves as they are."""
    return 0 if VOTERS.index(voter) % 7 < 4 else 1


@pytest.fixture
def organiser(person, signed_in) -> Client:
    person("the organiser")
    return signed_in("the organiser")


@pytest.fixture
def board(organiser):
    """Its roll is a file from the membership system, in which some have an address and some a number."""
    owner = people.find("the organiser")
    election = drafts.create(owner, NAME, vote_by_link=True)
    add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo")])
    rows = [f"{each};;Member of {each};;" for each in LISTED if rolls.is_by_address(each)]
    numbers = [each.rstrip("@") for each in LISTED if rolls.is_by_number(each)]
    rows += [f";{number};Member {number};Road {number};52062 Aachen" for number in numbers]
    import_roll(organiser, "\n".join(["Email;Member number;Name;Address;City", *rows]))
    return lifecycle.open_(owner, elections.find(NAME), editable=False)


def import_roll(organiser: Client, file: str) -> None:
    page, upload = reverse("import_roll", args=[NAME]), SimpleUploadedFile("roll.csv", file.encode())
    preview = organiser.post(page, {"file": upload})
    organiser.post(page, fields_of(preview, page))
    finish_background("import voters")


def mails() -> dict[str, str]:
    """What arrives now, by address."""
    sent.outbox.clear()
    background.resume_due(lane=keys.LINK_TASKS)
    queue_mailings()
    send_waiting(compose)
    return {each.to[0]: each.body for each in sent.outbox}


def door_in(text: str) -> str:
    return LINK.search(text)[1]


class WithoutScripts:
    """How voters open their ballots and cast them: each with a browser of their own."""

    def by_link(self, door: str) -> Client:
        client = Client()
        assert client.post(door)["Location"] == PAGE
        return client

    def by_code(self, code: str) -> Client:
        client = Client()
        assert client.post(reverse("enter_code"), {"code": code})["Location"] == PAGE
        return client

    def start(self, booth: Client) -> None:
        assert booth.post(reverse("start_voting"))["Location"] == PAGE

    def cast(self, client: Client, voter: str) -> None:
        receipt = vote(client, **{f"rank_{rank_of(voter)}": "1"})
        assert "Thank you for voting" in text_of(receipt), text_of(receipt)

    def finish(self, booth: Client) -> None:
        booth.post(reverse("finish_voting"))
        assert "Please wait for the officer" in text_of(booth.get(reverse("station_booth")))


# --- the ways to a ballot ---


def vote_by_mail(voters: WithoutScripts) -> None:
    """Everybody with an address was invited; some have not had a mail that reached them."""
    mailing.invite(people.find("the organiser"), elections.find(NAME))
    arrived = mails()
    assert set(arrived) == {each for each in LISTED if rolls.is_by_address(each)}
    for voter in BY_MAIL:
        voters.cast(voters.by_link(door_in(arrived[voter])), voter)


def print_letters(organiser: Client, batch: int) -> dict[str, str]:
    """The codes on the pages that come out of the printer, by voter."""
    page = organiser.post(reverse("print_letters", args=[NAME]), {"batch": batch, "most": 500, "how": "page"})
    codes = re.findall(r"([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})", re.sub(r"<svg.*?</svg>", "", page.content.decode()))
    found = {letters.find_by_code(NAME, code).name: code for code in codes}
    assert len(found) == len(set(codes))
    return found


def vote_at_station(voters: WithoutScripts, organiser: Client, codes: dict[str, str]) -> None:
    """An officer finds each on the roll, or by the letter that they show."""
    organiser.post(reverse("stations", args=[NAME]), {"name": "Booth 1", "token": "a form"})
    (station,) = stations.every(NAME)
    booth, desk = Client(), [NAME, station.id]
    booth.post(reverse("pair_booth"), {"code": stations.code_for(station)})
    for number, voter in enumerate(AT_STATION):
        if voter in codes and number % 2:
            organiser.post(reverse("let_in_by_letter", args=desk), {"code": codes[voter]})
        else:
            page = organiser.get(reverse("station_desk", args=desk), {"q": voter.rstrip("@")})
            assert f'value="{voter}"' in page.content.decode()
            let_in(organiser, desk, voter)
        voters.start(booth)
        voters.cast(booth, voter)
        voters.finish(booth)


def let_in(organiser: Client, desk: list[str], voter: str) -> str:
    return text_of(organiser.post(reverse("let_in", args=desk), {"voter": voter}, follow=True))


def vote_with_help(voters: WithoutScripts, organiser: Client) -> None:
    for voter in LOST_MAIL:
        Client().post(reverse("my_link"), {"email": voter})
    arrived = mails()
    for voter in LOST_MAIL:
        voters.cast(voters.by_link(door_in(arrived[voter])), voter)
    for wrong, right in MISTYPED.items():
        answer(organiser, ask(right), "correct", voter=wrong, address=right)
        voters.cast(voters.by_link(door_in(mails()[right])), right)
    for voter in FORGOTTEN:
        answer(organiser, ask(voter), "add", listed_as=voter, reason="Member since May")
        voters.cast(voters.by_link(door_in(mails()[voter])), voter)
    for number, voter in enumerate(LOST_LETTER):
        answer(organiser, ask(f"neighbour{number}@example.org"), "letter", voter=voter)
    codes = print_letters(organiser, 2)
    assert set(codes) == set(LOST_LETTER)
    for voter in LOST_LETTER:
        voters.cast(voters.by_code(codes[voter]), voter)


def ask(address: str, kind: str = "question"):
    typed = {"name": "Somebody", "address": address, "text": "I got nothing.", "kind": kind, "token": address}
    Client().post(reverse("ask_for_help", args=[NAME]), typed)
    (request,) = requests.list_requests(NAME, WAITING, limit=9)[0]
    return request


def answer(organiser: Client, request, act: str, **given: str) -> None:
    page = reverse("request", args=[NAME, request.id])
    organiser.post(page, {"act": act, "version": request.version, **given})


# --- what must not happen ---


def try_twice(voters: WithoutScripts, organiser: Client, codes: dict[str, str]) -> None:
    """One goes to the hall after voting by mail, the other sends the letter to a second device."""
    (station,) = stations.every(NAME)
    assert "has already voted" in let_in(organiser, [NAME, station.id], BY_MAIL[0])
    second = voters.by_code(codes[BY_LETTER[0]])
    assert "You have voted" in text_of(second.get(PAGE))


def steal_a_letter(voters: WithoutScripts, organiser: Client, codes: dict[str, str]) -> None:
    """The thief has typed the code in time, and has the ballot before them when the letter is reissued."""
    thief = voters.by_code(codes[STOLEN])
    filled = thief.get(PAGE)
    organiser.post(reverse("reissue_letter", args=[NAME]), {"voter": STOLEN})
    assert filled.status_code == 200
    assert thief.get(PAGE).status_code != 200
    assert Client().post(reverse("enter_code"), {"code": codes[STOLEN]}).status_code == 422
    voters.cast(voters.by_code(print_letters(organiser, 3)[STOLEN]), STOLEN)


def nobody_can_tell_who_came_how() -> None:
    """In the log and on the roll, those who went to the hall look like those who had the same mail or letter."""
    cast_events = [each["event_data"] for each in log().since(0) if each["event_type"] == "BallotCast"]
    assert len(cast_events) == len(VOTERS)
    assert {frozenset(each) for each in cast_events} == {frozenset({"election_name", "voter_name", "changed"})}
    for at_home, in_the_hall in ((BY_MAIL, AT_STATION[:15]), (BY_LETTER[:-1], AT_STATION[15:])):
        assert len({_look(voter) for voter in (*at_home, *in_the_hall)}) == 1


def _look(voter: str) -> tuple[frozenset[str], int]:
    """What an entry on the roll says besides who it is."""
    entry = table().get(keys.voter(NAME, voter))
    return frozenset(entry), len(entry.get(LINKS, ()))


def elect(voters: WithoutScripts, organiser: Client) -> None:
    """From the first letter to the sealed result."""
    codes = print_letters(organiser, 1)
    assert set(codes) == {each for each in LISTED if rolls.is_by_number(each)}
    vote_by_mail(voters)
    for voter in BY_LETTER[:-1]:
        voters.cast(voters.by_code(codes[voter]), voter)
    vote_at_station(voters, organiser, codes)
    vote_with_help(voters, organiser)
    try_twice(voters, organiser, codes)
    steal_a_letter(voters, organiser, codes)
    assert turnout(elections.find(NAME)).voted == elections.find(NAME).voter_count == len(VOTERS) == 300
    nobody_can_tell_who_came_how()
    closing.close(people.find("the organiser"), elections.find(NAME))
    seal_closed()
    published = list(ballots.every_published(NAME))
    assert len({each["confirmation"] for each in published}) == len(VOTERS)
    assert Counter(each["rankings"] for each in published) == Counter(str(rank_of(voter)) for voter in VOTERS)


@pytest.mark.deep
@pytest.mark.usefixtures("board")
def test_everybody_votes_once_whichever_way_they_come(organiser):
    elect(WithoutScripts(), organiser)
