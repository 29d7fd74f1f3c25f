"""Throttling: how often something may be tried, counted atomically in items that expire.

A guess is counted before it is checked, so guessing in parallel gains nothing; a right one is given back, so only
failures count. A stranger's failures do not lock the owner of an account out from another address (those from very many
addresses do, for minutes), and never on a device that has signed in before.

The first tries at an account from an address are checked regardless of what else that address has tried, and do not
count for the address: so one device cannot lock out a whole network by trying made-up names. Accounts are told apart by
the text typed, not by whether the name exists, which would reveal who has an account; and as far as `NAMES_APART` goes,
so that made-up names without end leave a bounded number of counters.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.crypto import salted_hmac

from foundation.acts.rate_limits import (
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
    TEN_MINUTES_IN_SECONDS,
    Attempt,
    Limit,
    TooOften,
    check_attempts_left,
    count,
    count_each,
    key_of,
    uncount,
)
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Key, StoreError

from .models import User
from .visitors import Visitor

# Names typed are counted under so many numbers: of all networks together, and of each network. Names that share one
# share their tries. To use up the free tries of its network, one device would need 3 x 16^5 answers: to sign-ins in ten
# minutes, each with a hash of the password, or to requests for a reset in an hour.
NAMES_APART = 16**5


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one kind of try, from narrowest to widest. A known device has the first to itself."""

    per_source: Limit  # at one account from one address, or from one known device
    per_account: Limit  # at one account, from all addresses and unknown devices
    per_address: Limit | None = None  # from one address at all accounts, beyond the free tries
    free_tries: int = 0  # at one account from one address, regardless of its other tries


SIGN_IN = Limits(
    Limit("sign-in", 10, TEN_MINUTES_IN_SECONDS),
    Limit("sign-in-account", 100, TEN_MINUTES_IN_SECONDS),
    Limit("sign-in-address", settings.SIGN_IN_FAILURES_PER_ADDRESS, TEN_MINUTES_IN_SECONDS),
    free_tries=3,
)
# failed sign-ins with providers that began in a browser at one address
BY_PROVIDER = Limit("sign-in-provider", settings.SIGN_IN_FAILURES_PER_ADDRESS, TEN_MINUTES_IN_SECONDS)
SECOND_STEP = Limits(Limit("factor", 8, TEN_MINUTES_IN_SECONDS), Limit("factor-account", 30, SECONDS_PER_HOUR))
OWN_PASSWORD = Limits(
    Limit("password", 10, TEN_MINUTES_IN_SECONDS), Limit("password-account", 50, TEN_MINUTES_IN_SECONDS)
)
RESET = Limits(
    Limit("reset", 5, SECONDS_PER_HOUR),
    # `RESET_MAILED` protects the mailbox, so this need not keep anyone from a link
    Limit("reset-account", 1000, SECONDS_PER_HOUR),
    Limit("reset-address", 100, SECONDS_PER_HOUR),
    free_tries=3,
)
RESET_MAILED = Limit("reset-mailed", 1, TEN_MINUTES_IN_SECONDS)
# links one account may have mailed to addresses other than its own
NEW_EMAIL = Limit("new-email", 20, SECONDS_PER_DAY)
PROOF_MAILED = Limit("proof-mailed", 5, SECONDS_PER_HOUR)  # links to somebody who has to prove who they are
RESET_LINK = Limit("reset-link", 3, SECONDS_PER_HOUR)  # mailed to one person by admins
OWN_DATA = Limit("own-data", 5, SECONDS_PER_HOUR)  # per person: an export reads everything
NAMES_TAKEN = Limit("names-taken", 20, SECONDS_PER_HOUR)  # per address: many tries suggest probing for accounts
REGISTER = Limits(
    Limit("register", 5, SECONDS_PER_HOUR),
    Limit("register-email", 20, SECONDS_PER_HOUR),
    Limit("register-address", settings.REGISTRATIONS_PER_ADDRESS, SECONDS_PER_HOUR),
)
# registrations from one address whose mail nobody has answered yet: strangers may have been mailed
UNANSWERED = Limit("register-unanswered", max(5, settings.REGISTRATIONS_PER_ADDRESS // 6), SECONDS_PER_HOUR)
GIVEN_BACK = 5  # for each that is answered, so that a hall is not held up for long


def count_unanswered(network: str) -> Attempt:
    """Those that are refused do not count: no mail is sent for them, and accounts give no more back."""
    check_attempts_left(UNANSWERED, table().get(key_of(UNANSWERED, network)))
    return count(UNANSWERED, network)


def give_back(asked: list[Any]) -> None:
    """An account has come of a registration that was counted at this place."""
    partition, sort, ends = asked
    with suppress(StoreError):
        table().increment(Key(partition, sort), "tries", -GIVEN_BACK, setting={"ttl": ends})


def number_of(typed: str) -> str:
    """Under which a name or address is counted, whether or not there is such an account."""
    digest = salted_hmac("accounts.throttle.names", keys.fold(typed), algorithm="sha256").digest()
    return str(int.from_bytes(digest) % NAMES_APART)


def count_try(limits: Limits, account: str, visitor: Visitor, user: User | None) -> list[Attempt]:
    """Count one try at an account by the name typed, whether or not it exists (`user`).

    A try refused by one limit does not count for the others, so one address cannot use up an account's limit.
    """
    if user is not None and (device := visitor.device(user)):
        return [count(limits.per_source, f"{user.name} on {device}")]
    number = number_of(account)
    attempt = count(limits.per_source, f"{number} from {visitor.address}")
    by_address = (
        [(limits.per_address, visitor.address)] if limits.per_address and attempt.tries > limits.free_tries else []
    )
    try:
        return [attempt, *count_each((limits.per_account, number), *by_address)]
    except TooOften:
        uncount([attempt], forget=True)
        raise


@dataclass
class Guess:
    """A guess being checked; right unless marked wrong."""

    was_wrong: bool = False

    def wrong(self) -> None:
        self.was_wrong = True


@contextmanager
def guess(limits: Limits, account: str, visitor: Visitor, user: User | None) -> Iterator[Guess]:
    """Wraps the check of a guess, which stays counted if it is wrong or refused."""
    counted, made = count_try(limits, account, visitor, user), Guess()
    try:
        yield made
    except Refusal:
        made.wrong()
        raise
    finally:
        if not made.was_wrong:
            uncount(counted)
