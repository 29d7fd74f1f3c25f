"""The roll of an assembly: typed, looked at, growing, with cards to hand out, and a quorum."""

from __future__ import annotations

import html
import re
from contextlib import suppress
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse

from foundation.acts.refusals import NotNow, Refusal
from foundation.store.log import EventLog
from parts.assembly import check_in, roll
from parts.live import players, repository, seats
from parts.live.rules import Step
from parts.questions.question import Type
from tests.assembly.test_check_in import address, by_code, code_of, host, there
from tests.at_once import at_once
from tests.live.conftest import drive, seated
from tests.races.overtaken import lost, overtaken_by


def told(site, kind="LiveRollChanged") -> list[dict]:
    said = (each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind)
    return [{name: value for name, value in each.items() if name != "prepared_at"} for each in said]


@pytest.fixture
def assembly(made):
    return made(Type.ASSEMBLY)


def roll_page(game):
    return address(game, "game_roll")


def now(game):
    return repository.find(game.id)[0]


# --- the page ---


def test_a_list_is_looked_at_before_anybody_is_put_on_the_roll(site, assembly, person):
    person("Ada")
    hana = host()
    typed = "1. Ada\n2. Zita\n3. zita\n4. not@a.name\n\n5. Yves"
    page = hana.post(roll_page(assembly), {"act": "look", "names": typed}).content.decode()
    for words in (
        "New, checks in with an account",
        "New, checks in with a code",
        "Already on line 2.",
        "A name cannot contain @",
    ):
        assert words in page
    assert "Add 3 people to the roll" in page
    assert not list(roll.each_entry(assembly.id)), "To look is not to do."
    assert hana.post(roll_page(assembly), {"act": "add", "names": "Ada\nZita\nYves"})["Location"] == roll_page(assembly)
    assert (now(assembly).own.has_roll, now(assembly).own.entitled) == (True, 3)
    assert told(site) == [{"game_id": assembly.id, "has_roll": True, "entitled": 3, "quorum": "", "added": 3}]
    again = hana.post(roll_page(assembly), {"act": "look", "names": "ZITA\nXenia"}).content.decode()
    assert "Already on the roll." in again
    assert "Add 1 person to the roll" in again


def test_the_page_says_who_is_present_since_when_and_who_is_missing(assembly, person):
    person("Ada")
    roll.add(assembly.id, "Hana", ["Ada", "Zita"])
    game, hana = now(assembly), host()
    by_code(Client(), game, code_of(game, "Zita"))
    everybody = hana.get(roll_page(game)).content.decode()
    assert "1 of 2 present" in everybody
    assert "not here, has an account" in everybody
    seat = next(seats.read_seats(game.id))
    assert seat.joined_at in everybody
    missing = hana.get(roll_page(game), {"show": "missing"}).content.decode()
    assert ("Ada" in missing, "Zita" in missing) == (True, False)
    here = hana.get(roll_page(game), {"show": "here"}).content.decode()
    assert ('dir="auto">Ada<' in here, 'dir="auto">Zita<' in here) == (False, True)
    assert "Nobody found" in hana.get(roll_page(game), {"q": "xyz"}).content.decode()
    assert hana.get(address(game, "game_players"))["Location"] == roll_page(game)


def test_other_sessions_have_none_and_made_up_acts_do_nothing(assembly, made):
    assert host().get(roll_page(made())).status_code == 404
    assert host().post(roll_page(assembly), {"act": "made up"})["Location"] == roll_page(assembly)


def test_cards_have_name_code_address_and_picture_and_no_more_than_fit_a_page(assembly):
    names = [f"Member {number:03d}" for number in range(45)]
    roll.add(assembly.id, "Hana", names)
    game, hana = now(assembly), host()
    assert "Print 45 cards with codes" in hana.get(roll_page(game)).content.decode()
    page = hana.post(roll_page(game), {"act": "cards"}).content.decode()
    assert page.count('class="card-code"') == 40
    assert "5 more cards" in page
    assert code_of(game, "Member 000") in page
    assert 'class="card-qr"' in page
    assert "data-prints" in page
    assert f'<b dir="ltr">{game.code}</b>' in page
    second = hana.post(roll_page(game), {"act": "cards"}).content.decode()
    assert second.count('class="card-code"') == 5


def test_a_code_is_shown_once_and_then_only_renewed(site, assembly):
    """Whoever looks a second time needs a new code, which ends the old one and is in the log."""
    roll.add(assembly.id, "Hana", ["Zita", "Yves", "Xenia"])
    game, hana = now(assembly), host()
    code = code_of(game, "Zita")
    assert code in hana.post(roll_page(game), {"act": "cards"}).content.decode()
    again = hana.post(roll_page(game), {"act": "cards"}).content.decode()
    assert "No new codes" in again
    looks = [
        hana.get(roll_page(game)),
        hana.get(roll_page(game), {"show": "cards"}),
        hana.get(roll_page(game), {"q": "Zita"}),
    ]
    assert not any(code in page.content.decode() for page in [*looks, hana.post(roll_page(game), {"act": "cards"})])
    renewed = hana.post(roll_page(game), {"act": "renew", "name": "Zita"}).content.decode()
    assert code_of(game, "Zita") in renewed
    assert code not in renewed
    assert code_of(game, "Zita") not in hana.post(roll_page(game), {"act": "cards"}).content.decode()
    assert [each.get("shown", 0) for each in told(site)] == [0, 3, 0]
    assert [each.get("renewed", 0) for each in told(site)] == [0, 0, 1]


