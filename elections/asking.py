"""What voters are asked: by whom, for what and until when. Mails and pages say it in the same words."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from accounts import repository as people
from mail.names import isolated
from pages.times import UnknownZone, moment_text, shown, zone_label

from .books.addresses import called
from .rules import Election, State

ASKS = gettext_noop("%(who)s asks you to vote in the election “%(election)s”.")


def words(election: Election, asked_by: str, now: str) -> dict[str, str]:
    """What the sentences of a mail or a page name."""
    return {
        "who": shown_name(asked_by or election.owner_name),
        "election": called(election),
        "when": when(election, now),
        "window": window(election, now),
    }


def sentences(election: Election, asked_by: str, now: str) -> list[str]:
    """As the invitation begins, for the page behind its link."""
    said = {"who": shown_name(asked_by or election.owner_name), "election": called(election)}
    asks = _(ASKS) % {name: isolated(value) for name, value in said.items()}
    return [asks, isolated(window(election, now))]


def shown_name(name: str) -> str:
    """How an organiser wants to be called; the name itself, where they do not say or are gone."""
    person = people.find(name)
    return person.display_name if person is not None and person.display_name else name


def window(election: Election, now: str) -> str:
    """A sentence: when one can vote."""
    if election.state(now) == State.CLOSED:
        return _("Voting has ended.")
    return _("You can vote %(when)s.") % {"when": when(election, now, with_place=True)}


def when(election: Election, now: str, *, with_place: bool = False) -> str:
    """From when, if that is still to come, and until when, on the clocks of the election's zone."""
    is_to_come = election.no_voting_before is not None and election.no_voting_before > now
    begin = _moment(election.begins, election.time_zone) if is_to_come else ""
    end = _moment(election.ends, election.time_zone, with_place=with_place)
    if begin and end:
        return _("from %(begin)s until %(end)s") % {"begin": begin, "end": end}
    if begin:
        begin = _moment(election.begins, election.time_zone, with_place=with_place)
        return _("from %(begin)s until it is closed") % {"begin": begin}
    return _("until %(end)s") % {"end": end} if end else _("until it is closed")


def _moment(moment: datetime | None, zone_name: str, *, with_place: bool = False) -> str:
    return "" if moment is None else _moment_text(moment, zone_name, with_place, get_language())


@lru_cache(1000)  # moments as voters of as many elections are told them
def _moment_text(moment: datetime, zone_name: str, with_place: bool, language: str | None) -> str:
    """In the language that is spoken here."""
    try:
        text = moment_text(shown(moment, zone_name))
    except UnknownZone:  # a machine that does not know the zone tells the time all the same
        return moment_text(moment.astimezone(UTC))
    return f"{text} ({zone_label(zone_name)})" if with_place and zone_name != "UTC" else text
