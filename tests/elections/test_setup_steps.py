"""The path from a new draft to an open election: what it begins with, each of its steps, and every way off it."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from elections import actions, repository, setup_steps
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.drafts.cards import (
    KIND_CARDS,
    METHOD_CHOICES,
    SCORING_CARDS,
    TEMPLATES,
    UNRANKED_CARDS,
    end_after_days,
    initial_settings,
)
from elections.drafts.forms import ADDED_FIELDS, GROUPS, ElectionForm, SettingsForm
from elections.drafts.setup_forms import DAYS, HowForm, NewElectionForm, WhenForm
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager
from elections.roll.services import add_voters
from elections.rules import KINDS, METHODS, RANKED_METHODS, UNRANKED, Action, Election, State, check_settings
from foundation.ranking.candidates import Candidate
from foundation.store.log import EventLog
from foundation.tally import methods
from tests.clock import stands_at
from tests.people import enrol
from tests.rows import every_row

NOW = "2094-03-01T09:00:00.000Z"  # a Monday
NEW = {"beginning": "board", "name": "Board 2027", "token": "t" * 32}
WHO = {"electorate": "listed", "voters": "", "ballots": "secret", "changes": "changeable"}
WHEN = {"opens": "pressed", "lasts": "week", "time_zone": "Europe/Berlin", "remind_before": ["24"]}
HOW = {"method": "schulze", "seats": "1", "unranked": "below"}
FORMS = {
    "what": {"name": "Council", "description": ""},
    "candidates": {"names": "Amara\nChen"},
    "who": WHO,
    "when": WHEN,
    "how": HOW,
}


@pytest.fixture
def ada(person, signed_in):
    return signed_in("Ada")


@pytest.fixture
def draft(ada, monkeypatch) -> Election:
    stands_at(monkeypatch, NOW)
    ada.post("/elections/new/", NEW)
    return now()


def now() -> Election:
    return repository.find("Board 2027")


def at(step: str) -> str:
    return reverse("election_step", args=["Board 2027", step])


def text_of(answer) -> str:
    return answer.content.decode()


def events(site) -> list[str]:
    return [event["event_type"] for event in EventLog(site).since(0)]


def said_of(form: type, data: dict, **options) -> dict:
    bound = form(data, **options)
    assert bound.is_valid(), bound.errors
    return bound.values()


# --- what it is ---


@every_row("name", TEMPLATES)
def test_every_beginning_is_a_whole_election_that_can_be_counted(name):
    settings = initial_settings(TEMPLATES[name], 3, "Europe/Berlin", datetime(2094, 3, 1, 9, tzinfo=UTC))
    election = Election(name="E", owner_name="Ada", created_at=NOW, **settings)
    check_settings(election.method, election.seats, election.secret_ballot, election.results_visible)
    assert election.no_voting_after == "2094-03-08T17:00:00.000Z", "a week, at six in the evening there"
    assert election.remind_before == (24,)
    assert election.seats == (3 if name == "seats" else 1)


def test_an_election_ends_in_the_evening_there_also_when_the_clocks_change():
    assert end_after_days(7, "Europe/Berlin", datetime(2094, 3, 25, 23, 30, tzinfo=UTC)) == "2094-04-02T16:00:00.000Z"


def test_all_methods_and_both_rules_are_explained_and_no_other():
    first, more = METHOD_CHOICES[:-1], METHOD_CHOICES[-1][1]
    assert {name for name, _card in [*first, *more]} == set(RANKED_METHODS)
    assert set(SCORING_CARDS) == set(methods.KINDS["score"])
    assert set(KIND_CARDS) == set(KINDS) == set(methods.KINDS)
    assert {method for kind in methods.KINDS.values() for method in kind} >= set(METHODS)
    assert [name for name, _card in first] == ["schulze", "stv-scottish"]
    assert set(UNRANKED_CARDS) == set(UNRANKED)
    assert all(card.picture for card in UNRANKED_CARDS.values())


def test_a_draft_needs_a_kind_and_a_name_and_leads_to_its_first_step(ada, site):
    page = text_of(ada.get("/elections/new/"))
    assert page.count('name="beginning"') == 5
    answer = ada.post("/elections/new/", {**NEW, "beginning": "seats", "seats": "5", "description": "Why *now*"})
    assert answer["Location"] == at("candidates")
    text = repository.description_of(now().name).description
    assert (now().method, now().seats, text) == ("stv-scottish", 5, "Why *now*")
    assert events(site).count("ElectionCreated") == 1


def test_the_same_form_twice_is_one_draft_and_another_form_of_that_name_is_told(ada, site):
    for _again in range(2):
        assert ada.post("/elections/new/", NEW)["Location"] == at("candidates")
    assert events(site).count("ElectionCreated") == 1
    answer = ada.post("/elections/new/", {**NEW, "name": "BOARD 2027", "token": "u" * 32, "description": "Typed"})
    assert answer.status_code == 422
    page = text_of(answer)
    assert "There is already an election with that name" in page
    assert "Typed" in page
    assert 'value="BOARD 2027"' in page


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"beginning": "raffle"}, "Select a valid choice"),
        ({"beginning": "seats", "seats": ""}, "This field is required."),
        ({"beginning": "seats", "seats": "0"}, "greater than or equal to 1"),
    ],
)
def test_what_is_wrong_is_said_and_no_draft_is_made(ada, site, change, sentence):
    answer = ada.post("/elections/new/", {**NEW, "description": "Typed", **change})
    assert (answer.status_code, sentence in text_of(answer), "Typed" in text_of(answer)) == (422, True, True)
    assert "ElectionCreated" not in events(site)


def test_the_draft_is_in_the_readers_zone_unless_the_site_has_one(settings):
    def zone(said: str) -> str:
        return said_of(NewElectionForm, {**NEW, "zone": said})["time_zone"]

    assert [zone(said) for said in ("Asia/Tokyo", "Mars/Olympus", "")] == ["Asia/Tokyo", "UTC", "UTC"]
    settings.SITE_TIME_ZONE = "Europe/Berlin"
    assert zone("Asia/Tokyo") == "Europe/Berlin"


# --- the whole way ---


def test_a_first_election_needs_a_name_its_candidates_and_its_voters(ada, draft, site):
    """The shortest way to an open election; each step is sent as its page shows it, with nothing else changed."""
    steps = [ada.post(at("candidates"), {"names": "Amara\nChen"})]
    steps.append(ada.post(at("who"), {**as_shown(ada, "who"), "voters": "someone@example.org"}))
    steps += [ada.post(at(name), as_shown(ada, name)) for name in ("when", "how")]
    opening = reverse("open_election", args=["Board 2027"])
    assert [answer["Location"] for answer in steps] == [at("who"), at("when"), at("how"), opening]
    assert "ElectionUpdated" not in events(site), "whoever changes nothing has changed nothing"
    ada.post(opening, {})
    assert now().stored_state == State.OPEN
    assert now().no_voting_after == "2094-03-08T18:00:00.000Z"


def as_shown(client, step: str) -> dict[str, str]:
    """What a browser without scripts would send of a step as it stands."""
    page = text_of(client.get(at(step)))
    fields = {}
    for attributes in re.findall(r"<input([^>]*)>", page):
        has = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        if has.get("type") not in ("radio", "checkbox") or " checked" in attributes:
            fields[has.get("name", "")] = has.get("value", "on")
    for name, options in re.findall(r'<select name="(\w+)".*?>(.*?)</select>', page, re.DOTALL):
        fields[name] = re.search(r'value="([^"]*)" selected', options)[1]
    return fields | {"voters": ""}


def test_every_step_shows_where_one_is_and_ways_on_and_off(ada, draft):
    for step in setup_steps.STEPS:
        page = text_of(ada.get(at(step.name)))
        assert page.count('aria-current="step"') == 1
        assert f'href="{setup_steps.next_url(step, draft)}"' in page, "skip for now"
        assert reverse("dashboard", args=["Board 2027"]) in page
        assert all(at(other.name) in page for other in setup_steps.STEPS if other is not step)
    assert at("candidates") in text_of(ada.get(reverse("dashboard", args=["Board 2027"])))
    opening = text_of(ada.get(reverse("open_election", args=["Board 2027"])))
    assert '<li aria-current="step"><span>Open it</span>' in opening
    assert all(f'<li class="done"><a href="{at(step.name)}">' in opening for step in setup_steps.STEPS)


@pytest.mark.parametrize("name", FORMS)
def test_a_draft_that_was_opened_meanwhile_says_so_and_changes_nothing(ada, draft, name):
    user = people.find("Ada")
    add_candidates(user, draft, [Candidate("Bo"), Candidate("Cy")])
    add_voters(user, draft, ["someone@example.org"])
    lifecycle.open_(user, now(), editable=True)
    before = now()
    assert "already open" in text_of(ada.get(at(name)))
    answer = ada.post(at(name), FORMS[name])
    assert (answer.status_code, "already open" in text_of(answer), now()) == (409, True, before)


def test_who_may_take_which_step(ada, draft, signed_in):
    helper = signed_in("Helper")
    add_manager(people.find("Ada"), draft, "Helper")
    assert [helper.get(at(step.name)).status_code for step in setup_steps.STEPS] == [403, 200, 403, 403, 403]
    assert helper.post(at("who"), WHO).status_code == 403
    for client, status in ((Client(), 302), (signed_in("Stranger"), 404), (signed_in("Root", Role.ADMIN), 403)):
        assert {client.get(at(step.name)).status_code for step in setup_steps.STEPS} == {status}
    assert ada.get(at("nowhere")).status_code == 404
    assert ada.delete(at("who")).status_code == 405


# --- each step ---


def test_a_draft_is_called_otherwise_or_keeps_all_it_had(ada, draft):
    drafts.create(people.find("Ada"), "Council")
    answer = ada.post(at("what"), {"name": "council", "description": "New"})
    assert (answer.status_code, "already an election with that name" in text_of(answer), now()) == (422, True, draft)
    answer = ada.post(at("what"), {"name": "The board", "description": "Who *leads*?"})
    assert answer["Location"] == reverse("election_step", args=["The board", "candidates"])
    assert repository.description_of("The board").description == "Who *leads*?"
    assert now() is None


def test_what_is_on_the_ballot_is_pasted_listed_and_added_to(ada, draft):
    answer = ada.post(at("candidates"), {"names": "  "})
    assert answer.status_code == 422
    assert "skip this step for now" in text_of(answer)
    assert ada.post(at("candidates"), {"names": "1. Amara\n2. Chen", "stay": "yes"})["Location"] == at("candidates")
    assert "Amara" in text_of(ada.get(at("candidates")))
    assert ada.post(at("candidates"), {"names": ""})["Location"] == at("who"), "some are there"
    assert "x" * 60 in text_of(ada.post(at("candidates"), {"names": "x" * 300}))


def test_a_picture_is_asked_for_without_losing_names_and_leads_back_to_the_step(ada, draft):
    ada.post(at("candidates"), {"names": "Amara\nChen", "stay": "yes"})
    page = text_of(ada.get(at("candidates")))
    assert page.count('name="picture"') == 2
    answer = ada.post(at("candidates"), {"names": "Eve", "picture": "1"})
    assert answer["Location"] == "/election/Board%202027/candidates/Chen/picture/?path=yes"
    assert [each.name for each in repository.candidates_by_name("Board 2027")] == ["Amara", "Chen", "Eve"]
    form = text_of(ada.get(answer["Location"]))
    assert 'value="Chen"' in form, "what it shows, unless something better is typed"
    assert f'href="{at("candidates")}"' in form
    assert ada.post(at("candidates"), {"names": "", "picture": "7"})["Location"] == at("who"), "nobody has it"


@pytest.mark.needs("skills")
@pytest.mark.parametrize(
    ("kind", "of_options"), [("board", False), ("seats", False), ("option", True), ("priorities", True)]
)
def test_only_elections_of_people_have_a_tab_for_skills(ada, kind, of_options):
    ada.post("/elections/new/", {**NEW, "beginning": kind, "seats": "3"})
    assert now().of_options == of_options
    tab = f'href="{reverse("needs", args=["Board 2027"])}"'
    assert (tab in text_of(ada.get(reverse("roll", args=["Board 2027"])))) != of_options
    assert tab in text_of(ada.get(reverse("needs", args=["Board 2027"]))), "there it is anyway"


def test_who_votes_is_saved_with_the_voters_or_not_at_all(ada, draft, site):
    enrol("Hypatia")
    answer = ada.post(at("who"), {**WHO, "voters": "Hypatia\nGhost", "ballots": "public"})
    assert answer.status_code == 422
    assert "Nobody here has this name: Ghost." in text_of(answer)
    assert now() == draft
    ada.post(at("who"), {**WHO, "voters": "Hypatia\nnew@example.org", "ballots": "public", "vote_by_link": "on"})
    after = now()
    assert (after.voter_count, after.secret_ballot, after.vote_by_link, after.announces) == (2, False, True, False)
    assert events(site)[-2:] == ["VotersAdded", "ElectionUpdated"]
    assert "2 voters are on the list" in text_of(ada.get(at("who")))
    ada.post(at("who"), {**WHO, "electorate": "everyone", "joining": "on"})
    assert (now().electorate, now().joining) == ("everyone", True)


def test_importing_keeps_what_was_ticked_and_comes_back_to_the_step(ada, draft):
    """Saved first, then the file, its preview and its button: and then the step where one was."""
    answer = ada.post(at("who"), {**WHO, "voters": "", "vote_by_link": "on", "ballots": "public", "many": "import"})
    assert now().vote_by_link
    page = ada.get(answer["Location"])
    assert page.status_code == 200
    file = SimpleUploadedFile("roll.csv", b"voter\na@example.org\nb@example.org\n")
    preview = text_of(ada.post(answer["Location"], {"file": file}))
    action = html.unescape(re.search(r'action="([^"]*roll/import/[^"]*)"', preview)[1])
    fields = dict(re.findall(r'name="(voters|skipped)" value="([^"]*)"', preview))
    done = ada.post(action, {name: html.unescape(value) for name, value in fields.items()})
    assert done["Location"] == at("who")
    after = text_of(ada.get(at("who")))
    assert "2 voters are on the list" in after
    assert (now().vote_by_link, now().secret_ballot) == (True, False)
    groups = ada.post(at("who"), {**WHO, "voters": "", "vote_by_link": "on", "many": "group"})
    assert groups["Location"].startswith(reverse("add_group", args=["Board 2027"]))
    seen = ada.post(at("who"), {**WHO, "voters": "c@example.org", "many": "list"}, follow=True)
    assert "c@example.org" in text_of(seen)
    assert at("who") in text_of(seen), "and the way back to this step"


def test_asking_an_admin_saves_the_step_and_comes_back_to_it(ada, draft):
    address = reverse("election_step", args=[draft.name, "who"])
    assert "Ask an admin" in ada.get(address).content.decode()
    answer = ada.post(address, WHO | {"voters": "a@example.org", "vote_by_link": "on", "many": "admin"})
    assert answer["Location"] == address
    assert (now().vote_by_link, now().voter_count) == (True, 1)
    assert "The admins have been asked" in ada.get(address).content.decode()


def test_whoever_lists_addresses_is_told_that_they_would_need_accounts(ada, draft):
    sentence = "must create one before voting"
    ada.post(at("who"), {**WHO, "voters": "a@example.org"})
    dashboard = reverse("dashboard", args=["Board 2027"])
    assert sentence in text_of(ada.get(at("who")))
    assert sentence in text_of(ada.get(dashboard))
    ada.post(at("who"), {**WHO, "voters": "", "vote_by_link": "on"})
    assert sentence not in text_of(ada.get(at("who")))
    assert sentence not in text_of(ada.get(dashboard))


def test_a_secret_ballot_and_live_results_do_not_go_together(ada, draft):
    actions.change(people.find("Ada"), draft, Action.SET_UP, secret_ballot=False, results_visible="live")
    answer = ada.post(at("who"), WHO)
    assert "shows it only after it closes" in text_of(answer)
    assert ada.post(at("who"), {**WHO, "ballots": "public"}).status_code == 302


@pytest.mark.parametrize(("lasts", "days"), DAYS.items())
def test_quick_choices_of_an_end(draft, lasts, days):
    said = said_of(WhenForm, {**WHEN, "lasts": lasts}, election=draft)
    assert said["no_voting_after"] == f"2094-03-{1 + days:02}T17:00:00.000Z"
    assert WhenForm(election=replace(draft, **said))["lasts"].value() == lasts, "and is found again"


def test_an_end_of_ones_own_and_none(draft):
    moment = {**WHEN, "lasts": "moment", "ends": "2094-04-01T12:00", "opens": "moment", "begins": "2094-03-10T08:00"}
    said = said_of(WhenForm, moment, election=draft)
    assert (said["no_voting_before"], said["no_voting_after"]) == (
        "2094-03-10T07:00:00.000Z",
        "2094-04-01T10:00:00.000Z",
    )
    said = said_of(WhenForm, {**moment, "lasts": "week"}, election=draft)
    assert said["no_voting_after"] == "2094-03-17T17:00:00.000Z", "a week from where it begins"
    said = said_of(WhenForm, {**WHEN, "lasts": "closed", "ends": "nonsense"}, election=draft)
    assert said["no_voting_after"] is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"lasts": "moment", "ends": ""}, "This field is required."),
        ({"lasts": "moment", "ends": "2094-02-01T12:00"}, "This is in the past. Choose a later time."),
        ({"opens": "moment", "begins": ""}, "This field is required."),
        ({"opens": "moment", "begins": "2094-05-01T08:00", "lasts": "moment", "ends": "2094-04-01T12:00"}, "must end"),
        ({"time_zone": "Mars/Olympus"}, "Select a valid choice"),
        ({"lasts": ""}, "This field is required."),
    ],
)
def test_what_is_wrong_with_the_times_is_said_beside_them(ada, draft, change, sentence):
    answer = ada.post(at("when"), {**WHEN, **change})
    assert (answer.status_code, sentence in text_of(answer), now()) == (422, True, draft)


def test_a_method_for_several_has_its_seats_and_the_others_have_one(draft):
    def said(**change: str) -> tuple[str, int]:
        values = said_of(HowForm, {**HOW, **change}, election=draft)
        return values["method"], values["seats"]

    assert said(method="stv-meek", seats="4") == ("stv-meek", 4)
    assert said(method="irv", seats="4") == ("irv", 1)
    assert said(method="borda", seats="") == ("borda", 1)
    assert not HowForm({**HOW, "method": "stv-scottish", "seats": ""}, election=draft).is_valid()


def test_a_majority_of_everyone_on_the_roll_needs_a_roll(ada, draft):
    sent = {**HOW, "kind": "yes-no", "majority_share": "2/3", "majority_of": "entitled"}
    assert '<option value="entitled">' in text_of(ada.get(at("how")))
    ada.post(at("how"), sent)
    assert now().majority == "2/3 entitled"
    refused = ada.post(at("who"), {**WHO, "electorate": "everyone"})
    assert (refused.status_code, now().electorate) == (422, "listed")
    ada.post(at("how"), {**sent, "majority_of": "cast"})
    ada.post(at("who"), {**WHO, "electorate": "everyone"})
    assert (now().majority, now().electorate) == ("2/3 cast", "everyone")
    assert 'value="entitled"' not in text_of(ada.get(at("how")))
    for typed in (sent, {**HOW, "kind": "yes-no", "majority": "2/3 entitled"}):
        refused = ada.post(at("how"), typed)
        assert (refused.status_code, "there is no roll" in text_of(refused), now().majority) == (422, True, "2/3 cast")
    assert ada.post(at("how"), {**HOW, "majority_of": "entitled"}).status_code == 302, "a ranking has no majority"


def test_methods_are_cards_and_the_rule_for_those_left_out_is_drawn(ada, draft):
    page = text_of(ada.get(at("how")))
    assert page.count('type="radio" name="method"') == len(RANKED_METHODS)
    assert page.index('value="stv-scottish"') < page.index("More methods") < page.index('value="irv"')
    cards = page[page.index('name="method"') : page.index("More methods")]
    assert cards.count("recommended") == 2, "one for one winner, one for several seats"
    assert re.search(r"<details class=\"more\">\s*<summary>More methods", page), "folded"
    assert "It counts as: A before B before C." in page
    assert "C is not compared with either." in page
    ada.post(at("how"), {**HOW, "method": "irv"})
    assert '<details class="more" open><summary>More methods' in text_of(ada.get(at("how"))), "the chosen one is seen"


# --- all settings at once ---


def test_every_setting_is_in_one_group_and_on_the_page(ada, draft):
    form, grouped = (
        SettingsForm(groups=["North"], title="The chair"),
        [name for group in GROUPS for name in (*group.fields, *group.folded)],
    )
    of_parts = [make().name for make in ADDED_FIELDS]
    assert sorted([*grouped, *of_parts, "description"]) == sorted(form.fields)
    for address in (reverse("election_settings", args=["Board 2027"]), "/elections/new/all/"):
        page = text_of(ada.get(address))
        names = (ElectionForm if "new" in address else SettingsForm)().fields
        shown = ("majority_share" if name == "majority" else name for name in names)
        assert [name for name in shown if f'name="{name}"' not in page] == []


@pytest.mark.needs("letters")
def test_what_is_folded_is_in_sight_once_it_is_used():
    form = SettingsForm(initial={"paper_ballots": True})
    _title, fields, folded = next(form.groups())
    assert "paper_ballots" in [field.name for field in fields]
    assert [field.name for field in folded] == ["letter_check", "safeguards"]
