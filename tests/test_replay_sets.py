"""Question sets in the log: what it makes of them is what there is, and nothing of them changes without an event."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from acts.background import wait
from questions import replay as of_sets
from questions import repository, rules, services
from questions.question import Question
from store import keys
from store.log import utc_now
from store.log.seal import verify
from store.table import Update
from tests.background import finish_background
from tests.questions.conftest import MANY, numbered
from tests.test_completeness import Watched, watched  # noqa: F401 - a fixture
from upkeep import replay
from upkeep.erasure import log_erasure
from upkeep.log.figures import site_sealer

check = partial(replay.check, report=replay.quietly)


def tell_of_sets(person) -> str:
    """Everything happens that can happen to a question set; answers the id of one that Ida, who leaves, has shared."""
    owner, ida = person("Olga", Role.OWNER), person("Ida")
    set_id = services.make(ida, "Evening", "For all.", "Be quick.").id
    services.add(ida, set_id, [*MANY, *numbered(60)])
    services.edit(ida, set_id, rules.set_fingerprint(repository.find_set(set_id)), name="Night")
    services.change_question(ida, set_id, 1, Question("Why?", category="Plans"), fingerprint(set_id, 1))
    services.move_question(ida, set_id, 3, up=True)
    services.remove_question(ida, set_id, 2, fingerprint(set_id, 2))
    first = repository.find_full(set_id).categories[0]
    services.change_category(ida, set_id, first.number, "New", "Words.", rules.category_fingerprint(first))
    services.move_category(ida, set_id, first.number, up=False)
    services.share(ida, set_id, on=True)
    services.copy(owner, repository.find_full(set_id), "Copy")
    private, gone = services.make(ida, "Diary"), services.make(owner, "Gone")
    services.add(ida, private.id, MANY)
    services.activate(ida, private.id, on=False)
    services.add(owner, gone.id, MANY)
    services.replace(owner, gone.id, [*MANY[:1], *numbered(3)], name="Gone", description="", custom_instructions="")
    services.delete(owner, gone.id)
    finish_background()
    accounts.remove(owner, people.find("Ida"))
    return set_id


def fingerprint(set_id: str, number: int) -> str:
    return rules.question_fingerprint(repository.find_full(set_id).find(number).question)


@pytest.mark.deep
def test_the_log_makes_the_sets_there_are(site, person):
    set_id = tell_of_sets(person)
    assert check(site).first == ()
    kinds = {event["event_type"] for event in site.each(keys.events())}
    assert kinds >= {each.name for each in of_sets.EVENTS}
    site.write(Update(keys.question_set(set_id), set={"name": "Another"}))
    assert [each.attribute for each in check(site).first] == ["name"]


def test_it_does_so_too_when_it_has_forgotten_who_made_them(site, person):
    tell_of_sets(person)

    def then():
        return utc_now() + timedelta(days=31)

    site_sealer().seal()
    while log_erasure.is_due(then):
        log_erasure.erase_names(then)
        site_sealer().seal()
    assert verify(site).flaw is None
    assert check(site).first == ()
    assert not [event for event in site.each(keys.events()) if "Ida" in repr(event)]


def test_sets_change_nothing_without_an_event(watched: Watched, person):  # noqa: F811
    set_id = tell_of_sets(person)
    assert (watched.faults, watched.undeclared) == ([], set())
    watched.write(Update(keys.question_set(set_id), set={"name": "Another"}))
    (fault,) = watched.faults
    assert fault.startswith(f"a change without an event: SET#{set_id}")


@pytest.fixture
def cut_off(site, person, monkeypatch):
    ida = person("Ida")
    made = services.make(ida, "Long")
    monkeypatch.setattr(repository.FILLING, "do", lambda task: wait(60))
    services.add(ida, made.id, numbered(60))
    return site


def test_what_is_on_its_way_in_is_not_compared_yet(cut_off):
    assert check(cut_off).first == ()
