"""Managing people: lists, roles, removal, invitations, and what happens when several act at once."""

from __future__ import annotations

import re
import time

import pytest
from django.conf import settings
from django.test import Client

from accounts import repository, services
from accounts.rules import Role
from accounts.second_factor import authenticator_apps, factors
from accounts.visitors import Visitor
from foundation.acts.refusals import LostRace, NotAllowed, Refusal
from foundation.acts.storage import log
from foundation.store import keys
from foundation.store.log import Event, EventLog
from foundation.store.table import Exists, Update
from tests.people import PASSWORD, make_owner
from tests.rows import every_row


def owners(site) -> list[str]:
    return [person.name for person in repository.people(role=Role.OWNER, limit=10)[0]]


# --- lists ---


@pytest.fixture
def crowd(person):
    person("owner", Role.OWNER)
    for n in range(120):
        person(f"Voter {n:03}", Role.VOTER)
    person("Zoë", Role.ADMIN, email="zoe@example.org")


def names(page):
    import re

    return re.findall(r'<a href="/people/[^"]+/">([^<]+)</a>', page.content.decode())


def test_people_are_listed_page_by_page_without_a_scan(crowd, signed_in):
    client = signed_in("admin", Role.ADMIN)
    first = client.get("/people/")
    assert len(names(first)) == 50
    assert 'desc="2 trips"' in first["Server-Timing"]
    import re

    seen, page = list(names(first)), first
    while older := re.search(r'href="([^"]+)" rel="next"', page.content.decode()):
        page = client.get(older[1].replace("&amp;", "&"))
        seen += names(page)
    assert len(seen) == len(set(seen)) == 123


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=voter 00", 10),
        ("q=VOTER 005", 1),
        ("q=zoë", 1),
        ("q=ZOE@example.org", 1),
        ("q=nobody", 0),
        ("q=nobody@example.org", 0),
        ("role=ADMIN", 2),
        ("role=VOTER&q=voter 11", 10),
        ("role=NONSENSE", 50),
        ("q=005", 1),
        ("q=11&role=VOTER", 10),
        ("q=11&role=ADMIN", 0),
    ],
)
def test_people_are_found_by_name_address_and_role(crowd, signed_in, query, found):
    assert len(names(signed_in("admin", Role.ADMIN).get(f"/people/?{query}"))) == found


def test_a_forged_cursor_is_refused_with_a_page(crowd, signed_in):
    client = signed_in("admin", Role.ADMIN)
    client.raise_request_exception = False
    assert client.get("/people/?after=forged").status_code == 400


# --- roles ---


def test_a_change_of_role_works_at_once(site, person, signed_in):
    owner = signed_in("owner", Role.OWNER)
    admin = signed_in(person("Ada", Role.ADMIN))
    assert admin.get("/people/").status_code == 200
    owner.post("/people/Ada/role/", {"role": "OBSERVER"})
    assert admin.get("/people/").status_code == 403
    (event,) = [event for event in EventLog(site).since(0) if event["event_type"] == "UserRoleChanged"]
    assert event["event_data"] == {"name": "Ada", "old_role": "ADMIN", "new_role": "OBSERVER"}
    assert [each.name for each in repository.people(role=Role.OBSERVER, limit=9)[0]] == ["Ada"]


def test_the_page_offers_only_what_will_be_accepted(site, person, signed_in):
    person("Ada", Role.VOTER)
    admin = signed_in("admin", Role.ADMIN)
    page = admin.get("/people/Ada/").content.decode()
    for role in Role:
        assert (f'value="{role.name}"' in page) is (role < Role.ADMIN and role != Role.VOTER)
    own = admin.get("/people/admin/").content.decode()
    assert "Change role" not in own


@pytest.mark.parametrize(("target", "role"), [("admin", "USER"), ("peer", "USER"), ("Ada", "ADMIN"), ("Ada", "OWNER")])
def test_a_forged_change_of_role_is_refused(site, person, signed_in, target, role):
    person("Ada", Role.VOTER)
    person("peer", Role.ADMIN)
    admin = signed_in("admin", Role.ADMIN)
    before = repository.find(target).role
    assert admin.post(f"/people/{target}/role/", {"role": role}).status_code == 403
    assert repository.find(target).role == before


def test_a_made_up_role_is_a_sentence(site, person, signed_in):
    person("Ada")
    admin = signed_in("admin", Role.ADMIN)
    answer = admin.post("/people/Ada/role/", {"role": "KING"}, follow=True)
    assert "Choose one of the roles offered" in answer.content.decode()


