"""Who invites, to what and until when: the same wording in mails and on pages."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice

from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from accounts import repository as people
from accounts.policy import InvitationReason
from elections import repository, rolls
from elections.rules import Election, State
from foundation.acts.storage import now_text, table
from foundation.mail.names import isolated
from foundation.pages.times import UnknownZone, local_time, moment_text, moment_with_zone
from foundation.store import keys
from foundation.store.table import Item

from .mailing import INVITED

Times = tuple[datetime | None, datetime | None, str]

MAX_LISTED_ELECTIONS = 5
INVITES = gettext_noop("%(who)s invites you to vote in the election “%(election)s”.")


def email_values(election: Election, asked_by: str, now: str, own: list[str] | None = None) -> dict[str, str]:
    """What the sentences of a mail or a page name; `own` are the questions of a voter who is not asked all of them."""
    return {
        "who": person_label(asked_by or election.owner_name),
        "election": election.name,
        "questions": "\n".join(own or [each.title for each in election.questions if election.more]),
        "deadline": _deadline(*_times(election, now)),
        "window": window(election, now),
    }


def sentences(election: Election, asked_by: str, now: str) -> tuple[str, ...]:
    """As the invitation begins, for the page behind its link."""
    who = person_label(asked_by or election.owner_name)
    is_over, times = election.state(now) == State.CLOSED, _times(election, now)
    return _sentences(who, election.name, is_over, times, get_language())


@lru_cache(1000)  # as voters of as many elections are asked
def _sentences(who: str, name: str, is_over: bool, times: Times, language: str | None) -> tuple[str, ...]:
    """In the language that is spoken here."""
    asks = _(INVITES) % {"who": isolated(who), "election": isolated(name)}
    return asks, isolated(_window(is_over, times))


def person_label(name: str) -> str:
    """The organiser's display name; the account name if they have none or are gone."""
    person = people.find(name)
    return person.display_name if person is not None and person.display_name else name


def window(election: Election, now: str) -> str:
    """A sentence: when one can vote."""
    return _window(election.state(now) == State.CLOSED, _times(election, now))


def _window(is_over: bool, times: Times) -> str:
    return _("Voting has ended.") if is_over else _("You can vote %(when)s.") % {"when": _when(times, with_place=True)}


def _deadline(begins: datetime | None, ends: datetime | None, zone_name: str) -> str:
    """For the subject of a mail, which asks people to vote."""
    if begins:
        return _when((begins, ends, zone_name), with_place=False)
    return _("by %(end)s") % {"end": _moment(ends, zone_name)} if ends else _("now")


def _times(election: Election, now: str) -> Times:
    """The start, if still to come, the end, and the time zone."""
    is_to_come = election.no_voting_before is not None and election.no_voting_before > now
    return election.begins if is_to_come else None, election.ends, election.time_zone


def _when(times: Times, *, with_place: bool) -> str:
    begins, ends, zone_name = times
    begin, end = _moment(begins, zone_name), _moment(ends, zone_name, with_place=with_place)
    if begin and end:
        return _("from %(begin)s until %(end)s") % {"begin": begin, "end": end}
    if begin:
        begin = _moment(begins, zone_name, with_place=with_place)
        return _("from %(begin)s until it is closed") % {"begin": begin}
    return _("until %(end)s") % {"end": end} if end else _("until it is closed")


def _moment(moment: datetime | None, zone_name: str, *, with_place: bool = False) -> str:
    return "" if moment is None else _moment_text(moment, zone_name, with_place, get_language())


@lru_cache(1000)  # formatted moments, about one per election
def _moment_text(moment: datetime, zone_name: str, with_place: bool, language: str | None) -> str:
    """In the language that is spoken here."""
    try:
        return moment_with_zone(moment, zone_name) if with_place else moment_text(local_time(moment, zone_name))
    except UnknownZone:  # the zone is missing on this machine: fall back to UTC
        return moment_text(moment.astimezone(UTC))


# --- on the page behind the link of the mail, in its own words ---


def invitations_of(email: str) -> list[InvitationReason]:
    """The open elections on whose rolls the address is, the newest first."""
    listed = rolls.newest_entries(keys.elections_of_voter(email))
    entries = {keys.election(each["election_name"]): each for each in listed}
    found = table().get_many(entries) if entries else {}
    there = [(repository.election_of(found[place]), entry) for place, entry in entries.items() if place in found]
    now, states = now_text(), (State.EDITABLE, State.OPEN)
    there = [(each, entry) for each, entry in there if each.questions_for(rolls.groups_of(entry))]
    open_ = islice(((each, entry) for each, entry in there if each.state(now) in states), MAX_LISTED_ELECTIONS)
    return [InvitationReason(each.name, invitation_sentences(each, entry.get(INVITED, ""))) for each, entry in open_]


def invitation_sentences(election: Election, invitation: str = "") -> tuple[str, ...]:
    """Who invites, to what, until when: the sender of that invitation, or the owner."""
    return sentences(election, _sender(invitation), now_text())


def inviter_of(election: Election, invitation: str) -> str:
    return person_label(_sender(invitation) or election.owner_name)


def _sender(invitation: str) -> str:
    mail: Item = (table().get(keys.mail(invitation)) if invitation else None) or {}
    return str(mail.get("about", {}).get("invited_by", ""))
