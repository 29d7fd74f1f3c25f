"""What pages of the core say about voters by letter."""

from __future__ import annotations

from django.utils.translation import ngettext

from elections.rules import Election


def about_voters(election: Election) -> list[str]:
    """Before the opening."""
    if not election.by_letter:
        return []
    sentence = ngettext(
        "%(count)d of them gets a letter, which you print once it is open.",
        "%(count)d of them get letters, which you print once it is open.",
        election.by_letter,
    )
    return [sentence % {"count": election.by_letter}]
