"""Forms about accounts: registration, sign-in, passwords, profiles, roles."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.functional import lazy
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from foundation.acts.rate_limits import TooOften
from foundation.pages.fields import AddressField, NameField, markdown_field
from foundation.pages.forms import form_data
from foundation.pages.names import MAX_EMAIL_CHARS, MAX_NAME_CHARS

from . import api_tokens, throttle
from .models import User
from .rules import Role
from .visitors import Visitor, has_proved_identity, visitor

# Django's list of rules is HTML; a lazy text must be marked safe for templates to treat it as such.
password_rules = lazy(lambda: str(password_validators_help_text_html()), SafeString)


def password_field(label: Any, autocomplete: str, help_text: Any = "") -> forms.CharField:
    widget = forms.PasswordInput({"autocomplete": autocomplete})
    return forms.CharField(label=label, strip=False, max_length=1000, widget=widget, help_text=help_text)


class NewPasswordForm(forms.Form):
    """A new password, typed only once: it can be made visible, and a forgotten one can be reset."""

    password = password_field(_("New password"), "new-password", password_rules())

    user: User | None = None

    def __init__(self, *arguments: Any, user: User | None = None, **options: Any):
        self.user = user or self.user
        super().__init__(*arguments, **options)

    def clean(self) -> dict[str, Any]:
        """The password must not resemble its owner's name or address."""
        typed = super().clean() or {}
        if password := typed.get("password"):
            owner = self.user or User(name=typed.get("name", ""), email=typed.get("email", ""))
            try:
                validate_password(password, owner)
            except ValidationError as error:
                self.add_error("password", error)
        return typed


class InvitedForm(NewPasswordForm):
    field_order = ["name", "password"]
    name = NameField(help_text=_("The name others see. You can also sign in with it."))


class RegisterForm(InvitedForm):
    field_order = ["name", "email", "password"]
    email = AddressField(help_text=_("For resetting your password, and for mails about elections you can vote in."))


class NameForm(forms.Form):
    name = NameField(label=_("Another name"))


class NewcomerForm(forms.Form):
    name = NameField(help_text=_("The name others see."))


class SignInForm(forms.Form):
    name_or_email = forms.CharField(
        label=_("Name or email address"),
        max_length=MAX_EMAIL_CHARS * 2,
        widget=forms.TextInput(
            {"autocomplete": "username webauthn", "autocapitalize": "none", "spellcheck": "false", "dir": "auto"}
        ),
    )
    password = password_field(_("Password"), "current-password")


class ForgottenForm(forms.Form):
    name_or_email = forms.CharField(
        label=_("Name or email address"),
        max_length=MAX_EMAIL_CHARS * 2,
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )


class OwnPasswordForm(forms.Form):
    """Asks for the current password before an irreversible action. Too many tries block even the right one."""

    present = password_field(_("Your password"), "current-password")

    def __init__(self, *arguments: Any, user: User, visitor: Visitor, **options: Any):
        self.user, self.visitor = user, visitor
        super().__init__(*arguments, **options)

    def clean_present(self) -> str:
        present = str(self.cleaned_data["present"])
        try:
            with throttle.guess(throttle.OWN_PASSWORD, self.user.name, self.visitor, self.user) as guess:
                if self.user.check_password(present):
                    return present
                guess.wrong()
        except TooOften as refusal:
            raise ValidationError(str(refusal)) from None
        raise ValidationError(_("Wrong password. Please try again."))


class ChangePasswordForm(OwnPasswordForm, NewPasswordForm):
    field_order = ("present", "password")
    user: User


class ChangeEmailForm(OwnPasswordForm):
    field_order = ("email", "present")
    email = AddressField(label=_("New email address"))


# --- the second step of signing in ---


