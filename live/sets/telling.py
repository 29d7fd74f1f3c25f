"""What is kept about somebody in question sets, and what becomes of theirs when they leave."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from django.utils.translation import ngettext

from accounts.models import User
from store.table import Item

from . import repository
from .csv_out import as_json

MOST_COUNTED = 1000


def made(user: User) -> Iterator[Item]:
    """Each with all that is in it."""
    for set_ in repository.each_of(user.name):
        if (whole := repository.whole(set_.id)) is not None:
            yield as_json(whole)


def parting(user: User) -> str:
    """What a removal would pass on, and what would go with it."""
    sets = list(islice(repository.each_of(user.name), MOST_COUNTED))
    passed = sum(each.is_offered for each in sets)
    return " ".join(filter(None, (_passed(passed), _gone(len(sets) - passed))))


def _passed(count: int) -> str:
    sentence = ngettext(
        "%(count)d shared question set passes to the owner of the site.",
        "%(count)d shared question sets pass to the owner of the site.",
        count,
    )
    return sentence % {"count": count} if count else ""


def _gone(count: int) -> str:
    sentence = ngettext(
        "%(count)d question set that nobody else uses is deleted.",
        "%(count)d question sets that nobody else uses are deleted.",
        count,
    )
    return sentence % {"count": count} if count else ""
