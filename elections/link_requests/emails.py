"""The mail with all links of one person. They are drawn when it is sent."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from elections.invitations import wording
from elections.invitations.emails import voting_url
from elections.invitations.voting_link import REQUESTED
from foundation.acts.storage import now_text
from foundation.mail.emails import EmailTemplate, LinkedItem
from foundation.mail.mail import Mail, Withdrawn
from foundation.store import keys

from . import open_votes
from .open_votes import OpenVote

REQUESTED_LINKS = "requested_links"
MAX_LISTED_VOTES = 50
SECONDS_PER_DAY = 24 * 3600


def _votes(mail: Mail) -> list[OpenVote]:
    """As of the moment of sending, the one it was asked for first."""
    votes = open_votes.find(mail.to).votes
    if not votes:
        raise Withdrawn
    first = keys.fold(mail.about.get("first", ""))
    return sorted(votes, key=lambda each: keys.fold(each.election.name) != first)


def _links(mail: Mail) -> list[LinkedItem]:
    return [_linked(each, mail) for each in _votes(mail)[:MAX_LISTED_VOTES]]


def _linked(vote: OpenVote, mail: Mail) -> LinkedItem:
    url = voting_url(vote.election, vote.voter, mail.to, f"{REQUESTED}{mail.number}")
    return LinkedItem(vote.election.name, wording.window(vote.election, now_text()), url, _("Go to the ballot"))


EMAIL_TEMPLATES = {
    REQUESTED_LINKS: EmailTemplate(
        gettext_noop("Your links to vote"),
        (
            gettext_noop("Someone, probably you, asked for the voting links for this address."),
            gettext_noop("This is everything you can vote in here:"),
        ),
        items=_links,
        after=(
            gettext_noop(
                "These links are yours alone. Anyone who has them can vote in your place, so please do not forward "
                "this email."
            ),
            gettext_noop("Links in earlier emails still work. If you have already voted, your vote counts."),
            gettext_noop("If you did not ask for this email, you need not do anything. It was sent only to you."),
        ),
        urgent=True,
        good_for=SECONDS_PER_DAY,
    )
}
