"""Where the code in a letter is entered: typed, or from its QR code.

The page is the same for every code and looks nothing up: whether a code is valid is told only to somebody who sends it
with everything else that is asked for.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from accounts.access import public
from ballots.link_views import let_in, refused
from elections.invitations.voting_link import LETTER
from foundation.acts.refusals import Refusal
from foundation.pages.client_address import client_network
from foundation.pages.forms import form_data, form_page
from foundation.ranking.codes import GROUP_SYMBOLS, code_symbols

from .by_letter import open_letter
from .rules import CODE_SYMBOLS

MAX_TYPED_CHARS = 60


class CodeForm(forms.Form):
    """A code, however it was typed."""

    code = forms.CharField(
        label=_("Code"),
        max_length=MAX_TYPED_CHARS,
        widget=forms.TextInput(
            attrs={
                **{"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false", "dir": "ltr"},
                **{"class": "code-box", "placeholder": "XXXX-XXXX-XXXX"},
            }
        ),
        help_text=_("Twelve letters and digits. Capitals, spaces and hyphens do not matter."),
    )
    answer = forms.CharField(
        label=_("Date of birth or member number"),
        required=False,
        max_length=MAX_TYPED_CHARS,
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
        help_text=_("Only if your letter asks for it. Write a date as 31.12.1990 or 1990-12-31."),
    )

    def clean_code(self) -> str:
        code = code_symbols(self.cleaned_data["code"])
        if len(code) != CODE_SYMBOLS:
            raise forms.ValidationError(
                _("The code in your letter has %(count)d letters and digits."), params={"count": CODE_SYMBOLS}
            )
        return code


@public
@form_page
def enter_code(request: HttpRequest, code: str = "") -> HttpResponse:
    """A button leads on to the ballot, because cameras open links by themselves; after the close, to the result."""
    known = code_symbols(code[:MAX_TYPED_CHARS])
    groups = [known[at : at + GROUP_SYMBOLS] for at in range(0, len(known), GROUP_SYMBOLS)]
    form = CodeForm(form_data(request), initial={"code": "-".join(groups)})
    if request.method == "POST" and form.is_valid():
        try:
            link, found = open_letter(**form.cleaned_data, network=client_network(request))
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            return refused(request, link, found) or let_in(request, link, found, channel=LETTER)
    return _page(request, form, is_from_qr=bool(code) and not form.errors)


def _page(request: HttpRequest, form: CodeForm, **more: Any) -> HttpResponse:
    return render(request, "letters/code.html", {"form": form, **more}, status=422 if form.errors else 200)
