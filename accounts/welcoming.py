"""What an address was invited for, on the page where it makes its account: told by the apps that know.

Accounts know nothing of the apps above them; who tells something here is arranged in config/hooks.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from acts.hooks import Hooks


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing an address is asked for, in the words of the mail."""

    title: str
    sentences: tuple[str, ...]


WELCOMING = Hooks[[str], list[Asked]]("when an invited address is about to make its account")


def asked_of(email: str) -> list[Asked]:
    return [each for told in WELCOMING.run_all(email) for each in told]
