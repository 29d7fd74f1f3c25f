"""Who gets mails beside those on the roll: members where everybody here may vote; and who wants no mails about results.

Where everybody here may vote, the roll does not say whom to invite, as entries are created by voting. Nothing is marked
on people: each mailing is for those who could vote by some moment, the next of its kind for those who came later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.urls import reverse

from accounts import repository as people
from accounts.models import User
from accounts.repository import ListedPerson
from accounts.rules import Permission, has
from elections import rolls, sharding
from elections.rules import Election
from foundation.acts.links import absolute_url
from foundation.acts.storage import table
from foundation.acts.tokens import create_token
from foundation.mail.emails import Mail
from foundation.store import keys
from foundation.store.table import Delete, Item, Put

NO_RESULTS = "no-results"  # what the token in a mail is for


@dataclass(frozen=True, slots=True)
class Window:
    """Of the moments since which people may vote here: those a mailing is for."""

    after: str = ""  # who could vote by then had the last one
    until: str = ""

    def has(self, since: str) -> bool:
        return self.after < since <= self.until


NO_MEMBERS = Window()


def is_mailed_without_entry(election: Election, voter_name: str) -> bool:
    """Whether someone on the roll is mailed as a member, not for their roll entry."""
    return election.electorate == "everyone" and rolls.is_by_account(voter_name)


def page_of_members(election: Election, *, limit: int, cursor: str | None = None) -> tuple[list[Item], str | None]:
    """A page of members as recipients; those without a vote in this election have no `since`."""
    listed, after = people.people(limit=limit, cursor=cursor)
    voters = [each for each in listed if has(each.role, Permission.VOTE)]
    found = {each["voter_name"]: each for each in _voters(election, voters)}
    return [found.get(each.name, {"voter_name": each.name, "since": ""}) for each in listed], after


def _voters(election: Election, listed: list[ListedPerson]) -> Iterator[Item]:
    if not listed:
        return
    names_of = {each.name: [name for name in (each.name, each.email) if name] for each in listed}
    places_of = {
        name: [keys.user(name), *(sharding.voter_key(election, each) for each in names)]
        for name, names in names_of.items()
    }
    found = table().get_many(place for some in places_of.values() for place in some)
    silent = opted_out_among(each.email for each in listed)
    for each in listed:
        account, *entries = places_of[each.name]
        if account not in found:
            continue
        person = people.user_of(found[account])
        own = rolls.entries_of(person, [found[place] for place in entries if place in found])
        is_listed = any(rolls.is_by_address(entry["voter_name"]) for entry in own)
        if person.votes_since and not is_listed and (own or election.is_open_to(person.votes_since)):
            voted = any(entry["voted"] for entry in own)
            about = {"address": person.email, "display_name": person.display_name or person.name}
            about |= {"since": person.votes_since, "voted": voted, "left_alone": person.email in silent}
            yield {"voter_name": person.name, **about}


# --- opting out of mails about results, and of reminders where everybody here may vote ---
#
# There are no events: a log would keep for ever what people may change again.


def has_opted_out(address: str) -> bool:
    return table().get(keys.quiet(address)) is not None


def opted_out_among(addresses: Iterable[str]) -> set[str]:
    """Those of the addresses that want none."""
    places = {keys.quiet(each): each for each in addresses if each}
    return {places[place] for place in table().get_many(places)} if places else set()


def opt_out(address: str) -> None:
    """Idempotent."""
    place = keys.quiet(address)
    table().write(Put({"PK": place.pk, "SK": place.sk, "address": address}))


def opt_in(address: str) -> None:
    table().write(Delete(keys.quiet(address)))


def opt_out_link(mail: Mail) -> str:
    return absolute_url(reverse("no_results_by_mail", args=[create_token(NO_RESULTS, mail.to)]))


def export_opt_out(user: User) -> list[Item]:
    """Whether they want such mails, for themselves."""
    return [{"address": user.email, "wanted": not has_opted_out(user.email)}] if user.email else []


def forget_opt_out(gone: User) -> None:
    """Delete the preference of a person who was removed."""
    if gone.email:
        opt_in(gone.email)
