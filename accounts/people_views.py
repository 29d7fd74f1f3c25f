"""Pages for admins who manage people."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from foundation.acts.rate_limits import TooOften, count
from foundation.acts.refusals import LostRace, NotThere
from foundation.pages.forms import form_data, form_page, refusals_as_errors, run_form, show_form
from foundation.pages.messages import refusals_as_messages, run_action
from foundation.pages.paging import list_context

from . import mail_quota, repository, rules, services, throttle
from .access import PROFILE_VISIBILITY, View, allow_everyone, requires
from .forms import ConfirmNameForm, FindPeopleForm, InviteForm, MailLimitForm, RoleForm
from .models import User
from .own_views import show_removal
from .rules import Permission, Role
from .second_factor import factors


def check_below(user: User, person: User) -> None:
    rules.check_manages(services.name_and_role(user), services.name_and_role(person))


@requires(Permission.MANAGE_USERS)
@require_safe
def people(request: HttpRequest) -> HttpResponse:
    form = FindPeopleForm(request.GET)
    criteria: dict[str, Any] = form.cleaned_data if form.is_valid() else {"q": "", "role": None}
    query, role = criteria["q"], criteria["role"]
    if "@" in query:
        person = repository.find_by_email(query)
        context = {"rows": [person] if person else []}
    else:
        search = partial(repository.people_by_word, query) if query else repository.people
        role_name = role.name if role is not None else ""
        context = list_context(request, partial(search, role=role), q=query, role=role_name)
    return render(request, "accounts/people.html", {"form": form, **context})


@requires(Permission.MANAGE_USERS, load=repository.find, rule=allow_everyone)
@require_safe
def person(request: HttpRequest, person: User) -> HttpResponse:
    offered = rules.offered_roles(services.name_and_role(request.user), services.name_and_role(person))
    context: dict[str, Any] = {"person": person, "below": person.role < request.user.role}
    context["shows_picture"] = person.photo is not None and all(
        sees(request.user, person.name) for sees in PROFILE_VISIBILITY
    )
    if person.can_run_elections:
        limit_form = MailLimitForm(initial={"mails_a_day": person.mails_a_day})
        context |= {"mails": mail_quota.quota_today(person), "limit_form": limit_form}
    if offered:
        context["role_form"] = RoleForm(offered=offered)
    return render(request, "accounts/person.html", context)


@requires(Permission.MANAGE_USERS, load=repository.find, rule=allow_everyone)
@require_POST
def change_role(request: HttpRequest, person: User) -> HttpResponse:
    form = RoleForm(request.POST, offered=list(Role))
    if not form.is_valid():
        messages.error(request, _("Choose one of the roles offered."))
        return redirect("person", name=person.name)
    with refusals_as_messages(request, (LostRace,)):
        services.change_role(request.user, person, form.cleaned_data["role"])
        values = {"name": person.name, "role": form.cleaned_data["role"].label}
        messages.success(request, _("%(name)s now has the role “%(role)s”.") % values)
    return redirect("person" if request.user.role >= Role.ADMIN else "home", name=person.name)


def to_person_below(act: Callable[[HttpRequest, User], None]) -> View:
    """A button on a person's page, for those who manage that person; it leads back to the page."""

    @requires(Permission.MANAGE_USERS, load=repository.find, rule=check_below)
    @require_POST
    @wraps(act)
    def view(request: HttpRequest, person: User) -> HttpResponse:
        act(request, person)
        return redirect("person", name=person.name)

    return view


@to_person_below
def send_reset_link(request: HttpRequest, person: User) -> None:
    with refusals_as_messages(request, (TooOften, LostRace)):
        count(throttle.RESET_LINK, person.name)
        services.send_reset_link(request.user, person)
        sentence = _("A link to choose a new password is on its way to %(email)s. It works for one hour.")
        messages.success(request, sentence % {"email": person.email})


@to_person_below
def reset_factors(request: HttpRequest, person: User) -> None:
    with refusals_as_messages(request, (NotThere, LostRace)):
        factors.reset_for(request.user, person)
        sentence = _("%(name)s can now sign in with just a password, and add a second step again.")
        messages.success(request, sentence % {"name": person.name})


@to_person_below
def change_mail_limit(request: HttpRequest, person: User) -> None:
    form = MailLimitForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Enter a whole number up to a million, or leave the field empty."))
        return
    most = form.cleaned_data["mails_a_day"]
    run_action(request, lambda: services.change_mail_limit(request.user, person, most), _("The mail limit is changed."))


@to_person_below
def confirm_organiser(request: HttpRequest, person: User) -> None:
    done = _("%(name)s can now write to all voters of an election.") % {"name": person.name}
    run_action(request, lambda: services.confirm_organiser(request.user, person), done)


@to_person_below
def unconfirm_organiser(request: HttpRequest, person: User) -> None:
    done = _("%(name)s can no longer write to all voters of an election.") % {"name": person.name}
    run_action(request, lambda: services.confirm_organiser(request.user, person, confirmed=False), done)


@to_person_below
def remove_picture(request: HttpRequest, person: User) -> None:
    run_action(request, lambda: services.remove_picture(request.user, person), _("The picture is removed."))


@requires(Permission.MANAGE_USERS, load=repository.find, rule=check_below)
@form_page
def remove(request: HttpRequest, person: User) -> HttpResponse:
    form = ConfirmNameForm(form_data(request), expected=person.name)
    done = _("%(name)s is removed.") % {"name": person.name}
    if run_form(request, form, lambda: services.remove(request.user, person), done):
        return redirect("people")
    title = _("Remove %(name)s") % {"name": person.name}
    lead = _("Their public ballots in open elections are deleted too. Closed elections keep theirs.")
    return show_removal(request, form, person, title, _("Remove permanently"), lead)


@requires(Permission.MANAGE_USERS)
@form_page
def invite(request: HttpRequest) -> HttpResponse:
    offered = rules.invitable_roles(request.user.role)
    form = InviteForm(form_data(request), offered=offered, initial={"role": settings.DEFAULT_ROLE})
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"]
        with refusals_as_errors(form, None, (mail_quota.TooManyMails, LostRace)):
            if services.invite(request.user, **form.cleaned_data):
                messages.success(request, _("An invitation to %(email)s is on its way.") % {"email": email})
                return redirect("invitations")
            form.add_error("email", _("This address already belongs to an account here."))
    return show_form(request, form, _("Invite somebody"), _("Send invitation"))


@requires(Permission.MANAGE_USERS)
@require_safe
def invitations(request: HttpRequest) -> HttpResponse:
    context = list_context(request, repository.invitations)
    return render(request, "accounts/invitations.html", {**context, "roles": Role})
