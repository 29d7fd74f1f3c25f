"""Changing a profile: its texts and its picture; asking to be confirmed as an organiser."""

from __future__ import annotations

from accounts import repository, rules
from accounts.models import User
from accounts.rules import Role
from foundation.acts.retry import retried
from foundation.acts.storage import now_text, record, try_write
from foundation.mail import outbox
from foundation.photos import repository as photos
from foundation.photos.changing import PictureChange
from foundation.store.log import Event
from foundation.store.table import Write

from .roles import name_and_role, role_unchanged

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


def _change_picture(actor: str, person: User, change: PictureChange, *also: Write) -> None:
    before, after = person.photo, change.instead_of(person.photo)
    if before == after:
        return
    event = Event(actor, "PersonPictured", {"name": person.name, **photos.event_data(after)})
    record(event, repository.picture_change(person, after), *change.writes(before), *also)


def reloaded(user: User) -> User:
    return repository.find(user.name) or user


def ask_for_confirmation(user: User) -> None:
    """Mail the admins, who may confirm this organiser; nothing more if they were asked a few days ago."""
    if user.can_write_to_many or user.waits_for_confirmation:
        return
    admins = [each for role in (Role.OWNER, Role.ADMIN) for each in repository.people(role=role, limit=MAX_ASKED)[0]]
    mails = [outbox.queued("organiser_asks", each.email, name=user.name) for each in admins]
    try_write(repository.confirmation_request(user, now_text()), *mails)  # unless the button was pressed twice
