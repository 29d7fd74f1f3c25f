"""The e-mails voters get: invitation, reminder, message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts import repository as people
from elections import repository
from elections.panels import where_to_ask
from elections.rules import Election, State
from foundation.acts.links import absolute_url
from foundation.acts.storage import now_text
from foundation.acts.tokens import create_token
from foundation.mail.emails import EmailTemplate, Mail, Message, NothingToSay
from foundation.pages import markdown
from foundation.pages.paths import path_of

from . import opt_out, own_text, wording
from .mailing import ASKED, REMINDER_TO_ALL_KIND, unsubscribe_token
from .messages import message_content
from .open_electorate import is_mailed_without_entry
from .voting_link import new_token


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


def _about_link(election: Election, mail: Mail) -> str:
    """What the link does; as `_link` makes it."""
    if election.vote_by_link:
        return _(
            "This link is yours alone. It opens your ballot without an account or a password. Anyone who has "
            "it can vote in your place, so please do not share it."
        )
    if people.find_by_email(mail.to) is None:
        return _("The link takes you to a page where you create an account, and then to the election.")
    return _("The link takes you to the election. It does not sign you in.")


def _unsubscribe_link(mail: Mail) -> str:
    """Members mailed without an entry on the roll unsubscribe by their address instead."""
    if is_mailed_without_entry(_election(mail), mail.about["voter"]):
        return opt_out.link(mail)
    token = unsubscribe_token(mail.about["election_name"], mail.about["voter"])
    return absolute_url(reverse("leave_alone", args=[token]))


def unless(*states: State) -> Callable[[Mail], bool]:
    """Whether an election is gone or in another state by now: a mail that waited for days must not call for a vote."""

    def is_over(mail: Mail) -> bool:
        election = repository.find(mail.about["election_name"])
        return election is None or election.state(now_text()) not in states

    return is_over


def _email_values(mail: Mail) -> dict[str, str]:
    """Who invites, to what, until when: as of the moment of sending."""
    election = _election(mail)
    own = mail.about[ASKED].split("\n") if ASKED in mail.about else None
    values = wording.email_values(election, mail.about.get("invited_by", ""), now_text(), own)
    return {**values, "about_link": _about_link(election, mail)}


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


MAX_DESCRIPTION_CHARS = 1_000  # of a description in a mail; the whole of it is on the election's page
NAME, WINDOW, ABOUT_LINK = "%(election)s", "%(window)s", "%(about_link)s"


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
    message=own_text.own_text_message,
    after=(ABOUT_LINK,),
    reply_to=own_text.reply_address,
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
    reply_to=own_text.reply_address,
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
