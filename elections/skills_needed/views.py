"""Pages for skills in an election: needs, a candidate's agreement, what voters see."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from elections import repository
from elections.access import check_visible, election_context, organiser_page, organiser_page_with
from elections.rules import MAX_SEATS, Action, Election, State
from foundation.acts.links import absolute_url
from foundation.pages.forms import form_data, form_page, run_form
from foundation.pages.messages import run_action
from foundation.ranking.candidates import Candidate
from parts.skills import repository as skills
from parts.skills.forms import SkillField
from parts.skills.rules import LEVELS, level_of

from . import needs, services
from .needs import Agreement, Need, Snapshot
from .services import ask_candidates, drop_need, set_need


class SkilledForm(forms.Form):
    """A skill, by any of its names, and a least level."""

    skill = SkillField(
        label=gettext_lazy("Skill"), help_text=gettext_lazy("Its name in the catalogue, or another name for it.")
    )
    level = forms.TypedChoiceField(
        label=gettext_lazy("At least"),
        coerce=int,
        choices=lambda: [(each.number, f"{each.label}: {each.sentence}") for each in LEVELS],
        initial=3,
    )


class NeedForm(SkilledForm):
    count = forms.IntegerField(
        label=gettext_lazy("How many of those elected"), min_value=1, max_value=MAX_SEATS, initial=1
    )


@organiser_page(Action.LOOK)
@form_page
def needs_page(request: HttpRequest, election: Election) -> HttpResponse:
    """The needs, a form to add more, and which candidates agreed to show their skills."""
    form = NeedForm(form_data(request))

    def act() -> None:
        data = form.cleaned_data
        set_need(request.user, election, Need(data["skill"].id, data["level"], data["count"]))

    if run_form(request, form, act, _("Saved."), "skill"):
        return redirect("needs", name=election.name)
    context = election_context(request, election, form=form, needs=needs.named(needs.find_needs(election.name)))
    address = absolute_url(reverse("agree", args=[election.name]))
    answers = needs.agreements(election.name)
    is_offered = Action.SET_NEEDS.name in context["offered"]
    to_ask = needs.unasked_candidates(election.name, context["needs"], answers) if is_offered else []
    context |= {"agreed": [each for each in answers if each.skills], "address": address, "to_ask": len(to_ask)}
    return render(request, "elections/needs.html", context, status=422 if form.errors else 200)


@organiser_page_with(Action.SET_NEEDS, lambda name, skill_id: skill_id)
@require_POST
def drop(request: HttpRequest, found: tuple[Election, str]) -> HttpResponse:
    election, skill_id = found
    run_action(request, lambda: drop_need(request.user, election, skill_id), _("The skill is removed."))
    return redirect("needs", name=election.name)


@organiser_page(Action.SET_NEEDS)
@require_POST
def ask(request: HttpRequest, election: Election) -> HttpResponse:
    """Mail the candidates who were not asked yet."""
    run_action(request, lambda: ask_candidates(request.user, election), _("Mails to the candidates are on their way."))
    return redirect("needs", name=election.name)


# --- candidates ---


def load_own_candidacy(user: User, name: str) -> tuple[Election, Candidate] | None:
    """An election in which this person is a candidate, even a draft; 404 for everyone else."""
    election = repository.find_settled(name)
    candidate = repository.find_candidate(election.name, user.name) if election else None
    return (election, candidate) if election and candidate else None


@requires(Permission.VOTE, load_for=load_own_candidacy)
@form_page
def agree(request: HttpRequest, found: tuple[Election, Candidate]) -> HttpResponse:
    """What would be shown, to whom and when; with a button to agree and one to decline."""
    election, candidate = found
    if request.method == "POST":
        act, done = (services.disagree, _("Your skills will not be shown.")) if "withdraw" in request.POST else (
            services.agree, _("You agreed. You can withdraw until the election opens."))  # fmt: skip
        run_action(request, lambda: act(request.user, election, candidate), done)
        return redirect("agree", name=election.name)
    agreement = needs.agreement_of(election.name, candidate.name)
    context = {"candidate": candidate, "is_draft": election.stored_state == State.DRAFT, "agreement": agreement}
    context["rows"] = _own_rows(request.user, election, agreement)
    return render(request, "elections/agree.html", election_context(request, election, **context))


def _own_rows(user: User, election: Election, agreement: Agreement | None) -> list[tuple[Need, str, bool]]:
    """Each need, one's own level, and whether one agreed to show it; or the snapshot taken at the opening."""
    if election.stored_state != State.DRAFT:
        snapshot = needs.snapshot_of(election.name)
        return [(need, level, bool(level)) for need, level in labelled_levels(snapshot, user.name)] if snapshot else []
    own, agreed = skills.own_skills(user.name).held, agreement.skills if agreement else ()
    found = needs.named(needs.find_needs(election.name))
    return [(each, _label(own[each.skill].level if each.skill in own else 0), each.skill in agreed) for each in found]


def labelled_levels(snapshot: Snapshot, candidate: str) -> list[tuple[Need, str]]:
    return [(need, _label(level)) for need, level in snapshot.levels_of(candidate)]


def _label(level: int | None) -> str:
    if level is None:
        return _("not shown")
    return str(level_of(level).label) if level else _("none")


# --- before the vote ---


def load_snapshot(user: User, name: str) -> tuple[Election, Snapshot] | None:
    """Only where the organiser chose so when it opened."""
    election = repository.find(name)
    if election is None or not election.shows_skills:
        return None
    check_visible(user, election)
    snapshot = needs.snapshot_of(name)
    return (election, snapshot) if snapshot else None


@requires(Permission.VIEW_APPLICATION, load_for=load_snapshot)
@require_safe
def candidate_skills(request: HttpRequest, found: tuple[Election, Snapshot]) -> HttpResponse:
    """What candidates state about themselves, in the election's order and without a total."""
    election, snapshot = found
    rows = [(each, labelled_levels(snapshot, each.name)) for each in repository.candidates_by_name(election.name)]
    context = election_context(request, election, rows=rows, needs=snapshot.needs)
    return render(request, "elections/skills.html", context)
