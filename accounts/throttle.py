"""How often something may be tried: counted atomically, in items that expire.

What is guessed is counted before it is judged, so that guessing at once gains nothing; what was right is given back, so
that only failures count. A stranger's failures do not keep the owner of an account out from another address (those of
very many addresses do, for minutes), and nobody's do on a device that has signed in before.

The first tries at an account from an address are judged whatever else that address has tried, and do not count for the
address: so one device cannot keep a whole network from signing in by trying made-up names. It is by what was typed that
they are told apart, and not by whether somebody has the name, which would tell who is here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings

from acts.rate_limits import (
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
    TEN_MINUTES_IN_SECONDS,
    Attempt,
    Limit,
    count,
    count_each,
    uncount,
)
from acts.refusals import Refusal
from store import keys

from .models import User
from .visitors import Visitor


@dataclass(frozen=True, slots=True)
class Limits:
    """For one kind of try, from the narrowest to the widest. A device that is known has the first to itself."""

    per_source: Limit  # at one account from one address, or from one known device
    per_account: Limit  # at one account, from all addresses and unknown devices
    per_address: Limit | None = None  # from one address at all accounts, beyond the free tries
    free_tries: int = 0  # at one account from one address, allowed whatever that address tried elsewhere


SIGN_IN = Limits(
    Limit("sign-in", 10, TEN_MINUTES_IN_SECONDS),
    Limit("sign-in-account", 100, TEN_MINUTES_IN_SECONDS),
    Limit("sign-in-address", settings.SIGN_IN_FAILURES_PER_ADDRESS, TEN_MINUTES_IN_SECONDS),
    free_tries=3,
)
SECOND_STEP = Limits(Limit("factor", 8, TEN_MINUTES_IN_SECONDS), Limit("factor-account", 30, SECONDS_PER_HOUR))
OWN_PASSWORD = Limits(
    Limit("password", 10, TEN_MINUTES_IN_SECONDS), Limit("password-account", 50, TEN_MINUTES_IN_SECONDS)
)
RESET = Limits(
    Limit("reset", 5, SECONDS_PER_HOUR),
    # a mailbox is kept from overflowing by `RESET_MAILED`, and nobody from a link
    Limit("reset-account", 1000, SECONDS_PER_HOUR),
    Limit("reset-address", settings.RESETS_PER_ADDRESS, SECONDS_PER_HOUR),
    free_tries=1,
)
RESET_MAILED = Limit("reset-mailed", 1, TEN_MINUTES_IN_SECONDS)
# links that one account may have mailed to addresses that are not its own
NEW_EMAIL = Limit("new-email", 20, SECONDS_PER_DAY)
RESET_LINK = Limit("reset-link", 3, SECONDS_PER_HOUR)  # that admins have mailed to one person
OWN_DATA = Limit("own-data", 5, SECONDS_PER_HOUR)  # that one person may ask for: it reads all there is
NAMES_TAKEN = Limit(
    "names-taken", 20, SECONDS_PER_HOUR
)  # that were tried from one address: who tries many wants to know who is here
REGISTER = Limits(
    Limit("register", 5, SECONDS_PER_HOUR),
    Limit("register-email", 20, SECONDS_PER_HOUR),
    Limit("register-address", settings.REGISTRATIONS_PER_ADDRESS, SECONDS_PER_HOUR),
)


def count_try(limits: Limits, account: str, visitor: Visitor, user: User | None) -> list[Attempt]:
    """Count one try at an account by the name that was typed, the same whether or not somebody (`user`) has it.

    What a narrow limit refuses does not count for a wider one: so one address alone cannot use up an account's.
    """
    if user is not None and (device := visitor.device(user)):
        return [count(limits.per_source, f"{user.name} on {device}")]
    here = count(limits.per_source, f"{keys.fold(account)} from {visitor.address}")
    around = [(limits.per_address, visitor.address)] if limits.per_address and here.tries > limits.free_tries else []
    return [here, *count_each((limits.per_account, account), *around)]


@dataclass
class Guess:
    """Something that is being tried, right until it is said to be wrong."""

    was_wrong: bool = False

    def wrong(self) -> None:
        self.was_wrong = True


@contextmanager
def guess(limits: Limits, account: str, visitor: Visitor, user: User | None) -> Iterator[Guess]:
    """Around judging a guess, which is counted unless it turns out right, or cannot be judged. A refusal is a no."""
    counted, made = count_try(limits, account, visitor, user), Guess()
    try:
        yield made
    except Refusal:
        made.wrong()
        raise
    finally:
        if not made.was_wrong:
            uncount(counted)
