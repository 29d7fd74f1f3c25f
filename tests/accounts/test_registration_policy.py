"""Who may make an account here: open, invited, by domain or closed; and what pages say of it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts import policy, repository, services
from accounts.rules import Role, is_at
from elections.drafts import services as drafts
from elections.invitations import mailing
from foundation.acts.storage import table
from foundation.acts.tokens import create_token
from foundation.mail import outbox as mail
from tests.people import PASSWORD
from tests.rows import every_row

WORDS = {"invited": "by invitation only", "closed": "does not take registrations"}


def typed(email="ada@example.org", name="Ada"):
    return {"name": name, "email": email, "password": PASSWORD}


def text_of(answer):
    return answer.content.decode()


@every_row(
    ("email", "domains", "is_welcome"),
    [
        ("ada@example.org", ["example.org"], True),
        ("Ada@EXAMPLE.org", ["example.org"], True),
        ("ada@mail.example.org", ["example.org"], False),
        ("ada@mail.example.org", [".example.org"], True),
        ("ada@example.org", [".example.org"], False),
        ("ada@badexample.org", [".example.org", "example.org"], False),
        ("ada@example.org.evil.test", [".example.org", "example.org"], False),
        ('"x@example.org"@evil.test', ["example.org"], False),
        ("ada@b.test", ["a.test", "b.test"], True),
    ],
)
def test_a_domain_is_that_domain_and_those_below_it_are_named_with_a_dot(email, domains, is_welcome):
    assert is_at(email, domains) is is_welcome


@pytest.mark.parametrize("rule", ["invited", "closed"])
def test_where_nobody_registers_the_pages_say_so_and_offer_nothing(client, site, person, settings, rule):
    person("owner", Role.OWNER)
    assert "/register/" in text_of(client.get("/sign-in/"))
    settings.REGISTRATION = rule
    assert "/register/" not in text_of(client.get("/sign-in/"))
    page = client.get("/register/")
    assert page.status_code == 200
    assert WORDS[rule] in text_of(page)
    assert 'name="email"' not in text_of(page)
    answer = client.post("/register/", typed())
    assert answer.status_code == 403
    assert WORDS[rule] in text_of(answer)
    with pytest.raises(policy.NoRegistration):
        services.register(**typed(), network="192.0.2.1")
    assert mail.in_state(mail.QUEUED, 9)[0] == []


def test_by_domain_the_sentence_is_about_the_domain_and_tells_of_nobody(client, site, person, settings, link):
    settings.REGISTRATION, settings.REGISTRATION_DOMAINS = "domains", ["example.org", ".example.net"]
    person("owner", Role.OWNER)
    person("Bo", email="bo@elsewhere.test")
    page = client.get("/register/")
    sentence = "Accounts here are only for addresses at: example.org, *.example.net."
    assert sentence in text_of(page)
    assert "/register/" in text_of(client.get("/sign-in/"))
    for email in ("bo@elsewhere.test", "nobody@elsewhere.test"):  # whether somebody has it is not told
        answer = client.post("/register/", typed(email))
        assert answer.status_code == 422
        assert re.findall('<a href="#id_([a-z]+)">[^<:]*: ([^<]*)</a>', text_of(answer)) == [("email", sentence)]
    assert mail.in_state(mail.QUEUED, 9)[0] == []
    assert client.post("/register/", typed("ada@EXAMPLE.org")).status_code == 200
    assert client.post(link("ada@EXAMPLE.org")).status_code == 302
    assert repository.find("Ada") is not None


def test_a_link_that_was_mailed_under_another_rule_makes_no_account(client, site, person, settings, link):
    person("owner", Role.OWNER)
    client.post("/register/", typed())
    settings.REGISTRATION = "closed"
    address = link("ada@example.org")
    for answer in (client.get(address), client.post(address)):
        assert answer.status_code == 403
        assert WORDS["closed"] in text_of(answer)
    assert repository.find("Ada") is None


@pytest.mark.parametrize(("rule", "on_roll"), [("open", 302), ("invited", 302), ("domains", 302), ("closed", 403)])
def test_invitations_make_accounts_and_on_a_closed_site_only_those_of_admins(site, person, settings, rule, on_roll):
    settings.REGISTRATION = rule
    services.invite(person("owner", Role.OWNER), "by.admin@elsewhere.test", Role.VOTER)
    table().write(*mailing.invitation("on.roll@elsewhere.test", "Otto"))
    # Somebody whom an admin has invited stays so when an organiser invites them, too.
    table().write(*mailing.invitation("by.admin@elsewhere.test", "Otto"))
    for email, status in (("by.admin@elsewhere.test", 302), ("on.roll@elsewhere.test", on_roll)):
        address, name = f"/invited/{create_token('invitation', email)}/", email.partition("@")[0]
        assert Client().get(address).status_code == (200 if status == 302 else 403)
        assert Client().post(address, {"name": name, "password": PASSWORD}).status_code == status
        assert (repository.find(name) is not None) == (status == 302)


def test_the_roll_of_a_closed_site_says_who_has_to_invite(site, signed_in, settings):
    organiser = signed_in("Otto")
    drafts.create(repository.find("Otto"), "Board")
    assert "An admin must first invite people" not in text_of(organiser.get("/election/Board/roll/"))
    settings.REGISTRATION = "closed"
    assert "An admin must first invite people" in text_of(organiser.get("/election/Board/roll/"))


def test_nobody_has_links_mailed_to_strangers_without_end(site, signed_in, monkeypatch):
    from accounts import throttle
    from foundation.acts.rate_limits import SECONDS_PER_DAY, Limit

    monkeypatch.setattr(throttle, "NEW_EMAIL", Limit("new-email", 2, SECONDS_PER_DAY))
    client = signed_in("Ada")
    form = {"present": PASSWORD, "email": "victim@example.org"}
    assert [client.post("/me/email/", form).status_code for _ in range(3)] == [200, 200, 422]
    assert len(mail.in_state(mail.QUEUED, 9)[0]) == 2
