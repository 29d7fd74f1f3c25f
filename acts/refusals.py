"""What somebody asked for and may not have. The class is for the program, the words are for the person."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext_lazy as _


class Refusal(Exception):
    """Something a person asked for and may not have. The class is for the program, the words are for the person."""


class NotAllowed(Refusal, PermissionDenied):
    """The person's role does not give this. Django answers it with the page for 403."""


class Overtaken(Refusal):
    """Somebody changed the same thing at the same moment."""


OVERTAKEN = _("Somebody else changed this at the same moment. Please look again and decide anew.")


class TryLater(Refusal):
    """What was asked for can be had in a moment."""
