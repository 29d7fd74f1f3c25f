"""Whoever gets into a voter's account learns nothing of the ballot in the box, and the voter hears of what they do.

The attacker is an admin, or in the local profile the owner, who reads every mail; or somebody who holds the mailbox.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from django.test import Client

from accounts import repository as people
from accounts import services as accounts
from accounts.models import User
from accounts.rules import Role
from accounts.second_factor import authenticator_apps, factors
from accounts.services import credentials
from acts.storage import table
from audit.tables.raw import item_href
from ballots import repository, services
from elections import repository as elections
from elections.lifecycle import closing
from store import keys
from store.log import Event, EventLog, as_text, utc_now
from store.table import Exists, Update
from tests.people import PASSWORD

from .conftest import ranks
from .test_pages import PAGE, code_of, fields_of, text_of, vote

NEW = "a brand new pass"
EVE = "Eve@example.org"


def pages_of(client: Client) -> dict[str, str]:
    """Every page of a voter that knows of their ballot, whatever it answers."""
    addresses = [
        "/",
        "/me/",
        "/election/Board/",
        PAGE,
        *(f"{PAGE}{each}/" for each in ("receipt", "state", "withdraw")),
    ]
    addresses += [f"/election/Board/{each}/" for each in ("results", "live", "history", "roll", "dashboard", "paper")]
    answers = {address: client.get(address, follow=True) for address in addresses}
    answers["back"] = client.post(PAGE, {"back": "1"})
    return {address: answer.content.decode() for address, answer in answers.items()}


def learns(client: Client, code: str) -> list[str]:
    """The pages that give away the ballot with this code: by its code, by a filled rank box, by its ranking."""
    marks = (re.escape(code), r'name="rank-\d+"[^>]*value="\d', r'class="[^"]*ballot-sheet')
    return [address for address, page in pages_of(client).items() if any(re.search(mark, page) for mark in marks)]


@dataclass(frozen=True)
class Stage:
    """A voter whose ballot is in the box, and an admin and an owner who would like to read it."""

    eve: Client
    code: str
    admin: Client
    owner: Client
    link: Callable[[str], str]
    person: Callable[..., User]


@pytest.fixture
def stage(request, opened, person, signed_in, link) -> Stage:
    """Of a secret election, if nothing else is said."""
    opened("Eve", "Bob", "Kim", secret_ballot=getattr(request, "param", "secret") == "secret")
    eve = signed_in("Eve", Role.VOTER)
    code = code_of(vote(eve, rank_1="1", rank_0="2"))
    owner, admin = signed_in("owner", Role.OWNER), signed_in("admin", Role.ADMIN)
    return Stage(eve, code, admin, owner, link, person)


def sign_in(password: str, name: str = "Eve") -> Client:
    client = Client()
    client.post("/sign-in/", {"name_or_email": name, "password": password})
    return client


# --- ways in: each answers a browser that is signed in as the voter, or tried to be ---


def by_setting_the_password(stage: Stage) -> Client:
    stage.admin.post("/people/Eve/password/", {"password": NEW})
    return sign_in(NEW)


def by_a_link_the_admin_asked_for(stage: Stage) -> Client:
    stage.admin.post("/people/Eve/reset-link/")
    return reset(stage.link(EVE))


def by_a_link_anybody_asked_for(stage: Stage) -> Client:
    Client().post("/password/forgotten/", {"name_or_email": "Eve"})
    return reset(stage.link(EVE))


def reset(address: str) -> Client:
    Client().post(address, {"password": NEW})
    return sign_in(NEW)


def by_the_mail_page_of_the_owner(stage: Stage) -> Client:
    Client().post("/password/forgotten/", {"name_or_email": "Eve"})
    mails = stage.owner.get("/mails/").content.decode()
    texts = [stage.owner.get(each).content.decode() for each in re.findall(r'href="(/mails/[0-9a-f]{32}/)"', mails)]
    (address,) = {found for text in texts for found in re.findall(r"/password/reset/[^\s<\"]+/", text)}
    return reset(address)


def by_taking_the_second_step_away(stage: Stage) -> Client:
    """Somebody who has seen the password, but has not the phone."""
    secret, now = authenticator_apps.new_secret(), datetime.now().timestamp()
    code = authenticator_apps.code_at(secret, authenticator_apps.step_at(now))
    factors.add_app(people.find("Eve"), secret, code, now)
    stage.admin.post("/people/Eve/factors/")
    return sign_in(PASSWORD)


def by_a_promotion_and_a_link(stage: Stage) -> Client:
    """Roles go up and down; none of them shows a ballot, nor does one bring back what a reset has taken away."""
    stage.owner.post("/people/Eve/role/", {"role": "ADMIN"})
    taken = by_a_link_anybody_asked_for(stage)
    stage.owner.post("/people/Eve/role/", {"role": "VOTER"})
    return taken


TAKEN_OVER = (
    by_a_link_the_admin_asked_for,
    by_a_link_anybody_asked_for,
    by_the_mail_page_of_the_owner,
    by_taking_the_second_step_away,
    by_a_promotion_and_a_link,
)


def test_the_voter_sees_the_ballot_and_the_test_would_notice(stage):
    assert set(learns(stage.eve, stage.code)) == {PAGE, f"{PAGE}receipt/"}


@pytest.mark.parametrize("stage", ["secret", "public"], indirect=True)
@pytest.mark.parametrize("way", [by_setting_the_password, *TAKEN_OVER])
def test_no_way_into_the_account_shows_the_ballot(stage, way):
    assert learns(way(stage), stage.code) == []
    assert [each.confirmation for each in repository.every_ballot("Board")] == [stage.code], "it still counts"


def test_nobody_sets_anothers_password(stage):
    assert stage.admin.post("/people/Eve/password/", {"password": NEW}).status_code == 404
    assert sign_in(PASSWORD).get("/me/").status_code == 200


@pytest.mark.parametrize("way", TAKEN_OVER)
def test_the_voter_hears_when_the_ballot_is_replaced_or_withdrawn(stage, way, outbox):
    thief = way(stage)
    before = len(outbox())
    vote(thief, rank_2="1")
    thief.post(f"{PAGE}withdraw/", {"token": "withdraw"})
    told = [(to, subject) for to, subject, _ in outbox()[before:]]
    assert told == [(EVE, "Plenum: Your ballot was changed"), (EVE, "Plenum: Your ballot was withdrawn")]


def test_what_somebody_casts_after_the_break_is_shown_to_them_and_not_after_the_next(stage):
    thief = by_a_link_anybody_asked_for(stage)
    code = code_of(vote(thief, rank_2="1"))
    assert set(learns(thief, code)) == {PAGE, f"{PAGE}receipt/"}
    again = by_the_mail_page_of_the_owner(stage)
    assert learns(again, code) == []


def test_the_page_says_that_there_is_a_ballot_and_what_can_be_done(stage):
    eve = by_a_link_anybody_asked_for(stage)
    receipt = text_of(eve.get(f"{PAGE}receipt/"))
    assert "You have voted, and your ballot counts." in receipt
    assert "It is not shown because it was cast before this account’s password was reset by mail" in receipt
    page = eve.get(PAGE)
    assert "You have voted, and your ballot counts." in text_of(page)
    assert "The ballot you cast now will replace it." in text_of(page)
    assert not any(value for name, value in fields_of(page, PAGE).items() if name.startswith("rank-"))
    assert "Until then, your earlier ballot counts" in text_of(eve.post(PAGE, {"rank-1": "1"}, follow=True))
    replaced = vote(eve, rank_2="1")
    assert "Your ballot has been changed." in text_of(replaced)
    assert len(list(repository.every_ballot("Board"))) == 1


@pytest.mark.parametrize("stage", ["secret", "public"], indirect=True)
def test_whoever_comes_by_a_break_sees_the_candidates_in_another_order(stage):
    """After the close, a ballot that ranks them as they were listed to the voter would be known by it."""
    before = listing()
    stage.eve.post("/me/password/", {"present": PASSWORD, "password": "the third pass"})
    assert listing() == before
    by_a_link_anybody_asked_for(stage)
    assert listing() != before


def listing() -> bytes:
    return services.standing_of(people.find("Eve"), "Board").order_seed


@pytest.mark.parametrize("stage", ["secret", "public"], indirect=True)
def test_after_the_close_the_page_offers_nothing_that_cannot_be_done(stage):
    eve = by_a_link_anybody_asked_for(stage)
    election = closing.close(people.find("the organiser"), elections.find("Board"))
    page = text_of(eve.get(f"{PAGE}receipt/"))
    assert stage.code not in page
    assert "Cast a new ballot" not in page
    sentence = (
        "nobody can now tell which ballot is whose"
        if election.secret_ballot
        else "You have voted, and your ballot counts"
    )
    assert sentence in page


def test_another_device_of_the_voter_shows_the_ballot(stage):
    assert f"{PAGE}receipt/" in learns(sign_in(PASSWORD), stage.code)


def test_what_the_voter_does_with_their_own_credentials_hides_nothing(stage):
    stage.eve.post("/me/email/", {"email": "new@example.org", "present": PASSWORD})
    Client().post(stage.link("new@example.org"))
    stage.eve.post("/me/password/", {"present": PASSWORD, "password": NEW})
    assert f"{PAGE}receipt/" in learns(stage.eve, stage.code)


def test_sessions_do_not_outlive_a_reset(stage):
    by_a_link_anybody_asked_for(stage)
    assert stage.eve.get(f"{PAGE}receipt/").status_code == 302


# --- ways around the account ---


def test_the_pages_of_admins_and_organisers_show_nobodys_ballot(stage, signed_in):
    stage.admin.post("/election/Board/hand-over/", {"name": "admin"})
    for client in (stage.admin, stage.owner, signed_in(people.find("the organiser"))):
        assert learns(client, stage.code) == []
        for page in ("/people/Eve/", "/mails/", "/invitations/", "/admin/", "/election/Board/roll/?q=Eve"):
            assert stage.code not in client.get(page).content.decode()


def test_a_name_registered_anew_has_nothing_of_the_removed_person(stage):
    stage.admin.post("/people/Eve/remove/", {"name": "Eve"})
    stage.person("Eve", Role.VOTER, email="admin.too@example.org")
    assert learns(sign_in(PASSWORD), stage.code) == []


def test_somebody_who_is_here_cannot_be_invited_anew(stage):
    assert stage.admin.post("/invitations/new/", {"email": EVE, "role": "VOTER"}).status_code == 422


def test_an_address_that_went_to_somebody_else_does_not_take_the_ballot_along(opened, person, signed_in, link):
    """The right to vote belongs to the address, and so does the place on the roll; the ballot is its caster's."""
    opened("eve@example.org", "Bob", "Kim")
    eve = signed_in(person("Eve", Role.VOTER, email="eve@example.org"))
    code = code_of(vote(eve, rank_1="1"))
    move(eve, "moved@example.org", link)
    mallory = signed_in("Mallory", Role.VOTER)
    move(mallory, "eve@example.org", link)
    assert learns(mallory, code) == []
    assert "You have voted, and your ballot counts" in text_of(mallory.get(PAGE))


