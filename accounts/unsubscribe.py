"""Unsubscribe pages: what the opt-out link in a mail opens."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from foundation.acts.tokens import read_token
from foundation.pages.forms import form_page
from foundation.pages.messages import confirm_page, message_page

from .access import View, public


def unsubscribe_view(
    purpose: str, question: str | Promise, button: str | Promise, lead: Callable[..., str] = lambda *_payload: ""
) -> Callable[[Callable[..., str | None]], View]:
    """A view for links with a token of this purpose.

    The function gets the token's payload, ends the mails and returns a sentence that says so, or `None` if there is
    nothing to end. Links in old mails stay valid.
    """

    def declare(act: Callable[..., str | None]) -> View:
        @public
        @csrf_exempt  # mail programs press it for people (RFC 8058); the token identifies them
        @form_page
        @wraps(act)
        def view(request: HttpRequest, token: str) -> HttpResponse:
            payload = read_token(purpose, token, None)
            if payload is not None and request.method != "POST":
                return confirm_page(request, str(question), str(button), lead=lead(*payload))
            if payload is None or (sentence := act(*payload)) is None:
                sentence = _("It was not issued by this site, or you are no longer on the roll.")
                return message_page(request, _("This link does not work"), sentence, status=410)
            return message_page(request, str(button), sentence)

        return view

    return declare
