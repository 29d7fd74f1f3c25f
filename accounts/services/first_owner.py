"""How a site gets its first owner: by a link that was printed, or by a command; never by visiting first."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.utils.translation import gettext_lazy as _

from accounts import repository, setup_link
from accounts.models import User
from accounts.rules import Role
from accounts.tokens import LinkSpent
from acts.refusals import LostRace, Refusal
from store import keys
from store.table import Delete, Write

from .registration import create_account, new_user

SETUP_SPENT = _(
    "This link was used already, has grown too old, or a newer one was printed. As long as this site has no owner, "
    "starting the server again prints a new one."
)


class OwnerThere(Refusal):
    """A site has exactly one owner, and this one has."""


class AddressTaken(Refusal):
    """Said only to whoever looks after the site: others are not told who is here."""


def make_owner(name: str, email: str, password: str) -> User:
    """The first owner, by whoever can run commands on the machine; a link that was printed is worth nothing then."""
    return _make(name, email, password, Delete(keys.setup()))


def make_owner_by_link(token: str, name: str, email: str, password: str) -> User:
    """The link is spent in the transaction that makes the owner: of any number at once one becomes it."""
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
        create_account(owner, repository.first_owner(owner), spent)
    except LostRace as refused:
        if repository.ADDRESS_TAKEN in refused.parts:
            raise AddressTaken(_("Somebody here already has this address.")) from None
        raise OwnerThere(_("This site has its owner already.")) from None
    return owner
