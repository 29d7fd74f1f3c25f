"""While letters are switched off, no page offers them; switched on again, every letter works as before."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts import api_tokens
from accounts import repository as people
from accounts.api_tokens import Scope
from elections import repository as elections
from elections.candidates import add_candidates
from elections.dashboard import checklist
from elections.drafts import services as drafts
from elections.drafts.forms import SettingsForm
from elections.lifecycle import services as lifecycle
from elections.roll.forms import ImportForm, RollForm
from elections.roll.services import add_voters
from elections.voter_lists import Details, check_mark
from foundation.parts import parts
from foundation.ranking.candidates import Candidate
from parts.help_desk import repository as requests
from parts.help_desk import services as help_desk
from parts.help_desk.rules import Asker
from parts.letters import services
from tests.switching import switched_off

NAME, NUMBER, BORN = "Board", "4711@", "1815-12-10"


@pytest.fixture
def board(person):
    owner = person("the organiser")
    election = drafts.create(owner, NAME, letter_check="birth")
    add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo")])
    known = {NUMBER: Details("Maria Merian", check=check_mark(NUMBER, BORN), postal=("Alte Gasse 3",))}
    add_voters(owner, election, [NUMBER, "ann@example.org"], known)
    return elections.find(NAME)


@pytest.fixture
def opened(board):
    return lifecycle.open_(people.find("the organiser"), board, editable=False)


@pytest.fixture
def page(board, signed_in):
    """Pages of the organiser, as text."""
    client = signed_in("the organiser")
    return lambda route, *words: client.get(reverse(route, args=[NAME, *words])).content.decode()


@pytest.fixture
def code(opened):
    (letter,) = services.print_batch(people.find("the organiser"), opened, 1, 10)
    return letter.code


def letters_off():
    return switched_off("letters")


def test_a_code_opens_nothing_while_they_are_off_and_the_ballot_afterwards(code):
    typed = {"code": code, "answer": BORN}
    with letters_off():
        assert Client().get("/code/").status_code == 404
        assert Client().post("/code/", typed).status_code == 404
    assert Client().post("/code/", typed)["Location"] == reverse("ballot", args=[NAME])


def test_no_page_of_an_election_leads_to_letters(code, page):
    asked = ("roll", "dashboard", "invitation", "election_settings", "history")
    on = {route: page(route) for route in asked}
    assert "/letters/" in on["roll"]
    assert "letter printed" in on["roll"]
    with letters_off():
        off = {route: page(route) for route in asked}
    assert not any("/letters/" in text or "/roll/letter/" in text for text in off.values())
    assert "Maria Merian" in off["roll"], "The voter stays on the roll."
    assert "letter printed" not in off["roll"]
    assert ("By letter" in on["invitation"], "By letter" in off["invitation"]) == (True, False)
    assert "printed 1 letter, batch 1" in off["history"], "What was done is history."


@pytest.mark.parametrize("route", ["letters", "voter_by_letter"])
def test_their_pages_are_gone(board, signed_in, route):
    address = reverse(route, args=[NAME])
    assert signed_in("the organiser").get(address).status_code == 200
    with letters_off():
        assert signed_in("the organiser").get(address).status_code == 404


def test_the_help_leads_to_them_only_while_they_are_on(site):
    assert 'href="/code/"' in Client().get("/help/").content.decode()
    with letters_off():
        assert 'href="/code/"' not in Client().get("/help/").content.decode()


def test_what_voters_are_asked_for_is_not_offered_and_stays_as_it_is(board, signed_in):
    with letters_off():
        form = SettingsForm(initial=SettingsForm.initial_of(board, ""))
        assert "letter_check" not in form.fields
        assert all(field.name != "letter_check" for _title, *some in form.groups() for each in some for field in each)
        chosen = {name: value for name, value in form.initial.items() if value not in (None, False, ())}
        chosen |= {"seats": 1, "paper_ballots": "on"}
        done = signed_in("the organiser").post(reverse("election_settings", args=[NAME]), chosen)
        assert done.status_code == 302, done.content.decode()
    saved = elections.find(NAME)
    assert (saved.paper_ballots, saved.letter_check) == (True, "birth")


def test_programs_cannot_choose_it_either(board):
    owner = people.find("the organiser")
    token = api_tokens.create(owner, "test", [Scope.READ, Scope.ORGANISE], 1)
    program = Client(headers={"Authorization": f"Bearer {token}", "Idempotency-Key": "once"})
    with letters_off():
        answer = program.patch(f"/api/v1/elections/{NAME}", {"letter_check": "number"}, "application/json")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "letter_check"), answer.content
    assert elections.find(NAME).letter_check == "birth"


def test_no_list_of_voters_speaks_of_letters(site):
    def words() -> str:
        return f"{RollForm().fields['voters'].help_text} {ImportForm().fields['file'].help_text}"

    assert words().count("get letters") == 2
    assert "mails. People with a “Member number”" in words()
    assert "used for these. A column “Group”" in words()
    with letters_off():
        assert "letters" not in words()
        assert "mails. A column “Group”" in words()


def test_the_checklist_counts_them_only_while_they_are_on(board):
    assert [tell(board) for tell in checklist.ABOUT_VOTERS] == [
        ["1 of them gets a letter, which you print once it is open."]
    ]
    with letters_off():
        assert list(checklist.ABOUT_VOTERS) == []


@pytest.mark.needs("help_desk")
def test_the_help_desk_replaces_no_letter(code, opened, signed_in):
    help_desk.ask(opened, Asker("M", "m@example.net"), "My letter?", network="203.0.113.7", mark="form")
    (asked,) = requests.list_requests(NAME, "waiting", limit=5)[0]
    address = f"{reverse('request', args=[NAME, asked.id])}?voter={NUMBER}"
    form = {"act": "letter", "voter": NUMBER, "version": str(asked.version)}
    client = signed_in("the organiser")
    assert 'value="letter"' in client.get(address).content.decode()
    with letters_off():
        assert 'value="letter"' not in client.get(address).content.decode()
        assert client.post(address, form).status_code == 404
    assert services.find_by_code(NAME, code)
    assert client.post(address, form).status_code == 302
    assert services.find_by_code(NAME, code) is None


def test_the_owner_reads_what_switching_them_off_interrupts(board):
    (part,) = (each for each in parts() if each.label == "letters")
    assert list(part.running()) == []
    lifecycle.open_(people.find("the organiser"), board, editable=False)
    assert list(part.running()) == ["1 voter by letter is on the roll of an open election."]
