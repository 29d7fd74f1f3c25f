"""The page Features, and the question what a new site is for. Only the owner sees them."""

from __future__ import annotations

from functools import partial

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.access import allow_everyone, requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts import features as chosen
from foundation.pages.fields import Card, Cards
from foundation.pages.forms import form_data, form_page, run_form
from foundation.pages.messages import run_action
from foundation.parts import Panel, Part

from . import services
from .services import Purpose


@requires(Permission.TRANSFER_OWNER)
@require_safe
def features(request: HttpRequest) -> HttpResponse:
    site = chosen.cache.refresh()  # another process may have just switched something, which all of this page must show
    shown = [(part, site.has(part.label), services.above(part)) for part in services.switchable()]
    return render(request, "features/features.html", {"features": shown})


one_part = partial(requires, Permission.TRANSFER_OWNER, load=services.find, rule=allow_everyone)


@one_part()
@require_POST
def switch_on(request: HttpRequest, part: Part) -> HttpResponse:
    done = _("%(feature)s: on. Everybody sees it within a few seconds.") % {"feature": part.title}
    run_action(request, lambda: services.switch_on(request.user, part), done)
    return redirect("features")


@one_part()
@form_page
def switch_off(request: HttpRequest, part: Part) -> HttpResponse:
    """First what that means for what exists and for what is going on, then one button."""
    if request.method == "POST":
        done = _("%(feature)s: off. Nothing was deleted.") % {"feature": part.title}
        run_action(request, lambda: services.switch_off(request.user, part), done)
        return redirect("features")
    along = services.within(part)
    running = [sentence for each in (part, *along) for sentence in each.running()]
    return render(request, "features/switch_off.html", {"part": part, "along": along, "running": running})


# --- what a new site is for ---

PURPOSES = {
    Purpose.CLUB: Card(
        gettext_lazy("A club or association"),
        gettext_lazy("Elections with letters and a help desk, news, polls, and assemblies with an agenda and minutes."),
    ),
    Purpose.TEAM: Card(
        gettext_lazy("A team"), gettext_lazy("Elections and polls, live questions in meetings, and who can do what.")
    ),
    Purpose.EVENTS: Card(
        gettext_lazy("A school or events"),
        gettext_lazy("Elections and polls, and live sessions with quizzes on a projector and phones."),
    ),
    Purpose.EVERYTHING: Card(
        gettext_lazy("Everything"), gettext_lazy("All that there is. You can switch off later what nobody uses.")
    ),
}


class PurposeForm(forms.Form):
    purpose = forms.ChoiceField(
        label=gettext_lazy("What is this site for?"), choices=list(PURPOSES.items()), widget=Cards
    )


@requires(Permission.TRANSFER_OWNER)
@form_page
def purpose(request: HttpRequest) -> HttpResponse:
    form = PurposeForm(form_data(request))
    done = _("Your site is ready. This is what people find here besides elections.")
    if run_form(request, form, lambda: services.choose(request.user, Purpose(form.cleaned_data["purpose"])), done):
        return redirect("features")
    return render(request, "features/purpose.html", {"form": form}, status=422 if form.errors else 200)


def question(user: User) -> Panel | None:
    """On the owner's home page, until they have answered it."""
    if not user.is_owner or chosen.current().is_answered:
        return None
    return Panel("features/question.html", {}, asks=True)
