"""Pages about news by mail: subscribing, confirming, unsubscribing; and for admins, the number of subscribers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.access import public, requires
from accounts.rules import Permission
from accounts.unsubscribe import unsubscribe_view
from accounts.visitors import visitor
from foundation.pages.forms import form_data, form_page, refusals_as_errors, run_form, show_form
from foundation.pages.messages import confirm_page, inbox_page, message_page

from . import subscriptions
from .forms import ByMailForm, NoNewsForm


@public
@form_page
def by_mail(request: HttpRequest) -> HttpResponse:
    """The response is the same whether or not the address is already subscribed."""
    form = ByMailForm(form_data(request), initial={"email": getattr(request.user, "email", "")})
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            user = request.user if request.user.is_authenticated else None
            subscriptions.request_subscription(form.cleaned_data["email"], visitor(request), user)
            sentence = _(
                "We have sent a mail to %(email)s. Use the link in it to confirm that you want the news. We send at "
                "most three such mails a day."
            )
            return inbox_page(request, sentence % form.cleaned_data)
    lead = _("Get each new post by mail: its title, its first words and a link. We will send you a link to confirm.")
    return show_form(request, form, _("News by mail"), _("Get the news by mail"), lead=lead)


@public
@form_page
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Needs a button press, because mail scanners follow links."""
    if (confirmation := subscriptions.read_confirmation(token)) is None:
        sentence = _("It may be mistyped or too old. You can ask for a new one.")
        return message_page(request, _("This link does not work"), sentence, status=410)
    address, language = confirmation
    if request.method != "POST":
        lead = _("We will send it to %(email)s until you unsubscribe.") % {"email": address}
        return confirm_page(request, _("News by mail?"), _("Get the news by mail"), lead=lead)
    subscriptions.confirm(address, language)
    sentence = _("You will now get every new post by mail. Each mail has an unsubscribe link.")
    return message_page(request, _("News by mail"), sentence)


@unsubscribe_view(
    subscriptions.LEAVE,
    gettext_lazy("Unsubscribe from the news?"),
    gettext_lazy("Unsubscribe from the news"),
    lambda address: _("It is sent to %(email)s.") % {"email": address},
)
def leave(address: str) -> str:
    subscriptions.leave(address)
    return _("You are unsubscribed, and your address has been deleted from the list.")


@requires(Permission.MANAGE_USERS)
@form_page
def subscribers(request: HttpRequest) -> HttpResponse:
    """How many there are, and a way to remove one on request. The addresses are not shown."""
    form = NoNewsForm(form_data(request))
    act = lambda: subscriptions.remove(request.user, form.cleaned_data["email"])  # noqa: E731
    if run_form(request, form, act, _("This address is unsubscribed."), "email"):
        return redirect("news_subscribers")
    number = subscriptions.count_subscribers()
    lead = ngettext("%(number)d address gets the news by mail.", "%(number)d addresses get the news by mail.", number)
    title, button = _("News subscribers"), _("Unsubscribe this address")
    return show_form(request, form, title, button, lead=lead % {"number": number})