def test_cards_that_never_came_out_of_the_printer_are_made_anew(site, assembly):
    """But not those of people who have checked in by now."""
    roll.add(assembly.id, "Hana", ["Zita", "Yves", "Xenia"])
    game, hana = now(assembly), host()
    hana.post(roll_page(game), {"act": "cards"})
    before = {name: code_of(game, name) for name in ("Zita", "Yves", "Xenia")}
    by_code(Client(), game, before["Zita"])
    page = hana.post(roll_page(game), {"act": "renew_missing"}, follow=True).content.decode()
    assert "2 people have new codes." in page
    assert "Print 2 cards with codes" in page
    after = {name: code_of(game, name) for name in before}
    assert [name for name in before if after[name] == before[name]] == ["Zita"]
    assert told(site)[-1]["renewed"] == 2


def test_a_roll_of_accounts_needs_no_cards(assembly, person):
    person("Ada")
    roll.add(assembly.id, "Hana", ["Ada"])
    hana = host()
    assert "with codes" not in hana.get(roll_page(assembly)).content.decode()
    assert "No new codes" in hana.post(roll_page(assembly), {"act": "cards"}).content.decode()


# --- growing, and never shrinking once somebody is there ---


def test_the_roll_grows_while_the_assembly_runs_but_not_while_a_vote_is_open(assembly):
    roll.add(assembly.id, "Hana", ["Zita", "Yves", "Xenia"])
    game = now(assembly)
    for name in ("Zita", "Yves", "Xenia"):
        by_code(Client(), game, code_of(game, name))
    drive(assembly, Step.NEXT)
    assert roll.add(assembly.id, "Hana", ["Walt", "zita"]) == 1
    drive(assembly, Step.CLOSE)
    drive(assembly, Step.NEXT)
    drive(assembly, Step.VOTE)
    for act in (
        lambda: roll.add(assembly.id, "Hana", ["Vera"]),
        lambda: roll.remove(assembly.id, "Hana", "Walt"),
        lambda: roll.change_quorum(assembly.id, "Hana", 4, "1/2"),
    ):
        with pytest.raises(NotNow, match="A vote is open"):
            act()
    assert now(assembly).own.entitled == 4
    assert "A vote is open." in host().get(roll_page(assembly)).content.decode()
    roll.renew(assembly.id, "Hana", "Walt")
    drive(assembly, Step.CLOSE)
    roll.remove(assembly.id, "Hana", "Walt")
    assert now(assembly).own.entitled == 3


def test_who_has_checked_in_stays_on_the_roll(assembly):
    roll.add(assembly.id, "Hana", ["Zita", "Yves"])
    game, hana = now(assembly), host()
    by_code(Client(), game, code_of(game, "Zita"))
    for act, name, words in (
        ("remove", "Zita", "Zita has checked in and cannot be taken off the roll."),
        ("remove", "Yves", "Yves is no longer on the roll."),
        ("renew", "Yves", "Nobody with that name is on the roll."),
    ):
        assert words in hana.post(roll_page(game), {"act": act, "name": name}, follow=True).content.decode()
    assert now(game).own.entitled == 1


def test_with_the_last_of_them_the_roll_goes(assembly, person):
    roll.add(assembly.id, "Hana", ["Zita"])
    roll.remove(assembly.id, "Hana", "Zita")
    assert (now(assembly).own.has_roll, now(assembly).own.entitled) == (False, 0)


@pytest.mark.parametrize("removed_first", [True, False])
def test_of_removing_and_checking_in_the_first_wins(assembly, removed_first):
    roll.add(assembly.id, "Hana", ["Zita", "Yves"])
    game, state = repository.find(assembly.id)
    held = players.pass_of_form(players.new_form())
    come = partial(check_in.by_code, game, state, code_of(game, "Zita"), held, "here")
    remove = partial(roll.remove, game.id, "Hana", "Zita")
    lost(*((come, remove) if removed_first else (remove, come)))
    assert there(game) == ([] if removed_first else ["Zita"])
    assert now(game).own.entitled == (1 if removed_first else 2)


def test_of_two_hosts_who_add_one_name_it_is_counted_once(assembly):
    add = partial(roll.add, assembly.id, "Hana", ["Zita"])
    with overtaken_by(add), suppress(Refusal):
        add()
    assert now(assembly).own.entitled == len(list(roll.each_entry(assembly.id))) == 1