def test_handing_over_makes_the_old_owner_an_auditor_in_one_event(site, person, signed_in):
    owner = signed_in("owner", Role.OWNER)
    person("Ada", Role.VOTER)
    owner.post("/people/Ada/role/", {"role": "OWNER"})
    assert owners(site) == ["Ada"]
    assert repository.find("owner").role == Role.AUDITOR
    (event,) = [event for event in EventLog(site).since(0) if event["event_type"] == "OwnershipTransferred"]
    assert event["event_data"] == {"old_owner": "owner", "new_owner": "Ada", "old_role": "VOTER"}


def test_somebody_demoted_meanwhile_changes_nothing_any_more(site, person):
    owner, admin, target = person("owner", Role.OWNER), person("admin", Role.ADMIN), person("target")
    services.change_role(owner, admin, Role.VOTER)
    with pytest.raises(LostRace):
        services.change_role(admin, target, Role.VOTER)
    with pytest.raises(LostRace):
        services.remove(admin, target)
    with pytest.raises(LostRace):
        services.send_reset_link(admin, target)
    assert repository.find("target").role == Role.USER


# --- found by a word of the name ---


def found(start, **asked):
    return [each.name for each in repository.people_by_word(start, limit=50, **asked)[0]]


@pytest.fixture
def named(person):
    for name in ("Ada Lovelace", "Ada Adams", "Jan van der Berg", "Anna-Maria Smith-Jones", "Zoë O'Brien", "李 小龙"):
        person(name, email=f"{len(name)}.{name[:3].encode().hex()}@example.org")


@every_row(
    ("start", "names"),
    [
        ("Lovelace", ["Ada Lovelace"]),
        ("LOVE", ["Ada Lovelace"]),
        ("ada", ["Ada Adams", "Ada Lovelace"]),
        ("ad", ["Ada Adams", "Ada Lovelace"]),  # once, though both of her names begin so
        ("adams", ["Ada Adams"]),
        ("van der b", ["Jan van der Berg"]),
        ("berg", ["Jan van der Berg"]),
        ("jones", ["Anna-Maria Smith-Jones"]),
        ("maria smith", ["Anna-Maria Smith-Jones"]),
        ("brien", ["Zoë O'Brien"]),
        ("小", ["李 小龙"]),
        ("ovelace", []),
    ],
)
def test_somebody_is_found_by_any_word_of_their_name(named, start, names):
    assert sorted(found(start)) == names


def test_the_page_finds_surnames_and_says_that_it_does(named, signed_in):
    client = signed_in("admin", Role.ADMIN)
    page = client.get("/people/?q=lovelace")
    assert names(page) == ["Ada Lovelace"]
    assert "surname" in page.content.decode()
    assert 'desc="3 trips"' in page["Server-Timing"], "who asks, the words, the people"


def test_the_search_goes_page_by_page(site, person):
    for number in range(7):
        person(f"Person{number} Same{number}", email=f"{number}@example.org")
    seen, cursor = [], None
    while True:
        some, cursor = repository.people_by_word("same", limit=3, cursor=cursor)
        seen += [each.name for each in some]
        if cursor is None:
            break
    assert seen == [f"Person{number} Same{number}" for number in range(7)]


def test_the_search_follows_a_role_and_an_end(site, person):
    boss, ada = person("boss", Role.OWNER), person("Ada Lovelace", Role.VOTER)
    assert found("love", role=Role.VOTER) == ["Ada Lovelace"]
    services.change_role(boss, ada, Role.ADMIN)
    assert found("love", role=Role.VOTER) == []
    assert found("love", role=Role.ADMIN) == ["Ada Lovelace"]
    services.remove(boss, repository.find("Ada Lovelace"))
    assert found("love") == []
    left = [item for _, item in site.everything() if item["PK"].startswith(("PEOPLEWORDS", "LOOK#"))]
    assert {item["name"] for item in left} == {"boss"}


@pytest.mark.parametrize("name", ["a " * 99 + "z", "\U0001f600 " * 100, "\U0001f600" * 200])
def test_the_longest_names_are_found_too(site, person, name):
    user = person(name.strip(), email="long@example.org")
    assert found(name.split()[-1]) == [user.name]
    assert found(name.strip()) == [user.name]
    services.remove_self(user)
    assert not [item for _, item in site.everything() if item["PK"].startswith(("PEOPLEWORDS", "LOOK#"))]


