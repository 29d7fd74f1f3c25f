"""Preview of a mailing: how many mails it would send, how they look; and sending it after that."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from django.core.mail import EmailMultiAlternatives
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from acts.storage import now_text, table
from elections import actions
from elections.rules import Action, Election, WrongState
from mail import outbox
from mail.emails import RECIPIENT_NAME, compose
from mail.outbox import Mail
from store import keys
from store.log import Event
from store.splitting import by_count
from store.table import Item

from . import mailing
from .emails import EMAIL_TEMPLATES, preview_of
from .mailing import INVITED, MAX_ROLL_ENTRIES, REMINDED, Batch

SENDERS = {INVITED: mailing.invite, REMINDED: mailing.remind}
NOBODY_LEFT = {
    INVITED: _("Everybody on the roll has already been invited, so nothing was sent."),
    REMINDED: _("Nobody is left to remind, so nothing was sent."),
}
TESTS = Limit("test mails to oneself", 20, SECONDS_PER_HOUR)


@dataclass(frozen=True, slots=True)
class Forecast:
    """How many people would be mailed now."""

    on_roll: int
    before: int  # who had this mail already
    due: int  # whose turn it is
    nowhere: int  # of these, who have no address
    mails: int  # to these, each address once
    is_whole: bool = True  # whether all of the roll was looked at


def make_forecast(election: Election, kind: str) -> Forecast:
    """Of a longer roll than can be read in a request, of its first entries."""
    batch = mailing.batch_of(election, kind)
    roll = list(islice(mailing.every_recipient(election), MAX_ROLL_ENTRIES + 1))
    examined = roll[:MAX_ROLL_ENTRIES]
    entries = mailing.with_own_votes(examined, batch)
    due = [item for item in entries if mailing.is_due(item, batch) and batch.asks(item)]
    numbers, nowhere = _new_mails(due, batch)
    before = sum(mailing.was_mailed(item, batch) for item in examined)
    return Forecast(len(examined), before, len(due), nowhere, len(numbers), len(examined) == len(roll))


def _new_mails(voters: list[Item], batch: Batch) -> tuple[set[str], int]:
    """The numbers of the mails that would be new, and how many of the voters have no address."""
    numbers: set[str] = set()
    nowhere = 0
    for some in by_count(voters):
        addresses = [address for address, _name in mailing.recipients_of(some).values()]
        nowhere += sum(not address for address in addresses)
        wanted = {outbox.number_for(batch.occasion, address) for address in addresses if address}
        queued = table().get_many(map(keys.mail, wanted)) if wanted else {}
        numbers |= {number for number in wanted if keys.mail(number) not in queued}
    return numbers, nowhere


def send(actor: User, election: Election, kind: str, expected: int) -> None:
    """Request the mailing the organiser has previewed; refused if it has grown since."""
    actions.check(actor, election, Action.INVITE)
    forecast = make_forecast(election, kind)
    if not forecast.due:
        raise WrongState(NOBODY_LEFT[kind])
    if forecast.mails > expected:
        raise WrongState(
            _("More people are due for this mail now, so nothing was sent. Please check the numbers and try again.")
        )
    SENDERS[kind](actor, election)


def preview(actor: User, election: Election, kind: str) -> EmailMultiAlternatives:
    """A mail as it would be sent now, but for the link, which is each voter's own."""
    email_kind, about = mailing.batch_of(election, kind).email_kind, _about(actor, election)
    mail = Mail("0", email_kind, actor.email, about, get_language() or "en", "", "", "", 0, now_text())
    return compose(mail, preview_of(EMAIL_TEMPLATES[email_kind]))


def send_test(actor: User, election: Election, kind: str) -> None:
    """To the organiser's own address, which counts like any mail they have sent to others."""
    actions.check(actor, election, Action.WORD_INVITATION)
    count(TESTS, actor.name)
    email_kind = f"{mailing.batch_of(election, kind).email_kind}_test"
    event = Event(actor.name, "InvitationTested", {"election_name": election.name})
    mail = outbox.queued(email_kind, actor.email, None, **_about(actor, election))
    mailing.record_one(actor, event, mail)


def _about(actor: User, election: Election) -> dict[str, str]:
    about = {"election_name": election.name, "voter": actor.name, "invited_by": actor.name}
    return about | {RECIPIENT_NAME: actor.display_name or actor.name}
