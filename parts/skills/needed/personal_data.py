"""Personal data: which of their skills candidates let be shown."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.models import User
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Item

from . import needs


def agreements(user: User) -> Iterator[Item]:
    """The candidacies in which they let their skills be shown, with the snapshot taken at the opening."""
    for item in table().each(keys.agreed_by(user.name)):
        snapshot = needs.snapshot_of(item["election_name"])
        levels = {need.skill: level for need, level in snapshot.levels_of(item["candidate_name"])} if snapshot else {}
        asked_about = sorted({*item.get("asked", ()), *item.get("answered", ())})
        yield {"election": item["election_name"], "skills": item["skills"], "asked_about": asked_about, "kept": levels}
