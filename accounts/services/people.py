"""What admins decide about people: their roles, their mail limits, and who may write to many."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts import policy, repository, rules
from accounts.models import User
from accounts.repository import REMOVAL
from accounts.rules import Permission, Role
from foundation.acts.background import Batch, Task, finished, wait
from foundation.acts.hooks import Hooks
from foundation.acts.queues import process_each
from foundation.acts.refusals import NotAllowed, NotNow
from foundation.acts.retry import retried
from foundation.acts.storage import SITE, delete_all, now_text, record, table, try_write
from foundation.mail import outbox
from foundation.photos import photos
from foundation.photos.changing import PictureChange
from foundation.store import keys
from foundation.store.log import Event, as_text, utc_now
from foundation.store.schema import SCHEMA
from foundation.store.table import Check, Condition, Equals, Write


def change_role(actor: User, target: User, new: Role) -> None:
    """Change a person's role; OWNER transfers the ownership."""
    rules.check_role_change(name_and_role(actor), name_and_role(target), new)
    if new == target.role:
        return
    now = utc_now()
    since = _voter_since(target, new, now)
    changed = repository.role_change(target, new, since.get("voter_since"))
    if new != Role.OWNER:
        event_data = {"name": target.name, "old_role": target.role_name, "new_role": new.name, **since}
        record(Event(actor.name, "UserRoleChanged", event_data), *changed, role_unchanged(actor), at=now)
        return
    if policy.requires_provider() and not target.has_usable_password():
        raise NotNow(policy.NO_PASSWORD_OF_NEW_OWNER)
    # one event, one transaction: at no time are there two owners or none
    event_data = {"old_owner": actor.name, "new_owner": target.name, "old_role": target.role_name, **since}
    writes = [*repository.role_change(actor, Role.AUDITOR), *changed, repository.owner_change(actor, target)]
    record(Event(actor.name, "OwnershipTransferred", event_data), *writes, at=now)


def _voter_since(target: User, new: Role, now: datetime) -> dict[str, str]:
    gains_vote = rules.has(new, Permission.VOTE) and not target.can(Permission.VOTE)
    return {"voter_since": as_text(now)} if gains_vote else {}


@retried
def follow_groups(user: User, provider_id: str, granted: Role | None) -> User:
    """Give a person the role that their groups at a provider grant, and take back what groups gave before."""
    user, now = repository.find(user.name) or user, utc_now()
    mark = user.group_role or {}
    before = Role[mark["before"]] if mark.get("provider") == provider_id else None
    new = rules.role_by_groups(user.role, before, granted)
    if new == user.role:
        return user
    own = mark.get("before", user.role_name)
    is_granted = new > Role[own]
    data: dict[str, Any] = {"name": user.name, "old_role": user.role_name, "new_role": new.name}
    data |= _voter_since(user, new, now)
    data |= {"group_role": {"provider": provider_id, "before": own}} if is_granted else {}
    writes = repository.role_change(user, new, data.get("voter_since"), data.get("group_role"))
    record(Event(SITE, "UserRoleChanged", data), *writes, at=now)
    return repository.find(user.name) or user


def name_and_role(user: User) -> tuple[str, Role]:
    return keys.fold(user.name), user.role


def role_unchanged(actor: User) -> Check:
    """Check that the person still has the role that allows the act."""
    return Check(keys.user(actor.name), Equals("role", actor.role_name))


def change_mail_limit(actor: User, target: User, most: int | None) -> None:
    """Set how many mails a person below the actor may send to others per day; `None` is the site's default."""
    rules.check_manages(name_and_role(actor), name_and_role(target))
    if most == target.mails_a_day:
        return
    event_data = {"name": target.name, "old_mails_a_day": target.mails_a_day, "mails_a_day": most}
    record(
        Event(actor.name, "MailLimitChanged", event_data),
        repository.mail_limit_change(target, most),
        role_unchanged(actor),
    )


def confirm_organiser(actor: User, target: User, confirmed: bool = True) -> None:
    """Let a person below the actor send their own text to all voters of an election, or no longer."""
    rules.check_manages(name_and_role(actor), name_and_role(target))
    if target.confirmed != confirmed:
        event = Event(actor.name, "OrganiserConfirmed" if confirmed else "OrganiserUnconfirmed", {"name": target.name})
        record(event, repository.confirmation(target, confirmed), role_unchanged(actor))


MAX_ASKED = 20  # people of each role who are asked to confirm an organiser


