"""The emails about accounts, and the tokens in their links.

Tokens are created when a mail is sent and never stored; each serves one purpose, once.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from foundation.acts.refusals import Refusal
from foundation.acts.tokens import SECONDS_PER_DAY, create_token, read_token
from foundation.mail.emails import EmailTemplate, Mail
from foundation.store import keys

from . import repository
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


PROOF, PROOF_SECONDS = "prove identity", 3600  # the purpose of the token, and how long it counts


def _reset_link(mail: Mail) -> str:
    user = repository.find(mail.about["name"])
    token = reset_token.make_token(user) if user else "-"  # removed since: the link leads to an explanation
    return reverse("reset", args=[mail.about["name"], token])


def _email_link(mail: Mail) -> str:
    user = repository.find(mail.about["name"])
    token = email_token(user, mail.about["email"]) if user else "-"
    return reverse("confirm_email", args=[mail.about["name"], token])


EMAIL_TEMPLATES = {
    "organiser_asks": EmailTemplate(
        gettext_noop("%(name)s asks to be confirmed as an organiser"),
        (
            gettext_noop("%(name)s runs elections here and would like to write to voters in their own words."),
            gettext_noop("If you know them, confirm them on their page. Otherwise you need not do anything."),
        ),
        lambda mail: reverse("person", args=[mail.about["name"]]),
        gettext_noop("See their page"),
        title=gettext_noop("Request to be confirmed as an organiser"),
    ),
    "confirm_registration": EmailTemplate(
        gettext_noop("Complete your account"),
        (
            gettext_noop("Somebody, hopefully you, asked for an account named %(name)s with this address."),
            gettext_noop("Use this link within a day to complete your account. If it was not you, ignore this mail."),
        ),
        lambda mail: reverse("confirm_registration", args=[create_token("registration", mail.about["number"])]),
        gettext_noop("Complete account"),
        urgent=True,
        good_for=SECONDS_PER_DAY,
    ),
    "already_registered": EmailTemplate(
        gettext_noop("You already have an account"),
        (
            gettext_noop("Somebody tried to create an account with this address, but you already have one: %(name)s."),
            gettext_noop("If it was you, sign in with that name, or reset your password if you have forgotten it."),
        ),
        lambda mail: reverse("sign_in"),
        gettext_noop("Sign in"),
        urgent=True,
    ),
    "reset_password": EmailTemplate(
        gettext_noop("Reset your password"),
        (
            gettext_noop("Somebody, hopefully you, asked for a new password for %(name)s."),
            gettext_noop(
                "Choose one with this link. It works once, within an hour. If it was not you, ignore this mail."
            ),
        ),
        _reset_link,
        gettext_noop("Choose a new password"),
        urgent=True,
        good_for=settings.PASSWORD_RESET_TIMEOUT,
    ),
    "reset_link": EmailTemplate(
        gettext_noop("Reset your password"),
        (
            gettext_noop("%(asked_by)s, who manages the accounts here, is sending this link to %(name)s."),
            gettext_noop("Use it to choose a new password. It works once, within an hour."),
            gettext_noop("If you did not ask for help signing in, ignore this mail. Your password stays the same."),
        ),
        _reset_link,
        gettext_noop("Choose a new password"),
        urgent=True,
        good_for=settings.PASSWORD_RESET_TIMEOUT,
    ),
    "password_changed": EmailTemplate(
        gettext_noop("Your password was changed"),
        (gettext_noop("The password of %(name)s was just changed. If that was not you, reset it now."),),
        lambda mail: reverse("forgotten"),
        gettext_noop("Reset the password"),
        urgent=True,
    ),
    "confirm_email": EmailTemplate(
        gettext_noop("Confirm your new address"),
        (gettext_noop("Use this link within a day to confirm this as the address of %(name)s."),),
        _email_link,
        gettext_noop("Confirm address"),
        urgent=True,
        good_for=SECONDS_PER_DAY,
    ),
    "prove_identity": EmailTemplate(
        gettext_noop("Confirm that it is you"),
        (
            gettext_noop("In a browser that is signed in as %(name)s, somebody is about to do what cannot be undone."),
            gettext_noop("If it is you, use this link within an hour, in the same browser. It works once."),
            gettext_noop("If it was not you, do not use it, and end your sessions on your account page."),
        ),
        lambda mail: reverse("prove_by_link", args=[create_token(PROOF, mail.about["browser"], mail.about["next"])]),
        gettext_noop("Yes, it is me"),
        urgent=True,
        good_for=PROOF_SECONDS,
    ),
    "email_changed": EmailTemplate(
        gettext_noop("Your address was changed"),
        (
            gettext_noop(
                "%(name)s now has a different email address. If that was not you, contact the admins of this site."
            ),
        ),
        urgent=True,
    ),
    "factor_added": EmailTemplate(
        gettext_noop("A second step was added to your account"),
        (
            gettext_noop("%(factor)s was added to the sign-in of %(name)s."),
            gettext_noop("If that was not you, remove it there and change your password."),
        ),
        lambda mail: reverse("factors"),
        gettext_noop("View your second steps"),
        urgent=True,
    ),
    "factor_removed": EmailTemplate(
        gettext_noop("A second step was removed from your account"),
        (
            gettext_noop("%(factor)s was removed from the sign-in of %(name)s."),
            gettext_noop("If that was not you, change your password now and add it again."),
        ),
        lambda mail: reverse("factors"),
        gettext_noop("View your second steps"),
        urgent=True,
    ),
    "api_token_created": EmailTemplate(
        gettext_noop("An API token was created for your account"),
        (
            gettext_noop("A token named “%(label)s” can now act for %(name)s, without the password."),
            gettext_noop("If that was not you, revoke it there and change your password."),
        ),
        lambda mail: reverse("api_tokens"),
        gettext_noop("View your API tokens"),
        urgent=True,
    ),
    "factors_reset": EmailTemplate(
        gettext_noop("Your second step was removed"),
        (
            gettext_noop("An admin of this site removed the second step from the sign-in of %(name)s."),
            gettext_noop("You can now sign in with just your password. Please add a second step again."),
        ),
        lambda mail: reverse("factors"),
        gettext_noop("Add a second step"),
        urgent=True,
    ),
    "identity_linked": EmailTemplate(
        gettext_noop("Your account was linked with %(provider)s"),
        (
            gettext_noop("%(name)s can now sign in with %(provider)s."),
            gettext_noop("If that was not you, unlink it there and change your password."),
        ),
        lambda mail: reverse("providers"),
        gettext_noop("View your sign-in providers"),
        urgent=True,
    ),
    "identity_unlinked": EmailTemplate(
        gettext_noop("Your account is no longer linked with %(provider)s"),
        (
            gettext_noop("%(name)s can no longer sign in with %(provider)s."),
            gettext_noop("If that was not you, change your password now and link it again."),
        ),
        lambda mail: reverse("providers"),
        gettext_noop("View your sign-in providers"),
        urgent=True,
    ),
    "invitation": EmailTemplate(
        gettext_noop("You are invited"),
        (
            gettext_noop("%(invited_by)s invites you to take part in decisions here."),
            gettext_noop("Create your account with this link within 30 days."),
        ),
        lambda mail: reverse("accept_invitation", args=[create_token("invitation", mail.to)]),
        gettext_noop("Create account"),
        urgent=True,
    ),
}
