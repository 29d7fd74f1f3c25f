"""Every operation x every role x every scope x every method: who may use what. The table is in tests/test_routes.py."""

from __future__ import annotations

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from accounts import api_tokens
from accounts.api.operations import route_name
from accounts.api_tokens import Scope
from accounts.rules import Role
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from tests.api.program import Program
from tests.copies import copy_of
from tests.people import make_person, sign_in
from tests.test_routes import OPERATIONS

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Tokens with all scopes for people of every role, who were auditors when they created them; and tokens of one
    auditor, each without one of the scopes."""
    path = tmp_path_factory.mktemp("prepared") / "plenum.sqlite3"
    with override_settings(STORE_URL=f"sqlite://{path}"):
        table().create()
        draft = drafts.create(make_person("somebody"), "draft")
        add_candidates(make_person("somebody"), draft, [Candidate("Bo")])
        owner = make_person("the OWNER", Role.OWNER)
        programs = {Role.OWNER: Program(api_tokens.create(owner, "all", list(Scope), 30))}
        for role in [role for role in Role if role != Role.OWNER]:
            token = api_tokens.create(make_person(f"the {role.name}", Role.AUDITOR), "all", list(Scope), 30)
            make_person(f"the {role.name}", role)
            programs[role] = Program(token)
        auditor = make_person("the AUDITOR", Role.AUDITOR)
        without = {each: Program(api_tokens.create(auditor, str(each), set(Scope) - {each}, 30)) for each in Scope}
        return path, programs, without, sign_in("the AUDITOR", Role.AUDITOR)


@pytest.fixture
def programs(prepared, tmp_path, settings):
    path, *others = prepared
    settings.STORE_URL = f"sqlite://{copy_of(path, tmp_path / 'plenum.sqlite3')}"
    yield others
    table().close()


def kind_of(answer) -> str:
    return answer.json()["type"].rpartition(":")[2] if answer.status_code >= 400 else ""


@pytest.mark.needs
@pytest.mark.few(8)
@pytest.mark.parametrize("route", OPERATIONS)
def test_who_may_use_an_operation(programs, route):
    by_role, without, browser = programs
    methods, words = OPERATIONS[route]
    path = reverse(route_name(route), args=words)
    for method, (scope, permission) in methods.items():
        assert (kind_of(Program().send(method, path)) == "no-token") == (scope is not None), method
        assert kind_of(Program("plenum_made_up").send(method, path)) == "bad-token", method
        assert browser.generic(method, path).status_code == Program().send(method, path).status_code, "cookies"
        for each, program in without.items():
            assert (kind_of(program.send(method, path)) == "scope") == (each == scope), f"{method} without {each}"
        for role, program in by_role.items():
            answer = program.send(method, path)
            if scope and (role == Role.NO_ACCESS or role < permission.value):
                assert kind_of(answer) == "not-allowed", f"{method} {role!r}"
            else:
                assert kind_of(answer) not in ("no-token", "bad-token", "scope", "method"), f"{method} {role!r}"
                assert "Your role does not allow this" not in answer.content.decode(), f"{method} {role!r}"
    for method in set(METHODS) - set(methods):
        answer = by_role[Role.OWNER].send(method, path)
        assert answer.status_code == 405
        assert set(answer["Allow"].split(", ")) - {"HEAD"} == set(methods)


def test_a_browser_is_a_stranger_to_the_api(programs):
    *_others, browser = programs
    assert isinstance(browser, Client)
    assert browser.get("/me/").status_code == 200
    answer = browser.get("/api/v1/checkpoints")
    assert not answer.cookies
    assert "Cookie" not in answer["Vary"]
    assert "Access-Control-Allow-Origin" not in answer
