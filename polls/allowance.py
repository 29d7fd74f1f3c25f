"""Who may create polls, and how many."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from accounts.rules import Permission
from acts.rate_limits import SECONDS_PER_DAY, SECONDS_PER_HOUR, Limit, count

MADE = Limit("poll-maker", 20, SECONDS_PER_HOUR)


def may_make(maker: User | AnonymousUser) -> bool:
    if maker.is_authenticated and maker.can(Permission.USE_APPLICATION):
        return True
    return bool(settings.POLLS_BY_ANYBODY)


def count_making(maker: User | AnonymousUser, address: str) -> None:
    """Counts a new poll; refused if the account, or the address of an anonymous maker, has made too many."""
    name = maker.name if maker.is_authenticated else address
    count(MADE, name)
    count(Limit("poll-maker-day", settings.POLLS_A_DAY, SECONDS_PER_DAY), name)
