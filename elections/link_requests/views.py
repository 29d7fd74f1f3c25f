"""Asking for one's voting links. The answer is always the same: who is on a roll is told by mail only."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from accounts.access import public
from elections.asking import asking_hint, where_to_ask
from foundation.pages.client_address import client_network
from foundation.pages.forms import form_data, form_page, show_form
from foundation.pages.messages import inbox_page

from . import services
from .forms import MyLinkForm


@public
@form_page
def my_link(request: HttpRequest, name: str = "") -> HttpResponse:
    """For the site, or from the page of an election, which need not exist."""
    form = MyLinkForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        services.request_links(form.cleaned_data["email"], client_network(request), name)
        return _sent_page(request, name)
    lead = _(
        "Enter your email address. If you can vote in anything open here, we will email you a link for each. "
        "This is also how you find out whether you are on the roll: by email only, never on this page."
    )
    help_url = where_to_ask(name) if name else ""
    context = {"lead": lead, "part": "my_link", "help_url": help_url}
    return show_form(request, form, _("Send me my link"), _("Send my link"), **context)


def _sent_page(request: HttpRequest, name: str) -> HttpResponse:
    sentence = _("If this address may vote in anything that is open, an email with a link for each is on its way.")
    hints = [
        _("It usually arrives within a minute. Check your spam folder, too."),
        _(
            "If you have asked before, it can take longer: repeated requests are answered together. The links in the "
            "last email still work."
        ),
        _("If no email comes, this address is not on the roll of anything open. You may be listed under another one."),
        _("If that does not help, ask whoever runs the election.") if name else asking_hint(),
    ]
    help_url = where_to_ask(name) if name else ""
    return inbox_page(request, sentence, hints=list(filter(None, hints)), help_url=help_url)
