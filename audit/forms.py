"""What the owner types about the site."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from upkeep.pause import MAX_MESSAGE_CHARS, MAX_PAUSE_MINUTES


class PauseForm(forms.Form):
    minutes = forms.IntegerField(
        label=_("How many minutes it may take"),
        help_text=_("People are told so. The site does not go on by itself: you resume it."),
        min_value=1,
        max_value=MAX_PAUSE_MINUTES,
    )
    sentence = forms.CharField(
        label=_("What people are told"),
        help_text=_("One sentence, on every page: why, or where to ask."),
        max_length=MAX_MESSAGE_CHARS,
        required=False,
        widget=forms.TextInput({"dir": "auto"}),
    )
