"""Creating the first owner of a site, by the printed setup link or by a command; never by visiting first."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.utils.translation import gettext_lazy as _

from accounts import repository, setup_link
from accounts.models import User
from accounts.rules import Role
from accounts.tokens import LinkSpent
from foundation.acts import features
from foundation.acts.features import Features
from foundation.acts.refusals import LostRace, Refusal
from foundation.parts import on_if, parts
from foundation.store import keys
from foundation.store.table import Delete, Write

from .registration import create_account, new_user

SETUP_SPENT = _(
    "This link was already used, has expired, or was replaced by a newer one. Until this site has an "
    "owner, restarting the server prints a new link."
)


class OwnerThere(Refusal):
    """A site has exactly one owner, and this one already has theirs."""


class AddressTaken(Refusal):
    """Shown only to operators: others must not learn who has an account here."""


def make_owner(name: str, email: str, password: str) -> User:
    """Create the first owner by a command; this voids a printed setup link."""
    return _make(name, email, password, Delete(keys.SETUP))


def make_owner_by_link(token: str, name: str, email: str, password: str) -> User:
    """The link is spent in the transaction that creates the owner, so only one of several requests succeeds."""
    check_setup(token)
    try:
        return _make(name, email, password, setup_link.spending(token))
    except OwnerThere:
        raise LinkSpent(SETUP_SPENT) from None


def check_setup(token: str) -> None:
    if not setup_link.is_valid(token):
        raise LinkSpent(SETUP_SPENT)


def _make(name: str, email: str, password: str, spent: Write) -> User:
    owner = new_user(name, email, make_password(password), Role.OWNER)
    try:
        create_account(owner, repository.first_owner(owner), spent, *_first_features())
    except LostRace as refused:
        if repository.ADDRESS_TAKEN in refused.parts:
            raise AddressTaken(_("This address already belongs to an account here.")) from None
        raise OwnerThere(_("This site already has an owner.")) from None
    finally:
        features.cache.forget()
    return owner


def _first_features() -> list[Write]:
    """A new site in production has few parts, until its owner has said what it is for."""
    if not settings.PRODUCTION:
        return []
    wanted = [part.label for part in parts() if part.is_on_at_first]
    return [features.writing(Features(), on_if(wanted), wanted, is_answered=False)]
