"""What people type about news by mail."""

from __future__ import annotations

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from pages.fields import AddressField


class ByMailForm(forms.Form):
    email = AddressField(help_text=_("For nothing else than the news. Every mail has a link to end it."))


class NoNewsForm(forms.Form):
    email = AddressField(help_text=_("Of somebody who wants no more news and has asked you."))


def wants_mails(typed: QueryDict) -> bool | None:
    """Whether subscribers are to be mailed, by the box beside a button that publishes; nothing, if there was none."""
    return typed.get("mails") == "on" if "mails_asked" in typed else None
