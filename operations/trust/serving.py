"""Records which scripts and stylesheets the site serves, whenever they differ from those it served before."""

from __future__ import annotations

from foundation.acts.storage import SITE, now_text, table, try_record
from foundation.pages import served_files
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Equals, Item, Missing, Put, Write


def record_code() -> bool:
    """Whether these files are new and were recorded. Every server of the site does this when it starts; one wins."""
    files, edition, known = served_files.digests(), served_files.edition(), table().get(keys.SERVED_CODE)
    if not files or (known and known["edition"] == edition):
        return False
    data = {"edition": edition, "since": now_text(), "files": [" ".join(pair) for pair in files.items()]}
    return try_record(Event(SITE, "CodeServed", data), *serving(data, known))


def serving(data: Item, before: Item | None) -> list[Write]:
    place = keys.SERVED_CODE
    is_unchanged = Equals("edition", before["edition"]) if before else Missing()
    return [Put({"PK": place.pk, "SK": place.sk, **data}, when=is_unchanged)]
