"""Refusals: errors for what a person may not do. The class is for the program, the message for the person."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.store.table import Refused

LOST_RACE_MESSAGE = _("Someone else changed this at the same moment. Check what it says now and try again.")


class Refusal(Exception):
    """A request that is refused; its message says why."""


class NotAllowed(Refusal, PermissionDenied):
    """The person's role does not permit this; Django responds with 403."""


class LostRace(Refusal, Refused):
    """A concurrent change came first, and nothing was written. `parts` are the positions of the writes whose conditions
    did not hold, if known."""

    def __init__(self, message: str | Promise = LOST_RACE_MESSAGE, parts: Iterable[int] = ()):
        Exception.__init__(self, message)
        self.parts = tuple(parts)


class NotThere(Refusal):
    """It does not exist, or no longer."""


class NotNow(Refusal):
    """Not possible in its current state."""


class NameTaken(Refusal):
    """Something else has this name."""


class TooMany(Refusal):
    """A limit is exceeded; the message says which."""


class TryLater(Refusal):
    """Not ready yet, but soon."""
