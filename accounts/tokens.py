"""Tokens in mailed links. They are created when a mail is sent and never stored; each serves one purpose, once."""

from __future__ import annotations

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import Refusal
from foundation.acts.tokens import SECONDS_PER_DAY, create_token, read_token
from foundation.store import keys

from .models import User

INVITATION_DAYS = 30
LINK_SPENT = _("This link was already used or has expired. Please ask for a new one.")


class LinkSpent(Refusal):
    """A link that was used, has expired, or was never ours."""


class ResetToken(PasswordResetTokenGenerator):
    """Valid for an hour, and until the password, the address or the last sign-in changes."""

    key_salt = "accounts.reset"


reset_token = ResetToken()


def email_token(user: User, email: str) -> str:
    """Confirms a new address; void once the address has changed or the account is a different one."""
    return create_token("email", *_asker(user), email)


def read_email_token(user: User, token: str) -> str | None:
    """The address the link confirms for this person."""
    values = read_token("email", token, SECONDS_PER_DAY)
    return values[-1] if values and values[:-1] == _asker(user) else None


def _asker(user: User) -> list[str]:
    """A digest of the lineage, enough to compare it: links can be read by others."""
    mark = [salted_hmac("accounts.email", user.lineage, algorithm="sha256").hexdigest()[:16]] if user.lineage else []
    return [keys.fold(user.name), user.email, *mark]
