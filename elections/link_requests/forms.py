"""The form in which somebody asks for their links."""

from django import forms
from django.utils.translation import gettext_lazy as _

from foundation.pages.fields import AddressField


class MyLinkForm(forms.Form):
    email = AddressField(help_text=_("The address to which your invitation was sent."))
