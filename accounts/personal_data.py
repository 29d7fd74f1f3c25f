"""Personal-data export: everything stored about a person, as one ZIP. Item types declare its parts.

Every part is read page by page and has a maximum length; a note says so where more exists.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any

from django.utils.translation import gettext as _

from foundation.acts.storage import table
from foundation.photos import photos
from foundation.store import keys
from foundation.store.log.search import Query, search
from foundation.store.schema import SCHEMA
from foundation.store.table import Item, Span

from .models import User
from .second_factor import factors
from .sessions import sessions_of

MAX_ENTRIES_PER_PART = 10_000  # entries of one part
MAX_COUNTED_THINGS = 1000  # things that would pass on
BATCH_EVENTS = 200  # events at once
MAX_BATCHES = 50  # of others' events, which may be about anyone
ABOUT = ("election_name", "poll_id", "skill_id", "post_id", "set_id", "game_id")


def export_personal_data(user: User) -> IO[bytes]:
    """The ZIP as a temporary file, positioned at its start."""
    file = TemporaryFile()  # noqa: SIM115 - closed when the response has been sent
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("README.txt", _readme(user))
        if user.photo:
            for width, content in zip(user.photo.widths, photos.find_all(user.photo), strict=False):
                packed.writestr(f"picture-{width}.{user.photo.kind}", content)
        for export in SCHEMA.exports:
            with packed.open(f"{export.name}.json", "w") as part:
                part.writelines(_json_lines(export.read(user)))
    file.seek(0)
    return file


def _json_lines(entries: Iterable[Item]) -> Iterator[bytes]:
    """A JSON list with one entry per line, generated while it is written."""
    left, comma = iter(entries), "[\n"
    for entry in islice(left, MAX_ENTRIES_PER_PART):
        yield (comma + _json(entry)).encode()
        comma = ",\n"
    if next(left, None) is not None:
        note = _("There are more; only the first %(most)d are listed here.") % {"most": MAX_ENTRIES_PER_PART}
        yield (comma + _json({"note": note})).encode()
    yield b"[]\n" if comma == "[\n" else b"\n]\n"


def _json(entry: Any) -> str:
    return json.dumps(entry, ensure_ascii=False)


def _readme(user: User) -> str:
    lines = (
        _("What this site stores about %(name)s.") % {"name": user.name},
        "",
        *(str(export.about) for export in SCHEMA.exports if export.about),
        _("picture: your picture in each width, if you added one; its description is in account.json."),
        "",
        _("Passwords and keys are not included: they are stored only in a form that cannot be read back."),
        _("Secret ballots are included while their election is open. After it closes, nobody can tell whose they are."),
        _("Votes in polls are stored under a code that does not name you. These files contain nobody else's data."),
        _("Mails about your account are stored for 30 days, but not by address, so they are not included here."),
        _("All times are UTC."),
    )
    return "\n".join(lines) + "\n"


# --- building blocks for declarations ---


def list_items(span: Callable[[str], Span], **fields: str) -> Callable[[User], Iterator[Item]]:
    """These fields, renamed, of each item listed under the person's name."""
    return lambda user: (
        {name: item.get(field) for name, field in fields.items()} for item in table().each(span(user.name))
    )


def count_items(*spans: Callable[[str], Span]) -> Callable[[User], tuple[int, ...]]:
    """The number of items listed under the person's name."""
    return lambda user: tuple(len(table().page(span(user.name), limit=MAX_COUNTED_THINGS).items) for span in spans)


# --- account data ---


def account(user: User) -> Iterator[Item]:
    signed_in = user.last_login.isoformat() if user.last_login else None
    yield {
        "name": user.name,
        "email": user.email,
        "role": user.role_name,
        "created_at": user.created_at,
        "may_vote_since": user.votes_since,
        "last_sign_in": signed_in,
        "last_visits": [moment for moment in (user.visited_before, user.visited_at) if moment],
        "display_name": user.display_name,
        "about": user.about,
        "picture": user.photo.as_item() if user.photo else None,
        "confirmed_organiser": user.confirmed,
        "asked_to_be_confirmed_at": user.asked_at,
        "mails_a_day": user.mails_a_day,
        "second_steps": list(_second_steps(user)),
        "sign_in_providers": [
            {"provider": each["provider"], "linked_at": each["linked_at"]} for each in user.identities
        ],
        "role_by_group": user.group_role,
    }


def _second_steps(user: User) -> Iterator[Item]:
    """Without the secrets."""
    theirs = factors.load_factors(user)
    if theirs.app:
        yield {"kind": "app", "added_at": theirs.app.added_at}
    yield from ({"kind": "passkey", "name": each.name, "added_at": each.added_at} for each in theirs.passkeys)
    if theirs.codes:
        yield {"kind": "recovery codes", "left": len(theirs.codes)}


def sessions(user: User) -> Iterator[Item]:
    for item in sessions_of(user.name):
        yield {"device": item["device"], "signed_in_at": item["created_at"], "last_seen": item["seen"]}


def events(user: User) -> Iterator[Item]:
    """What they did since their account was created and what others did to it, without data about anyone else."""
    for event in _search_log(Query(actor=user.name, since=user.created_at), MAX_ENTRIES_PER_PART):
        yield _event(user, event)
    for kind in (each.name for each in SCHEMA.events.values() if each.is_told):
        for event in _search_log(Query(event_type=kind, since=user.created_at), MAX_BATCHES):
            if _is_about(user, event) and keys.fold(event["actor"]) != keys.fold(user.name):
                yield _event(user, event) | {"by": _("an admin of this site")}


def _search_log(wanted: Query, looks: int) -> Iterator[Item]:
    before = None
    for _look in range(looks):
        found = search(table(), wanted, before=before, limit=BATCH_EVENTS)
        yield from found.events
        if (before := found.before) is None:
            return


def _event(user: User, event: Item) -> Item:
    data = event["event_data"]
    visible = data if _is_about(user, event) else {name: data[name] for name in ABOUT if name in data}
    return {"number": event["event_id"], "when": event["when_occurred"], "what": event["event_type"], **visible}


def _is_about(user: User, event: Item) -> bool:
    """Whether all of the event's data is about them. In an election's events a name may be anyone's."""
    data = event["event_data"]
    return "election_name" not in data and keys.fold(str(data.get("name", ""))) == keys.fold(user.name)