# --- removing, setting passwords, inviting ---


def test_removing_asks_for_the_name(site, person, signed_in):
    admin = signed_in("admin", Role.ADMIN)
    person("Ada")
    assert admin.post("/people/Ada/remove/", {"name": "Bo"}).status_code == 422
    assert admin.post("/people/Ada/remove/", {"name": "Ada"}).status_code == 302
    assert repository.find("Ada") is None
    assert not re.search(r"\bAda\b", admin.get("/people/?q=Ada").content.decode().partition("<table")[2])
    assert admin.get("/people/Ada/").status_code == 404


@pytest.mark.parametrize("path", ["remove", "reset-link", "factors"])
@pytest.mark.parametrize("role", [Role.ADMIN, Role.AUDITOR, Role.OWNER])
def test_nobody_manages_somebody_who_is_not_below(site, person, signed_in, outbox, path, role):
    admin = signed_in("admin", Role.ADMIN)
    person("peer", role)
    for name in ("peer", "admin"):
        assert admin.post(f"/people/{name}/{path}/", {"name": name}).status_code == 403
    assert repository.find("peer") is not None
    assert outbox() == []


def test_a_removed_person_is_signed_out_at_once(site, person, signed_in):
    ada = signed_in(person("Ada"))
    services.remove(person("owner", Role.OWNER), repository.find("Ada"))
    assert ada.get("/me/").status_code == 302


def test_a_name_that_was_removed_can_be_taken_again_without_its_old_sessions(site, person, signed_in):
    ada = signed_in(person("Ada"))
    services.remove(person("owner", Role.OWNER), repository.find("Ada"))
    person("Ada", email="another@example.org")
    assert ada.get("/me/").status_code == 302


def test_an_admin_has_a_reset_link_mailed_and_sets_no_password(site, person, signed_in, outbox, link):
    ada = signed_in(person("Ada"))
    before = repository.find("Ada")
    admin = signed_in("admin", Role.ADMIN)
    assert 'action="/people/Ada/reset-link/"' in admin.get("/people/Ada/").content.decode()
    answer = admin.post("/people/Ada/reset-link/", {"password": "a brand new pass"}, follow=True)
    assert "on its way to Ada@example.org" in answer.content.decode()
    assert (repository.find("Ada").password, repository.find("Ada").lineage) == (before.password, before.lineage)
    assert ada.get("/me/").status_code == 200, "until the link is used nothing has changed"
    (mailed,) = [text for to, _, text in outbox() if to == "Ada@example.org"]
    assert "admin, who manages the accounts here" in mailed
    (event,) = [event for event in EventLog(site).since(0) if event["event_type"] == "ResetLinkSent"]
    assert (event["actor"], event["event_data"]) == ("admin", {"name": "Ada"})
    address = link("Ada@example.org")
    assert admin.post(address, {"password": "a brand new pass"}).status_code == 302
    assert ada.get("/me/").status_code == 302


def test_an_admin_has_only_so_many_reset_links_mailed(site, person, signed_in, outbox):
    person("Ada")
    admin = signed_in("admin", Role.ADMIN)
    answers = [admin.post("/people/Ada/reset-link/", follow=True).content.decode() for _ in range(4)]
    assert ["tried too often" in answer for answer in answers] == [False, False, False, True]
    assert len(outbox()) == 3


# --- the lineage of credentials ---


def lineage(name: str = "Ada") -> str:
    return repository.find(name).lineage


def test_every_way_to_an_account_begins_a_lineage(site, signed_in, link):
    client = signed_in(make_owner())
    services.register("Ada", "ada@example.org", PASSWORD, "192.0.2.1")
    Client().post(link("ada@example.org"))
    client.post("/invitations/new/", {"email": "bo@example.org", "role": "VOTER"})
    Client().post(link("bo@example.org"), {"name": "Bo", "password": PASSWORD})
    services.make_demo_person("Cy", Role.VOTER, "", PASSWORD)
    lineages = [lineage(name) for name in ("owner", "Ada", "Bo", "Cy")]
    assert len(set(lineages)) == 4
    assert {len(each) for each in lineages} == {32}


