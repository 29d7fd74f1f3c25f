"""Creating accounts: by registration, by invitation, and for the demo."""

from __future__ import annotations

import secrets
import time

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.utils.translation import gettext_lazy as _

from accounts import emails, mail_quota, policy, repository, setup_link, throttle
from accounts.demo import DEMO_DOMAIN
from accounts.emails import LINK_SPENT, LinkSpent
from accounts.models import User
from accounts.rules import Role, invitable_roles
from foundation.acts import features
from foundation.acts.features import Features
from foundation.acts.refusals import LostRace, NameTaken, NotAllowed, Refusal, TryLater
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import now_text, record, table
from foundation.acts.tokens import SECONDS_PER_DAY, read_token
from foundation.mail import outbox
from foundation.parts import on_if, parts
from foundation.photos.demo import picture
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Delete, Exists, Item, Key, Put, Write

from .people import change_picture, change_profile, confirm_organiser

MAX_PATH_CHARS = 4000
NAME_TAKEN = _("That name is already taken. Please choose another one.")
LOOKS_TAKEN = _("Another account has a name that looks just like this one. Please choose another one.")
NAME_FREED = _("This name has only just become free. Please choose another one, or try again in a minute.")
ADDRESS_FREED = _("The account with this address was only just removed. Please try again in a minute.")


def new_user(name: str, email: str, password: str, role: Role) -> User:
    return User(
        name=name,
        email=email,
        password=password,
        role_name=role.name,
        created_at=now_text(),
        session_salt=secrets.token_hex(16),
        lineage=secrets.token_hex(16),
    )


def create_account(user: User, *extra: Write) -> None:
    """Create the account. Raises `NameTaken`, `TryLater`, or `LostRace` with the part of `extra` or of the address."""
    refusals = {
        repository.TAKEN: NameTaken(NAME_TAKEN),
        repository.NAME_LEAVES: NameTaken(NAME_FREED),
        repository.LOOKALIKE: NameTaken(LOOKS_TAKEN),
        repository.ADDRESS_LEAVES: TryLater(ADDRESS_FREED),
    }
    event_data = {"name": user.name, "email": user.email, "role": user.role_name, "created_at": user.created_at}
    event_data |= {"identities": user.identities} if user.identities else {}
    event = Event(user.name, "UserRegistered", event_data)
    record(event, *repository.creation(user), *extra, refusals=refusals)


def register(name: str, email: str, password: str, network: str, then: str = "") -> str:
    """Ask for an account, where the site allows it; the link in a mail creates it. `then` is where they wanted to go.
    Few mails are sent for one `network` as long as no accounts come of them.

    Returns the key of the pending registration. Only the owner of an address learns, by mail, that it already has an
    account: the key is then that of no registration.
    """
    policy.check_registration(email)
    hashed, number = make_password(password), secrets.token_hex(16)
    place = keys.registration(number)
    if repository.find(name) is not None:
        raise NameTaken(NAME_TAKEN)
    if repository.has_lookalike(name):
        raise NameTaken(LOOKS_TAKEN)
    asked = throttle.count_unanswered(network)
    if (known := repository.find_by_email(email)) is not None:
        table().write(outbox.queued_nothing(), outbox.queued("already_registered", known.email, name=known.name))
        return place.pk
    pending = {
        **place.item,
        "name": name,
        "email": email,
        "password": hashed,
        "then": then if len(then) <= MAX_PATH_CHARS else "",
        "asked": [asked.place.pk, asked.place.sk, asked.ends],
        "ttl": int(time.time()) + SECONDS_PER_DAY,
    }
    table().write(Put(pending), outbox.queued("confirm_registration", email, number=number, name=name))
    return place.pk


def confirm_registration(token: str, name: str | None = None) -> User:
    """Follow the mailed link: create the account and confirm the address.

    If the name was taken in the meantime, raises `NameTaken`, and the link stays valid for another `name`.
    """
    pending = read_registration(token)
    place = Key(pending["PK"], pending["SK"])
    role = Role[settings.DEFAULT_ROLE]
    user = _create_by_link(name or pending["name"], pending["email"], pending["password"], place, role)
    if asked := pending.get("asked"):
        throttle.give_back(asked)
    return user


def _create_by_link(name: str, email: str, hashed: str, place: Key, role: Role) -> User:
    """Create the account that a mailed link is for. The item at `place` is gone once the link has been used."""
    user = new_user(name, email, hashed, role)
    try:
        create_account(user, Delete(place, when=Exists()))
    except LostRace:
        raise LinkSpent(LINK_SPENT) from None
    return user


def read_registration(token: str) -> Item:
    """The pending registration for this link."""
    values = read_token("registration", token, SECONDS_PER_DAY)
    pending = table().get(keys.registration(values[0])) if values else None
    if pending is None:
        raise LinkSpent(LINK_SPENT)
    policy.check_registration(pending["email"])  # the site's policy may have changed since
    return pending


