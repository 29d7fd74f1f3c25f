"""Pages of the roll: who may vote, lists to import, invitations."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public
from accounts.models import User
from accounts.views import ask, carried_out, form_page, posted, say, show_form

from . import invitations, lists, repository, services
from .forms import (
    ImportedForm,
    ImportForm,
    SearchForm,
    VotersForm,
)
from .lists import Verdict
from .rules import Action, Election
from .turnout import tells_who
from .views import A_PAGE, context_of, run, told, turnout_context


@run(Action.SEE_ROLL)
@form_page
def roll(request: HttpRequest, election: Election) -> HttpResponse:
    """Who may vote, page by page; a POST adds some, typed one a line."""
    form = VotersForm(posted(request))
    if carried_out(request, form, lambda: add_from(form, request.user, election), added_sentence):
        return redirect("roll", name=election.name)
    search = SearchForm(request.GET)
    prefix = search.cleaned_data["q"] if search.is_valid() else ""
    found, cursor = repository.voters(
        election.name, prefix=prefix, limit=A_PAGE, cursor=request.GET.get("after") or None
    )
    here = reverse("roll", args=[election.name])
    older = f"{here}?{urlencode({'q': prefix, 'after': cursor})}" if cursor else ""
    shown = invitations.with_mails(found)
    counts = turnout_context(election)
    context = context_of(request, election, form=form, search=search, voters=shown, older=older, **counts)
    if counts:
        context["tells_who"] = tells_who(election, counts["turnout"].voted)
    return render(request, "elections/roll.html", context, status=422 if form.errors else 200)


@run(Action.INVITE)
@require_POST
def invite(request: HttpRequest, election: Election) -> HttpResponse:
    """Invite those who are new, remind those who have not voted, or send one mail again."""
    who = request.POST.get("who", "")
    acts = {"new": invitations.invite, "late": invitations.remind}
    if who in acts:
        told(request, lambda: acts[who](request.user, election), _("The mails are on their way."))
    else:
        voter = request.POST.get("voter", "")
        told(request, lambda: invitations.send_again(request.user, election, voter), _("The mail is on its way."))
    return redirect("roll", name=election.name)


@public
@form_page
def leave_alone(request: HttpRequest, token: str) -> HttpResponse:
    """The way out of reminders; a button does it, because mail scanners follow links."""
    if request.method != "POST":
        return ask(request, _("No more reminders?"), _("No more reminders"))
    name = invitations.leave_alone(token)
    if name is None:
        return say(request, _("This link does not work"), _("It is not one of ours, or you left the roll."), status=410)
    sentence = _("You get no more reminders about “%(name)s”. You may still vote.") % {"name": name}
    return say(request, _("No more reminders"), sentence)


@run(Action.ADD_VOTERS)
@form_page
def import_roll(request: HttpRequest, election: Election) -> HttpResponse:
    """First a preview that gives each row its verdict, then one button."""
    if "voters" in request.POST:
        return _import(request, election)
    form = ImportForm(posted(request), request.FILES)
    if request.method == "POST" and form.is_valid():
        rows = form.cleaned_data["rows"]
        there = repository.on_roll(election.name, [row.kept for row in rows if row.kept])
        rows = lists.against(rows, there)
        return render(request, "elections/preview.html", context_of(request, election, **_verdicts(rows)))
    return show_form(
        request, form, _("Import voters"), _("Look at the list"), **context_of(request, election), upload=True
    )


def _verdicts(rows: list[lists.Row]) -> dict[str, Any]:
    new = [row.kept for row in rows if row.verdict == Verdict.NEW]
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in Verdict}
    form = ImportedForm(initial={"voters": "\n".join(map(str, new))})
    return {"rows": rows, "counts": counts, "new": new, "form": form}


def _import(request: HttpRequest, election: Election) -> HttpResponse:
    form = ImportedForm(request.POST)
    if not carried_out(request, form, lambda: add_from(form, request.user, election), added_sentence):
        messages.error(request, _("That list could not be imported. Please start again with the file."))
        return redirect("import_roll", name=election.name)
    return redirect("roll", name=election.name)


def add_from(form: Any, actor: User, election: Election) -> int:
    return services.add_voters(actor, election, form.cleaned_data["voters"])


def added_sentence(added: int) -> str:
    return _("Voters added: %(count)d.") % {"count": added}


@run(Action.SEE_ROLL)
@require_safe
def export_roll(request: HttpRequest, election: Election) -> HttpResponse:
    rows = ([voter.name, "yes" if voter.voted else "no"] for voter in repository.every_voter(election.name))
    answer = StreamingHttpResponse(lists.as_csv(["voter", "voted"], rows), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="roll.csv"'
    return answer


@run(Action.REMOVE_VOTERS)
@require_POST
def remove_voter(request: HttpRequest, election: Election) -> HttpResponse:
    name = request.POST.get("voter", "")
    done = _("%(name)s is no longer on the roll.") % {"name": name}
    told(request, lambda: services.remove_voter(request.user, election, name), done)
    return redirect("roll", name=election.name)