def move(client: Client, email: str, link: Callable[[str], str]) -> None:
    client.post("/me/email/", {"email": email, "present": PASSWORD})
    client.post(link(email))


def test_whoever_opens_the_link_of_a_registration_is_not_signed_in(opened, person, signed_in, link):
    """Else their session would be there when the voter signs in and votes."""
    opened("new@example.org", "Bob", "Kim")
    owner = signed_in("owner", Role.OWNER)
    accounts.register("New", "new@example.org", PASSWORD)
    owner.post(link("new@example.org"))
    thief = Client()
    thief.cookies = owner.cookies
    new = sign_in(PASSWORD, "New")
    code = code_of(vote(new, rank_1="1"))
    assert learns(thief, code) == []
    assert set(learns(new, code)) == {PAGE, f"{PAGE}receipt/"}


def test_a_paper_ballot_is_shown_to_its_voter_and_to_nobody_who_comes_to_the_address_later(opened, person, signed_in):
    opened("Eve", "mail@example.org", paper_ballots=True)
    organiser = people.find("the organiser")
    eve = signed_in("Eve", Role.VOTER)
    code = services.enter_paper(organiser, "Board", "Eve", ranks(Bo=1), "1").ballot.confirmation
    assert f"{PAGE}receipt/" in learns(eve, code)
    code = services.enter_paper(organiser, "Board", "mail@example.org", ranks(Bo=1), "2").ballot.confirmation
    assert learns(signed_in(person("late", email="mail@example.org")), code) == []


