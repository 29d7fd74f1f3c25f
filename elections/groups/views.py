"""Pages for groups: list, members, from a roll and onto a roll."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from elections import voter_lists
from elections.access import election_context, organiser_page
from elections.roll import list_summary
from elections.roll.forms import ImportedForm, MemberSearchForm
from elections.roll.services import compare
from elections.roll.views import preview_context, start_import
from elections.rules import Action, Election
from elections.voter_lists import VoterRow
from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.pages import lists
from foundation.pages.fields import LinesField, TitleField
from foundation.pages.forms import form_data, form_page, refusals_as_errors, run_form, show_form, token_in
from foundation.pages.lists import Verdict
from foundation.pages.messages import confirm_page, refusals_as_messages, run_action
from foundation.pages.paging import list_context, read_page

from . import repository, services
from .repository import Group

MADE = Limit("groups", 60, SECONDS_PER_HOUR)
MAX_USES_SHOWN = 10


class GroupForm(forms.Form):
    """The name of a group."""

    name = TitleField(label=gettext_lazy("Name of the group"), help_text=gettext_lazy("Only you see it."))


class MembersForm(forms.Form):
    """Names and addresses, pasted or as a CSV file."""

    use_required_attribute = False  # one of the two will do

    text = LinesField(
        label=gettext_lazy("Names and addresses, one per line"),
        required=False,
        max_length=lists.MAX_PASTED_CHARS,
        rows=6,
        help_text=gettext_lazy("User names of people who have an account here, or email addresses."),
    )
    file = forms.FileField(label=gettext_lazy("Or a CSV file"), required=False, max_length=200)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file, text = cleaned.get("file"), cleaned.get("text", "")
        if self.errors:
            return cleaned
        if bool(file) == bool(text.strip()):
            raise ValidationError(_("Either choose a file or paste a list."))
        try:
            cleaned["rows"] = voter_lists.read_voters(file.read(lists.MAX_BYTES + 1) if file else text.encode())
        except lists.NotAList as refusal:
            self.add_error("file" if file else "text", str(refusal))
        return cleaned


class ChoiceForm(forms.Form):
    """Which of one's groups."""

    group = forms.ChoiceField(label=gettext_lazy("Group"), widget=forms.RadioSelect)
    as_group = forms.BooleanField(
        label=gettext_lazy("Make it a voter group on this roll"),
        required=False,
        help_text=gettext_lazy("With the same name. A question can be for some voter groups only."),
    )

    def __init__(self, *arguments: Any, groups: Iterable[Group], **options: Any):
        super().__init__(*arguments, **options)
        self.fields["group"].choices = [(each.id, f"{each.name} ({each.members})") for each in groups]


# --- one's own ---


@requires(Permission.USE_APPLICATION)
@require_safe
def groups(request: HttpRequest) -> HttpResponse:
    """By name."""
    return render(
        request, "elections/groups/groups.html", list_context(request, partial(repository.list_own, request.user.name))
    )


@requires(Permission.USE_APPLICATION)
@form_page
def make(request: HttpRequest) -> HttpResponse:
    """First its name, then its members."""
    form = GroupForm(form_data(request))
    if request.method == "POST" and form.is_valid():
        with refusals_as_errors(form, "name"):
            count(MADE, request.user.name)
            made = services.make(request.user, form.cleaned_data["name"])
            return redirect("add_members", group_id=made.id)
    return show_form(request, form, _("New group"), _("Continue"), lead=_("People who often vote together."))


# --- one of them ---


def _owned(user: User, group: Group) -> None:
    """404 for everyone but its owner, whatever their role."""
    if not group.is_owned_by(user.name):
        raise Http404


owned: Any = requires(Permission.USE_APPLICATION, load=repository.find, rule=_owned)


@owned
@require_safe
def group(request: HttpRequest, group: Group) -> HttpResponse:
    search = MemberSearchForm(request.GET)
    prefix = search.cleaned_data["q"] if search.is_valid() else ""
    found, older = read_page(request, partial(repository.members, group.id, prefix=prefix), q=prefix)
    used = services.used_in(request.user, group.id, MAX_USES_SHOWN)
    context = {"group": group, "members": found, "older": older, "search": search, "used": used}
    context |= {"coming": services.is_filling(group.id)}
    return render(request, "elections/groups/group.html", context)


@owned
@form_page
def rename(request: HttpRequest, group: Group) -> HttpResponse:
    form = GroupForm(form_data(request), initial={"name": group.name})
    act = lambda: services.rename(request.user, group.id, form.cleaned_data["name"])  # noqa: E731
    if run_form(request, form, act, _("The group is renamed."), "name"):
        return redirect("group", group_id=group.id)
    return show_form(request, form, _("Rename the group"), _("Rename"), group=group)


