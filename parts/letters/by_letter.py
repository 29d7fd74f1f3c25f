"""Voting with the code in a letter.

A wrong code and a wrong date of birth are answered alike, after the same reads and writes. Tries are counted for one
code from one network, and for one code: nobody is locked out by what others try, and a stolen letter gives few guesses
at a date of birth. Codes themselves need no limit: there are too many. Nothing is left of a try that succeeds: with
the site's key one could tell whose letter was used, and that the others voted by other means.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from ballots.services.by_link import LinkTarget, resolve_link
from elections import rolls
from elections.invitations.voting_link import Link, LinkRefused
from foundation.acts.rate_limits import SECONDS_PER_DAY, TEN_MINUTES_IN_SECONDS, Limit, count_each, uncount
from foundation.acts.refusals import NotAllowed

from .repository import find_holder
from .rules import answers_check, link_of

PER_NETWORK = Limit("letter-network", 8, TEN_MINUTES_IN_SECONDS)  # wrong tries with one code from one network
PER_CODE = Limit("letter-code", 60, SECONDS_PER_DAY)  # wrong tries with one code
STRANGER = rolls.Voter("-@")
NOBODY = {"election_name": "-", "created_at": "", "voter_name": STRANGER.name}


class WrongCode(NotAllowed):
    """A code that opens nothing, or not with this answer."""


WRONG = _(
    "This code does not work, or the date of birth or member number does not match it. Please compare it with your "
    "latest letter: a newer letter replaces an older one."
)


def open_letter(code: str, answer: str, network: str) -> tuple[Link, LinkTarget]:
    """What the code opens, for somebody who also knows what is asked for besides it."""
    counted = count_each((PER_NETWORK, f"{code} from {network}"), (PER_CODE, code))
    opened = _open(code, answer)
    uncount(counted, forget=True)
    return opened


def _open(code: str, answer: str) -> tuple[Link, LinkTarget]:
    link = link_of(code, **_holder(code))
    try:
        found = resolve_link(link)
    except LinkRefused:
        found = None
    asked, voter = (found.election.letter_check, rolls.voter_of(found.entry)) if found else ("", STRANGER)
    if not answers_check(asked, voter, answer) or found is None:
        raise WrongCode(WRONG)
    return link, found


def _holder(code: str) -> dict[str, str]:
    """Somebody in any case, so that the rest is read, too."""
    found = find_holder(code) or NOBODY
    return {"election_name": found["election_name"], "created_at": found["created_at"], "voter": found["voter_name"]}


def way_back(channel: str) -> tuple[Any, str] | None:
    """For somebody who came with a code, and has left."""
    sentence = _("This browser has forgotten your code. To vote again, enter it once more.")
    return (sentence, "enter_code") if channel else None
