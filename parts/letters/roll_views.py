"""The page for one voter who gets a letter."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from elections import rolls, voter_lists
from elections.access import election_context, organiser_page
from elections.roll import services
from elections.rules import Action, Election
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.store import keys

from .forms import MemberForm


@organiser_page(Action.ADD_VOTERS)
@form_page
def voter_by_letter(request: HttpRequest, election: Election) -> HttpResponse:
    """Somebody who gets a letter: a new voter, or another address of one who is on the roll."""
    known = _member_initial(election, request.GET.get("voter", ""))
    form = MemberForm(form_data(request), initial=known)
    form.fields["number"].disabled = bool(known)

    def save() -> str:
        ((number, details),) = voter_lists.details_of([form.row()]).items()
        services.list_by_letter(request.user, election, number, details, is_new=not known)
        done = _("The details of %(name)s are saved.") if known else _("%(name)s is on the roll, and gets a letter.")
        return done % {"name": rolls.voter_label(number, details.display_name)}

    if run_form(request, form, save, str, "number"):
        return redirect("roll", name=election.name)
    lead = _("For people without an email address, whom you know by a member number.")
    context = election_context(request, election, lead=lead)
    return show_form(request, form, _("Voter by letter"), _("Save"), **context)


def _member_initial(election: Election, voter: str) -> dict[str, Any]:
    found = rolls.on_roll(election, [voter]).get(keys.fold(voter)) if rolls.is_by_number(voter) else None
    if found is None:
        return {}
    known = {"name": found.display_name, "number": rolls.number_of(found.name)}
    return known | {"postal": "\n".join(found.postal), "language": found.language}
