"""What polls tell somebody of themselves: those they have made."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import ngettext

from accounts.models import User
from acts.site import table
from store import keys
from store.table import Item

MOST_COUNTED = 1000


def made(user: User) -> Iterator[Item]:
    for item in table().each(keys.made_by(user.name)):
        yield {"poll": item["id"], "title": item["title"], "made_at": item["createdAt"]}


def parting(user: User) -> str:
    """What a removal would pass on."""
    count = len(table().page(keys.made_by(user.name), limit=MOST_COUNTED).items)
    if not count:
        return ""
    sentence = ngettext(
        "%(count)d poll passes to the owner of the site.", "%(count)d polls pass to the owner of the site.", count
    )
    return sentence % {"count": count}
