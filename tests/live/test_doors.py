"""Every address of a session that is for those who run it: nobody else gets in, whatever their role.

Strangers and those who may run nothing are asked for in tests/test_routes.py.
"""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.rules import Permission, Role
from foundation.acts.storage import table
from foundation.store import keys
from parts.questions.question import Type
from tests.test_routes import NO_GAME, ROUTES

from .conftest import seated

DOORS = {
    name: words[1:]
    for name, (whom, _methods, words) in ROUTES.items()
    if NO_GAME in words and whom == Permission.USE_APPLICATION
}
OF_MODERATORS = {"delete_game"}  # test_deleting.py


@pytest.mark.needs("assembly")
@pytest.mark.parametrize("role", [Role.USER, Role.ADMIN, Role.OWNER])
def test_nobody_but_hosts_gets_in(made, signed_in, person, role):
    game = made(Type.ASSEMBLY)
    seated(game, "Ada")
    other, before = signed_in(person("Otto", role)), stored(game.id)
    answers = {
        (name, method): other.generic(method, reverse(name, args=[game.id, *words])).status_code
        for name, words in DOORS.items()
        if role == Role.USER or name not in OF_MODERATORS
        for method in ("GET", "POST")
    }
    assert len(answers) > 35
    assert {door: status for door, status in answers.items() if status != 403} == {}
    assert stored(game.id) == before


def stored(game_id: str) -> list[dict]:
    return list(table().each(keys.all_of_game(game_id)))