@retried
def change_profile(user: User, display_name: str, about: str) -> None:
    """The last save wins, and the log has them in that order."""
    now = reloaded(user)
    if (now.display_name, now.about) == (display_name, about):
        return
    event_data = {"name": user.name, "display_name": display_name, "about": about}
    record(Event(user.name, "ProfileChanged", event_data), repository.profile_change(now, display_name, about))


@retried
def change_picture(user: User, change: PictureChange) -> None:
    """Replace, re-caption or remove the picture. Of two concurrent changes, the second replaces the first."""
    _change_picture(user.name, reloaded(user), change)


@retried
def move_picture(user: User) -> None:
    """Move the picture to another URL, so that the old one no longer works."""
    now = reloaded(user)
    if now.photo and (new := photos.copy(now.photo)):
        _change_picture(now.name, now, PictureChange(new))


@retried
def remove_picture(actor: User, person: User) -> None:
    """Remove an unsuitable picture of a person below the actor."""
    now = reloaded(person)
    rules.check_manages(name_and_role(actor), name_and_role(now))
    _change_picture(actor.name, now, PictureChange(), role_unchanged(actor))


def _change_picture(actor: str, person: User, change: PictureChange, *extra: Write) -> None:
    before, after = person.photo, change.instead_of(person.photo)
    if before == after:
        return
    event = Event(actor, "PersonPictured", {"name": person.name, **photos.event_data(after)})
    record(event, repository.picture_change(person, after), *change.writes(before), *extra)


def reloaded(user: User) -> User:
    return repository.find(user.name) or user


def ask_for_confirmation(user: User) -> None:
    """Mail the admins, who may confirm this organiser; nothing more if they were asked a few days ago."""
    if user.can_write_to_many or user.waits_for_confirmation:
        return
    admins = [each for role in (Role.OWNER, Role.ADMIN) for each in repository.people(role=role, limit=MAX_ASKED)[0]]
    mails = [outbox.queued("organiser_asks", each.email, name=user.name) for each in admins]
    try_write(repository.confirmation_request(user, now_text()), *mails)  # unless the button was pressed twice


ON_REMOVAL = Hooks[[User], None]("when a person has been removed; each step is repeated until it is done", always=True)
ON_ERASURE = Hooks[[str], None]("when the log is asked to forget a name or address that no account has", always=True)


def removal_effects(user: User) -> list[str]:
    """What a removal would hand over, in sentences. It must not reveal where the person has voted."""
    counted = (pair for each in SCHEMA.removal_effects for pair in zip(each.sentences, each.counts(user), strict=True))
    return [str(sentence % {"count": count}) for sentence, count in counted if count]


def remove(actor: User, target: User) -> None:
    """Remove a person below the actor."""
    rules.check_manages(name_and_role(actor), name_and_role(target))
    _record_removal(target, actor.name, role_unchanged(actor))


def remove_self(user: User) -> None:
    """Remove one's own account. The owner must transfer the ownership first: a site has exactly one owner."""
    if user.role == Role.OWNER:
        raise NotAllowed(_("You own this site, so you cannot leave yet. Transfer the ownership first."))
    _record_removal(user, user.name)


def remove_again(name: str, removed_at: str) -> bool:
    """The site removes a person who was already removed before; false if that account does not exist."""
    user = repository.find(name)
    if user is None or user.created_at > removed_at or user.role == Role.OWNER:
        return False
    _record_removal(user, SITE)
    return True


def _record_removal(user: User, actor: str, *extra: Write, only_if: Condition | None = None) -> None:
    event = Event(actor, "UserRemoved", {"name": user.name, "role": user.role_name})
    record(event, *repository.removal(user, only_if), *repository.reserving_names(user, now_text()), *extra)
    REMOVAL.start(user.name)


@REMOVAL.step
def finish_removal(task: Task) -> Batch:
    """Finish the removal of everything of theirs, with a second pass for what the index did not have yet."""
    gone, removed_at = User(name=task.subject, email=task.data["email"]), task.data["removed_at"]
    age = (datetime.now(UTC) - datetime.fromisoformat(removed_at)).total_seconds()
    process_each(ON_REMOVAL, lambda step: step(gone))
    if age < table().index_lag:
        return wait(table().index_lag - age)
    upto = (table().get(keys.EVENT_NUMBER) or {"last": 0})["last"]
    return finished(*repository.releasing_names(gone), repository.forgetting_in_log(gone, removed_at, upto))


def delete_sessions(gone: User) -> None:
    """Forget where they were signed in, and on which devices."""
    delete_all(keys.sessions(gone.name))