# --- races, and stores of earlier times ---


def test_a_cast_that_began_before_a_reset_is_not_shown_after_it(opened, person):
    """What the request read of the person is older than the break."""
    opened("Eve", "Bob")
    eve = person("Eve", Role.VOTER)
    credentials._record_password(eve, NEW, breaks=True)
    services.cast(eve, "Board", ranks(Bo=1), "1")
    assert repository.ballot_of(services.standing_of(people.find("Eve"), "Board")) is None


def of_earlier_times(site, name: str) -> User:
    site.write(Update(keys.user(name), remove=("lineage",), when=Exists()))
    return people.find(name)


@pytest.fixture
def old(site, opened, person) -> User:
    """A voter whose account has no lineage."""
    opened("Eve", "Bob")
    person("Eve", Role.VOTER)
    eve = of_earlier_times(site, "Eve")
    services.cast(eve, "Board", ranks(Bo=1), "1")
    return eve


def shown() -> bool:
    return repository.ballot_of(services.standing_of(people.find("Eve"), "Board")) is not None


def test_an_old_account_knows_its_new_ballot(old):
    services.cast(old, "Board", ranks(Cy=1), "2")
    assert shown()
    credentials._record_password(people.find("Eve"), NEW, breaks=True)
    assert not shown()


def test_an_address_between_two_old_accounts_does_not_take_the_ballot_along(site, opened, person):
    opened("eve@example.org", "Bob")
    person("Eve", Role.VOTER, email="eve@example.org")
    person("Mallory", Role.VOTER)
    site.write(Update(keys.user("Mallory"), set={"created_at": as_text(utc_now() + timedelta(seconds=1))}))
    eve, mallory = of_earlier_times(site, "Eve"), of_earlier_times(site, "Mallory")
    services.cast(eve, "Board", ranks(Bo=1), "1")
    move_at_once(eve, "moved@example.org")
    move_at_once(mallory, "eve@example.org")
    standing = services.standing_of(people.find("Mallory"), "Board")
    assert standing.voted
    assert repository.ballot_of(standing) is None


def move_at_once(user: User, email: str) -> None:
    EventLog(table()).record(Event(user.name, "UserEmailChanged"), *people.email_change(user, email))


# --- where it is kept ---


def test_a_lineage_is_on_no_page_in_no_event_and_in_no_mail(stage, outbox):
    lineages = {people.find("Eve").lineage}
    stage.owner.post("/people/admin/role/", {"role": "AUDITOR"})
    by_a_link_anybody_asked_for(stage)
    lineages.add(people.find("Eve").lineage)
    items = [stage.admin.get(item_href(each)) for each in (keys.user("Eve"), keys.voter("Board", "Eve"))]
    assert [answer.status_code for answer in items] == [200, 200]
    pages = [*pages_of(stage.eve).values(), *(answer.content.decode() for answer in items)]
    said = [*pages, *map(str, table().each(keys.events())), *map(str, outbox())]
    assert len(lineages) == 2
    assert not [text for text in said for lineage in lineages if lineage in text]
