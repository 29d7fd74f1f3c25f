"""Pages of elections: lists, the public page, and what organisers do from draft to closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings as site_settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public, requires
from accounts.models import User
from accounts.rules import Permission, Refusal
from accounts.views import ask, form_page, posted, say, show_form
from store.log import utc_now

from . import invitations, lists, repository, rules, services
from .calendar import NotInTheCalendar
from .calendar import calendar as as_calendar
from .forms import (
    CandidateForm,
    CandidatesForm,
    ConfirmDeletionForm,
    DescriptionForm,
    ElectionForm,
    EndForm,
    ImportedForm,
    ImportForm,
    NameForm,
    OpenForm,
    PersonForm,
    SearchForm,
    SettingsForm,
    VotersForm,
)
from .lists import Verdict
from .markdown import plain, to_html
from .repository import Candidate
from .rules import Action, Election, Relation, State

A_PAGE = 50
TABS = ("mine", "open", "closed", "all")


def visible(user: User, election: Election) -> None:
    """A draft is there for those who run it, and for nobody else."""
    if election.stored_state == State.DRAFT and services.relation(user, election) == Relation.NOBODY:
        raise Http404


def may(action: Action) -> Callable[[User, Election], None]:
    def rule(user: User, election: Election) -> None:
        visible(user, election)
        rules.check_who(services.relation(user, election), action)

    return rule


def run(action: Action) -> Any:
    """A page of somebody who runs the election."""
    return requires(Permission.USE_APPLICATION, load=repository.find, rule=may(action))


def context_of(request: HttpRequest, election: Election, **more: Any) -> dict[str, Any]:
    """What every page about one election shows: the election, its state, and what this person may do now."""
    state = election.state(repository.now_text())
    offered = {action.name for action in rules.offered(services.relation(request.user, election), state)}
    return {"election": election, "state": state, "offered": offered, **more}


def told(request: HttpRequest, act: Callable[[], Any], done: str) -> bool:
    """Do it and say so, or say why not."""
    try:
        act()
    except Refusal as refusal:
        messages.error(request, str(refusal))
        return False
    messages.success(request, done)
    return True


# --- lists ---


@requires(Permission.VIEW_APPLICATION)
@require_safe
def elections(request: HttpRequest) -> HttpResponse:
    tab = request.GET.get("show", "mine" if request.user.can(Permission.USE_APPLICATION) else "open")
    tab = tab if tab in TABS else "all"
    form = SearchForm(request.GET)
    prefix = form.cleaned_data["q"] if form.is_valid() else ""
    narrowed = {"mine": {"run_by": request.user.name}, "open": {"state": State.OPEN}, "closed": {"state": State.CLOSED}}
    found, cursor = repository.lists(
        prefix=prefix, limit=A_PAGE, cursor=request.GET.get("after") or None, **narrowed.get(tab, {})
    )
    now = repository.now_text()
    shown = [(each, each.state(now)) for each in found if each.stored_state != State.DRAFT or tab == "mine"]
    older = f"{reverse('elections')}?{urlencode({'show': tab, 'q': prefix, 'after': cursor})}" if cursor else ""
    context = {"elections": shown, "tab": tab, "tabs": TABS, "form": form, "prefix": prefix, "older": older}
    return render(request, "elections/elections.html", context)


@requires(Permission.VIEW_APPLICATION, load=repository.find, rule=visible)
@require_safe
def election(request: HttpRequest, election: Election) -> HttpResponse:
    """The election's public page."""
    candidates = repository.candidates(election.name)
    return render(request, "elections/election.html", context_of(request, election, candidates=candidates))


