"""What somebody asked for and may not have. The class is for the program, the words are for the person."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from store.table import Refused

LOST_RACE_MESSAGE = _("Someone else changed this at the same moment. Check what it says now and try again.")


class Refusal(Exception):
    """Something a person asked for and may not have. The class is for the program, the words are for the person."""


class NotAllowed(Refusal, PermissionDenied):
    """The person's role does not give this. Django answers it with the page for 403."""


class LostRace(Refusal, Refused):
    """Somebody changed the same thing at the same moment, and nothing was written: the store's refusal, in words for
    the person. `parts` are the positions of the writes whose conditions did not hold, where that is known."""

    def __init__(self, message: str | Promise = LOST_RACE_MESSAGE, parts: Iterable[int] = ()):
        Exception.__init__(self, message)
        self.parts = tuple(parts)


class NotThere(Refusal):
    """There is no such thing, or not any more."""


class NotNow(Refusal):
    """This cannot be done to the thing as it is now."""


class NameTaken(Refusal):
    """Something else is called so."""


class TooMany(Refusal):
    """More than there may be: the words say of what."""


class TryLater(Refusal):
    """What was asked for can be had in a moment."""