@owned
@form_page
def delete(request: HttpRequest, group: Group) -> HttpResponse:
    if request.method != "POST":
        members = ngettext("%(count)d member", "%(count)d members", group.members) % {"count": group.members}
        lead = _("%(members)s. Rolls it was added to do not change.") % {"members": members}
        title = _("Delete the group “%(name)s”?") % {"name": group.name}
        return confirm_page(request, title, _("Delete the group"), danger=True, lead=lead)
    run_action(request, lambda: services.delete(request.user, group.id), _("The group is deleted."))
    return redirect("groups")


@owned
@require_safe
def export(request: HttpRequest, group: Group) -> HttpResponse:
    """Its members as a file, which can be read in again."""
    rows = (
        [member.name, known.display_name, "\n".join(known.postal), known.language]
        for member in repository.every_member(group.id)
        for known in [member.details]
    )
    header = ["voter", "name", "postal address", "language"]
    answer = StreamingHttpResponse(lists.as_csv(header, rows), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=f"{group.name}.csv")
    return answer


@owned
@require_POST
def remove(request: HttpRequest, group: Group) -> HttpResponse:
    name = request.POST.get("member", "")
    done = _("%(name)s is no longer in the group.") % {"name": name}
    run_action(request, lambda: services.remove(request.user, group.id, name), done)
    return redirect("group", group_id=group.id)


# --- who comes in ---


@owned
@form_page
def add(request: HttpRequest, group: Group) -> HttpResponse:
    """A list, pasted or as a file; then a preview, problems first; then one button."""
    if "voters" in request.POST:
        imported = ImportedForm(request.POST)
        if not imported.is_valid():
            messages.error(request, _("The list could not be read. Please start again."))
            return redirect("add_members", group_id=group.id)
        with refusals_as_messages(request):
            progress = services.add(request.user, group.id, imported.cleaned_data["voters"], imported.known)
            skipped = imported.cleaned_data["skipped"]
            skipped = replace(skipped, there=skipped.there + progress.there)
            done = list_summary.summary(progress.added, skipped, list_summary.MEMBERS, progress.gone)
            messages.success(request, done)
            return redirect("group", group_id=group.id)
        return redirect("add_members", group_id=group.id)
    form = MembersForm(form_data(request), request.FILES if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        rows = form.cleaned_data["rows"]
        names = [row.value for row in rows if row.value]
        there, accounts = repository.existing_members(group.id, names), repository.find_accounts(names)
        rows = voter_lists.compare_with_roll(rows, there, accounts, _("Already in the group."))
        context = {"group": group, **preview_context(rows, list_summary.MEMBERS)}
        return render(request, "elections/groups/preview.html", context)
    return show_form(request, form, _("Add members"), _("Check the list"), upload=True, group=group)


# --- from a roll, and onto one ---


@organiser_page(Action.COPY)
@require_POST
def save_roll(request: HttpRequest, election: Election) -> HttpResponse:
    """Save everyone on the roll as a group of one's own."""
    with refusals_as_messages(request):
        count(MADE, request.user.name)
        made = services.save_roll(request.user, election, token_in(request.POST))
        messages.success(request, _("The roll is saved as a group. Later changes to one do not affect the other."))
        return redirect("group", group_id=made.id)
    return redirect("roll", name=election.name)


@organiser_page(Action.ADD_VOTERS)
@form_page
def put_on_roll(request: HttpRequest, election: Election) -> HttpResponse:
    """First which group, then its numbers, then one button."""
    own, _more = repository.list_own(request.user.name, limit=services.MAX_GROUPS_PER_PERSON)
    form = ChoiceForm(form_data(request), groups=own, initial={"group": own[0].id if len(own) == 1 else None})
    if request.method == "POST" and form.is_valid():
        chosen = next(each for each in own if each.id == form.cleaned_data["group"])
        if "sure" not in request.POST:
            return _preview_group(request, election, chosen, form)
        with refusals_as_messages(request):
            as_group = form.cleaned_data["as_group"]
            new = services.put_on_roll(request.user, election, chosen.id, as_group=as_group)
            return start_import(request, election, new)
        return redirect("roll", name=election.name)
    context = election_context(request, election, form=form, groups=own)
    return render(request, "elections/groups/put_on.html", context, status=422 if form.errors else 200)


def _preview_group(request: HttpRequest, election: Election, group: Group, choice: ChoiceForm) -> HttpResponse:
    """A verdict for each member; a reused name does not bring back a deleted account."""
    groups = (voter_lists.group_named(group.name),) if choice.cleaned_data["as_group"] else ()
    members = list(repository.every_member(group.id))
    current = {each.name for each in repository.current_members(members)}
    rows = [
        VoterRow(line, each.name, each.name, Verdict.NEW, display_name=each.details.display_name)
        for line, each in enumerate(members, 1)
    ]
    gone = {"verdict": Verdict.INVALID, "reason": _("This account no longer exists.")}
    judged = [
        replace(row, **gone) if row.verdict == Verdict.NEW and row.value not in current else row
        for row in compare(election, rows, groups)
    ]
    context = election_context(request, election, group=group, choice=choice)
    context |= preview_context(judged, list_summary.VOTERS, groups)
    return render(request, "elections/groups/put_on.html", context)
