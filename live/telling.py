"""What live sessions tell somebody of themselves: those they host or have hosted, and what a removal would take."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import ngettext

from accounts.models import User
from acts.site import table
from store import keys
from store.table import Item

MOST_COUNTED = 1000
WORDS = ("title", "engagement_type", "created_at", "ended_at", "players", "rounds", "answers")


def attended(user: User) -> Iterator[Item]:
    for item in table().each(keys.attended_by(user.name)):
        yield {"session": item["game_id"], **{name: item[name] for name in ("title", "began_at", "ended_at")}}


def hosted(user: User) -> Iterator[Item]:
    for item in table().each(keys.games_of(user.name)):
        yield {"session": item["id"], **{name: item.get(name) for name in WORDS}}


def parting(user: User) -> str:
    """What a removal would take along."""
    count = len(table().page(keys.games_of(user.name), limit=MOST_COUNTED).items)
    if not count:
        return ""
    sentence = ngettext(
        "%(count)d live session goes, with its report.", "%(count)d live sessions go, with their reports.", count
    )
    return sentence % {"count": count}
