"""The mails people get: their words, and the links that are made only now that they are sent."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_noop

from acts.tokens import SECONDS_PER_DAY, create_token
from mail.emails import EmailTemplate
from mail.outbox import Mail

from . import repository, tokens


def _registration_link(mail: Mail) -> str:
    return reverse("confirm_registration", args=[create_token("registration", mail.about["number"])])


def _invitation_link(mail: Mail) -> str:
    return reverse("accept_invitation", args=[create_token("invitation", mail.to)])


def _reset_link(mail: Mail) -> str:
    user = repository.find(mail.about["name"])
    token = tokens.reset_token.make_token(user) if user else "-"  # gone meanwhile: a link that leads to a sentence
    return reverse("reset", args=[mail.about["name"], token])


def _email_link(mail: Mail) -> str:
    user = repository.find(mail.about["name"])
    token = tokens.email_token(user, mail.about["email"]) if user else "-"
    return reverse("confirm_email", args=[mail.about["name"], token])


EMAIL_TEMPLATES = {
    "confirm_registration": EmailTemplate(
        gettext_noop("Complete your account"),
        (
            gettext_noop("somebody, we hope you, asked for an account named %(name)s with this address."),
            gettext_noop("This link completes it. It is good for one day. If it was not you, do nothing."),
        ),
        _registration_link,
        gettext_noop("Complete account"),
        urgent=True,
        good_for=SECONDS_PER_DAY,
    ),
    "already_registered": EmailTemplate(
        gettext_noop("You have an account already"),
        (
            gettext_noop("somebody asked to use this address for an account here, but you have one already: %(name)s."),
            gettext_noop("If it was you, sign in with that name, or reset the password if you do not remember it."),
        ),
        lambda mail: reverse("sign_in"),
        gettext_noop("Sign in"),
        urgent=True,
    ),
    "reset_password": EmailTemplate(
        gettext_noop("Reset your password"),
        (
            gettext_noop("somebody, we hope you, asked for a new password for %(name)s."),
            gettext_noop("This link lets you choose one. It works once, within an hour. If it was not you, ignore it."),
        ),
        _reset_link,
        gettext_noop("Choose a new password"),
        urgent=True,
        good_for=settings.PASSWORD_RESET_TIMEOUT,
    ),
    "reset_link": EmailTemplate(
        gettext_noop("Reset your password"),
        (
            gettext_noop("%(asked_by)s, who looks after the accounts here, has this link sent to %(name)s."),
            gettext_noop("It lets you choose a new password, and works once, within an hour."),
            gettext_noop("If you did not ask for help with signing in, do nothing: your password stays as it is."),
        ),
        _reset_link,
        gettext_noop("Choose a new password"),
        urgent=True,
        good_for=settings.PASSWORD_RESET_TIMEOUT,
    ),
    "password_changed": EmailTemplate(
        gettext_noop("Your password was changed"),
        (gettext_noop("the password of %(name)s was just changed. If that was not you, reset it now."),),
        lambda mail: reverse("forgotten"),
        gettext_noop("Reset the password"),
        urgent=True,
    ),
    "confirm_email": EmailTemplate(
        gettext_noop("Confirm your new address"),
        (gettext_noop("this link makes this the address of %(name)s. It is good for one day."),),
        _email_link,
        gettext_noop("Confirm address"),
        urgent=True,
        good_for=SECONDS_PER_DAY,
    ),
    "email_changed": EmailTemplate(
        gettext_noop("Your address was changed"),
        (gettext_noop("%(name)s now has another address. If that was not you, tell whoever runs this site."),),
        urgent=True,
    ),
    "factor_added": EmailTemplate(
        gettext_noop("A second step was added to your account"),
        (
            gettext_noop("%(factor)s now belongs to the sign-in of %(name)s."),
            gettext_noop("If that was not you, remove it there and change your password."),
        ),
        lambda mail: reverse("factors"),
        gettext_noop("See the second steps"),
        urgent=True,
    ),
    "factor_removed": EmailTemplate(
        gettext_noop("A second step was removed from your account"),
        (
            gettext_noop("%(factor)s no longer belongs to the sign-in of %(name)s."),
            gettext_noop("If that was not you, change your password now and add it again."),
        ),
        lambda mail: reverse("factors"),
        gettext_noop("See the second steps"),
        urgent=True,
    ),
    "factors_reset": EmailTemplate(
        gettext_noop("Your second step was taken away"),
        (
            gettext_noop("somebody who runs this site has taken away the second step of signing in as %(name)s."),
            gettext_noop("You can sign in with your password alone now. Please add a second step again."),
        ),
        lambda mail: reverse("factors"),
        gettext_noop("Add a second step"),
        urgent=True,
    ),
    "invitation": EmailTemplate(
        gettext_noop("You are invited"),
        (
            gettext_noop("%(invited_by)s invites you to take part in decisions here."),
            gettext_noop("This link makes your account. It is good for 30 days."),
        ),
        _invitation_link,
        gettext_noop("Create account"),
        urgent=True,
    ),
}
