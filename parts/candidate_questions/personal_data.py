"""Personal data in questions to candidates."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.models import User
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Item

from .rules import asker_mark


def candidate_questions(user: User) -> Iterator[Item]:
    """What they asked candidates, in all elections."""
    for item in table().each(keys.questions_by(asker_mark(user.name))):
        about = {"election": item["election_name"], "text": item["text"]}
        yield {**about, "state": item["fate"], "name_shown": item["name"]}