def code_field(label: Any, help_text: Any = "") -> forms.CharField:
    """Text, not a number: codes start with zeros. `one-time-code` lets a phone fill it in."""
    attributes = {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false", "dir": "ltr"}
    return forms.CharField(label=label, max_length=40, widget=forms.TextInput(attributes), help_text=help_text)


class AppForm(OwnPasswordForm):
    field_order = ("code", "present")
    code = code_field(_("Code from the app"), _("Six digits."))


class PasskeyForm(OwnPasswordForm):
    field_order = ("name", "present")
    name = forms.CharField(
        label=_("Name of the passkey"),
        max_length=100,
        widget=forms.TextInput({"autocomplete": "off", "dir": "auto"}),
        help_text=_("So you can recognise it later."),
    )


class TokenForm(OwnPasswordForm):
    """A new API token: offers only scopes that its owner can use."""

    field_order = ("label", "scopes", "days", "present")
    label = forms.CharField(
        label=_("Name of the token"),
        max_length=100,
        widget=forms.TextInput({"autocomplete": "off", "dir": "auto"}),
        help_text=_("Which program it is for, so you can recognise it later."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )
    days = forms.TypedChoiceField(
        label=_("Expires after"),
        coerce=int,
        initial=30,
        choices=[
            (days, ngettext_lazy("%(days)d day", "%(days)d days", days) % {"days": days}) for days in api_tokens.DAYS
        ],
    )

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        offered = api_tokens.offered_scopes(self.user)
        self.fields["scopes"].choices = [(str(scope), api_tokens.SCOPES[scope][0]) for scope in offered]


class CodeForm(forms.Form):
    """The second step by typing."""

    code = code_field(_("Code"), _("Six digits from your app, or one of your recovery codes."))

    def __init__(self, *arguments: Any, has_app: bool, **options: Any):
        super().__init__(*arguments, **options)
        if not has_app:
            self.fields["code"].label, self.fields["code"].help_text = _("Recovery code"), ""


# --- profiles, roles and limits ---


class ProfileForm(forms.Form):
    display_name = forms.CharField(
        label=_("Display name"),
        max_length=MAX_NAME_CHARS,
        required=False,
        widget=forms.TextInput({"autocomplete": "name", "dir": "auto"}),
        help_text=_("Shown next to your user name."),
    )
    about = markdown_field(_("About you"), 5, max_length=2000)


class FindPeopleForm(forms.Form):
    """Search by the start of any word of a name, or by a whole email address; and by role."""

    q = forms.CharField(
        label=_("Name or email address"),
        required=False,
        max_length=MAX_EMAIL_CHARS,
        help_text=_("The beginning of a first name or surname, or a full email address."),
    )
    role = forms.TypedChoiceField(
        label=_("Role"),
        required=False,
        coerce=lambda name: Role[name],
        empty_value=None,
        choices=[("", _("All roles")), *((role.name, role.label) for role in Role)],
    )


class RoleForm(forms.Form):
    """Offers only roles that will be accepted."""

    role = forms.TypedChoiceField(label=_("Role"), coerce=lambda name: Role[name])

    def __init__(self, *arguments: Any, offered: list[Role], **options: Any):
        super().__init__(*arguments, **options)
        choices = [("", _("Choose a role")), *((role.name, role.label) for role in offered)]
        self.fields["role"].choices = choices


class InviteForm(RoleForm):
    email = AddressField()
    field_order = ("email", "role")


class MailLimitForm(forms.Form):
    """How many mails a person may send to others per day."""

    mails_a_day = forms.IntegerField(
        label=_("Mails per day"),
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text=_("Invitations, reminders and messages to others. Leave empty for this site's default."),
    )


class ConfirmNameForm(forms.Form):
    """The name of the person to remove, typed again."""

    name = forms.CharField(label=_("Type the name to confirm"), max_length=MAX_NAME_CHARS * 2)

    def __init__(self, *arguments: Any, expected: str, **options: Any):
        self.expected = expected
        super().__init__(*arguments, **options)

    def clean_name(self) -> str:
        typed = self.cleaned_data["name"]
        if typed.strip() != self.expected:
            raise ValidationError(_("That name does not match. Nothing was removed."))
        return str(typed)


class ProofNeeded(Exception):
    """Somebody whose password proves nothing has to prove in another way who they are before an irreversible action."""


def own_password_form(request: HttpRequest, kind: type[OwnPasswordForm], **options: Any) -> Any:
    """A form that asks for the current password; guesses are throttled. Others must have proved a moment ago who
    they are."""
    form = kind(form_data(request), user=request.user, visitor=visitor(request), **options)
    if not request.user.proves_by_password:
        if not has_proved_identity(request):
            raise ProofNeeded
        del form.fields["present"]
    return form
