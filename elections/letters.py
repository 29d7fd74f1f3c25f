"""The mails voters get."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext_noop

from accounts import repository as people
from acts.links import whole
from acts.site import now_text, table
from acts.tokens import sign
from mail.letters import Letter
from mail.outbox import Mail
from store import keys

from . import repository
from .by_link import link_to
from .invitations import TO_ALL, silence_token
from .messages import written
from .rules import State


def _link(mail: Mail) -> str:
    """To the election; where one votes by link, through its door; for an address without an account, first to the page
    that makes one, and then to the ballot."""
    name = mail.about["election_name"]
    if (token := door(name, mail.about["voter"], mail.to)) is not None:
        return reverse("vote_by_link", args=[token])
    if people.find_by_email(mail.to) is None:
        return reverse("accept_invitation", args=[sign("invitation", mail.to, "ballot", name)])
    return reverse("election", args=[name])


def door(election_name: str, voter: str, address: str) -> str | None:
    """What the link of somebody who may vote by one has in it."""
    at, place = keys.election(election_name), keys.voter(election_name, voter)
    found = table().get_many([at, place])
    if len(found) < 2 or not (election := repository.election_of(found[at])).vote_by_link:
        return None
    return link_to(election, found[place], address).token


def silence_link(mail: Mail) -> str:
    token = silence_token(mail.about["election_name"], mail.about["voter"])
    return whole(reverse("leave_alone", args=[token]))


def _is_over(mail: Mail) -> bool:
    """A mail that waited for days must not call for a vote that nobody can cast any more."""
    election = repository.find(mail.about["election_name"])
    return election is None or election.state(now_text()) not in (State.EDITABLE, State.OPEN)


# True of every link: one that lets somebody vote opens nothing else, and others only lead to a page.
LEADS_THERE = gettext_noop("This link leads there. It is meant for you alone: please do not pass it on.")

LETTERS = {
    "vote_invitation": Letter(
        gettext_noop("Your vote is asked for"),
        (
            gettext_noop("you may vote in the election “%(election_name)s”."),
            LEADS_THERE,
        ),
        _link,
        gettext_noop("To the election"),
        is_over=_is_over,
    ),
    "vote_reminder": Letter(
        gettext_noop("You have not voted yet"),
        (
            gettext_noop("the election “%(election_name)s” is still open, and you have not voted yet."),
            LEADS_THERE,
        ),
        _link,
        gettext_noop("To the election"),
        silence_link,
        is_over=_is_over,
    ),
    TO_ALL: Letter(
        gettext_noop("An election is still open"),
        (
            gettext_noop("the election “%(election_name)s” is still open."),
            gettext_noop("If you have voted already, there is nothing left to do: nobody is told who has."),
            LEADS_THERE,
        ),
        _link,
        gettext_noop("To the election"),
        silence_link,
        is_over=_is_over,
    ),
    "vote_message": Letter(
        gettext_noop("A message about an election"),
        (gettext_noop("%(invited_by)s, who runs the election “%(election_name)s”, writes to all its voters:"),),
        _link,
        gettext_noop("To the election"),
        message=written,
    ),
}
