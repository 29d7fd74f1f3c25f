"""The e-mails voters get: invitation, reminder, message; and for organisers a preview of them before they are sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from django.core.mail import EmailMultiAlternatives
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _

from accounts import repository as people
from accounts.models import User
from elections import actions, repository
from elections.panels import where_to_ask
from elections.rules import Action, Election, State, WrongState
from foundation.acts.links import absolute_url
from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.acts.storage import now_text, table
from foundation.acts.tokens import create_token
from foundation.mail import outbox
from foundation.mail.emails import RECIPIENT_NAME, EmailTemplate, Mail, Message, NothingToSay, compose
from foundation.pages import markdown
from foundation.pages.paths import path_of
from foundation.store.log import Event

from . import mailing, recipients, wording
from .mailing import ASKED, INVITED, NO_ADDRESS, REMINDED, REMINDER_TO_ALL_KIND, unsubscribe_token
from .messages import message_content
from .recipients import is_mailed_without_entry
from .voting_link import new_token

MAX_DESCRIPTION_CHARS = 1_000  # of a description in a mail; the whole of it is on the election's page
NAME, WINDOW, ABOUT_LINK = "%(election)s", "%(window)s", "%(about_link)s"
SENDERS = {INVITED: mailing.invite, REMINDED: mailing.remind}
NOBODY_LEFT = {
    INVITED: gettext_lazy("Everybody on the roll has already been invited, so nothing was sent."),
    REMINDED: gettext_lazy("Nobody is left to remind, so nothing was sent."),
}
TESTS = Limit("test mails to oneself", 20, SECONDS_PER_HOUR)


def _election(mail: Mail) -> Election:
    """As of the moment of sending."""
    if (election := repository.find(mail.about["election_name"])) is None:
        raise NothingToSay
    return election


def _link(mail: Mail) -> str:
    return voting_url(_election(mail), mail.about["voter"], mail.to, mail.number)


def voting_url(election: Election, voter: str, to: str, number: str) -> str:
    """The voting link, or the election's page; without an account, first the page that creates one."""
    if (token := new_token(election.name, voter, to, number)) is not None:
        return reverse("vote_by_link", args=[token])
    if people.find_by_email(to) is None:
        return reverse("accept_invitation", args=[create_token("invitation", to, "ballot", election.name)])
    return path_of("election", election.name)


def _page(mail: Mail) -> str:
    return path_of("election", _election(mail).name)


def _unsubscribe_link(mail: Mail) -> str:
    """Members mailed without an entry on the roll unsubscribe by their address instead."""
    if is_mailed_without_entry(_election(mail), mail.about["voter"]):
        return recipients.opt_out_link(mail)
    token = unsubscribe_token(mail.about["election_name"], mail.about["voter"])
    return absolute_url(reverse("leave_alone", args=[token]))


def unless(*states: State) -> Callable[[Mail], bool]:
    """Whether an election is gone or in another state by now: a mail that waited for days must not call for a vote."""

    def is_over(mail: Mail) -> bool:
        election = repository.find(mail.about["election_name"])
        return election is None or election.state(now_text()) not in states

    return is_over


def _email_values(mail: Mail) -> dict[str, str]:
    """Who invites, to what, until when, and what the link does, as `_link` makes it: as of the moment of sending."""
    election = _election(mail)
    own = mail.about[ASKED].split("\n") if ASKED in mail.about else None
    values = wording.email_values(election, mail.about.get("invited_by", ""), now_text(), own)
    if election.vote_by_link:
        about_link = _(
            "This link is yours alone. It opens your ballot without an account or a password. Anyone who has "
            "it can vote in your place, so please do not share it."
        )
    elif people.find_by_email(mail.to) is None:
        about_link = _("The link takes you to a page where you create an account, and then to the election.")
    else:
        about_link = _("The link takes you to the election. It does not sign you in.")
    return {**values, "about_link": about_link}


def _description(mail: Mail) -> Message | None:
    """What the election is about, if its sender may write to many; a long text is cut."""
    election = _election(mail)
    sender = people.find(mail.about.get("invited_by") or election.owner_name)
    text = repository.description_of(election.name).description
    if sender is None or not sender.can_write_to_many or not text.strip():
        return None
    if len(text) > MAX_DESCRIPTION_CHARS:
        start = text[:MAX_DESCRIPTION_CHARS]
        text = (start.rpartition("\n\n")[0] or start.rpartition(" ")[0] or start) + "\n\n…"
    return Message("", text, markdown.preview(text))


def _help_url(mail: Mail) -> str:
    page = where_to_ask(mail.about["election_name"])
    return absolute_url(page) if page else ""


