"""Forms for mails to voters: messages, own text in invitations, automatic reminders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from foundation.pages.fields import markdown_field

from . import messages, wording
from .reminders import REMINDER_TIMES
from .wording import AS_BEFORE, MYSELF, NOBODY, OwnText, Person


def reminders_field() -> forms.TypedMultipleChoiceField:
    return forms.TypedMultipleChoiceField(
        label=_("Remind those who have not voted"),
        choices=list(REMINDER_TIMES.items()),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("By mail, to everybody who was invited and has not unsubscribed."),
    )


class RemindersForm(forms.Form):
    remind_before = reminders_field()


def subject_field(label: Any, **options: Any) -> forms.CharField:
    widget = forms.TextInput({"dir": "auto"})
    return forms.CharField(label=label, max_length=messages.MAX_SUBJECT_CHARS, widget=widget, **options)


class MessageForm(forms.Form):
    """A message from an organiser to everyone on the roll."""

    subject = subject_field(_("Subject"))
    text = markdown_field(_("Message"), 8, required=True, max_length=messages.MAX_MESSAGE_CHARS)


class OwnTextForm(forms.Form):
    """An organiser's own subject and text in the invitation, and who gets the replies."""

    subject = subject_field(
        _("Your own subject"), required=False, help_text=_("In place of ours. Reminders put “Reminder:” before it.")
    )
    help_of_text = _(
        "It appears in invitations and reminders, between our sentences. You may use Markdown: "
        "*emphasis*, lists, links."
    )
    text = markdown_field(_("Your own text"), 6, help_of_text, max_length=wording.MAX_WORDING_CHARS)
    answers = forms.ChoiceField(label=_("Replies to these mails go to"), widget=forms.RadioSelect)

    def __init__(self, data: Mapping[str, Any] | None = None, *, known: OwnText, person: User):
        super().__init__(data, initial={"subject": known.subject, "text": known.text})
        mine = _("me, at %(email)s; all recipients see this address") % {"email": person.email}
        choices = [(NOBODY, _("nobody in particular, like other mails from this site")), (MYSELF, mine)]
        if known.answers is not None and known.answers != Person(person.name, person.created_at):
            choices.append((AS_BEFORE, _("%(name)s, as they chose") % {"name": known.answers.name}))
        field = self.fields["answers"]
        field.choices, field.initial = choices, choices[-1][0] if known.answers is not None else NOBODY
