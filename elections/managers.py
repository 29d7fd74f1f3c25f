"""Who runs an election: its owner and managers, and the pages on which these change."""

from __future__ import annotations

from dataclasses import replace

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import repository as people
from accounts.handover import Handover, is_still_owner
from accounts.models import User
from accounts.rules import Permission
from foundation.acts import storage
from foundation.acts.storage import table
from foundation.pages.fields import NameField
from foundation.pages.forms import form_data, form_page, run_form, show_form
from foundation.pages.messages import run_action
from foundation.store import keys
from foundation.store.log import Event

from . import repository, rules
from .access import election_context, organiser_page
from .actions import check, record
from .rules import Action, Election


def add_manager(actor: User, election: Election, name: str) -> str:
    check(actor, election, Action.CHANGE_MANAGERS)
    person = _find_organiser(name)
    if len(election.managers) >= rules.MAX_MANAGERS:
        raise rules.WrongState(_("An election has at most %(most)d managers.") % {"most": rules.MAX_MANAGERS})
    if _is_run_by(person.name, election):
        raise rules.NotReady(_("%(name)s already runs this election.") % {"name": person.name})
    writes = repository.change(election, with_manager(election, person.name))
    record(actor, "ManagerAdded", election, {"name": person.name}, *writes, people.is_same_account(person))
    return person.name


def remove_manager(actor: User, election: Election, name: str) -> None:
    check(actor, election, Action.CHANGE_MANAGERS)
    after = without_manager(election, name)
    if after != election:
        record(actor, "ManagerRemoved", election, {"name": name}, *repository.change(election, after))


def hand_over(actor: User, election: Election, name: str) -> str:
    check(actor, election, Action.HAND_OVER)
    person = _find_organiser(name)
    after = with_owner(election, person.name)
    if after != election:
        writes = [*repository.change(election, after), people.is_same_account(person)]
        record(actor, "ElectionOwnerChanged", election, {"new_owner": person.name}, *writes)
    return person.name


def _find_organiser(name: str) -> User:
    person = people.find(name)
    if person is None or not person.can(Permission.USE_APPLICATION):
        raise rules.NotReady(_("Nobody with that name may run elections here."))
    return person


def with_manager(election: Election, name: str) -> Election:
    return replace(election, managers=(*election.managers, name))


def without_manager(election: Election, name: str) -> Election:
    left = tuple(each for each in election.managers if keys.fold(each) != keys.fold(name))
    return replace(election, managers=left)


def with_owner(election: Election, name: str) -> Election:
    """The owner is never also a manager."""
    return replace(without_manager(election, name), owner_name=name)


# --- when a person leaves ---


def _is_run_by(name: str, election: Election) -> bool:
    return keys.fold(name) in map(keys.fold, (election.owner_name, *election.managers))


def _record_heir(election: Election, gone: str, heir: str | None) -> None:
    """The site's owner inherits their elections; they are removed as manager of others."""
    if heir is None:
        return
    was_owner = keys.fold(election.owner_name) == keys.fold(gone)
    after = with_owner(election, heir) if was_owner else without_manager(election, gone)
    kind, data = ("ElectionOwnerChanged", {"new_owner": heir}) if was_owner else ("ManagerRemoved", {"name": gone})
    event = Event("plenum", kind, {"election_name": election.name, **data})
    storage.record(event, *repository.change(election, after), *is_still_owner(heir))


pass_on = Handover(
    lambda name: [item["name"] for item in table().each(keys.run_by(name))], repository.find, _is_run_by, _record_heir
).pass_on


# --- pages ---


class PersonForm(forms.Form):
    name = NameField(label=gettext_lazy("User name"))


@organiser_page(Action.CHANGE_MANAGERS)
@form_page
def managers(request: HttpRequest, election: Election) -> HttpResponse:
    form = PersonForm(form_data(request))
    if request.method == "POST" and "remove" in request.POST:
        name = request.POST["remove"]
        done = _("%(name)s no longer runs this election.") % {"name": name}
        run_action(request, lambda: remove_manager(request.user, election, name), done)
        return redirect("managers", name=election.name)
    act = lambda: add_manager(request.user, election, form.cleaned_data["name"])  # noqa: E731
    if run_form(
        request, form, act, lambda name: _("%(name)s now helps to run this election.") % {"name": name}, "name"
    ):
        return redirect("managers", name=election.name)
    status = 422 if form.errors else 200
    return render(request, "elections/managers.html", election_context(request, election, form=form), status=status)


@organiser_page(Action.HAND_OVER)
@form_page
def hand_over_election(request: HttpRequest, election: Election) -> HttpResponse:
    form = PersonForm(form_data(request))
    act = lambda: hand_over(request.user, election, form.cleaned_data["name"])  # noqa: E731
    if run_form(request, form, act, lambda name: _("%(name)s now owns this election.") % {"name": name}, "name"):
        return redirect("election", name=election.name)
    title = _("Hand over the election")
    return show_form(request, form, title, title, **election_context(request, election))
