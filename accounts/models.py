"""The user model for Django's authentication. Stored by `repository`, not by the ORM."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.utils.crypto import salted_hmac

from foundation.store.log import as_text, utc_now

from .policy import requires_provider, seems_to_require_provider
from .rules import ROLES, Permission, Role, is_confirmed


class User(AbstractBaseUser):
    """A person with an account. The name as typed is the key; the store folds it."""

    name = models.CharField(primary_key=True, max_length=200)
    email = models.EmailField()
    role_name = models.CharField(max_length=9, default=Role.NO_ACCESS.name)
    created_at = models.CharField(max_length=24)
    voter_since = models.CharField(max_length=24, default="")  # if later than the account's creation
    session_salt = models.CharField(max_length=32, default="")
    display_name = models.CharField(max_length=200, default="")
    about = models.TextField(default="")
    factors = models.JSONField(default=list)
    lineage = models.CharField(max_length=32, default="")
    mails_a_day = models.IntegerField(null=True, default=None)  # if it differs from the site's default
    confirmed = models.BooleanField(default=False)  # as an organiser, by an admin
    photo = models.JSONField(null=True, default=None)  # a `foundation.photos.photos.Photo`, if there is one
    visited_at = models.CharField(max_length=24, default="")  # start of the current or latest visit
    visited_before = models.CharField(max_length=24, default="")  # start of the visit before that
    asked_at = models.CharField(max_length=24, default="")  # when they asked to be confirmed as an organiser
    identities = models.JSONField(default=list)  # at providers they sign in with: `key`, `provider` and `linked_at`
    # if a group at a provider gave them their role: that `provider`, and the role they had `before`
    group_role = models.JSONField(null=True, default=None)

    USERNAME_FIELD = "name"

    class Meta:
        managed = False

    @property
    def role(self) -> Role:
        return ROLES[self.role_name]

    @property
    def may_use_password(self) -> bool:
        """Where a provider is required, only the owner, for emergencies."""
        return self.role == Role.OWNER or not requires_provider()

    @property
    def uses_password(self) -> bool:
        return self.may_use_password and bool(self.has_usable_password())

    @property
    def proves_by_password(self) -> bool:
        """Whether they type their password before what cannot be undone. It still proves who they are where a provider
        is required and they have linked none."""
        return bool(self.has_usable_password()) and (self.may_use_password or not self.identities)

    @property
    def has_no_way_in(self) -> bool:
        """Whether they could not sign in again, because a provider is required and they have linked none."""
        return not self.identities and self.role != Role.OWNER and seems_to_require_provider()

    def can(self, permission: Permission) -> bool:
        return self.role >= permission

    @property
    def votes_since(self) -> str | None:
        """Since when they may vote here; `None` if they may not."""
        return (self.voter_since or self.created_at) if self.can(Permission.VOTE) else None

    @property
    def can_look(self) -> bool:
        return self.can(Permission.VIEW_APPLICATION)

    @property
    def can_vote(self) -> bool:
        return self.can(Permission.VOTE)

    @property
    def can_run_elections(self) -> bool:
        return self.can(Permission.USE_APPLICATION)

    @property
    def can_audit(self) -> bool:
        return self.can(Permission.VIEW_SECRETS)

    @property
    def can_manage_people(self) -> bool:
        return self.can(Permission.MANAGE_USERS)

    @property
    def is_owner(self) -> bool:
        return self.can(Permission.TRANSFER_OWNER)

    @property
    def can_write_to_many(self) -> bool:
        return is_confirmed(self.role, self.confirmed)

    @property
    def waits_for_confirmation(self) -> bool:
        """Whether they have asked so recently that asking again would be a nuisance."""
        return self.asked_at > as_text(utc_now() - timedelta(days=7))

    @property
    def credentials(self) -> str:
        """Identifies who holds the account; stays the same until it changes hands, or might have.

        Until then an account has no lineage and is identified by its creation time.
        """
        return self.lineage or self.created_at

    def save(self, *, update_fields: list[str] | None = None, **options: Any) -> None:
        """Store what Django changes on its own: the last sign-in, and a hash upgraded to the current cost."""
        from . import repository

        repository.touch(self, update_fields or [])

    def get_session_auth_hash(self) -> str:
        """Sessions end when this changes: on a new password, or on signing out everywhere."""
        return _session_hash(self.session_salt, settings.SECRET_KEY)

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        return (_session_hash(self.session_salt, secret) for secret in settings.SECRET_KEY_FALLBACKS)


@lru_cache(1000)  # each request of somebody who is signed in asks for it
def _session_hash(salt: str, secret: str) -> str:
    return salted_hmac("accounts.session", salt, secret=secret, algorithm="sha256").hexdigest()
