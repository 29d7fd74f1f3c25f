"""The part of the personal-data export about skills and endorsements."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.models import User
from accounts.services import name_and_role
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Item

from . import endorsements, repository
from .endorsements import Endorsement


def held(user: User) -> Iterator[Item]:
    """The visibility setting, then each skill."""
    own = repository.own_skills(user.name)
    if own.version:
        yield {"visible_to": own.visibility.value}
    for each in own.held.values():
        yield {"skill": each.skill, **each.statement, "added_at": each.added_at, "confirmed_at": each.confirmed_at}


def endorsed(user: User) -> Iterator[Item]:
    """Endorsements given, then those received from people the user may see."""
    for each in map(endorsements.endorsement_of, table().each(keys.endorses(user.name))):
        yield {"given_to": each.name, **_endorsement_data(each)}
    got = [endorsements.endorsement_of(item) for item in table().each(keys.endorsements(user.name))]
    for each in endorsements.visible_to(name_and_role(user), got):
        yield {"got_from": each.by, **_endorsement_data(each), "hidden": each.hidden}


def _endorsement_data(each: Endorsement) -> Item:
    return {"skill": each.skill, "grounds": list(each.grounds), "level": each.level, "at": each.at}
