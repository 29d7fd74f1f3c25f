"""The second step of signing in: authenticator apps (RFC 6238), passkeys (WebAuthn), and recovery codes.

All factors of a person are one item with a version that every write checks and changes. So a code, a challenge or a
recovery code counts once, however many requests race. A copy of the tables opens nothing: an app's secret is encrypted
under a key stored elsewhere, recovery codes are digests, and only the public half of a passkey is stored.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _

from accounts import repository, rules, services
from accounts.access import demands_second_factor
from accounts.models import User
from accounts.visitors import Source
from foundation.acts.refusals import NotThere, Refusal
from foundation.acts.retry import retried
from foundation.acts.storage import now_text, record, table, unchanged_or_new
from foundation.mail import outbox
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Delete, Item, Put, Write

from . import authenticator_apps, passkeys
from .passkeys import WRONG_PASSKEY, Passkey, RelyingParty, WrongPasskey

RECOVERY_CODES = 10
CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # five bits each, without characters that look alike
RECOVERY_CODE_CHARS = 16
HALF_SIGNED_IN_SECONDS = 600
MAX_PASSKEYS = 100  # what fits into one item, with room to spare

APP, PASSKEY = "totp", "passkey"
LABELS = {APP: _("An authenticator app"), PASSKEY: _("A passkey")}


class WrongCode(Refusal):
    pass


WRONG_CODE = _("That code is wrong or was already used. Your app shows a new one every 30 seconds.")
KNOWN_PASSKEY = _("You have already added this passkey.")
TOO_MANY = _("You have reached the maximum number of passkeys. Remove one you no longer use.")
STILL_NEEDED = _("Admins of this site need a second step. Add another one before you remove this one.")
ALREADY_REMOVED = _("That has already been removed.")
NEEDS_FACTOR = _("Recovery codes are a backup for an app or a passkey. Add one of those first.")


# --- the factors of a person ---


@dataclass(frozen=True, slots=True)
class App:
    """An authenticator app: its encrypted secret, and the last time step a code was accepted for."""

    secret: str
    step: int
    added_at: str


@dataclass(frozen=True, slots=True)
class Factors:
    """All second factors of a person. `version` is that of the item they were read from."""

    app: App | None = None
    passkeys: tuple[Passkey, ...] = ()
    codes: tuple[str, ...] = ()
    version: str = ""

    @property
    def kinds(self) -> list[str]:
        """As stored in `User.factors`. Recovery codes alone are not a factor."""
        return [kind for kind, there in ((APP, self.app), (PASSKEY, self.passkeys)) if there]

    def passkey(self, short_id: str) -> Passkey | None:
        return next((passkey for passkey in self.passkeys if passkey.short_id == short_id), None)


# --- recovery codes ---


def new_codes() -> list[str]:
    """Ten codes of 80 bits, in groups of four."""
    letters = ["".join(secrets.choice(CODE_LETTERS) for _ in range(RECOVERY_CODE_CHARS)) for _ in range(RECOVERY_CODES)]
    return ["-".join(code[at : at + 4] for at in range(0, RECOVERY_CODE_CHARS, 4)) for code in letters]


def clean_code(typed: str) -> str:
    """A code normalised for comparison: without spaces, in one case."""
    return "".join(letter for letter in typed.upper() if letter.isascii() and letter.isalnum())


def code_digest(code: str, name: str) -> str:
    return hashlib.sha256(f"recovery code\0{keys.fold(name)}\0{clean_code(code)}".encode()).hexdigest()


# --- storing them ---


def load_factors(user: User) -> Factors:
    return _factors_of(table().get(keys.factors(user.name)), user)


def _factors_of(item: Item | None, user: User) -> Factors:
    """Factors of an earlier account of the same name do not count."""
    if item is None:
        return Factors()
    if item["account"] != user.created_at:
        return Factors(version=item["version"])
    passkeys = [Passkey(**{**each, "transports": tuple(each["transports"])}) for each in item["passkeys"]]
    app = App(**item["app"]) if item["app"] else None
    return Factors(app, tuple(passkeys), tuple(item["codes"]), item["version"])


Change = Callable[[Factors], Factors]


@retried
def _update(user: User, change: Change, write: Callable[[Factors, Put], Any]) -> Factors:
    """Read, change and write; retry on a concurrent write. `change` refuses by raising."""
    before = load_factors(user)
    after = change(before)
    # Refused if they were changed since they were read.
    item = {
        **keys.factors(user.name).item,
        "account": user.created_at,
        "version": secrets.token_hex(8),
        "app": asdict(after.app) if after.app else None,
        "passkeys": [{**asdict(each), "transports": list(each.transports)} for each in after.passkeys],
        "codes": list(after.codes),
    }
    write(after, Put(item, when=unchanged_or_new(before)))
    return after


def _record(user: User, event_type: str, change: Change, *emails: Write, **details: Any) -> Factors:
    """Record the change with its event, and update the kinds on the account."""

    def write(after: Factors, put: Put) -> None:
        event = Event(user.name, event_type, {"name": user.name, **details, "factors": after.kinds})
        record(event, put, repository.factors_change(user, after.kinds), *emails)

    return _update(user, change, write)


def _email(user: User, kind: str, factor: str) -> Write:
    return outbox.queued(kind, user.email, name=user.name, factor=str(LABELS[factor]))


# --- adding and removing ---


def add_app(user: User, secret: bytes, code: str, now: float) -> Factors:
    """Confirmed by a first code, which is used up by that. Replaces an existing app."""
    step = authenticator_apps.step_of(secret, clean_code(code), now)
    if step is None:
        raise WrongCode(
            _("That code does not match. Check that your phone's clock is right, then enter the current code.")
        )
    app = App(authenticator_apps.seal(secret, user.name), step, now_text())
    email = _email(user, "factor_added", APP)
    return _record(user, "SecondFactorAdded", lambda before: replace(before, app=app), email, kind=APP)


def remove_app(user: User) -> Factors:
    email = _email(user, "factor_removed", APP)
    return _record(user, "SecondFactorRemoved", lambda before: _after_removal(user, before, app=None), email, kind=APP)


def add_passkey(user: User, passkey: Passkey) -> Factors:
    def change(before: Factors) -> Factors:
        if passkey.id in (known.id for known in before.passkeys):
            raise WrongPasskey(KNOWN_PASSKEY)
        if len(before.passkeys) >= MAX_PASSKEYS:
            raise WrongPasskey(TOO_MANY)
        return replace(before, passkeys=(*before.passkeys, passkey))

    email = _email(user, "factor_added", PASSKEY)
    return _record(user, "SecondFactorAdded", change, email, kind=PASSKEY)


def remove_passkey(user: User, short_id: str) -> Factors:
    def change(before: Factors) -> Factors:
        others = tuple(each for each in before.passkeys if each.short_id != short_id)
        return _after_removal(user, before, passkeys=others)

    email = _email(user, "factor_removed", PASSKEY)
    return _record(user, "SecondFactorRemoved", change, email, kind=PASSKEY)


def _after_removal(user: User, before: Factors, **changes: Any) -> Factors:
    """The factors left after a removal. Recovery codes go with the last factor, as they only replace one."""
    after = replace(before, **changes)
    if after == before:
        raise NotThere(ALREADY_REMOVED)
    if after.kinds:
        return after
    if demands_second_factor(user):
        raise Refusal(STILL_NEEDED)
    return replace(after, codes=())


def make_codes(user: User) -> list[str]:
    """Ten new recovery codes, which replace the old ones. They are shown only this once."""
    codes = new_codes()
    digests = tuple(code_digest(code, user.name) for code in codes)

    def change(before: Factors) -> Factors:
        if not before.kinds:
            raise NotThere(NEEDS_FACTOR)
        return replace(before, codes=digests)

    _record(user, "RecoveryCodesMade", change, count=RECOVERY_CODES)
    return codes


@retried
def reset(user: User, actor: str, *extra: Write) -> None:
    """Remove all factors of a person who has lost them and can no longer sign in.

    Since they did not do it themselves, their private data is no longer shown.
    """
    event = Event(actor, "SecondFactorsReset", {"name": user.name, "factors": []})
    email = outbox.queued("factors_reset", user.email, name=user.name)
    removal = Delete(keys.factors(user.name), when=unchanged_or_new(load_factors(user)))
    record(event, removal, repository.factors_change(user, [], breaks=True), email, *extra)


def reset_for(actor: User, target: User) -> None:
    """An admin's help for a person below them who has factors to lose."""
    rules.check_manages(services.name_and_role(actor), services.name_and_role(target))
    if not target.factors:
        raise NotThere(ALREADY_REMOVED)
    reset(target, actor.name, services.role_unchanged(actor))


