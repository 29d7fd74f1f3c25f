"""Groups in the log: what it makes of them is what there is, and nothing of them changes without an event."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from elections import repository
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.groups import filling
from elections.groups import replay as of_groups
from elections.groups import services as keeping
from elections.lifecycle import deleting
from elections.roll import imports
from elections.roll.services import add_voters
from store import keys
from store.log import utc_now
from store.log.seal import verify
from store.table import Update
from tests.background import finish_background
from tests.people import enrol
from tests.test_completeness import Watched, watched  # noqa: F401 - a fixture
from upkeep import replay
from upkeep.erasure import log_erasure
from upkeep.log.figures import site_sealer

check = partial(replay.check, report=replay.quietly)
ADDRESSES = [f"voter{number:03d}@example.org" for number in range(100)]


def tell_of_groups(person) -> str:
    """Everything happens that can happen to a group; answers the id of one that stays."""
    owner, ida = person("Olga", Role.OWNER), person("Ida")
    enrol("Eve", "Bo #1")
    board = drafts.create(owner, "Board")
    add_voters(owner, board, ["Ida", "Eve", "ida@example.org", *ADDRESSES])
    kept = keeping.save_roll(owner, repository.find("Board"), "form")
    keeping.rename(owner, kept.id, "Everybody")
    keeping.rename(owner, kept.id, "EVERYBODY")
    keeping.add(owner, kept.id, ["Bo #1", "new@example.org", "Eve"])
    keeping.remove(owner, kept.id, ADDRESSES[0])
    following = drafts.create(owner, "Next")
    imports.resume(owner, following, keeping.put_on_roll(owner, following, kept.id), 60)
    copying.copy(owner, repository.find("Next"), "Copy")
    gone = keeping.make(owner, "Gone")
    keeping.add(owner, gone.id, ADDRESSES[:3])
    keeping.delete(owner, gone.id)
    finish_background("delete group")
    keeping.add(ida, keeping.make(ida, "Private").id, ["Eve"])
    accounts.remove(owner, people.find("Ida"))
    finish_background("delete group")
    return kept.id


def test_the_log_makes_the_groups_there_are(site, person):
    group_id = tell_of_groups(person)
    assert check(site).first == ()
    kinds = {event["event_type"] for event in site.each(keys.events())}
    assert kinds >= {each.name for each in of_groups.EVENTS}
    site.write(Update(keys.group(group_id), set={"members": 7}))
    assert [each.attribute for each in check(site).first] == ["members"]


def test_it_does_so_too_when_it_has_forgotten_who_was_in_them(site, person):
    tell_of_groups(person)
    deleting.delete(people.find("Olga"), repository.find("Board"))  # an election that is kept keeps its record whole
    deleting.delete(people.find("Olga"), repository.find("Next"))
    deleting.delete(people.find("Olga"), repository.find("Copy"))

    def then():
        return utc_now() + timedelta(days=31)

    site_sealer().seal()
    while log_erasure.is_due(then):
        log_erasure.erase_names(then)
        site_sealer().seal()
    assert verify(site).flaw is None
    said = [event for event in site.each(keys.events()) if event["event_type"].startswith("Group")]
    assert not [event for event in said if "Ida" in repr(event) or "ida@" in repr(event)]
    assert [event for event in said if "Eve" in repr(event)]


def test_groups_change_nothing_without_an_event(watched: Watched, person):  # noqa: F811
    group_id = tell_of_groups(person)
    assert (watched.faults, watched.undeclared) == ([], set())
    watched.write(Update(keys.group(group_id), set={"name": "Another"}))
    (fault,) = watched.faults
    assert fault.startswith(f"a change without an event: GROUP#{group_id}")


def test_what_is_on_its_way_in_is_not_compared_yet(site, person, monkeypatch):
    ida = person("Ida")
    made = keeping.make(ida, "Long")
    monkeypatch.setattr(filling, "fill", lambda coming: coming)
    keeping.add(ida, made.id, ADDRESSES)
    assert check(site).first == ()
