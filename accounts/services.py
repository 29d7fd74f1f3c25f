"""What people do with accounts: load, decide, record in one transaction, tell people."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.utils.translation import gettext_lazy as _

from acts.limits import is_within
from acts.queues import complain, take_each
from acts.refusals import OVERTAKEN, NotAllowed, Overtaken, Refusal, TryLater
from acts.site import log, log_at, table
from acts.steps import Steps
from acts.tokens import DAY, read
from mail import outbox
from store import keys
from store.log import Event, as_text
from store.table import Check, Delete, Equals, Exists, Item, Key, Put, Refused, Write

from . import repository, rules, throttle, tokens
from .models import User
from .rules import Role
from .sessions import sessions_of
from .visitors import Visitor


class NameTaken(Refusal):
    pass


class LinkSpent(Refusal):
    """A link that was used, has grown old, or was never ours."""


TRIES = 5
LONG_AGO = datetime.min.replace(tzinfo=UTC)

NAME_TAKEN = _("Somebody here already has that name. Please choose another one.")
LINK_SPENT = _("This link was used already or has grown too old. Please ask for a new one.")
NAME_FREED = _("This name was freed a moment ago. Please choose another one, or try again in a minute.")
ADDRESS_FREED = _("The account that had this address was removed a moment ago. Please try again in a minute.")


def new_user(name: str, email: str, password: str, role: Role) -> User:
    return User(
        name=name,
        email=email,
        password=password,
        role_name=role.name,
        created_at=as_text(datetime.now(UTC)),
        session_salt=repository.new_session_salt(),
        lineage=repository.new_lineage(),
    )


def create_account(user: User, *also: Write) -> None:
    """Make the account; `NameTaken`, `TryLater`, or `Refused` with the part of `also` or of the address.

    The first account that is made under the rule about names on rolls says since when there is one.
    """
    for _attempt in range(TRIES):
        is_first = repository.names_rule() is None
        try:
            _record_account(user, [repository.names_rule_from(user)] if is_first else [], also)
        except Refused as refused:
            if not is_first or repository.names_rule() is None:
                raise _refusal(refused) from None
            user.created_at = as_text(datetime.now(UTC))  # another account was the first, and this is a later one
        else:
            return
    raise Overtaken(OVERTAKEN)


def _record_account(user: User, rule: Sequence[Write], also: Sequence[Write]) -> None:
    said = {"name": user.name, "email": user.email, "role": user.role_name, "created_at": user.created_at}
    said |= {"names_rule": True} if rule else {}
    log().record(Event(user.name, "UserRegistered", said), *repository.creation(user), *also, *rule)


def _refusal(refused: Refused) -> Exception:
    if repository.TAKEN in refused.parts:
        return NameTaken(NAME_TAKEN)
    if repository.NAME_LEAVES in refused.parts:
        return NameTaken(NAME_FREED)
    return TryLater(ADDRESS_FREED) if repository.ADDRESS_LEAVES in refused.parts else refused


# --- registering ---


def register(name: str, email: str, password: str) -> User | None:
    """Make an account. The first one is the owner's and there at once; later ones wait for the link in a mail.

    Whether the address is known is not told: its owner is, by mail.
    """
    hashed = make_password(password)
    if not repository.has_owner():
        owner = new_user(name, email, hashed, Role.OWNER)
        try:
            create_account(owner, repository.first_owner(owner))
        except Refused:
            pass  # somebody else became the owner just now
        else:
            return owner
    if repository.find(name) is not None:
        raise NameTaken(NAME_TAKEN)
    _await_confirmation(name, email, hashed)
    return None


def _await_confirmation(name: str, email: str, hashed: str) -> None:
    known = repository.find_by_email(email)
    if known is not None:
        table().write(outbox.nothing(), outbox.queued("already_registered", known.email, name=known.name))
        return
    number = secrets.token_hex(16)
    place = keys.registration(number)
    waiting = {"name": name, "email": email, "password": hashed, "ttl": int(time.time()) + DAY}
    table().write(
        Put({"PK": place.pk, "SK": place.sk, **waiting}),
        outbox.queued("confirm_registration", email, number=number, name=name),
    )


def confirm_registration(token: str, name: str | None = None) -> User:
    """What the mailed link does: the account is made and the address confirmed.

    If somebody took the name meanwhile, `NameTaken` rises and the link is good for another `name`.
    """
    waiting = read_registration(token)
    user = new_user(name or waiting["name"], waiting["email"], waiting["password"], Role[settings.DEFAULT_ROLE])
    try:
        create_account(user, Delete(Key(waiting["PK"], waiting["SK"]), when=Exists()))
    except Refused:
        raise LinkSpent(LINK_SPENT) from None
    return user


def read_registration(token: str) -> Item:
    """The registration that waits for this link."""
    words = read("registration", token, DAY)
    waiting = table().get(keys.registration(words[0])) if words else None
    if waiting is None:
        raise LinkSpent(LINK_SPENT)
    return waiting


def make_demo_person(name: str, role: Role, about: str, password: str) -> bool:
    """Somebody for the demo, as if they had registered; false if the name is taken or the site has its owner."""
    email = f"{name.lower().replace(' ', '.')}@demo.example"
    user = new_user(name, email, make_password(password), role)
    try:
        create_account(user, *([repository.first_owner(user)] if role == Role.OWNER else []))
    except (Refusal, Refused):
        return False
    if about:
        change_profile(user, "", about)
    return True


# --- invitations ---


def invite(actor: User, email: str) -> bool:
    """Invite an address. False if somebody has it already: whoever invites may know, they see people anyway."""
    if repository.find_by_email(email) is not None:
        return False
    place, now = keys.invitation(email), as_text(datetime.now(UTC))
    item = {"email": email, "invited_by": actor.name, "invited_at": now}
    index = {"GSI1PK": keys.INVITATIONS.pk, "GSI1SK": keys.invitation_by_date(now, email)}
    log().record(
        Event(actor.name, "PersonInvited", {"email": email}),
        Put({"PK": place.pk, "SK": place.sk, **index, **item}),
        outbox.queued("invitation", email, invited_by=actor.name),
    )
    return True


def read_invitation(token: str) -> str:
    """The address that was invited by this link."""
    words = read("invitation", token, tokens.INVITATION_DAYS * DAY)
    if words is None or table().get(keys.invitation(words[0])) is None:
        raise LinkSpent(LINK_SPENT)
    return words[0]


def accept_invitation(token: str, name: str, password: str) -> User:
    email = read_invitation(token)
    user = new_user(name, email, make_password(password), Role[settings.DEFAULT_ROLE])
    try:
        create_account(user, Delete(keys.invitation(email), when=Exists()))
    except Refused:
        raise LinkSpent(LINK_SPENT) from None
    return user


# --- passwords ---


def ask_for_reset(name_or_email: str, visitor: Visitor) -> None:
    """Mail a link, if there is such a person; what is answered is the same either way, and costs the same.

    Who was mailed one just now gets no other: that one is still good. So somebody else who asks again and again neither
    fills a mailbox nor keeps its owner from a link.
    """
    user = repository.find_by_either(name_or_email)
    throttle.count_try(throttle.RESET, name_or_email, visitor, user)
    is_first = is_within(throttle.RESET_MAILED, _link_at_hand(user) if user else name_or_email)
    letter = outbox.queued("reset_password", user.email, name=user.name) if user and is_first else outbox.nothing()
    table().write(letter)


def _link_at_hand(user: User) -> str:
    """Changes when a link that was mailed is used or loses its worth: then another is mailed at once."""
    return f"{user.name} {user.email} {user.session_salt} {user.last_login}"


def send_reset_link(actor: User, target: User) -> None:
    """An admin's help for somebody below. Nobody sets another's password: the link goes to the person's own mailbox,
    and the mail says who asked for it."""
    rules.check_manages(who(actor), who(target))
    event = Event(actor.name, "ResetLinkSent", {"name": target.name})
    letter = outbox.queued("reset_link", target.email, name=target.name, asked_by=actor.name)
    try:
        log().record(event, letter, still(actor), still(target))
    except Refused:
        raise Overtaken(OVERTAKEN) from None


def reset_password(name: str, token: str, password: str) -> User:
    """Whoever has the link need not be whoever had the password: what was theirs alone to see is no longer shown."""
    user = reset_link_holder(name, token)
    _record_password(user, password, breaks=True)
    return user


def reset_link_holder(name: str, token: str) -> User:
    user = repository.find(name)
    if user is None or not tokens.reset_token.check_token(user, token):
        raise LinkSpent(LINK_SPENT)
    return user


def change_password(user: User, password: str) -> User:
    """Ends all other sessions; answers the person as they are now, for the session at hand to go on."""
    _record_password(user, password, breaks=False)
    return _again(user)


def _record_password(user: User, password: str, *, breaks: bool) -> None:
    event = Event(user.name, "UserPasswordChanged", {"name": user.name})
    told = outbox.queued("password_changed", user.email, name=user.name)
    try:
        log().record(event, repository.password_change(user, make_password(password), breaks=breaks), told)
    except Refused:
        raise Overtaken(OVERTAKEN) from None


def sign_out_everywhere(user: User) -> None:
    table().write(repository.sessions_end(user))


def end_sessions(user: User, *, except_for: str, only: str | None = None) -> None:
    """End one session of a person, or all but the one at hand."""
    for session in sessions_of(user.name):
        if session["SK"] != except_for and only in (None, session["SK"]):
            table().write(Delete(keys.session(user.name, session["SK"])))


# --- email addresses ---


def ask_for_new_email(user: User, email: str) -> None:
    """Mail a link to the new address; if somebody has it, they are told instead, and the asker is not."""
    known = repository.find_by_email(email)
    if known is None or keys.fold(known.name) == keys.fold(user.name):
        table().write(outbox.queued("confirm_email", email, name=user.name, email=email))
    else:
        table().write(outbox.queued("already_registered", known.email, name=known.name))


def confirm_email(name: str, token: str) -> User:
    user, email = read_email_link(name, token)
    if email == user.email:
        return user
    event = Event(user.name, "UserEmailChanged", {"name": user.name, "email": email})
    told = outbox.queued("email_changed", user.email, name=user.name)
    writes = repository.email_change(user, email)
    try:
        log().record(event, *writes, told)
    except Refused as refused:
        is_leaving = any(isinstance(writes[part], Check) for part in refused.parts if part < len(writes))
        raise (TryLater(ADDRESS_FREED) if is_leaving else LinkSpent(LINK_SPENT)) from None
    return _again(user)


def read_email_link(name: str, token: str) -> tuple[User, str]:
    """Whose address the link changes, and to which."""
    user = repository.find(name)
    email = tokens.read_email_token(user, token) if user else None
    if user is None or email is None:
        raise LinkSpent(LINK_SPENT)
    return user, email


# --- roles ---


def change_role(actor: User, target: User, new: Role) -> None:
    """Give somebody another role; OWNER hands the ownership over."""
    rules.check_role_change(who(actor), who(target), new)
    if new == target.role:
        return
    if new == Role.OWNER:
        _hand_over(actor, target)
        return
    now = datetime.now(UTC)
    since = _gained_vote(target, new, now)
    said = {"name": target.name, "old_role": target.role_name, "new_role": new.name, **since}
    try:
        changed = repository.role_change(target, new, **since)
        log_at(now).record(Event(actor.name, "UserRoleChanged", said), *changed, still(actor))
    except Refused:
        raise Overtaken(OVERTAKEN) from None


def _gained_vote(person: User, new: Role, now: datetime) -> dict[str, str]:
    """From when they may vote, if the new role is what lets them."""
    gains = rules.has(new, rules.Permission.VOTE) and not person.can(rules.Permission.VOTE)
    return {"voter_since": as_text(now)} if gains else {}


def _hand_over(owner: User, target: User) -> None:
    """One event, one transaction: at no moment are there two owners or none."""
    now = datetime.now(UTC)
    since = _gained_vote(target, Role.OWNER, now)
    said = {"old_owner": owner.name, "new_owner": target.name, "old_role": target.role_name, **since}
    try:
        log_at(now).record(
            Event(owner.name, "OwnershipTransferred", said),
            *repository.role_change(owner, Role.AUDITOR),
            *repository.role_change(target, Role.OWNER, **since),
            repository.owner_change(owner, target),
        )
    except Refused:
        raise Overtaken(OVERTAKEN) from None


# --- profile and removal ---


def change_profile(user: User, display_name: str, about: str) -> None:
    """Who saves last, wins; and the log has it in that order."""
    for _attempt in range(TRIES):
        if (user.display_name, user.about) == (display_name, about):
            return
        event = Event(user.name, "ProfileChanged", {"name": user.name, "display_name": display_name, "about": about})
        try:
            log().record(event, repository.profile_change(user, display_name, about))
        except Refused:
            user = _again(user)
        else:
            return
    raise Overtaken(OVERTAKEN)


def remove(actor: User, target: User) -> None:
    """Remove somebody below the actor."""
    rules.check_manages(who(actor), who(target))
    _record_removal(target, actor.name, still(actor))


def remove_self(user: User) -> None:
    """Leave for good. The owner has to hand the ownership over first: a site has exactly one owner."""
    if user.role == Role.OWNER:
        raise NotAllowed(_("The owner cannot leave. Hand the ownership over first."))
    _record_removal(user, user.name)


LEAVING = Steps[[User], None]("when somebody was removed; each until it is done")


def _record_removal(user: User, actor: str, *also: Write) -> None:
    event, now = Event(actor, "UserRemoved", {"name": user.name, "role": user.role_name}), datetime.now(UTC)
    try:
        log().record(event, *repository.removal(user), *repository.leaving(user, as_text(now)), *also)
    except Refused:
        raise Overtaken(OVERTAKEN) from None
    try:
        _see_off(user, now)
    except Exception as error:  # they are removed all the same, and the worker takes up what is left
        complain(error)


def _see_off(gone: User, removed: datetime) -> bool:
    """Whether everything of theirs is in order for good: what the index has not heard of is looked for once more."""
    began = datetime.now(UTC)
    take_each(LEAVING, lambda step: step(gone))
    if (began - removed).total_seconds() < table().index_lag:
        return False
    table().write(*repository.left(gone))
    return True


def see_off_all() -> int:
    """Finish what removals have left undone; answers of how many nothing is left."""
    return take_each(list(table().each(keys.LEAVING)), _see_off_marked)


def _see_off_marked(mark: Item) -> bool:
    removed = datetime.fromisoformat(mark["removed_at"]) if "removed_at" in mark else LONG_AGO
    return _see_off(User(name=mark["name"], email=mark["email"]), removed)


def who(user: User) -> tuple[str, Role]:
    return keys.fold(user.name), user.role


def still(actor: User) -> Check:
    """That the actor has not lost the role meanwhile which allows the act."""
    return Check(keys.user(actor.name), Equals("role", actor.role_name))


def _again(user: User) -> User:
    return repository.find(user.name) or user