# --- taking the second step ---


def use_code(user: User, typed: str, now: float) -> None:
    """Accept a code of the app or a recovery code, once."""
    code = clean_code(typed)

    def with_step(before: Factors) -> Factors:
        secret = authenticator_apps.unseal(before.app.secret, user.name) if before.app else None
        step = authenticator_apps.step_of(secret, code, now) if secret else None
        if before.app is None or step is None or step <= before.app.step:
            raise WrongCode(WRONG_CODE)
        return replace(before, app=replace(before.app, step=step))

    def without_code(before: Factors) -> Factors:
        digest = code_digest(code, user.name)
        if digest not in before.codes:
            raise WrongCode(WRONG_CODE)
        return replace(before, codes=tuple(each for each in before.codes if each != digest))

    if len(code) == 6 and code.isdigit():
        _update(user, with_step, lambda _after, put: table().write(put))
    else:
        _record(user, "RecoveryCodeUsed", without_code)


def use_passkey(user: User, answer: str, challenge: str, site: RelyingParty | None) -> None:
    """Accept the answer of one of this person's passkeys, if the challenge is ours and has not been answered before."""
    if site is None or not challenge:
        raise WrongPasskey(WRONG_PASSKEY)

    def change(before: Factors) -> Factors:
        used = passkeys.verify_use(before.passkeys, answer, challenge, site)
        return replace(before, passkeys=tuple(used if each.id == used.id else each for each in before.passkeys))

    _update(user, change, lambda _after, put: table().write(put))


