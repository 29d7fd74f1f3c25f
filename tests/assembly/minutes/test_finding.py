"""Minutes are found again by hosts and by those who were there, long after the session; in the time of the place."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from foundation.store import keys
from parts.assembly.minutes import services
from parts.assembly.minutes import services as minutes
from parts.live import repository, rules
from parts.live.rules import Step
from parts.questions.question import Type
from tests.assembly.minutes.test_minutes import attend, decide
from tests.background import finish_background
from tests.clock import stands_at
from tests.live.conftest import drive

MADE_AT, BEGAN_AT = "2093-06-05T07:07:00.000Z", "2093-06-06T17:00:00.000Z"


@pytest.fixture
def held(made, person, monkeypatch):
    """Made on a Friday, held on Saturday evening in Berlin; the second item was called first."""
    stands_at(monkeypatch, MADE_AT)
    game = made(Type.ASSEMBLY, title="Spring meeting", time_zone="Europe/Berlin")
    for name in ("Ada", "Ben", "Cem"):
        person(name)
    stands_at(monkeypatch, BEGAN_AT)
    attend(game, "Ada", "Ben", "Cem")
    decide(game, 1, ada="yes", ben="yes", cem="no")
    drive(game, Step.NEXT)
    drive(game, Step.CLOSE)
    stands_at(monkeypatch, rules.later(BEGAN_AT, timedelta(minutes=90)))
    drive(game, Step.END)
    return game


def years_later(monkeypatch) -> None:
    """Its data has expired, and the worker has removed it."""
    stands_at(monkeypatch, rules.later(BEGAN_AT, timedelta(days=800)))
    assert finish_background(repository.EXPIRING.name) == 1
    finish_background()


def way(game) -> str:
    return f"/live/{game.id}/minutes/"


def test_the_record_has_the_time_of_the_place_from_the_first_step_on(held, signed_in):
    hana = signed_in(people.find("Hana"))
    page = hana.get(way(held)).content.decode()
    assert "June 6, 2093, 7 p.m. CEST" in page
    assert "June 6, 2093, 8:30 p.m. CEST" in page
    assert "Europe/Berlin" in page
    assert "UTC" not in re.search(r"<article.*</article>", page, re.DOTALL)[0]
    assert "June 5" not in page
    (line,) = repository.history("Hana", limit=9)[0]
    assert (line.when, line.minutes) == (BEGAN_AT, 90)
    assert "June 6, 2093, 7 p.m. CEST" in hana.get("/live/history/").content.decode()
    assert "June 6, 2093, 7 p.m. CEST" in hana.get(f"/live/{held.id}/report/").content.decode()


def test_items_have_the_numbers_that_the_wall_has_shown(held):
    points = minutes.find(held.id).minutes.points
    assert [(point.item, point.question.title) for point in points] == [
        ("2", "The budget"),
        ("1", "Report of the board"),
    ]


def test_hosts_find_them_for_good(held, signed_in, monkeypatch):
    years_later(monkeypatch)
    hana = signed_in(people.find("Hana"))
    for page in ("/live/", "/live/history/"):
        assert way(held) in hana.get(page).content.decode()
    assert "/live/history/" in hana.get("/live/").content.decode()
    assert hana.get(way(held)).status_code == 200


def test_members_find_those_of_what_they_attended(held, signed_in, person, monkeypatch):
    years_later(monkeypatch)
    ada = signed_in(people.find("Ada"))
    for page in ("/live/", "/live/attended/"):
        assert way(held) in ada.get(page).content.decode()
    assert ada.get(way(held)).status_code == 200
    stranger = signed_in(person("Stranger"))
    for page in ("/live/", "/live/attended/"):
        assert way(held) not in stranger.get(page).content.decode()
    assert stranger.get(way(held)).status_code == 403


def test_deleting_the_session_keeps_the_way_to_them(held, signed_in):
    hana = signed_in(people.find("Hana"))
    assert "You still find the minutes" in hana.get(f"/live/{held.id}/delete/").content.decode()
    hana.post(f"/live/{held.id}/delete/")
    finish_background()
    for page in ("/live/", "/live/history/"):
        shown = hana.get(page).content.decode()
        assert way(held) in shown
        assert f"/live/{held.id}/report/" not in shown
    assert hana.get(way(held)).status_code == 200
    assert repository.EXPIRING.find(held.id) is None


def test_lists_go_with_the_minutes_and_with_the_person(site, held, person):
    owner = person("Olga", Role.OWNER)
    accounts.remove(owner, people.find("Ben"))
    assert [len(list(site.each(keys.attended_by(name)))) for name in ("Ada", "Ben", "Cem")] == [1, 0, 1]
    services.delete(owner, held.id)
    assert not [item for name in ("Ada", "Cem") for item in site.each(keys.attended_by(name))]


def test_a_session_that_never_began_leaves_no_record(made, signed_in):
    game = made(Type.ASSEMBLY)
    drive(game, Step.END)
    (line,) = repository.history("Hana", limit=9)[0]
    assert (line.has_record, line.minutes) == (False, None)
    assert way(game) not in signed_in(people.find("Hana")).get("/live/history/").content.decode()
