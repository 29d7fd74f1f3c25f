"""Pages that take an election from draft to closed, and say who runs it."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from pages.forms import carried_out, form_page, posted, show_form
from pages.saying import ask, say_what_was_understood, told

from . import copying, needs, services
from .access import context_of, run
from .forms import (
    ConfirmDeletionForm,
    EndForm,
    NameForm,
    OpenForm,
    PersonForm,
)
from .rules import Action, Election
from .turnout import turnout


@run(Action.OPEN)
@form_page
def open_(request: HttpRequest, election: Election) -> HttpResponse:
    form = OpenForm(posted(request), has_needs=bool(needs.of(election.name)))
    if carried_out(
        request, form, lambda: services.open_(request.user, election, **form.cleaned_data), _("The election is open.")
    ):
        return redirect("dashboard", name=election.name)
    lead = _("Once it is open it cannot be renamed, and its settings stay as they are.")
    return show_form(request, form, _("Open the election"), _("Open it"), lead=lead, **context_of(request, election))


@run(Action.FIX)
@require_POST
def fix(request: HttpRequest, election: Election) -> HttpResponse:
    told(request, lambda: services.fix(request.user, election), _("The candidates are fixed."))
    return redirect("dashboard", name=election.name)


@run(Action.EXTEND)
@form_page
def extend(request: HttpRequest, election: Election) -> HttpResponse:
    form = EndForm(posted(request), zone=election.time_zone)
    if carried_out(request, form, lambda: services.extend(request.user, election, form.end()), _("The end is moved.")):
        say_what_was_understood(request, form)
        return redirect("dashboard", name=election.name)
    return show_form(request, form, _("Move the end"), _("Move the end"), **context_of(request, election))


@run(Action.CLOSE)
@form_page
def close(request: HttpRequest, election: Election) -> HttpResponse:
    if request.method == "POST":
        told(request, lambda: services.close(request.user, election), _("The election is closed."))
        return redirect("dashboard", name=election.name)
    lead = _("Nobody can vote after that, and nothing can be changed again.")
    context = context_of(request, election, lead=lead, danger=True)
    return ask(request, _("Close the election"), _("Close it for good"), **context)


@run(Action.RENAME)
@form_page
def rename(request: HttpRequest, election: Election) -> HttpResponse:
    return _under_another_name(request, election, services.rename, _("Rename"), election.name)


@run(Action.COPY)
@form_page
def copy(request: HttpRequest, election: Election) -> HttpResponse:
    suggestion = _("Copy of %(name)s") % {"name": election.name}

    def said(copied: Election) -> str:
        behind = {"count": election.voter_count - copied.voter_count}
        sentence = _("Done. Left out of the roll, because their accounts are gone: %(count)d.") % behind
        return sentence if behind["count"] > 0 and not copied.filling else _("Done.")

    return _under_another_name(request, election, copying.copy, _("Copy"), suggestion[:200], said)


def _under_another_name(
    request: HttpRequest,
    election: Election,
    act: Callable[..., Election],
    title: str,
    suggestion: str,
    said: Callable[[Election], str] = lambda done: _("Done."),
) -> HttpResponse:
    form = NameForm(posted(request), initial={"name": suggestion})
    if carried_out(request, form, lambda: act(request.user, election, form.cleaned_data["name"]), said, "name"):
        return redirect("dashboard", name=form.cleaned_data["name"])
    return show_form(request, form, title, title, **context_of(request, election))


@run(Action.DELETE)
@form_page
def delete(request: HttpRequest, election: Election) -> HttpResponse:
    form = ConfirmDeletionForm(posted(request), expected=election.name)
    done = _("%(name)s is deleted.") % {"name": election.name}
    if carried_out(request, form, lambda: services.delete(request.user, election), done):
        return redirect("elections")
    title = _("Delete %(name)s") % {"name": election.name}
    ballots = turnout(election.name).voted
    lead = ngettext(
        "Its candidates, its roll and %(count)d ballot go for good. The event log keeps what happened.",
        "Its candidates, its roll and %(count)d ballots go for good. The event log keeps what happened.",
        ballots,
    ) % {"count": ballots}
    return show_form(
        request, form, title, _("Delete for good"), lead=lead, danger=True, **context_of(request, election)
    )


# --- who runs it ---


@run(Action.CHANGE_MANAGERS)
@form_page
def managers(request: HttpRequest, election: Election) -> HttpResponse:
    form = PersonForm(posted(request))
    if request.method == "POST" and "remove" in request.POST:
        name = request.POST["remove"]
        done = _("%(name)s no longer runs this election.") % {"name": name}
        told(request, lambda: services.remove_manager(request.user, election, name), done)
        return redirect("managers", name=election.name)
    if carried_out(
        request,
        form,
        lambda: services.add_manager(request.user, election, form.cleaned_data["name"]),
        lambda name: _("%(name)s now helps to run this election.") % {"name": name},
        "name",
    ):
        return redirect("managers", name=election.name)
    status = 422 if form.errors else 200
    return render(request, "elections/managers.html", context_of(request, election, form=form), status=status)


@run(Action.HAND_OVER)
@form_page
def hand_over(request: HttpRequest, election: Election) -> HttpResponse:
    form = PersonForm(posted(request))
    if carried_out(
        request,
        form,
        lambda: services.hand_over(request.user, election, form.cleaned_data["name"]),
        lambda name: _("%(name)s now owns this election.") % {"name": name},
        "name",
    ):
        return redirect("election", name=election.name)
    return show_form(request, form, _("Hand it over"), _("Hand it over"), **context_of(request, election))
