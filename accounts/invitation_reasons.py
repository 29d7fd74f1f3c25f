"""Why an address was invited, shown on the page where it creates its account.

This app does not know the apps above it; config/hooks.py registers those that know the reasons.
"""

from __future__ import annotations

from dataclasses import dataclass

from acts.hooks import Hooks


@dataclass(frozen=True, slots=True)
class InvitationReason:
    """One thing an address is invited to do, worded as in the mail."""

    title: str
    sentences: tuple[str, ...]


INVITATION_REASONS = Hooks[[str], list[InvitationReason]]("when an invited address is about to make its account")


def reasons_for(email: str) -> list[InvitationReason]:
    return [each for reasons in INVITATION_REASONS.run_all(email) for each in reasons]
