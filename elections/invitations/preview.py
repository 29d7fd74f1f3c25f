"""Mails to voters as their organiser sees them first: on a page, or as a test mail to nobody else."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import get_language

from accounts import allowance
from accounts.models import User
from acts.again import try_again
from acts.limits import SECONDS_PER_HOUR, Limit, count
from acts.site import now_text
from elections import actions
from elections.rules import Action, Election
from mail import outbox
from mail.letters import compose
from mail.outbox import Mail
from store.log import Event

from . import mailing
from .letters import LETTERS, shown

TESTS = Limit("test mails to oneself", 20, SECONDS_PER_HOUR)


@dataclass(frozen=True, slots=True)
class Preview:
    """A mail as it would be sent now, but for the link, which is each voter's own."""

    sender: str
    subject: str
    answers_to: str
    text: str
    html: str


def preview(actor: User, election: Election, kind: str) -> Preview:
    letter = mailing.batch_of(election, kind).letter
    mail = Mail("0", letter, actor.email, _about(actor, election), get_language() or "en", "", "", "", 0, now_text())
    message = compose(mail, shown(LETTERS[letter]))
    html = str(message.alternatives[0][0])
    return Preview(message.from_email, message.subject, ", ".join(message.reply_to), message.body, html)


def send_test(actor: User, election: Election, kind: str) -> None:
    """To the organiser's own address, which counts like any mail they have sent to others."""
    actions.check(actor, election, Action.WORD_INVITATION)
    count(TESTS, actor.name)
    letter = f"{mailing.batch_of(election, kind).letter}_test"
    event = Event(actor.name, "InvitationTested", {"election_name": election.name})

    def reserve() -> None:
        budget = allowance.today(actor)
        budget.check(1)
        mail = outbox.queued(letter, actor.email, None, **_about(actor, election))
        mailing.record(event, mail, budget=budget.reserving(1))

    try_again(reserve)


def _about(actor: User, election: Election) -> dict[str, str]:
    return {"election_name": election.name, "voter": actor.name, "invited_by": actor.name}