def make_demo_person(name: str, role: Role, about: str, password: str) -> bool:
    """Create a person for the demo, as if they had registered, or complete one of an interrupted attempt. False if the
    name is taken or the site has its owner. An account that has been used is left alone.

    Organisers are confirmed by the owner, so that everything can be tried out.
    """
    email = f"{name.lower().replace(' ', '.')}@{DEMO_DOMAIN}"
    user = before = repository.find(name)
    if user is None:
        user = new_user(name, email, make_password(password), role)
        try:
            create_account(user, *([repository.first_owner(user)] if role == Role.OWNER else []))
        except Refusal:
            return False
    elif user.email != email or user.last_login is not None:
        return False
    if is_described := bool(about and not user.about):
        change_profile(user, "", about)
    if is_pictured := user.photo is None and (change := picture(name)) is not None:
        change_picture(user, change)
    owner = repository.find(repository.owner_name() or "")
    if is_confirmed := role == Role.USER and owner is not None and not user.confirmed:
        confirm_organiser(owner, user)
    return before is None or is_described or is_pictured or is_confirmed


def invite(actor: User, email: str, role: Role) -> bool:
    """Invite an address. False if it has an account; admins may know that, as they see all people."""
    if role not in invitable_roles(actor.role):
        raise NotAllowed(_("You can only assign roles below your own."))
    if repository.find_by_email(email) is not None:
        return False

    def record_invitation() -> None:
        quota, now = mail_quota.quota_today(actor), now_text()
        quota.check(1)
        item = {"email": email, "invited_by": actor.name, "invited_at": now, "role": role.name}
        index = {"GSI1PK": keys.INVITATIONS.pk, "GSI1SK": keys.by_date(now, email)}
        record(
            Event(actor.name, "PersonInvited", {"email": email, "role": role.name}),
            Put({**keys.invitation(email).item, **index, **item}),
            outbox.queued("invitation", email, invited_by=actor.name),
            *quota.reserving(1),
        )

    retry_lost_race(record_invitation)
    return True


def read_invitation(token: str) -> tuple[str, list[str]]:
    """The address invited by this link, and the route and parameters of the page it invites to: empty for the site.

    On a closed site an admin must have invited it.
    """
    values = read_token("invitation", token, emails.INVITATION_DAYS * SECONDS_PER_DAY)
    if values is None or (item := table().get(keys.invitation(values[0]))) is None:
        raise LinkSpent(LINK_SPENT)
    if not policy.allows_any_invitation() and not repository.is_from_admin(item):
        raise policy.NoRegistration(policy.explain_registration())
    return values[0], values[1:]


def accept_invitation(token: str, name: str, password: str) -> User:
    email, _target = read_invitation(token)
    return _create_by_link(name, email, make_password(password), keys.invitation(email), _invited_role(email))


def check_newcomer(email: str) -> Role:
    """The role of somebody without an account whose provider has confirmed their address. Raises `NoRegistration` if
    they are neither invited nor free to register."""
    invitation = table().get(keys.invitation(email))
    if invitation and (policy.allows_any_invitation() or repository.is_from_admin(invitation)):
        return _invited_role(email)
    policy.check_registration(email)
    return Role[settings.DEFAULT_ROLE]


def create_by_identity(name: str, email: str, identity: dict[str, str]) -> User:
    """Without a password. Raises `LostRace` if the address or the identity has an account by now."""
    user = new_user(name, email, make_password(None), check_newcomer(email))
    user.identities = [identity]
    create_account(user, Delete(keys.invitation(email)))
    return user


def _invited_role(email: str) -> Role:
    """The role promised by the invitation, as long as its sender may still assign it, or else the usual one."""
    item = table().get(keys.invitation(email)) or {}
    sender, usual = repository.find(item.get("invited_by", "")), Role[settings.DEFAULT_ROLE]
    promised = Role[item.get("role", usual.name)]  # on rolls, nobody promises one
    return promised if sender is not None and promised in invitable_roles(sender.role) else usual


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
    owner, writes = new_user(name, email, make_password(password), Role.OWNER), [spent]
    if settings.PRODUCTION:  # a new site has few parts, until its owner has said what it is for
        wanted = [part.label for part in parts() if part.is_on_at_first]
        writes.append(features.writing(Features(), on_if(wanted), wanted, is_answered=False))
    try:
        create_account(owner, repository.first_owner(owner), *writes)
    except LostRace as refused:
        if repository.ADDRESS_TAKEN in refused.parts:
            raise AddressTaken(_("This address already belongs to an account here.")) from None
        raise OwnerThere(_("This site already has an owner.")) from None
    finally:
        features.cache.forget()
    return owner
