"""No voter waits for a template: what their pages are made of is compiled before the server's processes are forked."""

from __future__ import annotations

from importlib import import_module, reload

import pytest
from django.conf import settings
from django.template import engines

from accounts import repository as people
from accounts.rules import Role
from ballots.sealing import seal_closed
from elections.lifecycle import closing

from .test_pages import PAGE, vote

RESULTS = PAGE.replace("ballot", "results")


@pytest.fixture
def loaded(monkeypatch) -> list[str]:
    """The templates that are loaded from here on, in a process that has just started."""
    names: list[str] = []
    engine = engines["jinja2"].env
    monkeypatch.setattr(engine, "compiled", {})
    reload(import_module("config.wsgi"))
    loader = engine.options["loader"]
    load = loader.get_source
    monkeypatch.setattr(loader, "get_source", lambda environment, name: names.append(name) or load(environment, name))
    return names


@pytest.mark.deep
def test_no_voter_waits_for_a_template(opened, signed_in, loaded):
    closed = opened("Eve", name="Last year")
    closing.close(people.find(closed.owner_name), closed)
    seal_closed()
    opened("Eve", "Bob", "Cy")
    for name, (language, _label) in zip(("Eve", "Bob", "Cy"), settings.LANGUAGES, strict=True):
        voter = signed_in(name, Role.VOTER)
        voter.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        loaded.clear()
        pages = [voter.get("/"), voter.get(PAGE), vote(voter, rank_1="1"), voter.get(PAGE), voter.get("/")]
        pages += [voter.get(RESULTS), voter.get(RESULTS.replace("Board", "Last year"))]
        assert [each.status_code for each in pages] == [200, 200, 200, 200, 200, 403, 200]
        assert {each["Content-Language"] for each in pages} == {language}
        assert loaded == []