@requires(Permission.VIEW_APPLICATION, load=repository.find, rule=visible)
@require_safe
def calendar(request: HttpRequest, election: Election) -> HttpResponse:
    """The election for one's own calendar; one without times has nothing to put there."""
    url = site_settings.SITE_URL + reverse("election", args=[election.name])
    words = {"name": election.name, "url": url, "description": plain(election.description, 500)}
    try:
        file = as_calendar(**words, opens=election.begins, closes=election.ends, now=utc_now())
    except NotInTheCalendar:
        raise Http404 from None
    answer = HttpResponse(file, content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="election.ics"'
    return answer


# --- making and setting up ---


@requires(Permission.USE_APPLICATION)
@form_page
def create(request: HttpRequest) -> HttpResponse:
    form = ElectionForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            made = services.create(request.user, **form.values())
        except services.NameTaken as refusal:
            form.add_error("name", str(refusal))
        else:
            _say_what_was_understood(request, form)
            messages.success(request, _("Your draft is there. Now add candidates and voters."))
            return redirect("dashboard", name=made.name)
    return show_form(request, form, _("New election"), _("Create draft"))


def _say_what_was_understood(request: HttpRequest, form: Any) -> None:
    for note in form.notes():
        messages.info(request, note)


@run(Action.SET_UP)
@form_page
def settings(request: HttpRequest, election: Election) -> HttpResponse:
    form = SettingsForm(posted(request), initial=SettingsForm.initial_of(election))
    if request.method == "POST" and form.is_valid():
        try:
            services.change(request.user, election, Action.SET_UP, **form.values())
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            _say_what_was_understood(request, form)
            messages.success(request, _("The settings are saved."))
            return redirect("dashboard", name=election.name)
    return show_form(request, form, _("Settings"), _("Save settings"), **context_of(request, election))


@run(Action.DESCRIBE)
@form_page
def describe(request: HttpRequest, election: Election) -> HttpResponse:
    form = DescriptionForm(posted(request), initial={"description": election.description})
    if "preview" in request.POST and form.is_valid():
        return _preview(request, form, _("Description"), form.cleaned_data["description"], election)
    if request.method == "POST" and form.is_valid():
        try:
            services.change(request.user, election, Action.DESCRIBE, **form.cleaned_data)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("The description is saved."))
            return redirect("dashboard", name=election.name)
    context = context_of(request, election, previews=True)
    return show_form(request, form, _("Description"), _("Save"), **context)


@run(Action.LOOK)
@require_safe
def dashboard(request: HttpRequest, election: Election) -> HttpResponse:
    candidates = repository.candidates(election.name)
    silent = sum(not each.statement for each in candidates)
    context = context_of(
        request,
        election,
        candidates=candidates,
        missing=_missing(election, len(candidates)),
        warnings=rules.warnings(election, len(candidates), silent, repository.now_text()),
    )
    return render(request, "elections/dashboard.html", context)


def _missing(election: Election, candidates: int) -> str:
    try:
        rules.check_opening(election, candidates, repository.now_text())
    except rules.NotReady as refusal:
        return str(refusal)
    return ""


# --- candidates ---


@run(Action.LOOK)
@form_page
def candidates(request: HttpRequest, election: Election) -> HttpResponse:
    """All candidates, and a box to paste more into: one a line."""
    form = CandidatesForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            new = [Candidate(name) for name in form.cleaned_data["names"]]
            added = services.add_candidates(request.user, election, new)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Candidates added: %(count)d.") % {"count": len(added)})
            return redirect("candidates", name=election.name)
    found = repository.candidates(election.name)
    context = context_of(request, election, form=form, candidates=found)
    return render(request, "elections/candidates.html", context, status=422 if form.errors else 200)


def load_candidate(name: str, candidate: str) -> tuple[Election, Candidate] | None:
    election = repository.find(name)
    found = repository.find_candidate(name, candidate) if election else None
    return (election, found) if election and found else None


def may_change_candidate(user: User, found: tuple[Election, Candidate]) -> None:
    may(Action.CHANGE_CANDIDATES)(user, found[0])


@requires(Permission.USE_APPLICATION, load=load_candidate, rule=may_change_candidate)
@form_page
def candidate(request: HttpRequest, found: tuple[Election, Candidate]) -> HttpResponse:
    election, candidate = found
    form = CandidateForm(posted(request), initial={"statement": candidate.statement, "link": candidate.link})
    if "preview" in request.POST and form.is_valid():
        return _preview(request, form, candidate.name, form.cleaned_data["statement"], election)
    if request.method == "POST" and form.is_valid():
        changed = Candidate(candidate.name, **form.cleaned_data)
        if told(request, lambda: services.edit_candidate(request.user, election, changed), _("Saved.")):
            return redirect("candidates", name=election.name)
    return show_form(request, form, candidate.name, _("Save"), **context_of(request, election, previews=True))


def _preview(request: HttpRequest, form: Any, title: str, text: str, election: Election) -> HttpResponse:
    """The form again with what its Markdown looks like; nothing is saved yet."""
    context = context_of(request, election, previews=True, preview=to_html(text))
    return show_form(request, form, title, _("Save"), **context)


@requires(Permission.USE_APPLICATION, load=load_candidate, rule=may_change_candidate)
@require_POST
def remove_candidate(request: HttpRequest, found: tuple[Election, Candidate]) -> HttpResponse:
    election, candidate = found
    done = _("%(name)s is no longer a candidate.") % {"name": candidate.name}
    told(request, lambda: services.remove_candidate(request.user, election, candidate.name), done)
    return redirect("candidates", name=election.name)


# --- the roll ---