INVITATION = EmailTemplate(
    gettext_noop("Please vote %(deadline)s: %(election)s (invited by %(who)s)"),
    (wording.INVITES, WINDOW),
    _link,
    gettext_noop("Vote now"),
    is_over=unless(State.EDITABLE, State.OPEN),
    values=_email_values,
    title=gettext_noop("Invitation to vote"),
    headline=NAME,
    listed="questions",
    description=_description,
    message=wording.own_text_message,
    after=(ABOUT_LINK,),
    reply_to=wording.reply_address,
    help_url=_help_url,
    help_label=gettext_noop("Trouble voting? Ask the organisers"),
)
REMINDER = replace(
    INVITATION,
    subject=gettext_noop("Reminder: please vote %(deadline)s: %(election)s (invited by %(who)s)"),
    sentences=(
        gettext_noop(
            "The election “%(election)s” is still open, and you have not voted yet. %(who)s invites you to vote."
        ),
        WINDOW,
    ),
    title=gettext_noop("You have not voted yet"),
    silence=_unsubscribe_link,
)
REMINDER_TO_ALL = replace(
    REMINDER,
    subject=gettext_noop("Still open: please vote %(deadline)s: %(election)s (invited by %(who)s)"),
    sentences=(
        gettext_noop("The election “%(election)s” is still open, and %(who)s invites everybody to vote."),
        WINDOW,
        gettext_noop("If you have already voted, you need not do anything: nobody is told who has."),
    ),
    title=gettext_noop("An election is still open"),
)
MESSAGE = EmailTemplate(
    gettext_noop("A message about an election"),
    (gettext_noop("%(who)s, who runs the election “%(election)s”, has a message for all voters:"),),
    _link,
    gettext_noop("Go to the election"),
    message=message_content,
    values=_email_values,
    after=(WINDOW,),
    reply_to=wording.reply_address,
)


def preview_of(template: EmailTemplate) -> EmailTemplate:
    """As shown to organisers: the links, which are personal to each voter, lead back to the page."""
    return replace(template, link=_page, silence=(lambda mail: absolute_url(_page(mail))) if template.silence else None)


def test_of(template: EmailTemplate) -> EmailTemplate:
    """A test email for the organiser, marked as such, whose link casts no vote."""
    lead = gettext_noop("This is a test mail that only you get. Voters get the text below, each with their own link.")
    test = replace(preview_of(template), sentences=(lead, *template.sentences), silence=None)
    return replace(test, is_over=unless(*State), urgent=True, is_test=True)


EMAIL_TEMPLATES = {
    "vote_invitation": INVITATION,
    "vote_invitation_test": test_of(INVITATION),
    "vote_reminder": REMINDER,
    "vote_reminder_test": test_of(REMINDER),
    REMINDER_TO_ALL_KIND: REMINDER_TO_ALL,
    f"{REMINDER_TO_ALL_KIND}_test": test_of(REMINDER_TO_ALL),
    "vote_message": MESSAGE,
}


# --- previewing a mailing, and sending it after that ---


@dataclass(frozen=True, slots=True)
class Forecast:
    """Whom a mail would be for if it was asked for now, by stored counts alone: only workers go over the roll."""

    before: int  # voters it has been for already
    nowhere: int  # of these, who have no address
    due: int | None  # at most; None where every member may vote, as nobody counts them


def make_forecast(election: Election, kind: str) -> Forecast:
    new = mailing.mailing_of(election, kind)
    counts = table().get(new.counts) or {}
    before, nowhere = mailing.voters_mailed(counts, kind), counts.get(f"{kind}_{NO_ADDRESS}", 0)
    return Forecast(before, nowhere, mailing.due_at_most(new, counts))


def send_mailing(actor: User, election: Election, kind: str, expected: int) -> None:
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
    email_kind, about = mailing.mailing_of(election, kind).email_kind, _about(actor, election)
    mail = Mail("0", email_kind, actor.email, about, get_language() or "en", "", "", "", 0, now_text())
    return compose(mail, preview_of(EMAIL_TEMPLATES[email_kind]))


def send_test(actor: User, election: Election, kind: str) -> None:
    """To the organiser's own address, which counts like any mail they have sent to others."""
    actions.check(actor, election, Action.WORD_INVITATION)
    count(TESTS, actor.name)
    email_kind = f"{mailing.mailing_of(election, kind).email_kind}_test"
    event = Event(actor.name, "InvitationTested", {"election_name": election.name})
    mail = outbox.queued(email_kind, actor.email, None, **_about(actor, election))
    mailing.record_one(actor, event, mail)


def _about(actor: User, election: Election) -> dict[str, str]:
    about = {"election_name": election.name, "voter": actor.name, "invited_by": actor.name}
    return about | {RECIPIENT_NAME: actor.display_name or actor.name}
