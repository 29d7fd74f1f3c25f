"""Pages on which somebody says whether they want mails about results."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.access import requires
from accounts.opting_out import opt_out
from pages.forms import form_page
from pages.saying import ask

from . import opt_out as quiet


def _lead(_address: str) -> str:
    return _(
        "You get no more mails about who won, from any election here, and no reminders of elections that are open "
        "to everybody here. Asked to vote you are all the same."
    )


@opt_out(quiet.LEAVE, gettext_lazy("No more mails about results?"), gettext_lazy("No more mails about results"), _lead)
def by_link(address: str) -> str:
    quiet.leave_alone(address)
    return _("You get no more mails about results. Whoever has an account can change that on their own page.")


@requires(None)
@form_page
def own(request: HttpRequest) -> HttpResponse:
    """Whether one's own address gets them, and the button that changes it."""
    is_quiet = quiet.wants_none(request.user.email)
    if request.method == "POST":
        wanted = request.POST.get("wanted") == "yes"
        (quiet.mail_again if wanted else quiet.leave_alone)(request.user.email)
        done = _("You get mails about results again.") if wanted else _("You get no more mails about results.")
        messages.success(request, done)
        return redirect("own_mails")
    lead = (
        _("You get no mails about who won in elections that you could vote in.")
        if is_quiet
        else _("When an election that you could vote in is counted, you may get a mail that says who won.")
    )
    button = _("Mail me results again") if is_quiet else _("No more mails about results")
    return ask(request, _("Mails about results"), button, lead=lead, fields=[("wanted", "yes" if is_quiet else "no")])
