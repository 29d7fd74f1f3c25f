"""What people type about news by mail."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from pages.fields import AddressField


class ByMailForm(forms.Form):
    email = AddressField(help_text=_("For nothing else than the news. Every mail has a link to end it."))


class NoNewsForm(forms.Form):
    email = AddressField(help_text=_("Of somebody who wants no more news and has asked you."))
