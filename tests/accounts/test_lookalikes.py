"""Nobody gets a name that looks like another account's; and names of every script are welcome."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts import repository, services
from accounts.models import User
from accounts.rules import Role, is_at, skeleton
from elections import voter_lists
from elections.groups import repository as groups
from elections.groups import services as grouping
from foundation.acts.refusals import NameTaken
from foundation.acts.tokens import create_token
from foundation.pages import lists
from foundation.pages.lists import Verdict
from foundation.store.table import Put, Refused
from operations.upkeep import replay
from parts.questions.question import Kind, Question, flaws, tidied
from tests.at_once import at_once
from tests.people import PASSWORD, make_owner, somebody
from tests.rows import every_row

LOOKS = "looks just like this one"


def register(name, email="eve@example.org"):
    return Client().post("/register/", {"name": name, "email": email, "password": PASSWORD})


@every_row(
    "name",
    [
        "Аda Lovelace",  # a Cyrillic A
        "Ada Lοvelace",  # a Greek o
        "Ada LoveIace",  # a capital I
        "Ada Love1ace",
        "ADA LOVELАCE",
        "𝐀da Lovelace",
        "Ada\u2004Lovelace\u200b".replace("o", "о"),
    ],
)
def test_a_name_that_looks_like_anothers_is_not_to_be_had(site, person, name):
    person("Ada Lovelace", Role.OWNER)
    answer = register(name, f"{ascii(name)[1:-1].replace(' ', '.').replace(chr(92), '-')}@example.org")
    assert answer.status_code == 422
    assert LOOKS in answer.content.decode()
    assert name.strip("\u200b") in answer.content.decode(), "what was typed is there"


@every_row(
    "name", ["Ada\u200b Lovelace", "Ada Love\u2060lace", "\u2067ada lovelace", "Ada\u00ad Lovelace", "ada LOVELACE"]
)
def test_the_same_name_with_something_nobody_sees_is_the_same(site, person, name):
    person("Ada Lovelace", Role.OWNER)
    answer = register(name, f"{ascii(name)[1:-1].replace(' ', '.').replace(chr(92), '-')}@example.org")
    assert "name is already taken" in answer.content.decode()
    assert repository.find(name).name == "Ada Lovelace"


@pytest.mark.parametrize(
    ("here", "new"),
    [
        ("Anna", "Анна"),
        ("Nikos", "Νίκος"),
        ("Jose", "José"),
        ("Muller", "Müller"),
        ("Ali", "All"),
        ("Student 1", "Student 2"),
        ("John", "Jon"),
        ("محمد", "احمد"),
        ("山田", "山口"),
    ],
)
def test_names_that_differ_to_the_eye_are_free(site, person, here, new):
    person(here)
    person(new, email="new@example.org")
    assert skeleton(here) != skeleton(new)


def test_a_whole_name_in_another_script_is_free_unless_somebody_has_its_look(site, person):
    person("Сара")
    with pytest.raises(NameTaken, match=LOOKS):
        person("Capa")
    person("Sara")


def test_it_is_a_condition_and_not_a_look(site):
    make_owner()
    names = ["Ada", "Аda", "Adа", "Аdа"]
    users = [somebody(name, Role.USER, f"{number}@example.org") for number, name in enumerate(names)]

    outcomes = at_once(*(lambda user=user: services.create_account(user) for user in users))
    assert sorted(type(each).__name__ for each in outcomes) == ["NameTaken", "NameTaken", "NameTaken", "NoneType"]


def test_whoever_was_invited_is_refused_as_well(site, person):
    boss = make_owner()
    services.invite(boss, "eve@example.org", Role.VOTER)
    person("Ada")
    link = f"/invited/{create_token('invitation', 'eve@example.org')}/"
    answer = Client().post(link, {"name": "Аda", "password": PASSWORD})
    assert answer.status_code == 422
    assert LOOKS in answer.content.decode()
    assert Client().post(link, {"name": "Eve", "password": PASSWORD}).status_code == 302


def test_a_name_is_free_again_when_its_owner_has_gone(site, person):
    ada = person("Ada")
    services.remove_self(ada)
    person("Аda", email="other@example.org")


# --- wherever names stand beside each other ---

THRICE = "Maria Silva\nMaria Silva\u200b\nMaria\u2060 Silva"


@pytest.mark.parametrize("read", [lists.read_candidates, lambda text: lists.read_people(text, 9)])
def test_a_candidate_or_somebody_on_a_roll_stands_there_once(read):
    rows = read(THRICE)
    assert [row.verdict for row in rows] == [Verdict.NEW, Verdict.REPEATED, Verdict.REPEATED]
    assert {row.value for row in rows} == {"Maria Silva"}


def test_one_mailbox_is_on_a_roll_once():
    rows = voter_lists.read_voters("a@bücher.example\na@xn--bcher-kva.example\nb@b\u200bücher.example".encode())
    assert [row.verdict for row in rows] == [Verdict.NEW, Verdict.REPEATED, Verdict.NEW]
    assert rows[0].value == "a@bücher.example", "as it was typed"


def test_options_of_a_question_differ_to_the_eye():
    question = tidied(Question("Who?", Kind.CHOICE, options=("Ada", "A\u200dda", "\u2068Ada\u2069")))
    assert question.options == ("Ada", "Ada", "Ada")
    assert [flaw.field for flaw in flaws(question)] == ["option2", "option3"]


def test_groups_have_names_that_differ_to_the_eye(site, person):
    ada = person("Ada")
    grouping.make(ada, "Board")
    with pytest.raises(grouping.NameTaken):
        grouping.make(ada, "Bo\u200bard")
    assert groups.names_taken(ada.name) == {"board"}


# --- mailboxes ---


def test_one_mailbox_has_one_account(site):
    make_owner("Ada", "ada@bücher.example")
    assert repository.find_by_email("ADA@xn--bcher-kva.example").name == "Ada"
    register("Eve", "ada@xn--bcher-kva.example")
    mails = [item for _, item in site.everything() if item["PK"].startswith("MAIL#")]
    assert [(mail["kind"], mail["to"]) for mail in mails] == [("already_registered", "ada@bücher.example")]
    user = User(name="Eve", email="ada@xn--bcher-kva.example", role_name="USER", created_at="2026", session_salt="x")
    with pytest.raises(Refused):
        services.create_account(user)
    assert repository.find("Eve") is None


@pytest.mark.parametrize("email", ["a@bücher.example", "a@xn--bcher-kva.example", "a@BÜCHER.example"])
def test_a_domain_that_may_register_may_be_spelt_in_both_ways(email):
    for domain in ("bücher.example", "xn--bcher-kva.example"):
        assert is_at(email, [domain])
        assert not is_at(email, [f".{domain}"])
        assert is_at(email.replace("@", "@mail."), [f".{domain}"])


# --- made again from the log ---


def test_what_belongs_to_nobody_is_named_by_a_replay(site, person):
    person("boss", Role.OWNER)
    site.write(Put(repository.lookalike_guard("Nobody Here")))
    found = {each.place.split(" / ")[0] for each in replay.check(site).first}
    assert found == {"LOOK#nobody here"}
