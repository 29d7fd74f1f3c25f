"""The form for a notice of the owner."""

from django import forms
from django.utils.translation import gettext_lazy as _

from foundation.pages.fields import markdown_field


class NoticeForm(forms.Form):
    text = markdown_field(
        _("In your own words"),
        rows=16,
        help_text=_("Everyone can read this. Leave it empty to bring the standard text back."),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
