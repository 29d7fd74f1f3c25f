"""Preview of a mailing: for how many voters it is, how the mails look; and sending it after that."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.mail import EmailMultiAlternatives
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from elections import actions
from elections.rules import Action, Election, WrongState
from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.acts.storage import now_text, table
from foundation.mail import outbox
from foundation.mail.emails import RECIPIENT_NAME, Mail, compose
from foundation.store.log import Event

from . import mailing
from .emails import EMAIL_TEMPLATES, preview_of
from .mailing import INVITED, NOWHERE, REMINDED

SENDERS = {INVITED: mailing.invite, REMINDED: mailing.remind}
NOBODY_LEFT = {
    INVITED: _("Everybody on the roll has already been invited, so nothing was sent."),
    REMINDED: _("Nobody is left to remind, so nothing was sent."),
}
TESTS = Limit("test mails to oneself", 20, SECONDS_PER_HOUR)


@dataclass(frozen=True, slots=True)
class Forecast:
    """Whom a mail would be for if it was asked for now, by stored counts alone: only workers go over the roll."""

    before: int  # voters it has been for already
    nowhere: int  # of these, who have no address
    due: int | None  # at most; None where every member may vote, as nobody counts them


def make_forecast(election: Election, kind: str) -> Forecast:
    batch = mailing.batch_of(election, kind)
    counts = table().get(batch.counts) or {}
    return Forecast(
        mailing.voters_mailed(counts, kind), counts.get(f"{kind}_{NOWHERE}", 0), mailing.due_at_most(batch, counts)
    )


def send(actor: User, election: Election, kind: str, expected: int) -> None:
    """Request the mailing the organiser has previewed; refused if it has grown since."""
    actions.check(actor, election, Action.INVITE)
    due = make_forecast(election, kind).due
    if due == 0:
        raise WrongState(NOBODY_LEFT[kind])
    if due is not None and due > expected:
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
