"""The URL of the preview image of a sealed result."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from django.utils.translation import get_language

from acts.links import absolute_url
from elections.rules import Election
from pages.sharing import LANGUAGES
from results.checks.access import seal_stamp
from results.repository import Seal

from .pen import edition


def card_edition(seal: Seal) -> str:
    """Identifies the picture of this result, as drawn by this version of Plenum."""
    return f"{edition()}-{seal_stamp(seal)[:32]}"


def card_address(election: Election, seal: Seal) -> str:
    """In the reader's language, if it can be drawn in that."""
    language = get_language() if get_language() in LANGUAGES else settings.LANGUAGE_CODE
    return absolute_url(reverse("card", args=[election.name, language, card_edition(seal)]))