def test_what_is_done_with_ones_own_credentials_is_no_break(site, person, signed_in, link):
    ada = signed_in(person("Ada"))
    before = lineage()
    ada.post("/me/password/", {"present": PASSWORD, "password": "a brand new pass"})
    ada.post("/me/email/", {"email": "new@example.org", "present": "a brand new pass"})
    ada.post(link("new@example.org"))
    services.sign_out_everywhere(repository.find("Ada"))
    services.change_role(person("owner", Role.OWNER), repository.find("Ada"), Role.VOTER)
    services.change_profile(repository.find("Ada"), "Ada L.", "")
    assert repository.find("Ada").email == "new@example.org"
    assert lineage() == before


@pytest.mark.parametrize("asked_by", ["Ada", "admin"])
def test_a_password_reset_by_a_mailed_link_is_a_break(site, person, signed_in, link, asked_by):
    person("Ada")
    before = lineage()
    if asked_by == "Ada":
        services.ask_for_reset("Ada", Visitor("203.0.113.7"))
    else:
        services.send_reset_link(person("admin", Role.ADMIN), repository.find("Ada"))
    address = link("Ada@example.org")
    assert lineage() == before
    page = Client().get(address).content.decode()
    assert "they will no longer be shown, not even to you" in page
    Client().post(address, {"password": "a brand new pass"})
    assert lineage() not in ("", before)


def test_a_new_address_that_was_asked_for_before_a_break_is_not_confirmed_after_it(site, person, signed_in, link):
    """Whoever was in the account cannot take it along, once its owner has come back."""
    thief = signed_in(person("Ada"))
    thief.post("/me/email/", {"email": "thief@example.org", "present": PASSWORD})
    asked = link("thief@example.org")
    services.ask_for_reset("Ada", Visitor("203.0.113.7"))
    Client().post(link("Ada@example.org"), {"password": "a brand new pass"})
    assert thief.post(asked).status_code == 410
    assert repository.find("Ada").email == "Ada@example.org"


def test_second_steps_taken_away_by_an_admin_are_a_break_and_nothing_else_of_theirs_is(site, person, signed_in, outbox):
    ada = person("Ada")
    before, secret, now = lineage(), authenticator_apps.new_secret(), time.time()
    admin = signed_in("admin", Role.ADMIN)
    assert "already been removed" in admin.post("/people/Ada/factors/", follow=True).content.decode()
    factors.add_app(ada, secret, authenticator_apps.code_at(secret, authenticator_apps.step_at(now)), now)
    factors.use_code(ada, factors.make_codes(ada)[0], now)
    factors.remove_app(repository.find("Ada"))
    factors.add_app(ada, secret, authenticator_apps.code_at(secret, authenticator_apps.step_at(now)), now)
    assert lineage() == before
    admin.post("/people/Ada/factors/")
    assert repository.find("Ada").factors == []
    assert lineage() not in ("", before)
    assert [subject for _, subject, _ in outbox()].count("Plenum: Your second step was removed") == 1


def test_a_removed_name_that_is_registered_anew_has_another_lineage(site, person):
    first = person("Ada")
    services.remove(person("owner", Role.OWNER), repository.find("Ada"))
    person("Ada")
    assert lineage() not in ("", first.lineage)


def test_an_account_of_earlier_times_works_and_gets_a_lineage_by_its_first_break(site, person, signed_in, link):
    person("Ada")
    site.write(Update(keys.user("Ada"), remove=("lineage",), when=Exists()))
    assert lineage() == ""
    assert signed_in(repository.find("Ada")).get("/me/").status_code == 200
    services.ask_for_reset("Ada", Visitor("203.0.113.7"))
    Client().post(link("Ada@example.org"), {"password": "a brand new pass"})
    assert len(lineage()) == 32


def test_an_invitation_makes_the_account_and_confirms_the_address(site, client, signed_in, link):
    admin = signed_in("admin", Role.ADMIN)
    admin.post("/invitations/new/", {"email": "new@example.org", "role": "VOTER"})
    assert "new@example.org" in admin.get("/invitations/").content.decode()
    address = link("new@example.org")
    assert "new@example.org" in client.get(address).content.decode()
    assert client.post(address, {"name": "admin", "password": PASSWORD}).status_code == 422
    assert client.post(address, {"name": "New", "password": PASSWORD}).status_code == 302
    assert repository.find("new").email == "new@example.org"
    assert client.post(address, {"name": "Newer", "password": PASSWORD}).status_code == 410
    assert "new@example.org" not in admin.get("/invitations/").content.decode()


