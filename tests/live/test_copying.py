"""A session is used again: everything that was prepared goes along, nothing that anybody said."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from foundation.acts.refusals import NotThere
from foundation.store import keys
from parts.assembly import roll
from parts.live import repository, room_questions
from parts.live.rules import Phase, Step
from parts.live.services import hosting, making
from parts.questions.question import Type
from tests.live.conftest import drive
from tests.stories.live import assemble, play


def copied(game, token: str = "a form"):
    return making.copy(people.find("Hana"), game.id, token)


@pytest.mark.needs("assembly")
@pytest.mark.parametrize("type_", Type)
def test_an_ended_session_is_copied_without_anything_that_was_said(site, made, type_):
    game = made(type_, time_zone="Europe/Berlin", context="my notes")
    if type_ == Type.ASSEMBLY:
        assemble(game)
    else:
        play(game)
        drive(game, Step.END)
    copy = copied(game)
    source, state = repository.find(game.id)[0], repository.read_state(copy.id)
    assert all(getattr(copy, name) == getattr(source, name) for name in making.COPIED_SETTINGS)
    assert repository.read_questions(copy.id) == repository.read_questions(game.id)
    assert (state.phase, state.played, copy.code != game.code) == (Phase.WAITING, (), True)
    kinds = {item["SK"].partition("#")[0] for item in site.each(keys.all_of_game(copy.id))}
    assert kinds <= {"METADATA", "STATE", "QUESTIONS", "ROLL"}
    assert not [item for span in keys.shards_of_game(copy.id) for item in site.each(span)]


@pytest.mark.needs("assembly")
def test_the_roll_goes_along_and_its_codes_do_not(made, person):
    game = made(Type.ASSEMBLY)
    person("Ada")
    roll.add(game.id, "Hana", ["Ada", "Zita", "Yves"], {"zita": "zita@example.org"})
    copy = copied(game)
    listed = {each.name: each for each in roll.each_entry(copy.id)}
    assert (sorted(listed), repository.find(copy.id)[0].own.entitled) == (["Ada", "Yves", "Zita"], 3)
    assert (bool(listed["Ada"].account), listed["Zita"].email) == (True, "zita@example.org")
    assert roll.code_of(copy.id, listed["Zita"]) != roll.code_of(game.id, roll.find(game.id, "Zita"))


def test_questions_from_the_room_are_taken_as_before(made):
    game = made()
    room_questions.set_up(game.id, "Hana", is_on=True, named=True, words=("spam",))
    _found, items = repository.find_with(copied(game).id, keys.game_qa(copied(game).id))
    (item,) = (each for place, each in items.items() if place.sk == keys.game_qa("").sk)
    assert (item["is_on"], item["named"], list(item["words"])) == (True, True, ["spam"])


@pytest.mark.needs("assembly")
def test_one_form_makes_one_copy(made, hana, monkeypatch):
    game = made(Type.ASSEMBLY)
    roll.add(game.id, "Hana", ["Zita"])
    way = reverse("copy_game", args=[game.id])
    first, second = (hana.post(way, {"token": "the same"})["Location"] for _press in range(2))
    assert first == second
    assert len(repository.running_of("Hana")) == 2
    assert hana.post(way, {"token": "another"})["Location"] != first
    monkeypatch.setattr(hosting, "MAX_RUNNING_SESSIONS", 3)
    assert "End one before you create another." in hana.post(way, follow=True).content.decode()
    assert hana.get(way).status_code == 405
    assert Client().post(way).status_code == 302
    assert len(repository.running_of("Hana")) == 3


def test_it_is_offered_wherever_a_session_is_looked_at(made, hana, signed_in, person):
    game = made(Type.TRIVIA)
    way = reverse("copy_game", args=[game.id])
    for page in ("game_questions", "game_report"):
        assert way in hana.get(reverse(page, args=[game.id])).content.decode()
    drive(game, Step.END)
    assert way in hana.get("/live/").content.decode()
    assert signed_in(person("Stranger")).post(way).status_code == 403
    with pytest.raises(NotThere):
        making.copy(people.find("Hana"), "nothing", "a form")