@run(Action.SEE_ROLL)
@form_page
def roll(request: HttpRequest, election: Election) -> HttpResponse:
    """Who may vote, page by page; a POST adds some, typed one a line."""
    form = VotersForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            added = services.add_voters(request.user, election, form.cleaned_data["voters"])
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Voters added: %(count)d.") % {"count": added})
            return redirect("roll", name=election.name)
    search = SearchForm(request.GET)
    prefix = search.cleaned_data["q"] if search.is_valid() else ""
    found, cursor = repository.voters(
        election.name, prefix=prefix, limit=A_PAGE, cursor=request.GET.get("after") or None
    )
    here = reverse("roll", args=[election.name])
    older = f"{here}?{urlencode({'q': prefix, 'after': cursor})}" if cursor else ""
    shown = invitations.with_mails(found)
    context = context_of(request, election, form=form, search=search, voters=shown, older=older)
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
    if not form.is_valid():
        messages.error(request, _("That list cannot be read. Please start again with the file."))
        return redirect("import_roll", name=election.name)
    added = 0

    def act() -> None:
        nonlocal added
        added = services.add_voters(request.user, election, form.cleaned_data["voters"])

    if told(request, act, _("The list is imported.")):
        messages.info(request, _("Voters added: %(count)d.") % {"count": added})
    return redirect("roll", name=election.name)


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


# --- from draft to closed ---


@run(Action.OPEN)
@form_page
def open_(request: HttpRequest, election: Election) -> HttpResponse:
    form = OpenForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            services.open_(request.user, election, **form.cleaned_data)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("The election is open."))
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
    if request.method == "POST" and form.is_valid():
        try:
            services.extend(request.user, election, form.end())
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            _say_what_was_understood(request, form)
            messages.success(request, _("The end is moved."))
            return redirect("dashboard", name=election.name)
    return show_form(request, form, _("Move the end"), _("Move the end"), **context_of(request, election))


@run(Action.CLOSE)
@form_page
def close(request: HttpRequest, election: Election) -> HttpResponse:
    if request.method == "POST":
        told(request, lambda: services.close(request.user, election), _("The election is closed."))
        return redirect("dashboard", name=election.name)
    lead = _("Nobody can vote after that, and nothing can be changed again.")
    context = {"title": _("Close the election"), "button": _("Close it for good"), "lead": lead, "danger": True}
    return render(request, "accounts/confirm.html", context_of(request, election, **context))


@run(Action.RENAME)
@form_page
def rename(request: HttpRequest, election: Election) -> HttpResponse:
    return _under_another_name(request, election, services.rename, _("Rename"), election.name)


@run(Action.COPY)
@form_page
def copy(request: HttpRequest, election: Election) -> HttpResponse:
    suggestion = _("Copy of %(name)s") % {"name": election.name}
    return _under_another_name(request, election, services.copy, _("Copy"), suggestion[:200])


def _under_another_name(
    request: HttpRequest, election: Election, act: Callable[..., Election], title: str, suggestion: str
) -> HttpResponse:
    form = NameForm(posted(request), initial={"name": suggestion})
    if request.method == "POST" and form.is_valid():
        try:
            made = act(request.user, election, form.cleaned_data["name"])
        except Refusal as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("Done."))
            return redirect("dashboard", name=made.name)
    return show_form(request, form, title, title, **context_of(request, election))


@run(Action.DELETE)
@form_page
def delete(request: HttpRequest, election: Election) -> HttpResponse:
    form = ConfirmDeletionForm(posted(request), expected=election.name)
    if request.method == "POST" and form.is_valid():
        try:
            services.delete(request.user, election)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("%(name)s is deleted.") % {"name": election.name})
            return redirect("elections")
    title = _("Delete %(name)s") % {"name": election.name}
    lead = _("Its candidates, its roll and its ballots go for good. The event log keeps what happened.")
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
    if request.method == "POST" and form.is_valid():
        try:
            name = services.add_manager(request.user, election, form.cleaned_data["name"])
        except Refusal as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("%(name)s now helps to run this election.") % {"name": name})
            return redirect("managers", name=election.name)
    status = 422 if form.errors else 200
    return render(request, "elections/managers.html", context_of(request, election, form=form), status=status)


@run(Action.HAND_OVER)
@form_page
def hand_over(request: HttpRequest, election: Election) -> HttpResponse:
    form = PersonForm(posted(request))
    if request.method == "POST" and form.is_valid():
        try:
            name = services.hand_over(request.user, election, form.cleaned_data["name"])
        except Refusal as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("%(name)s now owns this election.") % {"name": name})
            return redirect("election", name=election.name)
    return show_form(request, form, _("Hand it over"), _("Hand it over"), **context_of(request, election))
