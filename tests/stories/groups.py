"""Everything that can happen to a group of voters."""

from __future__ import annotations

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from elections import repository
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.groups import services as keeping
from elections.roll import imports
from elections.roll.services import add_voters
from tests.background import finish_background
from tests.people import enrol

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
