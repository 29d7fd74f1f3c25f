"""What an address was invited for, on the page where it makes its account: reasons by the apps that know.

Accounts know nothing of the apps above them; who tells something here is arranged in config/hooks.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from acts.hooks import Hooks


@dataclass(frozen=True, slots=True)
class InvitationReason:
    """One thing an address is asked for, in the words of the mail."""

    title: str
    sentences: tuple[str, ...]


INVITATION_REASONS = Hooks[[str], list[InvitationReason]]("when an invited address is about to make its account")


def reasons_for(email: str) -> list[InvitationReason]:
    return [each for reasons in INVITATION_REASONS.run_all(email) for each in reasons]
