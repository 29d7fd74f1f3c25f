"""Asking for one's voting links. The answer is always the same: who is on a roll is told by mail only."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from accounts.access import public
from pages.client_address import client_network
from pages.forms import form_data, form_page, show_form
from pages.messages import inbox_page

from . import services
from .forms import MyLinkForm


@public
@form_page
def my_link(request: HttpRequest, name: str = "") -> HttpResponse:
    """For the site, or from the page of an election, which need not exist."""
    form = MyLinkForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        services.request_links(form.cleaned_data["email"], client_network(request), name)
        return _sent_page(request)
    lead = _(
        "Enter your email address. If it may vote in anything that is open here, we mail you a link for each. "
        "This also tells you whether you are on the roll: by mail only, never on this page."
    )
    return show_form(request, form, _("Send me my link"), _("Send my link"), lead=lead)


def _sent_page(request: HttpRequest) -> HttpResponse:
    sentence = _("If this address may vote in anything that is open, a mail with a link for each is on its way.")
    hints = [
        _("It usually arrives within a minute. Look in the spam folder, too."),
        _("If you asked for it before, wait a few minutes: requests made one after another are answered together."),
        _("If no mail comes, the roll has no such address. You may be on it by another address of yours."),
        _("If that does not help, ask whoever runs the election."),
    ]
    return inbox_page(request, sentence, hints=hints)