def test_an_invitation_promises_a_role_below_the_senders(site, client, signed_in, link, person, outbox):
    admin = signed_in("admin", Role.ADMIN)
    page = admin.get("/invitations/new/").content.decode()
    assert re.findall(r'<option value="(\w+)"', page) == ["OBSERVER", "VOTER", "USER"]
    for role in ("ADMIN", "OWNER", "NO_ACCESS", "made up"):
        assert admin.post("/invitations/new/", {"email": "new@example.org", "role": role}).status_code == 422
    for role in (Role.ADMIN, Role.OWNER, Role.NO_ACCESS):
        with pytest.raises(NotAllowed, match="below your own"):
            services.invite(repository.find("admin"), "new@example.org", role)
    assert outbox() == []
    admin.post("/invitations/new/", {"email": "new@example.org", "role": "USER"})
    page = admin.get("/invitations/").content.decode()
    assert 'name="role" value="USER"' in page, "sent again with the same role"
    client.post(link("new@example.org"), {"name": "New", "password": PASSWORD})
    assert repository.find("New").role == Role.USER


def test_who_may_no_longer_give_a_role_has_not_promised_it(site, client, signed_in, link, person):
    owner = person("owner", Role.OWNER)
    signed_in("auditor", Role.AUDITOR).post("/invitations/new/", {"email": "new@example.org", "role": "ADMIN"})
    services.change_role(owner, repository.find("auditor"), Role.ADMIN)
    client.post(link("new@example.org"), {"name": "New", "password": PASSWORD})
    assert repository.find("New").role == Role[settings.DEFAULT_ROLE]


def test_inviting_somebody_who_is_here_says_so(site, person, signed_in):
    admin = signed_in("admin", Role.ADMIN)
    person("Ada", email="ada@example.org")
    answer = admin.post("/invitations/new/", {"email": "ADA@example.org", "role": "VOTER"})
    assert "already belongs to an account here" in answer.content.decode()


def test_an_invitation_is_sent_again_on_request(site, signed_in, outbox):
    admin = signed_in("admin", Role.ADMIN)
    for _ in range(2):
        admin.post("/invitations/new/", {"email": "new@example.org", "role": "VOTER"})
    assert len(outbox()) == 2
    assert admin.get("/invitations/").content.decode().count("<tr>") == 2


def test_refusals_are_sentences(site, person):
    with pytest.raises(Refusal, match=r"\.$"):
        services.remove_self(person("owner", Role.OWNER))
    with pytest.raises(NotAllowed, match=r"\.$"):
        services.change_role(person("Ada"), person("Bo"), Role.VOTER)


def test_the_index_may_lag_and_the_address_is_found_all_the_same(site, person, monkeypatch):
    from foundation.store.sqlite import SqliteTable
    from foundation.store.table import Page

    person("Ada", email="ada@example.org")
    page = SqliteTable.page
    stale = lambda self, span, **options: Page([], None) if span.index else page(self, span, **options)  # noqa: E731
    monkeypatch.setattr(SqliteTable, "page", stale)
    assert repository.find_by_email("ADA@example.org").name == "Ada"


def test_an_index_that_still_tells_of_the_last_owner_of_an_address_is_not_believed(site, person, monkeypatch):
    from foundation.store.sqlite import SqliteTable
    from foundation.store.table import Page

    old = person("Ada", email="shared@example.org")
    before = site.page(keys.users_by_email("shared@example.org"))
    log().record(Event("Ada", "UserEmailChanged"), *repository.email_change(old, "ada@example.org"))
    person("Bo", email="shared@example.org")
    page = SqliteTable.page
    stale = lambda self, span, **options: Page(before.items, None) if span.index else page(self, span, **options)  # noqa: E731
    monkeypatch.setattr(SqliteTable, "page", stale)
    assert repository.find_by_email("shared@example.org").name == "Bo"


def test_a_person_is_read_field_by_field():
    said = {name: f"{name}!" for name in ("name", "email", "created_at", "voter_since", "session_salt", "display_name")}
    said |= {name: f"{name}!" for name in ("about", "lineage", "visited_at", "visited_before", "asked_at")}
    said |= {"factors": [1], "mails_a_day": 7, "confirmed": True}
    item = said | {"salt": "", "hash": "", "role": "VOTER", "last_login": "2026-11-15T10:30:00+00:00"}
    user = repository.user_of(item)
    assert {name: getattr(user, name) for name in said} == said
    assert (user.role_name, user.last_login.year, user.photo) == ("VOTER", 2026, None)
