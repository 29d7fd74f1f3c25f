"""Personal data in elections: rolls, mails, groups."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from accounts.models import User
from foundation.acts.storage import table
from foundation.mail import outbox
from foundation.store import keys
from foundation.store.splitting import by_count
from foundation.store.table import Delete, Item

from .groups import repository as groups
from .invitations import mailing
from .rolls import entries_of

MARKS = (mailing.INVITED, mailing.REMINDED, mailing.TIMED, mailing.MESSAGED, mailing.ANNOUNCED)
BATCH_ROLL_ENTRIES = 20  # entries whose mails are read together
BATCH_GROUPS = 50  # groups that are read together


def forget_calendar(gone: User) -> None:
    """The address of their calendar, which earlier versions made."""
    selector = hashlib.sha256(f"calendar feed\0{keys.fold(gone.name)}".encode()).hexdigest()[:20]
    table().write(Delete(keys.calendar_feed(selector)))


def entries(user: User) -> Iterator[list[Item]]:
    """Their places on rolls, some at a time: by name, and by address."""
    for name in (user.name, user.email):
        for some in by_count(table().each(keys.elections_of_voter(name)), BATCH_ROLL_ENTRIES):
            yield entries_of(user, some)


def rolls(user: User) -> Iterator[Item]:
    for some in entries(user):
        numbers = {number for entry in some for number in _mails_of(entry)}
        mails = table().get_many(map(keys.mail, numbers)) if numbers else {}
        for entry in some:
            found = (mails.get(keys.mail(number)) for number in _mails_of(entry))
            own = [outbox.mail_of(mail) for mail in found if mail]
            yield {
                "election": entry["election_name"],
                "listed_as": entry["voter_name"],
                "greeted_as": entry.get("display_name", ""),
                "groups": entry.get("groups", []),
                "weight": entry.get("weight", 1),
                "voted": entry["voted"],
                "on_paper": bool(entry.get("paper")),
                "no_reminders": bool(entry.get("left_alone")),
                "mails": [{name: getattr(mail, name) for name in ("kind", "to", "state", "queued_at")} for mail in own],
            }


def _mails_of(entry: Item) -> list[str]:
    """The numbers of the mails that the entry remembers; each message has a mark of its own."""
    marks = (value for name, value in entry.items() if name.partition("#")[0] in MARKS)
    return [value for value in marks if isinstance(value, str)]


def own_groups(user: User) -> Iterator[Item]:
    """Without the members: they are other people."""
    for group in groups.every_group_of(user.name):
        yield {"group": group.name, "made_at": group.created_at, "members": group.members}


def groups_with(user: User) -> Iterator[Item]:
    """Which groups they are in, and whose these are; by name, and by address."""
    for name in (user.name, user.email):
        for some in by_count(table().each(keys.groups_with(name)), BATCH_GROUPS):
            there = table().get_many(keys.group(item["group_id"]) for item in some)
            for item in some:
                is_theirs = item.get("account", user.created_at) == user.created_at
                if is_theirs and (found := there.get(keys.group(item["group_id"]))):
                    yield {"group": found["name"], "kept_by": found["owner_name"], "listed_as": item["member_name"]}


def groups_to_delete(user: User) -> tuple[int]:
    """Of their own, which go with them."""
    return (len(groups.names_taken(user.name)),)
