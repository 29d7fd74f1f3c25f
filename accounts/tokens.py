"""Tokens in mailed links. They are made when a mail is sent and stored nowhere; each serves one purpose, once."""

from __future__ import annotations

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from acts.refusals import Refusal
from acts.tokens import SECONDS_PER_DAY, create_token, read_token
from store import keys

from .models import User

INVITATION_DAYS = 30
LINK_SPENT = _("This link was already used or has expired. Please ask for a new one.")


class LinkSpent(Refusal):
    """A link that was used, has grown old, or was never ours."""


class ResetToken(PasswordResetTokenGenerator):
    """Good for an hour and until the password, the address or the last sign-in changes."""

    key_salt = "accounts.reset"


reset_token = ResetToken()


def email_token(user: User, email: str) -> str:
    """Confirms a new address; void once the address has changed or the account is another's."""
    return create_token("email", *_asker(user), email)


def read_email_token(user: User, token: str) -> str | None:
    """The address that the link confirms for this person."""
    words = read_token("email", token, SECONDS_PER_DAY)
    return words[-1] if words and words[:-1] == _asker(user) else None


def _asker(user: User) -> list[str]:
    """Of the lineage no more than by which it is recognised: a link can be read."""
    mark = [salted_hmac("accounts.email", user.lineage).hexdigest()[:16]] if user.lineage else []
    return [keys.fold(user.name), user.email, *mark]
