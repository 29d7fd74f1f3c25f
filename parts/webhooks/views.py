"""Pages about webhooks: one's own, and for admins those of the site."""

from __future__ import annotations

from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.rules import Permission
from foundation.acts.outbound import MAX_URL_CHARS, OutboundError, checked_url
from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.pages.forms import form_data, form_page, refusals_as_errors, run_form, show_form
from foundation.pages.messages import confirm_page, run_action

from . import repository, services
from .rules import REASONS, TYPES, Endpoint, shown_secret
from .services import SITE_OWNER

TESTS = Limit("webhook tests", 60, SECONDS_PER_HOUR)


class EndpointForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=MAX_URL_CHARS,
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://…", "dir": "ltr"}),
        help_text=_("Where events are sent, by https. The host must be on the public internet."),
    )
    types = forms.MultipleChoiceField(
        label=_("Events"), choices=list(TYPES.items()), initial=list(TYPES), widget=forms.CheckboxSelectMultiple
    )

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            checked_url(url)
        except OutboundError as error:
            raise ValidationError(str(error)) from None
        return url


endpoint_page = requires(
    Permission.USE_APPLICATION,
    load_for=lambda user, webhook_id: repository.find_any(services.owners_for(user), webhook_id),
)


@requires(Permission.USE_APPLICATION)
@require_safe
def webhooks(request: HttpRequest) -> HttpResponse:
    own, *site = (repository.endpoints_of(owner) for owner in services.owners_for(request.user))
    return render(request, "webhooks/webhooks.html", {"own": own, "site": site[0] if site else None})


@requires(Permission.USE_APPLICATION)
@form_page
def add(request: HttpRequest) -> HttpResponse:
    lead = _("For elections that you own or manage, and posts that you write.")
    return _add(request, request.user.name, _("New webhook"), lead)


@requires(Permission.MANAGE_USERS)
@form_page
def add_for_site(request: HttpRequest) -> HttpResponse:
    lead = _("For all elections and posts of this site. All admins see and change them.")
    return _add(request, SITE_OWNER, _("New webhook of the site"), lead)


def _add(request: HttpRequest, owner: str, title: str, lead: str) -> HttpResponse:
    form = EndpointForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form):
            endpoint, secret = services.add(request.user, owner, **form.cleaned_data)
            return _show_secret(request, endpoint, secret)
    return show_form(request, form, title, _("Add webhook"), lead=lead)


def _show_secret(request: HttpRequest, endpoint: Endpoint, secret: bytes) -> HttpResponse:
    return render(request, "webhooks/secret.html", {"endpoint": endpoint, "secret": shown_secret(secret)})


# --- one of them ---


@endpoint_page
@require_safe
def webhook(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    deliveries = repository.recent_deliveries(endpoint)
    context = {"endpoint": endpoint, "host": urlsplit(endpoint.url).hostname, "types": TYPES, "reasons": REASONS}
    return render(request, "webhooks/webhook.html", {**context, "deliveries": deliveries})


@endpoint_page
@form_page
def edit(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    form = EndpointForm(form_data(request), initial={"url": endpoint.url, "types": endpoint.types})
    if run_form(request, form, lambda: services.change(request.user, endpoint, **form.cleaned_data), _("Saved.")):
        return redirect("webhook", endpoint.id)
    return show_form(request, form, _("Change the webhook"), _("Save"))


@endpoint_page
@require_POST
def test(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    def send() -> None:
        count(TESTS, request.user.name)
        services.send_test(endpoint)

    run_action(request, send, _("A test event is on its way. Reload the page to see whether it has arrived."))
    return redirect("webhook", endpoint.id)


@endpoint_page
@require_POST
def pause(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    run_action(request, lambda: services.pause(request.user, endpoint), _("Paused: nothing is sent."))
    return redirect("webhook", endpoint.id)


@endpoint_page
@require_POST
def resume(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    run_action(request, lambda: services.resume(request.user, endpoint), _("Active again."))
    return redirect("webhook", endpoint.id)


@endpoint_page
@form_page
def renew_secret(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    if request.method == "POST":
        return _show_secret(request, endpoint, services.renew_secret(request.user, endpoint))
    lead = _("Events are signed with the old and the new secret for a day, so that you can change over in peace.")
    return confirm_page(request, _("A new secret?"), _("Create a new secret"), lead=lead)


@endpoint_page
@form_page
def delete(request: HttpRequest, endpoint: Endpoint) -> HttpResponse:
    if request.method == "POST":
        run_action(request, lambda: services.delete(request.user, endpoint), _("The webhook is deleted."))
        return redirect("webhooks")
    lead = _("Nothing more is sent to %(url)s.") % {"url": endpoint.url}
    return confirm_page(request, _("Delete this webhook?"), _("Delete webhook"), lead=lead, danger=True)
