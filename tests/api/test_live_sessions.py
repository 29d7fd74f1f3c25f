"""Live sessions by the API: read by their hosts, without answers, players, codes or links."""

from __future__ import annotations

import pytest

from accounts import repository as people
from accounts.rules import Role
from parts.live.rules import Step
from parts.live.services import hosting, moving
from parts.questions.question import Type
from tests.api.test_elections import problem
from tests.clock import at_its_own_moment
from tests.live.conftest import made  # noqa: F401 - a fixture

pytestmark = pytest.mark.needs("live")


@pytest.fixture
def game(made):  # noqa: F811
    return at_its_own_moment(lambda: made(Type.TRIVIA, title="Evening"))


@pytest.fixture
def hana(game, program):
    return program(people.find("Hana"))


def test_a_host_reads_a_session_and_nothing_secret(hana, game):
    path = f"live-sessions/{game.id}"
    waiting = hana.get(path)
    shown = waiting.json()
    assert (shown["title"], shown["type"], shown["phase"], shown["round"]) == ("Evening", "trivia", "waiting", 0)
    assert (shown["questions"], shown["created_by"], shown["hosts"]) == (2, "Hana", [])
    assert hana.get(path, If_None_Match=waiting["ETag"]).status_code == 304
    for version, step in enumerate((Step.NEXT, Step.CLOSE), 1):
        moving.drive(game.id, "Hana", step, version)
    begun = hana.get(path).json()
    assert (begun["phase"], begun["round"]) == ("results", 1)
    assert begun["began_at"]
    text = hana.get(path).content.decode() + hana.get("live-sessions").content.decode()
    assert game.token not in text
    assert game.screen_token not in text
    assert "code" not in begun


def test_the_list_has_one_s_own_sessions_and_outlives_them(hana, game, made, person, program):  # noqa: F811
    second = made(Type.POLL, title="Morning")
    moving.drive(game.id, "Hana", Step.END, 1)
    first = hana.get("live-sessions?limit=1").json()
    rest = hana.get(first["next"]).json()
    found = [*first["items"], *rest["items"]]
    assert [(each["id"], each["type"], bool(each["ended_at"])) for each in found] == [
        (second.id, "poll", False),
        (game.id, "trivia", True),
    ]
    assert rest["next"] is None
    assert program(person("Uwe")).get("live-sessions").json()["items"] == []


def test_only_hosts_read_a_session(hana, game, person, program):
    path = f"live-sessions/{game.id}"
    uwe = program(person("Uwe"))
    assert problem(uwe.get(path)) == (403, "not-allowed")
    assert problem(program(person("Ada", Role.ADMIN)).get(path)) == (403, "not-allowed")
    hosting.add(people.find("Hana"), game.id, "Uwe")
    assert uwe.get(path).json()["hosts"] == ["Uwe"]
    assert problem(hana.get("live-sessions/made-up")) == (404, "not-found")
    assert problem(hana.get("live-sessions?cursor=made-up")) == (422, "invalid")
    assert problem(hana.post(path)) == (405, "method")
