"""Forms for mails to voters: messages, own text in invitations, automatic reminders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from pages import markdown_cache
from pages.fields import LinesField, markdown_field

from . import messages, own_text
from .own_text import AS_BEFORE, MYSELF, NOBODY, OwnText, Person
from .reminders import REMINDER_TIMES


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


class MessageForm(forms.Form):
    """A message from an organiser to everyone on the roll."""

    subject = forms.CharField(
        label=_("Subject"), max_length=messages.MAX_SUBJECT_CHARS, widget=forms.TextInput({"dir": "auto"})
    )
    text = markdown_field(_("Message"), 8, required=True, max_length=messages.MAX_MESSAGE_CHARS)

    def clean_subject(self) -> str:
        """One line: a mail has no other."""
        return " ".join(str(self.cleaned_data["subject"]).split())


class OwnTextForm(forms.Form):
    """An organiser's own text in the invitation, and who gets the replies."""

    text = LinesField(
        label=_("Your own text"),
        required=False,
        max_length=own_text.MAX_WORDING_CHARS,
        validators=[markdown_cache.check_length],
        rows=6,
        help_text=_(
            "It appears in invitations and reminders, between our sentences. You may use Markdown: "
            "*emphasis*, lists, links."
        ),
    )
    answers = forms.ChoiceField(label=_("Replies to these mails go to"), widget=forms.RadioSelect)

    def __init__(self, data: Mapping[str, Any] | None = None, *, known: OwnText, person: User):
        super().__init__(data, initial={"text": known.text})
        mine = _("me, at %(email)s; all recipients see this address") % {"email": person.email}
        choices = [(NOBODY, _("nobody in particular, like other mails from this site")), (MYSELF, mine)]
        if known.answers is not None and known.answers != Person(person.name, person.created_at):
            choices.append((AS_BEFORE, _("%(name)s, as they chose") % {"name": known.answers.name}))
        field = self.fields["answers"]
        field.choices, field.initial = choices, choices[-1][0] if known.answers is not None else NOBODY
