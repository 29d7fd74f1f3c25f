"""While so few have voted in secret that who it was would tell how, no page tells who; and none ever tells how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from accounts import repository as people
from accounts.rules import Role
from ballots import services
from ballots.sealing import seal_closed
from elections import repository as elections
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.managers import add_manager
from foundation.acts import storage
from foundation.mail.emails import compose
from foundation.mail.sending import send_waiting
from operations.audit import views as audit
from operations.upkeep.doctor import health
from tests.background import queue_mailings
from tests.copies import copy_of

from .conftest import ranks
from .oracle import Question, World, are_alike, as_text, every_form, every_page, told_apart

MOMENT = datetime(2126, 5, 4, 12, 45, tzinfo=UTC)  # at which everybody votes, in every world; all are here by then
VOTERS = ("Eve", "Bob", "Kim", "Liz")
ASKED_ABOUT = ("Eve", "Bob", "Kim")  # those who vote in one world and not in the other, and one who votes in neither
ASKING = {
    "the organiser": Role.USER,
    "the manager": Role.USER,
    "the bystander": Role.VOTER,
    "the admin": Role.ADMIN,
    "the auditor": Role.AUDITOR,
    "the owner": Role.OWNER,
}
LOOKERS = ("the auditor", "the owner")
# Who has voted is no secret of the event log, which auditors and the owner see, nor of the owner's outbox;
# how somebody voted is in neither. Where everybody may vote, the roll of the tables has those who did.
TELLS_WHO = {"listed": {"log", "event", "mails"}, "everyone": {"log", "event", "mails", "raw_tables", "raw_item"}}
KINDS = {"listed": {}, "everyone": {"electorate": "everyone"}}
UP, DOWN = {"Ada": 1, "Bo": 2, "Cy": 3}, {"Cy": 1, "Bo": 2}

Votes = Sequence[tuple[str, dict[str, int]]]


@pytest.fixture
def world_of(site, settings, person, signed_in, opened, monkeypatch, tmp_path) -> Callable[[str, Votes], World]:
    """A world in which these have voted. Everything else is the same in all of them, to the byte."""
    for module in (storage, services, health, audit):
        monkeypatch.setattr(module, "utc_now", lambda: MOMENT)
    browsers = {name: signed_in(name, role) for name, role in reversed(ASKING.items())}
    for name in VOTERS:
        person(name)
    base = Path(settings.STORE_URL.removeprefix("sqlite://"))

    def use(path: Path) -> None:
        django_settings.STORE_URL = f"sqlite://{path}"  # the fixture would keep every one that there was

    def build(kind: str) -> Path:
        path = tmp_path / f"{kind}.base"
        if not path.exists():
            use(copy_of(base, path))
            listed = [*VOTERS, *(f"{name}@example.org" for name in VOTERS)] if kind == "listed" else []
            board = opened(*listed, "by.post@example.org", paper_ballots=True, editable=True, **KINDS[kind])
            add_manager(people.find("the organiser"), board, "the manager")
        return path

    def make(kind: str, votes: Votes) -> World:
        path = copy_of(build(kind), tmp_path / f"{kind} {votes}".translate({ord(each): "" for each in "'\"/"}))
        use(path)
        for name, ranking in votes:
            services.cast(people.find(name), "Board", ranks(**ranking), f"form of {name}")
        return World(path, browsers, use)

    return make


def pages(*asking: str, about: Sequence[str] = ASKED_ABOUT) -> list[Question]:
    return [each for who in asking for each in every_page(who, "Board", about) if is_worth_asking(each)]


def is_worth_asking(question: Question) -> bool:
    """To the rest of the site a manager is a member like the organiser, who asks the same."""
    return question.who != "the manager" or question.route in ("home", "elections") or "Board" in question.words


def forms(*asking: str, about: Sequence[str] = ASKED_ABOUT) -> list[Question]:
    return [each for who in asking for each in every_form(who, "Board", about)]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("kind", "questions"),
    [
        ("listed", [*pages(*ASKING), *forms("the organiser", "the admin")]),
        ("everyone", [*pages("the organiser", "the auditor"), *forms("the organiser")]),
    ],
)
def test_no_page_tells_who_has_voted(world_of, kind, questions):
    eve, bob = (world_of(kind, [vote]) for vote in (("Eve", UP), ("Bob", UP)))
    for world in (eve, bob):
        world.ask(questions)
    assert len(eve.answers) > 100
    assert told_apart(eve, bob, lambda each: each.who in LOOKERS and each.route in TELLS_WHO[kind]) == []


@pytest.mark.deep
def test_no_page_tells_how_somebody_has_voted(world_of):
    """Nobody is forgiven that, whatever they look after."""
    up, down = (world_of("listed", [("Eve", ranking)]) for ranking in (UP, DOWN))
    for world in (up, down):
        world.ask([*pages("the organiser", "the owner"), *forms("the organiser")])
    assert told_apart(up, down) == []


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_nor_do_the_pages_of_those_who_run_it_when_two_have_voted(world_of, kind):
    first, second = (world_of(kind, [("Eve", UP), (name, UP)]) for name in ("Bob", "Kim"))
    questions = [*pages("the organiser", about=VOTERS), *forms("the organiser", about=VOTERS)]
    for world in (first, second):
        world.ask([each for each in questions if "Board" in each.words])
    assert told_apart(first, second) == []


@pytest.mark.deep
def test_whom_a_reminder_reaches_tells_nothing(world_of):
    """One alone is invited, then those who have not voted are reminded: how many mails went out must not tell."""
    answers = []
    for name in ("Eve", "Bob"):
        world = world_of("listed", [(name, UP)])
        organiser, board = people.find("the organiser"), elections.find("Board")
        mailing.resend_invitation(organiser, board, "Eve")
        mailing.remind(organiser, board)
        queue_mailings()
        send_waiting(compose)
        asked = [("the organiser", "/election/Board/dashboard/"), ("the organiser", "/election/Board/roll/")]
        pages = [*asked, ("the organiser", "/election/Board/roll/?show=failed"), ("the admin", "/admin/")]
        answers.append([as_text(world.browsers[who].get(page)) for who, page in pages])
    assert all(are_alike(one, other) for one, other in zip(*answers, strict=True))


@pytest.mark.needs("skills")
@pytest.mark.seconds(4)
@pytest.mark.parametrize("who", ["the organiser", pytest.param("the admin", marks=pytest.mark.deep)])
def test_after_the_close_of_an_election_with_one_vote_nobody_is_told_whose_it_was(world_of, who):
    answers = []
    for name in ("Eve", "Bob"):
        world = world_of("listed", [(name, UP)])
        closing.close(people.find("the organiser"), elections.find("Board"))
        seal_closed()
        elections.candidates_of(elections.find("Board"))  # which a process reads once, for all worlds
        world.ask([each for each in pages(who) if "Board" in each.words])
        answers.append(world)
    assert told_apart(*answers) == []