# --- between the two steps ---


@dataclass(frozen=True, slots=True)
class HeldSignIn:
    """Somebody who still has to take the second step, and where they go next."""

    user: User
    factors: Factors
    then: str
    source: Source | None


def hold_sign_in(session: SessionBase, user: User, then: str, source: Source | None = None) -> None:
    """Remember in a new session that the first step was right; it gives access to the second step only."""
    session.flush()
    session.create()
    session.set_expiry(HALF_SIGNED_IN_SECONDS)
    session["half"] = {
        "name": user.name,
        "since": int(time.time()),
        "then": then,
        "proof": user.get_session_auth_hash(),
        **({"source": asdict(source)} if source else {}),
    }


def held_sign_in(session: SessionBase) -> HeldSignIn | None:
    """`None` if it was too long ago, or the password has changed since."""
    half = session.get("half")
    if half is None or time.time() - half["since"] > HALF_SIGNED_IN_SECONDS:
        return None
    person, place = keys.user(half["name"]), keys.factors(half["name"])
    items = table().get_many([person, place])
    user = repository.user_of(items[person]) if person in items else None
    if user is None or not constant_time_compare(user.get_session_auth_hash(), half["proof"]):
        return None
    source = Source(**half["source"]) if "source" in half else None
    return HeldSignIn(user, _factors_of(items.get(place), user), half["then"], source)
