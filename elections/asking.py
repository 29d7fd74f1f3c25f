"""Where people in trouble can ask the organisers of an election: on a page that a part may have."""

from __future__ import annotations

from django.utils.translation import gettext as _

from foundation.acts.hooks import Hooks

from .rules import Election

# Returns the path of a page, or nothing if it takes no requests. Without the election, as if there were one of that
# name: who is told the path must not learn whether there is.
PLACES_TO_ASK = Hooks[[str, Election | None], str]("when people are told where to ask the organisers of an election")


def where_to_ask(name: str, election: Election | None = None) -> str:
    """The path of the page, empty if there is none; with the election, also once it takes no more requests."""
    return next(filter(None, (page(name, election) for page in PLACES_TO_ASK)), "")


def asking_hint() -> str:
    """Where the election is not known: who asks learns nothing of any."""
    if next(iter(PLACES_TO_ASK), None) is None:
        return ""
    return _("Trouble voting? Your invitation or letter says where to ask the organisers.")