def test_two_hosts_who_add_at_once_are_both_counted(assembly):
    at_once(*(lambda name=name: roll.add(assembly.id, "Hana", [name]) for name in ("Zita", "Yves", "zita")))
    assert now(assembly).own.entitled == len(list(roll.each_entry(assembly.id))) == 2


def test_more_than_one_transaction_holds_is_added_in_several_and_never_too_many(site, assembly, monkeypatch):
    assert roll.add(assembly.id, "Hana", [f"Member {number}" for number in range(170)]) == 170
    assert [each["entitled"] for each in told(site)] == [80, 160, 170]
    monkeypatch.setattr(roll, "MAX_ROLL_PEOPLE", 171)
    with pytest.raises(NotNow, match="at most 171"):
        roll.add(assembly.id, "Hana", ["A", "B"])
    assert "A roll has at most" in host().post(roll_page(assembly), {"act": "add", "names": "A\nB"}).content.decode()


def test_a_list_that_is_too_long_or_empty_is_refused(assembly):
    hana = host()
    assert hana.post(roll_page(assembly), {"act": "look", "names": ""}).status_code == 422
    long = "\n".join(f"M{number}" for number in range(roll.MAX_ROLL_PEOPLE + 1))
    answer = hana.post(roll_page(assembly), {"act": "look", "names": long})
    assert (answer.status_code, "at most 2000 names" in answer.content.decode().replace(",", "")) == (422, True)


# --- how many, and what makes a quorum ---


def test_without_a_roll_the_host_says_how_many_are_entitled(site, assembly):
    hana = host()
    form = {"act": "entitled", "entitled": "120", "quorum": "1/4"}
    assert hana.post(roll_page(assembly), form)["Location"] == roll_page(assembly)
    assert (now(assembly).own.entitled, now(assembly).own.quorum, now(assembly).own.has_roll) == (120, "1/4", False)
    hana.post(roll_page(assembly), {"act": "entitled", "entitled": "", "quorum": "number", "number": "25"})
    assert (now(assembly).own.entitled, now(assembly).own.quorum) == (0, "25")
    assert [each["quorum"] for each in told(site)] == ["1/4", "25"]
    assert 'value="25"' in hana.get(f"{roll_page(assembly)}?quorum").content.decode()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"entitled": "", "quorum": "1/4"}, "how many people are entitled to vote"),
        ({"entitled": "10", "quorum": "number", "number": "11"}, "can never be met"),
        ({"entitled": "10", "quorum": "number"}, "Enter how many people must be present."),
        ({"entitled": "10", "quorum": "7/8"}, "7/8"),
        ({"entitled": "-1", "quorum": ""}, "greater than or equal to 0"),
        ({"entitled": "9999999", "quorum": ""}, "less than or equal to"),
    ],
)
def test_a_quorum_that_can_never_be_met_is_refused(assembly, form, words):
    answer = host().post(roll_page(assembly), {"act": "entitled", **form})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert (now(assembly).own.entitled, now(assembly).own.quorum) == (0, "")


def test_with_a_roll_only_the_quorum_can_be_said(assembly):
    roll.add(assembly.id, "Hana", ["Zita", "Yves"])
    assert 'name="entitled"' not in host().get(roll_page(assembly)).content.decode()
    host().post(roll_page(assembly), {"act": "entitled", "entitled": "99", "quorum": ">1/2"})
    assert (now(assembly).own.entitled, now(assembly).own.quorum) == (2, ">1/2")
    with pytest.raises(NotNow):
        roll.change_quorum(assembly.id, "Hana", 99, "")


def test_a_vote_without_its_quorum_is_asked_about_first(assembly):
    roll.change_quorum(assembly.id, "Hana", 10, "1/2")
    seated(assembly, "Ada", "Ben", "Cem")
    drive(assembly, Step.NEXT)
    drive(assembly, Step.CLOSE)
    state = drive(assembly, Step.NEXT)
    ask = f"{reverse('drive', args=[assembly.id])}?act=vote&version={state.version}"
    assert "no quorum: 5 people must be present" in host().get(ask).content.decode()
    seated(assembly, "Dan", "Eve")
    assert "no quorum" not in host().get(ask).content.decode()


def test_an_address_may_follow_a_name(site, assembly):
    hana = host()
    typed = "Anna Berg <anna@example.org>\nZita\nanna berg\nYves <nothing>"
    page = hana.post(roll_page(assembly), {"act": "look", "names": typed}).content.decode()
    for words in ("anna@example.org", "Already on line 1.", "Enter a valid email address."):
        assert words in page
    kept = html.unescape(re.search(r"<textarea name=\"names\" hidden>(.*?)</textarea>", page, re.DOTALL)[1])
    assert kept == "Anna Berg <anna@example.org>\nZita"
    hana.post(roll_page(assembly), {"act": "add", "names": kept})
    assert {each.name: each.email for each in roll.each_entry(assembly.id)} == {
        "Anna Berg": "anna@example.org",
        "Zita": "",
    }
    assert "anna@example.org" in hana.get(roll_page(assembly)).content.decode()
    assert "anna@example.org" not in repr(told(site))
