"""Emails to voters about their ballots. They say that something happened, never what the ballot says."""

from __future__ import annotations

from dataclasses import replace

from django.urls import reverse
from django.utils.translation import gettext_noop

from elections.invitations.mailing import INVITED
from elections.invitations.voting_link import was_mailed
from elections.rolls import is_by_address
from foundation.mail import outbox
from foundation.mail.emails import RECIPIENT_NAME, EmailTemplate, Mail
from foundation.store.table import Write

from .repository import VoterContext

CAST, CHANGED, WITHDRAWN, PAPER = "ballot_cast", "ballot_changed", "ballot_withdrawn", "ballot_on_paper"
ANONYMOUS = "_anonymous"  # suffix of the kinds of mail about a secret ballot
BY_LINK = "_by_link"  # suffix of the kinds of mail to voters who were sent a link, however they voted
FINAL = "_final"  # suffix of the kinds of mail where nobody can vote again


def cast_email(context: VoterContext, actor: str, *, paper: bool) -> list[Write]:
    """The email about a cast, queued in the same transaction."""
    if paper:
        return email(PAPER, context, entered_by=actor)
    return email(CHANGED if context.voted else CAST, context)


def email(kind: str, context: VoterContext, **more: str) -> list[Write]:
    """Empty if the election sends no such emails, or there is no address: that of the account, or else on the roll."""
    election, person, entry = context.election, context.person, context.entry or {}
    on_roll = context.voter if is_by_address(context.voter or "") else None
    to = person.email if person else on_roll
    if not election.mail_votes or to is None:
        return []
    about = {"election_name": election.name, "organiser": election.owner_name, **more}
    # Greeted by the name on the roll, as in the invitation; else by that of the account.
    if name := entry.get("display_name", "") or ((person.display_name or person.name) if person else ""):
        about[RECIPIENT_NAME] = name
    kind = f"{kind}{ANONYMOUS}" if election.secret_ballot else kind
    if election.vote_by_link and (INVITED in entry or was_mailed(entry)):
        kind = f"{kind}{BY_LINK}"
    kind = kind if election.changeable else f"{kind}{FINAL}"
    return [outbox.queued(kind, to, None, **about)]


def _link(mail: Mail) -> str:
    return reverse("election", args=[mail.about["election_name"]])


def _link_without_vote(mail: Mail) -> str:
    """Links to a page that says where the voting link is: these emails get forwarded, and must not carry the vote."""
    return reverse("your_link")


NOT_ME = gettext_noop(
    "If this was not you: sign in, vote again before the election closes, change your password, and tell "
    "%(organiser)s, who runs the election."
)

NOT_ME_SECRET = gettext_noop(
    "If this was not you: change your password, and tell %(organiser)s, who runs the election, before it closes."
)

NOT_MY_PAPER_PUBLIC = gettext_noop(
    "If you did not hand one in, tell %(organiser)s, who runs the election, before it closes. If you can "
    "sign in here, you can also vote again yourself."
)

NOT_MY_PAPER = gettext_noop("If you did not hand one in, tell %(organiser)s, who runs the election, before it closes.")

NO_LATER_EMAIL = gettext_noop(
    "No email is sent when a secret ballot is changed or withdrawn, because nobody knows whose it is."
)


def _template(subject: str, *sentences: str) -> EmailTemplate:
    return EmailTemplate(subject, sentences, _link, gettext_noop("Go to the election"))


EMAIL_TEMPLATES = {
    CAST: _template(
        gettext_noop("Your vote has been cast"),
        gettext_noop("A ballot was cast in your name in the election “%(election_name)s”."),
        NOT_ME,
    ),
    f"{CAST}{ANONYMOUS}": _template(
        gettext_noop("Your vote has been cast"),
        gettext_noop("A ballot was cast in your name in the election “%(election_name)s”."),
        NOT_ME_SECRET,
        NO_LATER_EMAIL,
    ),
    CHANGED: _template(
        gettext_noop("Your ballot was changed"),
        gettext_noop(
            "Your ballot in the election “%(election_name)s” was replaced by a new one. The earlier code is no "
            "longer valid."
        ),
        NOT_ME,
    ),
    WITHDRAWN: _template(
        gettext_noop("Your ballot was withdrawn"),
        gettext_noop(
            "Your ballot in the election “%(election_name)s” was withdrawn. You can vote again until it closes."
        ),
        NOT_ME,
    ),
    PAPER: _template(
        gettext_noop("Your paper ballot was entered"),
        gettext_noop("%(entered_by)s entered a paper ballot from you in the election “%(election_name)s”."),
        NOT_MY_PAPER_PUBLIC,
    ),
    f"{PAPER}{ANONYMOUS}": _template(
        gettext_noop("Your paper ballot was entered"),
        gettext_noop("%(entered_by)s entered a paper ballot from you in the election “%(election_name)s”."),
        NOT_MY_PAPER,
    ),
}

# A vote by link may have been cast by anyone who had the link.
OTHERS_LINK = gettext_noop(
    "If this was not you, somebody else may have your link. Vote again before the election closes, and "
    "ask %(organiser)s, who runs the election, for a new link; the old one will then stop working. If you"
    " have an account here, change its password too."
)


def _by_link(template: EmailTemplate) -> EmailTemplate:
    sentences = tuple(OTHERS_LINK if each in (NOT_ME, NOT_ME_SECRET) else each for each in template.sentences)
    return replace(template, sentences=sentences, link=_link_without_vote, button=gettext_noop("Find your ballot"))


EMAIL_TEMPLATES |= {f"{kind}{BY_LINK}": _by_link(template) for kind, template in EMAIL_TEMPLATES.items()}

OTHERS_FINAL_LINK = gettext_noop(
    "If this was not you, somebody else may have your link: tell %(organiser)s, who runs the election, before it "
    "closes. If you have an account here, change its password too."
)
IN_FINAL = {NOT_ME: NOT_ME_SECRET, OTHERS_LINK: OTHERS_FINAL_LINK, NOT_MY_PAPER_PUBLIC: NOT_MY_PAPER}


def _final(template: EmailTemplate) -> EmailTemplate:
    """Votes are final, so there is no word of voting again or of changes."""
    sentences = tuple(IN_FINAL.get(each, each) for each in template.sentences if each != NO_LATER_EMAIL)
    return replace(template, sentences=sentences)


EMAIL_TEMPLATES |= {f"{kind}{FINAL}": _final(template) for kind, template in EMAIL_TEMPLATES.items()}
